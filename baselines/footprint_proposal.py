"""Proposal: one grasp on a footprint with what a user asks of it, and the order in which to try several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baselines.footprint_judge import Judged
from grasp.frames import require_pose
from grasp.reasons import Reason
from wrench.checks import frozen


@dataclass(frozen=True, eq=False)
class Proposal:
    """One grasp on a footprint, accepted or not.

    Parameters
    ----------
    approach
        Name of the way the gripper comes in.
    tip : (3,) float, metres, table frame
        Between the fingertips: the origin of the gripper frame.
    closing : (3,) float
        Unit vector from the wide jaw to the narrow jaw, table frame; level.
    width, length
        Metres of what stands between the jaws: along the closing axis, and across it as seen from above.
    crossing
        Share of the width that the closing line crosses in material.
    opening
        Metres between the pad faces at which the gripper arrives.
    contacts
        Pads that meet the object when the jaws close; 0 where the width alone rejects the grasp.
    reason
        OK, or why it is rejected.
    T_table_gripper, T_table_pregrasp : (4, 4) float
        Where the gripper closes, and where it comes straight in from; translation in metres.
    """

    approach: str
    tip: NDArray[np.float64]
    closing: NDArray[np.float64]
    width: float
    length: float
    crossing: float
    opening: float
    contacts: int
    reason: Reason
    T_table_gripper: NDArray[np.float64]
    T_table_pregrasp: NDArray[np.float64]

    def __post_init__(self) -> None:
        for name in ("T_table_gripper", "T_table_pregrasp"):
            object.__setattr__(self, name, require_pose(name, getattr(self, name)))
        for name in ("tip", "closing"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    @property
    def graspable(self) -> bool:
        """Whether nothing speaks against it."""
        return self.reason is Reason.OK


def proposals(judged: Judged, rows: Sequence[int] | NDArray[np.int64]) -> list[Proposal]:
    """Return the proposals of some rows of a way, in that order."""
    lines = judged.lines
    return [
        Proposal(
            judged.name,
            judged.T_table_gripper[i, :3, 3],
            judged.T_table_gripper[i, :3, 0],
            float(lines.width[i]),
            float(lines.length[i]),
            float(lines.crossing[i]),
            float(lines.opening[i]),
            int(judged.contacts[i]),
            Reason.from_code(int(judged.reason[i])),
            judged.T_table_gripper[i],
            judged.T_table_pregrasp[i],
        )
        for i in rows
    ]
