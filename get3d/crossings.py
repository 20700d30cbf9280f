"""Crossings: every place where a straight line passes through the surface of a mesh."""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from get3d.bvh import Bvh
from wrench.spanning import cross, dot

MOST = 64  # crossings kept per line


def crossings(bvh: Bvh, origin: NDArray[np.float64], direction: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return where lines cross the mesh.

    Parameters
    ----------
    bvh
        Of the mesh.
    origin, direction : (n, 3) float
        Points in metres, and unit vectors.

    Returns
    -------
    (n, 64) float, metres
        Signed distances along each line, ascending, behind the origin as well; padded with inf.
    """
    found = np.full((len(origin), MOST), np.inf)
    _cross(*bvh.arrays, np.ascontiguousarray(origin), np.ascontiguousarray(direction), found)
    return found


@njit(cache=True)
def _cross(triangles, low, high, first, second, origin, direction, found):
    stack = np.empty(256, np.int64)
    for g in range(origin.shape[0]):
        o, d = (origin[g, 0], origin[g, 1], origin[g, 2]), (direction[g, 0], direction[g, 1], direction[g, 2])
        waiting, stack[0], n = 1, 0, 0
        while waiting:
            waiting -= 1
            node = stack[waiting]
            if not _passes(low[node], high[node], o, d):
                continue
            if second[node] > 0:
                stack[waiting], stack[waiting + 1] = first[node], second[node]
                waiting += 2
                continue
            for t in range(first[node], first[node] - second[node]):
                at = _through(triangles[t], o, d)
                if at < math.inf and n < MOST:
                    found[g, n] = at
                    n += 1
        found[g, :n].sort()


@njit(cache=True)
def _passes(low, high, o, d):
    """Tell whether a line passes through a box."""
    enter, leave = -math.inf, math.inf
    for k in range(3):
        if abs(d[k]) < 1e-300:
            if o[k] < low[k] or o[k] > high[k]:
                return False
            continue
        a, b = (low[k] - o[k]) / d[k], (high[k] - o[k]) / d[k]
        enter, leave = max(enter, min(a, b)), min(leave, max(a, b))
    return enter <= leave


@njit(cache=True)
def _through(triangle, o, d):
    """Return where a line passes through a triangle (Moller & Trumbore 1997), inf where it does not."""
    a = (triangle[0, 0], triangle[0, 1], triangle[0, 2])
    u = (triangle[1, 0] - a[0], triangle[1, 1] - a[1], triangle[1, 2] - a[2])
    v = (triangle[2, 0] - a[0], triangle[2, 1] - a[1], triangle[2, 2] - a[2])
    p = cross(d, v)
    volume = dot(u, p)
    if volume == 0.0:
        return math.inf
    s = (o[0] - a[0], o[1] - a[1], o[2] - a[2])
    q = cross(s, u)
    along_u, along_v = dot(s, p) / volume, dot(d, q) / volume
    if along_u < 0.0 or along_v < 0.0 or along_u + along_v > 1.0:
        return math.inf
    return dot(v, q) / volume
