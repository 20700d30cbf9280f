"""Putting results together: only those that stand under the same conventions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wrench.checks import frozen
from wrench.errors import ConventionMismatch, InvalidValue
from wrench.quality import Quality
from wrench.reference import Origin, ScaleRule, TorqueScale


def require_comparable(first: Quality, second: Quality) -> None:
    """Raise `ConventionMismatch`, naming both, unless two results live on the same scale.

    They must agree in convention, in the rule of the origin and in the rule of the torque scale; where the torque scale
    was given in metres, in the metres too. Under a rule that measures the object the metres belong to each object.
    """
    if first.convention != second.convention:
        raise ConventionMismatch("convention", first.convention.name, second.convention.name)
    if first.origin.rule != second.origin.rule:
        raise ConventionMismatch("origin rule", first.origin.rule.value, second.origin.rule.value)
    one, two = first.torque_scale, second.torque_scale
    if one.rule != two.rule:
        raise ConventionMismatch("torque scale", f"rule {one.rule.value}", f"rule {two.rule.value}")
    metres = np.unique(np.concatenate([one.metres.ravel(), two.metres.ravel()]))
    if one.rule is ScaleRule.GIVEN and len(metres) > 1:
        raise ConventionMismatch("torque scale", f"{metres[0]:g} m", f"{metres[-1]:g} m")


def concatenate(results: Sequence[Quality]) -> Quality:
    """Join results along their first batch axis.

    Raises
    ------
    InvalidValue
        There is none.
    ConventionMismatch
        Two of them live on different scales.
    """
    if not results:
        raise InvalidValue("results", "[]", "at least one Quality")
    first = results[0]
    for other in results[1:]:
        require_comparable(first, other)

    def joined(field: str) -> NDArray:
        return frozen(np.concatenate([getattr(q, field) for q in results]), getattr(first, field).dtype)

    return Quality(
        joined("closure"),
        joined("epsilon"),
        joined("epsilon_upper"),
        joined("contacts"),
        joined("friction"),
        TorqueScale(np.concatenate([q.torque_scale.metres for q in results]), first.torque_scale.rule),
        Origin(np.concatenate([q.origin.point for q in results]), first.origin.rule),
        first.convention,
    )


def exceeds(first: Quality, second: Quality) -> NDArray[np.bool_]:
    """Tell where epsilon of `first` is certainly greater: its lower bound lies above the other's upper bound.

    Raises
    ------
    ConventionMismatch
        The two live on different scales.
    """
    require_comparable(first, second)
    return first.epsilon > second.epsilon_upper
