"""Closing the gripper in space: the contacts of batches of poses under sets of draws."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from get3d.bvh import Bvh
from get3d.pad_sweep import DEPTH, FACE, OVERLAPS, Y, Z, sweep, sweep_room
from get3d.pads import Pads
from wrench.contacts import Contacts

GRIPS, OVERLAP, MISSES, PASSES, SKIPPED = range(5)  # outcome of one closing


@dataclass(frozen=True, eq=False)
class Closing:
    """What happens when grippers close.

    Parameters
    ----------
    contacts : (*b,) of k contacts, table frame
        None are made unless the outcome is GRIPS.
    outcome : (*b,) int
        GRIPS; OVERLAP: a pad starts inside the object; MISSES: a jaw meets nothing; PASSES: the jaws meet material only
        beyond each other; SKIPPED: not tried.
    travel : (*b, k) float, metres
        That each pad alone could move to its first touch; inf where it meets nothing, NaN where it was not tried.
    """

    contacts: Contacts
    outcome: NDArray[np.uint8]
    travel: NDArray[np.float64]


def close(
    bvh: Bvh,
    pads: Pads,
    T_table_gripper: NDArray[np.float64],
    opening: NDArray[np.float64],
    *,
    min_opening: float,
    tolerance: float,
    patch: float,
    translation: NDArray[np.float64],
    skip: NDArray[np.bool_],
) -> Closing:
    """Close every pose under every draw.

    Each pad moves along the closing axis to its first touch. Of one jaw's pads, those count that touch at most `tolerance`
    later than its first. The contact point is the middle of what touches first, and the contact normal that of the face
    with the largest part in it; at an edge that is one of its faces that face the pad.

    Parameters
    ----------
    bvh
        Of the mesh, table frame.
    pads : k pads
    T_table_gripper : (n, 4, 4) float
    opening : (n,) metres
        Between the pad faces before they close.
    min_opening, tolerance, patch : metres
        Least opening of the gripper; how much later a pad may touch; depth of a contact patch.
    translation : (s, 3) metres, table frame
        By which each draw displaces the gripper.
    skip : (n,) bool
        Poses not to try.

    Returns
    -------
    Closing
        Batch (n, s).
    """
    n, s, k = len(opening), len(translation), len(pads)
    points, normals = np.zeros((n, s, k, 3)), np.zeros((n, s, k, 3))
    made, outcome, travel = np.zeros((n, s, k), bool), np.full((n, s), SKIPPED, np.uint8), np.full((n, s, k), np.nan)
    _close(
        *bvh.arrays, pads.outline, pads.bounds, pads.sign, T_table_gripper, opening, min_opening, tolerance, patch,
        translation, skip, points, normals, made, outcome, travel,
    )  # fmt: skip
    return Closing(Contacts(points, normals, made), outcome, travel)


@njit(cache=True)
def _close(
    triangles, low, high, first, second, outline, bounds, sign, poses, opening, min_opening, tolerance, patch,
    translation, skip, points, normals, made, outcome, travel,
):  # fmt: skip
    tree, room, k = (triangles, low, high, first, second), sweep_room(), sign.shape[0]
    contact, found, pose = np.empty((k, 7)), np.empty((k, 2), np.int64), np.empty((4, 4))
    for g in range(opening.shape[0]):
        if skip[g]:
            continue
        pose[:] = poses[g]
        for s in range(translation.shape[0]):
            for axis in range(3):
                pose[axis, 3] = poses[g, axis, 3] + translation[s, axis]
            overlap = False
            for i in range(k):
                start = -0.5 * sign[i] * opening[g]
                sweep(*tree, pose, outline[i], bounds[i], start, sign[i], patch, room, contact[i], found[i])
                travel[g, s, i] = contact[i, DEPTH]
                overlap |= found[i, OVERLAPS] == 1
            wide, narrow = jaws(contact[:, DEPTH], sign)
            if overlap:
                outcome[g, s] = OVERLAP
            elif max(wide, narrow) == math.inf:
                outcome[g, s] = MISSES
            elif opening[g] - wide - narrow < min_opening:
                outcome[g, s] = PASSES
            else:
                outcome[g, s] = GRIPS
                for i in range(k):
                    if contact[i, DEPTH] - (wide if sign[i] > 0 else narrow) <= tolerance:
                        x = sign[i] * (contact[i, DEPTH] - 0.5 * opening[g])
                        made[g, s, i] = True
                        at = (x, contact[i, Y], contact[i, Z])
                        _write(triangles[found[i, FACE]], pose, at, points[g, s, i], normals[g, s, i])


def jaws_travel(travel: NDArray[np.float64], wide: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the travel (n, 2) of the wide and of the narrow jaw to its first touch, from that of each pad (n, k)."""
    return np.stack([travel[:, wide].min(1), travel[:, ~wide].min(1)], -1)


@njit(cache=True)
def jaws(depth, sign):
    """Return the travel of the wide and of the narrow jaw to their first touch."""
    wide = narrow = math.inf
    for i in range(sign.shape[0]):
        if sign[i] > 0:
            wide = min(wide, depth[i])
        else:
            narrow = min(narrow, depth[i])
    return wide, narrow


@njit(cache=True)
def _write(triangle, pose, at, point, normal):
    """Write a contact in the table frame: its point from gripper coordinates, its normal into the triangle's solid."""
    a, b = triangle[1] - triangle[0], triangle[2] - triangle[0]
    outward = np.cross(a, b)
    length = math.sqrt(outward[0] ** 2 + outward[1] ** 2 + outward[2] ** 2)
    for axis in range(3):
        point[axis] = pose[axis, 3] + pose[axis, 0] * at[0] + pose[axis, 1] * at[1] + pose[axis, 2] * at[2]
        normal[axis] = -outward[axis] / length
