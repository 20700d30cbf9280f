"""Parts: a solid as convex bodies, because the engine fills every hole of a mesh by taking its convex hull.

The shapes of `objects.shapes` fall into exact parts. Everything else is cut by CoACD (Wei, Liu, Ling and Su 2022). Either
is taken only if what comes out is as good as the solid. The parts belong to the solid in its pose, never to a trial.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from objects.solid import Solid
from physics.blocks import PartRules
from physics.likeness import likeness
from physics.posed_shape import cells_of
from wrench.checks import frozen
from wrench.errors import GraspError

FORMAT = 2  # of the files in the cache, and of how parts are made


@dataclass(frozen=True, eq=False)
class Parts:
    """Convex bodies whose union stands for a solid.

    Parameters
    ----------
    vertices
        Of each body, (n, 3) metres, in the frame of the solid.
    method
        ``"cells"``, exact, or ``"coacd"``.
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
    found = _found(solid, rules, digest)
    if path is not None:
        _save(path, found)
    return found


def _found(solid: Solid, rules: PartRules, digest: str) -> Parts:
    """Return the first parts that are like enough to the solid: of shapes, ever more exact ones; else those of CoACD."""
    for share in (1.0, 0.5, 0.0):
        exact = cells_of(solid, share * rules.straighten)
        method = "coacd" if exact is None else "cells"
        found = Parts(tuple(_cut(solid, rules) if exact is None else exact), method, digest)
        alike = likeness(solid, found.vertices)
        if alike.overlap > rules.overlap and alike.outward < rules.outward:
            return found
        if exact is None:
            break
    raise GraspError(
        f"the convex parts of {solid.name} are too unlike it: overlap {alike.overlap:.4f} (above {rules.overlap:g} is "
        f"wanted), {alike.outward * 1e3:.3f} mm outside (below {rules.outward * 1e3:g} mm is wanted)"
    )


def _cut(solid: Solid, rules: PartRules) -> list[NDArray[np.float64]]:
    import coacd  # prints as it loads

    coacd.set_log_level("error")
    mesh = coacd.Mesh(np.array(solid.vertices), np.array(solid.faces, np.int32))
    # any other preprocessing makes a new surface of voxels, 0.9 mm off, wherever a mesh has slivers
    found = coacd.run_coacd(mesh, threshold=rules.threshold, seed=0, preprocess_mode="off")
    return [np.asarray(vertices, float) for vertices, _ in found]


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
