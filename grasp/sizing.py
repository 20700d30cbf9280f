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

Dropped = tuple[Reason, Mapping[str, float]]  # why a grasp has no force, numbers with units in the keys

_SAY = {
    Reason.LOAD_LIMIT: "The weight is {weight_n:.1f} N with {moment_nm:.3f} N m about the approach; "
    "the fingers may carry {limit_n:g} N and {limit_nm:g} N m.",
    Reason.GRIP_SHORTFALL: "Holding takes {needed_n:.1f} N at each jaw; the gripper has {limit_n:g} N.",
    Reason.DAMAGE_CAP: "Pressing takes {needed_n:.1f} N at each jaw, {least_n:g} N being the gripper's least; "
    "the object bears {limit_n:g} N.",
}
_NO_FORCE = "No grip force holds the weight: it turns the object about the line between the contacts, or out of them."


def sized(
    plan: Plan,
    gripper: Gripper,
    load: Load,
    volume: float | None,
    centre_of_mass: ArrayLike,
    keep: int | None = None,
) -> Plan | Refusal:
    """Return a plan whose grasps have their grip force, without those for which no force will do.

    The command is the least force that holds the load, or the gripper's least setting where that is more. Tested in this
    order: LOAD_LIMIT, the weight without the safety factor exceeds what the fingers may carry; DAMAGE_CAP, the least setting
    exceeds what the object bears; GRIP_SHORTFALL, holding takes more than the gripper has, or no force holds; DAMAGE_CAP,
    holding takes more than the object bears.

    Parameters
    ----------
    plan
        Its grasps are sized in their order. Those dropped change from kept to rejected in its funnels.
    gripper
        Of the plan.
    load
        What is carried.
    volume : m^3
        Of the object, for its mass where the load gives none; None where it is not known.
    centre_of_mass : (2,) or (3,) float, metres, table frame
        Its height does not matter.
    keep
        Grasps wanted: the others are left out and not sized. None for all.

    Returns
    -------
    Plan or Refusal
        A refusal where no grasp is left, or where the mass is not known (VIEW_LACKS_INPUT). Nothing is kept in its funnels:
        what they kept besides the grasps in the list goes with those that stand for it.

    Raises
    ------
    InvalidValue
        No friction in the load though the plan has no conventions.
    """
    mass, friction = load.mass_of(volume), load.friction
    if mass is None:
        reason, detail = Reason.VIEW_LACKS_INPUT, "The mass is not given, and no height is seen to estimate a volume from."
        return Refusal(reason, detail, _emptied(plan.funnels, reason), {}, plan.provenance)
    if friction is None:
        if plan.conventions is None:
            raise InvalidValue("load.friction", None, "a number: this planner has no friction of its own")
        friction = plan.conventions.friction
    centre = np.asarray(centre_of_mass, float)
    require_finite("centre_of_mass", centre)
    kept: list[Grasp] = []
    dropped: list[tuple[Grasp, Dropped]] = []
    for grasp in plan.grasps:
        outcome = _outcome(grasp, gripper, load, mass, friction, centre)
        if isinstance(outcome, GripForce):
            kept.append(replace(grasp, force=outcome))
        else:
            dropped.append((grasp, outcome))
        if len(kept) == keep:
            break
    funnels = _funnels(plan, dropped)
    if not kept:
        return _refusal(plan, funnels, [why for _, why in dropped])
    return replace(plan, grasps=tuple(kept), funnels=funnels)


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
) -> GripForce | Dropped:
    """Return the force of one grasp, or why no force will do with the numbers."""
    weight, limits = mass * (load.gravity + load.acceleration), (gripper.external_force_limit, gripper.external_moment_limit)
    moment = abs(_torque(grasp, weight, centre) @ grasp.T_table_gripper[:3, 2])
    least, most, cap = gripper.min_force, gripper.max_force, np.inf if load.damage_cap is None else load.damage_cap
    if weight > limits[0] * (1 + ROUNDING) or moment > limits[1] * (1 + ROUNDING):
        carried = {"weight_n": weight, "moment_nm": moment}
        return Reason.LOAD_LIMIT, carried | {"limit_n": limits[0], "limit_nm": limits[1]}
    if least > cap:
        return Reason.DAMAGE_CAP, {"needed_n": least, "least_n": least, "limit_n": cap}
    needed = least_force(grasp, gripper, load, mass, friction, centre)
    if not np.isfinite(needed):
        return Reason.GRIP_SHORTFALL, {}
    if needed > most * (1 + ROUNDING):
        return Reason.GRIP_SHORTFALL, {"needed_n": needed, "limit_n": most}
    if needed > cap * (1 + ROUNDING):
        return Reason.DAMAGE_CAP, {"needed_n": needed, "least_n": least, "limit_n": cap}
    bound = min(needed, most, cap)
    return GripForce(max(bound, least), bound, load.damage_cap, least, most)


def _torque(grasp: Grasp, weight: float, centre: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the torque (3,) in N m of a weight in newtons at a centre of mass, about the gripper's origin, table frame."""
    x, y = centre[:2] - grasp.T_table_gripper[:2, 3]
    return weight * np.array([-y, x, 0.0])


def _funnels(plan: Plan, dropped: list[tuple[Grasp, Dropped]]) -> dict[str, Funnel]:
    """Return the funnels of a plan with those of its grasps rejected that have no force."""
    funnels = dict(plan.funnels)
    for grasp, (reason, _) in dropped:
        funnels[grasp.sampler] = _rejecting(funnels[grasp.sampler], reason, 1)
    return funnels


def _emptied(funnels: Mapping[str, Funnel], reason: Reason) -> dict[str, Funnel]:
    """Return funnels that keep nothing: what they did is rejected for a reason."""
    return {sampler: _rejecting(funnel, reason, funnel.kept) for sampler, funnel in funnels.items()}


def _rejecting(funnel: Funnel, reason: Reason, count: int) -> Funnel:
    """Return a funnel with so many of those kept rejected for a reason."""
    rejected = {**funnel.rejected, reason: funnel.rejected.get(reason, 0) + count}
    return Funnel(funnel.sampled, rejected, funnel.kept - count)


def _refusal(plan: Plan, funnels: Mapping[str, Funnel], found: list[Dropped]) -> Refusal:
    """Return why none of the grasps has a force: the reason of the one that takes least, with its numbers."""
    counts = {reason: sum(each == reason for each, _ in found) for reason, _ in found}
    reason, numbers = min(found, key=lambda one: one[1].get("needed_n", one[1].get("moment_nm", np.inf)))
    misses = {each: _nearest([miss for other, miss in found if other == each]) for each in counts}
    told = ", ".join(f"{n} {each.replace('_', ' ')}" for each, n in counts.items())
    detail = f"Of {len(found)} grasps: {told}. {_SAY[reason].format(**numbers) if numbers else _NO_FORCE}"
    misses = {each: miss for each, miss in misses.items() if miss}
    return Refusal(reason, detail, _emptied(funnels, reason), misses, plan.provenance)


def _nearest(found: list[Mapping[str, float]]) -> Mapping[str, float]:
    """Return the numbers of the grasp that takes least; nothing where none has numbers."""
    numbered = [numbers for numbers in found if numbers]
    return min(numbered, key=lambda numbers: numbers.get("needed_n", numbers.get("moment_nm", 0.0)), default={})
