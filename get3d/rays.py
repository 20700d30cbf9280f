"""First touch by rays, the paper's way: a uniform grid of rays from each pad's face, cast through Embree (section VI).

An edge or a corner that slips between the rays is met late or not at all; `get3d.touch.Sweep` is exact and faster. Embree
works in single precision, so rays and mesh are given to it about the middle of the mesh, and the depth of a hit is then
worked out again in double precision.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from get3d.bvh import inward_normals
from get3d.pads import Pads
from get3d.touch import Touches
from grasp.mesh import Mesh
from wrench.checks import frozen

AT_ONCE = 300_000  # rays in one call of Embree, to bound the memory


@dataclass(frozen=True, eq=False)
class Rays:
    """First touches by rays.

    Parameters
    ----------
    engine
        Embree, with the mesh about `middle`.
    triangles, inward : (f, 3, 3) float, metres, (f, 3) float
        Corners in the table frame, and unit normals into the solid.
    middle : (3,) float, metres
    per_pad
        Rays per pad at the least.
    """

    engine: Any
    triangles: NDArray[np.float64]
    inward: NDArray[np.float64]
    middle: NDArray[np.float64]
    per_pad: int

    @classmethod
    def of(cls, mesh: Mesh, per_pad: int) -> Rays:
        """Return rays at a mesh in its pose on the table."""
        from embreex.mesh_construction import TriangleMesh
        from embreex.rtcore_scene import EmbreeScene

        triangles = frozen(mesh.vertices[mesh.faces])
        middle = (mesh.vertices.min(0) + mesh.vertices.max(0)) / 2
        scene = EmbreeScene()
        TriangleMesh(scene, (triangles - middle).astype(np.float32))
        return cls(scene, triangles, frozen(inward_normals(triangles)), frozen(middle), per_pad)

    def __call__(self, pads: Pads, T_table_gripper: NDArray, opening: NDArray, translation: NDArray) -> Touches:
        """Return the first touches; see `get3d.touch.Touch`."""
        places = grid(pads, self.per_pad)  # (k, r, 2)
        n, s, k, r = len(opening), len(translation), *places.shape[:2]
        step = max(1, AT_ONCE // (s * k * r))
        parts = [
            self._some(places, pads.sign, T_table_gripper[i : i + step], opening[i : i + step], translation)
            for i in range(0, max(n, 1), step)
        ]
        return Touches(*(np.concatenate(part) for part in zip(*parts, strict=True)))

    def _some(
        self, places: NDArray, sign: NDArray, T: NDArray, opening: NDArray, translation: NDArray
    ) -> tuple[NDArray, NDArray, NDArray, NDArray]:
        """Return the fields of `Touches` for as many poses as go through in one call."""
        x = -sign * np.asarray(opening)[:, None] / 2  # (n, k)
        start = np.concatenate(np.broadcast_arrays(x[..., None, None], places[..., :1], places[..., 1:]), -1)  # (n, k, r, 3)
        start = np.einsum("nij,nkrj->nkri", T[:, :3, :3], start) + T[:, None, None, :3, 3]
        start = start[:, None] + translation[:, None, None]  # (n, s, k, r, 3)
        along = (sign[:, None] * T[:, None, :3, 0])[:, None, :, None]  # (n, 1, k, 1, 3)
        face, depth = self._cast(start, np.broadcast_to(along, start.shape))
        first = depth.argmin(-1)[..., None]
        depth, face = np.take_along_axis(depth, first, -1)[..., 0], np.take_along_axis(face, first, -1)[..., 0]
        start = np.take_along_axis(start, first[..., None], -2)[..., 0, :]
        hit = np.isfinite(depth)
        point = np.where(hit[..., None], start + np.where(hit, depth, 0.0)[..., None] * along[..., 0, :], 0.0)
        normal = np.where(hit[..., None], self.inward[face], 0.0)
        overlaps = np.any(hit & (depth < 0), axis=-1)
        return np.where(overlaps[..., None], np.nan, depth), point, normal, overlaps

    def _cast(self, start: NDArray, along: NDArray) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return face and depth of each ray's (*b, 3) first hit: -1 and inf without one, depth -1 where it starts inside."""
        origins = (start - self.middle).reshape(-1, 3).astype(np.float32)
        hit = np.asarray(self.engine.run(origins, along.reshape(-1, 3).astype(np.float32)), np.int64)
        face, depth = hit.reshape(start.shape[:-1]), np.full(start.shape[:-1], np.inf)
        met = face >= 0
        corners, direction = self.triangles[face[met]], along[met]
        normal, ahead = self.inward[face[met]], corners - start[met][:, None]
        facing = np.einsum("mi,mi->m", normal, direction)
        with np.errstate(divide="ignore", invalid="ignore"):  # along the face: any of its depths will do
            plane = np.einsum("mi,mi->m", normal, ahead[:, 0]) / facing
        reach = np.einsum("mci,mi->mc", ahead, direction)
        exact = np.clip(np.nan_to_num(plane), reach.min(1), reach.max(1))
        depth[met] = np.where(facing > 0, np.maximum(exact, 0.0), -1.0)
        return face, depth


def grid(pads: Pads, per_pad: int) -> NDArray[np.float64]:
    """Return y, z (k, r, 2) in metres of a uniform grid of at least `per_pad` places on each pad.

    Its cells are as square as the pads' size allows, and become narrower with a trapezoid; the places are their middles.
    """
    tip_left, tip_right, base_right, base_left = np.moveaxis(pads.corners, 1, 0)[:, :, None, None]  # (k, 1, 1, 2) each
    width, height = np.ptp(pads.corners, axis=1).max(0)
    across = max(1, round(float(np.sqrt(per_pad * width / height))))
    up = -(-per_pad // across)
    u, v = ((np.arange(m) + 0.5) / m for m in (across, up))
    u, v = u[:, None, None], v[None, :, None]
    places = (1 - v) * ((1 - u) * tip_left + u * tip_right) + v * ((1 - u) * base_left + u * base_right)
    return places.reshape(len(pads), across * up, 2)
