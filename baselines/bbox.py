"""Bounding box: close across the short side of the box around what is seen (arXiv 2604.26212, section VII-A)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from get2d.footprint import Footprint, volume_of
from get2d.height import Approach
from get2d.perceive import perceive
from get2d.settings import Perception
from grasp import presets
from grasp.attempts import QUARTERS, attempts
from grasp.circles import circles
from grasp.clearance import Clearance, check
from grasp.errors import PerceptionError
from grasp.frames import pose_top_down
from grasp.funnel import Funnel
from grasp.gripper import Gripper
from grasp.load import Load
from grasp.plan import Grasp, Metrics, Plan, Refusal
from grasp.provenance import Provenance, Seed, versions
from grasp.reasons import Reason
from grasp.sizing import sized
from grasp.strict import build
from grasp.surroundings import Surroundings
from grasp.view import View
from wrench.contacts import Contacts

SAMPLER = "box"
MM = 1e3
EQUAL = 1e-9  # metres: sides of a box that differ by less are equal, and rounding does not choose between them


@dataclass(frozen=True)
class BoundingBox:
    """Planner of the one grasp across the least rectangle around the footprint. Judges nothing, draws no random number.

    The paper leaves open on which side the wide jaw goes. Here the closing axis has a heading in [-pi/4, 3 pi/4): the wide
    jaw is on the side of less x where it closes more along x, else on that of less y, and boxes along the table's axes are
    far from the turn. Of two equal sides the one nearer to x is closed along; a disc gets the box of its polygon.

    Parameters
    ----------
    gripper
        Any layout of pads.
    perception
        How a view becomes a footprint.
    approach
        As GET-2D's; of it, the height and the margin on either side of the box are used.
    clearance
        How much room is kept from the surroundings, where the view knows them. The grasp is then the first with room of: the
        one across the short side, a quarter turn, half a turn, and three quarters. It stays straight from above.
    load
        What the grasp has to carry, for the sizing of its grip force; None to size none. As no contacts are looked for, the
        pads are taken to press on the closing axis (`grasp.sizing`). Where the view has no mesh, a mass made from a density
        is that of an estimated volume (`get2d.footprint.volume_of`).
    """

    gripper: Gripper
    perception: Perception
    approach: Approach
    clearance: Clearance
    load: Load | None

    @classmethod
    def preset(cls, name: str = "bbox", gripper: str = "get", perception: str = "default") -> BoundingBox:
        """Return the planner described by the config files of these names, without Hydra."""
        own = presets.read("planner", name)
        parts = {"gripper": Gripper.preset(gripper), "perception": Perception.preset(perception), "load": None}
        parts |= {"approach": build(Approach, own["approach"], "planner.approach"), "clearance": Clearance.preset()}
        return build(cls, {**own, **parts}, "planner")

    def plan(self, view: View, rng: np.random.Generator) -> Plan | Refusal:
        """Return the grasp, without metrics or contacts, or the reason why there is none.

        Parameters
        ----------
        view
            Anything from which an outline can be had: mask, RGB-D, point cloud, polygon or mesh.
        rng
            Not drawn from.
        """
        provenance = Provenance("bbox", self.gripper.name, Seed.of(rng), asdict(self), versions())
        try:
            footprint = perceive(view, self.perception)
        except PerceptionError as error:
            return Refusal(error.reason, error.detail, {}, {}, provenance)
        result = self.on_footprint(footprint, provenance, view.surroundings)
        if self.load is None or isinstance(result, Refusal):
            return result
        volume = volume_of(view, footprint, self.approach.top_percentile)
        centre = shapely.get_coordinates(footprint.polygon.centroid)[0]
        return sized(result, self.gripper, self.load, volume, centre)

    def on_footprint(
        self, footprint: Footprint, provenance: Provenance, surroundings: Surroundings | None = None
    ) -> Plan | Refusal:
        """Return the grasp of a footprint, or the reason why the gripper cannot close on its box."""
        centre, angle, short, long = box_of(footprint.polygon)
        low, high = self.gripper.min_opening, self.gripper.max_opening
        if not low - EQUAL <= short <= high + EQUAL:
            reason = Reason.TOO_WIDE if short > high else Reason.TOO_NARROW
            span = f"the gripper opens from {low * MM:g} to {high * MM:g} mm"
            detail, miss = f"The box is {short * MM:.1f} x {long * MM:.1f} mm; {span}.", {"opening_needed_mm": short * MM}
            return Refusal(reason, detail, {SAMPLER: Funnel(1, {reason: 1})}, {reason: miss}, provenance)
        pose = pose_top_down(centre, angle, self.approach.fingertip_height(footprint.heights))
        if surroundings is not None:
            return self._among(surroundings, pose, np.array([short, long]), provenance)
        grasp = Grasp(pose, self._opening(short), self._untouched(), SAMPLER, Metrics())
        return Plan((grasp,), {SAMPLER: Funnel(1, {}, 1)}, None, provenance)

    def _opening(self, width: Any) -> Any:
        """Return the opening at which the gripper arrives around widths in metres."""
        return np.minimum(width + 2 * self.approach.margin, self.gripper.max_opening)

    def _among(
        self, surroundings: Surroundings, pose: NDArray, sides: NDArray[np.float64], provenance: Provenance
    ) -> Plan | Refusal:
        """Return the first turn of a pose, across sides (short, long) in metres, that has room, or which room is missing."""
        fits = sides[[0, 1, 0, 1]] <= self.gripper.max_opening + EQUAL
        width, tried = sides[[0, 1, 0, 1]][fits], attempts(pose, (), QUARTERS[fits])
        opening = self._opening(width)
        closed = np.clip(width, self.gripper.min_opening, opening)
        cleared = check(self.clearance, self.gripper, tried, opening, closed, surroundings)
        i, codes = cleared.nearest, np.where(fits, Reason.OK.code, Reason.TOO_WIDE.code)
        codes[fits] = cleared.reason
        funnels = {SAMPLER: Funnel.of(codes)}
        if cleared.clear[i]:
            grasp = Grasp(tried[i], float(opening[i]), self._untouched(), SAMPLER, Metrics())
            return Plan((grasp,), funnels, None, provenance)
        lacks = f"Of {fits.sum()} turns by quarters the best lacks {cleared.shortfall[i] * MM:.1f} mm of room."
        reason, detail = Reason.from_code(int(cleared.reason[i])), f"{lacks} {cleared.sentence(i)}"
        return Refusal(reason, detail, funnels, cleared.nearest_miss, provenance)

    def _untouched(self) -> Contacts:
        """Return planar contacts of which none is made: the rule does not look where the fingers touch."""
        k = len(circles(self.gripper))
        return Contacts(np.zeros((k, 2)), np.zeros((k, 2)), np.zeros(k, bool))


def box_of(polygon: shapely.Polygon) -> tuple[NDArray[np.float64], float, float, float]:
    """Return the least rectangle around a polygon.

    Parameters
    ----------
    polygon
        Metres, table frame.

    Returns
    -------
    centre : (2,) float, metres
    angle : radians
        Heading of the shorter side, in [-pi/4, 3 pi/4); for equal sides see `BoundingBox`.
    short, long : metres
        Lengths of the sides.
    """
    corners = shapely.get_coordinates(shapely.minimum_rotated_rectangle(polygon))[:4]
    sides = np.array([corners[1] - corners[0], corners[2] - corners[1]])
    length, angle = np.linalg.norm(sides, axis=1), np.arctan2(sides[:, 1], sides[:, 0])
    angle = (angle + np.pi / 4) % np.pi - np.pi / 4
    i = int(length.argmin()) if np.ptp(length) > EQUAL else int(np.abs(np.cos(angle)).argmax())
    return corners.mean(0), float(angle[i]), float(length[i]), float(length[1 - i])
