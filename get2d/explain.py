"""Explanations: why a plan was refused, how near each reason came to letting a grasp through, and one grasp in words."""

from __future__ import annotations

import numpy as np

from get2d.evaluate import Evaluated
from get2d.samplers import SAMPLERS
from grasp.funnel import Funnel
from grasp.gripper import Gripper
from grasp.reasons import Reason
from wrench.closure import force_closure
from wrench.contacts import Contacts

MM = 1e3
SLIPPERY, STICKY, HALVINGS = 0.0, 4.0, 30  # range of friction in which the least that closes is looked for


def why_refused(evaluated: Evaluated, gripper: Gripper) -> tuple[Reason, str]:
    """Return the chief reason why no candidate was accepted, and a sentence with the numbers of all reasons.

    Where all that were held against the surroundings lack room, the reason is that of the one which lacks least.
    """
    funnel = sum(evaluated.candidates.funnels().values(), Funnel())
    counts = ", ".join(f"{n} {reason.replace('_', ' ')}" for reason, n in funnel.rejected.items())
    misses = nearest_misses(evaluated, gripper)
    sentences = [_SAY[reason].format(**miss) for reason, miss in misses.items() if reason in _SAY]
    reason, cleared = funnel.chief, evaluated.cleared
    if cleared is not None and len(cleared.reason) and not cleared.clear.any():
        reason = Reason.from_code(int(cleared.reason[cleared.nearest]))
        sentences.append(cleared.sentence(cleared.nearest))
    return reason, " ".join([f"Of {funnel.sampled} candidates: {counts}.", *sentences])


_SAY = {
    Reason.TOO_WIDE: "The least opening needed is {opening_needed_mm:.1f} mm; the gripper opens {opening_max_mm:.1f} mm.",
    Reason.MISSES_HEIGHT: "At best the surface stands {surface_above_fingertips_mm:.1f} mm above the fingertips.",
    Reason.NO_CLOSURE: "A friction of {friction_needed:.2f} would close the nearest of them.",
    Reason.OVERLAPS: "The widest hole takes a disc of {widest_hole_mm:.1f} mm; a fingertip is {fingertip_mm:.1f} mm wide.",
}


def nearest_misses(evaluated: Evaluated, gripper: Gripper) -> dict[Reason, dict[str, float]]:
    """Return, per reason that rejected any candidate, how near the best of its candidates came; the unit is in the key."""
    reason = evaluated.candidates.reason
    near = {
        Reason.TOO_WIDE: lambda rows: {
            "opening_needed_mm": float(evaluated.candidates.needed[rows].min()) * MM,
            "opening_max_mm": gripper.max_opening * MM,
        },
        Reason.MISSES_HEIGHT: lambda rows: {
            "surface_above_fingertips_mm": float(evaluated.covered[rows].max()) * MM,
        },
        Reason.NO_CLOSURE: lambda rows: _friction_needed(evaluated.contacts[rows]),
        Reason.OVERLAPS: lambda rows: {
            "widest_hole_mm": _widest_hole(evaluated.footprint.polygon) * MM,
            "fingertip_mm": gripper.circle_diameter * MM,
        },
    }
    found = {why: measure(np.flatnonzero(reason == why.code)) for why, measure in near.items() if (reason == why.code).any()}
    room = {} if evaluated.cleared is None else evaluated.cleared.nearest_miss
    return {why: dict(miss) for why, miss in (found | dict(room)).items() if miss}


def _friction_needed(contacts: Contacts) -> dict[str, float]:
    """Return the least friction at which any of the grasps is closed without displacement; nothing above 4."""
    low, high = np.full(len(contacts), SLIPPERY), np.full(len(contacts), STICKY)
    closable = force_closure(contacts, friction=high)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        closed = force_closure(contacts, friction=middle)
        low, high = np.where(closed, low, middle), np.where(closed, middle, high)
    return {"friction_needed": float(high[closable].min())} if closable.any() else {}


def _widest_hole(polygon: object) -> float:
    """Return the diameter of the largest disc that fits into a hole, in metres; 0 without holes."""
    from shapely import Polygon, maximum_inscribed_circle

    holes = getattr(polygon, "interiors", ())
    return max((2 * maximum_inscribed_circle(Polygon(hole)).length for hole in holes), default=0.0)


def explain(evaluated: Evaluated, index: int, gripper: Gripper) -> str:
    """Return one candidate in words: where it is, what it touches, what it is worth, and why it was rejected if it was."""
    one, contacts = evaluated.candidates[index], evaluated.contacts[index]
    x, y = one.centre * MM
    reason = Reason.from_code(int(one.reason))
    lines = [
        f"Candidate {index} of the {SAMPLERS[int(one.sampler)]} sampler: closing axis at {np.degrees(one.angle):.1f} deg, "
        f"centre ({x:.1f}, {y:.1f}) mm, fingertips {evaluated.fingertip_height * MM:.1f} mm above the table.",
        f"It needs an opening of {one.needed * MM:.1f} mm and arrives with {one.opening * MM:.1f} mm.",
    ]
    for place, (point, made) in enumerate(zip(contacts.points * MM, contacts.made, strict=True)):
        jaw = "wide" if place < len(gripper.wide.pads) else "narrow"
        lines.append(f"{jaw} jaw: " + (f"contact at ({point[0]:.1f}, {point[1]:.1f}) mm" if made else "no contact"))
    if contacts.made.any():
        robust, nominal = evaluated.robustness, evaluated.nominal
        lines.append(
            f"Closed in {robust.closed[index]} of {robust.samples} draws, {robust.mean_contacts[index]:.2f} contacts and "
            f"epsilon {robust.mean_epsilon[index]:.4f} on average; undisplaced epsilon {nominal.epsilon[index]:.4f} "
            f"(convention {nominal.convention.name}, torque scale {evaluated.torque_scale.metres * MM:.1f} mm)."
        )
    lines.append("Accepted." if reason is Reason.OK else f"Rejected: {reason.sentence}")
    return "\n".join(lines)
