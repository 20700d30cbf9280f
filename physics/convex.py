"""Convex pieces of a polygon: triangles merged across every edge that can be done without (Hertel and Mehlhorn 1983)."""

from __future__ import annotations

import numpy as np
import trimesh
from numpy.typing import NDArray
from shapely import Polygon

STRAIGHT = 1e-9  # sine of the turn at a corner, below which it is none
SLIVER = 1e-10  # m^2; a piece of less area is rounding error

Loop = list[int]


def pieces(profile: Polygon) -> list[NDArray[np.float64]]:
    """Return convex polygons (n, 2) that fill a polygon with holes without overlap, each counter-clockwise."""
    # as for prisms: mapbox_earcut would drop corners that lie in line with others
    points, triangles = trimesh.creation.triangulate_polygon(profile, engine="manifold")
    points = np.asarray(points)
    loops = merge(points, [_counter_clockwise(points, triangle) for triangle in triangles.tolist()])
    return [points[loop] for loop in loops if area(points[loop]) > SLIVER]


def merge(points: NDArray[np.float64], triangles: list[Loop]) -> list[Loop]:
    """Return loops of corners after taking away edges, longest first, as long as both pieces stay convex as one.

    Parameters
    ----------
    points : (n, 2) float
    triangles
        Indices of corners, counter-clockwise.
    """
    loops = dict(enumerate(triangles))
    owner = {edge: i for i, loop in loops.items() for edge in _edges(loop)}
    inner = [edge for edge in owner if edge[0] < edge[1] and edge[::-1] in owner]
    for a, b in sorted(inner, key=lambda edge: -np.linalg.norm(points[edge[0]] - points[edge[1]])):
        i, j = owner[a, b], owner[b, a]
        joined = _from(loops[i], b) + _from(loops[j], a)[1:-1]  # b ... a, then on round the other piece up to b
        if i != j and _convex(points[joined]):
            loops[i] = joined
            owner |= {edge: i for edge in _edges(loops.pop(j))}
    return list(loops.values())


def area(loop: NDArray[np.float64]) -> float:
    """Return the area of a polygon (n, 2), positive where it is counter-clockwise."""
    x, y = (loop - loop[0]).T
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def _counter_clockwise(points: NDArray[np.float64], triangle: Loop) -> Loop:
    return triangle if area(points[triangle]) >= 0 else triangle[::-1]


def _edges(loop: Loop) -> list[tuple[int, int]]:
    return list(zip(loop, loop[1:] + loop[:1], strict=True))


def _from(loop: Loop, corner: int) -> Loop:
    """Return a loop that begins at one of its corners."""
    i = loop.index(corner)
    return loop[i:] + loop[:i]


def _convex(loop: NDArray[np.float64]) -> bool:
    """Return whether a loop (n, 2), joined from two convex ones, turns right nowhere."""
    side = np.roll(loop, -1, 0) - loop
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    before = np.roll(side, 1, 0)
    return bool(np.all(before[:, 0] * side[:, 1] - before[:, 1] * side[:, 0] >= -STRAIGHT))
