"""Spacing: how much room a gripper takes beside the object, and how closely objects may stand.

Seen along the closing plane, an open gripper is a staircase that widens from the fingertips upwards. Beside an object of
width w, with a margin m of air at each pad, the opening is w + 2 m, and a neighbour that stands up to some height above the
fingertips must leave room for the widest step that begins below that height:

    room = half_width - w / 2                  from the object's side outwards
    pitch = w / 2 + half_width                 between the middles of equal objects in a row along the closing axis
    gap = pitch - w                            between their sides

With fingertips of thickness t and fingers that stand f outboard of them, half_width = w / 2 + m + t + f beside the fingers,
so that pitch = w + m + t + f, and gap = m + t + f whatever the object. Beside what does not move with the jaws it is fixed.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grasp.gripper import Gripper
from grasp.reasons import Reason
from grasp.sweeps import arriving
from wrench.checks import require_at_least, require_positive
from wrench.errors import InvalidValue

ROUNDING = 1e-9  # metres
HALVINGS = 50  # of the range of widths: to 1e-16 m


def staircase(gripper: Gripper, opening: float, axis: int = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the outline of an open gripper.

    Parameters
    ----------
    opening : metres
    axis
        0 along the closing axis, 1 across it: what takes its place after a quarter turn.

    Returns
    -------
    height, half_width : (k,) float, metres
        Steps, ascending: from that height above the fingertips on the gripper stands at most that far from its axis.
    """
    parts = arriving(gripper, opening)
    height, reach = 0.0 - parts.high[:, 2], np.maximum(-parts.low[:, axis], parts.high[:, axis])
    order = np.lexsort((-reach, height))  # of parts that begin at one height the widest comes first
    widest = np.maximum.accumulate(reach[order])
    rises = np.append(True, np.diff(widest) > ROUNDING)
    return height[order][rises], widest[rises]


def half_width(gripper: Gripper, opening: ArrayLike, height: ArrayLike) -> NDArray[np.float64]:
    """Return how far (*b) in metres from its axis the open gripper reaches, along the closing axis, up to a height.

    Parameters
    ----------
    opening : (*b) float, metres
    height : (*b) float, metres
        To which a neighbour stands above the fingertips: what begins at that height passes over it.
    """
    opening, height = np.broadcast_arrays(np.asarray(opening, float), np.asarray(height, float))
    parts = arriving(gripper, opening)
    reach = np.maximum(-parts.low[..., 0], parts.high[..., 0])
    beside = -parts.high[..., 2] < height[..., None] - ROUNDING
    return np.where(beside, reach, 0.0).max(-1)


def lane(gripper: Gripper, opening: ArrayLike, height: ArrayLike) -> NDArray[np.float64]:
    """Return the width (*b) in metres of the free lane that the open gripper needs, object included."""
    return 2 * half_width(gripper, opening, height)


def room(gripper: Gripper, width: ArrayLike, opening: ArrayLike, height: ArrayLike) -> NDArray[np.float64]:
    """Return the room (*b) in metres needed on each side of an object of a width (*b), from its side outwards."""
    return half_width(gripper, opening, height) - require_positive("width", width, "m") / 2


def pitch(gripper: Gripper, width: ArrayLike, margin: ArrayLike, height: ArrayLike) -> NDArray[np.float64]:
    """Return the least distance (*b) in metres between the middles of equal objects in a row along the closing axis.

    Parameters
    ----------
    width : (*b) float, metres
        Of each object along the row.
    margin : (*b) float, metres
        Of air between each pad and the object; the gripper opens to the width and twice the margin.
    height : (*b) float, metres
        To which the neighbours stand above the fingertips.

    Returns
    -------
    (*b) float
        NaN where the gripper does not open that wide.
    """
    width = require_positive("width", width, "m")
    opening = width + 2 * require_at_least("margin", margin, 0, "m")
    found = width / 2 + half_width(gripper, opening, height)
    return np.where(opening <= gripper.max_opening + ROUNDING, found, np.nan)


def gap(gripper: Gripper, width: ArrayLike, margin: ArrayLike, height: ArrayLike) -> NDArray[np.float64]:
    """Return the least gap (*b) in metres between equal objects in a row; see `pitch`."""
    return pitch(gripper, width, margin, height) - np.asarray(width, float)


def widest_object(gripper: Gripper, spacing: ArrayLike, margin: ArrayLike, height: ArrayLike) -> NDArray[np.float64]:
    """Return the width (*b) in metres of the widest objects that a gripper can pick from a row of a given pitch (*b).

    The inverse of `pitch`, which rises with the width, by halving. NaN where it can pick none however thin.
    """
    margin, spacing = require_at_least("margin", margin, 0, "m"), require_positive("spacing", spacing, "m")
    margin, spacing, height = np.broadcast_arrays(margin, spacing, np.asarray(height, float))
    low, high = np.zeros(spacing.shape), np.maximum(gripper.max_opening - 2 * margin, 0)
    for _ in range(HALVINGS):
        width = (low + high) / 2
        fits = width / 2 + half_width(gripper, width + 2 * margin, height) <= spacing
        low, high = np.where(fits, width, low), np.where(fits, high, width)
    return np.where(low > 0, high, np.nan)


def largest_gripper(
    grippers: Iterable[Gripper], width: float, spacing: float, margin: float, height: float
) -> Gripper | None:
    """Return the gripper of the greatest opening that picks objects of a width from a row of a given pitch, or None.

    Parameters
    ----------
    width, spacing, margin, height : metres
        As `pitch` takes them; `spacing` is the pitch there is.
    """
    fits = [g for g in grippers if pitch(g, width, margin, height) <= spacing + ROUNDING]
    return max(fits, key=lambda gripper: gripper.max_opening, default=None)


def encompassing(gripper: Gripper, diameter: ArrayLike) -> NDArray[np.uint8]:
    """Return codes of `Reason` (*b): whether cylinders of a diameter (*b) in metres can be wrapped by the fingers.

    Raises
    ------
    InvalidValue
        An encompassing grip asked of a gripper whose fingers only pinch.
    """
    if gripper.min_encompassed is None:
        expected = "a diameter: an encompassing grip takes fingers that wrap"
        raise InvalidValue(f"{gripper.name}.min_encompassed", None, expected)
    diameter = require_positive("diameter", diameter, "m")
    wide = np.where(diameter > gripper.max_opening, Reason.TOO_WIDE.code, Reason.OK.code)
    return np.where(diameter < gripper.min_encompassed, Reason.TOO_NARROW.code, wide).astype(np.uint8)
