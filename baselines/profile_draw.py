"""Draw: one picture of what the rules see and say, the object from the side with the gripper's fingers beside it."""

from __future__ import annotations

from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.profile import ProfileRules
from baselines.profile_answer import Answer, ranked
from baselines.profile_mass import centre
from baselines.profile_parts import LEVEL, Parts, bodies, fingers
from baselines.profile_places import Places
from baselines.profile_read import Seen
from baselines.profile_shape import Profile
from grasp import words
from grasp.errors import PerceptionError
from grasp.figure import blank, save
from grasp.gripper import Gripper
from grasp.plan import Plan, Refusal
from grasp.solids import closing_sign
from grasp.view import View

MM = 1e3
MATERIAL, OUTLINE, PAD, CONTACT, CONE = "#d9e4ee", "#33475b", "#1f6fb4", "#c62828", "#f5a623"
BAN, FAINT, HOLDS, REFUSES = "#b00020", "#8796a5", "#3a8f5c", "#b9c3cc"
COLUMN = 78  # letters across the sentences


def draw(result: Plan | Refusal, view: View, planner: ProfileRules, path: str | Path) -> None:
    """Write the picture of a planner's answer to a view as PNG."""
    save(picture(result, view, planner), path)


def picture(result: Plan | Refusal, view: View, planner: ProfileRules) -> Any:
    """Return a Matplotlib figure: profile with bands, forbidden heights, centre of mass and best grasp; rules' sentences."""
    figure = blank(13, 8.2)
    plan = isinstance(result, Plan)
    title = "Best of the rules that hold" if plan else f"No grasp: {result.reason.sentence}"
    figure.text(0.02, 0.973, title, fontsize=15, weight="bold", va="top")
    try:
        seen = planner.see(view)
    except PerceptionError as error:
        figure.text(0.02, 0.92, fill(error.detail, 150), fontsize=9.5, va="top")
        return figure
    answers = planner.answers(seen, view.surroundings)
    if plan:
        figure.text(0.02, 0.932, words.placing(result.best), fontsize=9.5, va="top")
    axes = figure.add_axes((0.055, 0.15, 0.47, 0.73))
    _scene(axes, seen, planner, ranked(answers)[:1])
    _bands(axes, answers)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.075), ncols=4, frameon=False, fontsize=8.5)
    _sentences(figure, answers)
    return figure


def _scene(axes: Any, seen: Seen, planner: ProfileRules, best: tuple[Answer, ...]) -> None:
    profile = seen.profile
    half, height = profile.widths / 2 * MM, profile.heights * MM
    axes.fill_betweenx(height, -half, half, color=MATERIAL, edgecolor=OUTLINE, linewidth=1.3, zorder=3)
    axes.axhline(0, color=OUTLINE, lw=1.5)
    for region in planner.forbidden:
        band = region.band(profile)
        label = f"forbidden: {region.name}"
        axes.axhspan(band.low * MM, band.high * MM, fc="none", ec=BAN, hatch="////", lw=0, alpha=0.55, zorder=4, label=label)
    middle = centre(profile, planner.matter) * MM
    axes.plot(0, middle, "o", ms=11, mfc="white", mec="black", zorder=9)
    axes.plot(0, middle, "P", ms=7, color="black", ls="", zorder=10, label=f"centre of mass ({planner.matter})")
    for found in best:
        _gripper(axes, found.held, found.chosen, planner)
        _contacts(axes, found.held, found.chosen, planner)
    axes.set(xlabel="along the closing axis, mm (narrow jaw on the right)", ylabel="above the table, mm")
    _limits(axes, planner.gripper, profile)


def _limits(axes: Any, gripper: Gripper, profile: Profile) -> None:
    """Show the object and an open gripper over it, one scale for both axes, with room on the left for the bands."""
    box = axes.get_window_extent()
    top = (profile.span.high + gripper.finger_length / 2) * MM
    wide = max(gripper.max_opening + 4 * gripper.finger_thickness, float(profile.widths.max())) * MM
    scale = max(1.1 * top / box.height, 1.25 * wide / box.width)  # mm per pixel
    right = 0.44 * scale * box.width
    axes.set(xlim=(right - scale * box.width, right), ylim=(-0.05 * scale * box.height, 0.95 * scale * box.height))


