"""Outline: from the pixels of one object to a valid polygon with its holes, in pixel coordinates.

The chain is the paper's (section V): Suzuki and Abe (1985) trace the border, Teh and Chin (1989) keep its dominant
points, Ramer, Douglas and Peucker (1972, 1973) drop nearly collinear ones. A traced border runs through pixel centres and
is half a pixel small all round, so every ring is traced as the border of a filled shape, holes too, and then grown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import cv2
import numpy as np
import shapely
from numpy.typing import NDArray

from get2d.components import Piece
from get2d.settings import Perception

MITRE = 2.0  # corners down to 60 degrees stay sharp when a ring grows; sharper ones are cut off instead of growing spikes


def outline(piece: Piece, settings: Perception) -> tuple[Any, tuple[str, ...]]:
    """Return the polygon of a piece and a note where the usual chain did not do.

    Returns
    -------
    polygon : Shapely polygon, pixels
        Valid, with one hole per hole of the piece; integer coordinates of the uncut mask are pixel centres.
    notes : tuple of str
    """
    rings = [_ring(mask, settings) for mask in (piece.shell, *piece.holes)]
    shell, *holes = (polygon for polygon, _ in rings)
    notes = tuple(dict.fromkeys(note for _, note in rings if note))
    polygon = shell.difference(shapely.union_all(holes)) if holes else shell
    parts = sum(shapely.get_num_geometries(hole) for hole in holes)
    if polygon.geom_type != "Polygon" or len(polygon.interiors) != parts:  # the walls are thinner than the tolerance
        polygon, notes = pixel_outline(piece.pixels), ("The outline follows the pixels: simplified, it crossed a hole.",)
    return shapely.transform(polygon, lambda at: at + np.array(piece.corner)), notes


def pixel_outline(mask: NDArray) -> Any:
    """Return the exact outline of the set pixels of a mask (h, w), each a unit square about its centre."""
    steps = np.diff(np.pad(np.asarray(mask, np.int8), ((0, 0), (1, 1))), axis=1)
    row, start = np.nonzero(steps == 1)
    stop = np.nonzero(steps == -1)[1]  # runs come in the same order from both
    return shapely.union_all(shapely.box(start - 0.5, row - 0.5, stop - 0.5, row + 0.5))


def _ring(mask: NDArray[np.uint8], settings: Perception) -> tuple[Any, str | None]:
    """Return the polygon of a filled shape by the first way that serves, and a note unless it is the usual one."""
    pixels = int(np.count_nonzero(mask))
    for polygon, note in _ways(mask, settings):
        if polygon is not None and polygon.is_valid and abs(polygon.area - pixels) <= settings.area_share * pixels:
            return polygon, note
    return pixel_outline(mask), "The outline follows the pixels: every simplification crossed itself or changed the area."


def _ways(mask: NDArray[np.uint8], settings: Perception) -> Iterator[tuple[Any, str | None]]:
    """Yield outlines from the most to the least simplified."""
    tolerance, note = settings.simplify, None
    if settings.teh_chin:
        yield _traced(mask, cv2.CHAIN_APPROX_TC89_KCOS, tolerance), None
        yield _traced(mask, cv2.CHAIN_APPROX_TC89_KCOS, tolerance / 2), "The outline was simplified with half the tolerance."
        note = "The outline was simplified without Teh-Chin."
    yield _traced(mask, cv2.CHAIN_APPROX_NONE, tolerance), note
    pixels = pixel_outline(mask)
    yield pixels.simplify(tolerance), "The outline was simplified from that of the pixels: the traced one crossed itself."


def _traced(mask: NDArray[np.uint8], method: int, tolerance: float) -> Any | None:
    """Return the traced and simplified border grown by half a pixel, or None when no area is left."""
    (border, *_), _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, method)
    ring = cv2.approxPolyDP(border, tolerance, True)[:, 0]
    if len(ring) < 3:
        return None
    traced = shapely.Polygon(ring)
    return traced.buffer(0.5, join_style="mitre", mitre_limit=MITRE) if traced.is_valid else None
