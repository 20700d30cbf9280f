"""Scene: object and gripper along parallel lines of sight, one ray per pixel, so that what is hidden is hidden exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from get3d.shut import Triangles
from wrench.checks import frozen

MATERIAL, GRIPPER, INK = (np.array(c) / 255 for c in ((198, 211, 224), (31, 111, 180), (38, 54, 70)))
GLASS = 0.42  # share of the gripper's colour where the object is behind it
LIGHT = np.array([-0.35, 0.45, 0.82])  # right, up, towards the viewer; about unit length
SHADOW = 0.55  # brightness of what is turned away from the light
CREASE = np.cos(np.radians(25))  # of the angle between faces from which on their edge is drawn
STEP = 8  # pixels of depth from one pixel to the next from which on an edge is drawn
BEHIND = 10.0  # metres behind what is drawn from which rays come back to the viewer's side


@dataclass(frozen=True, eq=False)
class Eye:
    """A direction to look from.

    Parameters
    ----------
    axes : (3, 3) float
        Rows: right, up, and towards the viewer, unit vectors in the table frame.
    low, high : (2,) float, metres
        Corners of the picture along right and up.
    """

    axes: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def __post_init__(self) -> None:
        for field in ("axes", "low", "high"):
            object.__setattr__(self, field, frozen(getattr(self, field)))

    @classmethod
    def from_direction(cls, towards: ArrayLike, points: NDArray[np.float64], aspect: float, below: float) -> Eye:
        """Return the eye that sees points (n, 3) from a direction, upright, in a picture of width / height `aspect`.

        A share `below` of the height is left free at the foot. From straight above, the table's y points up.
        """
        towards = np.asarray(towards, float) / np.linalg.norm(towards)
        right = np.cross([0, 0, 1.0], towards) if abs(towards[2]) < 1 else np.array([1.0, 0, 0])
        right /= np.linalg.norm(right)
        axes = np.stack([right, np.cross(towards, right), towards])
        flat = points @ axes[:2].T
        low, high = flat.min(0), flat.max(0)
        low = low - [0, below * (high - low)[1]]
        middle, height = (low + high) / 2, 1.06 * max((high - low)[1], (high - low)[0] / aspect)
        half = np.array([aspect, 1.0]) * height / 2
        return cls(axes, middle - half, middle + half)

    def flat(self, points: ArrayLike) -> NDArray[np.float64]:
        """Return where points (..., 3), metres, table frame, appear: right and up (..., 2), metres."""
        return np.asarray(points, float) @ self.axes[:2].T


def image(eye: Eye, shape: tuple[int, int], thing: Triangles, gripper: Triangles | None) -> NDArray[np.float64]:
    """Return the picture (h, w, 4), RGBA from 0 to 1, rows from the top; transparent where there is nothing.

    Parameters
    ----------
    eye
        Where from.
    shape
        Height and width in pixels.
    thing
        The object.
    gripper
        Drawn as tinted glass.
    """
    colour, depth = _layer(eye, shape, thing, MATERIAL)
    if gripper is None:
        return colour
    glass, nearer = _layer(eye, shape, gripper, GRIPPER)
    over = (glass[..., 3] * (nearer > depth))[..., None]
    share = np.where(colour[..., 3:] > 0, GLASS, 1 - GLASS) * over
    alpha = np.maximum(colour[..., 3:], share)
    tint = np.where(colour[..., 3:] > 0, share, over)
    return np.concatenate([colour[..., :3] * (1 - tint) + glass[..., :3] * tint, alpha], -1)


def _layer(eye: Eye, shape: tuple[int, int], body: Triangles, material: NDArray) -> tuple[NDArray, NDArray]:
    """Return RGBA (h, w, 4) of one body alone, and its depth (h, w) towards the viewer; -inf where it is not."""
    normal, depth = _first(eye, shape, body)
    bright = SHADOW + (1 - SHADOW) * np.clip(normal @ LIGHT, 0, 1)
    edges = _edges(normal, depth, (eye.high - eye.low)[1] / shape[0])
    colour = np.where(edges[..., None], INK, bright[..., None] * material)
    return np.concatenate([colour, np.isfinite(depth)[..., None]], -1), depth


def _first(eye: Eye, shape: tuple[int, int], body: Triangles) -> tuple[NDArray, NDArray]:
    """Return of what each ray meets first the unit normal (h, w, 3) in the eye's axes, and the depth (h, w)."""
    import trimesh
    from trimesh.ray.ray_pyembree import RayMeshIntersector

    surface = trimesh.Trimesh(np.array(body[0]) @ eye.axes.T, np.array(body[1]), process=False)
    share = [(np.arange(n) + 0.5) / n for n in shape[::-1]]
    right, up = np.meshgrid(*(low + s * (high - low) for low, high, s in zip(eye.low, eye.high, share, strict=True)))
    up = up[::-1]
    start = np.stack([right, up, np.full(shape, BEHIND)], -1).reshape(-1, 3)
    hit = RayMeshIntersector(surface).intersects_first(start, np.broadcast_to([0, 0, -1.0], start.shape))
    seen = hit >= 0
    normal, depth = np.zeros((len(hit), 3)), np.full(len(hit), -np.inf)
    normal[seen] = n = surface.face_normals[hit[seen]]
    corner = surface.triangles[hit[seen]]
    away = np.einsum("ij,ij->i", n[:, :2], start[seen, :2] - corner[:, 0, :2])
    level = corner[:, 0, 2] - away / np.where(np.abs(n[:, 2]) > 1e-9, n[:, 2], np.inf)  # on the plane of the triangle
    depth[seen] = np.clip(level, corner[..., 2].min(1), corner[..., 2].max(1))  # one seen edge-on says nothing
    return normal.reshape(*shape, 3), depth.reshape(shape)


def _edges(normal: NDArray, depth: NDArray, pixel: float) -> NDArray[np.bool_]:
    """Return the pixels (h, w) at outlines, steps and creases."""
    edge, finite = np.zeros(depth.shape, bool), np.nan_to_num(depth, neginf=-BEHIND)
    for axis in (0, 1):
        one, two = ([slice(None)] * 2 for _ in range(2))
        one[axis], two[axis] = slice(1, None), slice(None, -1)
        a, b = tuple(one), tuple(two)
        step = np.abs(finite[a] - finite[b]) > STEP * pixel
        crease = (np.einsum("...i,...i", normal[a], normal[b]) < CREASE) & (depth[a] > -np.inf) & (depth[b] > -np.inf)
        edge[a] |= (step & (finite[a] > finite[b])) | crease
        edge[b] |= step & (finite[b] > finite[a])
    return edge
