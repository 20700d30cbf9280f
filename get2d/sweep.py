"""Sweeps: a disc that moves along a straight line, and where it touches a polygon.

Everything happens in a frame turned so that the closing axis is x: a disc of radius r then moves along a line of constant
y, and the places where it would overlap one edge are one interval of x, since the points within r of a segment form a
convex capsule. Intervals are exact: they end on the edge's offset line or on the circle about one of its end points.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

INF = math.inf
GRAZE = 1e-9  # metres of overlap that are rounding
TIE = 1e-13  # metres between two touches that count as one; at a blunt corner they may lie sqrt(2 r TIE) apart


@njit(cache=True, error_model="numpy")
def turn(start, end, cx, cy, turned):
    """Write the edges (e, 4: x0, y0, x1, y1) in the frame whose x axis is (cx, cy) and whose y axis is its right."""
    for i in range(start.shape[0]):
        turned[i, 0] = cx * start[i, 0] + cy * start[i, 1]
        turned[i, 1] = cy * start[i, 0] - cx * start[i, 1]
        turned[i, 2] = cx * end[i, 0] + cy * end[i, 1]
        turned[i, 3] = cy * end[i, 0] - cx * end[i, 1]


@njit(cache=True, inline="always", error_model="numpy")
def blocked(ax, ay, bx, by, y, r):
    """Return the interval (low, high) of x in which a disc at height y overlaps an edge; (inf, -inf) for none."""
    low, high = INF, -INF
    if max(ay, by) + r <= y + GRAZE or min(ay, by) - r >= y - GRAZE:
        return low, high
    for px, py in ((ax, ay), (bx, by)):
        if abs(y - py) < r - GRAZE:
            half = math.sqrt(r * r - (y - py) * (y - py))
            low, high = min(low, px - half), max(high, px + half)
    ex, ey = bx - ax, by - ay
    if ey != 0.0:
        shift = r / math.sqrt(ex * ex + ey * ey)
        for side in (-shift, shift):  # the edge's two offset lines
            along = (y - ay + side * ex) / ey
            if 0.0 <= along <= 1.0:
                x = ax + side * ey + along * ex
                low, high = min(low, x), max(high, x)
    return low, high


@njit(cache=True, inline="always", error_model="numpy")
def crosses_left(ax, ay, bx, by, x, y):
    """Tell whether an edge crosses the ray from (x, y) towards -x; an odd number of them means inside."""
    if (ay > y) == (by > y):
        return False
    return ax + (y - ay) / (by - ay) * (bx - ax) < x


@njit(cache=True, error_model="numpy")
def band(edges, low, high, found):
    """Write the edges that reach into a band of y into `found`; return their number."""
    n = 0
    for i in range(edges.shape[0]):
        if max(edges[i, 1], edges[i, 3]) >= low and min(edges[i, 1], edges[i, 3]) <= high:
            found[n] = i
            n += 1
    return n


@njit(cache=True, forceinline=True, error_model="numpy")
def first_touch(edges, near, row, count, x, y, r, sign):
    """Sweep a disc from (x, y) along sign * x.

    Parameters
    ----------
    edges : (e, 4) float
        From `turn`.
    near : (k, m) int, row, count : int
        The edges to look at, from `band`: the first `count` of a row hold at least all that come within r of height y.
    sign : float
        +1 or -1.

    Returns
    -------
    overlaps : bool
        The disc overlaps the polygon before it moves.
    at : float
        x of the disc's centre at the first touch; inf (times sign) when it meets nothing.
    edge : int
        The edge it touches, -1 for none.
    """
    at, edge, inside = INF, -1, False
    for n in range(count):
        i = near[row, n]
        ax, ay, bx, by = edges[i, 0], edges[i, 1], edges[i, 2], edges[i, 3]
        if max(sign * ax, sign * bx) + r > sign * x - GRAZE and min(sign * ax, sign * bx) - r < at + TIE:
            low, high = blocked(ax, ay, bx, by, y, r)
            if low + GRAZE < x < high - GRAZE:
                return True, x, i
            entry = low if sign > 0 else -high
            if sign * x - GRAZE <= entry < at + TIE:
                if entry < at - TIE or _comes_first(edges, i, edge, sign * at, y):
                    at, edge = entry, i
        inside ^= crosses_left(ax, ay, bx, by, x, y)
    return inside, sign * at, edge


@njit(cache=True, error_model="numpy")
def _comes_first(edges, i, j, x, y):
    """Tell which of two edges touched at once counts: the one met more squarely, or else the one at lower y."""
    if j < 0:
        return True
    (px, py), (qx, qy) = nearest(edges, i, x, y), nearest(edges, j, x, y)
    squarer = abs(px - x) - abs(qx - x)
    return squarer > TIE or (squarer > -TIE and py < qy)


@njit(cache=True, error_model="numpy")
def nearest(edges, i, x, y):
    """Return the point of edge i nearest to (x, y)."""
    ax, ay = edges[i, 0], edges[i, 1]
    ex, ey = edges[i, 2] - ax, edges[i, 3] - ay
    along = max(0.0, min(1.0, ((x - ax) * ex + (y - ay) * ey) / (ex * ex + ey * ey)))
    return ax + along * ex, ay + along * ey


@njit(cache=True, error_model="numpy")
def pockets(edges, heights, r, free):
    """Write the free intervals of x for discs that stand side by side at `heights`; return their number.

    Parameters
    ----------
    edges : (e, 4) float
        From `turn`.
    heights : (m,) float
    free : (m * e + 1, 2) float
        Written, in ascending order; the first begins at -inf and the last ends at inf.
    """
    low, high, n = np.empty(heights.shape[0] * edges.shape[0]), np.empty(heights.shape[0] * edges.shape[0]), 0
    for y in heights:
        for i in range(edges.shape[0]):
            a, b = blocked(edges[i, 0], edges[i, 1], edges[i, 2], edges[i, 3], y, r)
            if a < b:
                low[n], high[n] = a, b
                n += 1
    count, reach = 0, -INF
    for k in np.argsort(low[:n]):
        if low[k] > reach + GRAZE and not _inside(edges, heights, reach, low[k]):
            free[count, 0], free[count, 1] = reach, low[k]
            count += 1
        reach = max(reach, high[k])
    free[count, 0], free[count, 1] = reach, INF
    return count + 1


@njit(cache=True, error_model="numpy")
def _inside(edges, heights, low, high):
    """Tell whether any disc stands in the material between two blocked intervals; nothing does beyond the first."""
    if low == -INF:
        return False
    x = 0.5 * (low + high)
    for y in heights:
        inside = False
        for i in range(edges.shape[0]):
            inside ^= crosses_left(edges[i, 0], edges[i, 1], edges[i, 2], edges[i, 3], x, y)
        if inside:
            return True
    return False
