"""Metric: from pixels to metres on the table, by one affine map per view.

Everything outlined is taken to lie at one distance from the camera, so the map is u, v to x, y by a (2, 3) matrix.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from get2d.footprint import HeightMap
from grasp.camera import Camera


def of_scale(shape: tuple[int, ...], pixels_per_meter: float) -> NDArray[np.float64]:
    """Return the map of an image (h, w) seen straight from above: x along u, y against v, origin at its centre."""
    middle = (np.array(shape[1::-1]) - 1) / 2  # u, v
    turn = np.diag([1.0, -1.0]) / pixels_per_meter
    return np.column_stack([turn, -turn @ middle])


def of_depth(camera: Camera, depth: float) -> NDArray[np.float64]:
    """Return the map of pixels that all lie at one depth in metres: `Camera.deproject` with z left out."""
    ray = np.array([[1 / camera.fx, 0, -camera.cx / camera.fx], [0, 1 / camera.fy, -camera.cy / camera.fy], [0, 0, 1]])
    to_table = camera.pose[:2, :3] @ ray * depth
    to_table[:, 2] += camera.pose[:2, 3]
    return to_table


def of_grid(corner: NDArray[np.float64], cell: float) -> NDArray[np.float64]:
    """Return the map of the columns and rows of a grid whose cell (0, 0) has its centre at `corner`."""
    return np.column_stack([np.eye(2) * cell, corner])


def shifted(to_table: NDArray[np.float64], corner: tuple[int, int]) -> NDArray[np.float64]:
    """Return the map of the pixels of a cut-out whose entry (0, 0) lies at `corner` of the image."""
    return np.column_stack([to_table[:, :2], mapped(to_table, np.array(corner))])


def mapped(to_table: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points (*b, 2) under an affine map (2, 3)."""
    return points @ to_table[:, :2].T + to_table[:, 2]


def mapped_polygon(to_table: NDArray[np.float64], polygon: Any) -> Any:
    """Return a polygon under an affine map (2, 3)."""
    return shapely.transform(polygon, lambda points: mapped(to_table, points))


def height_map(height: NDArray[np.float64], to_table: NDArray[np.float64]) -> HeightMap:
    """Return heights (h, w) of pixels on a grid along the table's axes, by the nearest pixel.

    For a camera that looks straight down along those axes it is the pixel grid itself, last row first.

    Parameters
    ----------
    height : (h, w) float, metres
        NaN where nothing was seen.
    to_table : (2, 3) float
        Map of the columns and rows of `height`.
    """
    import cv2  # only images need it

    rows, columns = height.shape
    corners = mapped(to_table, np.array([[0.0, 0], [columns - 1, 0], [0, rows - 1], [columns - 1, rows - 1]]))
    low, extent = corners.min(0), np.ptp(corners, axis=0)
    cell = float(np.sqrt(abs(np.linalg.det(to_table[:, :2]))))
    to_pixel = np.linalg.inv(to_table[:, :2])
    grid_to_pixel = np.column_stack([to_pixel * cell, to_pixel @ (low - to_table[:, 2])])
    size = (np.round(extent / cell).astype(int) + 1).tolist()
    flags, outside = cv2.INTER_NEAREST | cv2.WARP_INVERSE_MAP, (np.nan,) * 4
    seen = cv2.warpAffine(height, grid_to_pixel, size, flags=flags, borderValue=outside)
    return HeightMap(np.asarray(seen, np.float64), low, cell)
