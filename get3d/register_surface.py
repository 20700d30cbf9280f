"""Surface: a mesh as registration sees it, with exact nearest places on it and samples of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grasp.frames import invert, require_pose, transform_points, transform_vectors
from objects.open3d_loader import open3d
from objects.solid import Solid
from wrench.errors import InvalidValue

UPWARD = 0.1  # z of a normal from which on a camera straight above sees the face well
LIFT = 1e-5  # metres off the surface where a ray starts, so that it does not meet the face it comes from
RESTS = 1e-4  # metres; a lowest vertex that near to the table is on it, to the rounding of files in single precision


@dataclass(frozen=True, eq=False)
class Surface:
    """A mesh, object frame.

    Parameters
    ----------
    vertices : (v, 3) float, metres
    points, normals : (n, 3) float
        Samples, even by area, with the unit outward normals of their faces.
    scene
        Open3D's ray casting scene, for nearest places and shadows.
    """

    vertices: NDArray[np.float64]
    points: NDArray[np.float64]
    normals: NDArray[np.float64]
    scene: Any

    @classmethod
    def of(cls, solid: Solid, samples: int) -> Surface:
        """Return the surface of a solid; equal arguments give equal samples."""
        from trimesh.sample import sample_surface  # slow to import

        mesh, scene = solid.to_trimesh(), open3d().t.geometry.RaycastingScene()
        points, face = sample_surface(mesh, samples, seed=0)[:2]
        scene.add_triangles(_tensor(solid.vertices), _tensor(solid.faces, np.uint32))
        return cls(solid.vertices, np.asarray(points), np.asarray(mesh.face_normals[face]), scene)

    def nearest(self, points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the nearest places (m, 3) to points (m, 3), in metres, and the unit normals (m, 3) of their faces."""
        found = self.scene.compute_closest_points(_tensor(points))
        return tuple(found[key].numpy().astype(float) for key in ("points", "primitive_normals"))  # type: ignore[return-value]

    def distance(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the distances (m,) in metres of points (m, 3) from the surface."""
        return self.scene.compute_distance(_tensor(points)).numpy().astype(float)

    def apart(self, A: NDArray[np.float64], B: NDArray[np.float64]) -> float:
        """Return how far apart, in metres, two placements `T_table_object` (4, 4) put the surface.

        It is the greatest distance of a sample of one from the other: about zero when a symmetry leads from A to B.
        """
        return float(self.distance(transform_points(invert(A) @ B, self.points)).max())

    def from_above(self, T_table_object: NDArray[np.float64], least_height: float) -> NDArray[np.float64]:
        """Return the samples (m, 3), object frame, that a camera straight above sees higher than `least_height` metres.

        Raises
        ------
        InvalidValue
            The object does not rest on the table.
        """
        T = require_pose("T_table_object", T_table_object)
        low = transform_points(T, self.vertices)[:, 2].min()
        if abs(low) > RESTS:
            raise InvalidValue("lowest vertex of the posed mesh", f"z = {low:g} m", "z = 0, for it rests on the table")
        up = np.broadcast_to(T[2, :3], self.points.shape)
        hidden = self.scene.test_occlusions(_tensor(np.hstack([self.points + LIFT * self.normals, up]))).numpy()
        high = transform_points(T, self.points)[:, 2] >= least_height
        return self.points[high & ~hidden & (transform_vectors(T, self.normals)[:, 2] > UPWARD)]


def _tensor(array: NDArray, dtype: Any = np.float32) -> Any:
    """Return a copy of an array as Open3D takes it."""
    return open3d().core.Tensor(np.ascontiguousarray(array, dtype).copy())
