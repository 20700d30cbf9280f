"""Strict reading: mappings with exactly the keys wanted, numbers that are numbers, values that JSON can hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

from wrench.checks import require_at_least, require_positive
from wrench.errors import InvalidValue

T = TypeVar("T")


def require_keys(where: str, mapping: Any, names: Collection[str]) -> None:
    """Raise `InvalidValue` naming the keys of `mapping` that are unknown or missing."""
    if not isinstance(mapping, Mapping):
        raise InvalidValue(where, repr(mapping), f"a mapping with the keys {', '.join(names)}")
    unknown = [key for key in mapping if key not in names]
    if unknown:
        raise InvalidValue(f"{where}: key", ", ".join(map(repr, unknown)), f"one of {', '.join(names)}")
    missing = [name for name in names if name not in mapping]
    if missing:
        raise InvalidValue(f"{where}: missing key", ", ".join(map(repr, missing)), "given")


def build(cls: Callable[..., T], mapping: Any, where: str) -> T:
    """Return the dataclass `cls` made from a mapping that holds each of its fields and nothing else."""
    require_keys(where, mapping, [field.name for field in fields(cls)])  # type: ignore[arg-type]
    return cls(**mapping)


def number(field: str, value: Any) -> float:
    """Return `value` as a float; text and truth values are no numbers."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.number)):
        raise InvalidValue(field, repr(value), "a number")
    if not math.isfinite(value):
        raise InvalidValue(field, value, "finite")
    return float(value)


def positive(field: str, value: Any, unit: str) -> float:
    """Return `value` as a float when it is a finite number greater than zero."""
    return float(require_positive(field, number(field, value), unit))


def at_least(field: str, value: Any, bound: float, unit: str) -> float:
    """Return `value` as a float when it is a finite number of at least `bound`."""
    return float(require_at_least(field, number(field, value), bound, unit))


def plain(where: str, value: Any) -> Any:
    """Return a deep copy of `value` in what strict JSON can hold: dict, list, text, finite number, bool, None.

    Tuples and arrays become lists, NumPy scalars become Python's.

    Raises
    ------
    InvalidValue
        A number that is not finite, or a value of any other type; the error names its place.
    """
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): plain(f"{where}.{key}", item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(f"{where}[{i}]", item) for i, item in enumerate(value)]
    if isinstance(value, str):
        return str(value)
    if value is None or isinstance(value, (bool, int)):
        return value
    return number(where, value)
