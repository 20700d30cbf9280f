"""Sizing: the grip force of every grasp of a plan, or the reason why no force will do.

The least force is that of `wrench.squeeze.least_grip` for the weight m (g + a), straight down at the centre of mass, times
the safety factor. An off-centre weight turns the object, and the contacts must hold it against that as well: by their
distances, and by what each pad resists about its own normal, `Gripper.pad_torsion` times the force it presses. Cones are
exact; friction and torsion are bounded apart, not by a common limit surface. Two points with no torsion hold against no
turn about the line between them. What a closure judges, hard points without torsion, is another question.

Contacts in the plane are taken to lie at the height of the fingertips, where pads press level. Where a planner looks for
no contacts, each pad is taken to touch at its own offset, where its face arrives. Heights do not matter otherwise, as the
torque of a weight depends on level distances only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grasp.circles import circles
from grasp.frames import transform_points
from grasp.funnel import Funnel
from grasp.gripper import Gripper
from grasp.load import GripForce, Load
from grasp.plan import Grasp, Plan, Refusal
from grasp.reasons import Reason
from grasp.solids import closing_sign
from wrench.checks import require_finite
from wrench.contacts import Contacts
from wrench.errors import InvalidValue
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
_NO_FORCE = "However hard the jaws press, the weight turns the object about the line between the contacts, or out of them."


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
    exceeds what the object bears; NO_CLOSURE, no force holds; GRIP_SHORTFALL, holding takes more than the gripper has;
    DAMAGE_CAP, holding takes more than the object bears.

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
    weight, T = mass * (load.gravity + load.acceleration), grasp.T_table_gripper
    contacts, wide = pressing(grasp, gripper)
    given = {"friction": friction, "safety": load.safety, "torsion": gripper.pad_torsion}
    given |= {"wrench": [0, 0, -weight, 0, 0, 0], "origin": np.append(centre[:2], T[2, 3]), "closing_axis": T[:3, 0]}
    return float(least_grip(contacts, wide=wide, **given))


def pressing(grasp: Grasp, gripper: Gripper) -> tuple[Contacts, NDArray[np.bool_]]:
    """Return the contacts that carry a load, in space, and which of them are the wide jaw's, (k,) bool.

    Those in the plane lie at the height of the fingertips with level normals. Where the planner has looked for none, there
    is one for each pad at fingertip height, on its face at the opening with which it arrives.
    """
    own, T = grasp.contacts, grasp.T_table_gripper
    if not own.made.any():
        side, offset = closing_sign(gripper), np.array([pad.offset for pad in gripper.pads])
        faces = np.column_stack([-side * grasp.opening / 2, offset, np.zeros(len(offset))])
        return Contacts.all_made(transform_points(T, faces), side[:, None] * T[:3, 0]), np.array(gripper.is_wide)
    if own.dimension == 3:
        return own, np.array(gripper.is_wide)
    points = np.concatenate([own.points, np.where(own.made[:, None], T[2, 3], 0.0)], -1)
    normals = np.concatenate([own.normals, np.zeros((len(points), 1))], -1)
    return Contacts(points, normals, own.made), np.array(circles(gripper).wide)


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
        return Reason.NO_CLOSURE, {}
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
    """Return why none of the grasps has a force: the reason of the one that comes nearest, with its numbers."""
    counts = {reason: sum(each == reason for each, _ in found) for reason, _ in found}
    reason, numbers = min(found, key=lambda one: _excess(one[1]))
    misses = {each: _nearest([miss for other, miss in found if other == each]) for each in counts}
    told = ", ".join(f"{n} {each.replace('_', ' ')}" for each, n in counts.items())
    detail = f"Of {len(found)} grasps: {told}. {_SAY[reason].format(**numbers) if numbers else _NO_FORCE}"
    misses = {each: miss for each, miss in misses.items() if miss}
    return Refusal(reason, detail, _emptied(funnels, reason), misses, plan.provenance)


def _nearest(found: list[Mapping[str, float]]) -> Mapping[str, float]:
    """Return the numbers of the grasp that comes nearest; nothing where none has numbers."""
    return min(found, key=_excess, default={})


def _excess(numbers: Mapping[str, float]) -> float:
    """Return how many times its limit a grasp takes, of the limit that it exceeds most; inf where it has no numbers."""
    limits = {"needed_n": "limit_n", "weight_n": "limit_n", "moment_nm": "limit_nm"}
    return max((numbers[name] / numbers[limit] for name, limit in limits.items() if name in numbers), default=np.inf)
