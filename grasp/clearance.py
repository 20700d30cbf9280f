"""Clearance: whether a gripper has the room to arrive at a pose and to close there, before anything is scored.

What must be free is not what the gripper occupies when it holds the object but what it sweeps: open, on its way in, and with
its moving parts while it closes (`grasp.sweeps`). Both sweeps are held against the table, obstacles and forbidden regions.
The object itself is not looked at: a planner knows where its surface is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grasp import presets
from grasp.cleared import Cleared
from grasp.frames import require_pose
from grasp.gripper import Gripper
from grasp.reasons import Reason
from grasp.strict import at_least, build, number, positive
from grasp.surroundings import Obstacle, Surroundings
from grasp.sweeps import approaching, closing
from wrench.checks import refuse_first
from wrench.errors import InvalidValue

EQUAL = 1e-9  # metres of rounding: what is just as far as the margin is far enough
TABLE, OBSTACLE, FORBIDDEN = range(3)


@dataclass(frozen=True)
class Clearance:
    """Rules of how much room is kept; no default values, see ``conf/clearance``.

    Parameters
    ----------
    opening_margin : metres
        Of air between each pad and the object as the gripper comes in: at least the error in where and how wide the object
        is. For planners and `grasp.spacing`; `check` takes openings as they are.
    obstacle, table, forbidden : metres
        Least distance to neighbours and walls, to the table, and to forbidden regions, which may not even be touched.
    stand_off : metres
        Along the approach axis from which the gripper comes in straight.
    tilts : radians
        Of the approach about the closing axis, in the order in which `grasp.attempts` tries them.
    """

    opening_margin: float
    obstacle: float
    table: float
    forbidden: float
    stand_off: float
    tilts: tuple[float, ...]

    def __post_init__(self) -> None:
        for field in ("opening_margin", "obstacle", "table", "forbidden"):
            object.__setattr__(self, field, at_least(f"clearance.{field}", getattr(self, field), 0, "m"))
        object.__setattr__(self, "stand_off", positive("clearance.stand_off", self.stand_off, "m"))
        tilts = tuple(number(f"clearance.tilts[{i}]", tilt) for i, tilt in enumerate(self.tilts))
        object.__setattr__(self, "tilts", tilts)

    @classmethod
    def preset(cls, name: str = "default") -> Clearance:
        """Return the rules described by ``conf/clearance/<name>.yaml``."""
        return build(cls, presets.read("clearance", name), "clearance")


def check(
    rules: Clearance,
    gripper: Gripper,
    T_table_gripper: ArrayLike,
    opening: ArrayLike,
    closed_opening: ArrayLike,
    surroundings: Surroundings,
) -> Cleared:
    """Return whether the gripper has the room it needs at n poses.

    Parameters
    ----------
    T_table_gripper : (n, 4, 4) float
        Of the gripper as it arrives, open: where its fingertips advance as it closes, they end deeper than this.
    opening : (n,) or one for all, metres
        Between the pad faces as it arrives.
    closed_opening : (n,) or one for all, metres
        Between the pad faces when it holds the object.
    surroundings
        What is known besides the table.

    Raises
    ------
    InvalidValue
        Shapes, a pose that is none, or openings out of the gripper's range or order.
    """
    T = require_pose("T_table_gripper", T_table_gripper)
    if T.ndim != 3:
        raise InvalidValue("T_table_gripper.shape", T.shape, "(n, 4, 4)")
    opening, closed = _openings(gripper, len(T), opening, closed_opening)
    way_in, way_shut = approaching(gripper, opening, rules.stand_off), closing(gripper, opening, closed)
    corners = np.concatenate([way_in.corners(T), way_shut.corners(T)], 1)  # (n, q, 8, 3)
    others = surroundings.obstacles + surroundings.forbidden
    kind = np.repeat([TABLE, OBSTACLE, FORBIDDEN], [1, len(surroundings.obstacles), len(surroundings.forbidden)])
    margin = np.array([rules.table, rules.obstacle, rules.forbidden])[kind]  # (1 + others,)
    short = margin - _apart(corners, others, margin[1:])
    sweep, other, bad = _worst(short, kind)
    missed, closes = short[np.arange(len(T)), sweep, other], sweep >= len(way_in.names)
    reason = np.where(bad, _reasons(kind[other], missed > margin[other] + EQUAL, closes), Reason.OK.code)
    part = np.where(bad, np.array(way_in.names + way_shut.names)[sweep], "")
    name = np.where(bad, np.array(["table", *(other.name for other in others)])[other], "")
    return Cleared(reason, np.where(bad, missed, 0.0), np.where(bad, margin[other], 0.0), part, name, closes & bad)


def _apart(corners: NDArray, others: Sequence[Obstacle], margin: NDArray) -> NDArray[np.float64]:
    """Return how far boxes (n, q, 8, 3) are from the table and from each of the others, (n, q, 1 + others)."""
    from grasp.apart import separation  # brings in Shapely

    flat = corners.reshape(-1, 8, 3)
    found = [flat[..., 2].min(-1)]
    found += [separation(flat, other, room + EQUAL) for other, room in zip(others, margin, strict=True)]
    return np.stack(found, -1).reshape(*corners.shape[:2], len(found))


def _worst(short: NDArray, kind: NDArray) -> tuple[NDArray, NDArray, Any]:
    """Return which box and what other (n,) misses its clearance by most, the first of equals, and whether any does."""
    wrong = short > np.where(kind == FORBIDDEN, -EQUAL, EQUAL)  # a forbidden region may not even be touched
    flat = np.where(wrong, short, -np.inf).reshape(len(short), short.shape[1] * short.shape[2])
    first = (flat >= flat.max(1, keepdims=True) - EQUAL).argmax(1)
    sweep, other = np.divmod(first, short.shape[2])
    return sweep, other, wrong.any((1, 2))


def _reasons(kind: NDArray, enters: NDArray, closes: NDArray) -> NDArray:
    """Return codes (n,) of `Reason` for clearances that are missed."""
    blocked = np.where(closes, Reason.CLOSING_BLOCKED.code, Reason.APPROACH_BLOCKED.code)
    beside = np.where(enters, blocked, Reason.NO_CLEARANCE.code)
    fixed = [Reason.HITS_TABLE.code, Reason.FORBIDDEN_REGION.code]
    return np.select([kind == TABLE, kind == FORBIDDEN], fixed, beside)


def _openings(gripper: Gripper, n: int, opening: ArrayLike, closed: ArrayLike) -> tuple[NDArray, NDArray]:
    opening, closed = np.asarray(opening, float), np.asarray(closed, float)
    for field, value in (("opening", opening), ("closed_opening", closed)):
        if value.shape not in ((), (n,)):
            raise InvalidValue(f"{field}.shape", value.shape, f"() or ({n},), as there are poses")
    opening, closed = np.broadcast_to(opening, (n,)), np.broadcast_to(closed, (n,))
    low, high = gripper.min_opening, gripper.max_opening
    wrong = ~((opening >= low - EQUAL) & (opening <= high + EQUAL))
    refuse_first("opening", opening, wrong, f"between {low:g} and {high:g} m, the range of {gripper.name}")
    wrong = ~((closed >= low - EQUAL) & (closed <= opening + EQUAL))
    refuse_first("closed_opening", closed, wrong, f"between {low:g} m and the opening at which the gripper arrives")
    return opening, closed
