"""Order: which of the judged closing lines are proposed, and which of them first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray

from baselines.bbox import EQUAL
from baselines.footprint_judge import Judged
from baselines.footprint_lines import landing_spots, on_table
from baselines.footprint_proposal import Proposal, proposals
from baselines.footprint_settings import Parts
from grasp.gripper import Gripper
from grasp.reasons import Reason


@dataclass(frozen=True, eq=False)
class Found:
    """Every closing line that was judged.

    Parameters
    ----------
    whole
        Lines across the whole footprint per way to come in, first choice first.
    part
        Lines across its parts; None where none were looked for.
    """

    whole: tuple[Judged, ...]
    part: Judged | None = None

    @property
    def groups(self) -> tuple[Judged, ...]:
        """All of them, whole first."""
        return self.whole if self.part is None else (*self.whole, self.part)


def good(group: Judged, least_crossing: float) -> NDArray[np.bool_]:
    """Tell which lines (n,) are accepted and cross at least this share of their width in material."""
    return (group.reason == Reason.OK.code) & (group.lines.crossing >= least_crossing)


def in_order(found: Found, best: NDArray[np.int64], least_crossing: float) -> tuple[Proposal, ...]:
    """Return the proposals: whole grasps, then part grasps, then whole grasps that cross little, then what was rejected.

    Of one way to come in, the line with more contacts comes first.

    Parameters
    ----------
    best
        Which of the lines across parts are proposed, best first.
    least_crossing
        As in `good`.
    """
    first, little, rejected = [], [], []
    for group in found.whole:
        order = np.argsort(-group.contacts, kind="stable")
        accepted, fine = group.reason == Reason.OK.code, good(group, least_crossing)
        first += proposals(group, order[fine[order]])
        little += proposals(group, order[(accepted & ~fine)[order]])
        rejected += proposals(group, order[~accepted[order]])
    return (*first, *(() if found.part is None else proposals(found.part, best)), *little, *rejected)


def best_parts(part: Judged, polygon: Any, base: ArrayLike, gripper: Gripper, parts: Parts) -> NDArray[np.int64]:
    """Return the accepted lines across parts, best first, as indices: those told apart by their middles, `keep` at the most.

    Most contacts first, then the wide jaw outside the hull of the footprint, so that the narrow jaw goes into what the hull
    encloses, then near the centroid, then the wide jaw near the arm's base (3,).
    """
    rows = np.flatnonzero(part.reason == Reason.OK.code)
    middle, lines = part.lines.centre[rows], part.lines
    spots = on_table(middle, lines.heading[rows], landing_spots(gripper, lines.opening[rows])).mean(-2)  # (n, 2, 2)
    enclosed = shapely.contains_xy(polygon.convex_hull, *spots[:, 0].T)
    off = np.linalg.norm(middle - shapely.get_coordinates(polygon.centroid)[0], axis=1)
    far = np.linalg.norm(spots[:, 0] - np.asarray(base, float)[:2], axis=1)
    chosen: list[int] = []
    for i in np.lexsort((far, np.round(off / parts.spacing), enclosed, -part.contacts[rows])):
        if len(chosen) < parts.keep and (np.linalg.norm(middle[chosen] - middle[i], axis=1) >= parts.apart - EQUAL).all():
            chosen.append(int(i))
    return rows[chosen]
