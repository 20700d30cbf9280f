"""Where fingers first touch: discs swept to a polygon, rays cast to a mesh, and which closings make a grasp.

Just enough to make inputs for a timing; planners have their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grasp.circles import circles
from grasp.gripper import Gripper

Touch = tuple[NDArray, NDArray, NDArray]  # travel (m,) metres, points and normals (m, d) of fingers on their way


def sweep_disc(ring: NDArray, centre: NDArray, direction: NDArray, radius: float) -> Touch:
    """Return where discs (m,) that start outside of a polygon first touch it; infinite travel where they pass it by."""
    edge = np.roll(ring, -1, 0) - ring
    along = edge / np.linalg.norm(edge, axis=1)[:, None]
    outward = np.stack([along[:, 1], -along[:, 0]], -1)
    away = centre[:, None] - ring  # (m, v, 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        on_edge = (radius - (away * outward).sum(-1)) / (direction @ outward.T)
        foot = (away * along).sum(-1) + on_edge * (direction @ along.T)
    facing = (direction @ outward.T < 0) & (foot >= 0) & (foot <= np.linalg.norm(edge, axis=1))
    ahead = -(away * direction[:, None]).sum(-1)
    aside = away[..., 0] * direction[:, None, 1] - away[..., 1] * direction[:, None, 0]
    on_vertex = ahead - np.sqrt(np.maximum(radius**2 - aside**2, 0))
    touching = np.concatenate([facing, np.abs(aside) < radius], 1)
    travels = np.where(touching, np.concatenate([on_edge, on_vertex], 1), np.inf)  # (m, 2 v)
    first, rows = travels.argmin(1), np.arange(len(centre))
    travel = travels[rows, first]
    there = centre + np.where(np.isfinite(travel), travel, 0)[:, None] * direction
    corner = first % len(ring)
    normal = np.where((first < len(ring))[:, None], -outward[corner], (ring[corner] - there) / radius)
    return travel, there + radius * normal, normal


def cast_ray(solid: Any, start: NDArray, direction: NDArray) -> Touch:
    """Return where rays (m,) first meet a mesh; infinite travel where they pass it by."""
    face = solid.ray.intersects_first(start, direction)
    normal = solid.face_normals[face]
    with np.errstate(divide="ignore", invalid="ignore"):
        travel = ((solid.triangles[face, 0] - start) * normal).sum(-1) / (direction * normal).sum(-1)
    travel = np.where(face >= 0, travel, np.inf)
    return travel, start + np.where(np.isfinite(travel), travel, 0)[:, None] * direction, -normal


def close(
    touch: Callable[[NDArray, NDArray], Touch],
    at: NDArray,
    axis: NDArray,
    across: NDArray,
    gripper: Gripper,
    start: float,
    radius: float,
) -> list[NDArray]:
    """Return points and normals of those closings (n,) in which all fingers touch, the wide ones together.

    The gripper closes along `axis` through `at`; both jaws begin `start` metres away, farther than it may open.
    """
    pads = circles(gripper)
    heading = np.where(pads.wide[:, None], axis[:, None], -axis[:, None])  # (n, k, d)
    begin = at[:, None] - start * heading + pads.offset[:, None] * across[:, None]
    travel, points, normals = touch(*(array.reshape(-1, at.shape[1]) for array in (begin, heading)))
    travel = travel.reshape(len(at), -1)
    wide, narrow = travel[:, pads.wide], travel[:, ~pads.wide]
    with np.errstate(invalid="ignore"):  # two that pass by differ by inf - inf
        together = np.ptp(wide, axis=1) <= gripper.tolerance
    opening = 2 * (start - radius) - wide.min(1) - narrow.min(1)
    good = np.isfinite(travel).all(1) & together & (opening <= gripper.max_opening)
    return [array.reshape(begin.shape)[good] for array in (points, normals)]
