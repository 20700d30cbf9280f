"""Candidates: grippers placed on closing lines, each accepted so far or rejected with a reason."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from get2d.samplers import SAMPLERS
from grasp.funnel import Funnel
from grasp.reasons import Reason
from wrench.checks import frozen


@dataclass(frozen=True, eq=False)
class Candidates:
    """A batch of planar grasps before they are judged.

    Parameters
    ----------
    centre : (n, 2) float, metres, table frame
        Gripper origin, midway between the pad faces, as the gripper arrives; where it does not fit, the sampled point.
    angle : (n,) float, radians
        Heading of the closing axis, period 360 degrees.
    opening : (n,) float, metres
        Between the pad faces as the gripper arrives; 0 where it does not fit.
    needed : (n,) float, metres
        Opening at the nominal contacts, the least with which the gripper fits; inf where a jaw meets nothing.
    sampler : (n,) int
        Index into `get2d.samplers.SAMPLERS`.
    walk : (n,) int
        Neighbours that share a number are neighbours on the outline.
    reason : (n,) uint8
        Code of a `grasp.Reason`; OK while nothing rejects the candidate.
    """

    centre: NDArray[np.float64]
    angle: NDArray[np.float64]
    opening: NDArray[np.float64]
    needed: NDArray[np.float64]
    sampler: NDArray[np.int64]
    walk: NDArray[np.int64]
    reason: NDArray[np.uint8]

    def __post_init__(self) -> None:
        kinds = {"sampler": np.int64, "walk": np.int64, "reason": np.uint8}
        for field in ("centre", "angle", "opening", "needed", *kinds):
            object.__setattr__(self, field, frozen(getattr(self, field), kinds.get(field, np.float64)))

    @property
    def accepted(self) -> NDArray[np.bool_]:
        """Which candidates nothing has rejected, (n,)."""
        return self.reason == Reason.OK.code

    def reject(self, where: NDArray[np.bool_], reason: Reason) -> Candidates:
        """Return the same candidates with those still accepted `where` rejected for a reason."""
        return replace(self, reason=np.where(self.accepted & where, reason.code, self.reason))

    def with_reasons(self, rows: NDArray[np.intp], codes: NDArray[np.uint8]) -> Candidates:
        """Return the same candidates with the codes (m,) of reasons at `rows` (m,)."""
        reason = np.array(self.reason)
        reason[rows] = codes
        return replace(self, reason=reason)

    def funnels(self) -> dict[str, Funnel]:
        """Return what became of the candidates, per sampler that drew any."""
        return {
            name: Funnel.of(self.reason[self.sampler == code])
            for code, name in enumerate(SAMPLERS)
            if (self.sampler == code).any()
        }

    def __len__(self) -> int:
        return len(self.reason)

    def __getitem__(self, index: Any) -> Candidates:
        """Index every field alike."""
        fields = ("centre", "angle", "opening", "needed", "sampler", "walk", "reason")
        return Candidates(*(getattr(self, field)[index] for field in fields))
