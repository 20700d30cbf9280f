"""Gripper: two facing jaws and everything physical that planners, physics and force sizing need to know about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from grasp import presets
from grasp.jaw import TOUCHING, Box, Jaw, Pad
from grasp.strict import at_least, build, positive, require_keys
from wrench.errors import InvalidValue

MAY_BE_ZERO = (  # all in metres
    *("min_opening", "tolerance", "backing_thickness", "pad_torsion", "fingertip_advance", "linkage_radius"),
)
BODIES = ("bodies", "jaw_bodies")
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
    pad_torsion
        Metres; the torque about its normal that a contact of a pad resists, over the normal force: 2/3 mu R of a disc of
        radius R under even pressure. Counts in the sizing of the grip force alone; closure is that of hard points. 0: none.
    bodies
        Palm and the like, where they stand when the gripper is fully open.
    jaw_bodies
        What besides the pads moves with the jaws, where it is when their faces meet: at negative x with the wide jaw, at
        positive x with the narrow one.
    fingertip_advance
        Metres along the approach by which the fingertips are further from the bodies fully closed than fully open.
    linkage_radius
        Metres; the fingertips move on arcs of this radius, each finger on the links of a parallelogram. 0 where they move
        straight.
    min_encompassed
        Metres; diameter of the thinnest cylinder that the fingers wrap around (encompassing grip). None where they only
        pinch.
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
    pad_torsion: float
    bodies: tuple[Box, ...]
    jaw_bodies: tuple[Box, ...]
    fingertip_advance: float
    linkage_radius: float
    min_encompassed: float | None
    min_force: float
    max_force: float
    external_force_limit: float
    external_moment_limit: float

    def __post_init__(self) -> None:
        for name in BODIES:
            object.__setattr__(self, name, tuple(getattr(self, name)))
        for name in MAY_BE_ZERO:
            object.__setattr__(self, name, at_least(f"gripper.{name}", getattr(self, name), 0, "m"))
        for name, unit in POSITIVE.items():
            object.__setattr__(self, name, positive(f"gripper.{name}", getattr(self, name), unit))
        if self.min_encompassed is not None:
            object.__setattr__(self, "min_encompassed", positive("gripper.min_encompassed", self.min_encompassed, "m"))
        self._check_order()
        self._check_motion()

    def _check_order(self) -> None:
        if self.max_opening <= self.min_opening:
            raise InvalidValue("gripper.max_opening", self.max_opening, f"above min_opening, {self.min_opening:g} m")
        if self.max_force < self.min_force:
            raise InvalidValue("gripper.max_force", self.max_force, f"at least min_force, {self.min_force:g} N")
        for pad in self.pads:
            if pad.height > self.finger_length:
                raise InvalidValue("pad.height", pad.height, f"at most finger_length, {self.finger_length:g} m")

    def _check_motion(self) -> None:
        for i, body in enumerate(self.jaw_bodies):
            if abs(body.centre[0]) < body.size[0] / 2 - TOUCHING:
                expected = "at least half of size[0] from 0, on the side of its jaw"
                raise InvalidValue(f"gripper.jaw_bodies[{i}].centre[0]", body.centre[0], expected)
        if self.linkage_radius > 0:
            least = (self.stroke**2 + self.fingertip_advance**2) / (2 * self.stroke)  # the arc begins along the approach
            if self.linkage_radius < least:
                raise InvalidValue("gripper.linkage_radius", self.linkage_radius, f"at least {least:.6g} m, or 0")

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
        solid = {name: _boxes(mapping[name], f"gripper.{name}") for name in BODIES}
        return cls(**{**mapping, **nested, **solid})

    @property
    def pads(self) -> tuple[Pad, ...]:
        """All k pads in contact order."""
        return self.wide.pads + self.narrow.pads

    @property
    def is_wide(self) -> tuple[bool, ...]:
        """For each pad in contact order, whether it belongs to the wide jaw."""
        return (True,) * len(self.wide.pads) + (False,) * len(self.narrow.pads)

    @property
    def stroke(self) -> float:
        """Metres that each jaw moves from fully open to fully closed."""
        return (self.max_opening - self.min_opening) / 2

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


def _boxes(mapping: Any, where: str) -> tuple[Box, ...]:
    return tuple(build(Box, body, f"{where}[{i}]") for i, body in enumerate(mapping))
