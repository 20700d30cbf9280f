"""Balance: turn the gripper about its approach axis until the outer pads of the wide jaw touch at the same time.

The paper descends the gradient of the imbalance with an adaptive rate (section VI). Here the derivative of a pad's travel
is known from the contact: a pad at lateral distance r_y from the axis that touches a face of normal n after r_x of travel
gains r_y - r_x n_y / n_x per radian. So each step is Newton's, kept short, and halved while it makes things worse.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from get3d.bvh import Bvh
from get3d.pad_sweep import DEPTH, FACE, OVERLAPS, Y, sweep, sweep_room
from get3d.pads import Pads

LONGEST = 0.1  # radians, about 6 degrees: the longest step, so that a steep face cannot throw the gripper around


@dataclass(frozen=True, eq=False)
class Balanced:
    """Poses after balancing.

    Parameters
    ----------
    T_table_gripper : (n, 4, 4) float
        The best found.
    imbalance : (n,) float, metres
        Absolute difference in travel of the wide jaw's outer pads; inf where one of them meets nothing.
    iterations : (n,) int
        Sweeps of the wide jaw it took.
    """

    T_table_gripper: NDArray[np.float64]
    imbalance: NDArray[np.float64]
    iterations: NDArray[np.int64]


def balance(
    bvh: Bvh,
    pads: Pads,
    T_table_gripper: NDArray[np.float64],
    opening: NDArray[np.float64],
    *,
    tolerance: float,
    iterations: int,
    patch: float,
    skip: NDArray[np.bool_],
) -> Balanced:
    """Turn poses about the approach axis through the middle of the wide jaw.

    Parameters
    ----------
    bvh
        Of the mesh, table frame.
    pads
        A wide jaw of a single pad is balanced as it is; of several, the outermost two are.
    T_table_gripper : (n, 4, 4) float
    opening : (n,) metres
        Between the pad faces before they close.
    tolerance : metres
        Imbalance at which to stop.
    iterations
        Most sweeps of the wide jaw per pose.
    patch : metres
        Depth of a contact patch.
    skip : (n,) bool
        Poses to leave as they are.
    """
    poses, n = np.array(T_table_gripper), len(opening)
    imbalance, used = np.zeros(n), np.zeros(n, np.int64)
    wide = np.flatnonzero(pads.wide)
    if len(wide) > 1:
        outer = wide[[0, -1]]
        _balance(
            *bvh.arrays, pads.outline[outer], pads.bounds[outer], poses, opening, tolerance, iterations, patch, skip,
            imbalance, used,
        )  # fmt: skip
    return Balanced(poses, imbalance, used)


@njit(cache=True)
def _balance(
    triangles, low, high, first, second, outline, bounds, poses, opening, tolerance, most, patch, skip, imbalance, used
):
    tree, room = (triangles, low, high, first, second), sweep_room()
    contact, found = np.empty((2, 7)), np.empty((2, 2), np.int64)
    for g in range(opening.shape[0]):
        if skip[g]:
            continue
        angle, step, best, best_angle = 0.0, 0.0, math.inf, 0.0
        start, pose = poses[g].copy(), poses[g].copy()
        for _ in range(most):
            _turn(start, angle, -0.5 * opening[g], pose)
            used[g] += 1
            for i in range(2):
                sweep(*tree, pose, outline[i], bounds[i], -0.5 * opening[g], 1.0, patch, room, contact[i], found[i])
            lost = found[0, FACE] < 0 or found[1, FACE] < 0 or found[0, OVERLAPS] + found[1, OVERLAPS] > 0
            gap = math.inf if lost else contact[0, DEPTH] - contact[1, DEPTH]
            if abs(gap) < best:
                best, best_angle = abs(gap), angle
                if best < tolerance:
                    break
                rate = _rate(triangles, pose, contact[0], found[0]) - _rate(triangles, pose, contact[1], found[1])
                if abs(rate) < 1e-9:
                    break
                step = max(-LONGEST, min(LONGEST, -gap / rate))
            else:
                if best == math.inf:
                    break
                step *= 0.5
            angle = best_angle + step
        imbalance[g] = best
        _turn(start, best_angle, -0.5 * opening[g], poses[g])


@njit(cache=True)
def _turn(pose, angle, pivot, turned):
    """Write the pose turned by an angle about its own z axis through x = pivot."""
    c, s = math.cos(angle), math.sin(angle)
    for axis in range(3):
        x, y = pose[axis, 0], pose[axis, 1]
        turned[axis, 0], turned[axis, 1] = c * x + s * y, c * y - s * x
        turned[axis, 2] = pose[axis, 2]
        turned[axis, 3] = pose[axis, 3] + pivot * (x - turned[axis, 0])


@njit(cache=True)
def _rate(triangles, pose, contact, found):
    """Return how a pad's travel changes per radian of turning about the middle of the wide jaw, metres."""
    triangle = triangles[found[FACE]]
    normal = np.cross(triangle[1] - triangle[0], triangle[2] - triangle[0])
    along = across = 0.0
    for axis in range(3):
        along += pose[axis, 0] * normal[axis]
        across += pose[axis, 1] * normal[axis]
    return contact[Y] - contact[DEPTH] * across / along
