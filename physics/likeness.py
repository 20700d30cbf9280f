"""Likeness: how well the union of convex bodies stands for a solid, in volume and in how far it sticks out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from manifold3d import Error, Manifold, Mesh64, OpType
from numpy.typing import NDArray

from objects.open3d_loader import open3d
from objects.solid import Solid
from wrench.errors import GraspError

SAMPLES = 2000  # points on what sticks out, besides its corners


@dataclass(frozen=True)
class Likeness:
    """`overlap`: volume in common over volume of both together. `outward`: greatest distance outside the solid, metres."""

    overlap: float
    outward: float


def likeness(solid: Solid, bodies: Sequence[NDArray[np.float64]]) -> Likeness:
    """Compare a solid with the union of the convex hulls of point sets (n, 3), same frame.

    Raises
    ------
    GraspError
        The solid's surface does not bound a volume.
    """
    true = Manifold(Mesh64(np.array(solid.vertices), np.array(solid.faces, np.uint64)))
    if true.status() != Error.NoError:
        raise GraspError(f"the surface of {solid.name} cannot be compared with its parts: {true.status()}")
    union = Manifold.batch_boolean([Manifold.hull_points(np.array(body)) for body in bodies], OpType.Add)
    both = (union ^ true).volume()
    outward = _furthest(solid, (union - true).to_mesh64())
    return Likeness(both / (union.volume() + true.volume() - both), outward)


def _furthest(solid: Solid, outside: Mesh64) -> float:
    """Return how far the points of a mesh, all of them on or outside the solid, are from its surface at the most."""
    from trimesh import Trimesh
    from trimesh.sample import sample_surface

    if len(outside.tri_verts) == 0:
        return 0.0
    mesh = Trimesh(outside.vert_properties[:, :3], outside.tri_verts.astype(np.int64), process=False)
    points = np.concatenate([mesh.vertices, sample_surface(mesh, SAMPLES, seed=0)[0]])
    scene = open3d().t.geometry.RaycastingScene()
    scene.add_triangles(np.float32(solid.vertices), np.uint32(solid.faces))
    return float(scene.compute_distance(np.float32(points)).numpy().max())
