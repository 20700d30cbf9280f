"""Masks: the outline of a mask on a plane at a known height, and the section of an object at the height of the fingers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray

from get2d.footprint import Footprint, HeightMap
from get2d.perceive import perceive, tidy
from get2d.settings import Perception
from grasp.camera import Camera
from grasp.errors import PerceptionError
from grasp.reasons import Reason
from grasp.view import View
from wrench.errors import InvalidValue

MM = 1e3


def project_mask(mask: ArrayLike, camera: Camera, height: float, settings: Perception) -> Footprint:
    """Return the footprint of a mask whose outline is taken to lie in a level plane, for a camera with any pose.

    Straight edges stay straight, so the corners of the outline are projected and nothing else. A plane far below the true
    outline makes the footprint too large, most for a camera nearby.

    Parameters
    ----------
    mask : (h, w) bool, or all 0 or 1, or all 0 or 255
    camera
        With its pose.
    height
        Of the plane above the table, in metres.

    Raises
    ------
    PerceptionError
        Nothing to plan on, as `perceive` has it, or a corner of the outline whose ray does not meet the plane.
    InvalidValue
        A camera without a pose or of another size than the mask.
    """
    view = View.from_mask(mask, pixels_per_meter=1.0)
    rows, columns = view.mask.shape if view.mask is not None else (0, 0)
    if (rows, columns) != (camera.height, camera.width):
        raise InvalidValue("mask.shape", (rows, columns), f"that of the camera, {(camera.height, camera.width)}")
    found = perceive(view, settings)  # a pixel is a metre there: the outline in pixels about the middle of the image
    note = f"The outline was taken to lie {height * MM:g} mm above the table."
    onto = _onto(camera, height, np.array([columns - 1, rows - 1]) / 2)
    return Footprint(tidy(shapely.transform(found.polygon, onto)), None, (*found.notes, note))


def _onto(camera: Camera, height: float, middle: NDArray[np.float64]) -> Any:
    """Return the function that maps pixels about the middle (n, 2), v upwards, to the plane."""

    def project(points: NDArray[np.float64]) -> NDArray[np.float64]:
        u, v = middle[0] + points[:, 0], middle[1] - points[:, 1]
        rays = camera.in_camera(u, v, 1.0) @ camera.pose[:3, :3].T  # table frame, depth 1
        with np.errstate(divide="ignore"):
            depth = (height - camera.pose[2, 3]) / rays[:, 2]
        beside = ~(np.isfinite(depth) & (depth > 0))
        if beside.any():
            first = int(np.argmax(beside))
            detail = f"Pixel ({u[first]:.0f}, {v[first]:.0f}) of the outline does not see the plane {height * MM:g} mm up."
            raise PerceptionError(Reason.VIEW_LACKS_INPUT, detail)
        return (camera.pose[:3, 3] + depth[:, None] * rays)[:, :2]

    return project


def section(polygon: Any, heights: HeightMap | None, height: float, settings: Perception) -> Any:
    """Return what of a footprint stands higher than `height` metres, as a polygon: of a cup the wall, without its floor.

    Without heights, and where all of it is higher, that is the footprint itself; where no outline is left, an empty one.
    """
    if heights is None:
        return polygon
    seen = np.isfinite(heights.height)
    tall = seen & (heights.height > height)
    if tall.sum() == seen.sum():
        return polygon
    return _outlined(tall, heights, replace(settings, on_several="largest"))


def _outlined(cells: NDArray[np.bool_], heights: HeightMap, settings: Perception) -> Any:
    """Return the outline of the largest piece of some cells, metres, table frame."""
    upwards = np.pad(cells[::-1], 2)  # row 0 of an image lies at the greatest y
    try:
        found = perceive(View.from_mask(upwards, pixels_per_meter=1 / heights.cell), settings)
    except PerceptionError:
        return shapely.Polygon()
    middle = heights.corner + (np.array(cells.shape[::-1]) - 1) / 2 * heights.cell
    return shapely.transform(found.polygon, lambda points: points + middle)
