"""Load: what triangles a mesh file holds, before anyone asks whether they bound a solid."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grasp.errors import PerceptionError
from grasp.reasons import Reason
from objects.arrays import require_file
from wrench.errors import InvalidValue

ENDINGS = (".stl", ".obj", ".ply", ".glb", ".gltf", ".off")
STL_HEADER, STL_TRIANGLE = 84, 50  # bytes of a binary STL file


def read_triangles(path: str | Path) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the vertices (v, 3), in the unit and frame of the file, and faces (f, 3) of all its parts together.

    Materials, texture and normals are left behind; nothing is merged or mended.

    Raises
    ------
    InvalidValue
        There is no such file, or its ending is not that of a mesh.
    PerceptionError
        UNSOUND_MESH: the file is empty, cut short or holds no triangles; the error names it.
    """
    path = Path(path)
    require_file(path)
    if path.suffix.lower() not in ENDINGS:
        raise InvalidValue("mesh file", path, f"one that ends in {', '.join(ENDINGS)}")
    if path.suffix.lower() == ".stl":
        _refuse_cut_stl(path)
    import trimesh  # slow to import

    try:
        mesh = trimesh.load_mesh(path, process=False, skip_materials=True)
    except Exception as error:  # parsers raise anything on a broken file
        raise _unreadable(path, f"cannot be read: {error}") from error
    vertices, faces = np.asarray(mesh.vertices, float), np.asarray(mesh.faces, np.int64)
    if len(faces) == 0:
        raise _unreadable(path, f"holds no triangles ({path.stat().st_size} bytes)")
    if not np.isfinite(vertices).all():
        raise _unreadable(path, f"has {(~np.isfinite(vertices).all(1)).sum()} vertices that are not finite")
    if faces.min() < 0 or faces.max() >= len(vertices):
        raise _unreadable(path, f"has faces of vertices that are missing (it holds {len(vertices)})")
    return vertices, faces


def _refuse_cut_stl(path: Path) -> None:
    """Raise for a binary STL file whose size is not the one its header tells: parsers take it for an empty text."""
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(1024)
    if size < STL_HEADER or b"facet" in head:  # empty, or text
        return
    told, held = int.from_bytes(head[80:84], "little"), (size - STL_HEADER) / STL_TRIANGLE
    if told != held:
        raise _unreadable(path, f"tells of {told} triangles and has room for {held:.6g}: it is cut short or damaged")


def _unreadable(path: Path, what: str) -> PerceptionError:
    return PerceptionError(Reason.UNSOUND_MESH, f"The file {path} {what}.")
