"""Errors of the mechanics: each says which value was wrong and what would have been right."""

from __future__ import annotations

from typing import Any


class GraspError(ValueError):
    """Root of every error this project raises on purpose."""


class InvalidValue(GraspError):
    """A value that cannot mean what its field is for.

    Parameters
    ----------
    field
        Name of the argument or field, with its index where only one entry is wrong (``normals[3, 1]``).
    value
        What was given.
    expected
        What would have been right, as the end of a sentence that begins "must be".
    """

    def __init__(self, field: str, value: Any, expected: str):
        super().__init__(f"{field} = {value} must be {expected}")
        self.field, self.value, self.expected = field, value, expected

    def __reduce__(self) -> tuple:  # so that a worker process can hand it back
        return type(self), (self.field, self.value, self.expected)


class ConventionMismatch(GraspError):
    """Two results whose numbers live on different scales were about to be mixed."""

    def __init__(self, what: str, first: Any, second: Any):
        super().__init__(
            f"results under different {what} cannot be compared, joined or averaged: {first} and {second}; "
            f"recompute one of them under the other's {what}"
        )
        self.what, self.first, self.second = what, first, second

    def __reduce__(self) -> tuple:
        return type(self), (self.what, self.first, self.second)
