"""Closing lines: where seen from above a gripper closes, for a whole batch, and the spots on which its fingers land."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray

from grasp.frames import planar_axes
from grasp.gripper import Gripper
from grasp.solids import boxes
from wrench.checks import frozen


@dataclass(frozen=True, eq=False)
class Lines:
    """Closing lines (n,) in the table plane.

    Parameters
    ----------
    centre : (n, 2) float, metres
        Midway between the pad faces.
    heading : (n,) float, radians
        From the wide jaw to the narrow jaw, counter-clockwise from the table's x as seen from above.
    width, length : (n,) float, metres
        Of what stands between the jaws: along the closing axis, and across it.
    crossing : (n,) float
        Share of the width that the line crosses in material.
    opening : (n,) float, metres
        At which the gripper arrives.
    reason : (n,) uint8
        Codes of `grasp.Reason`.
    """

    centre: NDArray[np.float64]
    heading: NDArray[np.float64]
    width: NDArray[np.float64]
    length: NDArray[np.float64]
    crossing: NDArray[np.float64]
    opening: NDArray[np.float64]
    reason: NDArray[np.uint8]

    def __post_init__(self) -> None:
        for field in fields(self):
            dtype = np.uint8 if field.name == "reason" else np.float64
            object.__setattr__(self, field.name, frozen(getattr(self, field.name), dtype))

    def __len__(self) -> int:
        return len(self.heading)


def landing_spots(gripper: Gripper, opening: ArrayLike) -> NDArray[np.float64]:
    """Return the rectangles on which the jaws stand when they arrive, all fingers of a jaw and the gaps between them.

    Parameters
    ----------
    opening : (*b) float, metres

    Returns
    -------
    (*b, 2, 4, 2) float, metres, gripper frame
        Wide jaw, narrow jaw; corners x, y around each.
    """
    found, wide = boxes(gripper, opening), np.array(gripper.is_wide)
    k = len(wide)
    centre, half = found.centre[..., :k, :2], found.size[:k, :2] / 2
    low, high = centre - half, centre + half  # (*b, k, 2)
    low = np.stack([low[..., jaw, :].min(-2) for jaw in (wide, ~wide)], -2)  # (*b, 2, 2)
    high = np.stack([high[..., jaw, :].max(-2) for jaw in (wide, ~wide)], -2)
    (left, below), (right, above) = np.moveaxis(low, -1, 0), np.moveaxis(high, -1, 0)
    return np.stack([np.stack(corner, -1) for corner in ((left, below), (right, below), (right, above), (left, above))], -2)


def on_table(centre: ArrayLike, heading: ArrayLike, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Map points (*b, ..., 2) from the plane of top-down grippers (*b) to the table, metres."""
    closing, lateral = planar_axes(heading)
    axes = np.stack([closing, lateral], -2)  # (*b, 2, 2)
    extra = (1,) * (points.ndim - axes.ndim)
    axes = axes.reshape(*axes.shape[:-2], *extra, 2, 2)
    shift = np.asarray(centre, float)
    return points @ axes + shift.reshape(*shift.shape[:-1], *extra, 1, 2)


def in_plane_of(centre: NDArray[np.float64], heading: float, polygon: Any) -> Any:
    """Return a polygon in the plane of one top-down gripper: x along the closing axis, y to its right."""
    axes = np.stack(planar_axes(heading), -1)
    return shapely.transform(polygon, lambda points: np.asarray((points - centre) @ axes, float))
