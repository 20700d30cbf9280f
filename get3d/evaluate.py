"""Evaluation: closure first, under one draw after another, and epsilon only for the grasps whose place it decides.

A candidate is dropped as soon as it can no longer come among the best `keep` (paper, section VI): when its closures so far
plus all draws still to come are fewer than the closures so far of the `keep`-th best. Nobody dropped could have been kept,
so the first `keep` of the ranking are those of the full evaluation. Epsilon is computed for those that tie with the
`keep`-th in closure rate and contacts, and for those before it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from get3d.candidates import Candidates
from get3d.close import close
from get3d.pads import Pads
from get3d.touch import Touch
from grasp.gripper import Gripper
from grasp.judge import Judge
from grasp.reasons import Reason
from wrench.closure import force_closure
from wrench.contacts import Contacts
from wrench.reference import Origin, TorqueScale
from wrench.robust import Draws, Robustness, order


@dataclass(frozen=True, eq=False)
class Evaluated:
    """All candidates (n,) on one object with their metrics; NaN marks an epsilon that was not asked for.

    Parameters
    ----------
    candidates
        With their final reasons.
    draws : (n,) int
        Draws each was closed under: all of them, fewer for those dropped early, 0 for those rejected before.
    closed : (n,) int
        Of these, the ones in force closure.
    mean_contacts : (n,) float
        Over the draws made; 0 without any.
    mean_epsilon : (n,) float
        Over the draws; those without closure count 0.
    epsilon, epsilon_upper : (n,) float
        Bracket without displacement.
    origin, torque_scale
        Of the object, under the judge's rules.
    """

    candidates: Candidates
    draws: NDArray[np.int64]
    closed: NDArray[np.int64]
    mean_contacts: NDArray[np.float64]
    mean_epsilon: NDArray[np.float64]
    epsilon: NDArray[np.float64]
    epsilon_upper: NDArray[np.float64]
    origin: Origin
    torque_scale: TorqueScale

    def ranking(self) -> NDArray[np.intp]:
        """Return the indices of the accepted candidates, best first.

        Closure rate, mean contacts, mean epsilon, as in the plane; random poses have no neighbours, hence no plateaus.
        """
        kept = np.flatnonzero(self.candidates.accepted)
        averages = Robustness(
            self.closed[kept], 1, self.mean_contacts[kept], np.nan_to_num(self.mean_epsilon[kept], nan=-1.0)
        )
        return kept[order(averages, np.arange(len(kept)))]

    def __len__(self) -> int:
        return len(self.candidates)


def evaluate(
    candidates: Candidates,
    touch: Touch,
    gripper: Gripper,
    judge: Judge,
    draws: Draws,
    reference: tuple[Origin, TorqueScale],
    *,
    keep: int | None,
) -> Evaluated:
    """Judge candidates.

    Parameters
    ----------
    candidates
        As proposed, with their contacts without displacement.
    touch
        How first touches are found on the object.
    draws
        The same for all candidates; translations only.
    reference
        Origin and torque scale.
    keep
        Number of grasps wanted, which allows early stopping and spares epsilon; None for every number of every candidate.
    """
    nominal = candidates.contacts
    candidates = candidates.reject(~force_closure(nominal, friction=judge.friction), Reason.NO_CLOSURE)
    contacts, candidates, made, closed = _closures(candidates, touch, gripper, judge, draws, keep)
    counted = np.where(np.arange(len(draws)) < made[:, None], contacts.count, 0).sum(1)
    worth = _first(candidates.accepted, closed, counted, keep) if keep else made > 0
    mean, low, high = (np.full(len(candidates), np.nan) for _ in range(3))
    still = judge.quality(nominal[worth], *reference)
    origin, scale = reference
    about = Origin(origin.point + draws.origin, origin.rule)
    displaced = judge.quality(contacts[worth], about, scale, draws.frictions(judge.friction))
    mean[worth], low[worth], high[worth] = displaced.mean_epsilon(), still.epsilon, still.epsilon_upper
    return Evaluated(candidates, made, closed, counted / np.maximum(made, 1), mean, low, high, origin, scale)


def _first(
    accepted: NDArray[np.bool_], closed: NDArray[np.int64], counted: NDArray[np.int64], keep: int
) -> NDArray[np.bool_]:
    """Return which candidates (n,) only epsilon can keep from being among the first `keep`, or let be."""
    rows = np.flatnonzero(accepted)
    if len(rows) <= keep:
        return accepted
    last = rows[np.lexsort((-counted[rows], -closed[rows]))[keep - 1]]
    return accepted & ((closed > closed[last]) | ((closed == closed[last]) & (counted >= counted[last])))


def _closures(
    candidates: Candidates, touch: Touch, gripper: Gripper, judge: Judge, draws: Draws, keep: int | None
) -> tuple[Contacts, Candidates, NDArray[np.int64], NDArray[np.int64]]:
    """Return contacts (n, s), candidates with those dropped, and the number of draws made and closed (n,)."""
    n, s, k = len(candidates), len(draws), len(gripper.pads)
    points, normals, made_contact = np.zeros((n, s, k, 3)), np.zeros((n, s, k, 3)), np.zeros((n, s, k), bool)
    made, closed = np.zeros(n, np.int64), np.zeros(n, np.int64)
    frictions, pads = draws.frictions(judge.friction), Pads.of(gripper)
    rule = {"min_opening": gripper.min_opening, "tolerance": gripper.tolerance}
    for draw in range(s):
        rows = np.flatnonzero(candidates.accepted)
        T, opening = candidates.T_table_gripper[rows], candidates.opening[rows]
        shut = close(touch, pads, T, opening, translation=draws.translation[draw : draw + 1], **rule).contacts[:, 0]
        points[rows, draw], normals[rows, draw], made_contact[rows, draw] = shut.points, shut.normals, shut.made
        made[rows] += 1
        closed[rows] += force_closure(shut, friction=frictions[draw])
        if keep and candidates.accepted.sum() > keep:
            bar = np.sort(closed[candidates.accepted])[-keep]
            candidates = candidates.reject(closed + (s - 1 - draw) < bar, Reason.BELOW_BAR)
    candidates = candidates.reject(closed == 0, Reason.NO_CLOSURE)
    return Contacts(points, normals, made_contact), candidates, made, closed
