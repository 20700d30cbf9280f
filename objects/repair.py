"""Repair: what can be mended without guessing. Each step returns new faces and one sentence, or none if it did nothing.

An edge is run through once in each direction by the two faces at it. Where the runs do not cancel, the surface is open.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

WELD = 1e-8  # metres; vertices nearer than this are the same: below the resolution of single precision at 0.1 m
Faces = NDArray[np.int64]


def weld(vertices: NDArray[np.float64], faces: Faces) -> tuple[NDArray[np.float64], Faces]:
    """Return vertices and faces with equal vertices merged, whatever normal or texture told them apart."""
    from trimesh.grouping import unique_rows  # slow to import

    first, inverse = unique_rows(vertices - vertices.min(0), digits=round(-np.log10(WELD)))
    return vertices[first], inverse[faces]  # every STL file needs it: no repair worth a note


def drop_degenerate(faces: Faces) -> tuple[Faces, list[str]]:
    """Drop faces with a corner that occurs twice. Slivers with three corners stay: they join their neighbours."""
    bad = (faces == np.roll(faces, 1, axis=1)).any(1)
    return faces[~bad], [f"dropped {bad.sum()} faces without area"] if bad.any() else []


def drop_duplicates(faces: Faces) -> tuple[Faces, list[str]]:
    """Keep one of the faces that have the same corners, or none if as many look one way as the other.

    The latter are walls without thickness, such as those between two bodies that touch.
    """
    ascending, side = np.sort(faces, axis=1), parity(faces)
    _, first, group = np.unique(ascending, axis=0, return_index=True, return_inverse=True)
    net = np.bincount(group.ravel(), side)
    keep = first[net != 0]
    if len(keep) == len(faces):
        return faces, []
    kept = np.where((side[keep] == np.sign(net[net != 0]))[:, None], faces[keep], faces[keep, ::-1])
    return kept, [f"dropped {len(faces) - len(kept)} duplicate faces"]


def parity(faces: Faces) -> NDArray[np.int64]:
    """Return +1 for faces whose corners are an even permutation of their ascending order, else -1."""
    return np.sign((faces[:, 1] - faces[:, 0]) * (faces[:, 2] - faces[:, 1]) * (faces[:, 2] - faces[:, 0]))


def edges_of(faces: Faces) -> tuple[Faces, NDArray[np.int64]]:
    """Return the number of each face's edges (f, 3), and +1 or -1 (f, 3) for the direction it is run through in."""
    start, end = faces, np.roll(faces, -1, axis=1)
    key = np.minimum(start, end) * (faces.max() + 1) + np.maximum(start, end)
    _, number = np.unique(key, return_inverse=True)
    return number.reshape(faces.shape), np.where(start < end, 1, -1)


def open_edges(faces: Faces) -> int:
    """Return how many edges are run through more often in one direction than in the other: 0 for a closed surface.

    Then, and only then, the signed volume is the same about every origin. More than two faces may meet at an edge.
    """
    number, direction = edges_of(faces)
    return int(np.count_nonzero(np.bincount(number.ravel(), direction.ravel())))


def bodies_of(faces: Faces) -> NDArray[np.int64]:
    """Return the number of the body each face belongs to (f,): faces that share an edge belong together."""
    number, _ = edges_of(faces)
    rows = np.repeat(np.arange(len(faces)), 3)
    incidence = coo_array((np.ones(number.size), (rows, number.ravel())), (len(faces), number.max() + 1)).tocsr()
    return connected_components(incidence @ incidence.T, directed=False)[1]


def align_winding(faces: Faces) -> tuple[Faces, list[str]]:
    """Turn over the fewer faces of each body so that neighbours look to the same side; edges of two faces decide.

    Every face is taken twice, as it is and turned over, and joined with those of its neighbours that agree with it. A
    body then falls into two mirror images; if it does not, it has one side only and stays open.
    """
    number, direction = edges_of(faces)
    count, order = np.bincount(number.ravel()), np.argsort(number.ravel(), kind="stable")
    pair = order[np.repeat(count == 2, count)].reshape(-1, 2)  # places of both faces in the flat (f, 3)
    first, second = (pair // 3).T
    agree = direction.ravel()[pair].sum(1) == 0
    n = len(faces)
    rows = np.concatenate([first, first + n])
    columns = np.concatenate([np.where(agree, second, second + n), np.where(agree, second + n, second)])
    label = connected_components(coo_array((np.ones(len(rows)), (rows, columns)), (2 * n, 2 * n)), directed=False)[1]
    size = np.bincount(label[:n], minlength=label.max() + 1)  # faces left as they are, of each image
    turn = (size[label[:n]] < size[label[n:]]) | ((size[label[:n]] == size[label[n:]]) & (label[:n] > label[n:]))
    if not turn.any():
        return faces, []
    return np.where(turn[:, None], faces[:, ::-1], faces), [f"turned over {turn.sum()} of {n} faces against their winding"]
