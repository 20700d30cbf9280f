"""Draw: the clouds from above and from the side, with the best pair, its friction cones, and the gripper."""

from __future__ import annotations

from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from baselines.antipodal import Antipodal, Evaluated
from baselines.cloud_scene import RIM
from grasp import words
from grasp.errors import PerceptionError
from grasp.figure import blank, funnel, save
from grasp.frames import heading, transform_points
from grasp.gripper import Gripper
from grasp.plan import Grasp, Plan, Refusal
from grasp.solids import boxes
from grasp.view import View
from wrench.contacts import Contacts

MM = 1e3
SEEN, ASSUMED, OUTLINE, FINGER = "#8a97a5", "#7fb3d9", "#33475b", "#1f6fb4"
CONTACT, CONE, PAIR = "#c62828", "#f5a623", "#3a8f5c"
MOST = 8000  # points drawn of each cloud
OTHERS = 30  # accepted pairs drawn as lines besides the best
LENGTH = 0.012  # metres, of cones
AROUND = np.linspace(0, 2 * np.pi, 24, endpoint=False)


def draw(result: Plan | Refusal, view: View, planner: Antipodal, path: str | Path) -> None:
    """Write the picture of a planner's answer to a view as PNG; equal arguments give equal bytes.

    Parameters
    ----------
    result
        What `planner.plan` returned for the view.
    view, planner
        From which the candidates are made again, by the seed in the result.
    path
        Where to write.
    """
    try:
        evaluated = planner.candidates(view, result.provenance.seed.rng())
    except PerceptionError:
        evaluated = None
    save(picture(result, evaluated, planner), path)


def picture(result: Plan | Refusal, evaluated: Evaluated | None, planner: Antipodal) -> Any:
    """Return a Matplotlib figure; `evaluated` are the candidates of the result, None where the view showed nothing."""
    figure = blank(13, 8)
    _header(figure, result, evaluated)
    if evaluated is not None:
        best = result.best if isinstance(result, Plan) else None
        angle = 0.0 if best is None else float(heading(best.T_table_gripper))
        along = np.array([np.cos(angle), np.sin(angle), 0])
        above, side = figure.add_axes((0.06, 0.4, 0.42, 0.44)), figure.add_axes((0.55, 0.4, 0.42, 0.44))
        _view(above, np.eye(3)[:2], evaluated, best, planner)
        _view(side, np.array([along, [0, 0, 1.0]]), evaluated, best, planner)
        for ring in (evaluated.scene.footprint.polygon.exterior, *evaluated.scene.footprint.polygon.interiors):
            above.plot(*shapely.get_coordinates(ring).T * MM, color=OUTLINE, lw=1, zorder=3)
        side.axhline(0, color=OUTLINE, lw=1, zorder=0)
        above.set(title="from above", xlabel="x of the table, mm", ylabel="y of the table, mm")
        label = "x of the table, mm" if best is None else "along the closing axis, mm"
        side.set(title="from the side", xlabel=label, ylabel="height above the table, mm")
        above.legend(loc="upper left", bbox_to_anchor=(1.0, -0.16), frameon=False, fontsize=9)
        funnel(figure, result, left=0.06, top=0.3, width=0.42, bar=0.034, most=0.29)
    return figure


def _header(figure: Any, result: Plan | Refusal, evaluated: Evaluated | None) -> None:
    who = f"{result.provenance.planner}, gripper {result.provenance.gripper}, seed {result.provenance.seed.entropy}"
    if isinstance(result, Plan) and evaluated is not None:
        i = int(evaluated.ranking()[0])
        margin = " and ".join(f"{angle:.1f}" for angle in np.degrees(evaluated.candidates.margin[i]))
        made = int(evaluated.candidates.contacts.made[i].sum())
        title = f"Best of {result.funnel.kept} accepted grasps"
        lines = f"{words.placing(result.best)}\nClosing line {margin} degrees inside the friction cones; {made} contacts"
    else:
        sentence = result.sentence if isinstance(result, Refusal) else ""
        title, lines = "No grasp", fill(sentence, 150)
    figure.text(0.02, 0.973, title, fontsize=15, weight="bold", va="top")
    figure.text(0.98, 0.970, who, fontsize=10, va="top", ha="right", color="#555555")
    figure.text(0.02, 0.932, lines, fontsize=9.5, va="top", linespacing=1.5)


def _view(axes: Any, onto: NDArray[np.float64], evaluated: Evaluated, best: Grasp | None, planner: Antipodal) -> None:
    """Draw clouds, pairs and the best grasp, projected onto two directions (2, 3)."""
    for name, cloud in evaluated.scene.clouds.items():
        color, label = (ASSUMED, "assumed below the rim") if name == RIM else (SEEN, "measured")
        some = cloud.points[:: max(len(cloud) // MOST, 1)]
        axes.plot(*(some @ onto.T * MM).T, ".", ms=1.5, color=color, label=label, zorder=1, rasterized=True)
    found, order, wide = evaluated.candidates, evaluated.ranking(), np.array(planner.gripper.is_wide)
    for row, i in enumerate(order[1 : 1 + OTHERS]):
        own = (found.contacts.points[i][found.contacts.made[i] & jaw].mean(0) for jaw in (wide, ~wide))
        line = np.stack(list(own))
        axes.plot(*(line @ onto.T * MM).T, color=PAIR, lw=0.5, alpha=0.5, zorder=4, label="" if row else "other grasps")
    if best is not None:
        _fingers(axes, onto, best, planner.gripper)
        _contacts(axes, onto, best.contacts, planner.friction)
    axes.set_aspect("equal", adjustable="datalim")
    axes.tick_params(labelsize=8)


def _fingers(axes: Any, onto: NDArray, best: Grasp, gripper: Gripper) -> None:
    """Draw the fingers as the gripper arrives."""
    found = boxes(gripper, np.array(best.opening))
    signs = np.array(list(np.ndindex(2, 2, 2))) - 0.5
    for i in range(len(gripper.pads)):
        corners = transform_points(best.T_table_gripper, found.centre[i] + signs * found.size[i]) @ onto.T * MM
        label = "fingers on arrival" if i == 0 else ""
        axes.fill(*_hull(corners).T, fc=FINGER, ec=FINGER, alpha=0.35, lw=1, zorder=5, label=label)


def _contacts(axes: Any, onto: NDArray, contacts: Contacts, friction: float) -> None:
    """Draw the contacts that are made, with their cones."""
    made = contacts.made
    for row, (point, normal) in enumerate(zip(contacts.points[made], contacts.normals[made], strict=True)):
        first = np.cross(normal, np.eye(3)[np.abs(normal).argmin()])
        first /= np.linalg.norm(first)
        tangents = np.outer(np.cos(AROUND), first) + np.outer(np.sin(AROUND), np.cross(normal, first))
        rim = np.vstack([point, point + LENGTH * (normal + friction * tangents)]) @ onto.T * MM
        axes.fill(*_hull(rim).T, fc=CONE, ec=CONE, alpha=0.45, zorder=6, label="" if row else "friction cone")
    spots = contacts.points[made] @ onto.T * MM
    axes.plot(*spots.T, "o", color=CONTACT, mec="white", ms=6, ls="", zorder=7, label="contact")


def _hull(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the corners of the convex hull of points (n, 2)."""
    return shapely.get_coordinates(shapely.MultiPoint(points).convex_hull)
