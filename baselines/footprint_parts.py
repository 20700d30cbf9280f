"""Part grasps: closing lines across a thin part of a footprint: a ring's band, a rim, a handle."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.polygon import orient

from baselines.footprint_lines import Lines, in_plane_of, landing_spots, on_table
from baselines.footprint_settings import Parts, Room
from grasp.gripper import Gripper
from grasp.reasons import Reason

INSIDE = 1e-7  # metres: from the outline into the material, where a line begins
NONE = np.zeros(0)


def part_lines(polygon: Any, gripper: Gripper, parts: Parts, room: Room, margin: float) -> Lines:
    """Return closing lines normal to every edge of a footprint, as far as the material goes without a gap.

    The wide jaw is on the edge, as in GET-2D's edge sampler; the same part with the narrow jaw there comes from the edge on
    its other side. The jaws start `margin` metres off the material, or at the clearance where that does not leave room.

    Parameters
    ----------
    polygon
        Metres, table frame; may be empty.

    Returns
    -------
    Lines (n,)
        Rejected are those that run along a part rather than across it, across what is too thin or thick, whose two sides
        are not parallel enough, and without room for a jaw to land: the whole width of each must be free.
    """
    if polygon.is_empty:
        return Lines(np.zeros((0, 2)), NONE, NONE, NONE, NONE, NONE, Reason.accepted(0))
    edges = _edges(polygon)
    start, inward = _starts(edges, parts.spacing)
    width, facing = _across(polygon, edges, start, inward)
    reason = Reason.accepted(len(start))
    centre, heading = start + inward * width[:, None] / 2, np.arctan2(inward[:, 1], inward[:, 0])
    reason[facing > -np.cos(parts.slope)] = Reason.NOT_ANTIPODAL.code
    reason[_disc(polygon, centre) < parts.across * width] = Reason.RULE_DOES_NOT_APPLY.code
    reason[width > gripper.max_opening - 2 * room.clearance] = Reason.TOO_WIDE.code
    reason[width < max(parts.least_thickness, gripper.min_opening)] = Reason.TOO_NARROW.code
    lines = Lines(centre, heading, width, np.zeros_like(width), np.ones_like(width), width, reason)
    return _measured(polygon, _landed(polygon, lines, gripper, room, margin))


def _edges(polygon: Any) -> NDArray[np.float64]:
    """Return the edges (e, 2, 2) of all rings, material on their left."""
    rings = [shapely.get_coordinates(ring) for ring in (orient(polygon).exterior, *orient(polygon).interiors)]
    return np.concatenate([np.stack([ring[:-1], ring[1:]], 1) for ring in rings])


def _normals(edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the unit normals (e, 2) of edges into the material."""
    along = edges[:, 1] - edges[:, 0]
    return np.stack([-along[:, 1], along[:, 0]], -1) / np.linalg.norm(along, axis=1, keepdims=True)


def _starts(edges: NDArray[np.float64], spacing: float) -> tuple[NDArray, NDArray]:
    """Return points (n, 2) evenly spaced along edges, at least one on each, and the normals (n, 2) there."""
    steps = np.linalg.norm(edges[:, 1] - edges[:, 0], axis=1) / spacing
    count = np.maximum(np.ceil(steps - INSIDE), 1).astype(int)  # rounding must not add a step to a whole multiple
    row = np.repeat(np.arange(len(edges)), count)
    step = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    share = ((step + 0.5) / count[row])[:, None]
    return edges[row, 0] * (1 - share) + edges[row, 1] * share, _normals(edges)[row]


def _across(polygon: Any, edges: NDArray, start: NDArray, inward: NDArray) -> tuple[NDArray, NDArray]:
    """Return how far the material goes from points along directions, and the cosine between those and the normal met."""
    begin = start + INSIDE * inward
    far = np.ptp(np.reshape(polygon.bounds, (2, 2)), axis=0).sum()
    rays = shapely.linestrings(np.stack([begin, start + far * inward], 1))
    width = INSIDE + shapely.distance(shapely.points(begin), shapely.intersection(rays, polygon.boundary))
    width = np.nan_to_num(width)  # a line that leaves the outline nowhere begins outside: an edge thinner than INSIDE
    sides: Any = shapely.linestrings(edges)
    met = shapely.STRtree(sides).nearest(shapely.points(start + inward * width[:, None]))
    return width, (_normals(edges)[met] * inward).sum(1)


def _disc(polygon: Any, centre: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the diameter (n,) of the widest disc about points (n, 2) that the outline does not enter."""
    return 2 * shapely.distance(shapely.points(centre), polygon.boundary)


def _landed(polygon: Any, lines: Lines, gripper: Gripper, room: Room, margin: float) -> Lines:
    """Return the lines with the widest opening at which both jaws land on free ground, or the reason that none does."""
    opening, reason = lines.opening.copy(), lines.reason.copy()
    shapely.prepare(polygon)
    left = np.flatnonzero(reason == 0)
    for gap in (margin, room.clearance):
        tried = np.minimum(lines.width[left] + 2 * gap, gripper.max_opening)
        free = clear(polygon, lines.centre[left], lines.heading[left], landing_spots(gripper, tried), room)
        opening[left[free]] = tried[free]
        left = left[~free]
    reason[left] = Reason.NO_CLEARANCE.code
    return replace(lines, opening=opening, reason=reason)


def clear(polygon: Any, centre: NDArray, heading: NDArray, spots: NDArray, room: Room) -> NDArray[np.bool_]:
    """Tell which lines (n,) have landing spots (n, 2, 4, 2) that keep the clearance, up to the slack, from the material."""
    placed = shapely.polygons(on_table(centre, heading, spots))
    return np.min(shapely.distance(placed, polygon), axis=1, initial=np.inf) >= room.clearance - room.slack


def _measured(polygon: Any, lines: Lines) -> Lines:
    """Return the lines with the length, across the closing axis, of the part that stands between the jaws."""
    length = np.zeros(len(lines))
    for i in np.flatnonzero(lines.reason == 0):
        local, half = in_plane_of(lines.centre[i], float(lines.heading[i]), polygon), lines.opening[i] / 2
        left, low, right, high = local.bounds
        between = shapely.intersection(local, shapely.box(-half, low, half, high))
        own = [part for part in shapely.get_parts(between) if part.intersects(shapely.Point(0, 0))]
        length[i] = np.ptp(np.reshape(own[0].bounds, (2, 2)), axis=0)[1] if own else 0.0
    return replace(lines, length=length)
