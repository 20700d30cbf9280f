"""Parts: the gripper's pads, fingers and bodies as intervals of height and of distance from an upright axis.

Two approaches, both with a level closing axis that meets the axis of revolution. From the top the gripper's z points down
and y lies level; from the side y points down, z is the level approach, and the pads of a jaw stand one above the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grasp.gripper import Gripper
from grasp.solids import boxes, pad_corners

TOP_DOWN, LEVEL = "top_down", "level"
APPROACHES = (TOP_DOWN, LEVEL)  #: in order of preference
DOWN, ACROSS = {TOP_DOWN: 2, LEVEL: 1}, {TOP_DOWN: 1, LEVEL: 2}  # axes of the gripper: downward, and level besides closing


@dataclass(frozen=True, eq=False)
class Parts:
    """Boxes in the gripper frame.

    Parameters
    ----------
    low, high : (*b, m, 3) float, metres
        Corners.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def heights(self, approach: str, at: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the lowest and highest points (n, m) in metres above the table with the gripper's origin at `at` (n,)."""
        down = DOWN[approach]
        return at[:, None] - self.high[..., down], at[:, None] - self.low[..., down]

    def lateral(self, approach: str, past: NDArray[np.float64] | float = 0.0) -> NDArray[np.float64]:
        """Return where each comes nearest to the closing axis, level and square to it: metres, 0 where it spans it.

        Parameters
        ----------
        past : (n, 1) float, metres
            By which the fingertips reach past the axis of revolution, from the side. A body swept on its way in is nearest
            where it stops.
        """
        across = ACROSS[approach]
        if approach == TOP_DOWN:
            return np.clip(0.0, self.low[..., across], self.high[..., across])
        return np.minimum(self.high[..., across] + past, 0.0)


def pads(gripper: Gripper) -> Parts:
    """Return the faces (k, 3) of the pads, as wide as at the fingertip."""
    corners = pad_corners(gripper, 0.0)  # (k, 4, 3)
    tips = corners[:, :2]
    low, high = tips.min(1), tips.max(1)
    low[:, 2] = corners[:, 2:, 2].min(1)
    return Parts(low, high)


def fingers(gripper: Gripper, opening: ArrayLike) -> Parts:
    """Return the fingers (*b, k, 3) at an opening (*b) in metres."""
    return _boxes(gripper, opening, slice(len(gripper.pads)))


def bodies(gripper: Gripper, opening: ArrayLike) -> Parts:
    """Return what is not a finger (*b, m, 3) at an opening (*b) in metres."""
    return _boxes(gripper, opening, slice(len(gripper.pads), None))


def _boxes(gripper: Gripper, opening: ArrayLike, which: slice) -> Parts:
    found = boxes(gripper, opening)
    centre, half = found.centre[..., which, :], found.size[which] / 2
    return Parts(centre - half, centre + half)
