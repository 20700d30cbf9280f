"""Draw: the proposals on a footprint from above, their approaches from the side, and what became of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from baselines.footprint import FootprintPlanner
from baselines.footprint_proposal import Proposal
from get2d.footprint import Footprint
from grasp.figure import blank, save
from grasp.frames import transform_points
from grasp.solids import boxes
from wrench.errors import InvalidValue

MM = 1e3
MATERIAL, OUTLINE, LINE, OTHERS, LOST = "#d9e4ee", "#33475b", "#c62828", "#566778", "#b0b0b0"
JAWS = (("wide jaw", "#1f6fb4"), ("narrow jaw", "#e0701a"))
ROWS = 18  # of the table
SIGNS = np.array(list(np.ndindex(2, 2, 2))) - 0.5  # corners of a box of edge length 1


def draw(proposals: tuple[Proposal, ...], footprint: Footprint, planner: FootprintPlanner, path: str | Path) -> None:
    """Write the picture of what `planner.propose` returned for a footprint as PNG; equal arguments give equal bytes."""
    save(picture(proposals, footprint, planner), path)


def picture(proposals: tuple[Proposal, ...], footprint: Footprint, planner: FootprintPlanner) -> Any:
    """Return a Matplotlib figure: footprint and first proposal from above, all approaches, table of outcomes."""
    if not proposals:
        raise InvalidValue("proposals", "()", "at least one, as propose returns")
    first, figure = proposals[0], blank(13, 7.6)
    above = figure.add_axes((0.055, 0.14, 0.46, 0.74))
    _object(above, footprint)
    in_sight = [_jaws(above, first, planner), np.reshape(footprint.polygon.bounds, (2, 2)) * MM]
    for rank, one in reversed(list(enumerate(proposals, start=1))):
        if one.graspable or one is first:
            in_sight.append(_closing_line(above, one, rank))
    _from_base(above, first, planner, np.concatenate(in_sight))
    above.set(xlabel="x of the table, mm", ylabel="y of the table, mm", aspect="equal")
    above.legend(loc="upper center", bbox_to_anchor=(0.5, -0.09), ncols=4, frameon=False, fontsize=9)
    _side(figure.add_axes((0.60, 0.60, 0.37, 0.28)), proposals)
    _words(figure, proposals)
    return figure


def _object(axes: Any, footprint: Footprint) -> None:
    """Draw the outline, filled, or on its heights where they are known: the higher the lighter."""
    from shapely.plotting import plot_polygon

    heights, style = footprint.heights, {"edgecolor": OUTLINE, "linewidth": 1.5, "label": "footprint"}
    if heights is not None:
        (left, bottom), (rows, columns) = (heights.corner - heights.cell / 2) * MM, heights.height.shape
        extent = (left, left + columns * heights.cell * MM, bottom, bottom + rows * heights.cell * MM)
        axes.imshow(heights.height, extent=extent, origin="lower", cmap="Blues_r", vmin=-heights.percentile(100), alpha=0.7)
    scaled = shapely.transform(footprint.polygon, lambda points: points * MM)
    plot_polygon(scaled, ax=axes, add_points=False, facecolor="none" if heights is not None else MATERIAL, **style)


def _jaws(axes: Any, one: Proposal, planner: FootprintPlanner) -> NDArray[np.float64]:
    """Draw the shadows of both jaws on arrival, whose ends are the landing spots; return their points (n, 2) in mm."""
    found, wide = boxes(planner.gripper, one.opening), np.array(planner.gripper.is_wide)
    fingers = slice(len(wide))
    corners = found.centre[fingers, None] + SIGNS * found.size[fingers, None]  # (k, 8, 3)
    seen = transform_points(one.T_table_gripper, corners)[..., :2] * MM
    for jaw, (name, color) in zip((wide, ~wide), JAWS, strict=True):
        hull = shapely.MultiPoint(seen[jaw].reshape(-1, 2)).convex_hull
        axes.fill(*shapely.get_coordinates(hull).T, facecolor=color, edgecolor=color, alpha=0.5, lw=1.5, label=name)
    return seen.reshape(-1, 2)


def _closing_line(axes: Any, one: Proposal, rank: int) -> NDArray[np.float64]:
    """Draw the line between the pad faces, from the wide jaw to the narrow one, ranked at its beginning; return its ends."""
    color, width = (LINE, 2.2) if rank == 1 else (OTHERS, 0.9)
    tail, head = ((one.tip + share * one.opening * one.closing)[:2] * MM for share in (-0.5, 0.5))
    style = {"arrowstyle": "-|>", "color": color, "lw": width, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", xy=tuple(head), xytext=tuple(tail), arrowprops=style)
    axes.plot(*np.array([tail, head]).T, color=color, lw=width, label="closing line" if rank == 1 else "")
    axes.text(*tail, str(rank), color=color, fontsize=8, ha="center", va="bottom")
    return np.array([tail, head])


def _from_base(axes: Any, one: Proposal, planner: FootprintPlanner, in_sight: NDArray[np.float64]) -> None:
    """Draw the heading from the arm's base in the lower left corner, below what has to stay in sight (n, 2) mm."""
    low, high = in_sight.min(0), in_sight.max(0)
    size = float((high - low).max())
    start = low - [0.05 * size, 0.14 * size]
    way = one.tip[:2] - np.array(planner.reach.base[:2])
    way = way / max(float(np.linalg.norm(way)), 1e-9) * 0.14 * size
    style = {"arrowstyle": "-|>", "color": OUTLINE, "lw": 1.6, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", xy=tuple(start + way), xytext=tuple(start), arrowprops=style)
    axes.text(*(start + [0.0, 0.02 * size]), "away from the arm", fontsize=8.5, color=OUTLINE, va="bottom")
    points = np.stack([low, high, start - abs(way), start + way])
    axes.set(xlim=(points[:, 0].min() - 5, points[:, 0].max() + 5), ylim=(points[:, 1].min() - 5, points[:, 1].max() + 5))


def _side(axes: Any, proposals: tuple[Proposal, ...]) -> None:
    """Draw each approach from its pre-grasp to its grasp: its level distance to the tip, and the height of the tip."""
    axes.axhline(0, color=OUTLINE, lw=1.5)
    for one in proposals[::-1]:  # the first on top
        tip, back = one.tip * MM, one.T_table_pregrasp[:3, 3] * MM
        color = LINE if one is proposals[0] else OTHERS if one.graspable else LOST
        style = {"arrowstyle": "-|>", "color": color, "lw": 2 if one.graspable else 0.9, "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", xy=(0, tip[2]), xytext=(-float(np.linalg.norm((tip - back)[:2])), back[2]), arrowprops=style)
    heights = np.array([(one.tip[2], one.T_table_pregrasp[2, 3]) for one in proposals]) * MM
    axes.set(ylim=(min(heights.min(), 0) - 8, heights.max() + 8), xlabel="level, mm", ylabel="height, mm")
    axes.set(xlim=(-115, 115), aspect="equal", anchor="W")
    axes.set_title("Ways in, arm on the left; red: first, dark: accepted, grey: rejected", fontsize=9, loc="left")


def _words(figure: Any, proposals: tuple[Proposal, ...]) -> None:
    first, accepted = proposals[0], sum(one.graspable for one in proposals)
    title = f"First of {accepted} graspable: {first.approach}" if first.graspable else f"No grasp: {first.reason.sentence}"
    figure.text(0.02, 0.97, title, fontsize=15, weight="bold", va="top")
    lines = [f"{'':2} {'approach':14} {'width':>6} {'length':>6} {'crossed':>7} {'pads':>4}  outcome"]
    for rank, one in enumerate(proposals[:ROWS], start=1):
        size = f"{one.width * MM:6.1f} {one.length * MM:6.1f} {one.crossing:7.0%} {one.contacts:4d}"
        lines.append(f"{rank:2} {one.approach:14} {size}  {one.reason.replace('_', ' ')}")
    figure.text(0.56, 0.50, "\n".join(lines), family="monospace", fontsize=8.5, va="top", linespacing=1.35)
