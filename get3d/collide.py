"""Collisions of the gripper's boxes with a mesh and the table: as it arrives, on its way in, and while it closes.

The gripper comes straight along its approach axis and closes straight along its closing axis, so everything a box sweeps is
a longer box: no motion is sampled. A box and a triangle are apart exactly when they are apart along one of 13 axes
(Akenine-Moller 2001). All boxes are shrunk by a small `slack`, so that touching is not a collision.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from get3d.bvh import INNER, Bvh
from get3d.clip import FAST, extent, frame_of, local
from grasp.frames import transform_points
from grasp.gripper import Gripper
from grasp.solids import boxes, closing_sign
from wrench.spanning import cross, dot


@dataclass(frozen=True)
class Room:
    """How much room the gripper needs.

    Parameters
    ----------
    stand_off : metres
        Along the approach axis from which the gripper comes in.
    table_clearance : metres
        Least height of any part of it above the table.
    slack : metres
        Depth up to which a box may enter the object or another body before it is a collision.
    """

    stand_off: float
    table_clearance: float
    slack: float


def blocked(bvh: Bvh, T_table_gripper: NDArray, low: NDArray, high: NDArray, slack: float) -> NDArray[np.bool_]:
    """Tell which poses have a box that a triangle of the mesh enters deeper than `slack`.

    Parameters
    ----------
    T_table_gripper : (n, 4, 4) float
    low, high : (n, m, 3) float, metres, gripper frame
        Corners of the boxes.
    slack : metres

    Returns
    -------
    (n,) bool
    """
    hit = np.zeros(len(low), bool)
    _blocked(bvh, np.ascontiguousarray(T_table_gripper), low + slack, high - slack, hit)
    return hit


def arriving(gripper: Gripper, opening: NDArray[np.float64]) -> tuple[NDArray, NDArray]:
    """Return the corners (n, m, 3) of all boxes at an opening (n,), gripper frame."""
    found = boxes(gripper, opening)
    half = np.broadcast_to(found.size / 2, found.centre.shape)
    return found.centre - half, found.centre + half


def approaching(low: NDArray, high: NDArray, stand_off: float) -> tuple[NDArray, NDArray]:
    """Return the boxes swept on the way in, from `stand_off` back along the approach axis."""
    swept = low.copy()
    swept[..., 2] -= stand_off
    return swept, high


def closing(gripper: Gripper, low: NDArray, high: NDArray, travel: NDArray[np.float64]) -> tuple[NDArray, NDArray]:
    """Return the boxes swept by the fingers while each jaw closes by its travel (n, 2: wide, narrow) up to the contact."""
    sign = closing_sign(gripper)
    k = len(sign)
    low, high = low[:, :k].copy(), high[:, :k].copy()
    reach = np.where(sign > 0, travel[:, :1], travel[:, 1:])
    high[..., 0] += np.where(sign > 0, reach, 0.0)
    low[..., 0] -= np.where(sign < 0, reach, 0.0)
    return low, high


def lowest(T_table_gripper: NDArray, low: NDArray, high: NDArray) -> NDArray[np.float64]:
    """Return the height (n,) of the lowest corner of boxes (n, m, 3) above the table, metres."""
    corners = np.stack([np.where(pick, high, low) for pick in np.ndindex(2, 2, 2)], -2)  # (n, m, 8, 3)
    return transform_points(T_table_gripper, corners.reshape(len(low), 8 * low.shape[1], 3))[..., 2].min(-1)


@njit(cache=True)
def _blocked(tree, poses, box_low, box_high, hit):
    stack = np.empty(256, np.int64)
    for g in range(poses.shape[0]):
        for b in range(box_low.shape[1]):
            if not hit[g]:
                hit[g] = _enters(tree, poses[g], box_low[g, b], box_high[g, b], stack)


@njit(**FAST)
def _enters(tree, pose, low, high, stack):
    """Tell whether any triangle enters a box given in the gripper frame."""
    half = (0.5 * (high[0] - low[0]), 0.5 * (high[1] - low[1]), 0.5 * (high[2] - low[2]))
    if min(half[0], half[1], half[2]) <= 0.0:
        return False
    frame = _box_frame(pose, 0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2]))
    waiting, stack[0] = 1, 0
    while waiting:
        waiting -= 1
        node = stack[waiting]
        for side in range(2):
            if _apart(tree.box, node, side, frame, half):
                continue
            first, count = tree.child[node, side], tree.count[node, side]
            if count == INNER:
                stack[waiting] = first
                waiting += 1
            for t in range(first, first + count):
                if _touches(tree.triangles, t, frame, half):
                    return True
    return False


@njit(forceinline=True, **FAST)
def _box_frame(pose, x, y, z):
    """Return the map from the table frame to the gripper's axes from the point (x, y, z) of the gripper frame."""
    a, b, c, d, e, f, g, h, i, j, k, m = frame_of(pose, (0.0, 0.0, 0.0), 0.0, 1.0)
    return a, b, c, d - x, e, f, g, h - y, i, j, k, m - z


@njit(forceinline=True, **FAST)
def _apart(box, node, side, frame, half):
    """Tell whether a child's box is apart from a gripper box along one of the gripper's axes."""
    x, y, z = local(frame, box[node, side, 0, 0], box[node, side, 0, 1], box[node, side, 0, 2])
    u, v, w = extent(frame, box[node, side, 1, 0], box[node, side, 1, 1], box[node, side, 1, 2])
    return (abs(x) > half[0] + u) | (abs(y) > half[1] + v) | (abs(z) > half[2] + w)


@njit(**FAST)
def _touches(triangles, t, frame, half):
    """Tell whether a triangle overlaps a gripper box."""
    a = local(frame, triangles[t, 0, 0], triangles[t, 0, 1], triangles[t, 0, 2])
    b = local(frame, triangles[t, 1, 0], triangles[t, 1, 1], triangles[t, 1, 2])
    c = local(frame, triangles[t, 2, 0], triangles[t, 2, 1], triangles[t, 2, 2])
    return _overlap(a, b, c, half)


@njit(**FAST)
def _overlap(a, b, c, half):
    """Tell whether a triangle overlaps a box about the origin: no axis of the 13 separates them."""
    for k in range(3):
        if min(a[k], b[k], c[k]) > half[k] or max(a[k], b[k], c[k]) < -half[k]:
            return False
    u, v = (b[0] - a[0], b[1] - a[1], b[2] - a[2]), (c[0] - b[0], c[1] - b[1], c[2] - b[2])
    normal = cross(u, v)
    if _separates(normal, a, b, c, half):
        return False
    w = (a[0] - c[0], a[1] - c[1], a[2] - c[2])
    for edge in (u, v, w):
        for axis in ((0.0, -edge[2], edge[1]), (edge[2], 0.0, -edge[0]), (-edge[1], edge[0], 0.0)):
            if _separates(axis, a, b, c, half):
                return False
    return True


@njit(forceinline=True, **FAST)
def _separates(axis, a, b, c, half):
    """Tell whether the triangle and the box lie apart along an axis."""
    p, q, r = dot(axis, a), dot(axis, b), dot(axis, c)
    reach = half[0] * abs(axis[0]) + half[1] * abs(axis[1]) + half[2] * abs(axis[2])
    return min(p, q, r) > reach or max(p, q, r) < -reach
