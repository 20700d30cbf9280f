"""Among: the places that a rule keeps are held against what stands around the object, at four headings each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from baselines.profile_answer import Answer, answer
from baselines.profile_around import Around
from baselines.profile_grasp import grasp
from baselines.profile_places import Places
from baselines.profile_rules import Rule
from grasp.attempts import QUARTERS
from grasp.clearance import Clearance, check
from grasp.cleared import Cleared
from grasp.gripper import Gripper
from grasp.plan import Grasp
from grasp.reasons import Reason
from grasp.surroundings import Surroundings


@dataclass(frozen=True, eq=False)
class Barred(Around):
    """Around an object, with places rejected that lack room among its surroundings.

    Parameters
    ----------
    lost
        Per approach, a reason's code (n,) for each height, OK where there is room, and the shortfall (n,) in metres.
    """

    lost: Mapping[str, tuple[NDArray[np.uint8], NDArray[np.float64]]]

    def places(self, approach: str, at: NDArray[np.float64]) -> Places:
        """As `Around.places`, for the heights (n,) that were checked."""
        found = super().places(approach, at)
        if approach not in self.lost:
            return found
        code, short = self.lost[approach]
        lacks = code != Reason.OK.code
        return replace(found, code=np.where(lacks, code, found.code), short=np.where(lacks, short, found.short))


@dataclass(frozen=True, eq=False)
class Among:
    """How places become poses, and what these are held against.

    Parameters
    ----------
    axis : (2,) float, metres, table frame
        Of revolution.
    heading : radians
        Of the closing axis, tried first; the only one where no surroundings are known.
    gripper, clearance
        As the planner has them.
    surroundings
        What stands around the object; None where nothing is known.
    """

    axis: NDArray[np.float64]
    heading: float
    gripper: Gripper
    clearance: Clearance
    surroundings: Surroundings | None

    def answer(self, rule: Rule, around: Around, centre: float) -> tuple[Answer, tuple[Cleared, ...]]:
        """Return what a rule says of the places with room, and what became of those that were checked.

        All places kept with the approach that the rule takes are checked. It then chooses anew, and where that is another
        approach, so are those. The centre of mass is at a height in metres.
        """
        found, lost, checked = answer(rule, around, centre), {}, []
        while self.surroundings is not None and found.places is not None and found.places.approach not in lost:
            places, rows = found.places, np.flatnonzero(found.places.code == Reason.OK.code)
            checked.append(self._check(self._tried(places, rows), places.closed[rows], self.surroundings))
            lost[places.approach] = _of_best_heading(checked[-1], rows, len(places))
            found = answer(rule, Barred(**vars(around), lost=dict(lost)), centre)
        return found, tuple(checked)

    def grasp(self, found: Answer) -> Grasp:
        """Return the grasp at the place that an answer chose, at the first heading with room."""
        rows, name = np.array([found.chosen]), found.rule.name
        if self.surroundings is None:
            return grasp(found.held, found.chosen, self.gripper, self.axis, self.heading, name)
        tried = self._tried(found.held, rows, name)
        return tried[self._check(tried, found.held.closed[rows], self.surroundings).nearest]

    def _tried(self, places: Places, rows: NDArray[np.intp], name: str = "") -> list[Grasp]:
        """Return the grasps at places (n,), four headings each."""
        turns = self.heading + QUARTERS
        return [grasp(places, int(i), self.gripper, self.axis, turn, name) for i in rows for turn in turns]

    def _check(self, tried: list[Grasp], closed: NDArray[np.float64], surroundings: Surroundings) -> Cleared:
        poses, opening = (np.array([getattr(one, name) for one in tried]) for name in ("T_table_gripper", "opening"))
        shut = np.clip(np.repeat(closed, len(QUARTERS)), self.gripper.min_opening, opening)
        return check(self.clearance, self.gripper, poses, opening, shut, surroundings)


def _of_best_heading(cleared: Cleared, rows: NDArray[np.intp], count: int) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """Return, for `count` places, codes and shortfalls of those in rows (n,), each at the heading that lacks least."""
    lacks = np.where(cleared.clear, -1.0, cleared.shortfall).reshape(len(rows), len(QUARTERS))
    best = np.arange(len(rows)) * len(QUARTERS) + lacks.argmin(1)
    code, short = Reason.accepted(count), np.zeros(count)
    code[rows], short[rows] = cleared.reason[best], cleared.shortfall[best]
    return code, short
