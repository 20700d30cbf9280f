"""Rules: sentences about a profile, as data. Each finds the band of heights it means, or says why the object has none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from baselines.profile_shape import EQUAL, Band, Profile
from grasp.gripper import Gripper
from grasp.strict import at_least, number
from wrench.errors import InvalidValue

MM = 1e3
CENTRE = ("any", "prefer", "require")
ENDS = ("top", "bottom")


@dataclass(frozen=True)
class Forbidden:
    """Heights that no finger may touch.

    Parameters
    ----------
    name
        What a sentence calls them.
    end
        ``"top"`` or ``"bottom"``, from which they are measured.
    start, stop : metres
        Into the object.
    """

    name: str
    end: str
    start: float
    stop: float

    def __post_init__(self) -> None:
        at_least("forbidden.start", self.start, 0, "m")
        at_least("forbidden.stop", self.stop, self.start, "m")
        if self.end not in ENDS:
            raise InvalidValue("forbidden.end", repr(self.end), '"top" or "bottom"')

    def band(self, profile: Profile) -> Band:
        """Return the heights above the table."""
        if self.end == "top":
            return Band(profile.span.high - self.stop, profile.span.high - self.start)
        return Band(profile.span.low + self.start, profile.span.low + self.stop)


@dataclass(frozen=True)
class Rule:
    """One sentence about where to hold. Lengths are fractions of the gripper's stroke, the range of its opening.

    Parameters
    ----------
    name
        What results call it.
    assumption
        The sentence that must be true of the object; the first thing to check when the rule fails.
    part
        Which band is meant, one of `PARTS`.
    within
        Fractions of the object's height from the bottom; the rule looks at what lies between.
    width
        Least and greatest fraction of the stroke to which the jaws close.
    least_height
        Of the band, fraction of the stroke.
    flatness
        By which widths may differ within the band, fraction of the stroke.
    arm
        Greatest distance of the grasp line from the centre of mass, fraction of the stroke.
    centre
        Whether the grasp line must be above the centre of mass: ``"any"``, ``"prefer"`` or ``"require"``.
    """

    name: str
    assumption: str
    part: str
    within: tuple[float, float]
    width: tuple[float, float]
    least_height: float
    flatness: float
    arm: float
    centre: str

    def __post_init__(self) -> None:
        for field in ("within", "width"):
            object.__setattr__(self, field, self._pair(field))
        for field in ("least_height", "flatness", "arm"):
            at_least(f"rule {self.name}: {field}", getattr(self, field), 0, "")
        if self.part not in PARTS:
            raise InvalidValue(f"rule {self.name}: part", repr(self.part), f"one of {', '.join(PARTS)}")
        if self.centre not in CENTRE:
            raise InvalidValue(f"rule {self.name}: centre", repr(self.centre), f"one of {', '.join(CENTRE)}")

    def _pair(self, field: str) -> tuple[float, float]:
        given = tuple(getattr(self, field))
        if len(given) != 2:
            raise InvalidValue(f"rule {self.name}: {field}", given, "two fractions")
        low, high = (number(f"rule {self.name}: {field}", value) for value in given)
        if not 0 <= low < high <= 1:
            raise InvalidValue(f"rule {self.name}: {field}", given, "two fractions from 0 to 1, the less before the greater")
        return low, high

    def widths(self, gripper: Gripper) -> tuple[float, float]:
        """Return the least and the greatest opening in metres to which the jaws may close."""
        low, high = (gripper.min_opening + fraction * opening_range(gripper) for fraction in self.width)
        return low, high

    def band(self, profile: Profile, gripper: Gripper) -> Band | str:
        """Return the heights that are meant, or the sentence why there are none."""
        span, unit = profile.span, opening_range(gripper)
        part = profile.part(Band(*(span.low + fraction * span.height for fraction in self.within)))
        if part is None:
            return "There is nothing between the heights that are meant."
        band = PARTS[self.part](part, self.flatness * unit)
        least = self.least_height * unit
        if isinstance(band, Band) and band.height < least - EQUAL:
            return f"The band that is meant is {band.height * MM:.1f} mm high, less than {least * MM:.1f} mm."
        return band


def opening_range(gripper: Gripper) -> float:
    """Return by how many metres the gripper can change its opening."""
    return gripper.max_opening - gripper.min_opening


def _stem(profile: Profile, flatness: float) -> Band | str:
    found = profile.narrowest_below_widest()
    if found is None:
        return "It is widest at its foot."
    plateau, width = found
    band = profile.stretch(plateau.middle, 0, width + flatness)
    if band.low <= profile.span.low + EQUAL:
        return f"It has no foot that is {flatness * MM:.1f} mm wider than its narrowest part below the widest."
    if band.high >= profile.widest()[0].low - EQUAL:
        return f"Nothing below its widest part is {flatness * MM:.1f} mm narrower."
    return band


def _neck(profile: Profile, flatness: float) -> Band | str:
    above = profile.above_widest()
    if above is None:
        return "It is widest at its top."
    plateau, width = above.narrowest()
    band = profile.stretch(plateau.middle, 0, width + flatness)
    if band.low <= profile.widest()[0].high + EQUAL:
        return f"Nothing above its widest part is {flatness * MM:.1f} mm narrower."
    return band


def _belly(profile: Profile, flatness: float) -> Band | str:
    plateau, width = profile.widest()
    return profile.stretch(plateau.middle, width - flatness, width)


PARTS: dict[str, Callable[[Profile, float], Band | str]] = {
    "stem": _stem,  # about the narrowest point below the widest, wider on both sides
    "neck": _neck,  # about the narrowest point above the widest
    "run": Profile.longest_run,  # the longest run of nearly constant width
    "belly": _belly,  # about the widest point
    "whole": lambda profile, flatness: profile.span,
}
