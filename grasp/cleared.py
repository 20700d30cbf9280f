"""Cleared: what became of poses that were held against their surroundings, in codes, metres and words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grasp.reasons import Reason
from wrench.checks import frozen

MM = 1e3


@dataclass(frozen=True, eq=False)
class Cleared:
    """What became of n poses: for each that is not clear, the one clearance that is missed by most.

    Parameters
    ----------
    reason : (n,) uint8
        Codes of `Reason`: OK, or HITS_TABLE, FORBIDDEN_REGION, APPROACH_BLOCKED and CLOSING_BLOCKED where a part would enter
        an obstacle on the way in and while closing, and NO_CLEARANCE where it would come too close to one.
    shortfall : (n,) float, metres
        By which the clearance is missed; 0 where all are kept.
    margin : (n,) float, metres
        The clearance asked for.
    part, obstacle : (n,) text
        Which part of the gripper, and of what; empty where all are kept.
    closes : (n,) bool
        Whether it happens while the gripper closes, rather than on its way in.
    """

    reason: NDArray[np.uint8]
    shortfall: NDArray[np.float64]
    margin: NDArray[np.float64]
    part: NDArray[np.str_]
    obstacle: NDArray[np.str_]
    closes: NDArray[np.bool_]

    def __post_init__(self) -> None:
        for name, kind in (("reason", np.uint8), ("shortfall", float), ("margin", float), ("closes", np.bool_)):
            object.__setattr__(self, name, frozen(getattr(self, name), kind))

    @property
    def clear(self) -> NDArray[np.bool_]:
        """Whether each pose (n,) has the room it needs."""
        return self.reason == Reason.OK.code

    def sentence(self, i: int) -> str:
        """Return which clearance of pose i is missed and by how many millimetres; empty where none is."""
        if self.clear[i]:
            return ""
        gap, when = self.margin[i] - self.shortfall[i], "while it closes" if self.closes[i] else "on its way in"
        part, other, asked = self.part[i], self.obstacle[i], f"{self.margin[i] * MM:g} mm"
        if gap < 0:
            return f"The {part} would enter the {other} by {-gap * MM:.1f} mm {when}; {asked} of room are asked for."
        return f"The {part} would come {self.shortfall[i] * MM:.1f} mm closer than {asked} to the {other} {when}."

    @property
    def nearest_miss(self) -> Mapping[Reason, Mapping[str, float]]:
        """Per reason, the least shortfall in millimetres, as a `Refusal` holds it."""
        found = {Reason.from_code(int(code)): self.shortfall[self.reason == code] for code in np.unique(self.reason)}
        return {reason: {"shortfall_mm": float(s.min()) * MM} for reason, s in found.items() if reason is not Reason.OK}

    @property
    def nearest(self) -> int:
        """The pose whose shortfall is least: the first of those that are clear, if any."""
        return int(np.lexsort((self.shortfall, ~self.clear))[0])
