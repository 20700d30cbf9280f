"""Slow second opinion on GET-2D: discs walked towards a polygon by Shapely distances, grasps judged by Qhull.

Nothing here is shared with the kernels. A disc first touches where its centre's distance to the polygon falls to the
radius: it walks as far as that distance says is surely free, creeps once it is close, and bisects its last step. All
walks of a call run side by side. Metres and radians, table frame.
"""

from dataclasses import dataclass

import numpy as np
import shapely

from tests.oracles import epsilon_l1, primitives

GRIPS, OVERLAPS, MISSES, PASSES = range(4)  # as `get2d.close` numbers them
DEEP = 1e-12  # metres: a disc that stands or slides against the outline touches it no deeper than rounding and is free
CREEP = 1e-5  # metres of the least step: a disc that grazes a corner by less than 3 nm may pass it
HALVINGS = 40  # of a step of at most CREEP
CLOSED = 1e-9  # epsilon below which a grasp is not closed: Qhull's rounding


@dataclass(frozen=True, eq=False)
class Closed:
    """What became of n closings of k discs: outcome (n,), opening (n,), made (n, k), points and normals (n, k, 2)."""

    outcome: np.ndarray
    opening: np.ndarray
    made: np.ndarray
    points: np.ndarray
    normals: np.ndarray


def gap(polygon, centre, radius):
    """Return the distance between discs (m, 2) and a polygon; -radius for a centre inside."""
    return shapely.distance(polygon, shapely.points(centre)) - radius


def first_touch(polygon, centre, heading, radius):
    """Return how far discs (m, 2) that start clear may move along unit headings (m, 2); inf where nothing is met."""
    shapely.prepare(polygon)
    x0, y0, x1, y1 = polygon.bounds
    middle, reach = np.array([x0 + x1, y0 + y1]) / 2, np.hypot(x1 - x0, y1 - y0) / 2 + 2 * radius
    leave = np.einsum("mi,mi->m", middle - centre, heading) + reach  # beyond it everything lies behind
    travel, touched = np.zeros(len(centre)), np.zeros(len(centre), bool)
    walking = np.flatnonzero(leave > 0)
    room = gap(polygon, centre[walking], radius)
    while walking.size:
        step = np.maximum(room, CREEP)
        room = gap(polygon, centre[walking] + (travel[walking] + step)[:, None] * heading[walking], radius)
        met = room < -DEEP
        touched[walking[met]] = True
        travel[walking[~met]] += step[~met]
        on = ~met & (travel[walking] < leave[walking])
        walking, room = walking[on], room[on]
    travel[touched] += _last_step(polygon, (centre + travel[:, None] * heading)[touched], heading[touched], radius)
    return np.where(touched, travel, np.inf)


def _last_step(polygon, centre, heading, radius):
    """Return how far clear discs (m, 2) move until they touch, which they do within the least step."""
    low, high = np.zeros(len(centre)), np.maximum(gap(polygon, centre, radius), CREEP)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        met = gap(polygon, centre + middle[:, None] * heading, radius) < -DEEP
        low, high = np.where(met, low, middle), np.where(met, middle, high)
    return high


def starts(offset, wide, radius, centre, angle, opening):
    """Return the centres (n, k, 2) of the discs as grippers (n,) arrive, and their headings (n, k, 2) when they close."""
    closing = np.stack([np.cos(angle), np.sin(angle)], -1)[:, None]
    right = np.stack([np.sin(angle), -np.cos(angle)], -1)[:, None]
    side = np.where(wide, -1.0, 1.0)[:, None]
    half = np.asarray(opening)[:, None, None] / 2 + radius
    return np.asarray(centre)[:, None] + side * half * closing + offset[:, None] * right, -side * closing


def close(polygon, circles, centre, angle, opening, *, min_opening, tolerance):
    """Close grippers at centres (n, 2), angles (n,) and openings (n,) on a polygon."""
    wide, r, n, k = circles.wide, circles.radius, len(angle), len(circles)
    start, heading = starts(circles.offset, wide, r, centre, angle, opening)
    blocked = (gap(polygon, start.reshape(-1, 2), r) < -DEEP).reshape(n, k).any(1)
    travel = np.full((n, k), np.inf)
    clear = start[~blocked].reshape(-1, 2), heading[~blocked].reshape(-1, 2)
    travel[~blocked] = first_touch(polygon, *clear, r).reshape(-1, k)
    by_wide, by_narrow = travel[:, wide].min(1), travel[:, ~wide].min(1)
    left = opening - by_wide - by_narrow  # -inf where a jaw meets nothing
    missed = np.isinf(left)
    outcome = np.select([blocked, missed, left < min_opening], [OVERLAPS, MISSES, PASSES], GRIPS)
    grips = outcome == GRIPS
    first = np.where(wide, by_wide[:, None], by_narrow[:, None])
    made = grips[:, None] & (travel <= first + tolerance)
    points, normals = np.zeros((n, k, 2)), np.zeros((n, k, 2))
    stop = start[made] + travel[made][:, None] * heading[made]
    nearest = shapely.get_coordinates(shapely.shortest_line(polygon, shapely.points(stop))).reshape(-1, 2, 2)[:, 0]
    points[made], normals[made] = nearest, (nearest - stop) / r
    return Closed(outcome, np.where(grips, left, np.nan), made, points, normals)


def reference(polygon):
    """Return centre of mass and object length of the paper's conventions, in metres."""
    centre = np.array(polygon.centroid.coords[0])
    return centre, 2 * max(np.hypot(*(np.array(vertex) - centre)) for vertex in polygon.exterior.coords)


def epsilon(polygon, points, normals, friction):
    """Return epsilon of the made contacts of one grasp under the paper's conventions; 0 without closure."""
    found = epsilon_l1(primitives(points, normals, friction, *reference(polygon)))
    return found if found > CLOSED else 0.0


def metrics(polygon, circles, centre, angle, opening, translation, *, friction, min_opening, tolerance):
    """Return closure rate, mean contacts and mean epsilon of one pose over displacements (s, 2)."""
    s = len(translation)
    closed = close(
        *(polygon, circles, centre + translation, np.full(s, angle), np.full(s, opening)),
        min_opening=min_opening,
        tolerance=tolerance,
    )
    grasps = zip(closed.points, closed.normals, closed.made, strict=True)
    values = np.array([epsilon(polygon, points[made], normals[made], friction) for points, normals, made in grasps])
    return (values > 0).mean(), closed.made.sum(1).mean(), values.mean()
