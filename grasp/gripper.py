"""Gripper: two facing jaws and everything physical that planners, physics and force sizing need to know about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from grasp import presets
from grasp.jaw import Box, Jaw, Pad
from grasp.strict import at_least, build, positive, require_keys
from wrench.errors import InvalidValue

MAY_BE_ZERO = ("min_opening", "tolerance", "backing_thickness")  # all in metres
POSITIVE = {
    "max_opening": "m",
    "circle_diameter": "m",
    "finger_length": "m",
    "pad_thickness": "m",
    "min_force": "N",
    "max_force": "N",
    "external_force_limit": "N",
    "external_moment_limit": "N m",
}


@dataclass(frozen=True)
class Gripper:
    """A parallel gripper. Both jaws move by the same distance, so the pad faces lie at x = -opening/2 and +opening/2.

    Frame: x is the closing axis from the wide jaw towards the narrow jaw, z the approach, y completes it; the origin is
    at fingertip height, midway between the pad faces, so fingers and body extend towards -z. Contacts are ordered wide
    jaw first, each jaw by ascending offset.

    There are no default values: every number comes with its source from a file in ``conf/gripper``.

    Parameters
    ----------
    name
        What results call it.
    wide, narrow
        The jaws. Any layout of pads will do; the names fix the direction of the closing axis.
    min_opening, max_opening
        Metres between the pad faces.
    tolerance
        Metres that one pad of a jaw may touch later than the first and still count, because the fingers comply.
    circle_diameter
        Metres; diameter of a fingertip in the planar model.
    finger_length
        Metres from the fingertip to the body, at least the height of each pad.
    pad_thickness, backing_thickness
        Metres of compliant pad, and of rigid finger behind it.
    bodies
        Palm and the like.
    min_force, max_force
        Grip force settings in newtons, at each jaw.
    external_force_limit
        Newtons that the fingers may carry in any direction besides the grip.
    external_moment_limit
        Newton metres that they may carry about the approach axis.

    Raises
    ------
    InvalidValue
        A number that is no number or out of order.
    """

    name: str
    wide: Jaw
    narrow: Jaw
    min_opening: float
    max_opening: float
    tolerance: float
    circle_diameter: float
    finger_length: float
    pad_thickness: float
    backing_thickness: float
    bodies: tuple[Box, ...]
    min_force: float
    max_force: float
    external_force_limit: float
    external_moment_limit: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "bodies", tuple(self.bodies))
        for name in MAY_BE_ZERO:
            object.__setattr__(self, name, at_least(f"gripper.{name}", getattr(self, name), 0, "m"))
        for name, unit in POSITIVE.items():
            object.__setattr__(self, name, positive(f"gripper.{name}", getattr(self, name), unit))
        self._check_order()

    def _check_order(self) -> None:
        if self.max_opening <= self.min_opening:
            raise InvalidValue("gripper.max_opening", self.max_opening, f"above min_opening, {self.min_opening:g} m")
        if self.max_force < self.min_force:
            raise InvalidValue("gripper.max_force", self.max_force, f"at least min_force, {self.min_force:g} N")
        for pad in self.pads:
            if pad.height > self.finger_length:
                raise InvalidValue("pad.height", pad.height, f"at most finger_length, {self.finger_length:g} m")

    @classmethod
    def preset(cls, name: str) -> Gripper:
        """Return the gripper described by ``conf/gripper/<name>.yaml``; an unknown name lists the known ones."""
        return cls.from_dict(presets.read("gripper", name))

    @classmethod
    def from_dict(cls, mapping: Mapping[str, Any]) -> Gripper:
        """Return the gripper described by nested mappings of exactly its fields, as a config file holds them.

        Raises
        ------
        InvalidValue
            Unknown or missing keys, each named with its place.
        """
        require_keys("gripper", mapping, [field.name for field in fields(cls)])
        nested = {side: _jaw(mapping[side], f"gripper.{side}") for side in ("wide", "narrow")}
        bodies = tuple(build(Box, body, f"gripper.bodies[{i}]") for i, body in enumerate(mapping["bodies"]))
        return cls(**{**mapping, **nested, "bodies": bodies})

    @property
    def pads(self) -> tuple[Pad, ...]:
        """All k pads in contact order."""
        return self.wide.pads + self.narrow.pads

    @property
    def is_wide(self) -> tuple[bool, ...]:
        """For each pad in contact order, whether it belongs to the wide jaw."""
        return (True,) * len(self.wide.pads) + (False,) * len(self.narrow.pads)

    @property
    def finger_thickness(self) -> float:
        """Metres from a pad's face to the back of its finger."""
        return self.pad_thickness + self.backing_thickness


def make(**mapping: Any) -> Gripper:
    """Return ``Gripper.from_dict(mapping)``: what Hydra calls with the keys of a file in ``conf/gripper``."""
    return Gripper.from_dict(mapping)


def _jaw(mapping: Any, where: str) -> Jaw:
    require_keys(where, mapping, ["pads"])
    return Jaw(tuple(build(Pad, pad, f"{where}.pads[{i}]") for i, pad in enumerate(mapping["pads"])))
