"""Posed shapes: a solid that is one of `objects.shapes`, wherever it lies, and the exact convex bodies it is made of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from grasp.frames import transform_points
from objects.solid import Solid
from physics.cells import cells

SAME = 1e-9  # metres; a solid whose vertices are those of a shape, moved, is that shape


def cells_of(solid: Solid, straighten: float) -> list[NDArray[np.float64]] | None:
    """Return the corners (n, 3) of convex bodies whose union is a solid, in its frame; None where it is not a shape.

    Parameters
    ----------
    solid
        A shape keeps its name and the order of its vertices when it is moved.
    straighten : metres
        As for `physics.cells.cells`.
    """
    from objects import shapes  # solid modelling is slow to import
    from objects.csg import carve, foot

    if solid.name not in shapes.NAMES:
        return None
    own = np.asarray(shapes.make(solid.name).vertices)
    if own.shape != solid.vertices.shape:
        return None
    T = _fit(own, solid.vertices)
    if np.abs(transform_points(T, own) - solid.vertices).max() > SAME:
        return None
    joined, cut = shapes._parts(solid.name)
    found = cells(joined, cut, straighten)
    return None if found is None else [transform_points(T, part - foot(carve(joined, cut))) for part in found]


def _fit(source: NDArray[np.float64], target: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rigid motion (4, 4) that best carries points (n, 3) to others (Kabsch 1976)."""
    from scipy.spatial.transform import Rotation

    T = np.eye(4)
    T[:3, :3] = Rotation.align_vectors(target - target.mean(0), source - source.mean(0))[0].as_matrix()
    T[:3, 3] = target.mean(0) - T[:3, :3] @ source.mean(0)
    return T
