"""Perceive: from any view to a footprint. The door of GET-2D's perception (paper, section V)."""

from __future__ import annotations

from typing import Any

import shapely
from shapely.geometry.polygon import orient

from get2d.components import one_piece
from get2d.footprint import Footprint, Found
from get2d.metric import mapped_polygon, of_scale
from get2d.outline import outline
from get2d.project import project
from get2d.rgbd import from_depth
from get2d.segment import mask_of
from get2d.settings import Perception
from get2d.silhouette import silhouette
from grasp.errors import PerceptionError
from grasp.reasons import Reason
from grasp.view import View

ROUNDING = 1e-9  # metres: a vertex closer than this to the line of its neighbours is on it


def perceive(view: View, settings: Perception) -> Footprint:
    """Return the footprint of the one object in a view.

    Where a view holds several things, the first of these is used: polygon, images, points, mesh.

    Parameters
    ----------
    view
        Images need a mask or colours (see `mask_of`), and either depth or a scale. Where the camera is tilted, or where
        there is depth alone, the points seen above the table are projected straight down instead.
    settings
        All thresholds.

    Returns
    -------
    Footprint
        In the table frame. Where the camera's pose is not known, its origin lies below the camera (below the centre of an
        image with a scale), x points along the image's u, and y against its v as seen from above.

    Raises
    ------
    PerceptionError
        Nothing to plan on: the mask, depth or table is at fault, each with its own reason.
    """
    polygon, heights, notes = _found(view, settings)
    if view.dropped:
        notes = (f"{view.dropped} points of the cloud were dropped because they were not finite.", *notes)
    return Footprint(tidy(polygon), heights, notes)


def tidy(polygon: Any) -> Any:
    """Return a polygon without repeated and collinear vertices, exterior counter-clockwise, holes clockwise."""
    return orient(shapely.simplify(shapely.normalize(polygon), ROUNDING))  # normalized rings begin at a true corner


def _found(view: View, settings: Perception) -> Found:
    if view.polygon is not None:
        return view.polygon, None, ()
    if view.depth is not None:
        return from_depth(view, view.depth, settings)
    if view.mask is not None or view.rgb is not None:
        return _from_mask(view, settings)
    if view.points is not None:
        return project(view.points, view.points, settings)
    if view.mesh is not None:
        return silhouette(view.mesh, settings)
    raise PerceptionError(Reason.VIEW_LACKS_INPUT, "It holds a camera alone.")


def _from_mask(view: View, settings: Perception) -> Found:
    if view.pixels_per_meter is None:
        raise PerceptionError(Reason.VIEW_LACKS_INPUT, "An image without depth needs pixels_per_meter instead of a camera.")
    mask = mask_of(view, settings)
    piece, notes = one_piece(mask, settings)
    polygon, more = outline(piece, settings)
    return mapped_polygon(of_scale(mask.shape, view.pixels_per_meter), polygon), None, notes + more
