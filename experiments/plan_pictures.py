"""Pictures of a plan, as each planner draws it, and what it noticed on the way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from baselines import Antipodal, FootprintPlanner, ProfileRules
from get2d import Get2D, draw, perceive
from get3d.planner import Get3D
from grasp import PerceptionError, Plan, Planner, Refusal, View


def wants_mesh(planner: Planner) -> bool:
    """Whether a planner is better served by a mesh than by a picture of it."""
    return isinstance(planner, (Get3D, ProfileRules))


def pictures(result: Plan | Refusal, view: View, planner: Planner, folder: Path) -> None:
    """Write ``plan.png``, and of a plan in space the page that can be turned; the bounding box has no picture."""
    path = folder / "plan.png"
    if isinstance(planner, Get3D):
        from get3d.draw import draw as draw_in_space
        from get3d.html import html

        draw_in_space(result, view, planner, path)
        if isinstance(result, Plan):
            html(result, view, planner, folder / "plan.html")
    elif isinstance(planner, Get2D):
        draw(result, view, planner, path)
    else:
        _baseline(result, view, planner, path)


def _baseline(result: Plan | Refusal, view: View, planner: Any, path: Path) -> None:
    if isinstance(planner, Antipodal):
        from baselines.antipodal_draw import draw as draw_cloud

        draw_cloud(result, view, planner, path)
    elif isinstance(planner, ProfileRules):
        from baselines.profile_draw import draw as draw_profile

        draw_profile(result, view, planner, path)
    elif isinstance(planner, FootprintPlanner):
        from baselines.footprint_draw import draw as draw_footprint

        try:
            footprint, z = planner.look(view)
        except PerceptionError:
            return
        draw_footprint(planner.propose(footprint, z), footprint, planner, path)


def notes(planner: Planner, view: View) -> tuple[str, ...]:
    """Return what was dropped, corrected or not seen on the way, and how the mass was come by."""
    load = getattr(planner, "load", None)
    guessed = load is not None and load.mass is None and view.mesh is None
    told = ("The mass is a density times a volume estimated from footprint and height, mostly too much.",) * guessed
    try:
        if isinstance(planner, Get2D):
            return (*perceive(view, planner.perception).notes, *told)
        if isinstance(planner, ProfileRules):
            return (*planner.notes(view), *told)
        if isinstance(planner, FootprintPlanner):
            return (*planner.look(view)[0].notes, *told)
    except PerceptionError:
        pass
    return told
