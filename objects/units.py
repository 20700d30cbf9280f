"""Units: mesh files carry none, so it is told, or the metres of the numbers are held against what a gripper can hold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from grasp.images import METRES_PER
from grasp.strict import positive
from wrench.errors import InvalidValue

UNITS = METRES_PER | {"cm": 0.01, "inch": 0.0254}
ASK = f"one of {', '.join(map(repr, UNITS))}, or the metres in one unit of the file"


def scale_of(unit: str | float) -> float:
    """Return the metres in a unit given by name or as that very number.

    Raises
    ------
    InvalidValue
        A name that is not known, or a number that is not positive.
    """
    if not isinstance(unit, str):
        return positive("unit", unit, "m")
    if unit not in UNITS:
        raise InvalidValue("unit", repr(unit), ASK)
    return UNITS[unit]


def to_metres(
    vertices: NDArray[np.float64], unit: str | float | None, least: float, greatest: float
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Return vertices in metres, and a note where nobody said that they are.

    Parameters
    ----------
    vertices : (v, 3) float
        In the unit of the file.
    unit
        As for `scale_of`; None takes the numbers as metres, and says so.
    least, greatest
        Metres; the greatest edge of the bounding box must lie between them.

    Raises
    ------
    InvalidValue
        An object too large or too small to be meant; the error gives its extent and asks for the unit.
    """
    metres = vertices * scale_of("m" if unit is None else unit)
    extent = float(np.ptp(metres, axis=0).max())
    if not least <= extent <= greatest:
        taken = "taken as metres, no unit was given" if unit is None else f"with unit {unit!r}"
        expected = f"from {least:g} to {greatest:g} m ({taken}); give the unit of the file: {ASK}"
        raise InvalidValue("greatest extent", f"{extent:.4g} m", expected)
    return metres, () if unit is not None else (f"no unit was given: taken as metres, greatest extent {extent:.4g} m",)
