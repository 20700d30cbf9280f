"""Explanations: why a plan was refused, how near each reason came to letting a grasp through, and one grasp in words."""

from __future__ import annotations

import numpy as np

from get3d.evaluate import Evaluated
from grasp.frames import heading
from grasp.funnel import Funnel
from grasp.gripper import Gripper
from grasp.reasons import Reason

MM = 1e3

_SAY = {
    Reason.TOO_WIDE: "The thinnest wall needs {opening_needed_mm:.1f} mm; the gripper opens {opening_max_mm:.1f} mm.",
    Reason.UNBALANCED: "The best balance left {imbalance_mm:.2f} mm between the pads of the wide jaw.",
}


def why_refused(evaluated: Evaluated, gripper: Gripper) -> tuple[Reason, str]:
    """Return the chief reason why no candidate was accepted, and a sentence with the numbers of all reasons.

    Where all that were held against the surroundings lack room, the reason is that of the one which lacks least.
    """
    funnel = sum(evaluated.candidates.funnels().values(), Funnel())
    if funnel.sampled == 0:
        return Reason.NO_CANDIDATES, "No face of the mesh is steep enough for a jaw to lie on."
    counts = ", ".join(f"{n} {reason.replace('_', ' ')}" for reason, n in funnel.rejected.items())
    misses = nearest_misses(evaluated, gripper)
    sentences = [_SAY[reason].format(**miss) for reason, miss in misses.items() if reason in _SAY]
    reason, lacks = funnel.chief, evaluated.candidates[evaluated.candidates.lacking != ""]
    if len(lacks) and not evaluated.draws.any():
        one = lacks[int(lacks.shortfall.argmin())]
        reason = Reason.from_code(int(one.reason))
        sentences.append(f"The nearest lacks {one.shortfall * MM:.1f} mm of room. {one.lacking}")
    return reason, " ".join([f"Of {funnel.sampled} candidates: {counts}.", *sentences])


def nearest_misses(evaluated: Evaluated, gripper: Gripper) -> dict[Reason, dict[str, float]]:
    """Return, per reason that rejected any candidate, how near the best of its candidates came; the unit is in the key."""
    found, reason = evaluated.candidates, evaluated.candidates.reason
    near = {
        Reason.TOO_WIDE: lambda rows: {
            "opening_needed_mm": float(found.needed[rows].min()) * MM,
            "opening_max_mm": gripper.max_opening * MM,
        },
        Reason.UNBALANCED: lambda rows: {"imbalance_mm": float(found.imbalance[rows].min()) * MM},
        Reason.BELOW_BAR: lambda rows: {"closed_draws": float(evaluated.closed[rows].max())},
    }
    rows = {why: np.flatnonzero(reason == why.code) for why in near}
    misses = {why: measure(rows[why]) for why, measure in near.items() if len(rows[why])}
    short = found.shortfall
    for code in np.unique(reason[short > 0]):
        least = float(short[(short > 0) & (reason == code)].min()) * MM
        misses[Reason.from_code(int(code))] = {"shortfall_mm": least}
    return {why: miss for why, miss in misses.items() if np.isfinite(list(miss.values())).all()}


def explain(evaluated: Evaluated, index: int) -> str:
    """Return one candidate in words: where it is, what it touches, what it is worth, and why it was rejected if it was."""
    one, contacts = evaluated.candidates[index], evaluated.candidates.contacts[index]
    T, reason = one.T_table_gripper, Reason.from_code(int(one.reason))
    x, y, z = T[:3, 3] * MM
    tilt = np.degrees(np.arccos(np.clip(-T[2, 2], -1, 1)))
    lines = [
        f"Candidate {index}: closing axis at {np.degrees(heading(T)):.1f} deg, approach {tilt:.1f} deg from straight down, "
        f"fingertips at ({x:.1f}, {y:.1f}, {z:.1f}) mm.",
        f"The wall between the jaws is {one.needed * MM:.1f} mm; it arrives with an opening of {one.opening * MM:.1f} mm.",
        f"Balanced to {one.imbalance * MM:.2f} mm in {one.iterations} steps; {int(contacts.made.sum())} contacts.",
    ]
    if evaluated.draws[index]:
        scale = evaluated.torque_scale.metres * MM
        lines.append(
            f"Closed in {evaluated.closed[index]} of {evaluated.draws[index]} draws, {evaluated.mean_contacts[index]:.2f} "
            f"contacts on average; epsilon {evaluated.epsilon[index]:.4f} to {evaluated.epsilon_upper[index]:.4f} "
            f"undisplaced, {evaluated.mean_epsilon[index]:.4f} on average (torque scale {scale:.1f} mm)."
        )
    lines.append("Accepted." if reason is Reason.OK else f"Rejected: {reason.sentence}")
    return "\n".join(lines)
