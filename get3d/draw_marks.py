"""Marks: what is drawn over a view with lines and letters. Millimetres."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from get3d import shut
from get3d.draw_scene import GLASS, GRIPPER, Eye
from grasp.frames import transform_vectors
from grasp.gripper import Gripper
from grasp.plan import Grasp, Plan
from grasp.solids import closing_sign

MM = 1e3
PAD, CONTACT, CONE, FAINT, TABLE = "#0d3f6b", "#c62828", "#f5a623", "#3f4d5c", "#9aa5b1"
ROUND = np.array([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000])  # lengths of a scale bar, mm
RUNNERS_UP = 4  # drawn faintly; more would hide the object
CELL = 0.05  # metres between the lines on the table
NUMBER = 0.032  # of the height of a view, from a contact to its number; contacts seen closer together share one
BOX = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1.2}


def table(axes: Any, eye: Eye, points: NDArray[np.float64]) -> None:
    """Draw a grid on the table under points (n, 3)."""
    low, high = (f(points[:, :2] / CELL) for f in (lambda p: np.floor(p.min(0)), lambda p: np.ceil(p.max(0))))
    for axis in (0, 1):
        for at in np.arange(low[axis], high[axis] + 1):
            ends = np.array([[*low, 0.0], [*high, 0.0]]) * CELL
            ends[:, axis] = at * CELL
            axes.plot(*(eye.flat(ends) * MM).T, color=TABLE, lw=0.6, zorder=0)


def ground(axes: Any, eye: Eye) -> None:
    """Draw the table seen from its edge."""
    axes.axhspan(eye.low[1] * MM - 1, 0, color="#e9edf1", zorder=0)
    axes.axhline(0, color=TABLE, lw=1.2, zorder=0)


def contacts(axes: Any, eye: Eye, grasp: Grasp, friction: float, length: float) -> None:
    """Draw contact points, inward normals and friction cones, `length` metres long, and number the pads."""
    from scipy.spatial import ConvexHull

    made = grasp.contacts.made
    for point, normal in zip(grasp.contacts.points[made], grasp.contacts.normals[made], strict=True):
        rim = eye.flat(shut.cone(point, normal, friction, length)[0]) * MM
        axes.fill(*rim[ConvexHull(rim).vertices].T, fc=CONE, ec=CONE, alpha=0.4, lw=1, zorder=8)
        tail, tip = eye.flat([point, point + length * normal]) * MM
        _arrow(axes, tail, tip, CONTACT)
    axes.plot(*(eye.flat(grasp.contacts.points[made]) * MM).T, "o", color=CONTACT, mec="white", ms=6, ls="", zorder=10)
    for numbers, spot in number_spots(eye, grasp):
        style = {"color": CONTACT, "weight": "bold", "ha": "center", "va": "center", "fontsize": 9, "bbox": BOX}
        axes.text(*(spot + [0, _gap(eye)]), numbers, zorder=11, **style)


def number_spots(eye: Eye, grasp: Grasp) -> list[tuple[str, NDArray[np.float64]]]:
    """Return the numbers of the pads in contact and where they appear (2,), in mm; those at one spot together."""
    spots: list[tuple[str, NDArray]] = []
    for place in np.flatnonzero(grasp.contacts.made):
        spot = eye.flat(grasp.contacts.points[place]) * MM
        same = [i for i, (_, other) in enumerate(spots) if np.linalg.norm(spot - other) < _gap(eye)]
        if same:
            spots[same[0]] = (f"{spots[same[0]][0]}, {place + 1}", spots[same[0]][1])
        else:
            spots.append((str(place + 1), spot))
    return spots


def pads(axes: Any, eye: Eye, grasp: Grasp, gripper: Gripper, color: str, width: float) -> None:
    """Draw the outlines of the pads' faces."""
    for corners in shut.pads(grasp, gripper):
        axes.fill(*(eye.flat(corners) * MM).T, fc="none", ec=color, lw=width, zorder=6)


