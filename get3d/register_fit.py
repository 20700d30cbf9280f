"""Fit: an object that rests on the table is turned about the vertical and shifted until its surface meets a cloud.

Iterative closest points (Besl and McKay 1992) with the exact nearest places on the mesh, each of which holds a point of the
cloud along the line between them only (Chen and Medioni 1992), and with no other freedom than resting leaves: free height
and tilt would be bent by noise. What a camera sees of a prism has vertical normals, which hold nothing sideways; points that
stick out over an edge do, and with exact places however little they stick out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from get3d.register_settings import Registering
from get3d.register_surface import Surface
from grasp.frames import invert, transform_points, transform_vectors
from objects.open3d_loader import open3d
from wrench.checks import frozen

SETTLED = 1e-5  # metres; a fit that moves no further has settled
TOUCHING = 1e-6  # metres from the surface, the rounding of Open3D: the line to the nearest place is then the face's normal
HELD = 1e-6  # share of the points' stiffness that holds what no point does


@dataclass(frozen=True, eq=False)
class Fit:
    """A placement of the object and how well it agrees with a cloud.

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


def fits(surface: Surface, poses: list[NDArray], points: NDArray[np.float64], settings: Registering) -> list[Fit]:
    """Return the best fits that differ, best first.

    Parameters
    ----------
    surface
        Of the object.
    poses : p times (4, 4) float
        `T_table_object` of its stable poses, up to a turn and a shift on the table.
    points : (n, 3) float, metres, table frame
        Of the object.
    """
    coarse, fine = thinned(points, settings.coarse), points[:: max(len(points) // settings.fine, 1)]
    above = [surface.from_above(pose, settings.least_height) for pose in poses]
    rough = [
        judged(surface, settle(surface, start, coarse, settings.reach, settings.iterations), i, above[i], coarse, settings)
        for i, pose in enumerate(poses)
        for start in starts(pose, above[i], coarse, settings.starts)
    ]
    last = []
    for fit in distinct(rough, surface, settings.coarse)[: settings.refined]:
        T = settle(surface, fit.T_table_object, fine, settings.tolerance, settings.iterations)
        last.append(judged(surface, T, fit.pose, above[fit.pose], fine, settings))
    return distinct(last, surface, settings.symmetry)


def thinned(points: NDArray[np.float64], size: float) -> NDArray[np.float64]:
    """Return the means (m, 3) of the points (n, 3) in each cube of a grid of `size` metres."""
    return np.asarray(_cloud(points).voxel_down_sample(size).points)


def starts(
    pose: NDArray[np.float64], above: NDArray[np.float64], points: NDArray[np.float64], count: int
) -> list[NDArray[np.float64]]:
    """Return placements (4, 4) at evenly spread yaws, with the middle of what is seen above that of the points (n, 3)."""
    turned = [on_table(2 * np.pi * k / count, np.zeros(2)) @ pose for k in range(count)]
    return [on_table(0.0, np.subtract(points.mean(0), transform_points(T, above).mean(0))[:2]) @ T for T in turned]


def on_table(yaw: float, shift: ArrayLike) -> NDArray[np.float64]:
    """Return the motion (4, 4) that turns about the table's z by `yaw` radians and then shifts by (2,) metres."""
    T = np.eye(4)
    T[:2, :2], T[:2, 3] = [[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]], shift
    return T


def settle(
    surface: Surface, T: NDArray[np.float64], points: NDArray[np.float64], reach: float, iterations: int
) -> NDArray[np.float64]:
    """Return the placement `T_table_object` (4, 4) after turns and shifts on the table that bring it to the points.

    Parameters
    ----------
    T : (4, 4) float
        Where to begin.
    points : (n, 3) float, metres, table frame
    reach : metres
        Points further off the surface are left out.
    iterations
        At the most.
    """
    middle = on_table(0.0, points.mean(0)[:2])
    arm = points[:, :2] - middle[:2, 3]
    size = np.sqrt(np.mean(arm**2))  # of a turn, so that it weighs as much as a shift
    for _ in range(iterations):
        line, length = _lines(surface, T, points)
        turn = (arm[:, 0] * line[:, 1] - arm[:, 1] * line[:, 0]) / size
        rates = np.column_stack([line[:, :2], turn])[length <= reach]  # of each length, per metre of x, y and turn
        stiffness = rates.T @ rates + HELD * max(len(rates), 1) * np.eye(3)
        step = np.linalg.solve(stiffness, rates.T @ length[length <= reach])
        T = middle @ on_table(step[2] / size, step[:2]) @ invert(middle) @ T
        if np.linalg.norm(step) < SETTLED:
            break
    return T


def _lines(surface: Surface, T: NDArray, points: NDArray) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return unit vectors (n, 3), table frame, from the nearest places on the surface to points, and the distances (n,)."""
    own = transform_points(invert(T), points)
    foot, normal = surface.nearest(own)
    length = np.linalg.norm(own - foot, axis=1)
    line = np.where((length > TOUCHING)[:, None], (own - foot) / np.maximum(length, TOUCHING)[:, None], normal)
    return transform_vectors(T, line), length


def judged(
    surface: Surface, T: NDArray[np.float64], pose: int, above: NDArray[np.float64], points: NDArray, settings: Registering
) -> Fit:
    """Return how well a placement agrees with points (n, 3), table frame; `above` (m, 3), object frame, should be seen."""
    tolerance = settings.tolerance
    off = surface.distance(transform_points(invert(T), points))
    missing = np.asarray(_cloud(transform_points(T, above)).compute_point_cloud_distance(_cloud(points)))
    misfit = np.sqrt(np.mean([np.mean(np.minimum(d, tolerance) ** 2) for d in (off, missing)]))
    fitting = off[off <= tolerance]
    rmse = float(np.sqrt(np.mean(fitting**2))) if len(fitting) else np.nan
    return Fit(T, pose, len(fitting) / len(off), rmse, float(np.mean(missing <= tolerance)), float(misfit))


def distinct(found: list[Fit], surface: Surface, distance: float) -> list[Fit]:
    """Return the fits, best first, of which no two put every vertex within `distance` metres of the same place."""
    kept: list[Fit] = []
    places: list[NDArray] = []
    for fit in sorted(found, key=lambda fit: fit.misfit):
        place = transform_points(fit.T_table_object, surface.vertices)
        if all(np.linalg.norm(place - other, axis=1).max() > distance for other in places):
            kept.append(fit)
            places.append(place)
    return kept


def _cloud(points: NDArray[np.float64]) -> Any:
    """Return points (n, 3) as Open3D's point cloud."""
    library = open3d()
    return library.geometry.PointCloud(library.utility.Vector3dVector(np.array(points)))  # it takes no read-only array
