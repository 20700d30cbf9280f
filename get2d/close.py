"""Closing the gripper: the contacts of whole batches of candidates under whole sets of draws, exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from get2d.edges import Edges
from get2d.sweep import INF, band, first_touch, nearest, turn
from grasp.circles import Circles
from wrench.contacts import Contacts

GRIPS, OVERLAPS, MISSES, PASSES, SKIPPED = range(5)  # outcome of one closing


@dataclass(frozen=True, eq=False)
class Closing:
    """What happens when grippers close.

    Parameters
    ----------
    contacts : (*b,) of k contacts, table frame
        None are made unless the outcome is GRIPS.
    outcome : (*b,) int
        GRIPS; OVERLAPS: a circle starts inside the object; MISSES: a jaw meets nothing; PASSES: the jaws meet material
        only beyond each other; SKIPPED: not tried.
    opening : (*b,) float, metres
        Between the pad faces when both jaws touch; NaN unless the outcome is GRIPS.
    """

    contacts: Contacts
    outcome: NDArray[np.uint8]
    opening: NDArray[np.float64]


def close(
    edges: Edges,
    circles: Circles,
    centre: NDArray[np.float64],
    angle: NDArray[np.float64],
    opening: NDArray[np.float64],
    *,
    min_opening: float,
    tolerance: float,
    translation: NDArray[np.float64],
    rotation: NDArray[np.float64],
    skip: NDArray[np.bool_],
) -> Closing:
    """Close every candidate under every draw.

    Each circle moves along the closing axis to its first touch with the outline (paper, section V). Of one jaw's circles,
    those count that touch at most `tolerance` later than its first; contact normals point from the circle's centre to the
    contact, which at an edge is the edge's inward normal.

    Parameters
    ----------
    edges
        Outline of the object.
    circles : k circles
        The gripper from above.
    centre : (n, 2) metres, angle : (n,) radians, opening : (n,) metres
        Where the grippers are planned to arrive, as in `Candidates`.
    min_opening, tolerance : metres
        Of the gripper.
    translation : (s, 2) metres, rotation : (s,) radians
        By which each draw displaces the gripper, about its own origin.
    skip : (n,) bool
        Candidates not to try.

    Returns
    -------
    Closing
        Batch (n, s).
    """
    n, s, k = len(angle), len(rotation), len(circles)
    points, normals = np.zeros((n, s, k, 2)), np.zeros((n, s, k, 2))
    made, outcome, gap = np.zeros((n, s, k), np.bool_), np.full((n, s), SKIPPED, np.uint8), np.full((n, s), np.nan)
    _close(
        *(edges.start, edges.end, circles.offset, circles.wide, circles.radius),
        *(centre, angle, opening, min_opening, tolerance, translation, rotation, skip),
        *(points, normals, made, outcome, gap),
    )
    return Closing(Contacts.unchecked(points, normals, made), outcome, gap)


@njit(cache=True, error_model="numpy")
def _close(
    start, end, offset, wide, r, centre, angle, opening, min_opening, tolerance, translation, rotation, skip,
    points, normals, made, outcome, gap,
):  # fmt: skip
    k, draws = offset.shape[0], rotation.shape[0]
    edges, near, nears = np.empty((start.shape[0], 4)), np.empty((k, start.shape[0]), np.int64), np.empty(k, np.int64)
    at, touched, x, y = np.empty(k), np.empty(k, np.int64), np.empty(draws), np.empty(draws)
    for g in range(angle.shape[0]):
        half, first = 0.5 * opening[g] + r, draws if skip[g] else 0
        while first < draws:  # draws of one rotation share the turned outline, and look at the same few edges of it
            last = first + 1
            while last < draws and rotation[last] == rotation[first]:
                last += 1
            cx, cy = math.cos(angle[g] + rotation[first]), math.sin(angle[g] + rotation[first])
            turn(start, end, cx, cy, edges)
            for s in range(first, last):
                px, py = centre[g, 0] + translation[s, 0], centre[g, 1] + translation[s, 1]
                x[s], y[s] = cx * px + cy * py, cy * px - cx * py
            low, high = y[first:last].min() - r, y[first:last].max() + r
            for i in range(k):
                nears[i] = band(edges, low + offset[i], high + offset[i], near[i])
            for s in range(first, last):
                outcome[g, s] = _sweep(
                    edges, near, nears, offset, wide, r, x[s], y[s], half, min_opening, at, touched
                )
                if outcome[g, s] == GRIPS:
                    gap[g, s] = _touch(
                        edges, offset, wide, r, y[s], tolerance, at, touched, cx, cy, g, s, points, normals, made
                    )
            first = last


@njit(cache=True, error_model="numpy")
def _sweep(edges, near, nears, offset, wide, r, x, y, half, min_opening, at, touched):
    """Write where each circle touches (x of its centre) and which edge; return the outcome."""
    for i in range(offset.shape[0]):
        sign = 1.0 if wide[i] else -1.0
        overlaps, at[i], touched[i] = first_touch(edges, near, i, nears[i], x - sign * half, y + offset[i], r, sign)
        if overlaps:
            return OVERLAPS
    wide_at, narrow_at = _jaws(wide, at)
    if wide_at == INF or narrow_at == -INF:
        return MISSES
    return PASSES if narrow_at - wide_at - 2.0 * r < min_opening else GRIPS


@njit(cache=True, error_model="numpy")
def _jaws(wide, at):
    """Return where the first circle of the wide and of the narrow jaw touches."""
    wide_at, narrow_at = INF, -INF
    for i in range(wide.shape[0]):
        if wide[i]:
            wide_at = min(wide_at, at[i])
        else:
            narrow_at = max(narrow_at, at[i])
    return wide_at, narrow_at


@njit(cache=True, error_model="numpy")
def _touch(edges, offset, wide, r, y, tolerance, at, touched, cx, cy, g, s, points, normals, made):
    """Write the contacts of one closing in the table frame; return the opening at which they are made."""
    wide_at, narrow_at = _jaws(wide, at)
    for i in range(offset.shape[0]):
        late = at[i] - wide_at if wide[i] else narrow_at - at[i]
        if late <= tolerance:
            height = y + offset[i]
            qx, qy = nearest(edges, touched[i], at[i], height)
            nx, ny = (qx - at[i]) / r, (qy - height) / r
            points[g, s, i, 0], points[g, s, i, 1] = cx * qx + cy * qy, cy * qx - cx * qy
            normals[g, s, i, 0], normals[g, s, i, 1] = cx * nx + cy * ny, cy * nx - cx * ny
            made[g, s, i] = True
    return narrow_at - wide_at - 2.0 * r
