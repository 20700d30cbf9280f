"""Checks at the door: arrays in, read-only float64 copies out, or an error that names the bad entry."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wrench.errors import InvalidValue

UNIT_TOLERANCE = 1e-6  # allowed deviation of a normal's length from 1, dimensionless


def frozen(array: ArrayLike, dtype: type = np.float64) -> NDArray:
    """Return a read-only C-ordered copy, so that nobody's later write can reach it."""
    copy = np.array(array, dtype=dtype, order="C")
    copy.setflags(write=False)
    return copy


def entry(field: str, index: tuple) -> str:
    """Name one entry of an array field: ``points[3, 1]``; the bare field when there is no index."""
    return f"{field}[{', '.join(str(int(i)) for i in index)}]" if index else field


def refuse_first(field: str, array: NDArray, bad: NDArray, expected: str) -> None:
    """Raise `InvalidValue` for the first entry of `array` whose flag in `bad` is set.

    `bad` may have fewer axes than `array`: an entry is then a row (a vector of a field of vectors).
    """
    if bad.any():
        index = tuple(np.argwhere(bad)[0])
        value = array[index]
        raise InvalidValue(entry(field, index), value.tolist() if hasattr(value, "tolist") else value, expected)


def require_finite(field: str, array: NDArray) -> None:
    """Raise `InvalidValue` for the first entry that is NaN or infinite."""
    refuse_first(field, array, ~np.isfinite(array), "finite")


def require_at_least(field: str, value: ArrayLike, bound: float, unit: str = "") -> NDArray:
    """Return `value` as float64 when every entry is finite and at least `bound`."""
    array = np.asarray(value, dtype=np.float64)
    refuse_first(field, array, ~(np.isfinite(array) & (array >= bound)), f"finite and at least {bound:g} {unit}".strip())
    return array


def require_positive(field: str, value: ArrayLike, unit: str = "") -> NDArray:
    """Return `value` as float64 when every entry is finite and greater than zero."""
    array = np.asarray(value, dtype=np.float64)
    refuse_first(field, array, ~(np.isfinite(array) & (array > 0)), f"finite and greater than 0 {unit}".strip())
    return array


def require_vectors(field: str, value: ArrayLike, length: int) -> NDArray[np.float64]:
    """Return `value` as finite vectors (*b, length)."""
    array = np.asarray(value, float)
    if array.shape[-1:] != (length,):
        raise InvalidValue(f"{field}.shape", array.shape, f"(*batch, {length}) for these contacts")
    require_finite(field, array)
    return array


def require_unit_vectors(field: str, value: ArrayLike, length: int) -> NDArray[np.float64]:
    """Return `value` as unit vectors (*b, length)."""
    array = require_vectors(field, value, length)
    off = np.abs(np.linalg.norm(array, axis=-1) - 1) > UNIT_TOLERANCE
    refuse_first(field, array, off, "a unit vector (length 1 within 1e-6)")
    return array
