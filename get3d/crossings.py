"""Crossings: every place where a straight line passes through the surface of a mesh."""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from get3d.bvh import INNER, Bvh
from get3d.clip import FAST
from wrench.spanning import cross, dot

MOST = 64  # crossings kept per line
EDGE = 1e-12  # by which a line may pass beside a triangle, in its own coordinates: none slips between two of them
SAME = 1e-9  # metres within which two crossings in the same sense are one, met on a common edge


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
    _cross(bvh, np.ascontiguousarray(origin), np.ascontiguousarray(direction), found)
    return found


@njit(cache=True)
def _cross(tree, origin, direction, found):
    stack, leaving = np.empty(256, np.int64), np.empty(MOST, np.bool_)
    for g in range(origin.shape[0]):
        o, d = (origin[g, 0], origin[g, 1], origin[g, 2]), (direction[g, 0], direction[g, 1], direction[g, 2])
        waiting, stack[0], n = 1, 0, 0
        while waiting:
            waiting -= 1
            node = stack[waiting]
            for side in range(2):
                first, count = tree.child[node, side], tree.count[node, side]
                if not _passes(tree.box, node, side, o, d):
                    continue
                if count == INNER:
                    stack[waiting] = first
                    waiting += 1
                for t in range(first, first + count):
                    at, leaves = _through(tree.triangles, t, o, d)
                    if at < math.inf and n < MOST and not _known(found[g], leaving, n, at, leaves):
                        found[g, n], leaving[n] = at, leaves
                        n += 1
        found[g, :n].sort()


@njit(forceinline=True, **FAST)
def _known(found, leaving, n, at, leaves):
    """Tell whether a crossing was already found."""
    for i in range(n):
        if leaving[i] == leaves and abs(found[i] - at) < SAME:
            return True
    return False


@njit(forceinline=True, **FAST)
def _passes(box, node, side, o, d):
    """Tell whether a line passes through a child's box."""
    enter, leave = -math.inf, math.inf
    for k in range(3):
        middle, half = box[node, side, 0, k] - o[k], box[node, side, 1, k]
        if abs(d[k]) < 1e-300:
            if abs(middle) > half:
                return False
            continue
        a, b = (middle - half) / d[k], (middle + half) / d[k]
        enter, leave = max(enter, min(a, b)), min(leave, max(a, b))
    return enter <= leave


@njit(forceinline=True, **FAST)
def _through(triangles, t, o, d):
    """Return where a line passes through a triangle, inf where it does not, and whether it leaves the solid there.

    Moller & Trumbore 1997.
    """
    a = (triangles[t, 0, 0], triangles[t, 0, 1], triangles[t, 0, 2])
    u = (triangles[t, 1, 0] - a[0], triangles[t, 1, 1] - a[1], triangles[t, 1, 2] - a[2])
    v = (triangles[t, 2, 0] - a[0], triangles[t, 2, 1] - a[1], triangles[t, 2, 2] - a[2])
    p = cross(d, v)
    volume = dot(u, p)
    if volume == 0.0:
        return math.inf, False
    s = (o[0] - a[0], o[1] - a[1], o[2] - a[2])
    q = cross(s, u)
    along_u, along_v = dot(s, p) / volume, dot(d, q) / volume
    if along_u < -EDGE or along_v < -EDGE or along_u + along_v > 1.0 + EDGE:
        return math.inf, False
    return dot(v, q) / volume, volume < 0.0
