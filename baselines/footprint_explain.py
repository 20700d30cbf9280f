"""Explanations: why no grasp on a footprint is left, with the numbers of the case."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.bbox import box_of
from baselines.footprint_among import nearest_to_clear
from baselines.footprint_judge import Judged
from grasp.gripper import Gripper
from grasp.reasons import Reason

MM = 1e3
STAGES = (  # in the order in which candidates are tested
    *(Reason.NOT_ANTIPODAL, Reason.RULE_DOES_NOT_APPLY, Reason.TOO_NARROW, Reason.TOO_WIDE, Reason.NO_CLEARANCE),
    *(Reason.HITS_TABLE, Reason.NO_CONTACT, Reason.ONE_SIDED, Reason.GRIPPER_IN_OBJECT, Reason.APPROACH_BLOCKED),
    Reason.OUT_OF_REACH,
)


def why_refused(judged: Sequence[Judged], polygon: Any, gripper: Gripper, clearance: float) -> tuple[Reason, str]:
    """Return the reason of those candidates that came furthest, and a sentence with the numbers.

    Candidates are tested for their width first, for reach late and for room among the surroundings last. The reason that
    rejected most of them would tell of ways to come in, and of lines across parts, that were never likely.
    """
    met = {Reason.from_code(int(code)) for group in judged for code in np.unique(group.reason)}
    _, _, short, long = box_of(polygon)
    fits = f"the fingers fit around {gripper.min_opening * MM:g} to {(gripper.max_opening - 2 * clearance) * MM:g} mm"
    counts = "; ".join(f"{group.name}: {_counted(group)}" for group in judged)
    nearest = nearest_to_clear(judged)
    if nearest is not None:
        cleared, i = nearest
        lacks = f"The best of them lacks {cleared.shortfall[i] * MM:.1f} mm of room."
        return Reason.from_code(int(cleared.reason[i])), f"{lacks} {cleared.sentence(i)} Tried: {counts}."
    return max(met, key=STAGES.index), f"The box is {short * MM:.1f} x {long * MM:.1f} mm; {fits}. Tried: {counts}."


def _counted(group: Judged) -> str:
    values, counts = np.unique(group.reason, return_counts=True)
    found = [f"{n} {Reason.from_code(int(value)).replace('_', ' ')}" for value, n in zip(values, counts, strict=True)]
    return ", ".join(found) or "no lines"


def nearest_misses(judged: Sequence[Judged], base: tuple[float, float, float]) -> dict[Reason, Mapping[str, float]]:
    """Return, per reason that a number can explain, how near the best of its candidates came; the unit is in the key."""
    reason = np.concatenate([group.reason for group in judged])
    width = np.concatenate([group.lines.width for group in judged]) * MM
    tips = np.concatenate([group.T_table_gripper[:, :3, 3] for group in judged])
    away = np.linalg.norm(tips - np.array(base), axis=1) * MM
    near: dict[Reason, Callable[[NDArray], Mapping[str, float]]] = {
        Reason.TOO_WIDE: lambda rows: {"width_mm": width[rows].min()},
        Reason.TOO_NARROW: lambda rows: {"width_mm": width[rows].max()},
        Reason.OUT_OF_REACH: lambda rows: {
            "nearest_to_base_mm": away[rows].min(),
            "furthest_from_base_mm": away[rows].max(),
        },
    }
    found = {why: measure(reason == why.code) for why, measure in near.items() if (reason == why.code).any()}
    for missed in [group.cleared.nearest_miss for group in judged if group.cleared is not None]:
        for why, miss in missed.items():
            found[why] = min(found.get(why, miss), miss, key=lambda one: one["shortfall_mm"])
    return found
