"""Result: what came of a trial, and all it takes to do it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grasp.strict import plain


class Phase(StrEnum):
    """Of a trial, in order."""

    SETTLE = "settle"
    DESCEND = "descend"
    CLOSE = "close"
    LIFT = "lift"
    HOLD = "hold"
    MARGIN = "margin"  #: how hard a shake it survives; whatever comes of it, the trial goes on
    SHAKE = "shake"
    SLIP = "slip"


class Grip(StrEnum):
    """What the closed gripper has in its jaws."""

    HOLDING = "holding"  #: both jaws touch the object
    AIR = "air"  #: neither does
    JAMMED = "jammed"  #: one of them does
    COLLISION = "collision"  #: on the way down it was pressed against the object or the table


@dataclass(frozen=True, eq=False)
class Frame:
    """A moment of a trial, for pictures.

    Parameters
    ----------
    phase
        That has just ended.
    place, turn : (3,) metres, (3, 3)
        Of the object, as `physics.measure.Pose`.
    table : (3,) metres
        Of the table, from where it is when the gripper grasps.
    opening : metres
    """

    phase: Phase
    place: NDArray[np.float64]
    turn: NDArray[np.float64]
    table: NDArray[np.float64]
    opening: float


@dataclass(frozen=True, eq=False)
class TrialResult:
    """What came of a trial. None means that it did not get that far.

    Parameters
    ----------
    object, gripper, settings
        Names; `settings_used` has the numbers.
    T_table_gripper : (4, 4)
        Where the gripper really went, noise included.
    opening_m
        At which it arrived.
    mass_kg, friction, force_N, hold
        What the outcome depends on most.
    parts, parts_method, parts_count
        The convex parts that stood for the object: content hash, ``"cells"`` or ``"coacd"``, and how many.
    settings_used, versions
        All numbers, and the libraries.
    grip
        What the jaws had.
    failed_in
        The phase in which the trial ended early.
    push_N
        Greatest force on object or table on the way down.
    width_m
        Opening once closed.
    pad_force_N
        Normal force of each finger once closed, in contact order.
    contacts
        Fingers that touch once closed.
    lifted, shaken
        Whether it was held off the table, and after all swings.
    rise_error_m
        By which the object fell short of the lift.
    drift_m, drift_rad
        Of the object in the gripper over the shake.
    shake_margin
        The greatest multiple of the last acceleration survived with all lesser ones; 0 if none.
    slip_force_N, slip_other_N
        In the weaker and the stronger direction; 0 below the gauge's least reading.
    slip_censored
        Whether the weaker reading is where the test stops: the true force is at least that.
    mass_margin
        Friction times both jaws' normal force over the weight and inertia of the lift: how much heavier it might be.
    frames
        One for each phase.
    """

    object: str
    gripper: str
    settings: str
    T_table_gripper: NDArray[np.float64]
    opening_m: float
    mass_kg: float
    friction: float
    force_N: float
    hold: str
    parts: str
    parts_method: str
    parts_count: int
    settings_used: Mapping[str, Any]
    versions: Mapping[str, str]
    frames: tuple[Frame, ...]
    grip: Grip
    failed_in: Phase | None
    push_N: float
    width_m: float | None = None
    pad_force_N: tuple[float, ...] | None = None
    contacts: int | None = None
    lifted: bool = False
    shaken: bool = False
    rise_error_m: float | None = None
    drift_m: float | None = None
    drift_rad: float | None = None
    shake_margin: float | None = None
    slip_force_N: float | None = None
    slip_other_N: float | None = None
    slip_censored: bool | None = None
    mass_margin: float | None = None

    def record(self) -> dict[str, Any]:
        """Return the result as plain values for JSON, without the frames; equal results give equal records."""
        told = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "frames"}
        return {name: plain(name, value) for name, value in told.items()}
