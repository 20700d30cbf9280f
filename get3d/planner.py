"""GET-3D: from a mesh in its pose on the table to a ranked list of grasps (arXiv 2604.26212, section VI)."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from get3d.bvh import Bvh
from get3d.collide import Room
from get3d.evaluate import Evaluated, evaluate
from get3d.explain import nearest_misses, why_refused
from get3d.propose import Balance, Proposer
from get3d.rays import Rays
from get3d.samplers import Sampling
from get3d.touch import Sweep
from grasp import presets
from grasp.clearance import Clearance
from grasp.errors import PerceptionError
from grasp.gripper import Gripper
from grasp.judge import Judge
from grasp.load import Load
from grasp.mesh import Mesh
from grasp.plan import Grasp, Metrics, Plan, Refusal
from grasp.provenance import Provenance, Seed, versions
from grasp.reasons import Reason
from grasp.sizing import sized
from grasp.strict import build, positive
from grasp.surroundings import Surroundings
from grasp.view import View
from objects.solid import Solid, signed_volume
from wrench.errors import InvalidValue
from wrench.robust import Perturbation, wilson

CONTACTS = ("sweep", "rays")
NEEDS_MESH = "GET-3D plans on a mesh in its pose on the table: give View.from_mesh, or register one to the cloud."


@dataclass(frozen=True)
class Get3D:
    """Planner on a mesh. Its numbers stand in ``conf/planner/get3d.yaml``.

    Parameters
    ----------
    gripper
        Any layout of pads.
    judge
        Friction and conventions.
    sampling
        How poses are drawn.
    balance
        When the wide jaw counts as balanced.
    room
        Free space the gripper needs.
    perturbation
        The draws over which metrics are averaged, the same for all candidates; translations, friction and origin.
    contact
        How first touches are found: ``"sweep"``, exact, or ``"rays"``, a grid of rays as in the paper.
    patch : metres
        Depth of a contact patch; `sweep` only.
    rays_per_pad
        At least; `rays` only.
    clearance
        How much room is kept from the surroundings, where the view knows them.
    load
        What the grasps have to carry, for the sizing of their grip force; None to size none.
    keep
        Grasps in a plan at the most.
    """

    gripper: Gripper
    judge: Judge
    sampling: Sampling
    balance: Balance
    room: Room
    perturbation: Perturbation
    contact: str
    patch: float
    rays_per_pad: int
    clearance: Clearance
    load: Load | None
    keep: int

    def __post_init__(self) -> None:
        positive("planner.keep", self.keep, "grasps")
        positive("planner.patch", self.patch, "m")
        positive("planner.rays_per_pad", self.rays_per_pad, "rays")
        if self.contact not in CONTACTS:
            raise InvalidValue("planner.contact", repr(self.contact), f"one of {', '.join(CONTACTS)}")

    @classmethod
    def preset(cls, name: str = "get3d", gripper: str = "get", quality: str = "paper") -> Get3D:
        """Return the planner described by the config files of these names, without Hydra."""
        own = presets.read("planner", name)
        parts = {"sampling": Sampling, "balance": Balance, "room": Room, "perturbation": Perturbation}
        built = {key: build(part, own[key], f"planner.{key}") for key, part in parts.items()}
        built |= {"gripper": Gripper.preset(gripper), "judge": Judge.preset(quality), "clearance": Clearance.preset()}
        return build(cls, {**own, **built, "load": None}, "planner")

    def plan(self, view: View, rng: np.random.Generator) -> Plan | Refusal:
        """Return ranked grasps, or the reason why there is none.

        Parameters
        ----------
        view
            With the object's mesh in its pose on the table.
        rng
            Fresh generator, from which the draws and the poses come.
        """
        provenance = Provenance("get3d", self.gripper.name, Seed.of(rng), asdict(self), versions())
        if view.mesh is None:
            return Refusal(Reason.VIEW_LACKS_INPUT, NEEDS_MESH, {}, {}, provenance)
        evaluated = self.on_mesh(view.mesh, rng, keep=self.keep, surroundings=view.surroundings)
        funnels, best = evaluated.candidates.funnels(), evaluated.ranking()[: self.keep if self.load is None else None]
        if not len(best):
            reason, detail = why_refused(evaluated, self.gripper)
            return Refusal(reason, detail, funnels, nearest_misses(evaluated, self.gripper), provenance)
        conventions = self.judge.conventions(evaluated.origin, evaluated.torque_scale, self.perturbation)
        plan = Plan(tuple(self._grasp(evaluated, int(i)) for i in best), funnels, conventions, provenance)
        if self.load is None:
            return plan
        volume = signed_volume(view.mesh.vertices, view.mesh.faces)
        return sized(plan, self.gripper, self.load, volume, evaluated.origin.point, self.keep)

    def candidates(self, view: View, rng: np.random.Generator) -> Evaluated:
        """Return every candidate with its reason and all its metrics, without early stopping; arguments as for `plan`."""
        if view.mesh is None:
            raise PerceptionError(Reason.VIEW_LACKS_INPUT, NEEDS_MESH)
        return self.on_mesh(view.mesh, rng, keep=None, surroundings=view.surroundings)

    def on_mesh(
        self, mesh: Mesh, rng: np.random.Generator, keep: int | None, surroundings: Surroundings | None = None
    ) -> Evaluated:
        """Return every candidate on a mesh in its pose; `keep` as in `evaluate`. Those without room are not scored."""
        draws = self.perturbation.draws(rng, dimension=3)
        reference = self.judge.reference(Solid("object", mesh.vertices, mesh.faces))
        proposer = self.proposer(mesh, surroundings)
        proposed = proposer.until_enough(rng)
        return evaluate(proposed, proposer.touch, self.gripper, self.judge, draws, reference, keep=keep)

    def proposer(self, mesh: Mesh, surroundings: Surroundings | None = None) -> Proposer:
        """Return what proposes poses on a mesh in its pose on the table."""
        bvh = Bvh.of(mesh.vertices, mesh.faces)
        touch = Sweep(bvh, self.patch) if self.contact == "sweep" else Rays.of(mesh, self.rays_per_pad)
        own = (self.gripper, self.sampling, self.balance, self.room, self.clearance)
        return Proposer(mesh, bvh, touch, *own, surroundings)

    def _grasp(self, evaluated: Evaluated, i: int) -> Grasp:
        closed, draws = int(evaluated.closed[i]), int(evaluated.draws[i])
        low, high = wilson(closed, draws, self.judge.confidence)
        known = [float(a[i]) for a in (evaluated.mean_epsilon, evaluated.epsilon, evaluated.epsilon_upper)]
        epsilons = [value if np.isfinite(value) else None for value in known]
        metrics = Metrics(closed / draws, float(low), float(high), float(evaluated.mean_contacts[i]), *epsilons)
        found = evaluated.candidates[i]
        return Grasp(found.T_table_gripper, float(found.opening), found.contacts, "face", metrics)
