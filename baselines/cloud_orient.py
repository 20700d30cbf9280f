"""Orientation: which side of a surface is outside, where no camera tells."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

NEAR = 10  # neighbours a sign may be handed on to
LEAST = 1e-9  # weight of an edge between parallel normals; a sparse matrix holds no edge of weight 0
UP = np.array([0.0, 0, 1])


def propagated(points: NDArray[np.float64], normals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return unit normals (n, 3) of points (n, 3), all on the outer side of a surface.

    The sign is handed from point to neighbour along the spanning tree that turns least, beginning at the highest point,
    whose normal points up (Hoppe et al. 1992, section 3.3). Every piece that has no neighbours elsewhere begins anew.

    Parameters
    ----------
    points : (n, 3) float, metres
        No two alike.
    normals : (n, 3) float
        Of either sign.
    """
    from scipy.sparse import csr_array  # slow to import
    from scipy.sparse.csgraph import breadth_first_order, connected_components, minimum_spanning_tree

    count = len(points)
    edges = _graph(points, normals)
    pieces, label = connected_components(edges, directed=False)
    order = np.argsort(points[:, 2], kind="stable")
    highest = np.empty(pieces, np.intp)
    highest[label[order]] = order  # of equal indices the last is kept: the highest of each piece
    tree = minimum_spanning_tree(edges).tocoo()
    rows, columns = np.append(tree.row, np.full(pieces, count)), np.append(tree.col, highest)
    rooted = csr_array((np.ones(len(rows)), (rows, columns)), shape=(count + 1, count + 1))
    _, before = breadth_first_order(rooted, count, directed=False)
    return normals * _signs(np.vstack([normals, UP]), count, before)[:count, None]


def _graph(points: NDArray[np.float64], normals: NDArray[np.float64]) -> Any:
    """Return the neighbourhood graph (n, n), sparse; its weights are least between normals that are parallel."""
    from scipy.sparse import csr_array
    from scipy.spatial import KDTree

    count = len(points)
    near = min(NEAR + 1, count)  # the first is the point itself
    _, index = KDTree(points).query(points, near)
    rows, columns = np.repeat(np.arange(count), near - 1), np.reshape(index, (count, near))[:, 1:].ravel()
    weight = 1 + LEAST - np.abs(np.einsum("ni,ni->n", normals[rows], normals[columns]))
    return csr_array((np.maximum(weight, LEAST), (rows, columns)), shape=(count, count))


def _signs(normals: NDArray[np.float64], root: int, before: NDArray) -> NDArray[np.float64]:
    """Return +1 or -1 for every node of a tree, of which each knows the node before it, by doubling the steps back."""
    before = before.copy()
    before[root] = root
    sign = np.where(np.einsum("ni,ni->n", normals, normals[before]) < 0, -1.0, 1.0)
    while (before != root).any():
        sign, before = sign * sign[before], before[before]
    return sign
