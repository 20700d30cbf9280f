"""Room: whether the open gripper comes to a grasp, and its fingers close, without meeting points of the cloud."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grasp.gripper import Gripper
from grasp.solids import boxes, closing_sign
from grasp.strict import at_least, positive


@dataclass(frozen=True)
class Room:
    """How collisions with what was seen are told.

    Parameters
    ----------
    slack : metres
        Depth up to which a point may lie in a part of the gripper: the noise of the cloud.
    cell : metres
        Side of the cells of which one point each is looked at, less than a finger is wide.
    """

    slack: float
    cell: float

    def __post_init__(self) -> None:
        at_least("room.slack", self.slack, 0, "m")
        positive("room.cell", self.cell, "m")

    def blocked(
        self, points: NDArray, T_table_gripper: NDArray, opening: NDArray, needed: NDArray, gripper: Gripper
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which grasps meet points on their way in, and which do while their fingers close.

        The gripper comes along its approach axis from far away. While it closes, points may lie as deep before the final
        face of a pad as fingers comply. What was not seen stops no finger.

        Parameters
        ----------
        points : (p, 3) float, metres, table frame
        T_table_gripper : (n, 4, 4) float
        opening, needed : (n,) metres
            Between the pad faces as the gripper arrives, and as it has closed.

        Returns
        -------
        arriving, closing : (n,) bool
        """
        found = boxes(gripper, opening)
        half = np.broadcast_to(found.size / 2, found.centre.shape)
        low, high = found.centre - half, found.centre + half  # (n, m, 3)
        swept = _swept(gripper, low, high, opening, needed)
        low[..., 2] = -np.inf
        inset = np.array([0, self.slack, self.slack])
        thin = one_per_cell(points, self.cell)
        ways = ((low + self.slack, high - self.slack), (swept[0] + inset, swept[1] - inset))
        return tuple(_any_within(thin, T_table_gripper, *way) for way in ways)  # type: ignore[return-value]


def _swept(gripper: Gripper, low: NDArray, high: NDArray, opening: NDArray, needed: NDArray) -> tuple[NDArray, NDArray]:
    """Return corners (n, k, 3) of what the fingers sweep, short of where they comply; empty where they do all the way."""
    sign, k = closing_sign(gripper), len(gripper.pads)
    low, high = low[:, :k].copy(), high[:, :k].copy()
    start, end = -sign * opening[:, None] / 2, -sign * (needed[:, None] / 2 + gripper.tolerance)
    low[..., 0], high[..., 0] = np.where(sign > 0, start, end), np.where(sign > 0, end, start)
    return low, high


def one_per_cell(points: NDArray[np.float64], cell: float) -> NDArray[np.float64]:
    """Return the first of the points (n, 3) in every cell of a grid of that side in metres."""
    if len(points) == 0:
        return points
    places = np.floor((points - points.min(0)) / cell).astype(np.int64)
    _, first = np.unique(np.ravel_multi_index(tuple(places.T), tuple(places.max(0) + 1)), return_index=True)
    return points[np.sort(first)]


@njit(cache=True)
def _any_within(points, poses, low, high):
    """Return for each pose (n,) whether any point (p, 3) lies within any of its boxes, corners (n, m, 3) in its frame."""
    found = np.zeros(len(poses), np.bool_)
    for g in range(len(poses)):
        for p in range(len(points)):
            if _within(points[p], poses[g], low[g], high[g]):
                found[g] = True
                break
    return found


@njit(cache=True)
def _within(point, pose, low, high):
    x, y, z = point[0] - pose[0, 3], point[1] - pose[1, 3], point[2] - pose[2, 3]
    u = pose[0, 0] * x + pose[1, 0] * y + pose[2, 0] * z
    v = pose[0, 1] * x + pose[1, 1] * y + pose[2, 1] * z
    w = pose[0, 2] * x + pose[1, 2] * y + pose[2, 2] * z
    for b in range(len(low)):
        across = low[b, 0] < u < high[b, 0] and low[b, 1] < v < high[b, 1]
        if across and low[b, 2] < w < high[b, 2]:
            return True
    return False
