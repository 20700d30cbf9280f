"""Among: judged poses are held against what stands around the object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from baselines.footprint_judge import Judged
from grasp.clearance import Clearance, check
from grasp.cleared import Cleared
from grasp.gripper import Gripper
from grasp.surroundings import Surroundings


def among(group: Judged, gripper: Gripper, rules: Clearance, surroundings: Surroundings | None) -> Judged:
    """Return judged poses with those rejected that lack room; the same ones where no surroundings are known."""
    if surroundings is None:
        return group
    rows = np.flatnonzero(group.reason == 0)
    opening = np.clip(group.lines.opening[rows], gripper.min_opening, gripper.max_opening)  # of rounding
    closed = np.clip(group.lines.width[rows], gripper.min_opening, opening)
    cleared = check(rules, gripper, group.T_table_gripper[rows], opening, closed, surroundings)
    reason = np.array(group.reason)
    reason[rows] = cleared.reason
    return replace(group, reason=reason, cleared=cleared)


def nearest_to_clear(groups: Sequence[Judged]) -> tuple[Cleared, int] | None:
    """Return where of all poses held against the surroundings the one stands that misses its clearance by least."""
    looked_at = [group.cleared for group in groups if group.cleared is not None and len(group.cleared.reason)]
    found = [(cleared, cleared.nearest) for cleared in looked_at]
    return min(found, key=lambda one: one[0].shortfall[one[1]], default=None)
