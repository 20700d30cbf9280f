"""Whole grasps: the fingers close around the complete footprint, from straight above or from the arm's side."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from baselines.bbox import EQUAL, box_of
from baselines.footprint_lines import Lines, in_plane_of
from grasp.frames import planar_axes
from grasp.gripper import Gripper
from grasp.reasons import Reason


def azimuth_from(base: tuple[float, float, float], polygon: Any) -> float:
    """Return the heading, in radians, from an arm's base to the centroid of a polygon; 0 where they coincide."""
    away = shapely.get_coordinates(polygon.centroid)[0] - np.array(base[:2])
    return float(np.arctan2(away[1], away[0]))


def whole_lines(
    polygon: Any, tilt: float, azimuth: float, gripper: Gripper, margin: float, clearance: float, turned: bool = False
) -> Lines:
    """Return the two closing lines across a footprint, one for each side that the wide jaw can take.

    From straight above (tilt 0) the jaws close along the shorter side of the least rectangle around it, otherwise across
    the way they come in, level. Along the closing axis the gripper is centred on the footprint, across it on the centroid.

    Parameters
    ----------
    polygon
        Metres, table frame.
    tilt, azimuth
        Radians: of the approach from straight down, and its heading. Of equal sides, the one across it is closed along.
    margin, clearance
        Metres on either side that are wanted, and that are needed.
    turned
        Whether they are a quarter turn from there: along the longer side from straight above.

    Returns
    -------
    Lines of length 2
        First the one whose wide jaw is on the side of the arm or, for an approach from there, to the left of it.
    """
    first = azimuth - np.pi / 2 if tilt > 0 else _towards(short_axis(polygon, azimuth), azimuth)
    headings = np.array([first, first + np.pi]) + (np.pi / 2 if turned else 0.0)
    centre = shapely.get_coordinates(polygon.centroid)[0]
    measured = [_measure(polygon, centre, heading) for heading in headings]
    middle, width, length, crossing = (np.array(column) for column in zip(*measured, strict=True))
    opening = np.minimum(width + 2 * margin, gripper.max_opening)
    reason = Reason.accepted(2)
    reason[width < gripper.min_opening - EQUAL] = Reason.TOO_NARROW.code
    reason[width > gripper.max_opening - 2 * clearance + EQUAL] = Reason.TOO_WIDE.code
    closing, _ = planar_axes(headings)
    return Lines(centre + middle[:, None] * closing, headings, width, length, crossing, opening, reason)


def short_axis(polygon: Any, azimuth: float) -> float:
    """Return the heading, up to half a turn, of the shorter side of the least rectangle; of equals that across `azimuth`."""
    _, angle, short, long = box_of(polygon)
    along = np.abs(np.cos(angle - azimuth + np.array([0, np.pi / 2])))
    return angle + np.pi / 2 if long - short <= EQUAL and along[1] < along[0] else angle


def _towards(angle: float, azimuth: float) -> float:
    """Return of an axis the heading that leads away from the arm, or to the left where the axis is square to that."""
    along, left = np.cos(angle - azimuth), np.sin(angle - azimuth)
    return angle if along > EQUAL or (abs(along) <= EQUAL and left > 0) else angle + np.pi


def _measure(polygon: Any, centre: NDArray[np.float64], heading: float) -> tuple[float, float, float, float]:
    """Return the middle along the closing axis from `centre`, width, length, and the share of the width in material."""
    local = in_plane_of(centre, heading, polygon)
    left, low, right, high = local.bounds
    line = shapely.LineString([(left, 0), (right, 0)])
    return (left + right) / 2, right - left, high - low, shapely.length(shapely.intersection(line, local)) / (right - left)
