"""Reading a profile: from a mask seen from the side, or from a mesh in its pose, and only of a body of revolution.

What is read is the support of the object at each height: how far it reaches in several directions across the upright axis.
A mask shows two of them, left and right; a mesh is looked at all round. Dents and flutes stay hidden, as in any silhouette.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from baselines.profile_shape import Profile
from get2d.perceive import perceive
from get2d.settings import Perception
from grasp.errors import PerceptionError
from grasp.mesh import Mesh
from grasp.reasons import Reason
from grasp.strict import positive
from grasp.view import View
from wrench.checks import frozen
from wrench.errors import InvalidValue

MM = 1e3
LEVELS = 2000  # at which the width is looked up at the most, so that a mesh in the wrong unit takes no memory
END = 1e-6  # share of the height by which the outermost levels lie inside, where the width is still defined
LEFT_RIGHT = np.array([[1.0], [-1.0]])
LACKS_SIDE = "Rules need a profile: a mask or colours from the side with pixels_per_meter, or a mesh in its pose."


@dataclass(frozen=True)
class Reading:
    """How a profile is read, and how round the object must be.

    Parameters
    ----------
    tolerance : metres
        Between the silhouette seen and that of the body of revolution read from it, at the most (Hausdorff).
    step : metres
        Between the heights at which the width is looked up.
    detail : metres
        Of radius that is not worth a corner of the profile.
    directions
        From which a mesh is looked at, evenly over half a turn, at least 3.
    """

    tolerance: float
    step: float
    detail: float
    directions: int

    def __post_init__(self) -> None:
        for name in ("tolerance", "step", "detail"):
            positive(f"reading.{name}", getattr(self, name), "m")
        if not isinstance(self.directions, int) or self.directions < 3:
            raise InvalidValue("reading.directions", self.directions, "a whole number of at least 3")


@dataclass(frozen=True, eq=False)
class Seen:
    """An object as the rules see it.

    Parameters
    ----------
    profile
        Heights above the table.
    axis : (2,) float, metres, table frame
        Where the axis of revolution stands.
    notes
        What was dropped or assumed on the way.
    """

    profile: Profile
    axis: NDArray[np.float64]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", frozen(self.axis))


def read(view: View, reading: Reading, perception: Perception) -> Seen:
    """Return the profile of the object in a view: of its mesh where there is one, else of its side mask.

    In a side mask the image's rows are heights and the object stands on the table. Its table frame has x along u from the
    middle of the image, z against v from the lowest point of the object, y away from the camera, and the axis at y = 0.

    Raises
    ------
    PerceptionError
        VIEW_LACKS_INPUT; whatever is wrong with the mask; POOR_DATA: a pixel is larger than the tolerance;
        RULE_DOES_NOT_APPLY: no body of revolution about an upright axis.
    """
    if view.mesh is not None:
        return of_mesh(view.mesh, reading)
    if view.pixels_per_meter is None or (view.mask is None and view.rgb is None):
        raise PerceptionError(Reason.VIEW_LACKS_INPUT, LACKS_SIDE)
    pixel = 1 / view.pixels_per_meter
    if pixel > reading.tolerance:
        detail = f"A pixel is {pixel * MM:.2f} mm, more than the {reading.tolerance * MM:g} mm to be told apart."
        raise PerceptionError(Reason.POOR_DATA, detail)
    side = perceive(replace(view, depth=None, points=None, polygon=None), perception)
    return of_outline(side.polygon, reading, side.notes)


def of_outline(outline: Any, reading: Reading, notes: tuple[str, ...] = ()) -> Seen:
    """Return the profile of a silhouette, a Shapely polygon in metres, x across and y up; errors as for `read`."""
    outline = shapely.transform(outline, lambda at: at - [0, outline.bounds[1]])
    rings = [shapely.get_coordinates(ring) for ring in (outline.exterior, *outline.interiors)]
    starts, ends = np.concatenate([ring[:-1] for ring in rings]), np.concatenate([ring[1:] for ring in rings])
    heights, supports = _supports(starts, ends, LEFT_RIGHT, reading.step)
    profile, axis = _revolved(heights, supports, LEFT_RIGHT, reading.detail)
    _require_round([shapely.transform(outline, lambda at: at - [axis[0], 0])], profile, reading.tolerance)
    return Seen(profile, np.array([axis[0], 0.0]), notes)


def of_mesh(mesh: Mesh, reading: Reading) -> Seen:
    """Return the profile of a mesh in its pose on the table; errors as for `read`."""
    angle = np.arange(2 * reading.directions) * np.pi / reading.directions
    directions = np.stack([np.cos(angle), np.sin(angle)], -1)
    edges = np.unique(np.sort(mesh.faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)), axis=0)
    starts, ends = mesh.vertices[edges[:, 0]], mesh.vertices[edges[:, 1]]
    heights, supports = _supports(starts, ends, directions, reading.step)
    profile, axis = _revolved(heights, supports, directions, reading.detail)
    reach = supports - directions @ axis
    pairs = zip(reach[:, : reading.directions].T, reach[:, reading.directions :].T, strict=True)
    sides = [_silhouette(heights, right, left).simplify(reading.detail, preserve_topology=False) for right, left in pairs]
    _require_round(sides, profile, reading.tolerance)
    return Seen(profile, axis)


def _supports(starts: NDArray, ends: NDArray, directions: NDArray, step: float) -> tuple[NDArray, NDArray]:
    """Return heights (n,) and how far the object reaches at each in each direction, (n, m) metres.

    Parameters
    ----------
    starts, ends : (e, d + 1) float, metres
        Edges of the surface; the last coordinate is the height.
    directions : (m, d) float
        Unit vectors.
    """
    low, high = float(starts[:, -1].min()), float(starts[:, -1].max())
    if not high > low:
        raise PerceptionError(Reason.TOO_SMALL, "It has no height.")
    heights = np.linspace(low, high, min(math.ceil((high - low) / step), LEVELS) + 1)
    inside = np.clip(heights, low + END * (high - low), high - END * (high - low))
    level, points = _crossings(starts, ends, inside)
    counts = np.bincount(level, minlength=len(heights))
    if not counts.all():
        gap = heights[counts.argmin()] * MM
        raise PerceptionError(Reason.SEVERAL_OBJECTS, f"Nothing of it is {gap:.1f} mm above the table.")
    along = (points @ directions.T)[np.argsort(level, kind="stable")]
    return heights, np.maximum.reduceat(along, np.cumsum(counts) - counts, axis=0)


def _crossings(starts: NDArray, ends: NDArray, heights: NDArray) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return which of increasing heights (n,) edges (e, d + 1) cross, (c,), and where, (c, d) metres."""
    up = starts[:, -1:] <= ends[:, -1:]
    starts, ends = np.where(up, starts, ends), np.where(up, ends, starts)
    first, last = (np.searchsorted(heights, z[:, -1], side="right") for z in (starts, ends))
    count = last - first
    edge = np.repeat(np.arange(len(starts)), count)
    level = np.arange(len(edge)) + np.repeat(first - (np.cumsum(count) - count), count)
    start, run = starts[edge], (ends - starts)[edge]
    return level, start[:, :-1] + ((heights[level] - start[:, -1]) / run[:, -1])[:, None] * run[:, :-1]


