"""Settings of the footprint planner: the room a gripper needs, and what counts as a part worth a grasp."""

from __future__ import annotations

import math
from dataclasses import dataclass

from grasp.strict import at_least, positive
from wrench.errors import InvalidValue


@dataclass(frozen=True)
class Room:
    """How much room the gripper needs, and where it comes from.

    Parameters
    ----------
    stand_off : metres
        From the pre-grasp pose to the grasp pose, back along the approach.
    clearance : metres
        Least distance from a landing spot to the material, as seen from above; also what is left free on either side of an
        object that the gripper only just fits around.
    insertion : metres
        That the fingertips of a tilted approach pass the closing line.
    share_of_height
        Of the object's height, at or above which a tilted approach closes.
    slack : metres
        Depth up to which a box of the gripper may enter the object before it is a collision.
    """

    stand_off: float
    clearance: float
    insertion: float
    share_of_height: float
    slack: float

    def __post_init__(self) -> None:
        for name in ("stand_off", "clearance", "insertion", "slack"):
            at_least(f"room.{name}", getattr(self, name), 0, "m")
        if at_least("room.share_of_height", self.share_of_height, 0, "") > 1:
            raise InvalidValue("room.share_of_height", self.share_of_height, "from 0 to 1")
        if self.slack >= self.clearance:
            raise InvalidValue("room.slack", self.slack, f"less than clearance, {self.clearance:g} m")


@dataclass(frozen=True)
class Parts:
    """Which closing lines across parts of a footprint are tried, at which height, and which are told apart.

    Parameters
    ----------
    below_top, top_percentile
        As GET-2D's `Approach`, in metres and percent; a rim is a small share of what is seen, and stands above a floor.
    spacing : metres
        Between the lines of one edge; distances that differ by less are equal when parts are ranked.
    least_thickness : metres
        Of a part.
    slope : radians
        By which the two sides of a part may differ from parallel where the line crosses them.
    across
        Least ratio of the widest disc about the middle of a line that fits into the material to the line's own length: 1
        where the line crosses a part the short way, little where it runs along it.
    apart : metres
        Least distance between the middles of two parts that are proposed.
    keep
        Parts proposed at the most.
    """

    below_top: float
    top_percentile: float
    spacing: float
    least_thickness: float
    slope: float
    across: float
    apart: float
    keep: int

    def __post_init__(self) -> None:
        positive("parts.spacing", self.spacing, "m")
        for name in ("below_top", "least_thickness", "apart"):
            at_least(f"parts.{name}", getattr(self, name), 0, "m")
        if at_least("parts.slope", self.slope, 0, "rad") >= math.pi / 2:
            raise InvalidValue("parts.slope", self.slope, "less than pi/2 rad")
        if at_least("parts.top_percentile", self.top_percentile, 0, "") > 100:
            raise InvalidValue("parts.top_percentile", self.top_percentile, "from 0 to 100")
        if at_least("parts.across", self.across, 0, "") > 1:
            raise InvalidValue("parts.across", self.across, "from 0 to 1")
        if not float(positive("parts.keep", self.keep, "parts")).is_integer():
            raise InvalidValue("parts.keep", self.keep, "a whole number")


def require_tilts(ways: dict[str, float]) -> None:
    """Raise `InvalidValue` unless there are ways to come in, each tilted by 0 to pi/2 radians from straight down."""
    if not ways:
        raise InvalidValue("planner.ways", "{}", "at least one name with its tilt")
    for name, tilt in ways.items():
        if at_least(f"planner.ways.{name}", tilt, 0, "rad") > math.pi / 2:
            raise InvalidValue(f"planner.ways.{name}", tilt, "at most pi/2 rad, a level approach")
