"""Fit: point-to-plane ICP (Chen and Medioni 1992) through Open3D, from many yaws, of an object that rests on the table.

Resting fixes height and tilt, so every fit is brought back to a turn about the vertical and a shift along the table. What
a camera sees of a prism has vertical normals only, which hold nothing sideways: the sides are therefore among the targets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from get3d.register_settings import Registering
from get3d.register_surface import Surface
from grasp.frames import invert, transform_points
from objects.open3d_loader import open3d
from wrench.checks import frozen

SPARSE = 5  # of the mesh's samples, one in so many is a target of the first fits
ROUNDS = 2  # of ICP in the last fits, each from where the one before was brought back to
STILL = 1e-5  # change of Open3D's fitness and of its error in metres at which a fit has settled


@dataclass(frozen=True, eq=False)
class Fit:
    """A placement of the object and how well it agrees with the cloud.

    Parameters
    ----------
    T_table_object : (4, 4) float
    pose
        Index of the stable pose.
    fitness
        Share of the cloud within the tolerance of the mesh.
    rmse : metres
        Root mean square distance of those points from the mesh; NaN without any.
    coverage
        Share of what a camera straight above would see of the mesh that is within the tolerance of a point.
    misfit : metres
        Root mean square of both kinds of distance, each cut off at the tolerance and each kind of equal weight.
    """

    T_table_object: NDArray[np.float64]
    pose: int
    fitness: float
    rmse: float
    coverage: float
    misfit: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "T_table_object", frozen(self.T_table_object))


@dataclass(frozen=True, eq=False)
class Match:
    """One stable pose and one cloud, made ready for fits. Point clouds are Open3D's.

    Parameters
    ----------
    surface
        Of the object.
    index, pose
        Of the stable pose: its place in the list, and `T_table_object` (4, 4) up to a turn and a shift on the table.
    coarse, fine
        The cloud, thinned out, table frame.
    sparse, dense
        Samples of the surface that may be seen, with normals, object frame.
    above : (m, 3) float, metres, object frame
        Samples that a camera straight above would see.
    """

    surface: Surface
    index: int
    pose: NDArray[np.float64]
    coarse: Any
    fine: Any
    sparse: Any
    dense: Any
    above: NDArray[np.float64]

    @classmethod
    def of(cls, surface: Surface, index: int, pose: NDArray, points: NDArray, settings: Registering) -> Match:
        """Return what fits of `points` (n, 3), metres, table frame, to one stable pose need."""
        cloud = _cloud(points)
        visible, above = surface.in_sight(pose)
        high = transform_points(pose, surface.points)[:, 2] >= settings.least_height
        seen, normals = surface.points[visible], surface.normals[visible]
        thin = (cloud.voxel_down_sample(size) for size in (settings.coarse, settings.fine))
        targets = (_cloud(seen[::SPARSE], normals[::SPARSE]), _cloud(seen, normals))
        return cls(surface, index, pose, *thin, *targets, surface.points[above & high])


def fits(match: Match, settings: Registering) -> list[Fit]:
    """Return fits of one stable pose, best first: the distinct best of the starts, fitted finely."""
    yaws = 2 * np.pi * np.arange(settings.starts) / settings.starts
    rough = sorted((_first(match, yaw, settings) for yaw in yaws), key=lambda fit: fit.misfit)
    chosen: list[Fit] = []
    for fit in rough:
        if len(chosen) < settings.refined and all(_displaced(match, fit, other) > settings.coarse for other in chosen):
            chosen.append(fit)
    return sorted((_last(match, fit, settings) for fit in chosen), key=lambda fit: fit.misfit)


def _displaced(match: Match, a: Fit, b: Fit) -> float:
    """Return the greatest distance between where two fits put a vertex of the mesh, metres."""
    places = (transform_points(fit.T_table_object, match.surface.vertices) for fit in (a, b))
    return float(np.linalg.norm(np.subtract(*places), axis=1).max())


def _first(match: Match, yaw: float, settings: Registering) -> Fit:
    """Return the rough fit that begins with the visible middles over each other."""
    to = np.asarray(match.coarse.points).mean(0)[:2]
    turned = on_table(yaw, np.zeros(2)) @ match.pose
    start = on_table(0.0, to - transform_points(turned, match.above).mean(0)[:2]) @ turned
    return _judged(match, _icp(match, start, match.coarse, match.sparse, settings.reach, settings), match.coarse, settings)


def _last(match: Match, fit: Fit, settings: Registering) -> Fit:
    T = fit.T_table_object
    for _ in range(ROUNDS):
        T = _icp(match, T, match.fine, match.dense, settings.tolerance, settings)
    return _judged(match, T, match.fine, settings)


def _icp(match: Match, T: NDArray, source: Any, target: Any, reach: float, settings: Registering) -> NDArray[np.float64]:
    """Return `T_table_object` after one run of ICP from `T`, brought back to the table."""
    icp = open3d().pipelines.registration
    settled = icp.ICPConvergenceCriteria(STILL, STILL, settings.iterations)
    method = icp.TransformationEstimationPointToPlane()
    found = icp.registration_icp(source, target, reach, invert(T), method, settled).transformation
    return resting(np.asarray(found), match.pose, np.asarray(source.points).mean(0))


def on_table(yaw: float, shift: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the motion (4, 4) that turns about the vertical by `yaw` radians and then moves by (2,) metres."""
    T = np.eye(4)
    T[:2, :2], T[:2, 3] = [[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]], shift
    return T


def resting(T_object_table: NDArray[np.float64], pose: NDArray[np.float64], centre: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the placement on the table nearest to one that may tilt and float.

    Parameters
    ----------
    T_object_table : (4, 4) float
        As ICP found it.
    pose : (4, 4) float
        `T_table_object` of the stable pose, up to a turn and a shift on the table.
    centre : (3,) float, metres, table frame
        Middle of the cloud: it keeps the place on the table, in the object, that it was given.

    Returns
    -------
    T_table_object : (4, 4) float
    """
    back = pose @ T_object_table  # takes the cloud to the object in its stable pose
    yaw = np.arctan2(back[0, 1] - back[1, 0], back[0, 0] + back[1, 1])  # of the nearest turn about the vertical
    turned = on_table(yaw, np.zeros(2))
    return on_table(0.0, centre[:2] - transform_points(turned @ back, centre[None])[0, :2]) @ turned @ pose


def _judged(match: Match, T: NDArray[np.float64], cloud: Any, settings: Registering) -> Fit:
    tolerance = settings.tolerance
    off = match.surface.distance(transform_points(invert(T), np.asarray(cloud.points)))
    missing = np.asarray(_cloud(transform_points(T, match.above)).compute_point_cloud_distance(cloud))
    misfit = np.sqrt(np.mean([np.mean(np.minimum(d, tolerance) ** 2) for d in (off, missing)]))
    fitting = off[off <= tolerance]
    rmse = float(np.sqrt(np.mean(fitting**2))) if len(fitting) else np.nan
    return Fit(T, match.index, len(fitting) / len(off), rmse, float(np.mean(missing <= tolerance)), float(misfit))


def _cloud(points: NDArray[np.float64], normals: NDArray[np.float64] | None = None) -> Any:
    """Return Open3D's point cloud of points (n, 3), with normals if given."""
    library = open3d()
    cloud = library.geometry.PointCloud(library.utility.Vector3dVector(np.array(points)))  # which takes no read-only array
    if normals is not None:
        cloud.normals = library.utility.Vector3dVector(normals)
    return cloud
