"""Errors of the shared vocabulary: the family of `wrench.errors` and the few children needed here."""

from __future__ import annotations

from collections.abc import Iterable

from grasp.reasons import Reason
from wrench.errors import ConventionMismatch, GraspError, InvalidValue

__all__ = ["ConventionMismatch", "GraspError", "InvalidValue", "PerceptionError", "UnknownPreset"]


class PerceptionError(GraspError):
    """A mask, depth image, cloud or outline that is well formed but shows nothing to plan on.

    Planners turn it into a `Refusal` with the same reason and detail.

    Parameters
    ----------
    reason
        Which of the perception reasons.
    detail
        One sentence with the numbers of this case.
    """

    def __init__(self, reason: Reason, detail: str):
        super().__init__(reason, detail)  # what a worker process needs to hand the error on
        self.reason, self.detail = reason, detail

    def __str__(self) -> str:
        return f"{self.reason.sentence} {self.detail}"


class UnknownPreset(GraspError):
    """A preset was asked for by a name that has no file."""

    def __init__(self, group: str, name: str, known: Iterable[str]):
        self.group, self.name, self.known = group, name, tuple(known)
        super().__init__(group, name, self.known)

    def __str__(self) -> str:
        return f"{self.group} preset {self.name!r} does not exist; known are {', '.join(map(repr, self.known))}"
