"""Pictures of grasps: an object from above and from the side with the gripper around it, small enough for a table cell."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import ConvexHull

from grasp.frames import heading, transform_points
from grasp.gripper import Gripper
from grasp.mesh import Mesh
from grasp.solids import boxes

WIDE, NARROW, CONTACT, CENTRE = "#1f6fb4", "#2a9d6f", "#c62828", "#111111"
ROOM = 0.035  # metres around the object that stay in sight
LIGHT = np.array([-0.45, 0.35, 0.82])  # towards the lamp: right, up, towards the eye
FLOOR = 0.006  # metres of table drawn in the level view
RAYS = 150  # pixels along the longer side of a view
UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Pose:
    """A gripper beside an object.

    Parameters
    ----------
    gripper
        Its shape.
    T_table_gripper : (4, 4) float, metres
    opening : metres
        Between the pad faces.
    contacts : (k, 3) float, metres
        Contact points in the table frame; may be empty.
    """

    gripper: Gripper
    T_table_gripper: NDArray[np.float64]
    opening: float
    contacts: NDArray[np.float64]


def draw(mesh: Mesh, centre: ArrayLike, pose: Pose | None) -> bytes:
    """Return the PNG of a mesh on the table, of its centre of mass (3,) and of a gripper where there is one.

    Above: seen from above, the table's x to the right. Below: seen level, along the wide jaw, the closing axis to the right.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    low, high = mesh.vertices.min(0), mesh.vertices.max(0)
    half = np.hypot(*(high - low)[:2]) / 2 + ROOM  # the same from every side
    middle = np.array([*((low + high) / 2)[:2], 0.0])
    tall = high[2] + ROOM
    figure = Figure(figsize=(2.3, 2.3 * (1 + (tall + FLOOR) / (2 * half))), facecolor="white")
    FigureCanvasAgg(figure)
    split = (tall + FLOOR) / (tall + FLOOR + 2 * half)
    angle = 0.0 if pose is None else float(heading(pose.T_table_gripper))
    along = np.array([np.cos(angle), np.sin(angle), 0.0])
    top = np.array([[1.0, 0, 0], [0, 1, 0], UP])
    side = np.array([along, UP, np.cross(along, UP)])
    _view(figure.add_axes((0, split + 0.01, 1, 0.99 - split)), mesh, centre, pose, top, middle, (-half, half, -half, half))
    _view(figure.add_axes((0, 0, 1, split - 0.01)), mesh, centre, pose, side, middle, (-half, half, -FLOOR, tall))
    written = io.BytesIO()
    figure.savefig(written, format="png", dpi=110, metadata={"Software": None})
    return written.getvalue()


def _view(
    axes: Any, mesh: Mesh, centre: ArrayLike, pose: Pose | None, axis: NDArray, middle: NDArray, extent: tuple[float, ...]
) -> None:
    """Draw one view. The rows of `axis` point right, up and towards the eye; `extent` is left, right, bottom, top."""
    shade = shaded(mesh, axis, middle, extent)
    axes.imshow(shade, cmap="gray", vmin=0, vmax=1, extent=extent, interpolation="bilinear")
    axes.set(xlim=extent[:2], ylim=extent[2:], xticks=[], yticks=[])
    for spine in axes.spines.values():
        spine.set(color="#c9d1d9")
    if axis[1] @ UP > 0.5:
        axes.axhspan(-FLOOR, 0, color="#b9a68e")  # the table
    axes.plot(*((np.asarray(centre) - middle) @ axis[:2].T), "P", color=CENTRE, mec="white", ms=7, mew=0.8)
    if pose is not None:
        _gripper(axes, pose, axis, middle)


def _gripper(axes: Any, pose: Pose, axis: NDArray, middle: NDArray) -> None:
    solid, wide = boxes(pose.gripper, pose.opening), pose.gripper.is_wide
    corners = np.stack(np.meshgrid(*[[-0.5, 0.5]] * 3, indexing="ij"), -1).reshape(8, 3)
    for i, is_wide in enumerate(wide):
        colour = WIDE if is_wide else NARROW
        points = transform_points(pose.T_table_gripper, solid.centre[i] + corners * solid.size[i])
        flat = (points - middle) @ axis[:2].T
        axes.fill(*flat[ConvexHull(flat).vertices].T, facecolor=colour, edgecolor=colour, alpha=0.45, lw=1.2, zorder=3)
    seen = (pose.contacts - middle) @ axis[:2].T
    axes.plot(*seen.T, "X", color=CONTACT, mec="white", ms=7, mew=0.7, ls="", zorder=4)


def shaded(mesh: Mesh, axis: NDArray, middle: NDArray, extent: tuple[float, ...]) -> NDArray[np.float64]:
    """Return how bright a mesh is (h, w), 0 to 1, seen by parallel rays; NaN beside it. What is nearer is brighter.

    Parameters
    ----------
    axis : (3, 3) float
        Rows: unit vectors to the right, up and towards the eye, table frame.
    middle : (3,) float, metres
        Where right and up are 0.
    extent
        Left, right, bottom and top in metres.
    """
    from trimesh import Trimesh  # slow to import
    from trimesh.ray.ray_pyembree import RayMeshIntersector

    left, right, bottom, top = extent
    step = max(right - left, top - bottom) / RAYS
    u, v = np.arange(left + step / 2, right, step), np.arange(top - step / 2, bottom, -step)
    surface = Trimesh(mesh.vertices, mesh.faces, process=False)
    depth = surface.vertices @ axis[2]
    grid = np.stack([*np.meshgrid(u, v)], -1).reshape(-1, 2)
    away = depth.max() + step - middle @ axis[2]
    start = middle + grid @ axis[:2] + away * axis[2]
    hit = RayMeshIntersector(surface).intersects_first(start, np.broadcast_to(-axis[2], start.shape))
    normal = surface.face_normals[hit] @ axis.T
    facing = np.abs(normal @ LIGHT) / np.linalg.norm(LIGHT)
    nearness = (depth[surface.faces].mean(1)[hit] - depth.min()) / np.ptp(depth)
    shade = np.where(hit >= 0, 0.15 + 0.45 * facing + 0.2 * nearness, np.nan)
    return shade.reshape(len(v), len(u))
