"""Rules from a measured profile: where to hold an upright body of revolution, rule by rule, each able to refuse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from baselines.profile_among import Among
from baselines.profile_answer import Answer, ranked
from baselines.profile_around import Around
from baselines.profile_mass import CENTRES, centre, volume
from baselines.profile_places import Needs
from baselines.profile_read import Reading, Seen, read
from baselines.profile_rules import Forbidden, Rule
from get2d.settings import Perception
from grasp import presets
from grasp.clearance import Clearance
from grasp.cleared import Cleared
from grasp.errors import PerceptionError
from grasp.funnel import Funnel
from grasp.gripper import Gripper
from grasp.judge import Judge
from grasp.load import Load
from grasp.plan import Grasp, Plan, Refusal
from grasp.provenance import Provenance, Seed, versions
from grasp.reasons import Reason
from grasp.sizing import sized
from grasp.strict import build
from grasp.surroundings import Surroundings
from grasp.view import View
from objects.solid import signed_volume
from wrench.errors import InvalidValue

MM = 1e3


@dataclass(frozen=True)
class ProfileRules:
    """Planner of one grasp per rule that holds, on an upright body of revolution. It draws no random number.

    It looks from the side: a mask (or colours) with `pixels_per_meter` is taken as a side view with rows as heights, see
    `baselines.profile_read.read`; a mesh is taken in its pose on the table. What is not a body of revolution is refused.
    Grasps that a rule would have above the centre of mass but are not come after all others; `notes` says so. Rules take the
    jaws to move straight and the object to stand alone: fingertips that advance, bodies that move with the jaws and
    surroundings are left to `grasp.clearance`, which is asked about the places that a rule keeps, at headings a quarter turn
    apart, where the view knows its surroundings. The rule then takes the best of those with room.

    Parameters
    ----------
    gripper
        Any layout of pads.
    judge
        Of it, the friction is used.
    perception
        How a mask becomes an outline.
    reading
        How an outline or a mesh becomes a profile, and how round it must be.
    needs
        How the gripper comes in, and the room it needs.
    matter
        Where the mass is: ``"solid"``, evenly within the outline, or ``"vessel"``, thin walls and bottom.
    forbidden
        Heights that no finger may touch; add your own with `dataclasses.replace`.
    rules
        In order of preference, names unlike.
    clearance
        How much room is kept from the surroundings.
    load
        What the grasps have to carry, for the sizing of their grip force; None to size none. Where the view has no mesh, a
        mass made from a density is that of the solid body of revolution, whatever `matter` says: too much for a vessel.

    Raises
    ------
    InvalidValue
        An unknown kind of matter, no rules, or two of one name.
    """

    gripper: Gripper
    judge: Judge
    perception: Perception
    reading: Reading
    needs: Needs
    matter: str
    forbidden: tuple[Forbidden, ...]
    rules: tuple[Rule, ...]
    clearance: Clearance
    load: Load | None

    def __post_init__(self) -> None:
        for name, kind in (("forbidden", Forbidden), ("rules", Rule)):
            object.__setattr__(self, name, _all(name, getattr(self, name), kind))
        if self.matter not in CENTRES:
            raise InvalidValue("planner.matter", repr(self.matter), f"one of {', '.join(map(repr, CENTRES))}")
        names = [rule.name for rule in self.rules]
        if not names or len(set(names)) < len(names):
            raise InvalidValue("planner.rules", names, "at least one rule, no two of one name")

    @classmethod
    def preset(
        cls, name: str = "profile", gripper: str = "get", quality: str = "paper", perception: str = "default"
    ) -> ProfileRules:
        """Return the planner described by the config files of these names, without Hydra."""
        own = presets.read("planner", name)
        parts: dict[str, Any] = {"gripper": Gripper.preset(gripper), "judge": Judge.preset(quality)}
        parts |= {"perception": Perception.preset(perception), "clearance": Clearance.preset(), "load": None}
        parts |= {key: build(kind, own[key], f"planner.{key}") for key, kind in (("reading", Reading), ("needs", Needs))}
        return build(cls, {**own, **parts}, "planner")

    def plan(self, view: View, rng: np.random.Generator) -> Plan | Refusal:
        """Return a grasp per rule that holds, without metrics, or the reason why there is none.

        Parameters
        ----------
        view
            A side mask with a scale, or a mesh in its pose on the table.
        rng
            Not drawn from.
        """
        provenance = Provenance("profile", self.gripper.name, Seed.of(rng), asdict(self), versions())
        try:
            seen = self.see(view)
        except PerceptionError as error:
            return Refusal(error.reason, error.detail, {}, {}, provenance)
        result = self.on_profile(seen, provenance, view.surroundings)
        return result if self.load is None or isinstance(result, Refusal) else self._sized(result, self.load, view, seen)

    def on_profile(
        self, seen: Seen, provenance: Provenance, surroundings: Surroundings | None = None
    ) -> Plan | Refusal:
        """Return a grasp per rule that holds on a profile, or the reason why there is none."""
        among = self._among(seen, surroundings)
        asked = self._asked(seen, among)
        answers = tuple(found for found, _ in asked)
        funnels = {found.rule.name: found.funnel for found in answers}
        grasps = _unlike(among.grasp(found) for found in ranked(answers))
        if grasps:
            return Plan(grasps, funnels, None, provenance)
        reason = sum(funnels.values(), Funnel()).chief
        details, misses = [f"{found.rule.name}: {found.sentence}" for found in answers], _nearest(answers)
        checked = [cleared for _, every in asked for cleared in every]
        if checked:
            cleared = min(checked, key=lambda one: one.shortfall[one.nearest])
            reason, misses = Reason.from_code(int(cleared.reason[cleared.nearest])), misses | dict(cleared.nearest_miss)
            details.insert(0, cleared.sentence(cleared.nearest))
        return Refusal(reason, " ".join(details), funnels, misses, provenance)

    def see(self, view: View) -> Seen:
        """Return the profile in a view, or raise `PerceptionError`."""
        return read(view, self.reading, self.perception)

    def answers(self, seen: Seen, surroundings: Surroundings | None = None) -> tuple[Answer, ...]:
        """Return what every rule says, in order of preference, among what stands around the object where that is known."""
        return tuple(found for found, _ in self._asked(seen, self._among(seen, surroundings)))

    def _among(self, seen: Seen, surroundings: Surroundings | None) -> Among:
        return Among(seen.axis, self.needs.heading, self.gripper, self.clearance, surroundings)

    def _asked(self, seen: Seen, among: Among) -> tuple[tuple[Answer, tuple[Cleared, ...]], ...]:
        """Return what every rule says, each with what became of the places that were held against the surroundings."""
        bands = tuple(region.band(seen.profile) for region in self.forbidden)
        around = Around(seen.profile, self.gripper, self.needs, self.judge.friction, bands)
        middle = centre(seen.profile, self.matter)
        return tuple(among.answer(rule, around, middle) for rule in self.rules)

    def notes(self, view: View) -> tuple[str, ...]:
        """Return what was assumed, and every rule's sentence: where it holds the object, or why it refuses."""
        try:
            seen = self.see(view)
        except PerceptionError:
            return ()
        middle = centre(seen.profile, self.matter)
        mass = f"The centre of mass is taken to be {middle * MM:.1f} mm above the table, that of a {self.matter} body."
        bound = seen.profile.first_wider(self.gripper.max_opening)
        wide = () if bound is None else (f"It is wider than the gripper opens from {bound * MM:.1f} mm above the table.",)
        said = (f"{found.rule.name}: {found.sentence}" for found in self.answers(seen, view.surroundings))
        return (*seen.notes, mass, *wide, *said)

    def _sized(self, plan: Plan, load: Load, view: View, seen: Seen) -> Plan | Refusal:
        """Return the plan with the grip forces for a load, the centre of mass on the axis."""
        own = load if load.friction is not None else replace(load, friction=self.judge.friction)
        solid = 0.0 if view.mesh is None else signed_volume(view.mesh.vertices, view.mesh.faces)
        return sized(plan, self.gripper, own, solid if solid > 0 else volume(seen.profile), seen.axis)


def _unlike(made: Iterable[Grasp]) -> tuple[Grasp, ...]:
    """Return grasps in their order; of two alike the first."""
    grasps: list[Grasp] = []
    for one in made:
        if not any(np.allclose(one.T_table_gripper, other.T_table_gripper) for other in grasps):
            grasps.append(one)
    return tuple(grasps)


def _all(name: str, parts: Any, kind: type) -> tuple[Any, ...]:
    """Return parts that may still be mappings, as a config file holds them."""
    where = f"planner.{name}"
    return tuple(build(kind, part, f"{where}[{i}]") if isinstance(part, Mapping) else part for i, part in enumerate(parts))


def _nearest(answers: tuple[Answer, ...]) -> dict[Reason, Mapping[str, float]]:
    """Return per reason the nearest miss of all rules."""
    nearest: dict[Reason, Mapping[str, float]] = {}
    for found in answers:
        for reason, miss in found.misses.items():
            if reason not in nearest or min(miss.values()) < min(nearest[reason].values()):
                nearest[reason] = dict(miss)
    return nearest
