"""Draw: one picture per plan or refusal that explains itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from get3d import draw_marks, shut
from get3d.draw_marks import MM, RUNNERS_UP
from get3d.draw_scene import Eye, image
from get3d.planner import Get3D
from grasp.figure import blank, funnel, header, save
from grasp.frames import heading
from grasp.mesh import Mesh
from grasp.plan import Plan, Refusal
from grasp.view import View
from objects.solid import Solid

CONE = 0.012  # metres, length of normals and cones
FINE = 2  # rays per pixel of the picture and side
SLOPE = np.radians(28)  # of the slanted view
VIEWS = {
    "slanted": (0.02, 0.325, 0.31, 0.5),
    "from above": (0.385, 0.325, 0.23, 0.5),
    "from the side": (0.68, 0.325, 0.31, 0.5),
}


def draw(result: Plan | Refusal, view: View, planner: Get3D, path: str | Path) -> None:
    """Write the picture of a planner's answer to a view as PNG; equal arguments give equal bytes.

    Parameters
    ----------
    result
        What `planner.plan` returned for the view.
    view, planner
        From which the result came.
    path
        Where to write.
    """
    save(picture(result, view, planner), path)


def picture(result: Plan | Refusal, view: View, planner: Get3D) -> Any:
    """Return a Matplotlib figure: the object with the best grasp from three directions, and the funnel."""
    figure = blank(14, 9)
    header(figure, result, planner.judge.confidence)
    if view.mesh is not None:
        _views(figure, result, view.mesh, planner)
    if result.funnels:
        funnel(figure, result, left=0.04, top=0.235, width=0.48, bar=0.03, most=0.22)
    return figure


def _views(figure: Any, result: Plan | Refusal, mesh: Mesh, planner: Get3D) -> None:
    """Draw the object, and of a plan the best grasp with the pads of those after it, in three views."""
    best = result.best if isinstance(result, Plan) else None
    around = mesh.vertices
    if isinstance(result, Plan):
        around = np.concatenate([around, draw_marks.in_sight(result, planner.gripper)])
    angle = 0.0 if best is None else float(heading(best.T_table_gripper))
    towards = (_from(angle - np.radians(60), SLOPE), np.array([0, 0, 1.0]), _from(angle - np.pi / 2, 0.0))
    slanted, above, side = (figure.add_axes(place, title=name) for name, place in VIEWS.items())
    eyes = [_look(axes, direction, around) for axes, direction in zip((slanted, above, side), towards, strict=True)]
    for axes, eye in zip((slanted, above, side), eyes, strict=True):
        _object(axes, eye, result, mesh, planner)
    slanted.axis("off")
    draw_marks.table(slanted, eyes[0], around)
    draw_marks.ground(side, eyes[2])
    _scales(above, "x of the table, mm", "y of the table, mm")
    _scales(side, "x of the table, mm" if best is None else "along the closing axis, mm", "height above the table, mm")
    if best is None:
        most = planner.gripper.max_opening * MM
        draw_marks.bar(above, most, f"the gripper opens {most:.1f} mm", 1)
    else:
        draw_marks.jaws(slanted, eyes[0], best, planner.gripper)
        draw_marks.jaws(side, eyes[2], best, planner.gripper)
    draw_marks.legend(figure, best is not None)


def centre_of_mass(result: Plan | Refusal, mesh: Mesh) -> NDArray[np.float64]:
    """Return the point (3,) in metres that torques are taken about, or would be."""
    if isinstance(result, Plan) and result.conventions is not None:
        return result.conventions.origin.point
    return Solid("object", mesh.vertices, mesh.faces).center_mass


def _scales(axes: Any, right: str, up: str) -> None:
    axes.set_xlabel(right, fontsize=9)
    axes.set_ylabel(up, fontsize=9, labelpad=1)
    axes.tick_params(labelsize=8)
    draw_marks.bar(axes)


def _from(angle: float, slope: float) -> NDArray[np.float64]:
    """Return the direction towards a viewer who stands at an angle from the table's x, and looks down at a slope."""
    return np.array([np.cos(slope) * np.cos(angle), np.cos(slope) * np.sin(angle), np.sin(slope)])


def _look(axes: Any, towards: NDArray[np.float64], points: NDArray[np.float64]) -> Eye:
    """Fit the axes about points seen from a direction."""
    box = axes.get_window_extent()
    eye = Eye.from_direction(towards, points, box.width / box.height, 0.12)
    (left, bottom), (right, top) = eye.low * MM, eye.high * MM
    axes.set(xlim=(left, right), ylim=(bottom, top), aspect="equal")
    return eye


def _object(axes: Any, eye: Eye, result: Plan | Refusal, mesh: Mesh, planner: Get3D) -> None:
    best = result.best if isinstance(result, Plan) else None
    box, gripper = axes.get_window_extent(), planner.gripper
    shape = (int(FINE * box.height), int(FINE * box.width))
    seen = image(eye, shape, (mesh.vertices, mesh.faces), shut.body(best, gripper) if best else None)
    extent = (*axes.get_xlim(), *axes.get_ylim())
    axes.imshow(seen, extent=extent, zorder=2, interpolation="antialiased", aspect="equal")
    draw_marks.centre_of_mass(axes, eye, centre_of_mass(result, mesh))
    if isinstance(result, Plan):
        for grasp in result.grasps[1 : 1 + RUNNERS_UP]:
            draw_marks.pads(axes, eye, grasp, gripper, draw_marks.FAINT, 0.6)
        draw_marks.pads(axes, eye, result.best, gripper, draw_marks.PAD, 1.6)
        draw_marks.contacts(axes, eye, result.best, planner.judge.friction, CONE)
