"""Plan and Refusal: the two answers a planner can give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from grasp.frames import require_pose
from grasp.funnel import Funnel
from grasp.load import GripForce
from grasp.provenance import Conventions, Provenance
from grasp.reasons import Reason
from grasp.strict import at_least, number, plain
from wrench.contacts import Contacts
from wrench.errors import InvalidValue


@dataclass(frozen=True)
class Metrics:
    """How good a grasp is. All are dimensionless; None means it was not computed.

    Parameters
    ----------
    closure_rate, closure_rate_lower, closure_rate_upper
        Fraction of perturbed draws in force closure, with its Wilson interval.
    mean_contacts
        Contacts made, averaged over the draws.
    mean_epsilon
        Epsilon averaged over the draws, 0 for those not closed.
    epsilon, epsilon_upper
        Epsilon of the unperturbed grasp: certified bracket.
    """

    closure_rate: float | None = None
    closure_rate_lower: float | None = None
    closure_rate_upper: float | None = None
    mean_contacts: float | None = None
    mean_epsilon: float | None = None
    epsilon: float | None = None
    epsilon_upper: float | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None:
                object.__setattr__(self, field.name, number(f"metrics.{field.name}", value))
        _require_order("closure_rate", 0.0, self.closure_rate_lower, self.closure_rate, self.closure_rate_upper, 1.0)
        _require_order("epsilon", self.epsilon, self.epsilon_upper)


@dataclass(frozen=True, eq=False)
class Grasp:
    """One grasp.

    Parameters
    ----------
    T_table_gripper : (4, 4) float
        Pose of the gripper in the table frame, translation in metres.
    opening
        Metres between the pad faces at which the gripper arrives.
    contacts
        Contacts of the unperturbed grasp, (k, d), metres, table frame, in contact order.
    sampler
        Which sampler proposed it.
    metrics
        How good it is.
    force
        How hard to press; None where no load was given.
    """

    T_table_gripper: NDArray[np.float64]
    opening: float
    contacts: Contacts
    sampler: str
    metrics: Metrics
    force: GripForce | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "T_table_gripper", require_pose("T_table_gripper", self.T_table_gripper))
        object.__setattr__(self, "opening", at_least("opening", self.opening, 0, "m"))
        if self.T_table_gripper.shape != (4, 4) or self.contacts.batch != ():
            batches = (self.T_table_gripper.shape[:-2], self.contacts.batch)
            raise InvalidValue("batches of pose and contacts", batches, "(), (): a grasp is a single one")


@dataclass(frozen=True, eq=False)
class Plan:
    """Grasps, best first. The list is the budget for trying again.

    Parameters
    ----------
    grasps
        At least one.
    funnels
        What became of the candidates, per sampler.
    conventions
        What the metrics depend on; None where none were computed.
    provenance
        How to make the plan again.
    """

    grasps: tuple[Grasp, ...]
    funnels: Mapping[str, Funnel]
    conventions: Conventions | None
    provenance: Provenance

    def __post_init__(self) -> None:
        object.__setattr__(self, "grasps", tuple(self.grasps))
        object.__setattr__(self, "funnels", dict(self.funnels))
        if not self.grasps:
            raise InvalidValue("plan.grasps", "()", "at least one grasp; without one, return a Refusal")
        if self.funnel.kept < len(self.grasps):
            raise InvalidValue("plan.grasps", f"{len(self.grasps)} grasps", f"among the {self.funnel.kept} kept")

    @property
    def best(self) -> Grasp:
        """The first grasp."""
        return self.grasps[0]

    @property
    def funnel(self) -> Funnel:
        """The funnels of all samplers together."""
        return sum(self.funnels.values(), Funnel())


@dataclass(frozen=True)
class Refusal:
    """No grasp, and why.

    Parameters
    ----------
    reason
        The one to tell the user; where candidates were judged, the `chief` of the funnel.
    detail
        One sentence with the numbers of this case.
    funnels
        What became of the candidates, per sampler; empty when none were sampled.
    nearest_miss
        Per reason, how close the best of its candidates came, unit in the key: ``{TOO_WIDE: {"opening_m": 0.108}}``.
    provenance
        How to make the refusal again.
    """

    reason: Reason
    detail: str
    funnels: Mapping[str, Funnel]
    nearest_miss: Mapping[Reason, Mapping[str, float]]
    provenance: Provenance

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", Reason(self.reason))
        if self.reason is Reason.OK:
            raise InvalidValue("refusal.reason", "'ok'", "a reason to refuse")
        misses = {Reason(reason): plain(f"nearest_miss.{reason}", miss) for reason, miss in self.nearest_miss.items()}
        object.__setattr__(self, "nearest_miss", misses)
        object.__setattr__(self, "funnels", dict(self.funnels))

    @property
    def funnel(self) -> Funnel:
        """The funnels of all samplers together."""
        return sum(self.funnels.values(), Funnel())

    @property
    def sentence(self) -> str:
        """What a user should read: the reason and the numbers."""
        return f"{self.reason.sentence} {self.detail}".strip()


def _require_order(field: str, *values: float | None) -> None:
    known = [value for value in values if value is not None]
    if known != sorted(known):
        raise InvalidValue(f"metrics.{field}", known, "in order: lower bound, value, upper bound")
