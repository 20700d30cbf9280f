"""Sizing: the grip force of every grasp of a plan, or the reason why no force will do.

The least force holds the weight m (g + a), straight down at the centre of mass, times the safety factor. Where a grasp
has contacts it is `wrench.squeeze.least_grip` of hard points with exact cones: an off-centre weight turns the object, and
the contacts must hold it against that as well. Two points hold against no turn about the line between them, so only a
centre of mass below that line will do; what a pad resists by its width is not counted. Where a planner looks for no
contacts it is the closed form `wrench.sizing.pad_force`, and an off-centre weight goes unnoticed.

Contacts in the plane are taken to lie at the height of the fingertips, where pads press level. Heights do not matter
otherwise, as the torque of a weight depends on level distances only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grasp.circles import circles
from grasp.funnel import Funnel
from grasp.gripper import Gripper
from grasp.load import GripForce, Load
from grasp.plan import Grasp, Plan, Refusal
from grasp.reasons import Reason
from wrench.checks import require_finite
from wrench.contacts import Contacts
from wrench.errors import InvalidValue
from wrench.sizing import pad_force
from wrench.squeeze import least_grip

ROUNDING = 1e-6  # relative, of the conic solver: what a bound falls short of another by counts as equal

Outcome = GripForce | tuple[Reason, Mapping[str, float]]  # a force, or why there is none, numbers with units in the keys

_SAY = {
    Reason.LOAD_LIMIT: "The weight is {weight_n:.1f} N with {moment_nm:.3f} N m about the approach; "
    "the fingers may carry {limit_n:g} N and {limit_nm:g} N m.",
    Reason.GRIP_SHORTFALL: "Holding takes {needed_n:.1f} N at each jaw; the gripper has {limit_n:g} N.",
    Reason.DAMAGE_CAP: "Holding takes {needed_n:.1f} N at each jaw, of which the gripper sets {least_n:g} N at the least; "
    "the object bears {limit_n:g} N.",
}
_NO_FORCE = "No grip force holds the weight: it turns the object about the line between the contacts, or out of them."


def sized(
    plan: Plan, gripper: Gripper, load: Load, volume: float | None, centre_of_mass: ArrayLike
) -> Plan | Refusal:
    """Return a plan whose grasps have their grip force, without those for which no force will do.

    The command is the least force that holds the load, or the gripper's least setting where that is more. Tested in this
    order: LOAD_LIMIT, the weight without the safety factor exceeds what the fingers may carry; GRIP_SHORTFALL, holding
    takes more than the gripper has, or no force holds; DAMAGE_CAP, the command exceeds what the object bears.

    Parameters
    ----------
    plan
        Only the grasps in its list are sized. Those dropped change from kept to rejected in its funnels.
    gripper
        Of the plan.
    load
        What is carried.
    volume : m^3
        Of the object, for its mass where the load gives none; None where it is not known.
    centre_of_mass : (2,) or (3,) float, metres, table frame
        Its height does not matter.

    Returns
    -------
    Plan or Refusal
        A refusal where no grasp is left, or where the mass is not known (VIEW_LACKS_INPUT).

    Raises
    ------
    InvalidValue
        No friction in the load though the plan has no conventions.
    """
    mass, friction = load.mass_of(volume), load.friction
    if mass is None:
        detail = "The mass is not given, and it shows no height from which a volume could be estimated."
        return Refusal(Reason.VIEW_LACKS_INPUT, detail, plan.funnels, {}, plan.provenance)
    if friction is None:
        if plan.conventions is None:
            raise InvalidValue("load.friction", None, "a number: this planner has no friction of its own")
        friction = plan.conventions.friction
    centre = np.asarray(centre_of_mass, float)
    require_finite("centre_of_mass", centre)
    found = [_outcome(grasp, gripper, load, mass, friction, centre) for grasp in plan.grasps]
    funnels = _dropped(plan, found)
    kept = [(grasp, force) for grasp, force in zip(plan.grasps, found, strict=True) if isinstance(force, GripForce)]
    if not kept:
        return _refusal(plan, funnels, [force for force in found if not isinstance(force, GripForce)])
    return replace(plan, grasps=tuple(replace(grasp, force=force) for grasp, force in kept), funnels=funnels)


def least_force(
    grasp: Grasp, gripper: Gripper, load: Load, mass: float, friction: float, centre: NDArray[np.float64]
) -> float:
    """Return the least grip force in newtons, at each jaw, that holds a load in a grasp; inf where none does.

    Parameters
    ----------
    mass : kg
    friction
        Coulomb coefficient.
    centre : (2,) or (3,) float, metres, table frame
        Centre of mass.
    """
    rates = {"gravity": load.gravity, "acceleration": load.acceleration}
    if not grasp.contacts.made.any():
        return float(pad_force(mass, friction=friction, safety=load.safety, **rates))
    given = {"friction": friction, "safety": load.safety, "wrench": [0, 0, -mass * sum(rates.values()), 0, 0, 0]}
    given |= {"origin": np.append(centre[:2], grasp.T_table_gripper[2, 3]), "closing_axis": grasp.T_table_gripper[:3, 0]}
    wide = gripper.is_wide if grasp.contacts.dimension == 3 else circles(gripper).wide
    return float(least_grip(_in_space(grasp), wide=np.array(wide), **given))


def _in_space(grasp: Grasp) -> Contacts:
    """Return the contacts of a grasp, those in the plane at the height of the fingertips with level normals."""
    own = grasp.contacts
    if own.dimension == 3:
        return own
    level = np.zeros((*own.made.shape, 1))
    points = np.concatenate([own.points, np.where(own.made[:, None], grasp.T_table_gripper[2, 3], 0.0)], -1)
    return Contacts(points, np.concatenate([own.normals, level], -1), own.made)


def _outcome(
    grasp: Grasp, gripper: Gripper, load: Load, mass: float, friction: float, centre: NDArray[np.float64]
) -> Outcome:
    """Return the force of one grasp, or why no force will do with the numbers."""
    weight, limits = mass * (load.gravity + load.acceleration), (gripper.external_force_limit, gripper.external_moment_limit)
    moment = abs(_torque(grasp, weight, centre) @ grasp.T_table_gripper[:3, 2])
    if weight > limits[0] * (1 + ROUNDING) or moment > limits[1] * (1 + ROUNDING):
        carried = {"weight_n": weight, "moment_nm": moment}
        return Reason.LOAD_LIMIT, carried | {"limit_n": limits[0], "limit_nm": limits[1]}
    needed = least_force(grasp, gripper, load, mass, friction, centre)
    least, most, cap = gripper.min_force, gripper.max_force, load.damage_cap
    if not np.isfinite(needed):
        return Reason.GRIP_SHORTFALL, {}
    if needed > most * (1 + ROUNDING):
        return Reason.GRIP_SHORTFALL, {"needed_n": needed, "limit_n": most}
    if cap is not None and max(needed, least) > cap * (1 + ROUNDING):
        return Reason.DAMAGE_CAP, {"needed_n": needed, "least_n": least, "limit_n": cap}
    bound = min(needed, most if cap is None else min(most, cap))
    return GripForce(max(bound, least), bound, cap, least, most)


def _torque(grasp: Grasp, weight: float, centre: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the torque (3,) in N m of a weight in newtons at a centre of mass, about the gripper's origin, table frame."""
    x, y = centre[:2] - grasp.T_table_gripper[:2, 3]
    return weight * np.array([-y, x, 0.0])


