"""Bounding volume hierarchy over a mesh's triangles, for the questions Embree cannot answer: what a swept pad meets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from wrench.checks import frozen

LEAF = 4  # triangles per leaf at the most


@dataclass(frozen=True, eq=False)
class Bvh:
    """Binary tree of axis-aligned boxes. Node 0 is the root.

    Parameters
    ----------
    triangles : (f, 3, 3) float, metres
        Corners, in the order of the leaves.
    face : (f,) int
        The mesh's own index of each triangle.
    low, high : (m, 3) float, metres
        Boxes.
    first, second : (m,) int
        Children of an inner node. Of a leaf, `second` is minus the number of its triangles and `first` the first of them.
    """

    triangles: NDArray[np.float64]
    face: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]

    def __post_init__(self) -> None:
        for field in ("triangles", "low", "high"):
            object.__setattr__(self, field, frozen(getattr(self, field)))
        for field in ("face", "first", "second"):
            object.__setattr__(self, field, frozen(getattr(self, field), np.int64))

    @classmethod
    def of(cls, vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> Bvh:
        """Return the tree of a mesh: vertices (v, 3) in metres, faces (f, 3); split at the median of the longest side."""
        triangles = np.ascontiguousarray(np.asarray(vertices, float)[np.asarray(faces)])
        face, low, high, first, second = _build(triangles)
        return cls(triangles[face], face, low, high, first, second)

    @property
    def arrays(self) -> tuple[NDArray, ...]:
        """What the kernels take: triangles, low, high, first, second."""
        return self.triangles, self.low, self.high, self.first, self.second


@njit(cache=True)
def _build(triangles):
    n = triangles.shape[0]
    order = np.arange(n)
    middle = np.empty((n, 3))
    for t in range(n):
        for k in range(3):
            corners = triangles[t, :, k]
            middle[t, k] = 0.5 * (corners.min() + corners.max())
    room = 2 * n + 1
    low, high = np.empty((room, 3)), np.empty((room, 3))
    first, second = np.empty(room, np.int64), np.empty(room, np.int64)
    todo, waiting, used = np.empty((128, 3), np.int64), 1, 1  # 128 levels hold 2^128 triangles, since halves are equal
    todo[0] = 0, 0, n
    while waiting:
        waiting -= 1
        node, begin, end = todo[waiting]
        for k in range(3):
            low[node, k], high[node, k] = np.inf, -np.inf
            for t in order[begin:end]:
                low[node, k] = min(low[node, k], triangles[t, :, k].min())
                high[node, k] = max(high[node, k], triangles[t, :, k].max())
        if end - begin <= LEAF:
            first[node], second[node] = begin, begin - end
            continue
        part = order[begin:end]
        order[begin:end] = part[np.argsort(middle[part, np.argmax(high[node] - low[node])], kind="mergesort")]
        half = (begin + end) // 2
        first[node], second[node] = used, used + 1
        todo[waiting] = used, begin, half
        todo[waiting + 1] = used + 1, half, end
        waiting, used = waiting + 2, used + 2
    return order, low[:used].copy(), high[:used].copy(), first[:used].copy(), second[:used].copy()
