"""GET-2D: from one view from above to a ranked list of grasps (arXiv 2604.26212, section V)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

import numpy as np

from get2d.clear import clear
from get2d.edges import Edges
from get2d.evaluate import Evaluated, evaluate
from get2d.explain import nearest_misses, why_refused
from get2d.footprint import Footprint, volume_of
from get2d.height import Approach
from get2d.perceive import Perception, perceive
from get2d.place import place
from get2d.samplers import SAMPLERS, Density, sample
from grasp import presets
from grasp.circles import circles
from grasp.clearance import Clearance
from grasp.errors import PerceptionError
from grasp.frames import pose_top_down
from grasp.gripper import Gripper
from grasp.judge import Judge
from grasp.load import Load
from grasp.plan import Grasp, Plan, Refusal
from grasp.provenance import Provenance, Seed, versions
from grasp.sizing import sized
from grasp.strict import build, positive
from grasp.surroundings import Surroundings
from grasp.view import View
from wrench.robust import Perturbation


@dataclass(frozen=True)
class Get2D:
    """Planner on the polygon seen from above. Its numbers stand in ``conf/planner/get2d.yaml``.

    Parameters
    ----------
    gripper
        Any layout of pads.
    judge
        Friction and conventions.
    perception
        How a view becomes a footprint.
    density
        How many lines the samplers draw.
    perturbation
        The draws over which metrics are averaged, the same for all candidates.
    approach
        How far the jaws start off the object, and how deep the fingers go.
    clearance
        How much room is kept from the surroundings, where the view knows them.
    load
        What the grasps have to carry, for the sizing of their grip force; None to size none. Where the view has no mesh,
        a mass made from a density is that of an estimated volume, see `get2d.footprint.volume_of`.
    keep
        Grasps in a plan at the most.
    """

    gripper: Gripper
    judge: Judge
    perception: Perception
    density: Density
    perturbation: Perturbation
    approach: Approach
    clearance: Clearance
    load: Load | None
    keep: int

    def __post_init__(self) -> None:
        positive("planner.keep", self.keep, "grasps")

    @classmethod
    def preset(
        cls, name: str = "get2d", gripper: str = "get", quality: str = "paper", perception: str = "default"
    ) -> Get2D:
        """Return the planner described by the config files of these names, without Hydra."""
        own = presets.read("planner", name)
        parts = {"density": Density, "perturbation": Perturbation, "approach": Approach}
        built = {key: build(part, own[key], f"planner.{key}") for key, part in parts.items()}
        built |= {"gripper": Gripper.preset(gripper), "judge": Judge.preset(quality), "clearance": Clearance.preset()}
        return build(cls, {**own, **built, "perception": Perception.preset(perception), "load": None}, "planner")

    def plan(self, view: View, rng: np.random.Generator) -> Plan | Refusal:
        """Return ranked grasps, or the reason why there is none.

        Parameters
        ----------
        view
            Anything from which an outline can be had: mask, RGB-D, point cloud, polygon or mesh.
        rng
            Fresh generator, from which the draws come.
        """
        provenance = self._provenance(rng)
        try:
            evaluated = self.candidates(view, rng)
        except PerceptionError as error:
            return Refusal(error.reason, error.detail, {}, {}, provenance)
        funnels, best = evaluated.candidates.funnels(), evaluated.ranking()[: self.keep if self.load is None else None]
        if not len(best):
            reason, detail = why_refused(evaluated, self.gripper)
            return Refusal(reason, detail, funnels, nearest_misses(evaluated, self.gripper), provenance)
        conventions = self.judge.conventions(evaluated.origin, evaluated.torque_scale, self.perturbation)
        plan = Plan(self._grasps(evaluated, best), funnels, conventions, provenance)
        if self.load is None:
            return plan
        volume = volume_of(view, evaluated.footprint, self.approach.top_percentile)
        return sized(plan, self.gripper, self.load, volume, evaluated.origin.point, self.keep)

    def candidates(self, view: View, rng: np.random.Generator) -> Evaluated:
        """Return every candidate with its reason and metrics; arguments as for `plan`.

        Raises
        ------
        PerceptionError
            The view shows nothing to plan on.
        """
        return self.on_footprint(perceive(view, self.perception), rng, view.surroundings)

    def on_footprint(
        self, footprint: Footprint, rng: np.random.Generator, surroundings: Surroundings | None = None
    ) -> Evaluated:
        """Return every candidate on a footprint, with its reason and metrics; those without room are not scored."""
        edges = Edges.of(footprint.polygon)
        placed = place(
            edges,
            sample(edges, self.density),
            circles(self.gripper),
            max_opening=self.gripper.max_opening,
            min_opening=self.gripper.min_opening,
            margin=self.approach.margin,
        )
        draws, cleared = self.perturbation.draws(rng, dimension=2), None
        if surroundings is not None:
            height = self.approach.fingertip_height(footprint.heights)
            placed, cleared = clear(placed, height, self.gripper, self.clearance, surroundings)
        found = evaluate(footprint, placed, self.gripper, self.judge, draws, self.approach)
        return replace(found, cleared=cleared)

    def _grasps(self, evaluated: Evaluated, rows: np.ndarray) -> tuple[Grasp, ...]:
        chosen, z = evaluated.candidates[rows], evaluated.fingertip_height
        metrics = self.judge.metrics(evaluated.nominal[rows], evaluated.robustness[rows])
        poses = pose_top_down(chosen.centre, chosen.angle, z)
        return tuple(
            Grasp(pose, opening, contacts, SAMPLERS[sampler], metric)
            for pose, opening, contacts, sampler, metric in zip(
                poses, chosen.opening, map(evaluated.contacts.__getitem__, rows), chosen.sampler, metrics, strict=True
            )
        )

    def _provenance(self, rng: np.random.Generator) -> Provenance:
        return Provenance("get2d", self.gripper.name, Seed.of(rng), asdict(self), versions())
