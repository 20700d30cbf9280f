"""Placing the gripper on a closing line: which free pockets the jaws stand in, and how far they back off.

The anchored jaw stands in the free pocket at the outline where the sampler put it. The other jaw may stand in every pocket
that lies beyond material on its side, within the opening: outside the object, in a notch, or in a hole. Each pair of
pockets is a candidate. Both jaws then back off from the contact by the approach margin, as far as pocket and opening allow.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from get2d.candidates import Candidates
from get2d.edges import Edges
from get2d.samplers import SAMPLERS, Lines
from get2d.sweep import GRAZE, INF, pockets, turn
from grasp.circles import Circles
from grasp.reasons import Reason

NUDGE = 1e-7  # metres outside the anchor at which the anchored jaw is looked for: beyond rounding, below any feature
MOST = 16  # pockets tried per line
OK, OVERLAPS, TOO_WIDE, ONE_SIDED = (
    r.code for r in (Reason.OK, Reason.OVERLAPS, Reason.TOO_WIDE, Reason.ONE_SIDED)
)


def place(
    edges: Edges, lines: Lines, circles: Circles, *, max_opening: float, min_opening: float, margin: float
) -> Candidates:
    """Return the candidates of every line, at least one each.

    Parameters
    ----------
    edges
        Outline of the object.
    lines : n closing lines
    circles
        The gripper from above.
    max_opening, min_opening, margin : metres
        Range of the gripper, and how far a jaw starts off its contact.

    Returns
    -------
    Candidates
        Ordered by walk, then by pocket, then along the walk, so that plateaus are contiguous. Rejected are lines on which
        a jaw meets nothing (ONE_SIDED), all pairs of pockets need too much opening (TOO_WIDE; the least is kept), or the
        anchored jaw does not fit (OVERLAPS).
    """
    n = len(lines)
    wide_at, narrow_at, needed = (np.zeros((n, MOST)) for _ in range(3))
    reason, count = np.zeros((n, MOST), np.uint8), np.zeros(n, np.int64)
    hole = lines.sampler == SAMPLERS.index("hole")
    jaws = circles.offset[circles.wide], circles.offset[~circles.wide]
    limits = (min_opening, max_opening, margin)
    _place(
        *(edges.start, edges.end, lines.anchor, lines.closing, hole, *jaws, circles.radius, *limits),
        *(wide_at, narrow_at, needed, reason, count),
    )
    line, pocket = np.nonzero(np.arange(MOST) < count[:, None])
    line, pocket = _in_walks(line, pocket, lines.walk)
    closing = lines.closing[line]
    right = np.stack([closing[:, 1], -closing[:, 0]], -1)
    across = np.einsum("ni,ni->n", lines.anchor[line], right)
    wide, narrow = wide_at[line, pocket], narrow_at[line, pocket]
    fits = reason[line, pocket] == OK
    centre = ((wide + narrow) / 2)[:, None] * closing + across[:, None] * right
    return Candidates(
        centre=np.where(fits[:, None], centre, lines.anchor[line]),
        angle=np.arctan2(closing[:, 1], closing[:, 0]),
        opening=np.where(fits, np.minimum(narrow - wide - 2 * circles.radius, max_opening), 0.0),
        needed=needed[line, pocket],
        sampler=lines.sampler[line],
        walk=lines.walk[line] * MOST + pocket,
        reason=reason[line, pocket],
    )


def _in_walks(line: NDArray, pocket: NDArray, walk: NDArray) -> tuple[NDArray, NDArray]:
    """Return lines and pockets in the order of walk, pocket, line."""
    order = np.lexsort((line, pocket, walk[line]))
    return line[order], pocket[order]


@njit(cache=True, error_model="numpy")
def _place(
    start, end, anchor, closing, hole, wide, narrow, r, min_opening, max_opening, margin,
    wide_at, narrow_at, needed, reason, count,
):  # fmt: skip
    """Write, per line and pocket pair, where the discs' centres start along the closing axis, and the opening needed."""
    edges = np.empty((start.shape[0], 4))
    free_wide = np.empty((wide.shape[0] * start.shape[0] + 1, 2))
    free_narrow = np.empty((narrow.shape[0] * start.shape[0] + 1, 2))
    for g in range(anchor.shape[0]):
        cx, cy = closing[g, 0], closing[g, 1]
        turn(start, end, cx, cy, edges)
        x, y = cx * anchor[g, 0] + cy * anchor[g, 1], cy * anchor[g, 0] - cx * anchor[g, 1]
        wides, narrows = pockets(edges, y + wide, r, free_wide), pockets(edges, y + narrow, r, free_narrow)
        first_wide, last_wide, first_narrow, last_narrow = 0, wides, 0, narrows
        if hole[g]:
            first_narrow = _last_beginning_by(free_narrow, narrows, x + r + NUDGE)
            last_narrow = first_narrow + 1
            if free_narrow[first_narrow, 1] < x + r + NUDGE:
                reason[g, 0], needed[g, 0], count[g] = OVERLAPS, INF, 1
                continue
        else:
            first_wide = _last_beginning_by(free_wide, wides, x - r - NUDGE)
            last_wide = first_wide + 1
        least = INF
        for a in range(first_wide, last_wide):
            for b in range(first_narrow, last_narrow):
                opening = free_narrow[b, 0] - free_wide[a, 1] - 2.0 * r
                if opening < min_opening or opening == INF:
                    continue  # no material between them
                least = min(least, opening)
                k = count[g]
                if opening <= max_opening and k < MOST:
                    back_wide = min(margin, free_wide[a, 1] - free_wide[a, 0] - GRAZE)
                    back_narrow = min(margin, free_narrow[b, 1] - free_narrow[b, 0] - GRAZE)
                    spare = max_opening - opening
                    back_wide = min(back_wide, max(0.5 * spare, spare - back_narrow))
                    back_narrow = min(back_narrow, spare - back_wide)
                    wide_at[g, k], narrow_at[g, k] = free_wide[a, 1] - back_wide, free_narrow[b, 0] + back_narrow
                    needed[g, k], reason[g, k] = opening, OK
                    count[g] = k + 1
        if count[g] == 0:
            needed[g, 0], reason[g, 0], count[g] = least, ONE_SIDED if least == INF else TOO_WIDE, 1


@njit(cache=True, error_model="numpy")
def _last_beginning_by(free, n, x):
    """Return the last of n ascending intervals that begins at or before x; the first begins at -inf."""
    k = 0
    while k + 1 < n and free[k + 1, 0] <= x:
        k += 1
    return k
