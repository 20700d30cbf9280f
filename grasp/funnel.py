"""Funnel: how many candidates were sampled, how many each reason rejected, how many were kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from grasp.reasons import Reason
from wrench.errors import InvalidValue


@dataclass(frozen=True)
class Funnel:
    """Counts that add up: ``sampled = kept + sum(rejected)``. Funnels are added with ``+``; ``Funnel()`` is the zero.

    Parameters
    ----------
    sampled
        Number of candidates that entered.
    rejected
        Number of candidates per reason; each counts once, for the first reason that met it. Zeros are left out.
    kept
        Number of candidates accepted.

    Raises
    ------
    InvalidValue
        A negative count, OK among the rejected, or counts that do not add up.
    """

    sampled: int = 0
    rejected: Mapping[Reason, int] = field(default_factory=dict)
    kept: int = 0

    def __post_init__(self) -> None:
        rejected = {Reason(reason): int(n) for reason, n in self.rejected.items() if n != 0}
        object.__setattr__(self, "rejected", dict(sorted(rejected.items(), key=lambda item: item[0].code)))
        if Reason.OK in rejected:
            raise InvalidValue("funnel.rejected", "'ok'", "without it: accepted candidates count as kept")
        if min(self.sampled, self.kept, *rejected.values(), 0) < 0:
            raise InvalidValue("funnel", (self.sampled, rejected, self.kept), "counts of at least 0")
        lost = sum(rejected.values())
        if self.sampled != self.kept + lost:
            raise InvalidValue("funnel.sampled", self.sampled, f"kept + rejected = {self.kept} + {lost}")

    @classmethod
    def of(cls, codes: ArrayLike) -> Funnel:
        """Count an array of reason codes (n,), one per candidate."""
        values, counts = np.unique(np.asarray(codes), return_counts=True)
        rejected = {Reason.from_code(int(code)): int(n) for code, n in zip(values, counts, strict=True)}
        kept = rejected.pop(Reason.OK, 0)
        return cls(kept + sum(rejected.values()), rejected, kept)

    def __add__(self, other: Funnel) -> Funnel:
        """Return the counts of both."""
        reasons = self.rejected.keys() | other.rejected.keys()
        rejected = {reason: self.rejected.get(reason, 0) + other.rejected.get(reason, 0) for reason in reasons}
        return Funnel(self.sampled + other.sampled, rejected, self.kept + other.kept)

    @property
    def chief(self) -> Reason:
        """The reason that rejected most candidates (the lowest code of equals), or NO_CANDIDATES when none did."""
        return max(self.rejected, key=self.rejected.__getitem__, default=Reason.NO_CANDIDATES)
