"""Apart: how far boxes in space are from an upright prism.

Room is asked for sideways and above alike: what may come no closer than a margin stays outside the prism whose outline is
grown by the margin and whose ends are put off by it. So of a box only what lies between those heights counts, and the shadow
that this casts on the table must stay a margin away from the outline, which may have any shape and holes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.affinity import translate

from grasp.surroundings import Obstacle

EDGES = np.array([(i, i | bit) for i in range(8) for bit in (1, 2, 4) if not i & bit])  # corner bits: x 4, y 2, z 1
FAR = np.inf
ROUNDING = 1e-12  # share of its area by which a polygon may differ from its convex hull and still be called convex


def separation(corners: NDArray[np.float64], obstacle: Obstacle, margin: float) -> NDArray[np.float64]:
    """Return how far boxes are from an obstacle, the greater of their distances sideways and in height.

    Parameters
    ----------
    corners : (q, 8, 3) float, metres, table frame
        Of boxes in any attitude, x varying slowest.
    margin : metres
        To which the distance matters: what is further away may be called infinitely far.

    Returns
    -------
    (q,) float, metres
        Less than `margin` exactly where a box comes closer. Negative where it enters, by the shorter of two moves that would
        take it out: sideways, or up or down as a whole. For boxes with upright edges no shorter straight move would.
    """
    bottom, top = corners[..., 2].min(-1), corners[..., 2].max(-1)
    vertical = np.maximum(bottom - obstacle.high, obstacle.low - top)
    sideways = np.full(len(corners), FAR)
    near = np.flatnonzero((vertical < margin) & _near(corners, obstacle, margin))
    shadows, there = _shadows(corners[near], obstacle.low - margin, obstacle.high + margin)
    near = near[there]
    sideways[near] = _beside(shadows, obstacle.polygon)
    return np.maximum(sideways, vertical)


def _near(corners: NDArray[np.float64], obstacle: Obstacle, margin: float) -> NDArray[np.bool_]:
    """Tell whose bounds (q,) are within a margin of the outline's."""
    bounds = np.array(obstacle.polygon.bounds)
    low, high = corners[..., :2].min(-2), corners[..., :2].max(-2)
    return ((low < bounds[2:] + margin) & (high > bounds[:2] - margin)).all(-1)


def _shadows(corners: NDArray[np.float64], low: float, high: float) -> tuple[Any, Any]:
    """Return the outlines, seen from above, of what of boxes lies between two heights, and of which there is any (q,)."""
    z, start, end = corners[..., 2], corners[:, EDGES[:, 0]], corners[:, EDGES[:, 1]]
    points, valid = [corners[..., :2]], [(z >= low) & (z <= high)]
    for height in (low, high):
        above, below = start[..., 2] - height, end[..., 2] - height
        crosses = above * below < 0
        share = np.where(crosses, above / np.where(crosses, above - below, 1.0), 0.0)[..., None]
        points.append((start + share * (end - start))[..., :2])
        valid.append(crosses)
    place, known = np.concatenate(points, 1), np.concatenate(valid, 1)  # (q, 8 + 12 + 12, 2)
    there = known.any(1)
    place, known = place[there], known[there]
    spare = place[np.arange(len(place)), known.argmax(1)]  # points that do not count are put where one is that does
    place = np.where(known[..., None], place, spare[:, None])
    return shapely.convex_hull(shapely.linestrings(place)), there


def _beside(shadows: NDArray, polygon: shapely.Polygon) -> NDArray[np.float64]:
    """Return the distance (q,) of convex shapes from a polygon, in metres; negative by the move that would part them."""
    distance = shapely.distance(shadows, polygon)
    convex = polygon.convex_hull.area - polygon.area <= ROUNDING * polygon.area
    for i in np.flatnonzero(distance == 0):
        own = shapely.get_coordinates(shadows[i])
        overlapping = _sum_convex(own, polygon) if convex else _sum(own, polygon)
        distance[i] = -shapely.distance(shapely.boundary(overlapping), shapely.Point(0, 0))
    return distance


def _sum(own: NDArray[np.float64], polygon: shapely.Polygon) -> Any:
    """Return all moves in the plane that leave a convex shape and a polygon overlapping.

    They are the Minkowski sum of the polygon and the mirrored shape: the polygon moved by one point of the shape, and the
    whole shape swept along all edges.
    """
    rings = [shapely.get_coordinates(ring) for ring in (polygon.exterior, *polygon.interiors)]
    edges = np.concatenate([np.stack([ring[:-1], ring[1:]], 1) for ring in rings])  # (e, 2, 2)
    swept = (edges[:, :, None] - own).reshape(len(edges), -1, 2)
    pieces: Any = shapely.convex_hull(shapely.linestrings(swept))
    x, y = -own.mean(0)
    return shapely.union_all([translate(polygon, x, y), *pieces])


def _sum_convex(own: NDArray[np.float64], polygon: shapely.Polygon) -> Any:
    """Return what `_sum` returns where the polygon is convex, too."""
    corners = shapely.get_coordinates(polygon.exterior)[:-1]
    return shapely.convex_hull(shapely.linestrings((corners[:, None] - own).reshape(-1, 2)))
