"""Walls: what a practitioner assumes below the rim of what was seen, where a view shows little but the top."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from baselines.cloud import Cloud
from get2d.footprint import Footprint, HeightMap
from get2d.height import Approach


@dataclass(frozen=True, eq=False)
class Eye:
    """Camera straight above, by whose image an outline was drawn as if all of it lay at one height.

    Parameters
    ----------
    centre : (3,) float, metres, table frame
    height : metres
        Above the table, that all of the outline was taken to have.
    """

    centre: NDArray[np.float64]
    height: float

    def moved(self, xy: NDArray[np.float64], z: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return where points (n, 2) of the outline are if their height is z (n,), (n, 2) metres."""
        nearer = (self.centre[2] - z) / (self.centre[2] - self.height)
        return self.centre[:2] + nearer[:, None] * (xy - self.centre[:2])


def walls(footprint: Footprint, eye: Eye | None, approach: Approach, spacing: float, band: float) -> Cloud:
    """Return points on vertical walls below the outline of a footprint and of its holes.

    An object seen from straight above shows its top, and nothing of the sides a parallel gripper touches. Here the sides are
    taken to go straight down from the rim, with the level normals of the outline. That is true of prisms, and an assumption
    about everything else: nothing of these walls was measured. Points lie in a band about the middle of the fingers,
    between their tips and the object's height, or below the top that was seen near the rim where that is lower; where no
    height was seen, in a band from the least cover of a pad upwards.

    Parameters
    ----------
    footprint
        Metres, table frame.
    eye
        Of an outline from an image; its points are moved to where they are at the height that was seen of each.
    approach
        How deep the fingers go.
    spacing : metres
        Between points.
    band : metres
        Height of the walls.
    """
    rings = [footprint.polygon.exterior, *footprint.polygon.interiors]
    parts = [_along(shapely.get_coordinates(ring), spacing) for ring in rings]
    xy, outward = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    high = _upper_edge(xy, footprint, approach, band)
    if eye is not None and footprint.heights is not None:
        own = _height_at(footprint.heights, xy - footprint.heights.cell * outward)
        xy = np.where(np.isfinite(own)[:, None], eye.moved(xy, own), xy)
    low = np.maximum(high - band, 0)
    layers = int(np.ceil(band / spacing))
    z = low[:, None] + (np.arange(layers) + 0.5) / layers * (high - low)[:, None]  # (n, layers)
    points = np.concatenate([np.repeat(xy, layers, 0), z.reshape(-1, 1)], 1)
    level = np.concatenate([np.repeat(outward, layers, 0), np.zeros((len(points), 1))], 1)
    return Cloud.of(points, level, measured=False)


def _along(corners: NDArray[np.float64], spacing: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return points (n, 2) evenly along a closed ring (m, 2), inside to its left, and unit vectors (n, 2) to its right."""
    edge = np.diff(corners, axis=0)
    length = np.linalg.norm(edge, axis=1)
    count = np.ceil(length / spacing).astype(int)
    own = np.repeat(np.arange(len(edge)), count)
    share = (np.arange(len(own)) - np.repeat(np.cumsum(count) - count, count) + 0.5) / count[own]
    right = np.stack([edge[own, 1], -edge[own, 0]], 1) / length[own, None]
    return corners[own] + share[:, None] * edge[own], right


def _height_at(heights: HeightMap, xy: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the heights (n,) seen in the cells of points (n, 2), metres; NaN where nothing was."""
    column, row = np.round((xy - heights.corner) / heights.cell).astype(int).T
    inside = (row >= 0) & (row < heights.height.shape[0]) & (column >= 0) & (column < heights.height.shape[1])
    return np.where(inside, heights.height[np.where(inside, row, 0), np.where(inside, column, 0)], np.nan)


def _upper_edge(xy: NDArray[np.float64], footprint: Footprint, approach: Approach, band: float) -> NDArray[np.float64]:
    """Return up to which height (n,) the wall below each point (n, 2) of the rim is looked at, metres."""
    tip = approach.fingertip_height(footprint.heights)
    if footprint.heights is None:
        return np.full(len(xy), tip + approach.overlap + band)
    height = footprint.heights.percentile(approach.top_percentile)
    top = footprint.heights.top_near(xy, approach.reach)
    return np.fmin((tip + height + band) / 2, top)  # the first where nothing was seen near the rim
