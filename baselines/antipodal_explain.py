"""Explanations: why a plan was refused, and how near each reason came to letting a grasp through."""

from __future__ import annotations

import numpy as np

from baselines.antipodal_candidates import Candidates
from grasp.funnel import Funnel
from grasp.gripper import Gripper
from grasp.reasons import Reason

MM = 1e3
STAGES = (  # in which the object itself rejects candidates, first to last; its surroundings come after
    *(Reason.POOR_DATA, Reason.NOT_ANTIPODAL, Reason.TOO_TILTED, Reason.TOO_NARROW, Reason.TOO_WIDE, Reason.ONE_SIDED),
    *(Reason.NO_CLOSURE, Reason.HITS_TABLE, Reason.APPROACH_BLOCKED, Reason.CLOSING_BLOCKED),
)
_BESIDE = (Reason.HITS_TABLE, Reason.APPROACH_BLOCKED, Reason.CLOSING_BLOCKED, Reason.NO_CLEARANCE, Reason.FORBIDDEN_REGION)
_SAY = {
    Reason.NOT_ANTIPODAL: "A friction of {friction_needed:.2f} would hold the nearest of them.",
    Reason.TOO_WIDE: "The least opening needed is {opening_needed_mm:.1f} mm; the gripper opens {opening_max_mm:.1f} mm.",
    Reason.TOO_NARROW: "The widest is {opening_needed_mm:.1f} mm; the gripper closes to {opening_min_mm:.1f} mm.",
    Reason.TOO_TILTED: "At best their lines slope by {slope_deg:.1f} and their approaches tilt by {tilt_deg:.1f} degrees.",
    Reason.POOR_DATA: "At best the surface varies by {surface_variation:.3f} and neighbours lie within {radius_mm:.1f} mm.",
}


def why_refused(candidates: Candidates, gripper: Gripper, friction: float) -> tuple[Reason, str]:
    """Return the reason of those candidates that came farthest, and sentences with its numbers and the counts of all.

    Of pairs drawn at random nearly all are no grasps, whatever the object, and the reason of most of them says little. That
    of those which came nearest to a grasp says what stands in the way. Where any were held against the surroundings, these
    came farthest, and the reason is that of the one which lacks least room.
    """
    funnel = sum(candidates.funnels().values(), Funnel())
    counts = ", ".join(f"{n} {reason.replace('_', ' ')}" for reason, n in funnel.rejected.items())
    tried = f"Of {funnel.sampled} pairs of points: {counts}."
    lacks = candidates[candidates.lacking != ""]
    if len(lacks):
        one = lacks[int(lacks.shortfall.argmin())]
        missing = f"The nearest lacks {one.shortfall * MM:.1f} mm of room. {one.lacking}"
        return Reason.from_code(int(one.reason)), f"{tried} {missing}"
    last = max(funnel.rejected, key=STAGES.index)
    miss = nearest_misses(candidates, gripper, friction).get(last)
    said = "" if miss is None else _SAY[last].format(**miss)
    return last, f"{tried} {said}".strip()


def nearest_misses(candidates: Candidates, gripper: Gripper, friction: float) -> dict[Reason, dict[str, float]]:
    """Return, per reason that rejected any candidate, how near the best of its candidates came; the unit is in the key.

    Where there are two numbers, each is the best of its kind, perhaps of different candidates.
    """
    most, least = gripper.max_opening * MM, gripper.min_opening * MM
    near = dict.fromkeys(_BESIDE, _least_shortfall) | {
        Reason.NOT_ANTIPODAL: lambda own: _friction_needed(own, friction),
        Reason.TOO_WIDE: lambda own: {"opening_needed_mm": float(own.needed.min()) * MM, "opening_max_mm": most},
        Reason.TOO_NARROW: lambda own: {"opening_needed_mm": float(own.needed.max()) * MM, "opening_min_mm": least},
        Reason.TOO_TILTED: _least_tilt,
        Reason.POOR_DATA: lambda own: {
            "surface_variation": float(own.curvature.min()),
            "radius_mm": float(own.radius.min()) * MM,
        },
    }
    reason = candidates.reason
    found = {why: measure(candidates[reason == why.code]) for why, measure in near.items() if (reason == why.code).any()}
    return {why: miss for why, miss in found.items() if miss}


def _friction_needed(own: Candidates, friction: float) -> dict[str, float]:
    """Return the least friction whose cones hold the line of any pair; nothing where none would."""
    off = (np.arctan(friction) - own.margin).max(1)  # the greater angle between line and normal
    off = off[off < np.pi / 2]
    return {"friction_needed": float(np.tan(off.min()))} if len(off) else {}


def _least_shortfall(own: Candidates) -> dict[str, float]:
    """Return by how little room was missed among the surroundings; nothing where it was the object that was in the way."""
    short = own.shortfall[own.shortfall > 0]
    return {"shortfall_mm": float(short.min()) * MM} if len(short) else {}


def _least_tilt(own: Candidates) -> dict[str, float]:
    tilt = np.degrees(np.arccos(np.clip(-own.T_table_gripper[:, 2, 2], -1, 1)))
    return {"slope_deg": float(np.degrees(own.slope.min())), "tilt_deg": float(tilt.min())}
