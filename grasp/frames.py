"""Frames: poses as 4 x 4 matrices with leading batch axes.

`T_table_gripper` maps gripper coordinates to table coordinates. The gripper's x is the closing axis from the wide jaw
towards the narrow jaw, z the approach, y completes it; the origin lies at fingertip height, midway between the pad
faces. The jaws differ, so an angle has a period of 360 degrees: half a turn is another grasp.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wrench.checks import frozen, refuse_first, require_finite
from wrench.errors import InvalidValue

RIGID_TOLERANCE = 1e-6  # allowed deviation of R^T R from the identity, dimensionless


def require_pose(field: str, T: ArrayLike) -> NDArray[np.float64]:
    """Return a read-only copy of poses (*b, 4, 4), or raise `InvalidValue`: shape, not finite, or not rigid."""
    T = np.asarray(T, float)
    if T.shape[-2:] != (4, 4):
        raise InvalidValue(f"{field}.shape", T.shape, "(*batch, 4, 4)")
    R = T[..., :3, :3]
    require_finite(field, T)
    gram = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max((-1, -2))
    rigid = (gram <= RIGID_TOLERANCE) & (np.linalg.det(R) > 0) & (T[..., 3, :] == [0, 0, 0, 1]).all(-1)
    refuse_first(field, T, ~rigid, "a rotation and a translation over the row 0, 0, 0, 1")
    return frozen(T)


def planar_axes(angle: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the gripper's x and y axes in the table plane for a top-down grasp.

    Parameters
    ----------
    angle : (*b) float, radians
        Heading of the closing axis, counter-clockwise from the table's x as seen from above.

    Returns
    -------
    closing, lateral : (*b, 2) float
        The lateral axis points to the right of the closing axis as seen from above, because z points down.
    """
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c, s], -1), np.stack([s, -c], -1)


def pose_top_down(xy: ArrayLike, angle: ArrayLike, z: ArrayLike) -> NDArray[np.float64]:
    """Return `T_table_gripper` (*b, 4, 4) of top-down grasps.

    Parameters
    ----------
    xy : (*b, 2) float, metres
        Gripper origin in the table plane.
    angle : (*b) float, radians
        Heading of the closing axis, as in `planar_axes`.
    z : (*b) float, metres
        Height of the fingertips above the table.
    """
    xy, angle, z = np.asarray(xy, float), np.asarray(angle, float), np.asarray(z, float)
    batch = np.broadcast_shapes(xy.shape[:-1], angle.shape, z.shape)
    T = np.zeros((*batch, 4, 4))
    T[..., :2, 0], T[..., :2, 1] = planar_axes(angle)
    T[..., 2, 2] = -1
    T[..., :2, 3], T[..., 2, 3], T[..., 3, 3] = xy, z, 1
    return T


def heading(T: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the heading of the closing axis (*b) in (-pi, pi] radians: that of its shadow on the table."""
    return np.arctan2(T[..., 1, 0], T[..., 0, 0])


def position(T: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the origins (*b, 3) of poses, in metres."""
    return T[..., :3, 3]


def invert(T: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the inverse poses (*b, 4, 4), by transposition."""
    inverse = np.zeros_like(T)
    inverse[..., :3, :3] = np.swapaxes(T[..., :3, :3], -1, -2)
    inverse[..., :3, 3:] = -inverse[..., :3, :3] @ T[..., :3, 3:]
    inverse[..., 3, 3] = 1
    return inverse


def transform_vectors(T: NDArray[np.float64], vectors: ArrayLike) -> NDArray[np.float64]:
    """Turn vectors (*b, k, 3) by poses (*b, 4, 4): each pose its own k vectors; batches broadcast."""
    return np.asarray(vectors, float) @ np.swapaxes(T[..., :3, :3], -1, -2)


def transform_points(T: NDArray[np.float64], points: ArrayLike) -> NDArray[np.float64]:
    """Map points (*b, k, 3) by poses (*b, 4, 4): each pose its own k points; batches broadcast."""
    return transform_vectors(T, points) + T[..., None, :3, 3]
