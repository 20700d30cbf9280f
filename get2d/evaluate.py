"""Evaluation: every candidate closed under every draw, judged, and averaged; all of them, kept and rejected."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from get2d.candidates import Candidates
from get2d.close import MISSES, OVERLAPS, PASSES, close
from get2d.edges import Edges
from get2d.footprint import Footprint
from get2d.height import Approach
from grasp.circles import circles
from grasp.cleared import Cleared
from grasp.gripper import Gripper
from grasp.judge import Judge
from grasp.reasons import Reason
from wrench.contacts import Contacts
from wrench.quality import Quality
from wrench.reference import Origin, TorqueScale
from wrench.robust import Draws, Robustness, order

WHY = {OVERLAPS: Reason.OVERLAPS, MISSES: Reason.ONE_SIDED, PASSES: Reason.TOO_NARROW}


@dataclass(frozen=True, eq=False)
class Evaluated:
    """All candidates (n,) on one object with their metrics; those rejected before they were closed have no contacts.

    Parameters
    ----------
    footprint
        What they were judged on.
    candidates
        With their final reasons.
    contacts : (n,) of k contacts
        Without displacement, table frame.
    covered : (n,) float, metres
        By how much the surface stands above the fingertips at the lowest contact; inf where that is not known.
    nominal : (n,) Quality
        Without displacement.
    robustness : (n,) Robustness
        Over the draws.
    origin, torque_scale
        Of the object, under the judge's rules.
    fingertip_height
        Metres above the table.
    cleared
        What became of those placed that were held against the surroundings; None where none were known.
    """

    footprint: Footprint
    candidates: Candidates
    contacts: Contacts
    covered: NDArray[np.float64]
    nominal: Quality
    robustness: Robustness
    origin: Origin
    torque_scale: TorqueScale
    fingertip_height: float
    cleared: Cleared | None = None

    def ranking(self) -> NDArray[np.intp]:
        """Return the indices of the accepted candidates, best first (`wrench.order`)."""
        kept = np.flatnonzero(self.candidates.accepted)
        walk = self.candidates.walk[kept]
        gap = kept - np.arange(len(kept))  # grows where a rejected candidate lies between: no plateau across it
        runs = np.cumsum((np.diff(walk, prepend=-1) != 0) | (np.diff(gap, prepend=0) != 0))
        return kept[order(self.robustness[kept], runs)]

    def __len__(self) -> int:
        return len(self.candidates)


def evaluate(
    footprint: Footprint, candidates: Candidates, gripper: Gripper, judge: Judge, draws: Draws, approach: Approach
) -> Evaluated:
    """Close, judge and average candidates on a footprint.

    A draw that starts inside the object or leaves a jaw without contact is not closed and makes no contact (paper, section
    V). Candidates whose fingers pass above a contact, or that no draw closes, are rejected here.
    """
    origin, scale = judge.reference(footprint.polygon)
    closing = close(
        Edges.of(footprint.polygon),
        circles(gripper),
        candidates.centre,
        candidates.angle,
        candidates.opening,
        min_opening=gripper.min_opening,
        tolerance=gripper.tolerance,
        translation=_after_none(draws.translation),
        rotation=_after_none(draws.rotation),
        skip=~candidates.accepted,
    )
    about = Origin(origin.point + _after_none(draws.origin), origin.rule)
    quality = judge.quality(closing.contacts, about, scale, _after_none(draws.frictions(judge.friction), judge.friction))
    contacts, robustness = closing.contacts[:, 0], Robustness.of(quality[:, 1:])
    covered = approach.covered(contacts, footprint.heights)
    for outcome, reason in WHY.items():
        candidates = candidates.reject(closing.outcome[:, 0] == outcome, reason)
    candidates = candidates.reject(covered < approach.overlap, Reason.MISSES_HEIGHT)
    candidates = candidates.reject(robustness.closed == 0, Reason.NO_CLOSURE)
    tip = approach.fingertip_height(footprint.heights)
    return Evaluated(footprint, candidates, contacts, covered, quality[:, 0], robustness, origin, scale, tip)


def _after_none(draws: NDArray, none: float = 0.0) -> NDArray[np.float64]:
    """Return the draws (s, ...) behind one more draw that displaces nothing: the nominal grasp."""
    return np.concatenate([np.full((1, *draws.shape[1:]), none), draws])
