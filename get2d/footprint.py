"""Footprint: what an object looks like from straight above, in metres on the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grasp.view import View
from objects.solid import signed_volume
from wrench.checks import frozen, require_positive


@dataclass(frozen=True, eq=False)
class HeightMap:
    """Top surface of the object over a square grid of cells.

    Parameters
    ----------
    height : (rows, columns) float, metres above the table
        Row 0 lies at the least y, column 0 at the least x. NaN where nothing of the object was seen.
    corner : (2,) float, metres, table frame
        Centre of cell (0, 0): x, y.
    cell
        Metres from one cell to the next.
    """

    height: NDArray[np.float64]
    corner: NDArray[np.float64]
    cell: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "height", frozen(self.height))
        object.__setattr__(self, "corner", frozen(self.corner))
        require_positive("cell", self.cell, "m")

    def percentile(self, percent: float) -> float:
        """Return a percentile of the seen heights in metres; NaN when nothing was seen."""
        seen = self.height[np.isfinite(self.height)]
        return float(np.percentile(seen, percent)) if seen.size else float("nan")

    def top_near(self, points: ArrayLike, radius: float) -> NDArray[np.float64]:
        """Return the greatest height seen within a square of half side `radius` about each point.

        Parameters
        ----------
        points : (*b, 2) float, metres, table frame
        radius
            Metres, rounded up to whole cells.

        Returns
        -------
        (*b,) float, metres above the table; NaN where nothing was seen nearby
        """
        import cv2  # only images need it

        reach = int(np.ceil(radius / self.cell))
        floor = np.float32(-1e9)  # stands for not seen, below any height
        seen = np.where(np.isfinite(self.height), self.height, floor).astype(np.float32)
        padded = cv2.copyMakeBorder(seen, reach, reach, reach, reach, cv2.BORDER_CONSTANT, value=float(floor))
        top = cv2.dilate(padded, np.ones((2 * reach + 1, 2 * reach + 1), np.uint8))
        column, row = np.moveaxis(np.round((np.asarray(points, float) - self.corner) / self.cell).astype(int) + reach, -1, 0)
        inside = (row >= 0) & (row < top.shape[0]) & (column >= 0) & (column < top.shape[1])
        found = top[np.where(inside, row, 0), np.where(inside, column, 0)].astype(np.float64)
        return np.where(inside & (found > floor), found, np.nan)


@dataclass(frozen=True, eq=False)
class Footprint:
    """Outline of one object with its holes, and how high it stands.

    Parameters
    ----------
    polygon
        Valid Shapely polygon in metres, table frame, exterior counter-clockwise and holes clockwise.
    heights
        Top surface, or None where no depth was given.
    notes
        What was dropped, corrected or not seen on the way, one sentence each; empty when there is nothing to say.
    """

    polygon: Any
    heights: HeightMap | None = None
    notes: tuple[str, ...] = ()


def volume_of(view: View, footprint: Footprint, percent: float) -> float | None:
    """Return the volume of the object in m^3: of its mesh where the view has one, else an estimate from what was seen.

    The estimate is the prism over the footprint up to a percentile of the seen heights. It is too large for whatever is
    hollow, undercut or rounded, so that a mass made from it is on the safe side of all but what towers above that height.

    Parameters
    ----------
    footprint
        Of the view.
    percent
        Percentile that counts as the object's height.

    Returns
    -------
    float or None
        None where no height was seen.
    """
    volume = 0.0 if view.mesh is None else signed_volume(view.mesh.vertices, view.mesh.faces)
    if volume <= 0 and footprint.heights is not None:  # no mesh, or one that is open or looks inwards
        volume = footprint.polygon.area * footprint.heights.percentile(percent)
    return float(volume) if volume > 0 else None


Found = tuple[Any, HeightMap | None, tuple[str, ...]]  #: what the ways to a footprint return: polygon, heights, notes
