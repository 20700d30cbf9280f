"""Projection: points straight down onto the table, as a footprint on a grid of cells."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from get2d.components import Piece, one_piece
from get2d.footprint import Found, HeightMap
from get2d.metric import mapped_polygon, of_grid
from get2d.outline import outline
from get2d.settings import Perception
from grasp.errors import PerceptionError
from grasp.reasons import Reason
from wrench.errors import InvalidValue

MOST_CELLS = 16_000_000  # 4 m x 4 m of 1 mm: beyond, the points are hardly metres on a table
NONE = np.zeros((0, 3))
SAMPLE = 2000  # points whose nearest neighbours tell their spacing


def project(
    points: NDArray[np.float64],
    table: NDArray[np.float64],
    settings: Perception,
    border: NDArray[np.float64] = NONE,
) -> Found:
    """Return the outline, the heights and the notes of the object among points.

    Cells that hold a point are set, and gaps between them closed where no disc of the points' spacing fits. A hole in which
    no point of the table was seen may as well be a part of the object that was out of sight: it is filled and said so,
    unless the points show no table at all.

    Parameters
    ----------
    points : (n, 3) float, metres, table frame
        Those up to `least_height` above the table are not the object.
    table : (m, 3) float, metres, table frame
        Where to look for the table; higher points are left aside.
    border : (k, 3) float, metres, table frame
        Points seen at the border of the image, where an object would be cut off.

    Raises
    ------
    PerceptionError
        EMPTY_CLOUD, TOUCHES_BORDER, or as `one_piece`.
    InvalidValue
        The points spread too far to be in metres.
    """
    above = points[points[:, 2] > settings.least_height]
    if len(above) == 0:
        detail = f"None of {len(points)} points is more than {settings.least_height:g} m above the table."
        raise PerceptionError(Reason.EMPTY_CLOUD, detail)
    heights, mask = _grid(above, settings.cell)
    piece, notes = _alone(mask, settings)
    cut = border[border[:, 2] > settings.least_height]
    if _within(piece.pixels[None], cut, piece, heights).any():
        raise PerceptionError(Reason.TOUCHES_BORDER, "Points of it were seen at the image's border.")
    low = table[table[:, 2] <= settings.least_height]
    piece, filled = _seen_through(piece, low, heights) if len(low) else (piece, ())
    polygon, traced = outline(piece, settings)
    return mapped_polygon(of_grid(heights.corner, heights.cell), polygon), _cut(heights, piece), notes + filled + traced


def _alone(mask: NDArray[np.bool_], settings: Perception) -> tuple[Piece, tuple[str, ...]]:
    try:
        return one_piece(mask, settings, "cells")
    except PerceptionError as error:
        if error.reason is not Reason.SEVERAL_OBJECTS:
            raise
        hint = "They may be parts of one object, with what joins them out of sight."
        raise PerceptionError(error.reason, f"{error.detail} {hint}") from error


def _grid(points: NDArray[np.float64], cell: float) -> tuple[HeightMap, NDArray[np.bool_]]:
    """Return the greatest height in every cell, and the cells that the object covers."""
    reach = int(np.ceil(_spacing(points) / cell))
    low, extent = points[:, :2].min(0), np.ptp(points[:, :2], axis=0)
    margin = reach + 2  # so that nothing touches the border, closed or not
    columns, rows = (extent / cell).astype(int) + 2 * margin + 1
    if columns * rows > MOST_CELLS:
        size = f"{extent[0]:g} x {extent[1]:g} m"
        raise InvalidValue("extent of the points", size, f"at most {MOST_CELLS} cells of {cell:g} m; are they in metres?")
    corner = low - margin * cell
    height = np.full((rows, columns), -np.inf)
    column, row = np.round((points[:, :2] - corner) / cell).astype(int).T
    np.maximum.at(height, (row, column), points[:, 2])
    height[np.isinf(height)] = np.nan
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
    covered = cv2.morphologyEx(np.isfinite(height).astype(np.uint8), cv2.MORPH_CLOSE, disc)
    return HeightMap(height, corner, cell), covered != 0


def _spacing(points: NDArray[np.float64]) -> float:
    """Return the median distance of a point to its fourth neighbour, in metres; 0 for fewer than five points.

    On a grid seen from straight above that is the spacing; on one seen aslant, about the longer of its two.
    """
    from scipy.spatial import KDTree  # slow to import, and only clouds need it here

    if len(points) < 5:
        return 0.0
    sample = points[:: max(len(points) // SAMPLE, 1)]
    return float(np.median(KDTree(points).query(sample, k=5)[0][:, -1]))  # the first is the point itself


def _seen_through(piece: Piece, table: NDArray[np.float64], heights: HeightMap) -> tuple[Piece, tuple[str, ...]]:
    """Return the piece with only those holes in which there are points of the table."""
    seen = _within(piece.holes != 0, table, piece, heights)
    if seen.all():
        return piece, ()
    note = f"{(~seen).sum()} holes were filled: the table was not seen through them."
    return Piece(piece.shell, piece.holes[seen], piece.corner), (note,)


def _within(regions: NDArray[np.bool_], points: NDArray[np.float64], piece: Piece, heights: HeightMap) -> NDArray[np.bool_]:
    """Return for each region (n, h, w) of the piece's cells whether any of the points lies in it."""
    column, row = (np.round((points[:, :2] - heights.corner) / heights.cell).astype(int) - piece.corner).T
    inside = (row >= 0) & (row < regions.shape[1]) & (column >= 0) & (column < regions.shape[2])
    return np.any(regions[:, row[inside], column[inside]], axis=1)


def _cut(heights: HeightMap, piece: Piece) -> HeightMap:
    """Return the heights of the piece alone."""
    own = np.where(piece.pixels, piece.cut(heights.height), np.nan)
    return HeightMap(own, heights.corner + np.array(piece.corner) * heights.cell, heights.cell)