def jaws(axes: Any, eye: Eye, grasp: Grasp, gripper: Gripper) -> None:
    """Write the name of each jaw beside its fingers, clear of an arrow the way it closes."""
    for name, arrow in jaw_arrows(grasp, gripper).items():
        tail, tip = eye.flat(arrow) * MM
        _arrow(axes, tail, tip, PAD)
        side, va = (0.5, "bottom") if tip[1] <= tail[1] else (-0.5, "top")
        style = {"color": PAD, "weight": "bold", "ha": "center", "va": va, "fontsize": 9, "bbox": BOX}
        axes.text(*(tail + [0, side * _gap(eye)]), name, zorder=11, **style)


def jaw_arrows(grasp: Grasp, gripper: Gripper) -> dict[str, NDArray[np.float64]]:
    """Return for each jaw by name the tail and tip (2, 3) of an arrow outside its fingers, metres, table frame."""
    wide, middles = closing_sign(gripper) > 0, shut.pads(grasp, gripper).mean(1)
    out = transform_vectors(grasp.T_table_gripper, np.eye(3)[:1])[0] * gripper.finger_thickness
    sides = {"wide jaw": (wide, -out), "narrow jaw": (~wide, out)}
    return {name: middles[own].mean(0) + np.outer((4.0, 1.5), away) for name, (own, away) in sides.items()}


def _gap(eye: Eye) -> float:
    """Return the distance of a number from its contact, mm."""
    return NUMBER * float((eye.high - eye.low)[1]) * MM


def _arrow(axes: Any, tail: NDArray, tip: NDArray, color: str) -> None:
    style = {"arrowstyle": "-|>", "color": color, "lw": 1.6, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 11}
    axes.annotate("", xy=tuple(tip), xytext=tuple(tail), arrowprops=style, zorder=9)


def centre_of_mass(axes: Any, eye: Eye, point: ArrayLike) -> None:
    """Draw the point (3,) metres that torques are taken about."""
    x, y = eye.flat(point) * MM
    axes.plot(x, y, "o", ms=10, mfc="white", mec="black", mew=1.2, ls="", zorder=7)
    axes.plot(x, y, "P", ms=6, mfc="black", mec="black", ls="", zorder=7)


def bar(axes: Any, length: float | None = None, text: str = "", row: int = 0) -> None:
    """Draw a length in mm with its text in the lower left corner, rows from below; without one, a round scale bar."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    if length is None:
        length = float(ROUND[ROUND <= max((right - left) / 4, ROUND[0])][-1])
    x, y = left + 0.04 * (right - left), bottom + (0.035 + 0.075 * row) * (top - bottom)
    axes.plot([x, x + length], [y, y], "|-", color="black", lw=2, ms=8, mew=2, zorder=12)
    axes.text(x, y + 0.012 * (top - bottom), text or f"{length:.0f} mm", va="bottom", fontsize=8.5, zorder=12, bbox=BOX)


def in_sight(plan: Plan, gripper: Gripper) -> NDArray[np.float64]:
    """Return points (n, 3), metres, table frame, to keep in sight: the gripper, the names of its jaws, and the next pads."""
    arrows = jaw_arrows(plan.best, gripper).values()
    names = [tail + 1.5 * (tail - tip) for tail, tip in arrows]
    next_pads = [shut.pads(grasp, gripper).reshape(-1, 3) for grasp in plan.grasps[1 : 1 + RUNNERS_UP]]
    return np.concatenate([shut.body(plan.best, gripper)[0], names, *next_pads])


def legend(figure: Any, best: bool) -> None:
    """Explain the marks, in the lower right corner."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    marks = [Line2D([], [], marker="P", ms=7, mfc="black", mec="black", ls="", label="centre of mass")]
    if best:
        marks += [
            Line2D([], [], marker="o", ms=7, color=CONTACT, lw=1.6, label="contact with its number, inward normal"),
            Patch(fc=CONE, alpha=0.5, label="friction cone"),
            Patch(fc="none", ec=PAD, lw=1.6, label="pads of the best grasp, closed"),
            Patch(fc="none", ec=FAINT, lw=0.6, label="pads of the next grasps, closed"),
            Patch(fc=GRIPPER, alpha=GLASS, label="fingers and palm of the best grasp, seen through"),
        ]
    marks.append(Line2D([], [], color=TABLE, lw=1, label=f"table; its grid has cells of {CELL * MM:.0f} mm"))
    figure.legend(handles=marks, loc="upper left", bbox_to_anchor=(0.6, 0.255), frameon=False, fontsize=9, labelspacing=0.75)
