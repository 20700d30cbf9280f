"""Reach: whether an arm can bring the gripper to a pose. A planner takes any check; the one here is analytic."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grasp import presets
from grasp.frames import position, require_pose
from grasp.strict import at_least, build, number
from wrench.errors import InvalidValue

AT_LEAST_ZERO = {"shoulder": "m", "tool": "m", "near": "m", "far": "m", "low": "m", "high": "m", "greatest_tilt": "rad"}
ROUNDING = 1e-9  # metres and radians by which a pose may lie beyond a limit


class Reach(Protocol):
    """Anything that knows where an arm stands and where it gets: an inverse kinematics solver, a table, `Workspace`."""

    @property
    def base(self) -> tuple[float, float, float]:
        """Where the arm stands: x, y, z in metres, table frame. Tilted approaches come from there."""
        ...

    def reachable(self, T_table_gripper: ArrayLike) -> NDArray[np.bool_]:
        """Tell which poses (*b, 4, 4) of the gripper the arm can take; translation in metres."""
        ...


@dataclass(frozen=True)
class Workspace:
    """Analytic workspace: the wrist stays in a ball about the shoulder, off the base's axis, in a range of heights.

    The limits hold for the wrist, which lies behind the fingertips along the approach: an approach tilted away from the
    base reaches further forward than one from straight above, and less far back. Joint limits, the elbow and what stands
    around the arm are not looked at.

    Parameters
    ----------
    base
        Metres, table frame: where the vertical axis of the arm's first joint meets its stand.
    shoulder
        Metres from the base up to the shoulder, the centre of the ball.
    tool
        Metres from the fingertips back to the wrist.
    near
        Least horizontal distance of the wrist from the base's axis, in metres.
    far
        Greatest distance of the wrist from the shoulder, in metres.
    low, high
        Range of the wrist's height above the table, in metres.
    greatest_tilt
        Radians between the approach and straight down.

    Raises
    ------
    InvalidValue
        A number that is no number, negative, or out of order.
    """

    base: tuple[float, float, float]
    shoulder: float
    tool: float
    near: float
    far: float
    low: float
    high: float
    greatest_tilt: float

    def __post_init__(self) -> None:
        base = tuple(self.base)
        if len(base) != 3:
            raise InvalidValue("reach.base", base, "three numbers: x, y, z in metres")
        object.__setattr__(self, "base", tuple(number(f"reach.base[{i}]", value) for i, value in enumerate(base)))
        for name, unit in AT_LEAST_ZERO.items():
            object.__setattr__(self, name, at_least(f"reach.{name}", getattr(self, name), 0, unit))
        for less, more in (("near", "far"), ("low", "high")):
            if getattr(self, less) >= getattr(self, more):
                raise InvalidValue(f"reach.{less}", getattr(self, less), f"below {more}, {getattr(self, more):g} m")
        if self.greatest_tilt > math.pi:
            raise InvalidValue("reach.greatest_tilt", self.greatest_tilt, "at most pi rad")

    @classmethod
    def preset(cls, name: str = "default") -> Workspace:
        """Return the workspace described by ``conf/reach/<name>.yaml``; an unknown name lists the known ones."""
        return build(cls, presets.read("reach", name), "reach")

    def reachable(self, T_table_gripper: ArrayLike) -> NDArray[np.bool_]:
        """Tell which poses (*b, 4, 4) keep the wrist within all limits, and the approach within its tilt."""
        T = require_pose("T_table_gripper", T_table_gripper)
        approach = T[..., :3, 2]
        wrist = position(T) - self.tool * approach - np.array(self.base)  # (*b, 3), from the base
        height = wrist[..., 2] + self.base[2]
        off_axis = np.hypot(wrist[..., 0], wrist[..., 1])
        distance = np.hypot(off_axis, wrist[..., 2] - self.shoulder)
        tilt = np.arccos(np.clip(-approach[..., 2], -1, 1))
        limits = ((self.near, off_axis), (distance, self.far), (self.low, height), (height, self.high))
        left = [np.asarray(more - less) for less, more in (*limits, (tilt, self.greatest_tilt))]
        return np.min(np.stack(left), axis=0) >= -ROUNDING
