"""Repair: what can be mended without guessing. Each step returns new faces and one sentence, or none if it did nothing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from objects.edges import Faces, components, edges_of, groups

WELD = 1e-8  # metres; vertices nearer than this are the same: below the resolution of single precision at 0.1 m


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
    return np.sign(faces[:, [1, 2, 2]] - faces[:, [0, 1, 0]]).prod(1)


def align_winding(faces: Faces) -> tuple[Faces, list[str]]:
    """Turn over the fewer faces of each body so that neighbours look to the same side; edges of two faces decide.

    Every face is taken twice, as it is and turned over, and joined with those of its neighbours that agree with it. A
    body then falls into two mirror images; if it does not, it has one side only and stays open.
    """
    pairs, n = groups(faces)[0], len(faces)
    agree = edges_of(faces)[1].ravel()[pairs].sum(1) == 0
    first, second = (pairs // 3).T
    as_is = np.stack([first, np.where(agree, second, second + n)], -1)
    label = components(2 * n, np.concatenate([as_is, (as_is + n) % (2 * n)]))
    size = np.bincount(label[:n], minlength=label.max() + 1)  # faces left as they are, of each image
    turn = (size[label[:n]] < size[label[n:]]) | ((size[label[:n]] == size[label[n:]]) & (label[:n] > label[n:]))
    if not turn.any():
        return faces, []
    return np.where(turn[:, None], faces[:, ::-1], faces), [f"turned over {turn.sum()} of {n} faces against their winding"]
