"""RGB-D: the footprint of what a depth camera sees, from straight above or from aside."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from get2d.components import Piece, one_piece
from get2d.footprint import Found
from get2d.metric import height_map, mapped_polygon, of_depth, shifted
from get2d.outline import outline
from get2d.project import project
from get2d.segment import mask_of
from get2d.settings import Perception
from get2d.table import camera_over_table, points_of, tilt
from grasp.camera import Camera
from grasp.errors import PerceptionError
from grasp.frames import transform_points
from grasp.reasons import Reason
from grasp.view import View

Parted = tuple[Piece, tuple[str, ...]]  # the object's pixels and notes on the others


def from_depth(view: View, depth: NDArray[np.float64], settings: Perception) -> Found:
    """Return outline, heights and notes of a view with that depth (h, w).

    From straight above, the outline is that of the mask, at the distance of the object (`object_percentile`). Where the
    camera is tilted by more than `greatest_tilt`, or nothing but depth tells the object, its points are projected.

    Raises
    ------
    PerceptionError
        The reasons of `one_piece`, `camera_over_table` and `project`; NO_VALID_DEPTH.
    """
    given = None if view.mask is None else _with_depth(one_piece(view.mask, settings), depth)
    camera = camera_over_table(view, depth, settings)
    if tilt(camera) > settings.greatest_tilt or (given is None and view.rgb is None):
        return _from_aside(depth, camera, given, settings)
    return _from_above(depth, camera, given or _with_depth(one_piece(mask_of(view, settings), settings), depth), settings)


def _with_depth(parted: Parted, depth: NDArray[np.float64]) -> Parted:
    piece, _ = parted
    if not np.isfinite(piece.cut(depth)[piece.pixels]).any():
        raise PerceptionError(Reason.NO_VALID_DEPTH, f"All of {np.count_nonzero(piece.pixels)} pixels are missing.")
    return parted


def _from_above(depth: NDArray[np.float64], camera: Camera, parted: Parted, settings: Perception) -> Found:
    piece, notes = parted
    own = np.where(piece.pixels, piece.cut(depth), np.nan)
    to_table = of_depth(camera, float(np.nanpercentile(own, settings.object_percentile)))
    rows, columns = np.indices(own.shape)
    height = camera.deproject(columns + piece.corner[0], rows + piece.corner[1], own)[..., 2]
    top = np.nanmax(height)
    if top <= 0:
        raise PerceptionError(Reason.NO_TABLE_PLANE, f"The object would lie {-top:g} m below the one given or found.")
    polygon, traced = outline(piece, settings)
    heights = height_map(height, shifted(to_table, piece.corner))
    return mapped_polygon(to_table, polygon), heights, notes + traced


def _from_aside(depth: NDArray[np.float64], camera: Camera, given: Parted | None, settings: Perception) -> Found:
    inside, border = np.ones(depth.shape, bool), np.ones(depth.shape, bool)
    border[1:-1, 1:-1] = False
    notes: tuple[str, ...] = ()
    if given is not None:  # then its mask has been found not to touch the border
        piece, notes = given
        inside[:], border[:] = False, False
        piece.cut(inside)[:] = piece.pixels
    scene, object_, edge = (
        transform_points(camera.pose, points_of(depth, camera, chosen)) for chosen in (np.isfinite(depth), inside, border)
    )
    polygon, heights, more = project(object_, scene, settings, edge)
    seen = f"Seen at {math.degrees(tilt(camera)):.0f} degrees from straight down: "
    hidden = "surfaces that face away from the camera are missing from the footprint."
    return polygon, heights, (*notes, *more, seen + hidden)
