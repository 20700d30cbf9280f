"""Bounding volume hierarchy over a mesh's triangles, for the questions Embree cannot answer: what a swept pad meets."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from wrench.checks import frozen

LEAF = 8  # triangles per leaf at the most
INNER = -1  # count of a child that is a node
SKIN = 1e-12  # by which boxes are larger than what they hold, as a part of the largest coordinate: far beyond rounding


class Bvh(NamedTuple):
    """Binary tree of axis-aligned boxes, as the kernels take it. Node 0 is the root.

    Parameters
    ----------
    triangles : (f, 3, 3) float, metres
        Corners, in the order of the leaves.
    inward : (f, 3) float
        Unit normals of the triangles, into the solid; zero for one without area.
    box : (m, 2, 2, 3) float, metres
        Of every node both children's boxes: centre and half size.
    child, count : (m, 2) int
        Of every node both children: the node where `count` is INNER; else a leaf's first triangle and how many it has.
    """

    triangles: NDArray[np.float64]
    inward: NDArray[np.float64]
    box: NDArray[np.float64]
    child: NDArray[np.int64]
    count: NDArray[np.int64]

    @classmethod
    def of(cls, vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> Bvh:
        """Return the tree of a mesh: vertices (v, 3) in metres, faces (f, 3); split at the median of the longest side."""
        triangles = np.ascontiguousarray(np.asarray(vertices, float)[np.asarray(faces)])
        order, box, child, count = _build(triangles, SKIN * np.abs(triangles).max())
        triangles = frozen(triangles[order])
        children = frozen(child, np.int64), frozen(count, np.int64)
        return cls(triangles, frozen(inward_normals(triangles)), frozen(box), *children)


def inward_normals(triangles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the unit normals (f, 3), into the solid, of triangles (f, 3, 3); zero for one without area."""
    double = np.cross(triangles[:, 2] - triangles[:, 0], triangles[:, 1] - triangles[:, 0])
    length = np.linalg.norm(double, axis=-1, keepdims=True)
    return np.divide(double, length, out=np.zeros_like(double), where=length > 0)


@njit(cache=True)
def _build(triangles, skin):
    n = triangles.shape[0]
    order, low, high, middle = np.arange(n), np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3))
    for t in range(n):
        for k in range(3):
            a, b, c = triangles[t, 0, k], triangles[t, 1, k], triangles[t, 2, k]
            low[t, k], high[t, k] = min(a, b, c), max(a, b, c)
            middle[t, k] = 0.5 * (low[t, k] + high[t, k])
    box, child, count = np.zeros((n + 1, 2, 2, 3)), np.zeros((n + 1, 2), np.int64), np.zeros((n + 1, 2), np.int64)
    todo, waiting, used = np.empty((128, 3), np.int64), 1, 1  # halves are equal, so 128 levels hold any mesh
    todo[0] = 0, 0, n
    while waiting:
        waiting -= 1
        node, begin, end = todo[waiting]
        half = (begin + end) // 2
        _halve(order, middle, begin, half, end)
        for side, (first, last) in enumerate(((begin, half), (half, end))):
            _enclose(order[first:last], low, high, skin, box[node, side])
            if last - first <= LEAF:
                child[node, side], count[node, side] = first, last - first
            else:
                child[node, side], count[node, side] = used, INNER
                todo[waiting] = used, first, last
                waiting, used = waiting + 1, used + 1
    return order, box[:used].copy(), child[:used].copy(), count[:used].copy()


@njit(cache=True)
def _halve(order, middle, begin, half, end):
    """Order triangles so that the first half lies below the others along the longest side of their middles' box."""
    part, axis, longest = order[begin:end], 0, -1.0
    for k in range(3):
        least, most = np.inf, -np.inf
        for t in part:
            least, most = min(least, middle[t, k]), max(most, middle[t, k])
        if most - least > longest:
            axis, longest = k, most - least
    _select(part, middle, axis, half - begin)


@njit(cache=True)
def _select(part, middle, axis, rank):
    """Order triangles about the one of a rank (Hoare 1961): none before it lies above it, none after it below."""
    first, last = 0, len(part) - 1
    while first < last:
        pivot, i, j = middle[part[(first + last) // 2], axis], first, last
        while i <= j:
            while middle[part[i], axis] < pivot:
                i += 1
            while middle[part[j], axis] > pivot:
                j -= 1
            if i <= j:
                part[i], part[j] = part[j], part[i]
                i, j = i + 1, j - 1
        if rank <= j:
            last = j
        elif rank >= i:
            first = i
        else:
            return


@njit(cache=True)
def _enclose(part, low, high, skin, box):
    """Write centre and half size of the box around triangles."""
    for k in range(3):
        least, most = np.inf, -np.inf
        for t in part:
            least, most = min(least, low[t, k]), max(most, high[t, k])
        if len(part):
            box[0, k], box[1, k] = 0.5 * (least + most), 0.5 * (most - least) + skin
