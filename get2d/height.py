"""Height: how deep the fingers go, and whether there is any object at that height where they close."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from get2d.footprint import HeightMap
from wrench.checks import require_at_least, require_positive
from wrench.contacts import Contacts
from wrench.errors import InvalidValue


@dataclass(frozen=True)
class Approach:
    """Where the gripper arrives.

    Parameters
    ----------
    margin : metres
        That each jaw starts off its contact, as far as opening and free space allow.
    below_top : metres
        Fingertips below the object's height.
    top_percentile
        Percentile of the seen heights that counts as the object's height.
    table_clearance : metres
        Least height of the fingertips above the table.
    overlap : metres
        By which the surface at a contact must stand above the fingertips.
    reach : metres
        About a contact within which the height of the surface is looked up.
    """

    margin: float
    below_top: float
    top_percentile: float
    table_clearance: float
    overlap: float
    reach: float

    def __post_init__(self) -> None:
        for field in ("margin", "below_top", "table_clearance", "overlap"):
            require_at_least(f"approach.{field}", getattr(self, field), 0, "m")
        require_positive("approach.reach", self.reach, "m")
        if not 0 <= self.top_percentile <= 100:
            raise InvalidValue("approach.top_percentile", self.top_percentile, "between 0 and 100")

    def fingertip_height(self, heights: HeightMap | None) -> float:
        """Return the height of the fingertips above the table in metres.

        5 cm below the 80th percentile of the object's height in the paper (section VII-A), never below the table
        clearance; at the table clearance where no height was seen.
        """
        top = np.nan if heights is None else heights.percentile(self.top_percentile)
        return float(np.nanmax([self.table_clearance, top - self.below_top]))

    def covered(self, contacts: Contacts, heights: HeightMap | None) -> NDArray[np.float64]:
        """Return how far the lowest surface at any made contact stands above the fingertips.

        The paper's one failed lift of its 2D planner was a grasp above the surface it wanted (section VII-C).

        Parameters
        ----------
        contacts : planar, batch (*b,)

        Returns
        -------
        (*b,) float, metres
            Inf where no height was seen at any made contact; less than `overlap` means that a finger passes above.
        """
        if heights is None:
            return np.full(contacts.batch, np.inf)
        top = heights.top_near(contacts.points, self.reach)
        top = np.where(contacts.made & np.isfinite(top), top, np.inf)
        return top.min(-1, initial=np.inf) - self.fingertip_height(heights)
