"""Render: what a pinhole camera sees of a mesh on the table z = 0, first exactly, then through a sensor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import trimesh
from numpy.typing import NDArray

from grasp.camera import Camera
from grasp.mesh import Mesh
from grasp.view import View
from objects.sensor import Sensor, colours, depths, segmented
from wrench.checks import frozen, refuse_first
from wrench.errors import InvalidValue


@dataclass(frozen=True, eq=False)
class Sight:
    """The truth in every pixel.

    Parameters
    ----------
    depth : (h, w) float, metres
        Along the optical axis.
    mask : (h, w) bool
        The object's pixels.
    facing : (h, w) float
        Cosine between the ray and the normal of what it meets, 0 edge-on to 1.
    """

    depth: NDArray[np.float64]
    mask: NDArray[np.bool_]
    facing: NDArray[np.float64]

    def __post_init__(self) -> None:
        object.__setattr__(self, "depth", frozen(self.depth))
        object.__setattr__(self, "mask", frozen(self.mask, np.bool_))
        object.__setattr__(self, "facing", frozen(self.facing))


def render(mesh: Mesh | trimesh.Trimesh, camera: Camera, sensor: Sensor, rng: np.random.Generator) -> View:
    """Return the view that a camera has of a mesh: `sight`, then `photograph`."""
    return photograph(sight(mesh, camera), camera, sensor, rng)


def photograph(seen: Sight, camera: Camera, sensor: Sensor, rng: np.random.Generator) -> View:
    """Return the truth as a sensor gives it: colours, depth with its errors, and a mask if the sensor brings one.

    Colour, depth and mask draw from streams of their own, so that one error switched on leaves the others as they were.
    """
    rgb, depth, mask = rng.spawn(3)
    return View.from_rgbd(
        colours(seen.mask, seen.facing, sensor, rgb),
        depths(seen.depth, seen.facing, sensor, depth),
        camera,
        segmented(seen.mask, sensor, mask) if sensor.with_mask else None,
        depth_unit="m",
    )


def sight(mesh: Mesh | trimesh.Trimesh, camera: Camera) -> Sight:
    """Return what a camera sees of a mesh on the table, one ray through the centre of each pixel.

    Embree finds the triangle in single precision; where the ray meets its plane is then solved for in double precision,
    so a depth is exact unless the ray passes within about 1e-7 of the object's size of a triangle's edge. The table is
    solved for everywhere, and rays are cast only where a corner of the mesh could be in the way.

    Parameters
    ----------
    mesh
        Metres, table frame. What lies below the table is not seen.
    camera
        With its pose, above the table.

    Raises
    ------
    InvalidValue
        A camera without a pose, at or below the table, or with a pixel that looks past the table; a mesh that reaches
        behind the camera.
    """
    u, v = np.arange(camera.width), np.arange(camera.height)[:, None]
    depth, facing = _table(camera, u, v)
    mask = np.zeros(depth.shape, bool)
    window = _window(np.asarray(mesh.vertices, float), camera)
    if mask[window].size:
        found, cosine = _object(mesh, camera, u[window[1]], v[window[0]])
        mask[window] = found <= depth[window]
        facing[window] = np.where(mask[window], cosine, facing[window])
        depth[window] = np.minimum(found, depth[window])
    return Sight(depth, mask, facing)


def _table(camera: Camera, u: NDArray, v: NDArray) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return depth and facing (h, w) of the empty table."""
    height = camera.pose[2, 3]
    if height <= 0:
        raise InvalidValue("camera height", height, "above the table, greater than 0 m")
    rays = camera.in_camera(u, v, 1.0)
    fall = -(rays @ camera.pose[2, :3])  # metres down per metre of depth
    refuse_first("camera ray's fall", fall, fall <= 0, "greater than 0, so that every pixel sees the table")
    return height / fall, fall / np.sqrt(np.einsum("...i,...i", rays, rays))


def _window(vertices: NDArray[np.float64], camera: Camera) -> tuple[slice, slice]:
    """Return the rows and columns in which the mesh can appear."""
    u, v, ahead = camera.project(vertices)
    refuse_first("mesh.vertices", vertices, ahead <= 0, "in front of the camera")
    return tuple(
        slice(max(int(np.ceil(x.min())), 0), max(min(int(np.floor(x.max())) + 1, size), 0))
        for x, size in ((v, camera.height), (u, camera.width))
    )  # type: ignore[return-value]


def _object(mesh: Mesh | trimesh.Trimesh, camera: Camera, u: NDArray, v: NDArray) -> tuple[NDArray, NDArray]:
    """Return depth, infinite where the mesh is missed, and facing (h, w) of the mesh in a window of pixels."""
    from trimesh.ray.ray_pyembree import RayMeshIntersector

    rays = camera.in_camera(u, v, 1.0) @ camera.pose[:3, :3].T  # (h, w, 3), a metre of depth long
    shape, rays, eye = rays.shape[:-1], rays.reshape(-1, 3), camera.pose[:3, 3]
    surface = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
    hit = RayMeshIntersector(surface).intersects_first(np.broadcast_to(eye, rays.shape), rays)
    ray, triangle = rays[hit >= 0], hit[hit >= 0]
    corner, normal = surface.triangles[:, 0] - eye, surface.face_normals
    slope = np.abs(np.einsum("ij,ij->i", normal[triangle], ray))
    away = np.abs(np.einsum("ij,ij->i", normal, corner))[triangle]
    depth, facing = np.full(len(rays), np.inf), np.zeros(len(rays))
    depth[hit >= 0] = _between(away / np.maximum(slope, np.finfo(float).tiny), surface, camera, triangle)
    facing[hit >= 0] = slope / np.linalg.norm(ray, axis=1)
    return depth.reshape(shape), facing.reshape(shape)


def _between(depth: NDArray, surface: trimesh.Trimesh, camera: Camera, triangle: NDArray) -> NDArray[np.float64]:
    """Return the depths (n,), none outside of its triangle's own: the plane of one seen edge-on says nothing."""
    corners = camera.project(surface.vertices)[2][surface.faces]  # (f, 3)
    return np.clip(depth, corners.min(1)[triangle], corners.max(1)[triangle])