def _revolved(heights: NDArray, supports: NDArray, directions: NDArray, detail: float) -> tuple[Profile, NDArray]:
    """Return the profile and the axis of the body of revolution nearest to supports (n, m) in even directions (m, d).

    A body of revolution reaches a . u + r(z) along u: its axis a is the mean over heights of sum(h u) d / m, its radius
    the mean of what is left.
    """
    centres = supports @ directions * directions.shape[1] / len(directions)  # (n, d)
    axis = np.average(centres, axis=0, weights=np.maximum(supports.mean(1), 0) + 1e-12)
    radius = np.maximum((supports - directions @ axis).mean(1), 0)
    line = shapely.LineString(np.stack([heights, radius], -1)).simplify(detail)
    heights, radius = shapely.get_coordinates(line).T
    if radius.max() <= detail:
        raise PerceptionError(Reason.TOO_SMALL, f"It is nowhere {2 * detail * MM:g} mm wide.")
    return Profile(heights, 2 * radius), axis


def _silhouette(heights: NDArray, right: NDArray, left: NDArray) -> shapely.Polygon:
    """Return the region between two borders about the axis x = 0, distances (n,) metres to either side."""
    up, down = np.stack([right, heights], -1), np.stack([-left, heights], -1)[::-1]
    return shapely.Polygon(np.concatenate([up, down]))


def _require_round(silhouettes: Sequence[Any], profile: Profile, tolerance: float) -> None:
    """Raise unless every silhouette about the axis x = 0 is that of the body of revolution."""
    radius = profile.widths / 2
    body = _silhouette(profile.heights, radius, radius).boundary
    off = max(shapely.hausdorff_distance(seen.boundary, body, densify=0.05) for seen in silhouettes)
    if off > tolerance:
        detail = f"Its outline lies up to {off * MM:.1f} mm from that of a body of revolution about an upright axis"
        raise PerceptionError(Reason.RULE_DOES_NOT_APPLY, f"{detail}, more than {tolerance * MM:g} mm.")
