"""Room among the surroundings: candidates are held against them as soon as they are placed, before anything is scored."""

from __future__ import annotations

import numpy as np

from get2d.candidates import Candidates
from grasp.clearance import Clearance, check
from grasp.cleared import Cleared
from grasp.frames import pose_top_down
from grasp.gripper import Gripper
from grasp.surroundings import Surroundings


def clear(
    candidates: Candidates, height: float, gripper: Gripper, rules: Clearance, surroundings: Surroundings
) -> tuple[Candidates, Cleared]:
    """Return candidates with those rejected that lack room, and what became of those that were looked at.

    Parameters
    ----------
    candidates
        As placed; those rejected before are not looked at.
    height
        Of the fingertips above the table in metres.
    rules, surroundings
        How much room is kept, and from what.
    """
    rows = np.flatnonzero(candidates.accepted)
    chosen = candidates[rows]
    poses = pose_top_down(chosen.centre, chosen.angle, height)
    opening = np.clip(chosen.opening, gripper.min_opening, gripper.max_opening)  # of rounding
    cleared = check(rules, gripper, poses, opening, np.minimum(chosen.needed, opening), surroundings)
    return candidates.with_reasons(rows, cleared.reason), cleared
