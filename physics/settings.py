"""Settings: every number of a trial. The values and their sources stand in ``conf/physics``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from grasp import presets
from grasp.strict import at_least, build, number, positive, require_keys
from physics.blocks import Closing, Lift, PadBed, PartRules, Shake, SlipTest, Solver, Travel
from physics.noise import Noise
from wrench.errors import InvalidValue

BLOCKS = {
    "solver": Solver,
    "pads": PadBed,
    "parts": PartRules,
    "closing": Closing,
    "travel": Travel,
    "lift": Lift,
    "shake": Shake,
    "slip": SlipTest,
    "noise": Noise,
}


@dataclass(frozen=True)
class Settings:
    """The world, the gripper's hand and the protocol of a trial.

    Parameters
    ----------
    name
        What results call it.
    friction, table_friction
        Coulomb coefficients of the pads and of the table against the object.
    density : kg/m^3
        Of objects not named in `densities`.
    densities
        kg/m^3 of single objects, by name.
    mass_scale
        Times which every object is heavier than its density says; its inertia too.
    gravity : m/s^2
    solver, pads, parts, closing, travel, lift, shake, slip, noise
        See the classes of `physics.blocks`, and `physics.noise.Noise`.

    Raises
    ------
    InvalidValue
        A number that is no number or out of range.
    """

    name: str
    friction: float
    table_friction: float
    density: float
    densities: Mapping[str, float]
    mass_scale: float
    gravity: float
    solver: Solver
    pads: PadBed
    parts: PartRules
    closing: Closing
    travel: Travel
    lift: Lift
    shake: Shake
    slip: SlipTest
    noise: Noise

    def __post_init__(self) -> None:
        for name, unit in {"friction": "", "density": "kg/m^3", "mass_scale": "", "gravity": "m/s^2"}.items():
            positive(f"physics.{name}", getattr(self, name), unit)
        at_least("physics.table_friction", self.table_friction, 0, "")
        own = {name: positive(f"physics.densities.{name}", rho, "kg/m^3") for name, rho in self.densities.items()}
        object.__setattr__(self, "densities", own)
        if self.slip.stop_force <= self.slip.least:
            raise InvalidValue("physics.slip.stop_force", self.slip.stop_force, f"above least, {self.slip.least:g} N")

    @classmethod
    def preset(cls, name: str) -> Settings:
        """Return the settings in ``conf/physics/<name>.yaml``; an unknown name lists the known ones."""
        return cls.from_dict(presets.read("physics", name))

    @classmethod
    def from_dict(cls, mapping: Mapping[str, Any]) -> Settings:
        """Return the settings in nested mappings of exactly these fields; a wrong key is named with its place."""
        require_keys("physics", mapping, [field.name for field in fields(cls)])
        blocks = {name: build(block, mapping[name], f"physics.{name}") for name, block in BLOCKS.items()}
        return cls(**{**mapping, **blocks})

    def mass(self, name: str, volume: float) -> float:
        """Return the mass in kg of a named object of a volume in m^3."""
        return self.mass_scale * number("volume", volume) * self.densities.get(name, self.density)

    def steps(self, seconds: float) -> int:
        """Return the number of time steps, at least 1, in a time."""
        return max(1, round(seconds / self.solver.timestep))
