"""Scene: the surfaces that a view shows of its object, as clouds, and what they make a footprint of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from baselines.cloud import Cloud
from baselines.cloud_walls import Eye, walls
from get2d.components import one_piece
from get2d.footprint import Footprint
from get2d.height import Approach
from get2d.perceive import perceive
from get2d.segment import mask_of
from get2d.settings import Perception
from get2d.table import camera_over_table, points_of, tilt
from grasp.camera import Camera
from grasp.errors import PerceptionError
from grasp.frames import transform_points
from grasp.mesh import Mesh
from grasp.reasons import Reason
from grasp.strict import positive
from grasp.view import View
from wrench.errors import InvalidValue

SURFACE, RIM = "surface", "rim"  # the two samplers: of what was measured, and of walls below the rim of what was seen
SAMPLERS = (SURFACE, RIM)
SEAM = 2  # cells about the footprint within which a point still belongs to it: one of rounding, one of the outline's


@dataclass(frozen=True)
class Sampling:
    """How many points and pairs are looked at.

    Parameters
    ----------
    points
        Of a surface, at the most; larger clouds are thinned at random.
    pairs
        Drawn from each surface.
    spacing : metres
        Between points where the planner makes them: on a mesh, and on the walls below a rim.
    rim
        Whether vertical walls are assumed below the rim of what was seen, where a view does not show all sides.
    band : metres
        Height of those walls.
    """

    points: int
    pairs: int
    spacing: float
    rim: bool
    band: float

    def __post_init__(self) -> None:
        for name, unit in (("points", "points"), ("pairs", "pairs"), ("spacing", "m"), ("band", "m")):
            positive(f"sampling.{name}", getattr(self, name), unit)
        if not isinstance(self.rim, bool):
            raise InvalidValue("sampling.rim", repr(self.rim), "true or false")


@dataclass(frozen=True, eq=False)
class Scene:
    """What a view shows.

    Parameters
    ----------
    footprint
        From straight above: outline, heights, notes.
    clouds
        Surfaces by the name of their sampler, what was measured first; at least one.
    """

    footprint: Footprint
    clouds: Mapping[str, Cloud]


def scene(
    view: View, perception: Perception, sampling: Sampling, approach: Approach, least: int, rng: np.random.Generator
) -> Scene:
    """Return what a view shows of its object.

    Where a view holds several things, the first of these is used, as in `get2d.perceive`: polygon, images, points, mesh. A
    mesh is sampled evenly by area and shows all sides; there no wall is assumed.

    Parameters
    ----------
    perception
        How the object is told from the table.
    sampling, approach
        How the planner looks at it.
    least
        Points that a surface must have to count; one of fewer is left aside.
    rng
        From which points are drawn.

    Raises
    ------
    PerceptionError
        The reasons of `get2d.perceive`; EMPTY_CLOUD: no surface has enough points.
    """
    footprint, kind = perceive(view, perception), _kind(view)
    seen, eye = _seen(view, kind, footprint, perception, sampling, rng)
    found = {} if seen is None else {SURFACE: seen}
    if sampling.rim and kind != "mesh":
        found[RIM] = walls(footprint, eye, approach, sampling.spacing, sampling.band)
    clouds = {name: cloud for name, cloud in found.items() if len(cloud) >= least}
    if not clouds:
        counts = " and ".join(f"{len(cloud)} on its {name}" for name, cloud in found.items()) or "none"
        detail = f"Of the {least} points that are needed it has {counts}."
        raise PerceptionError(Reason.EMPTY_CLOUD if found else Reason.VIEW_LACKS_INPUT, detail)
    return Scene(footprint, clouds)


def _kind(view: View) -> str:
    """Return which part of a view is used."""
    kinds = {"polygon": view.polygon, "depth": view.depth, "mask": view.mask, "rgb": view.rgb, "points": view.points}
    return next((name for name, part in kinds.items() if part is not None), "mesh")


def _seen(
    view: View, kind: str, footprint: Footprint, perception: Perception, sampling: Sampling, rng: np.random.Generator
) -> tuple[Cloud | None, Eye | None]:
    """Return the surface that was measured, None for an outline alone, and the eye of an outline from an image."""
    if kind == "mesh" and view.mesh is not None:
        return _of_mesh(view.mesh, sampling, rng), None
    if kind == "points" and view.points is not None:
        points = _thinned(_on(footprint, view.points, perception), sampling, rng)
        return Cloud.of(points) if view.camera is None else _towards(points, view.camera), None
    if view.depth is not None and kind == "depth":
        camera = camera_over_table(view, view.depth, perception)
        points = _of_depth(view, view.depth, camera, footprint, perception)
        return _towards(_thinned(points, sampling, rng), camera), _eye(camera, points, perception)
    return None, None


def _of_depth(
    view: View, depth: NDArray[np.float64], camera: Camera, footprint: Footprint, perception: Perception
) -> NDArray[np.float64]:
    """Return the object's points (n, 3), table frame: of its pixels, where these can be told, else of its footprint."""
    told = view.mask is not None or (view.rgb is not None and tilt(camera) <= perception.greatest_tilt)
    inside = np.ones(depth.shape, bool)
    if told:
        piece, _ = one_piece(mask_of(view, perception), perception)
        inside[:] = False
        piece.cut(inside)[:] = piece.pixels
    points = transform_points(camera.pose, points_of(depth, camera, inside))
    return points if told else _on(footprint, points, perception)


def _eye(camera: Camera, points: NDArray[np.float64], perception: Perception) -> Eye | None:
    """Return the eye of an outline that `get2d.rgbd` drew in the image; None where it drew it from the points."""
    if tilt(camera) > perception.greatest_tilt:
        return None
    return Eye(camera.pose[:3, 3], float(np.percentile(points[:, 2], 100 - perception.object_percentile)))


def _on(footprint: Footprint, points: NDArray[np.float64], perception: Perception) -> NDArray[np.float64]:
    """Return the points above the table and the footprint."""
    above = points[points[:, 2] > perception.least_height]
    around = footprint.polygon.buffer(SEAM * perception.cell)
    shapely.prepare(around)
    return above[shapely.contains_xy(around, above[:, 0], above[:, 1])]


def _towards(points: NDArray[np.float64], camera: Camera) -> Cloud:
    return Cloud.of(points, camera.pose[:3, 3] - points)


def _thinned(points: NDArray[np.float64], sampling: Sampling, rng: np.random.Generator) -> NDArray[np.float64]:
    if len(points) <= sampling.points:
        return points
    return points[np.sort(rng.choice(len(points), sampling.points, replace=False))]


def _of_mesh(mesh: Mesh, sampling: Sampling, rng: np.random.Generator) -> Cloud:
    """Return points drawn evenly by area, with the normals of their faces."""
    import trimesh  # about half a second, and only meshes need it
    from trimesh.sample import sample_surface

    surface = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
    count = min(int(surface.area / sampling.spacing**2), sampling.points)
    points, face = sample_surface(surface, count, seed=rng)[:2]
    return Cloud.of(np.asarray(points), np.asarray(surface.face_normals)[face])
