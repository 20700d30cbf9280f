"""Circles: the gripper seen from above, as the planar planners need it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grasp.gripper import Gripper
from grasp.jaw import Jaw
from wrench.checks import frozen


@dataclass(frozen=True, eq=False)
class Circles:
    """Equal circles, wide jaw first, each jaw by ascending offset.

    Parameters
    ----------
    offset : (k,) float, metres
        Along the gripper's y.
    wide : (k,) bool
        Whether the circle belongs to the wide jaw.
    radius
        Metres.
    """

    offset: NDArray[np.float64]
    wide: NDArray[np.bool_]
    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "offset", frozen(self.offset))
        object.__setattr__(self, "wide", frozen(self.wide, np.bool_))

    def __len__(self) -> int:
        return len(self.offset)


def circles(gripper: Gripper) -> Circles:
    """Return the circles of a gripper's pads (paper, section V).

    A pad no wider than the circle's diameter is one circle. A wider one is the least row of evenly spaced circles whose
    outermost end flush with the pad's edges and whose centres are at most a diameter apart, so that no gap is left.
    """
    wide, narrow = _offsets(gripper.wide, gripper.circle_diameter), _offsets(gripper.narrow, gripper.circle_diameter)
    side = np.repeat([True, False], [len(wide), len(narrow)])
    return Circles(np.array(wide + narrow), side, gripper.circle_diameter / 2)


def _offsets(jaw: Jaw, diameter: float) -> list[float]:
    rows = []
    for pad in jaw.pads:
        count = max(math.ceil(pad.width / diameter - 1e-9), 1)  # rounding must not add a circle to a whole multiple
        reach = (pad.width - diameter) / 2 if count > 1 else 0.0
        rows.extend((pad.offset + np.linspace(-reach, reach, count)).tolist())
    return rows
