"""Scene: an object as upright columns over its footprint, and which of them a box of the gripper enters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from baselines.bbox import EQUAL, box_of
from get2d.footprint import Footprint, HeightMap
from get2d.height import Approach
from grasp.frames import planar_axes
from wrench.checks import frozen

FLAT = np.array([1.0, 1.0, 0.0])
PARALLEL = 1e-12  # a component of a direction below this never reaches the sides of a box


@dataclass(frozen=True, eq=False)
class Scene:
    """What is known of an object before any grasp.

    Parameters
    ----------
    polygon
        The footprint, metres, table frame.
    heights
        Its top surface; cells of it that were not seen are as high as the object. None where none was seen.
    columns : (c, 3) float, metres
        x, y and height: the object fills the line from the table up to there.
    fingertip_height
        Of a top-down grasp, in metres.
    top
        Height of the object in metres; None where it is not known, and where the caller has said where to close.
    """

    polygon: Any
    heights: HeightMap | None
    columns: NDArray[np.float64]
    fingertip_height: float
    top: float | None

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", frozen(self.columns))


def scene_of(footprint: Footprint, z: float | None, approach: Approach, cell: float, tall: float) -> Scene:
    """Return the scene of a footprint.

    Parameters
    ----------
    z
        Height above the table at which the fingers are to close, in metres; None: as `Approach.fingertip_height` says.
    approach
        Rules for the height.
    cell
        Metres between columns where no heights were seen.
    tall
        Metres above the fingertips that an object of unknown height is taken to stand.
    """
    height = approach.fingertip_height(footprint.heights) if z is None else z
    heights = _filled(footprint, approach.top_percentile)
    columns = _grid(footprint.polygon, cell, height + tall) if heights is None else _cells(heights)
    top = None if heights is None or z is not None else heights.percentile(approach.top_percentile)
    return Scene(footprint.polygon, heights, columns, height, top)


def _filled(footprint: Footprint, percent: float) -> HeightMap | None:
    """Return heights in which what was not seen of the footprint stands as high as the object; None where none were seen."""
    heights = footprint.heights
    if heights is None or not np.isfinite(heights.height).any():
        return None
    row, column = np.indices(heights.height.shape)
    x, y = heights.corner[0] + column * heights.cell, heights.corner[1] + row * heights.cell
    unseen = np.isnan(heights.height) & shapely.contains_xy(footprint.polygon, x, y)
    return HeightMap(np.where(unseen, heights.percentile(percent), heights.height), heights.corner, heights.cell)


def entered(columns: NDArray, T_table_gripper: NDArray, low: NDArray, high: NDArray) -> NDArray[np.bool_]:
    """Tell which columns (c, 3) run through which boxes of one pose.

    Parameters
    ----------
    T_table_gripper : (4, 4) float
    low, high : (m, 3) float, metres, gripper frame
        Corners of the boxes.

    Returns
    -------
    (c, m) bool
    """
    near = _through(columns, T_table_gripper, low.min(0)[None], high.max(0)[None])[:, 0]
    found = np.zeros((len(columns), len(low)), bool)
    found[near] = _through(columns[near], T_table_gripper, low, high)
    return found


def _through(columns: NDArray, T: NDArray, low: NDArray, high: NDArray) -> NDArray[np.bool_]:
    """Return (c, m) whether a column, as a line in the gripper frame, is at some height within all three slabs of a box."""
    foot = (columns * FLAT - T[:3, 3]) @ T[:3, :3]  # (c, 3)
    enter, leave = np.zeros((len(columns), len(low))), np.repeat(columns[:, 2:], len(low), 1)
    for axis, slope in enumerate(T[2, :3]):  # the table's up in the gripper frame
        below, above = low[:, axis] - foot[:, axis, None], high[:, axis] - foot[:, axis, None]
        if abs(slope) < PARALLEL:
            leave[(below > 0) | (above < 0)] = -np.inf
            continue
        first, last = (below, above) if slope > 0 else (above, below)
        np.maximum(enter, first / slope, out=enter)
        np.minimum(leave, last / slope, out=leave)
    return enter < leave


def _cells(heights: HeightMap) -> NDArray[np.float64]:
    row, column = np.nonzero(np.isfinite(heights.height))
    return np.column_stack([heights.corner + np.column_stack([column, row]) * heights.cell, heights.height[row, column]])


def _grid(polygon: Any, cell: float, height: float) -> NDArray[np.float64]:
    """Return columns of one height on a grid that turns and moves with a polygon; one inside where the grid misses."""
    centre, angle, short, long = box_of(polygon)
    steps = [cell * (np.arange(2 * n) + 0.5 - n) for n in (int(np.ceil(side / cell / 2)) for side in (short, long))]
    closing, lateral = planar_axes(angle)
    at = centre + np.stack(np.meshgrid(*steps), -1).reshape(-1, 2) @ np.stack([closing, lateral])
    inside = at[shapely.contains_xy(polygon.buffer(-EQUAL), *at.T)]
    if not len(inside):
        inside = shapely.get_coordinates(polygon.representative_point())
    return np.column_stack([inside, np.full(len(inside), height)])
