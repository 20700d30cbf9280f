"""Attempts: other ways into the same place, tried before anything is moved out of the way.

A gripper is much wider along its closing axis than across it, so a quarter turn about the approach often finds the room that
the pose as it is does not have. For a planner that may choose the closing axis; one that may not tries the tilts alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grasp.clearance import Clearance, check
from grasp.cleared import Cleared
from grasp.frames import require_pose
from grasp.gripper import Gripper
from grasp.surroundings import Surroundings

QUARTERS = np.arange(4) * np.pi / 2


def attempts(T_table_gripper: ArrayLike, tilts: ArrayLike, turns: ArrayLike = QUARTERS) -> NDArray[np.float64]:
    """Return a pose and its variants in the order of trying.

    Parameters
    ----------
    T_table_gripper : (*b, 4, 4) float
    tilts : (t,) float, radians
        About the closing axis through the fingertips, after the approach as it is.
    turns : (q,) float, radians
        About the approach axis, in order. By quarters: as it is, a quarter turn, half a turn, which is another grasp where
        the jaws differ, and the other quarter.

    Returns
    -------
    (*b, (1 + t) q, 4, 4) float
        All turns as they are, then all turns with the first tilt, and so on.
    """
    T, lean, spin = require_pose("T_table_gripper", T_table_gripper), np.append(0.0, tilts), np.asarray(turns, float)
    variants = _about(lean, 0)[:, None]
    variants = _about(spin, 2) @ variants  # (1 + t, q, 4, 4): tilted about the closing axis as it is after the turn
    return T[..., None, :, :] @ variants.reshape(-1, 4, 4)


def first_clear(
    rules: Clearance,
    gripper: Gripper,
    T_table_gripper: ArrayLike,
    opening: ArrayLike,
    closed_opening: ArrayLike,
    surroundings: Surroundings,
) -> tuple[NDArray[np.float64] | None, Cleared]:
    """Return the first of the attempts at one pose that has the room it needs, or None, and what became of all.

    Parameters
    ----------
    T_table_gripper : (4, 4) float
    opening, closed_opening : metres, or one for each attempt
        As `grasp.clearance.check` takes them.
    """
    tried = attempts(T_table_gripper, rules.tilts)
    cleared = check(rules, gripper, tried, opening, closed_opening, surroundings)
    i = cleared.nearest
    return (tried[i] if cleared.clear[i] else None), cleared


def _about(angle: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """Return rotations (n, 4, 4) by angles (n,) about the gripper's x (0) or z (2)."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    T = np.tile(np.eye(4), (len(angle), 1, 1))
    T[:, i, i] = T[:, j, j] = np.cos(angle)
    T[:, j, i] = np.sin(angle)
    T[:, i, j] = -T[:, j, i]
    return T
