"""Touch: where upright flat faces, closing level on a body of revolution, come to rest against it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baselines.profile_shape import Profile


@dataclass(frozen=True, eq=False)
class Patch:
    """Where faces that span heights (*b) touch first, and how far they sink in.

    Parameters
    ----------
    radius : (*b) float, metres
        Greatest radius the face meets; -inf where it passes below or above the object.
    at_height : (*b) float, metres
        Radius at `height`, up to `give` less.
    height : (*b) float, metres above the table
        Middle of the patch, the connected heights around the first touch that the compliant face reaches.
    slope : (*b) float
        Change of radius per metre of height over the patch: 0 on parallel walls and about a belly.
    """

    radius: NDArray[np.float64]
    at_height: NDArray[np.float64]
    height: NDArray[np.float64]
    slope: NDArray[np.float64]


def reach(profile: Profile, low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the greatest radius (*b) between heights (*b), metres; -inf where the interval misses the object."""
    heights = _inside(profile, low, high)
    radius = profile.width(heights).max(-1) / 2
    return np.where(_meets(profile, low, high), radius, -np.inf)


def touch(profile: Profile, low: NDArray[np.float64], high: NDArray[np.float64], give: float) -> Patch:
    """Return where faces between heights (*b) touch first.

    Parameters
    ----------
    low, high : (*b) float, metres above the table
    give : metres
        That a pad yields, so that it touches more than a point.
    """
    heights = _inside(profile, low, high)  # (*b, n): the corners within the face, then its ends again and again
    radius = profile.width(heights) / 2
    place = np.arange(heights.shape[-1])
    first = radius.argmax(-1)[..., None]
    best = radius.max(-1, keepdims=True)
    off = radius < best - give
    before = np.where(off & (place < first), place, -1).max(-1)
    after = np.where(off & (place > first), place, len(place)).min(-1)
    level = best[..., 0] - give
    start = _edge(heights, radius, before, before + 1, level)
    end = _edge(heights, radius, after, after - 1, level)
    rise = (profile.width(end) - profile.width(start)) / 2
    long = np.where(end > start, end - start, np.inf)
    met = np.where(_meets(profile, low, high), best[..., 0], -np.inf)
    middle = (start + end) / 2
    return Patch(met, profile.width(middle) / 2, middle, rise / long)


def _inside(profile: Profile, low: NDArray, high: NDArray) -> NDArray[np.float64]:
    """Return the profile's heights moved into intervals (*b), (*b, n): what is outside stands at an end."""
    return np.clip(profile.heights, np.asarray(low)[..., None], np.asarray(high)[..., None])


def _meets(profile: Profile, low: NDArray, high: NDArray) -> NDArray[np.bool_]:
    return (low <= profile.span.high) & (high >= profile.span.low)


def _edge(heights: NDArray, radius: NDArray, out: NDArray, back: NDArray, level: NDArray) -> NDArray[np.float64]:
    """Return the height at which the radius reaches a level between entries `out` and `back`; the end where none is out."""
    last = heights.shape[-1] - 1
    ends = [np.clip(index, 0, last)[..., None] for index in (out, back)]
    (z_out, z_in), (r_out, r_in) = ([np.take_along_axis(a, i, -1)[..., 0] for i in ends] for a in (heights, radius))
    drop = np.where(r_in > r_out, r_in - r_out, 1.0)
    return np.where((out < 0) | (out > last), z_in, z_in + (z_out - z_in) * np.clip((r_in - level) / drop, 0, 1))
