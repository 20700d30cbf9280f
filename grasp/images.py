"""Images at the door: masks, depth and colour in whatever container they come, out in one form or refused."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grasp.strict import positive
from wrench.errors import InvalidValue

METRES_PER = {"m": 1.0, "mm": 1e-3}
IMPLAUSIBLE = 20.0  # metres: no camera over a table sees its median pixel so far away


def read_mask(mask: ArrayLike) -> NDArray[np.bool_]:
    """Return a mask as bool.

    Parameters
    ----------
    mask : (h, w) bool, or numbers that are all 0 or 1, or all 0 or 255

    Raises
    ------
    InvalidValue
        Another number of axes, no pixels, or other values; names one of them.
    """
    array = np.asarray(mask)
    if array.ndim != 2 or array.size == 0:
        raise InvalidValue("mask.shape", array.shape, "(height, width)")
    if array.dtype == np.bool_:
        return array
    if not np.issubdtype(array.dtype, np.number):
        raise InvalidValue("mask.dtype", array.dtype, "bool or a number")
    on = 255 if (array == 255).any() else 1
    bad = (array != 0) & (array != on)
    if bad.any():
        raise InvalidValue("mask", f"{array.dtype} with the value {array[bad][0]}", "bool, all 0 or 1, or all 0 or 255")
    return array != 0


def read_depth(depth: ArrayLike, unit: str | float | None = None) -> NDArray[np.float64]:
    """Return a depth image in metres, with NaN where depth is missing.

    The unit is known, given, or refused. Known: unsigned 16-bit integers are millimetres and floats are metres, unless
    the median of the valid floats is beyond 20. Missing are zero, negative, NaN and infinite values.

    Parameters
    ----------
    depth : (h, w) number
    unit
        ``"m"``, ``"mm"``, metres per count (``1e-4`` for tenths of a millimetre), or None to go by the type.

    Raises
    ------
    InvalidValue
        Another number of axes, a type that cannot hold depth, or a unit that is neither known nor given.
    """
    array = np.asarray(depth)
    if array.ndim != 2 or array.size == 0:
        raise InvalidValue("depth.shape", array.shape, "(height, width)")
    if array.dtype.itemsize < 2 or not np.issubdtype(array.dtype, np.number) or np.iscomplexobj(array):
        raise InvalidValue("depth.dtype", array.dtype, "16-bit or wider: an 8-bit depth image has lost its values")
    metres = np.array(array, np.float64)
    metres[~(np.isfinite(metres) & (metres > 0))] = np.nan
    metres *= _metres_per_count(array.dtype, metres, unit)
    return metres


def _metres_per_count(dtype: np.dtype, valid: NDArray[np.float64], unit: str | float | None) -> float:
    if isinstance(unit, str):
        if unit not in METRES_PER:
            raise InvalidValue("depth_unit", repr(unit), '"m", "mm", metres per count or None')
        return METRES_PER[unit]
    if unit is not None:
        return positive("depth_unit", unit, "m per count")
    if dtype == np.uint16:
        return METRES_PER["mm"]
    if np.issubdtype(dtype, np.integer):
        raise InvalidValue("depth_unit", None, f'"m" or "mm" for a depth image of {dtype}')
    far, near = np.count_nonzero(valid > IMPLAUSIBLE), np.count_nonzero(valid <= IMPLAUSIBLE)
    if far > near:  # then the median is far, without the cost of sorting every image
        value = f"{np.nanmedian(valid):g} m in the median"
        raise InvalidValue("depth", value, f"at most {IMPLAUSIBLE:g} m; it looks like millimetres: give depth_unit")
    return METRES_PER["m"]


def read_rgb(rgb: ArrayLike) -> NDArray[np.uint8]:
    """Return a colour image (h, w, 3) uint8, red first, or raise `InvalidValue`."""
    array = np.asarray(rgb)
    if array.ndim != 3 or array.shape[-1] != 3 or array.dtype != np.uint8:
        raise InvalidValue("rgb", f"{array.dtype}{array.shape}", "uint8(height, width, 3)")
    return array
