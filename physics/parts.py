"""Parts: a solid as convex bodies, because the engine fills every hole of a mesh by taking its convex hull.

Shapes that are made of prisms fall into exact parts. Everything else is cut by CoACD (Wei, Liu, Ling and Su 2022), and
taken only if what comes out is as good as the solid. The parts belong to the solid in its pose, never to a trial.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grasp.frames import transform_points
from objects.csg import Prism
from objects.solid import Solid
from physics.blocks import PartRules
from physics.convex import pieces
from physics.likeness import Likeness, likeness
from wrench.checks import frozen
from wrench.errors import GraspError

FORMAT = 1  # of the files in the cache, and of how parts are made
SAME = 1e-9  # metres; a solid whose vertices are those of a shape, moved, is that shape


@dataclass(frozen=True, eq=False)
class Parts:
    """Convex bodies whose union stands for a solid.

    Parameters
    ----------
    vertices
        Of each body, (n, 3) metres, in the frame of the solid.
    method
        ``"prisms"`` or ``"coacd"``.
    digest
        Content hash of solid, rules and maker: their name in results and in the cache.
    """

    vertices: tuple[NDArray[np.float64], ...]
    method: str
    digest: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "vertices", tuple(frozen(v) for v in self.vertices))


def parts_of(solid: Solid, rules: PartRules, cache: Path | None) -> Parts:
    """Return the parts of a solid.

    Parameters
    ----------
    solid
        In any frame.
    rules
        How CoACD cuts, and what is accepted.
    cache
        Folder in which parts are kept and looked for, made if need be; None makes them again every time.

    Raises
    ------
    GraspError
        The parts are too unlike the solid.
    """
    digest = _digest(solid, rules)
    path = None if cache is None else Path(cache) / f"{digest}.npz"
    if path is not None and path.is_file():
        return _load(path, digest)
    exact = _exact(solid)
    vertices = _cut(solid, rules) if exact is None else exact
    found = Parts(tuple(vertices), "coacd" if exact is None else "prisms", digest)
    _require_alike(solid, likeness(solid, found.vertices), rules)
    if path is not None:
        _save(path, found)
    return found


def prism_parts(prisms: Sequence[Prism]) -> list[NDArray[np.float64]]:
    """Return the corners (n, 3) of convex prisms whose union is that of the given ones, object frame."""
    found = []
    for prism in prisms:
        for piece in pieces(prism.profile):
            ends = [np.column_stack([piece, np.full(len(piece), z)]) for z in (0.0, prism.height)]
            found.append(transform_points(prism.T_object_prism, np.concatenate(ends)))
    return found


def _exact(solid: Solid) -> list[NDArray[np.float64]] | None:
    """Return exact parts of a solid that is, vertex by vertex, a shape made of prisms in some pose; else None."""
    from objects import shapes  # solid modelling is slow to import

    prisms = shapes.prisms(solid.name) if solid.name in shapes.NAMES else None
    if prisms is None:
        return None
    own = np.asarray(shapes.make(solid.name).vertices)
    if own.shape != solid.vertices.shape:
        return None
    T = _fit(own, solid.vertices)
    if np.abs(transform_points(T, own) - solid.vertices).max() > SAME:
        return None
    return [transform_points(T, part) for part in prism_parts(prisms)]


def _fit(source: NDArray[np.float64], target: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rigid motion (4, 4) that best carries points (n, 3) to others (Kabsch 1976)."""
    from scipy.spatial.transform import Rotation

    T = np.eye(4)
    T[:3, :3] = Rotation.align_vectors(target - target.mean(0), source - source.mean(0))[0].as_matrix()
    T[:3, 3] = target.mean(0) - T[:3, :3] @ source.mean(0)
    return T


def _cut(solid: Solid, rules: PartRules) -> list[NDArray[np.float64]]:
    import coacd  # prints as it loads

    coacd.set_log_level("error")
    mesh = coacd.Mesh(np.array(solid.vertices), np.array(solid.faces))
    # any other preprocessing makes a new surface of voxels, 0.9 mm off, wherever a mesh has slivers
    found = coacd.run_coacd(mesh, threshold=rules.threshold, seed=0, preprocess_mode="off")
    return [np.asarray(vertices, float) for vertices, _ in found]


def _require_alike(solid: Solid, found: Likeness, rules: PartRules) -> None:
    if found.overlap > rules.overlap and found.outward < rules.outward:
        return
    raise GraspError(
        f"the convex parts of {solid.name} are too unlike it: overlap {found.overlap:.4f} (above {rules.overlap:g} is "
        f"wanted), {found.outward * 1e3:.3f} mm outside (below {rules.outward * 1e3:g} mm is wanted)"
    )


def _digest(solid: Solid, rules: PartRules) -> str:
    maker = (FORMAT, solid.name, rules, metadata.version("coacd"), solid.vertices.shape)
    digest = hashlib.sha256(repr(maker).encode())
    digest.update(solid.vertices.tobytes() + solid.faces.tobytes())
    return digest.hexdigest()[:32]


def _save(path: Path, parts: Parts) -> None:
    """Write all at once, so that another process sees the whole file or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    counts = np.array([len(v) for v in parts.vertices])
    with os.fdopen(handle, "wb") as file:
        np.savez(file, vertices=np.concatenate(parts.vertices), counts=counts, method=np.array(parts.method))
    os.replace(name, path)


def _load(path: Path, digest: str) -> Parts:
    with np.load(path, allow_pickle=False) as kept:
        bodies = np.split(kept["vertices"], np.cumsum(kept["counts"])[:-1])
        return Parts(tuple(bodies), str(kept["method"]), digest)
