"""Among: a place on a body of revolution is tried at four headings, as to the object one is as good as another."""

from __future__ import annotations

import numpy as np

from baselines.profile_answer import Answer
from baselines.profile_grasp import grasp
from baselines.profile_read import Seen
from grasp.attempts import QUARTERS
from grasp.clearance import Clearance, check
from grasp.cleared import Cleared
from grasp.funnel import Funnel
from grasp.gripper import Gripper
from grasp.plan import Grasp
from grasp.reasons import Reason
from grasp.surroundings import Surroundings


def with_room(
    found: Answer, seen: Seen, heading: float, gripper: Gripper, rules: Clearance, surroundings: Surroundings | None
) -> Grasp | Cleared:
    """Return the grasp of a rule at the first heading with room, or what is missing at all of them.

    Parameters
    ----------
    found
        Of a rule that holds; the place it chose is tried, no other.
    heading : radians
        Of the closing axis, tried first; the only one where no surroundings are known.
    """
    turns = QUARTERS[:1] if surroundings is None else QUARTERS
    name, i = found.rule.name, found.chosen
    tried = [grasp(found.held, i, gripper, seen.axis, heading + turn, name) for turn in turns]
    if surroundings is None:
        return tried[0]
    closed = np.clip(found.held.closed[i], gripper.min_opening, tried[0].opening)
    poses = np.array([one.T_table_gripper for one in tried])
    cleared = check(rules, gripper, poses, tried[0].opening, closed, surroundings)
    return tried[cleared.nearest] if cleared.clear.any() else cleared


def without_room(funnel: Funnel, cleared: Cleared) -> Funnel:
    """Return the funnel of a rule whose chosen place lacks room: those it stands for go with it."""
    reason = Reason.from_code(int(cleared.reason[cleared.nearest]))
    rejected = {**funnel.rejected, reason: funnel.rejected.get(reason, 0) + funnel.kept}
    return Funnel(funnel.sampled, rejected, 0)
