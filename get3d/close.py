"""Closing the gripper in space: the contacts of batches of poses under sets of draws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from get3d.pads import Pads
from get3d.touch import Touch
from wrench.contacts import Contacts

GRIPS, OVERLAP, MISSES, PASSES = range(4)  # outcome of one closing
UNDISPLACED = np.zeros((1, 3))  # the one draw of a gripper that is where it should be


@dataclass(frozen=True, eq=False)
class Closing:
    """What happens when grippers close.

    Parameters
    ----------
    contacts : (*b,) of k contacts, table frame
        None are made unless the outcome is GRIPS.
    outcome : (*b,) int
        GRIPS; OVERLAP: a pad starts inside the object; MISSES: a jaw meets nothing; PASSES: the jaws meet material only
        beyond each other.
    travel : (*b, 2) float, metres
        That the wide and the narrow jaw move to their first touch; inf where they meet nothing, NaN where pads overlap.
    """

    contacts: Contacts
    outcome: NDArray[np.uint8]
    travel: NDArray[np.float64]


def close(
    touch: Touch,
    pads: Pads,
    T_table_gripper: NDArray[np.float64],
    opening: NDArray[np.float64],
    *,
    min_opening: float,
    tolerance: float,
    translation: NDArray[np.float64] = UNDISPLACED,
) -> Closing:
    """Close every pose under every draw.

    Each pad moves along the closing axis to its first touch. Of one jaw's pads, those count that touch at most `tolerance`
    later than its first.

    Parameters
    ----------
    touch
        How first touches are found.
    pads : k pads
    T_table_gripper : (n, 4, 4) float
    opening : (n,) metres
        Between the pad faces before they close.
    min_opening, tolerance : metres
        Least opening of the gripper; how much later a pad may touch.
    translation : (s, 3) metres, table frame
        By which each draw displaces the gripper.

    Returns
    -------
    Closing
        Batch (n, s).
    """
    met = touch(pads, T_table_gripper, opening, translation)
    wide, narrow = met.depth[..., pads.wide].min(-1), met.depth[..., ~pads.wide].min(-1)
    left = np.asarray(opening)[:, None] - wide - narrow
    missed = np.isinf(wide) | np.isinf(narrow)
    outcome = np.select([met.overlaps, missed, left < min_opening], [OVERLAP, MISSES, PASSES], GRIPS).astype(np.uint8)
    first = np.where(pads.wide, wide[..., None], narrow[..., None])
    with np.errstate(invalid="ignore"):  # inf - inf of a jaw that meets nothing
        made = (outcome == GRIPS)[..., None] & (met.depth - first <= tolerance)
    return Closing(Contacts(met.point, met.normal, made), outcome, np.stack([wide, narrow], -1))
