"""Balance: turn the gripper about its approach axis until the outer pads of the wide jaw touch at the same time.

The paper descends the gradient of the imbalance with an adaptive rate (section VI). Here the derivative of a pad's travel
is known from the contact: a pad that touches a face of normal n at a lateral distance y from the axis, after a travel of x,
gains y - x n_y / n_x per radian. So each step is Newton's, kept short, and halved while it makes things worse.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from get3d.close import UNDISPLACED
from get3d.pads import Pads
from get3d.touch import Touch

LONGEST = 0.1  # radians, about 6 degrees: the longest step, so that a steep face cannot throw the gripper around
SHORTEST = 1e-4  # radians: a step that moves a pad by a few micrometres and still makes things worse leads nowhere


@dataclass(frozen=True, eq=False)
class Balanced:
    """Poses after balancing.

    Parameters
    ----------
    T_table_gripper : (n, 4, 4) float
        The best found.
    imbalance : (n,) float, metres
        Absolute difference in travel of the wide jaw's outer pads; inf where one of them meets nothing or overlaps.
    iterations : (n,) int
        Touches of the wide jaw it took.
    """

    T_table_gripper: NDArray[np.float64]
    imbalance: NDArray[np.float64]
    iterations: NDArray[np.int64]


def balance(
    touch: Touch,
    pads: Pads,
    T_table_gripper: NDArray[np.float64],
    opening: NDArray[np.float64],
    *,
    tolerance: float,
    iterations: int,
) -> Balanced:
    """Turn poses about the approach axis through the middle of the wide jaw.

    Parameters
    ----------
    touch
        How first touches are found.
    pads
        A wide jaw of a single pad is balanced as it is; of several, the outermost two are.
    T_table_gripper : (n, 4, 4) float
    opening : (n,) metres
        Between the pad faces before they close.
    tolerance : metres
        Imbalance at which to stop.
    iterations
        Most touches of the wide jaw per pose.
    """
    T, n, wide = np.asarray(T_table_gripper), len(opening), np.flatnonzero(pads.wide)
    if len(wide) < 2:
        return Balanced(T, np.zeros(n), np.zeros(n, np.int64))
    outer, pivot = pads[wide[[0, -1]]], -np.asarray(opening) / 2
    best, angle, used = np.full(n, np.inf), np.zeros(n), np.zeros(n, np.int64)  # `angle` is that of `best`
    rows, step = np.arange(n), np.zeros(n)
    for _ in range(iterations):
        gap, rate = imbalance(touch, outer, turned(T[rows], angle[rows] + step[rows], pivot[rows]), opening[rows])
        used[rows] += 1
        better = np.abs(gap) < best[rows]
        angle[rows] += np.where(better, step[rows], 0.0)
        best[rows] = np.where(better, np.abs(gap), best[rows])
        newton = np.clip(-gap / np.where(rate == 0, np.nan, rate), -LONGEST, LONGEST)
        step[rows] = np.where(better, newton, step[rows] / 2)
        rows = rows[(best[rows] >= tolerance) & np.isfinite(best[rows]) & (np.abs(step[rows]) >= SHORTEST)]
        if not len(rows):
            break
    return Balanced(turned(T, angle, pivot), best, used)


def turned(T_table_gripper: NDArray, angle: NDArray, pivot: NDArray) -> NDArray[np.float64]:
    """Return poses (n, 4, 4) turned by angles (n,) about their own z axis through x = pivot (n,)."""
    c, s, T = np.cos(angle)[:, None], np.sin(angle)[:, None], np.array(T_table_gripper)
    x, y = T_table_gripper[:, :3, 0], T_table_gripper[:, :3, 1]
    T[:, :3, 0], T[:, :3, 1] = c * x + s * y, c * y - s * x
    T[:, :3, 3] += pivot[:, None] * (x - T[:, :3, 0])
    return T


def imbalance(touch: Touch, outer: Pads, T: NDArray, opening: NDArray) -> tuple[NDArray, NDArray]:
    """Return how much further the first of two pads travels than the second (n,), and its derivative per radian.

    Metres, and metres per radian of turning about the middle of the wide jaw; the first is inf where a pad meets nothing or
    overlaps the object.
    """
    met = touch(outer, T, opening, UNDISPLACED)
    depth = met.depth[:, 0]
    along, across = (np.einsum("nki,ni->nk", met.normal[:, 0], T[:, :3, axis]) for axis in (0, 1))
    y = np.einsum("nki,ni->nk", met.point[:, 0] - T[:, None, :3, 3], T[:, :3, 1])
    good = np.isfinite(depth).all(1)
    with np.errstate(invalid="ignore", divide="ignore"):
        gap, rate = depth[:, 0] - depth[:, 1], y - depth * across / along
    return np.where(good, gap, np.inf), np.where(good, rate[:, 0] - rate[:, 1], 0.0)
