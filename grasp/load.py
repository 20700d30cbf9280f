"""Load and grip force: what a grasp has to carry, and how hard to press so that it does."""

from __future__ import annotations

from dataclasses import dataclass, fields

from grasp import presets
from grasp.strict import at_least, build, positive
from wrench.errors import InvalidValue


@dataclass(frozen=True)
class Load:
    """What a grasp has to carry, and how carefully; no default values, see ``conf/load``.

    Parameters
    ----------
    mass
        Kilograms. None: `density` times the object's volume.
    density
        kg/m^3, of an object whose mass is not given.
    friction
        Coulomb coefficient. None: the planner's own.
    gravity
        m/s^2.
    acceleration
        m/s^2 of the lift, added to gravity; the greatest of any direction is on the safe side.
    safety
        At least 1; multiplies the load that friction has to carry.
    damage_cap
        Newtons at each jaw above which the object takes damage. None where it is not known.

    Raises
    ------
    InvalidValue
        A number that is no number or out of range, or neither mass nor density.
    """

    mass: float | None
    density: float | None
    friction: float | None
    gravity: float
    acceleration: float
    safety: float
    damage_cap: float | None

    def __post_init__(self) -> None:
        for name, unit in (("mass", "kg"), ("density", "kg/m^3"), ("friction", ""), ("damage_cap", "N")):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, positive(f"load.{name}", getattr(self, name), unit))
        for name, unit in (("gravity", "m/s^2"), ("acceleration", "m/s^2")):
            object.__setattr__(self, name, at_least(f"load.{name}", getattr(self, name), 0, unit))
        object.__setattr__(self, "safety", at_least("load.safety", self.safety, 1, ""))
        positive("load.gravity + load.acceleration", self.gravity + self.acceleration, "m/s^2")
        if self.mass is None and self.density is None:
            raise InvalidValue("load.mass", None, "a mass in kg where no density is given")

    @classmethod
    def preset(cls, name: str = "default", quality: str = "paper") -> Load:
        """Return the load described by ``conf/load/<name>.yaml``, with the friction of ``conf/quality/<quality>.yaml``."""
        friction = presets.read("quality", quality)["friction"]
        return build(cls, {**presets.read("load", name), "friction": friction}, "load")

    def mass_of(self, volume: float | None) -> float | None:
        """Return the mass in kilograms of an object of a volume in m^3; None where neither mass nor volume is known."""
        if self.mass is not None or self.density is None or volume is None:
            return self.mass
        return self.density * positive("volume", volume, "m^3")


@dataclass(frozen=True)
class GripForce:
    """The grip force to command and the bounds it lies between, in newtons at **each** jaw (`wrench.squeeze`).

    Parameters
    ----------
    command
        What to set the gripper to.
    friction_bound
        The least that holds the load, safety factor included.
    damage_bound
        The most that the object can bear; None where it is not known.
    gripper_min, gripper_max
        The range of the gripper's settings.

    Raises
    ------
    InvalidValue
        A number that is no number, negative, or a command outside of its bounds.
    """

    command: float
    friction_bound: float
    damage_bound: float | None
    gripper_min: float
    gripper_max: float

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name != "damage_bound" or self.damage_bound is not None:
                object.__setattr__(self, field.name, at_least(f"force.{field.name}", getattr(self, field.name), 0, "N"))
        low, high = max(self.friction_bound, self.gripper_min), self.most
        if not low <= self.command <= high:
            raise InvalidValue("force.command", self.command, f"between its bounds, {low:g} and {high:g} N")

    @property
    def most(self) -> float:
        """The greatest force in newtons that gripper and object allow."""
        return self.gripper_max if self.damage_bound is None else min(self.gripper_max, self.damage_bound)