def _gripper(axes: Any, places: Places, i: int, planner: ProfileRules) -> None:
    """Draw fingers as they arrive and as they touch, and the body where it is seen from this side."""
    one = slice(i, i + 1)
    shift, at = places.shift[i], places.at[one]
    for opening, style, label in (
        (places.opening[one], {"fc": "none", "ls": "--", "lw": 1.2}, "fingers on arrival"),
        (places.closed[one], {"fc": PAD, "alpha": 0.55, "lw": 0.8}, "fingers closed"),
    ):
        _boxes(axes, fingers(planner.gripper, opening), places.approach, at, shift, label, ec=PAD, zorder=6, **style)
    label = "palm, behind" if places.approach == LEVEL else "palm"
    body = bodies(planner.gripper, places.opening[one])
    order = 1 if places.approach == LEVEL else 6
    _boxes(axes, body, places.approach, at, shift, label, fc="#eef1f4", ec=FAINT, lw=0.9, zorder=order)


def _boxes(axes: Any, parts: Parts, approach: str, at: NDArray, shift: float, label: str, **style: Any) -> None:
    from matplotlib.patches import Rectangle

    bottom, top = (heights[0] * MM for heights in parts.heights(approach, at))
    left, right = (parts.low[0, :, 0] + shift) * MM, (parts.high[0, :, 0] + shift) * MM
    for k, corner in enumerate(zip(left, bottom, strict=True)):
        size = right[k] - left[k], top[k] - bottom[k]
        axes.add_patch(Rectangle(corner, *size, label="" if k else label, **style))


def _contacts(axes: Any, places: Places, i: int, planner: ProfileRules) -> None:
    """Draw the pads' contacts with the wall's normal and its friction cone, all moved into the plane of the axis."""
    from matplotlib.patches import Wedge

    half, length = np.degrees(np.arctan(planner.judge.friction)), 0.12 * planner.gripper.max_opening * MM
    way = closing_sign(planner.gripper)  # a pad moves this way, so it touches on the other side
    for k in np.flatnonzero(places.made[i]):
        place = np.array([-way[k] * places.patch.at_height[i, k], places.patch.height[i, k]]) * MM
        tilt = np.degrees(np.arctan(places.patch.slope[i, k]))
        angle = tilt if way[k] > 0 else 180 - tilt
        axes.add_patch(Wedge(tuple(place), length, angle - half, angle + half, color=CONE, alpha=0.5, zorder=7))
        axes.plot(*place, "X", color=CONTACT, mec="white", ms=8, ls="", zorder=8)
    axes.plot([], [], "X", color=CONTACT, mec="white", ms=8, ls="", label="contact, friction cone")


def _bands(axes: Any, answers: tuple[Answer, ...]) -> None:
    """Draw the band each rule means, left of everything, green where the rule holds."""
    left, right = axes.get_xlim()
    for k, found in enumerate(answers):
        x = left + (0.03 + 0.035 * k) * (right - left)
        color = REFUSES if found.places is None else HOLDS
        if found.band is not None:
            low, high = found.band.low * MM, found.band.high * MM
            axes.plot([x, x], [low, high], color=color, lw=4, solid_capstyle="butt", zorder=5)
            name = {"rotation": 90, "va": "bottom", "ha": "center", "fontsize": 8, "color": OUTLINE}
            axes.text(x, high + 2, found.rule.name, **name)


def _sentences(figure: Any, answers: tuple[Answer, ...]) -> None:
    y = 0.88
    for found in answers:
        verdict, color = ("refuses", "#555555") if found.places is None else ("holds", HOLDS)
        text = fill(found.sentence, COLUMN)
        figure.text(0.56, y, f"{found.rule.name} {verdict}", fontsize=10, weight="bold", color=color, va="top")
        figure.text(0.56, y - 0.022, text, fontsize=8.5, va="top", linespacing=1.35, color="#222222")
        y -= 0.05 + 0.0195 * (text.count("\n") + 1)
