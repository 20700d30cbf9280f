"""Places: heights at which the gripper may take a body of revolution, each accepted or with the reason why not."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from baselines.profile_shape import EQUAL
from baselines.profile_touch import Patch
from grasp.reasons import Reason
from grasp.strict import at_least, number, positive
from wrench.errors import InvalidValue


@dataclass(frozen=True)
class Needs:
    """What the gripper needs in order to take a body of revolution.

    Parameters
    ----------
    margin, least_margin : metres
        That each jaw starts off the object, and the least of it where the gripper does not open so wide.
    clearance : metres
        Between gripper and table, between its body and the object, above and below its fingers on their way in, and between
        them and forbidden heights.
    overlap : metres
        Of object beside each pad at the least, and past the axis that fingertips from the side reach.
    give : metres
        That a pad yields where it touches.
    cone_margin : radians
        By which the walls at the pads must lie within the friction cone.
    hang : metres
        Above the centre of mass, where the grasp line is wanted.
    slope_worth : metres
        From where it is wanted that weigh as much as a wall at 45 degrees, when places are compared.
    heading : radians
        Of the closing axis; on a body of revolution one is as good as another.
    step : metres
        Between the heights tried.
    """

    margin: float
    least_margin: float
    clearance: float
    overlap: float
    give: float
    cone_margin: float
    hang: float
    slope_worth: float
    heading: float
    step: float

    def __post_init__(self) -> None:
        for name in ("margin", "least_margin", "clearance", "overlap", "hang", "slope_worth"):
            at_least(f"needs.{name}", getattr(self, name), 0, "m")
        for name in ("give", "step"):
            positive(f"needs.{name}", getattr(self, name), "m")
        at_least("needs.cone_margin", self.cone_margin, 0, "rad")
        number("needs.heading", self.heading)
        if self.margin < self.least_margin:
            raise InvalidValue("needs.margin", self.margin, f"at least least_margin, {self.least_margin:g} m")


@dataclass(frozen=True, eq=False)
class Places:
    """Heights tried with one approach, and what comes of each.

    Parameters
    ----------
    approach
        One of `APPROACHES`.
    at : (n,) float, metres above the table
        Of the gripper's origin.
    past : (n,) float, metres
        By which the fingertips reach past the axis; 0 from the top.
    patch : (n, k)
        Where each pad touches, in contact order.
    lateral : (k,) float, metres
        Where each pad touches along the gripper's y from the top; 0 from the side.
    made : (n, k) bool
        Which pads touch within the gripper's tolerance.
    wide, narrow : (n,) float, metres
        From the axis to the face of each jaw when it touches.
    opening : (n,) float, metres
        At which the gripper arrives.
    code : (n,) uint8
        Reason.
    short : (n,) float
        By how much a place fails for its reason: metres, or radians where that is a slope.
    """

    approach: str
    at: NDArray[np.float64]
    past: NDArray[np.float64]
    patch: Patch
    lateral: NDArray[np.float64]
    made: NDArray[np.bool_]
    wide: NDArray[np.float64]
    narrow: NDArray[np.float64]
    opening: NDArray[np.float64]
    code: NDArray[np.uint8]
    short: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.at)

    @property
    def height(self) -> NDArray[np.float64]:
        """Mean height (n,) of the contacts above the table in metres."""
        return np.where(self.made, self.patch.height, 0).sum(1) / np.maximum(self.made.sum(1), 1)

    @property
    def slope(self) -> NDArray[np.float64]:
        """Steepest wall (n,) at any contact: metres of radius per metre of height, at least 0."""
        return np.where(self.made, np.abs(self.patch.slope), 0).max(1)

    @property
    def closed(self) -> NDArray[np.float64]:
        """Opening (n,) in metres at which both jaws touch; -inf where one does not."""
        return self.wide + self.narrow

    @property
    def shift(self) -> NDArray[np.float64]:
        """Metres (n,) from the axis to the gripper's origin along the closing axis, so that both jaws touch at once."""
        met = np.isfinite(self.wide) & np.isfinite(self.narrow)
        return np.where(met, np.where(met, self.narrow, 0) - np.where(met, self.wide, 0), 0) / 2

    def gated(self, *gates: tuple[Reason, NDArray[np.float64]]) -> Places:
        """Return the places with a reason for those accepted so far that a gate finds short by more than nothing."""
        code, short = self.code.copy(), self.short.copy()
        for reason, lack in gates:
            fails = (code == Reason.OK.code) & (lack > EQUAL)
            code[fails], short[fails] = reason.code, lack[fails]
        return replace(self, code=code, short=short)
