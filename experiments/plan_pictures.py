"""Pictures of a plan, as each planner draws it, and what it noticed on the way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from baselines import Antipodal, BoundingBox, FootprintPlanner, ProfileRules
from baselines.antipodal import ASSUMED
from baselines.cloud_scene import RIM
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
        draw_footprint(planner.propose(footprint, z, view.surroundings), footprint, planner, path)


def notes(result: Plan | Refusal, planner: Planner, view: View) -> tuple[str, ...]:
    """Return what was dropped, corrected, assumed or not seen on the way, and how the mass was come by."""
    assumed = isinstance(planner, Antipodal) and RIM in result.funnels and result.funnels[RIM].kept > 0
    return (*_of_view(planner, view), *((ASSUMED,) * assumed), *_of_mass(planner, view))


def _of_view(planner: Planner, view: View) -> tuple[str, ...]:
    """Return what a planner noticed as it looked at a view; nothing where it saw no object."""
    try:
        if isinstance(planner, (Get2D, Antipodal, BoundingBox)):
            return perceive(view, planner.perception).notes
        if isinstance(planner, ProfileRules):
            return planner.notes(view)
        if isinstance(planner, FootprintPlanner):
            return planner.look(view)[0].notes
    except PerceptionError:
        pass
    return ()


def _of_mass(planner: Planner, view: View) -> tuple[str, ...]:
    """Return which volume a mass was made from, where it was made from a density without a mesh."""
    load = getattr(planner, "load", None)
    if load is None or load.mass is not None or view.mesh is not None:
        return ()
    if isinstance(planner, ProfileRules):
        much = ", too much for a vessel" if planner.matter == "vessel" else ""
        return (f"The mass is a density times the volume of the solid body of revolution{much}.",)
    return ("The mass is a density times a volume estimated from footprint and height, mostly too much.",)
