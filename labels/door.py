"""The door: the candidates of any planner on one view, as labels. Contacts in the plane are lifted to the fingertips."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from get2d.evaluate import Evaluated as Planar
from get2d.samplers import SAMPLERS
from get3d.evaluate import Evaluated as Spatial
from grasp.errors import PerceptionError
from grasp.frames import pose_top_down
from grasp.plan import Plan, Refusal
from grasp.provenance import Seed
from grasp.reasons import Reason
from grasp.view import View
from labels.recipe import Case, Scorer
from labels.record import Labels, untried
from labels.trials import Bench
from objects.solid import Solid
from wrench.contacts import Contacts


@dataclass(frozen=True, eq=False)
class Answer:
    """What a planner said to one view.

    Parameters
    ----------
    labels
        Its candidates; None where it refused the view.
    refusal
        Reason and sentence, where it did.
    seed
        Of its random numbers.
    trials
        Counts of the candidates that were tried, as `labels.trials.Bench.outcomes` returns them; None without trials.
    """

    labels: Labels | None
    refusal: Refusal | PerceptionError | None
    seed: Seed
    trials: Mapping[str, Any] | None = None


def ask(
    case: Case, view: View, solid: Solid, judge: Scorer, names: Mapping[str, str], rngs: tuple[np.random.Generator, ...]
) -> Answer:
    """Return all candidates of a planner on a view.

    Parameters
    ----------
    case
        The planner.
    view
        What it may see.
    solid
        The true object in the table frame, for the judge alone.
    judge
        Of planners that have no metrics of their own.
    names
        ``object``, ``pose``, ``view`` and ``planner``.
    rngs
        Fresh generators for planner and judge.
    """
    planner: Any = case.planner
    seed, names = Seed.of(rngs[0]), {**names, "gripper": planner.gripper.name}
    if not hasattr(planner, "candidates"):
        result = planner.plan(view, rngs[0])
        if isinstance(result, Refusal):
            return Answer(None, result, seed)
        return Answer(_judged(result, planner, judge, solid, names, rngs[1]), None, seed)
    try:
        found = planner.candidates(view, rngs[0])
    except PerceptionError as error:
        return Answer(None, error, seed)
    given = planner.judge.conventions(found.origin, found.torque_scale, planner.perturbation)
    own = {
        "convention": given.convention.name,
        "friction": given.friction,
        "torque_scale_m": float(given.torque_scale.metres),
        "sigma_m": float(planner.perturbation.sigma),
    }
    labels = _planar(found, {**names, **own}) if isinstance(found, Planar) else _spatial(found, {**names, **own})
    return Answer(labels, None, seed)


def tried(answer: Answer, case: Case, bench: Bench, rng: np.random.Generator, noise: Callable[[int], Seed]) -> Answer:
    """Return the answer of a planner with the outcomes of trials, as `labels.trials.Bench.outcomes` has them."""
    if answer.labels is None:
        return answer
    planner: Any = case.planner
    labels, counts = bench.outcomes(answer.labels, planner.gripper, rng, noise)
    return replace(answer, labels=labels, trials=counts)


def _planar(found: Planar, constants: Mapping[str, Any]) -> Labels:
    candidates, z = found.candidates, found.fingertip_height
    tried = candidates.opening > 0  # those without an opening were rejected before they were closed
    return _labels(
        {**constants, "dimension": 2, "origin_m": [*found.origin.point, z]},
        sampler=np.array(SAMPLERS)[candidates.sampler],
        T_table_gripper=pose_top_down(candidates.centre, candidates.angle, z),
        opening_m=candidates.opening,
        opening_needed_m=_finite(candidates.needed),
        contacts=_lifted(found.contacts, z),
        reason_code=candidates.reason,
        draws=np.where(tried, found.robustness.samples, 0),
        closed=found.robustness.closed,
        mean_contacts=np.where(tried, found.robustness.mean_contacts, np.nan),
        mean_epsilon=np.where(tried, found.robustness.mean_epsilon, np.nan),
        epsilon_lower=np.where(tried, found.nominal.epsilon, np.nan),
        epsilon_upper=np.where(tried, found.nominal.epsilon_upper, np.nan),
    )


def _spatial(found: Spatial, constants: Mapping[str, Any]) -> Labels:
    candidates = found.candidates
    return _labels(
        {**constants, "dimension": 3, "origin_m": found.origin.point, "sampler": "face"},
        T_table_gripper=candidates.T_table_gripper,
        opening_m=candidates.opening,
        opening_needed_m=_finite(candidates.needed),
        contacts=candidates.contacts,
        reason_code=candidates.reason,
        draws=found.draws,
        closed=found.closed,
        mean_contacts=np.where(found.draws > 0, found.mean_contacts, np.nan),
        mean_epsilon=found.mean_epsilon,
        epsilon_lower=found.epsilon,
        epsilon_upper=found.epsilon_upper,
    )


def _judged(
    plan: Plan, planner: Any, judge: Scorer, solid: Solid, names: Mapping[str, Any], rng: np.random.Generator
) -> Labels:
    """Return the grasps of a plan as the judge sees them; the rule of the planner has looked for no contact."""
    seed, n = Seed.of(rng), len(plan.grasps)
    scores = [judge.score(grasp, planner.gripper, solid, seed.rng()) for grasp in plan.grasps]
    same = {key: scores[0][f"judge_{key}"] for key in ("convention", "friction", "torque_scale_m", "sigma_m")}
    numbers = {key: np.array([score[f"judge_{key}"] for score in scores]) for key in ("draws", "closed")}
    means = {key: np.array([score[f"judge_{key}"] for score in scores]) for key in ("mean_contacts", "mean_epsilon")}
    k = len(planner.gripper.pads)
    return _labels(
        {**names, **same, "dimension": 3, "origin_m": solid.center_mass},
        sampler=np.array([grasp.sampler for grasp in plan.grasps]),
        T_table_gripper=np.array([grasp.T_table_gripper for grasp in plan.grasps]),
        opening_m=np.array([grasp.opening for grasp in plan.grasps]),
        opening_needed_m=np.full(n, np.nan),
        contacts=Contacts(np.zeros((n, k, 3)), np.zeros((n, k, 3)), np.zeros((n, k), bool)),
        reason_code=np.array([Reason(score["judge_reason"]).code for score in scores]),
        epsilon_lower=np.array([score["judge_epsilon"] for score in scores]),
        epsilon_upper=np.array([score["judge_epsilon_upper"] for score in scores]),
        **numbers,
        **means,
    )


def _labels(constants: Mapping[str, Any], **columns: Any) -> Labels:
    """Return labels with some columns the same in every row, and without any trial in the physics engine."""
    n = len(columns["reason_code"])
    repeated = {name: np.broadcast_to(value, (n, *np.shape(value))) for name, value in constants.items()}
    return Labels(candidate=np.arange(n), **repeated, **untried(n), **columns)


def _lifted(contacts: Contacts, z: float) -> Contacts:
    """Return planar contacts (n,) as contacts in space at one height."""
    up = np.zeros((*contacts.made.shape, 1))
    return Contacts(np.concatenate([contacts.points, up + z], -1), np.concatenate([contacts.normals, up], -1), contacts.made)


def _finite(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(np.isfinite(values), values, np.nan)
