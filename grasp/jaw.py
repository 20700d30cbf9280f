"""Jaws and bodies as data: the pads of a jaw, and the boxes that must not hit anything."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from grasp.strict import number, positive
from wrench.errors import InvalidValue

TOUCHING = 1e-9  # metres by which neighbouring pads may overlap through rounding


@dataclass(frozen=True)
class Pad:
    """Contact face of one finger: a trapezoid in the plane across the closing axis, standing on its fingertip.

    Parameters
    ----------
    offset
        Metres along the gripper's y from the middle of the jaw to the middle of the pad.
    width
        Width in metres at the fingertip; also its width seen from above in the planar model.
    base_width
        Width in metres at the other end.
    height
        Length in metres along the finger, from the fingertip.
    """

    offset: float
    width: float
    base_width: float
    height: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "offset", number("pad.offset", self.offset))
        for name in ("width", "base_width", "height"):
            object.__setattr__(self, name, positive(f"pad.{name}", getattr(self, name), "m"))

    @property
    def widest(self) -> float:
        """Greatest width in metres."""
        return max(self.width, self.base_width)


@dataclass(frozen=True)
class Jaw:
    """The pads that move together on one side, in ascending offset.

    Seen from above in a top-down grasp, looking along the closing axis, the first pad of the wide jaw is the left one:
    y points to the right, because z points down.

    Parameters
    ----------
    pads
        At least one; they do not overlap.
    """

    pads: tuple[Pad, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "pads", tuple(self.pads))
        if not self.pads:
            raise InvalidValue("jaw.pads", "()", "at least one pad")
        for i, (left, right) in enumerate(pairwise(self.pads), start=1):
            room = right.offset - left.offset - (left.widest + right.widest) / 2
            if room < -TOUCHING:
                expected = "in ascending order and clear of the pad before it"
                raise InvalidValue(f"jaw.pads[{i}].offset", right.offset, f"{expected} (it overlaps by {-room:g} m)")

    @property
    def offsets(self) -> tuple[float, ...]:
        """Offsets of the pads in metres."""
        return tuple(pad.offset for pad in self.pads)


@dataclass(frozen=True)
class Box:
    """A rigid part of the gripper's body that does not move with the jaws, aligned with the gripper frame.

    Parameters
    ----------
    name
        What to call it in a sentence.
    centre
        Metres, gripper frame; z is negative above the fingertips.
    size
        Full edge lengths in metres.
    """

    name: str
    centre: tuple[float, float, float]
    size: tuple[float, float, float]

    def __post_init__(self) -> None:
        centre, size = tuple(self.centre), tuple(self.size)
        if len(centre) != 3 or len(size) != 3:
            raise InvalidValue(f"{self.name}: centre, size", (centre, size), "three numbers each: x, y, z")
        centre = tuple(number(f"{self.name}.centre[{i}]", value) for i, value in enumerate(centre))
        size = tuple(positive(f"{self.name}.size[{i}]", value, "m") for i, value in enumerate(size))
        object.__setattr__(self, "centre", centre)
        object.__setattr__(self, "size", size)
