"""Steep faces: the part of a mesh's surface on which a jaw can lie, for drawing points by area."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grasp.mesh import Mesh


@dataclass(frozen=True, eq=False)
class SteepFaces:
    """Faces of a mesh within an angle of the vertical, for drawing points by area.

    Parameters
    ----------
    corners : (f, 3, 3) metres, normals : (f, 3) outward unit vectors, share : (f,) cumulative area over the total
    """

    corners: NDArray[np.float64]
    normals: NDArray[np.float64]
    share: NDArray[np.float64]

    @classmethod
    def of(cls, mesh: Mesh, tilt: float) -> SteepFaces:
        """Return the faces of `mesh` whose normals lie within `tilt` radians of the horizontal."""
        corners = mesh.vertices[mesh.faces]
        double = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        area = np.linalg.norm(double, axis=-1)
        steep = (area > 0) & (np.abs(double[:, 2]) <= np.sin(tilt) * area)
        area = area[steep]
        share = np.cumsum(area) / area.sum() if len(area) else area
        return cls(corners[steep], double[steep] / area[:, None], share)

    def at(self, u: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return points and outward normals (n, 3) for uniform numbers (n, 3) in [0, 1): uniform over the area."""
        face = np.minimum(np.searchsorted(self.share, u[:, 0], side="right"), len(self) - 1)
        root = np.sqrt(u[:, 1:2])  # Turk 1990: a uniform point of a triangle
        a, b, c = np.moveaxis(self.corners[face], 1, 0)
        return (1 - root) * a + root * (1 - u[:, 2:3]) * b + root * u[:, 2:3] * c, self.normals[face]

    def __len__(self) -> int:
        return len(self.share)
