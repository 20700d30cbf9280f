"""Surface: a mesh as registration sees it, sampled, with exact distances, and as much of it as a camera above may see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grasp.frames import invert, require_pose, transform_points, transform_vectors
from objects.open3d_loader import open3d
from objects.solid import Solid
from wrench.errors import InvalidValue

FACES_DOWN = -0.1  # z of a normal below which no camera above the table sees the face
FACES_UP = 0.1  # z of a normal above which a camera straight above does
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
        Open3D's ray casting scene, for distances and shadows.
    """

    vertices: NDArray[np.float64]
    points: NDArray[np.float64]
    normals: NDArray[np.float64]
    scene: Any

    @classmethod
    def of(cls, solid: Solid, samples: int) -> Surface:
        """Return the surface of a solid; equal arguments give equal samples."""
        from trimesh.sample import sample_surface  # slow to import

        mesh = solid.to_trimesh()
        points, face = sample_surface(mesh, samples, seed=0)
        library = open3d()
        scene = library.t.geometry.RaycastingScene()
        corners = library.core.Tensor(solid.vertices.astype(np.float32))
        scene.add_triangles(corners, library.core.Tensor(solid.faces.astype(np.uint32)))
        return cls(solid.vertices, np.asarray(points), mesh.face_normals[face], scene)

    def distance(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the distances (m,) in metres of points (m, 3) from the nearest places on the surface."""
        return self.scene.compute_distance(open3d().core.Tensor(points.astype(np.float32))).numpy().astype(float)

    def moved(self, T: NDArray[np.float64]) -> float:
        """Return how far, in metres, a motion T (4, 4) of the object takes its surface off itself.

        It is the greatest distance of a sample: zero for a symmetry.
        """
        return float(self.distance(transform_points(T, self.points)).max())

    def in_sight(self, T_table_object: NDArray[np.float64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which samples (n,) some camera above the table may see, and which one straight above would.

        Raises
        ------
        InvalidValue
            The object does not rest on the table.
        """
        T = require_pose("T_table_object", T_table_object)
        low = transform_points(T, self.vertices)[:, 2].min()
        if abs(low) > RESTS:
            raise InvalidValue("lowest vertex of the posed mesh", f"z = {low:g} m", "z = 0, for it rests on the table")
        upward = transform_vectors(T, self.normals)[:, 2]
        rays = np.concatenate([self.points + LIFT * self.normals, np.broadcast_to(T[2, :3], self.points.shape)], 1)
        hidden = self.scene.test_occlusions(open3d().core.Tensor(rays.astype(np.float32))).numpy()
        return upward > FACES_DOWN, (upward > FACES_UP) & ~hidden


def apart(surface: Surface, A: NDArray[np.float64], B: NDArray[np.float64]) -> float:
    """Return how far apart, in metres, the surfaces of two placements `T_table_object` (4, 4) are."""
    return surface.moved(invert(A) @ B)
