"""Grasp on a body of revolution: from a place along its profile to a pose of the gripper with contacts in space."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baselines.profile_parts import TOP_DOWN
from baselines.profile_places import Places
from grasp.frames import planar_axes, pose_top_down
from grasp.gripper import Gripper
from grasp.plan import Grasp, Metrics
from grasp.solids import closing_sign
from wrench.contacts import Contacts


def grasp(places: Places, i: int, gripper: Gripper, axis: NDArray[np.float64], heading: float, sampler: str) -> Grasp:
    """Return the grasp at place i.

    Parameters
    ----------
    axis : (2,) float, metres, table frame
        Of revolution.
    heading : radians
        Of the closing axis. From the side the approach is a quarter turn counter-clockwise of it, seen from above.
    """
    pose = _pose(places, i, axis, heading)
    return Grasp(pose, float(places.opening[i]), _contacts(places, i, gripper, axis, heading), sampler, Metrics())


def _pose(places: Places, i: int, axis: NDArray, heading: float) -> NDArray[np.float64]:
    closing, right = planar_axes(heading)
    middle = axis + places.shift[i] * closing
    if places.approach == TOP_DOWN:
        return pose_top_down(middle, heading, places.at[i])
    T = np.eye(4)
    T[:2, 0], T[2, 0] = closing, 0
    T[:3, 1] = 0, 0, -1
    T[:2, 2], T[2, 2] = -right, 0
    T[:2, 3], T[2, 3] = middle - places.past[i] * right, places.at[i]
    return T


def _contacts(places: Places, i: int, gripper: Gripper, axis: NDArray, heading: float) -> Contacts:
    """Return contacts (k, 3) on the surface of revolution, at the middles of the patches."""
    closing, right = planar_axes(heading)
    patch, aside = places.patch, places.lateral
    along = -closing_sign(gripper) * np.sqrt(np.maximum(patch.at_height[i] ** 2 - aside**2, 0))
    radial = along[:, None] * closing + aside[:, None] * right  # (k, 2)
    out = radial / np.maximum(np.linalg.norm(radial, axis=-1, keepdims=True), np.finfo(float).tiny)
    cosine = 1 / np.hypot(1, patch.slope[i])
    normals = np.concatenate([-out * cosine[:, None], (patch.slope[i] * cosine)[:, None]], -1)
    points = np.concatenate([axis + radial, patch.height[i][:, None]], -1)
    return Contacts(points, normals, places.made[i])