def _dropped(plan: Plan, found: list[Outcome]) -> dict[str, Funnel]:
    """Return the funnels of a plan with those of its grasps rejected that have no force."""
    funnels = dict(plan.funnels)
    for grasp, outcome in zip(plan.grasps, found, strict=True):
        if not isinstance(outcome, GripForce):
            old, reason = funnels[grasp.sampler], outcome[0]
            rejected = {**old.rejected, reason: old.rejected.get(reason, 0) + 1}
            funnels[grasp.sampler] = Funnel(old.sampled, rejected, old.kept - 1)
    return funnels


def _refusal(plan: Plan, funnels: Mapping[str, Funnel], found: list[tuple[Reason, Mapping[str, float]]]) -> Refusal:
    """Return why none of the grasps has a force: the reason of most of them, with the numbers of the nearest miss."""
    counts = {reason: sum(each == reason for each, _ in found) for reason, _ in found}
    chief = max(counts, key=lambda reason: (counts[reason], -reason.code))
    misses = {reason: _nearest([numbers for each, numbers in found if each == reason]) for reason in counts}
    misses = {reason: miss for reason, miss in misses.items() if miss}
    told = ", ".join(f"{n} {reason.replace('_', ' ')}" for reason, n in counts.items())
    said = _SAY[chief].format(**misses[chief]) if chief in misses else _NO_FORCE
    return Refusal(chief, f"Of {len(found)} grasps: {told}. {said}", funnels, misses, plan.provenance)


def _nearest(found: list[Mapping[str, float]]) -> Mapping[str, float]:
    """Return the numbers of the grasp that takes least; nothing where none has numbers."""
    numbered = [numbers for numbers in found if numbers]
    return min(numbered, key=lambda numbers: numbers.get("needed_n", numbers.get("moment_nm", 0.0)), default={})
