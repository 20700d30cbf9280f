"""Antipodal: sample pairs of points on a cloud, keep those that two jaws can hold, rank them (Nguyen 1988)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

import numpy as np
import shapely
from numpy.typing import NDArray

from baselines.antipodal_attitude import Attitude
from baselines.antipodal_candidates import Candidates
from baselines.antipodal_explain import nearest_misses, why_refused
from baselines.antipodal_pairs import draw, tested
from baselines.antipodal_place import Placer
from baselines.antipodal_room import Room
from baselines.antipodal_score import Scores, Weights, scores
from baselines.cloud import DataQuality
from baselines.cloud_scene import RIM, SAMPLERS, Sampling, Scene, scene
from get2d.footprint import Footprint, volume_of
from get2d.height import Approach
from get2d.settings import Perception
from grasp import presets
from grasp.clearance import Clearance
from grasp.errors import PerceptionError
from grasp.gripper import Gripper
from grasp.load import Load
from grasp.plan import Grasp, Metrics, Plan, Refusal
from grasp.provenance import Provenance, Seed, versions
from grasp.sizing import sized
from grasp.strict import at_least, build, positive
from grasp.surroundings import Surroundings
from grasp.view import View

ASSUMED = "The sides were not seen well enough: vertical walls were assumed below the rim of what was seen."


@dataclass(frozen=True, eq=False)
class Evaluated:
    """All candidates (n,) on one view.

    Parameters
    ----------
    scene
        What they were found on.
    candidates
        With their reasons.
    scores : (n,) Scores
        Of no meaning where the candidate was rejected.
    total : (n,) float
        Weighted sum of the scores.
    """

    scene: Scene
    candidates: Candidates
    scores: Scores
    total: NDArray[np.float64]

    def ranking(self) -> NDArray[np.intp]:
        """Return the indices of the accepted candidates, best first: more contacts, then a higher total."""
        kept = np.flatnonzero(self.candidates.accepted)
        return kept[np.lexsort((-self.total[kept], -self.candidates.contacts.count[kept]))]

    @property
    def notes(self) -> tuple[str, ...]:
        """What was dropped, corrected or assumed on the way, one sentence each."""
        own = self.scene.footprint.notes
        return (*own, ASSUMED) if RIM in self.candidates.funnels() else own

    def __len__(self) -> int:
        return len(self.candidates)


@dataclass(frozen=True)
class Antipodal:
    """Planner on what a camera saw, or on any cloud or mesh. Its numbers stand in ``conf/planner/antipodal.yaml``.

    Pairs of points are drawn from the surface that was measured (sampler ``surface``). A view from straight above shows
    little of the sides that jaws touch: of most objects nothing can be held by what was measured. Where fewer than `keep`
    grasps can, and `sampling.rim` is set, pairs are drawn as well from vertical walls below the rim of what was seen
    (sampler ``rim``). That is an assumption, true of prisms; it scores nothing for its data. Without it the planner refuses.

    Three contacts of an accepted grasp are in force closure as hard points; two pass Nguyen's test, which is closure for
    soft fingers. No robustness is judged and a plan has no metrics; margins and scores are in `Evaluated`.

    Parameters
    ----------
    gripper
        Any layout of pads.
    friction
        Coulomb coefficient.
    margin : radians
        By which the closing line must lie inside both friction cones, at least 0.
    perception
        How the object is told from the table.
    sampling
        Points and pairs.
    data
        What counts as well measured.
    attitude
        How the gripper may stand.
    approach
        As GET-2D's.
    room
        How collisions with what was seen are told.
    weights
        Of the scores.
    clearance
        How much room is kept from the surroundings, where the view knows them.
    load
        What the grasps have to carry, for the sizing of their grip force; None to size none. Where the view has no mesh, a
        mass made from a density is that of an estimated volume (`get2d.footprint.volume_of`).
    keep
        Grasps in a plan at the most.
    """

    gripper: Gripper
    friction: float
    margin: float
    perception: Perception
    sampling: Sampling
    data: DataQuality
    attitude: Attitude
    approach: Approach
    room: Room
    weights: Weights
    clearance: Clearance
    load: Load | None
    keep: int

    def __post_init__(self) -> None:
        at_least("planner.friction", self.friction, 0, "")
        at_least("planner.margin", self.margin, 0, "rad")
        positive("planner.keep", self.keep, "grasps")

    @classmethod
    def preset(
        cls, name: str = "antipodal", gripper: str = "get", quality: str = "paper", perception: str = "default"
    ) -> Antipodal:
        """Return the planner described by the config files of these names, without Hydra."""
        own = presets.read("planner", name)
        parts = {"sampling": Sampling, "data": DataQuality, "attitude": Attitude, "approach": Approach, "room": Room}
        built = {key: build(part, own[key], f"planner.{key}") for key, part in {**parts, "weights": Weights}.items()}
        built |= {"gripper": Gripper.preset(gripper), "perception": Perception.preset(perception)}
        built |= {"friction": presets.read("quality", quality)["friction"], "clearance": Clearance.preset(), "load": None}
        return build(cls, {**own, **built}, "planner")

    def plan(self, view: View, rng: np.random.Generator) -> Plan | Refusal:
        """Return ranked grasps, without metrics, or the reason why there is none.

        Parameters
        ----------
        view
            RGB-D, a point cloud or a mesh; with `sampling.rim` also a mask or a polygon. A cloud with a camera was seen from
            there; of one without, normals point out of the surface that its points make.
        rng
            Fresh generator, from which points and pairs are drawn.
        """
        provenance = Provenance("antipodal", self.gripper.name, Seed.of(rng), asdict(self), versions())
        try:
            evaluated = self.candidates(view, rng)
        except PerceptionError as error:
            return Refusal(error.reason, error.detail, {}, {}, provenance)
        funnels, best = evaluated.candidates.funnels(), evaluated.ranking()[: self.keep if self.load is None else None]
        if not len(best):
            reason, detail = why_refused(evaluated.candidates, self.gripper, self.friction)
            misses = nearest_misses(evaluated.candidates, self.gripper, self.friction)
            return Refusal(reason, detail, funnels, misses, provenance)
        plan = Plan(tuple(_grasp(evaluated.candidates, int(i)) for i in best), funnels, None, provenance)
        return plan if self.load is None else self._sized(plan, self.load, view, evaluated.scene.footprint)

    def candidates(self, view: View, rng: np.random.Generator) -> Evaluated:
        """Return every candidate with its reason and scores; arguments as for `plan`.

        Raises
        ------
        PerceptionError
            The view shows nothing to plan on.
        """
        least = self.data.neighbours
        seen = scene(view, self.perception, self.sampling, self.approach, least, rng)
        return self.on_scene(seen, rng, view.surroundings)

    def _sized(self, plan: Plan, load: Load, view: View, footprint: Footprint) -> Plan | Refusal:
        """Return the plan with the grip forces for a load, about the centroid of the footprint."""
        own = load if load.friction is not None else replace(load, friction=self.friction)
        volume = volume_of(view, footprint, self.approach.top_percentile)
        return sized(plan, self.gripper, own, volume, shapely.get_coordinates(footprint.polygon.centroid)[0], self.keep)

    def on_scene(self, seen: Scene, rng: np.random.Generator, surroundings: Surroundings | None = None) -> Evaluated:
        """Return every candidate on what was seen, with its reason and scores."""
        hold, stand = (self.gripper, self.friction, self.margin, self.data), (self.attitude, self.approach, self.room)
        placer = Placer(*hold, *stand, self.clearance, surroundings)
        tip, solid, parts = self.approach.fingertip_height(seen.footprint.heights), np.zeros((0, 3)), []
        for sampler, cloud in seen.clouds.items():
            pairs = draw(cloud, self.sampling.pairs, self.data, self.friction, rng)
            solid = np.concatenate([solid, cloud.points])
            pairs = tested(pairs, self.margin, self.attitude, self.gripper)
            parts.append(placer.place(pairs, cloud, sampler, solid, tip))
            if parts[-1].accepted.sum() >= self.keep:
                break  # enough was measured: nothing has to be assumed
        found = Candidates.joined(parts)
        own = scores(found, seen.footprint.polygon, self.friction, self.gripper, self.attitude, self.data)
        return Evaluated(seen, found, own, own.total(self.weights))


def _grasp(found: Candidates, i: int) -> Grasp:
    sampler = SAMPLERS[int(found.sampler[i])]
    return Grasp(found.T_table_gripper[i], float(found.opening[i]), found.contacts[i], sampler, Metrics())
