"""Backdrop: what the camera saw, laid straight under a drawing in the table frame."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from get2d.metric import mapped, of_scale
from get2d.settings import Perception
from get2d.table import camera_over_table
from grasp.view import View

Extent = tuple[float, float, float, float]  # left, right, bottom, top, as Matplotlib has it
FINE = 600  # pixels along the wider side: as many as the drawing shows
WHITE = (255, 255, 255)  # where the camera saw nothing


def photo(view: View) -> NDArray[np.uint8] | None:
    """Return the picture (h, w, 3) in a view: its colours, else its mask in grey, else None."""
    if view.rgb is not None:
        return view.rgb
    return None if view.mask is None else np.where(view.mask[..., None], 205, 255).astype(np.uint8).repeat(3, -1)


def orthophoto(
    view: View, settings: Perception, height: float, extent: Extent
) -> NDArray[np.uint8] | None:
    """Return the picture in a view as seen straight from above.

    Parameters
    ----------
    height
        Metres above the table at which it is true to scale; what lies elsewhere is displaced unless it is below the camera.
    extent : metres, table frame

    Returns
    -------
    (rows, columns, 3) uint8
        First row at `top`, first column at `left`; None where the view has no picture, or one of unknown scale.
    """
    picture = photo(view)
    if picture is None or (view.depth is None and view.pixels_per_meter is None):
        return None
    left, right, bottom, top = extent
    cell = max(right - left, top - bottom) / FINE
    x, y = np.meshgrid(np.arange(left + cell / 2, right, cell), np.arange(top - cell / 2, bottom, -cell))
    u, v = _pixels(view, settings, np.stack([x, y, np.full_like(x, height)], -1))
    at = (np.nan_to_num(part, nan=-10.0).astype(np.float32) for part in (u, v))
    seen = cv2.remap(picture, *at, interpolation=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=WHITE)
    return np.asarray(seen, np.uint8)


def _pixels(view: View, settings: Perception, points: NDArray[np.float64]) -> tuple[NDArray, NDArray]:
    """Return u and v, (*b) each, of points (*b, 3) in metres, table frame."""
    if view.depth is not None:
        camera = camera_over_table(view, view.depth, settings)
        u, v, _ = camera.project(points.reshape(-1, 3))
        return u.reshape(points.shape[:-1]), v.reshape(points.shape[:-1])
    images = [image for image in (view.rgb, view.mask) if image is not None]
    to_table = of_scale(images[0].shape, view.pixels_per_meter or np.nan)
    to_pixel = np.linalg.inv(to_table[:, :2]).astype(np.float64)
    u, v = np.moveaxis(mapped(np.column_stack([to_pixel, -to_pixel @ to_table[:, 2]]), points[..., :2]), -1, 0)
    return u, v
