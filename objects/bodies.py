"""Bodies: closed surfaces of one file brought together into one solid, so that volume counts once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from grasp.errors import PerceptionError
from grasp.reasons import Reason
from objects.edges import bodies_of
from objects.solid import signed_volume

CONTAINED = 1e-6  # share of a cavity's volume that may stick out of the body around it
Arrays = tuple[NDArray[np.float64], NDArray[np.int64]]


def outward(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[str]]:
    """Return faces turned over as a whole when their signed volume is negative."""
    if signed_volume(vertices, faces) >= 0:
        return faces, []
    return faces[:, ::-1], ["turned the surface inside out: its faces looked inwards"]


def unite(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> tuple[*Arrays, list[str]]:
    """Return the union of the bodies of a closed surface as one surface, less the cavities within it.

    Bodies are taken from the greatest to the least. One that looks inwards is a cavity if it lies within those before it,
    else it is turned over. A body alone stays as it is. Bodies that do not touch are kept as one rigid solid, and the
    note says how many pieces it has.

    Raises
    ------
    PerceptionError
        UNSOUND_MESH: the union of the bodies could not be taken.
    """
    label = bodies_of(vertices, faces)
    if label.max() == 0:
        return vertices, faces, []
    middle = (vertices.min(0) + vertices.max(0)) / 2
    parts = [faces[label == body] for body in range(label.max() + 1)]
    volumes = np.array([signed_volume(vertices, part) for part in parts])
    matter, notes = _manifold(vertices, faces[:0]), [f"united {len(parts)} bodies"]
    for body in np.argsort(-np.abs(volumes), kind="stable"):
        inwards = volumes[body] < 0
        part = _manifold(vertices - middle, parts[body][:, ::-1] if inwards else parts[body])
        if inwards and (part - matter).volume() <= CONTAINED * part.volume():
            matter = matter - part
            notes.append(f"kept a cavity of {part.volume():.3g} m^3")
        else:
            matter = matter + part
            if inwards:
                notes.append(f"turned a body of {part.volume():.3g} m^3 inside out: its faces looked inwards")
    pieces = sum(piece.volume() > 0 for piece in matter.decompose())
    if pieces > 1:
        notes.append(f"its {pieces} pieces do not touch and count as one rigid object")
    mesh = matter.to_mesh64()
    return mesh.vert_properties[:, :3] + middle, mesh.tri_verts.astype(np.int64), notes


def _manifold(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> Any:
    from manifold3d import Error, Manifold, Mesh64  # only files of several bodies need it

    used, corners = np.unique(faces, return_inverse=True)
    body = Manifold(Mesh64(vertices[used], corners.reshape(faces.shape).astype(np.uint64)))
    if body.status() != Error.NoError:
        detail = f"A body of {len(faces)} faces cannot be united with the others ({body.status().name})."
        raise PerceptionError(Reason.UNSOUND_MESH, detail)
    return body
