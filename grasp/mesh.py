"""Mesh: triangles in the table frame, as a view carries them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wrench.checks import frozen, refuse_first, require_finite
from wrench.errors import InvalidValue


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangle mesh. That it bounds a solid is for its maker to see to; here only the arrays are checked.

    Parameters
    ----------
    vertices : (v, 3) float, metres, table frame
    faces : (f, 3) int
        Indices into `vertices`, counter-clockwise seen from outside.

    Raises
    ------
    InvalidValue
        Shapes, no faces, a vertex that is not finite, or an index without a vertex.
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]

    def __post_init__(self) -> None:
        vertices, faces = np.asarray(self.vertices, float), np.asarray(self.faces)
        for name, array in (("vertices", vertices), ("faces", faces)):
            if array.ndim != 2 or array.shape[1] != 3 or len(array) == 0:
                raise InvalidValue(f"mesh.{name}.shape", array.shape, "(n, 3) with n at least 1")
        if not np.issubdtype(faces.dtype, np.integer):
            raise InvalidValue("mesh.faces.dtype", faces.dtype, "an integer type")
        require_finite("mesh.vertices", vertices)
        refuse_first("mesh.faces", faces, (faces < 0) | (faces >= len(vertices)), f"an index below {len(vertices)}")
        object.__setattr__(self, "vertices", frozen(vertices))
        object.__setattr__(self, "faces", frozen(faces, np.int64))
