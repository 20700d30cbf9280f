"""What cameras see of simple scenes, slow and obvious, and the settings to perceive it with."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shapely
from scipy.spatial.transform import Rotation

from get2d.settings import Perception
from grasp import Camera

SHARED = Path(__file__).parents[2] / "shared"
needs_cases = pytest.mark.skipif(not (SHARED / "cases").is_dir(), reason="the shared cases are not there")
needs_data = pytest.mark.skipif(not (SHARED / "data").is_dir(), reason="the shared data are not there")

SETTINGS = Perception.preset("default")
LARGEST = replace(SETTINGS, on_several="largest")


def masked(*boxes, shape=(100, 140)):
    """Return a mask in which rectangles (u, v, width, height) are set, one after the other; a negative width clears."""
    mask = np.zeros(shape, bool)
    for u, v, width, height in boxes:
        mask[v : v + height, u : u + abs(width)] = width > 0
    return mask


def disc(radius, shape=(121, 121), centre=(60, 60)):
    """Return a mask of the pixels within a radius of a centre (u, v)."""
    v, u = np.indices(shape)
    return np.hypot(u - centre[0], v - centre[1]) <= radius


def looking(tilt=0.0, yaw=0.0, distance=0.6, posed=True):
    """Return a camera that looks at the table's origin, its optical axis `tilt` radians from straight down."""
    turn = Rotation.from_euler("z", yaw) * Rotation.from_euler("x", np.pi + tilt)
    pose = np.eye(4)
    pose[:3, :3] = turn.as_matrix()
    pose[:3, 3] = -distance * pose[:3, 2]
    return Camera(600, 600, 159.5, 119.5, 320, 240, pose if posed else None)


def depth_of_box(camera, size, centre=(0.0, 0.0)):
    """Return depth (h, w) of a table with a box on it and the mask of the box, by rays against slabs."""
    v, u = np.indices((camera.height, camera.width))
    ray = camera.in_camera(u, v, 1.0) @ camera.pose[:3, :3].T  # depth 1 along the optical axis
    origin = camera.pose[:3, 3]
    low = np.array([centre[0] - size[0] / 2, centre[1] - size[1] / 2, 0])
    with np.errstate(divide="ignore", invalid="ignore"):
        first, second = (low - origin) / ray, (low + size - origin) / ray
        near, far = np.minimum(first, second).max(-1), np.maximum(first, second).min(-1)
        table = -origin[2] / ray[..., 2]
    hit = (near < far) & (near > 0)
    return np.where(hit, near, np.where(table > 0, table, np.nan)), hit


def sides(polygon):
    """Return the sides of the smallest rectangle around a polygon, shorter first."""
    corners = shapely.get_coordinates(shapely.minimum_rotated_rectangle(polygon))
    return np.sort(np.linalg.norm(np.diff(corners, axis=0), axis=1)[:2])
