"""Scene: the object from above with a grasp on it, in millimetres of the table frame."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from grasp.circles import Circles, circles
from grasp.frames import heading, planar_axes, position
from grasp.gripper import Gripper
from grasp.plan import Grasp, Plan

MM = 1e3
MATERIAL, OUTLINE, PAD, CONTACT, CONE, FAINT = "#d9e4ee", "#33475b", "#1f6fb4", "#c62828", "#f5a623", "#566778"
RUNNERS_UP = 4  # drawn faintly; more would hide the outline
ROUND = np.array([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000])  # lengths of a scale bar, mm


def pads(grasp: Grasp, seen: Circles) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the centres of the gripper's circles when it arrives and when it has closed.

    Parameters
    ----------
    grasp
        Top-down, with planar contacts.
    seen : k circles
        The gripper from above.

    Returns
    -------
    start, closed : (k, 2) float, metres, table frame
        A circle that touches nothing has come as far as the first of its jaw that does.
    """
    closing, right = planar_axes(heading(grasp.T_table_gripper))
    middle, made = position(grasp.T_table_gripper)[:2], grasp.contacts.made
    side = np.where(seen.wide, -1.0, 1.0)  # of the origin on which the circle stands
    start = side * (grasp.opening / 2 + seen.radius)
    touch = (grasp.contacts.points - seen.radius * grasp.contacts.normals - middle) @ closing
    closed = start.copy()
    for jaw in (seen.wide, ~seen.wide):
        if (jaw & made).any():
            first = side[jaw][0] * np.max(side[jaw & made] * touch[jaw & made])
            closed[jaw] = np.where(made, touch, first)[jaw]
    across = middle + seen.offset[:, None] * right
    return across + start[:, None] * closing, across + closed[:, None] * closing


def outline(axes: Any, polygon: Any) -> None:
    """Draw a Shapely polygon, its holes left open."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    rings = (polygon.exterior, *polygon.interiors)
    shape = Path.make_compound_path(*(Path(np.asarray(ring.coords) * MM, closed=True) for ring in rings))
    axes.add_patch(PathPatch(shape, facecolor=MATERIAL, edgecolor="none", alpha=0.7, zorder=2))
    axes.add_patch(PathPatch(shape, facecolor="none", edgecolor=OUTLINE, linewidth=1.5, zorder=3, label="outline"))


def grasps(axes: Any, plan: Plan, gripper: Gripper, friction: float) -> NDArray[np.float64]:
    """Draw the best grasp of a plan and, faintly, those after it; return the points (n, 2) to keep in sight, mm."""
    seen = circles(gripper)
    for i, grasp in enumerate(plan.grasps[1 : 1 + RUNNERS_UP]):
        label = "" if i else f"ranks 2 to {len(plan.grasps[: 1 + RUNNERS_UP])}, closed"
        _discs(axes, pads(grasp, seen)[1], seen, label, edgecolor=FAINT, linewidth=0.9, alpha=0.9, zorder=4)
    start, closed = pads(plan.best, seen)
    _discs(axes, start, seen, "pads on arrival", edgecolor=PAD, linewidth=1.6, linestyle="--", zorder=7)
    _discs(axes, closed, seen, "pads closed", fill=True, facecolor=PAD, edgecolor="white", linewidth=0.8, zorder=5)
    _jaws(axes, plan.best, start, seen)
    _contacts(axes, plan.best, closed, 3 * seen.radius, friction)
    return np.concatenate([start - 5 * seen.radius, start + 5 * seen.radius]) * MM


def centre_of_mass(axes: Any, origin: NDArray[np.float64]) -> None:
    """Draw the point that torques are taken about, (2,) metres."""
    x, y = origin * MM
    axes.plot(x, y, "o", ms=11, mfc="white", mec="black", mew=1.2, ls="", zorder=10)
    axes.plot(x, y, "P", ms=7, mfc="black", mec="black", ls="", zorder=11, label="centre of mass")


def dimension(axes: Any, length: float, text: str, row: int) -> None:
    """Draw a bar of a length in mm, with its text, in the lower left corner of the axes; row 0 is the lowest."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    x, y = left + 0.03 * (right - left), bottom + (0.035 + 0.07 * row) * (top - bottom)
    axes.plot([x, x + length], [y, y], "|-", color="black", lw=2.2, ms=9, mew=2.2, zorder=10)
    style = {"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 1}
    axes.text(x, y + 0.012 * (top - bottom), text, va="bottom", ha="left", fontsize=9, zorder=11, bbox=style)


def scale_bar(axes: Any) -> None:
    """Draw the longest round length that fits into a quarter of the axes' width."""
    left, right = axes.get_xlim()
    length = ROUND[ROUND <= max((right - left) / 4, ROUND[0])][-1]
    dimension(axes, length, f"{length} mm", 0)


def _discs(axes: Any, centres: NDArray, seen: Circles, label: str, fill: bool = False, **style: Any) -> None:
    from matplotlib.patches import Circle

    for i, centre in enumerate(centres * MM):
        axes.add_patch(Circle(tuple(centre), seen.radius * MM, fill=fill, label=label if i == 0 else "", **style))


def _jaws(axes: Any, grasp: Grasp, start: NDArray, seen: Circles) -> None:
    """Draw the bar that carries the pads of each jaw, arrows the way it closes, and its name."""
    closing, _ = planar_axes(heading(grasp.T_table_gripper))
    for jaw, name, way in ((seen.wide, "wide jaw", closing), (~seen.wide, "narrow jaw", -closing)):
        bar = (start[jaw] - 2.6 * seen.radius * way) * MM
        axes.plot(*bar.T, "s-", color=PAD, lw=5, ms=6, solid_capstyle="round", zorder=7)
        for place in bar:
            _arrow(axes, place, place + 1.7 * seen.radius * MM * way, PAD)
        x, y = bar.mean(0) - 1.5 * seen.radius * MM * way
        turn = np.degrees(np.arctan2(way[1], way[0])) % 180 - 90  # along the jaw, never upside down
        style = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.5}
        axes.text(x, y, name, rotation=turn, ha="center", va="center", color=PAD, weight="bold", zorder=7, bbox=style)


def _arrow(axes: Any, tail: NDArray, tip: NDArray, color: str) -> None:
    style = {"arrowstyle": "-|>", "color": color, "lw": 1.6, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 12}
    axes.annotate("", xy=tuple(tip), xytext=tuple(tail), arrowprops=style, zorder=9)


def _contacts(axes: Any, grasp: Grasp, closed: NDArray, length: float, friction: float) -> None:
    """Draw contact points with their inward normals and friction cones, `length` metres long; number the pads."""
    from matplotlib.patches import Wedge

    half, made = np.degrees(np.arctan(friction)), grasp.contacts.made
    for place in np.flatnonzero(made):
        point, normal = grasp.contacts.points[place] * MM, grasp.contacts.normals[place]
        angle = np.degrees(np.arctan2(normal[1], normal[0]))
        cone = Wedge(tuple(point), length * MM, angle - half, angle + half, fc=CONE, ec=CONE, alpha=0.45, zorder=8)
        cone.set_label("friction cone" if place == np.argmax(made) else "")
        axes.add_patch(cone)
        _arrow(axes, point, point + length * MM * normal, CONTACT)
    label = "contact, inward normal"
    axes.plot(*(grasp.contacts.points[made] * MM).T, "X", color=CONTACT, mec="white", ms=9, ls="", zorder=10, label=label)
    for place, centre in enumerate(closed * MM):
        axes.text(*centre, str(place + 1), color="white", weight="bold", ha="center", va="center", fontsize=8, zorder=10)
