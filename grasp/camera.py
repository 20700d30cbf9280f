"""Camera: a pinhole that maps between pixels with depth and points on the table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grasp.frames import invert, require_pose, transform_points
from grasp.strict import number, positive
from wrench.errors import InvalidValue


@dataclass(frozen=True, eq=False)
class Camera:
    """Pinhole camera without distortion: u right, v down, z along the optical axis.

    Integer pixel coordinates are pixel centres: the image spans u from -0.5 to width - 0.5.

    Parameters
    ----------
    fx, fy
        Focal lengths in pixels.
    cx, cy
        Principal point in pixels.
    width, height
        Image size in pixels.
    T_table_camera : (4, 4) float, optional
        Pose of the camera in the table frame, translation in metres. None: not known, so that a table plane has to be
        found before anything can be said in the table frame.

    Raises
    ------
    InvalidValue
        A focal length or size that is not positive, or a pose that is not rigid.
    """

    fx: float
    fy: float
    cx: float
    cy: float
    width: int
    height: int
    T_table_camera: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        for name in ("fx", "fy"):
            object.__setattr__(self, name, positive(f"camera.{name}", getattr(self, name), "px"))
        for name in ("cx", "cy"):
            object.__setattr__(self, name, number(f"camera.{name}", getattr(self, name)))
        for name in ("width", "height"):
            size = positive(f"camera.{name}", getattr(self, name), "px")
            if not size.is_integer():
                raise InvalidValue(f"camera.{name}", size, "a whole number of pixels")
            object.__setattr__(self, name, int(size))
        if self.T_table_camera is not None:
            pose = require_pose("camera.T_table_camera", self.T_table_camera)
            if pose.shape != (4, 4):
                raise InvalidValue("camera.T_table_camera.shape", pose.shape, "(4, 4)")
            object.__setattr__(self, "T_table_camera", pose)

    @property
    def pose(self) -> NDArray[np.float64]:
        """`T_table_camera`, or an error that says it is not known."""
        if self.T_table_camera is None:
            raise InvalidValue("camera.T_table_camera", None, "known before anything is placed on the table")
        return self.T_table_camera

    def in_camera(self, u: ArrayLike, v: ArrayLike, depth: ArrayLike) -> NDArray[np.float64]:
        """Return the points (*b, 3) in metres, **camera frame**, seen at pixels u, v (*b) at depths (*b) along z."""
        u, v, depth = np.broadcast_arrays(*(np.asarray(a, float) for a in (u, v, depth)))
        return np.stack([(u - self.cx) / self.fx * depth, (v - self.cy) / self.fy * depth, depth], -1)

    def deproject(self, u: ArrayLike, v: ArrayLike, depth: ArrayLike) -> NDArray[np.float64]:
        """Return the points seen at given pixels and depths.

        Parameters
        ----------
        u, v : (*b) float, pixels
        depth : (*b) float, metres
            Along the optical axis. NaN (missing) gives NaN points.

        Returns
        -------
        (*b, 3) float, metres, table frame
        """
        points = self.in_camera(u, v, depth)
        return transform_points(self.pose, points.reshape(-1, 3)).reshape(points.shape)

    def project(self, points: ArrayLike) -> tuple[NDArray, NDArray, NDArray]:
        """Return u, v in pixels and depth in metres, each (*b), of points (*b, 3) in metres, table frame.

        Points that are not in front of the camera have no pixel: u and v are NaN.
        """
        points = np.asarray(points, float)
        x, y, z = transform_points(invert(self.pose), points.reshape(-1, 3)).reshape(points.shape).T
        ahead = np.where(z > 0, z, np.nan)
        return (self.fx * x / ahead + self.cx).T, (self.fy * y / ahead + self.cy).T, z.T
