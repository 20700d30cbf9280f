"""Judge: one setting of friction and conventions, by which every planner has its grasps judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from grasp import presets
from grasp.plan import Metrics
from grasp.provenance import Conventions
from grasp.strict import at_least, build, positive
from wrench.contacts import Contacts
from wrench.convention import Convention
from wrench.errors import InvalidValue
from wrench.quality import Quality, quality
from wrench.reference import Origin, OriginRule, ScaleRule, TorqueScale, origin_of, torque_scale_of
from wrench.robust import Perturbation, Robustness


@dataclass(frozen=True)
class Judge:
    """What an epsilon means for a planner. The numbers stand in ``conf/quality``.

    Parameters
    ----------
    friction
        Coulomb coefficient.
    convention
        Name of a preset of `wrench.Convention`, or a Convention.
    cone
        Friction cone in space: ``"exact"``, a number of edges, ``"circumscribed:8"``.
    gap
        Relative width of the epsilon bracket asked for in space.
    origin
        Rule of the origin, ``"centroid"`` or ``"filled"``.
    torque_scale
        Rule of the torque scale, ``"object_length"`` or ``"max_radius"``, or metres.
    confidence
        Of the closure rate's Wilson interval.
    """

    friction: float
    convention: Convention | str
    cone: str | int
    gap: float
    origin: str
    torque_scale: str | float
    confidence: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "friction", at_least("judge.friction", self.friction, 0, ""))
        object.__setattr__(self, "gap", positive("judge.gap", self.gap, ""))
        Convention.of(self.convention, self.cone)
        if self.origin not in (OriginRule.CENTROID.value, OriginRule.FILLED.value):
            raise InvalidValue("judge.origin", repr(self.origin), '"centroid" or "filled"')
        if isinstance(self.torque_scale, str):
            if self.torque_scale not in (ScaleRule.OBJECT_LENGTH.value, ScaleRule.MAX_RADIUS.value):
                raise InvalidValue("judge.torque_scale", repr(self.torque_scale), '"object_length", "max_radius" or metres')
        else:
            positive("judge.torque_scale", self.torque_scale, "m")
        if not 0 < self.confidence < 1:
            raise InvalidValue("judge.confidence", self.confidence, "between 0 and 1")

    @classmethod
    def preset(cls, name: str) -> Judge:
        """Return the judge described by ``conf/quality/<name>.yaml``."""
        return build(cls, presets.read("quality", name), "judge")

    def reference(self, shape: Any) -> tuple[Origin, TorqueScale]:
        """Return origin and torque scale of a polygon or a mesh under this judge's rules."""
        origin = origin_of(shape, self.origin)
        if isinstance(self.torque_scale, str):
            return origin, torque_scale_of(shape, self.torque_scale, origin)
        return origin, TorqueScale(np.asarray(float(self.torque_scale)))

    def quality(
        self, contacts: Contacts, origin: Origin, torque_scale: TorqueScale, friction: ArrayLike | None = None
    ) -> Quality:
        """Return the quality of contacts (*b,), under another friction (*b) where one is given."""
        return quality(
            contacts,
            friction=self.friction if friction is None else friction,
            origin=origin,
            torque_scale=torque_scale,
            convention=self.convention,
            cone=self.cone,
            gap=self.gap,
        )

    def conventions(self, origin: Origin, torque_scale: TorqueScale, perturbation: Perturbation) -> Conventions:
        """Return what the metrics of a plan depend on."""
        draws = {
            "sigma_m": perturbation.sigma,
            "samples": perturbation.samples,
            "rotation_rad": perturbation.rotation,
            "friction": perturbation.friction,
            "origin_m": perturbation.origin,
        }
        return Conventions(self.friction, torque_scale, origin, Convention.of(self.convention, self.cone), draws)

    def metrics(self, nominal: Quality, robustness: Robustness) -> list[Metrics]:
        """Return the metrics of grasps (n,) from their unperturbed quality and their averages."""
        low, high = robustness.interval(self.confidence)
        columns = (
            *(robustness.closure_rate, low, high, robustness.mean_contacts, robustness.mean_epsilon),
            *(nominal.epsilon, nominal.epsilon_upper),
        )
        return [Metrics(*(float(value) for value in row)) for row in zip(*columns, strict=True)]
