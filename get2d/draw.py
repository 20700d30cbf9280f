"""Draw: one picture per plan or refusal that explains itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from get2d import draw_scene
from get2d.backdrop import Extent, orthophoto, photo
from get2d.draw_scene import MM
from get2d.draw_wrench import wrench_space
from get2d.evaluate import Evaluated
from get2d.planner import Get2D
from grasp.circles import circles
from grasp.errors import PerceptionError
from grasp.figure import blank, funnel, header, save
from grasp.plan import Grasp, Plan, Refusal
from grasp.provenance import Conventions
from grasp.view import View

BELOW = 0.16  # share of the height of what is drawn, left free under it for the scale bars


def draw(result: Plan | Refusal, view: View, planner: Get2D, path: str | Path) -> None:
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
    save(picture(result, evaluated, view, planner), path)


def picture(result: Plan | Refusal, evaluated: Evaluated | None, view: View, planner: Get2D) -> Any:
    """Return a Matplotlib figure: scene, wrench space of the best grasp, and funnel.

    Parameters
    ----------
    evaluated
        The candidates of the result; None where the view showed nothing to plan on.
    """
    figure = blank(13, 8.2)
    header(figure, result, planner.judge.confidence)
    scene = figure.add_axes((0.055, 0.165, 0.53, 0.68))
    _scene(scene, result, evaluated, view, planner)
    if isinstance(result, Plan) and result.conventions is not None:
        _wrench_panel(figure, result.best, result.conventions, circles(planner.gripper).wide)
    if result.funnels:
        top = 0.275 if isinstance(result, Plan) else 0.8
        funnel(figure, result, left=0.64, top=top, width=0.33, bar=0.056, most=top - 0.02)
    return figure


def _scene(axes: Any, result: Plan | Refusal, evaluated: Evaluated | None, view: View, planner: Get2D) -> None:
    if evaluated is None:
        _what_was_seen(axes, view)
        return
    polygon = evaluated.footprint.polygon
    in_sight = np.reshape(polygon.bounds, (2, 2)) * MM
    draw_scene.outline(axes, polygon)
    draw_scene.centre_of_mass(axes, evaluated.origin.point)
    if isinstance(result, Plan):
        grasps = draw_scene.grasps(axes, result, planner.gripper, planner.judge.friction)
        in_sight = np.concatenate([in_sight, grasps])
    extent = _limits(axes, in_sight)
    _backdrop(axes, evaluated, view, planner, extent)
    draw_scene.scale_bar(axes)
    if isinstance(result, Refusal):
        most = planner.gripper.max_opening * MM
        draw_scene.dimension(axes, most, f"the gripper opens {most:.1f} mm", 1)
    axes.set(xlabel="x of the table, mm", ylabel="y of the table, mm")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=4, frameon=False, fontsize=9)


def _limits(axes: Any, points: NDArray[np.float64]) -> Extent:
    """Fit the axes about points (n, 2) with one scale for x and y; return left, right, bottom, top in mm."""
    box = axes.get_window_extent()
    low, high = points.min(0), points.max(0)
    low = low - [0, BELOW * (high - low)[1]]
    scale = 1.08 * ((high - low) / (box.width, box.height)).max()  # mm per pixel
    middle, half = (low + high) / 2, scale * np.array([box.width, box.height]) / 2
    (left, bottom), (right, top) = middle - half, middle + half
    axes.set(xlim=(left, right), ylim=(bottom, top), aspect="equal")
    return left, right, bottom, top


def _backdrop(axes: Any, evaluated: Evaluated, view: View, planner: Get2D, extent: Extent) -> None:
    heights, settings = evaluated.footprint.heights, planner.perception
    height = 0.0 if heights is None else heights.percentile(100 - settings.object_percentile)
    left, right, bottom, top = (mm / MM for mm in extent)
    seen = orthophoto(view, settings, height, (left, right, bottom, top))
    if seen is not None:
        axes.imshow(seen, extent=extent, alpha=0.35, zorder=1, interpolation="nearest")


def _what_was_seen(axes: Any, view: View) -> None:
    seen = photo(view)
    if seen is None:
        axes.axis("off")
    else:
        axes.imshow(seen)
        if view.mask is not None and view.mask.any() and not view.mask.all():
            axes.contour(view.mask, [0.5], colors=draw_scene.CONTACT, linewidths=1.2)
        axes.set(xlabel="u, pixels", ylabel="v, pixels")


def _wrench_panel(figure: Any, grasp: Grasp, conventions: Conventions, wide: NDArray[np.bool_]) -> None:
    axes = figure.add_axes((0.615, 0.37, 0.37, 0.45), projection="3d", computed_zorder=False)
    figure.text(0.80, 0.835, "Wrenches the best grasp resists, undisplaced", fontsize=11, ha="center")
    wrench_space(axes, grasp, conventions, wide)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.02), ncols=4, frameon=False, fontsize=8, handletextpad=0.2)
