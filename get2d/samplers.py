"""Samplers: where a jaw could meet the outline, as lines along which the gripper closes (paper, section V).

A line runs through the middle of the gripper along its closing axis and is anchored where one jaw meets the object: the
wide jaw for the edge and the vertex sampler, the narrow jaw inside a hole for the hole sampler. Where the other jaw stands
on the line is decided by `get2d.place`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from get2d.edges import Edges
from wrench.checks import frozen, require_at_least, require_positive
from wrench.errors import InvalidValue

ROUNDING = 1e-9  # of a part: an edge of two and a half spacings has three parts, whichever way it is turned
SAMPLERS = ("edge", "vertex", "hole")  # the index is the code in arrays


@dataclass(frozen=True)
class Density:
    """How many lines the samplers draw.

    Parameters
    ----------
    edge_spacing, hole_spacing : metres
        Between neighbouring lines of one edge; every edge has at least one.
    vertex_turn : radians
        Greatest angle between a vertex line and the bisector.
    vertex_lines
        Number of lines per vertex, evenly spread over +-vertex_turn; odd, so that one is the bisector itself.
    """

    edge_spacing: float
    hole_spacing: float
    vertex_turn: float
    vertex_lines: int

    def __post_init__(self) -> None:
        require_positive("density.edge_spacing", self.edge_spacing, "m")
        require_positive("density.hole_spacing", self.hole_spacing, "m")
        require_at_least("density.vertex_turn", self.vertex_turn, 0, "rad")
        if self.vertex_lines < 0 or (self.vertex_lines and self.vertex_lines % 2 == 0):
            raise InvalidValue("density.vertex_lines", self.vertex_lines, "0 or an odd number")


@dataclass(frozen=True, eq=False)
class Lines:
    """Closing lines, in the order in which the samplers walk.

    Parameters
    ----------
    anchor : (n, 2) float, metres
        Point of the outline on the line.
    closing : (n, 2) float
        Unit vector from the wide jaw towards the narrow jaw.
    sampler : (n,) int
        Index into `SAMPLERS`.
    walk : (n,) int
        Lines of one edge or vertex share a number; neighbours of one walk are neighbours on the outline.
    """

    anchor: NDArray[np.float64]
    closing: NDArray[np.float64]
    sampler: NDArray[np.int64]
    walk: NDArray[np.int64]

    def __post_init__(self) -> None:
        for field, dtype in (("anchor", float), ("closing", float), ("sampler", np.int64), ("walk", np.int64)):
            object.__setattr__(self, field, frozen(getattr(self, field), dtype))

    def __len__(self) -> int:
        return len(self.walk)


def edge_lines(edges: Edges, density: Density) -> tuple[NDArray, NDArray, NDArray]:
    """Return anchors, closing axes and walks: the wide jaw square to every outer edge, evenly spaced along it."""
    outer = edges[edges.ring == 0]
    anchor, walk = _along(outer, density.edge_spacing)
    return anchor, outer.inward[walk], walk


def hole_lines(edges: Edges, density: Density) -> tuple[NDArray, NDArray, NDArray]:
    """Return anchors, closing axes and walks: the narrow jaw in every hole, square to each of its edges."""
    holes = edges[edges.ring > 0]
    anchor, walk = _along(holes, density.hole_spacing)
    return anchor, -holes.inward[walk], walk  # the narrow jaw moves against the closing axis, into the material


def vertex_lines(edges: Edges, density: Density) -> tuple[NDArray, NDArray, NDArray]:
    """Return anchors, closing axes and walks: the wide jaw astride every outer vertex, about the bisector of its edges."""
    outer = edges[edges.ring == 0]
    bisector = outer.inward + np.roll(outer.inward, 1, axis=0)  # of the edges that begin and end at `start`
    length = np.linalg.norm(bisector, axis=-1)
    sharp = length > 1e-9  # a spike of no width has no bisector
    middle = np.arctan2(bisector[sharp, 1], bisector[sharp, 0])
    n = density.vertex_lines
    turn = (np.arange(n) - n // 2) * (2 * density.vertex_turn / max(n - 1, 1))
    angle = (middle[:, None] + turn).ravel()
    walk = np.repeat(np.flatnonzero(sharp), n)
    return outer.start[walk], np.stack([np.cos(angle), np.sin(angle)], -1), walk


_SAMPLER: dict[str, Callable[[Edges, Density], tuple[NDArray, NDArray, NDArray]]] = {
    "edge": edge_lines,
    "vertex": vertex_lines,
    "hole": hole_lines,
}


def sample(edges: Edges, density: Density) -> Lines:
    """Return the lines of all three samplers, one after the other."""
    drawn = [_SAMPLER[name](edges, density) for name in SAMPLERS]
    sizes = [len(walk) for _, _, walk in drawn]
    first = np.cumsum([0] + [walk.max(initial=-1) + 1 for _, _, walk in drawn])[:-1]  # walks stay apart between samplers
    return Lines(
        np.concatenate([anchor for anchor, _, _ in drawn]),
        np.concatenate([closing for _, closing, _ in drawn]),
        np.repeat(np.arange(len(SAMPLERS)), sizes),
        np.concatenate([walk + offset for (_, _, walk), offset in zip(drawn, first, strict=True)]),
    )


def _along(edges: Edges, spacing: float) -> tuple[NDArray, NDArray]:
    """Return points (n, 2) in the middles of equal parts of every edge, and the edge of each (n,)."""
    parts = np.maximum(np.floor(edges.length / spacing + 0.5 + ROUNDING), 1).astype(int)
    edge = np.repeat(np.arange(len(edges)), parts)
    part = np.arange(len(edge)) - np.repeat(np.cumsum(parts) - parts, parts)
    share = ((part + 0.5) / parts[edge])[:, None]
    return edges.start[edge] + share * (edges.end - edges.start)[edge], edge
