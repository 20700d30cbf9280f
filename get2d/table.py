"""Table: where the camera is above it, from the view, from the settings, or found in the depth image."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from get2d.settings import Perception
from grasp.camera import Camera
from grasp.view import View
from objects.plane import table_pose


def camera_over_table(view: View, depth: NDArray[np.float64], settings: Perception) -> Camera:
    """Return the camera of a view with that depth (h, w), its pose known.

    The pose is the view's own where it has one, else straight down at `table_distance` where that is set, else the
    table is the largest plane in the depth outside the view's mask. Without a known pose the table's origin lies below
    the camera, x points along the image's u.

    A view with a scale instead of a camera was calibrated at the table (paper, section V): it is a pinhole camera of focal
    length ``pixels_per_meter * table distance`` about the image's centre.

    Raises
    ------
    PerceptionError
        NO_TABLE_PLANE.
    """
    around = np.ones(depth.shape, bool) if view.mask is None else ~view.mask
    camera = view.camera
    if camera is None:
        assert view.pixels_per_meter is not None  # a view with images has one of the two
        camera = _calibrated(depth, view.pixels_per_meter, around, settings)
    return camera if camera.T_table_camera is not None else _posed(depth, camera, around, settings)


def straight_down(distance: float) -> NDArray[np.float64]:
    """Return the pose of a camera that looks straight down from `distance` metres above the table's origin."""
    T = np.diag([1.0, -1, -1, 1])
    T[2, 3] = distance
    return T


def tilt(camera: Camera) -> float:
    """Return the angle between the optical axis and straight down, radians."""
    return float(np.arccos(np.clip(-camera.pose[2, 2], -1, 1)))


def points_of(depth: NDArray[np.float64], camera: Camera, chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the points (n, 3), metres, camera frame, of the chosen pixels (h, w) of a depth image, row by row."""
    v, u = np.nonzero(chosen & np.isfinite(depth))
    return camera.in_camera(u, v, depth[v, u])


def _posed(depth: NDArray[np.float64], camera: Camera, around: NDArray[np.bool_], settings: Perception) -> Camera:
    """Return the camera over the table of the settings, or over that found around the object."""
    if settings.table_distance is not None:
        return replace(camera, T_table_camera=straight_down(settings.table_distance))
    pose = table_pose(
        points_of(depth, camera, around),
        distance=settings.plane_distance,
        iterations=settings.plane_iterations,
        share=settings.plane_share,
    )
    return replace(camera, T_table_camera=pose)


def _calibrated(
    depth: NDArray[np.float64], pixels_per_meter: float, around: NDArray[np.bool_], settings: Perception
) -> Camera:
    """Return the camera, without a pose, of a view whose scale holds at the table.

    With any focal length points are stretched sideways, planes stay planes and distances along the optical axis are
    right, so that the table can be found before the focal length is known.
    """
    height, width = depth.shape
    guess = Camera(width, width, (width - 1) / 2, (height - 1) / 2, width, height)
    pose = _posed(depth, guess, around, settings).pose
    focal = pixels_per_meter * pose[2, 3] / -pose[2, 2]  # the optical axis meets the table there
    return replace(guess, fx=focal, fy=focal)
