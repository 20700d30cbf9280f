"""Edges: which faces meet at them, whether they close the surface, and which bodies it is made of.

A face runs through its edges counter-clockwise. Where a surface is closed, every edge is run through as often in one
direction as in the other; then, and only then, the signed volume is the same about every origin.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

Faces = NDArray[np.int64]
SAME_ANGLE = 6  # decimals of radians to which faces around an edge count as being at the same angle


def edges_of(faces: Faces) -> tuple[Faces, NDArray[np.int64]]:
    """Return the number of each face's edges (f, 3), and +1 or -1 (f, 3) for the direction it is run through in."""
    start, end = faces, np.roll(faces, -1, axis=1)
    key = np.minimum(start, end) * (faces.max() + 1) + np.maximum(start, end)
    _, number = np.unique(key, return_inverse=True)
    return number.reshape(faces.shape), np.where(start < end, 1, -1)


def open_edges(faces: Faces) -> int:
    """Return how many edges are run through more often in one direction than in the other: 0 for a closed surface."""
    number, direction = edges_of(faces)
    return int(np.count_nonzero(np.bincount(number.ravel(), direction.ravel())))


def groups(faces: Faces) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
    """Return the places in the flat (f, 3) of edges with two faces, (n, 2), and of each edge with more."""
    number = edges_of(faces)[0].ravel()
    count, order = np.bincount(number), np.argsort(number, kind="stable")
    many = order[np.repeat(count > 2, count)]
    return order[np.repeat(count == 2, count)].reshape(-1, 2), np.split(many, np.cumsum(count[count > 2]))[:-1]


def components(n: int, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of the component of each of n nodes that pairs (m, 2) connect."""
    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), (n, n))
    return connected_components(graph, directed=False)[1]


def bodies_of(vertices: NDArray[np.float64], faces: Faces) -> NDArray[np.int64]:
    """Return the number of the body (f,) that each face belongs to.

    Faces that share an edge belong to one body. Where more than two do, those that have matter between them; so two boxes
    that touch along an edge or in a face are two bodies, each of them closed if the surface is.
    """
    pairs, many = groups(faces)
    matched = [match for places in many for match in _with_matter_between(vertices, faces, places)]
    return components(len(faces), np.concatenate([pairs, np.array(matched, int).reshape(-1, 2)]) // 3)


def _with_matter_between(vertices: NDArray[np.float64], faces: Faces, places: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Return pairs of the places of faces around one edge: a face and the next one that closes what it opens.

    Matter lies counter-clockwise, about the edge from its vertex of lower number, of faces that run against it.
    """
    corners = faces.ravel()[places // 3 * 3 + (places % 3 + np.arange(3)[:, None]) % 3]  # (3, m): start, end, third
    opens = corners[0] > corners[1]
    low, high = sorted(corners[:2, 0])
    axis = vertices[high] - vertices[low]
    arms = vertices[corners[2]] - vertices[low]
    level = arms[0] - axis * (arms[0] @ axis) / (axis @ axis)
    angle = np.arctan2(arms @ np.cross(axis, level) / np.linalg.norm(axis), arms @ level) % (2 * np.pi)
    order = np.lexsort((opens, np.round(angle, SAME_ANGLE)))  # at the same angle, close before opening
    depth = np.cumsum(np.where(opens[order], 1, -1))
    waiting, pairs = [], []
    for k in np.roll(order, -1 - int(np.argmin(depth))):  # begin where nothing is open
        if opens[k]:
            waiting.append(k)
        elif waiting:
            pairs.append((places[waiting.pop()], places[k]))
    return pairs
