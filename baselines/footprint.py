"""Footprint: grasps from straight above, tilted, from the side, and across parts, by rules on the outline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, is_dataclass, replace
from typing import Any

import numpy as np
from shapely import get_coordinates

from baselines.footprint_among import among
from baselines.footprint_explain import nearest_misses, why_refused
from baselines.footprint_judge import Judged, judged
from baselines.footprint_lines import Lines
from baselines.footprint_mask import project_mask, section
from baselines.footprint_order import Found, best_parts, good, in_order
from baselines.footprint_parts import part_lines
from baselines.footprint_proposal import Proposal
from baselines.footprint_scene import Scene, scene_of
from baselines.footprint_settings import Parts, Room, require_tilts
from baselines.footprint_whole import azimuth_from, whole_lines
from get2d.footprint import Footprint, volume_of
from get2d.height import Approach
from get2d.perceive import perceive
from get2d.segment import mask_of
from get2d.settings import Perception
from grasp import presets
from grasp.circles import circles
from grasp.clearance import Clearance
from grasp.errors import PerceptionError
from grasp.funnel import Funnel
from grasp.gripper import Gripper
from grasp.load import Load
from grasp.plan import Grasp, Metrics, Plan, Refusal
from grasp.provenance import Provenance, Seed, versions
from grasp.reach import Reach, Workspace
from grasp.sizing import sized
from grasp.strict import at_least, build
from grasp.surroundings import Surroundings
from grasp.view import View
from wrench.contacts import Contacts
from wrench.errors import InvalidValue

PART = "top_down_part"


@dataclass(frozen=True)
class FootprintPlanner:
    """Planner by rules on what is seen from above. Draws no random number and computes no metric.

    The fingers close across the short side of the footprint from straight above, or across the way from the arm's base in a
    tilted approach. Where the whole does not fit between the jaws, or the line through its centre crosses little of it, they
    close across a thin part: a ring's band, a rim, a handle. Its numbers stand in ``conf/planner/footprint.yaml``.

    Parameters
    ----------
    gripper
        Any layout of pads.
    perception
        How a view becomes a footprint.
    reach
        Where the arm stands and gets.
    approach
        As GET-2D's; of it, the reach of a look-up is not used.
    ways
        Ways to come in by name, first choice first: radians from straight down. One of 0 allows part grasps too.
    room
        How much room the gripper needs.
    parts
        Which parts are tried.
    least_crossing
        Share of its width below which a closing line across the whole comes after those across parts.
    prefer_side
        Whether to try the ways in reverse, for tall objects.
    mask_height
        Metres above the table at which the outline of a mask without depth is taken to lie, and the fingers close.
    clearance
        How much room is kept from the surroundings, where the view knows them. From straight above, grasps a quarter turn
        from the short side are then tried as well. Its tilts are not used: `ways` has those that are allowed.
    load
        As `baselines.bbox.BoundingBox` has it.
    """

    gripper: Gripper
    perception: Perception
    reach: Reach
    approach: Approach
    ways: Mapping[str, float]
    room: Room
    parts: Parts
    least_crossing: float
    prefer_side: bool
    mask_height: float
    clearance: Clearance
    load: Load | None

    def __post_init__(self) -> None:
        object.__setattr__(self, "ways", dict(self.ways))
        require_tilts(dict(self.ways))
        at_least("planner.mask_height", self.mask_height, 0, "m")
        if not isinstance(self.prefer_side, bool):
            raise InvalidValue("planner.prefer_side", repr(self.prefer_side), "true or false")
        if not 0 <= at_least("planner.least_crossing", self.least_crossing, 0, "") <= 1:
            raise InvalidValue("planner.least_crossing", self.least_crossing, "from 0 to 1")

    @classmethod
    def preset(
        cls, name: str = "footprint", gripper: str = "get", perception: str = "default", reach: str = "default"
    ) -> FootprintPlanner:
        """Return the planner described by the config files of these names, without Hydra."""
        own = presets.read("planner", name)
        built = {key: build(part, own[key], f"planner.{key}") for key, part in _OWN.items()}
        built |= {"gripper": Gripper.preset(gripper), "perception": Perception.preset(perception), "load": None}
        return build(cls, {**own, **built, "reach": Workspace.preset(reach), "clearance": Clearance.preset()}, "planner")

    def plan(self, view: View, rng: np.random.Generator) -> Plan | Refusal:
        """Return the accepted grasps in order of preference, without metrics or contacts, or why there is none.

        Parameters
        ----------
        view
            Anything from which an outline can be had; a mask or colours without depth too, where the camera's pose is known.
        rng
            Not drawn from.
        """
        provenance = Provenance("footprint", self.gripper.name, Seed.of(rng), self._config(), versions())
        try:
            footprint, z = self.look(view)
        except PerceptionError as error:
            return Refusal(error.reason, error.detail, {}, {}, provenance)
        found = self.candidates(footprint, z, view.surroundings)
        funnels = {group.name: Funnel.of(group.reason) for group in found.groups}
        grasps = tuple(self._grasp(one) for one in self._in_order(footprint, found) if one.graspable)
        if grasps:
            return self._sized(Plan(grasps, funnels, None, provenance), view, footprint)
        reason, detail = why_refused(found.groups, footprint.polygon, self.gripper, self.room.clearance)
        return Refusal(reason, detail, funnels, nearest_misses(found.groups, self.reach.base), provenance)

    def look(self, view: View) -> tuple[Footprint, float | None]:
        """Return the footprint of a view, and the height in metres at which to close where the view does not tell.

        Raises
        ------
        PerceptionError
            The view shows nothing to plan on.
        """
        seen, camera = view.mask is not None or view.rgb is not None, view.camera
        if view.polygon is None and view.depth is None and seen and camera is not None and camera.T_table_camera is not None:
            mask = mask_of(view, self.perception)
            return project_mask(mask, camera, self.mask_height, self.perception), self.mask_height
        return perceive(view, self.perception), None

    def propose(
        self, footprint: Footprint, z: float | None = None, surroundings: Surroundings | None = None
    ) -> tuple[Proposal, ...]:
        """Return what can be proposed on a footprint: first what is graspable, in order of preference, then the rest.

        Parameters
        ----------
        footprint
            Metres, table frame; from `look`, or with any polygon.
        z
            Height above the table at which the fingers are to close, in metres. None: as the approach's rules say.
        surroundings
            What stands around the object; None where nothing is known.

        Returns
        -------
        tuple of Proposal
            For every way to come in, two that differ in the side the wide jaw takes, and the graspable ones across parts.
        """
        return self._in_order(footprint, self.candidates(footprint, z, surroundings))

    def candidates(
        self, footprint: Footprint, z: float | None = None, surroundings: Surroundings | None = None
    ) -> Found:
        """Return all closing lines with their poses and reasons, per way to come in; arguments as for `propose`."""
        height = None if z is None else at_least("z", z, 0, "m")
        scene = self._scene(footprint, height, self.approach)
        azimuth, margin, clearance = azimuth_from(self.reach.base, scene.polygon), self.approach.margin, self.room.clearance
        whole = []
        for name, tilt in self._ordered_ways():
            for turned in (False, True) if surroundings is not None and tilt == 0 else (False,):
                lines = whole_lines(scene.polygon, tilt, azimuth, self.gripper, margin, clearance, turned)
                way = self._judged(f"{name}_turned" if turned else name, lines, tilt, azimuth, scene)
                whole.append(among(way, self.gripper, self.clearance, surroundings))
        if 0 not in self.ways.values() or any(good(group, self.least_crossing).any() for group in whole):
            return Found(tuple(whole))
        below, percent = self.parts.below_top, self.parts.top_percentile
        scene = self._scene(footprint, height, replace(self.approach, below_top=below, top_percentile=percent))
        cut = section(scene.polygon, scene.heights, scene.fingertip_height, self.perception)
        lines = part_lines(cut, self.gripper, self.parts, self.room, margin)
        part = self._judged(PART, lines, 0.0, azimuth, scene)
        return Found(tuple(whole), among(part, self.gripper, self.clearance, surroundings))

    def _scene(self, footprint: Footprint, z: float | None, approach: Approach) -> Scene:
        return scene_of(footprint, z, approach, self.perception.cell, self.gripper.pads[0].height)

    def _ordered_ways(self) -> list[tuple[str, float]]:
        ways = list(self.ways.items())
        return ways[::-1] if self.prefer_side else ways

    def _judged(self, name: str, lines: Lines, tilt: float, azimuth: float, scene: Scene) -> Judged:
        own = {"gripper": self.gripper, "approach": self.approach, "room": self.room, "reach": self.reach}
        return judged(name, lines, tilt, azimuth, scene=scene, **own)

    def _in_order(self, footprint: Footprint, found: Found) -> tuple[Proposal, ...]:
        best = np.zeros(0, int)
        if found.part is not None:
            best = best_parts(found.part, footprint.polygon, self.reach.base, self.gripper, self.parts)
        return in_order(found, best, self.least_crossing)

    def _sized(self, plan: Plan, view: View, footprint: Footprint) -> Plan | Refusal:
        """Return the plan with grip forces where a load is given."""
        if self.load is None:
            return plan
        volume = volume_of(view, footprint, self.approach.top_percentile)
        return sized(plan, self.gripper, self.load, volume, get_coordinates(footprint.polygon.centroid)[0])

    def _grasp(self, one: Proposal) -> Grasp:
        k = len(circles(self.gripper))
        untouched = Contacts(np.zeros((k, 2)), np.zeros((k, 2)), np.zeros(k, bool))
        return Grasp(one.T_table_gripper, one.opening, untouched, one.approach, Metrics())

    def _config(self) -> dict[str, Any]:
        """Return the settings as JSON can hold them; a check of reach that is no dataclass goes by its name."""
        named = {"reach": self.reach if is_dataclass(self.reach) else type(self.reach).__qualname__}
        return {name: _plain(value) for name, value in (vars(self) | named).items()}


def _plain(value: Any) -> Any:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


_OWN = {"approach": Approach, "room": Room, "parts": Parts}
