"""Mass of a profile: volume and centre of mass of the body of revolution, by frusta; matter is evenly spread."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baselines.profile_shape import Profile
from wrench.errors import InvalidValue


def volume(profile: Profile) -> float:
    """Return the volume of the solid body in cubic metres: times a density in kg/m^3 it is its mass.

    Each piece is a frustum, V = pi h (a^2 + a b + b^2) / 3 with end radii a and b.
    """
    a, b, h = _pieces(profile)
    return float(np.pi / 3 * np.sum(h * (a * a + a * b + b * b)))


def solid_centre(profile: Profile) -> float:
    """Return the height of the solid body's centre of mass in metres above the table.

    Moment of a frustum about its lower end: pi h^2 (a^2 + 2 a b + 3 b^2) / 12.
    """
    a, b, h = _pieces(profile)
    own = np.pi / 12 * h * h * (a * a + 2 * a * b + 3 * b * b)
    lift = np.pi / 3 * h * (a * a + a * b + b * b) * profile.heights[:-1]
    return float(np.sum(own + lift) / volume(profile))


def vessel_area(profile: Profile) -> float:
    """Return the area in square metres of walls and bottom, the top open: times kg/m^2 it is a thin vessel's mass.

    The walls are Pappus's first theorem: pi (a + b) s for a piece of slant length s.
    """
    a, b, h = _pieces(profile)
    return float(np.sum(_walls(a, b, h)) + np.pi * a[0] ** 2)


def vessel_centre(profile: Profile) -> float:
    """Return the height of a thin vessel's centre of mass in metres: walls and bottom of one thickness, the top open.

    Walls of a piece have theirs h (a + 2 b) / (3 (a + b)) above its lower end.
    """
    a, b, h = _pieces(profile)
    bottom, walls = profile.heights[:-1], _walls(a, b, h)
    slant = np.hypot(h, b - a)
    moment = walls * bottom + np.pi * slant * h * (a + 2 * b) / 3
    return float((np.sum(moment) + np.pi * a[0] ** 2 * bottom[0]) / vessel_area(profile))


CENTRES = {"solid": solid_centre, "vessel": vessel_centre}


def centre(profile: Profile, matter: str) -> float:
    """Return the height of the centre of mass in metres above the table.

    Parameters
    ----------
    matter
        ``"solid"``, filled to the outline, or ``"vessel"``, thin walls and bottom.
    """
    if matter not in CENTRES:
        raise InvalidValue("matter", repr(matter), f"one of {', '.join(map(repr, CENTRES))}")
    return CENTRES[matter](profile)


def _pieces(profile: Profile) -> tuple[NDArray, NDArray, NDArray]:
    """Return the lower radius, upper radius and height of every piece, metres."""
    radius = profile.widths / 2
    return radius[:-1], radius[1:], np.diff(profile.heights)


def _walls(a: NDArray, b: NDArray, h: NDArray) -> NDArray:
    return np.pi * (a + b) * np.hypot(h, b - a)
