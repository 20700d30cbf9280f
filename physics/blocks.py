"""Blocks: the numbers of a trial in groups, each checked as it is made. SI units and radians."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from grasp.strict import at_least, positive
from wrench.errors import InvalidValue

HOLDS = ("lock", "force")


class _Positive:
    """Checks that every field annotated as a float is a number greater than zero, and every int at least one."""

    def __post_init__(self) -> None:
        here: Any = self
        for field in fields(here):
            where, value = f"{type(self).__name__}.{field.name}", getattr(self, field.name)
            if field.type == "float":
                object.__setattr__(self, field.name, positive(where, value, ""))
            elif field.type == "int":
                at_least(where, value, 1, "")


@dataclass(frozen=True)
class Solver(_Positive):
    """MuJoCo's numbers: `timestep` in s, `iterations` and `tolerance` of Newton's method, and `impratio`.

    `rigid_time` (s) and `rigid_impedance` (5,) are solref and solimp of what is not a pad: table, backing, body.
    """

    timestep: float
    iterations: int
    tolerance: float
    impratio: float
    rigid_time: float
    rigid_impedance: tuple[float, ...]


@dataclass(frozen=True)
class PadBed(_Positive):
    """Pads as beds of springs: `pitch` (m) of spheres, `stiffness` (N/m^3), `damping` (N s/m^3), `impedance` (0 to 1)."""

    pitch: float
    stiffness: float
    damping: float
    impedance: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.impedance >= 1:
            raise InvalidValue("PadBed.impedance", self.impedance, "below 1")


@dataclass(frozen=True)
class PartRules(_Positive):
    """How a solid falls into convex parts, and how like it they must be.

    Parameters
    ----------
    straighten : m
        Corners of prisms that stick out less than this are left out.
    threshold
        Concavity at which CoACD stops cutting.
    overlap
        Least share of the volume of solid and parts together that both have.
    outward : m
        Greatest distance of the parts outside the solid.
    """

    straighten: float
    threshold: float
    overlap: float
    outward: float


@dataclass(frozen=True)
class Closing(_Positive):
    """How the jaws are driven.

    Parameters
    ----------
    force : N
        Pressed at each jaw.
    hold
        ``"lock"``: once closed, a stiff servo, as a worm gear; ``"force"``: the force goes on being pressed.
    lock_stiffness, open_stiffness : N/m
        Of the opening, locked after closing and held open before it.
    speed : m/s
        Of each jaw.
    gain : N s/m
        Of the speed servo.
    hold_damping : N s/m
        Of the opening under ``hold="force"``.
    jaw_mass, reflected_mass : kg
        Of a jaw, and of the drive as the jaw feels it.
    joint_damping : N s/m
    still_speed : m/s
        Slower than this for `still_time` (s), after `least_time` (s), the opening has come to rest.
    timeout : s
    jammed_opening : m
        Wider open with one jaw touching, the grasp is jammed; else it has closed on air.
    touch : N
        A pad or jaw that presses more than this touches.
    """

    force: float
    hold: str
    lock_stiffness: float
    open_stiffness: float
    speed: float
    gain: float
    hold_damping: float
    jaw_mass: float
    reflected_mass: float
    joint_damping: float
    still_speed: float
    still_time: float
    least_time: float
    timeout: float
    jammed_opening: float
    touch: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.hold not in HOLDS:
            raise InvalidValue("Closing.hold", repr(self.hold), f"one of {', '.join(map(repr, HOLDS))}")


@dataclass(frozen=True)
class Travel(_Positive):
    """Settling and arriving: times in s, `speed` in m/s, `room` (m) above the object at the start, `stop_force` in N.

    The table is a mass (kg) on a servo of a natural frequency (Hz), critically damped.
    """

    settle_time: float
    room: float
    speed: float
    least_time: float
    stop_force: float
    watch_every: int
    table_mass: float
    table_frequency: float


@dataclass(frozen=True)
class Lift(_Positive):
    """`height` (m) in `time` (s), then `hold_time` (s); lifted means risen by more than the share `least` of the height."""

    height: float
    time: float
    hold_time: float
    least: float


@dataclass(frozen=True)
class Shake(_Positive):
    """Swings about a level axis.

    Parameters
    ----------
    behind, above : m
        From the fingertips to the axis, against the heading of the closing axis and upwards.
    angle : rad
        Of a swing, there and back `cycles` times for each acceleration.
    accelerations : rad/s^2
    top_speed : rad/s
    edge : s
        Over which a change of acceleration is smoothed.
    rest_time : s
        After the last swing.
    multiples
        Of the last acceleration, for the shake margin, ascending; with `margin_top_speed` and `margin_edge`.
    margin_drift : m
    margin_turn : rad
        More drift than this is a loss.
    far : m
        So far away the object is lost.
    watch_every
        Steps between looks.
    """

    behind: float
    above: float
    angle: float
    cycles: int
    accelerations: tuple[float, ...]
    top_speed: float
    edge: float
    rest_time: float
    multiples: tuple[float, ...]
    margin_top_speed: float
    margin_edge: float
    margin_drift: float
    margin_turn: float
    far: float
    watch_every: int

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("accelerations", "multiples"):
            values = tuple(positive(f"Shake.{name}[{i}]", v, "") for i, v in enumerate(getattr(self, name)))
            if not values or list(values) != sorted(values):
                raise InvalidValue(f"Shake.{name}", values, "at least one, ascending")
            object.__setattr__(self, name, values)


@dataclass(frozen=True)
class SlipTest(_Positive):
    """A gauge turns the object about the closing axis, up to `angle` (rad) at `rate` (rad/s).

    The gauge is a spring of `stiffness` (N/m), damped by the share `damping` of critical with at least `least_mass` (kg)
    behind it. The reading is the greatest mean over `window` (s); below `least` (N) it counts as 0, and the test ends at
    `stop_force` (N) or after `timeout` (s).
    """

    rate: float
    angle: float
    stiffness: float
    damping: float
    least_mass: float
    window: float
    least: float
    stop_force: float
    timeout: float
