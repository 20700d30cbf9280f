"""Interactive page: the object and its best grasps in space, each to be switched on and off; Plotly does the drawing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from get3d import shut
from get3d.draw import centre_of_mass
from get3d.draw_marks import CONE, CONTACT, MM, PAD
from get3d.planner import Get3D
from grasp import words
from grasp.errors import InvalidValue
from grasp.frames import heading
from grasp.gripper import Gripper
from grasp.plan import Grasp, Plan
from grasp.view import View

LIGHTING = {"ambient": 0.6, "diffuse": 0.7, "specular": 0.05, "roughness": 0.9}
LIGHTING |= {"facenormalsepsilon": 0, "vertexnormalsepsilon": 0}  # small faces are no degenerate ones
LAMP = {"x": -20000, "y": -60000, "z": 90000}
REACH = 0.012  # metres, length of normals and cones
MATERIAL, GRIPPER, TABLE = "#c6d3e0", "#1f6fb4", "#eef1f4"
MARGIN = 0.05  # metres of table around what stands on it


def html(plan: Plan, view: View, planner: Get3D, path: str | Path) -> None:
    """Write a page that shows a plan in space: one file that needs no network; equal arguments give equal bytes.

    Parameters
    ----------
    plan
        What `planner.plan` returned for the view.
    view
        With the object's mesh.
    planner
        With the gripper and the friction.
    path
        Where to write, about 5 MB.
    """
    figure(plan, view, planner).write_html(path, include_plotlyjs=True, full_html=True, div_id="plan")


def figure(plan: Plan, view: View, planner: Get3D) -> Any:
    """Return the Plotly figure: the object, the table, and a group of shapes per grasp, of which only the first shows."""
    import plotly.graph_objects as plotly

    if view.mesh is None:
        raise InvalidValue("view.mesh", None, "the mesh that was planned on")
    mesh = view.mesh
    shapes = [_solid((mesh.vertices, mesh.faces), MATERIAL, name="object", opacity=0.6, hoverinfo="skip", showlegend=True)]
    shapes += [_table(mesh.vertices), _centre(centre_of_mass(plan, mesh))]
    for rank, grasp in enumerate(plan.grasps, start=1):
        shapes += _grasp(rank, grasp, planner.gripper, planner.judge.friction)
    picture = plotly.Figure(shapes)
    picture.update_layout(**_layout(plan, planner))
    return picture


def _grasp(rank: int, grasp: Grasp, gripper: Gripper, friction: float) -> list[Any]:
    """Return the shapes of one grasp; they share an entry of the legend."""
    made = grasp.contacts.made
    points, normals = grasp.contacts.points[made], grasp.contacts.normals[made]
    group = {"legendgroup": str(rank), "visible": True if rank == 1 else "legendonly", "hoverinfo": "text"}
    title = f"grasp {rank}: {words.placing(grasp)}"
    label = f"grasp {rank}, closed in {grasp.metrics.closure_rate:.0%} of draws"
    numbers = [str(place + 1) for place in np.flatnonzero(made)]
    shapes = [_solid(shut.body(grasp, gripper), GRIPPER, opacity=0.25, name=label, text=title, showlegend=True, **group)]
    shapes += [
        _solid(shut.cone(point, normal, friction, REACH), CONE, opacity=0.45, text="friction cone", **group)
        for point, normal in zip(points, normals, strict=True)
    ]
    rims = shut.pads(grasp, gripper)[:, [0, 1, 2, 3, 0]]
    arrows = np.stack([points, points + REACH * normals], 1)
    shapes += [_lines(rims, PAD, "pad", **group), _lines(arrows, CONTACT, "inward normal", **group)]
    return [*shapes, _dots(points, numbers, **group)]


def _solid(triangles: shut.Triangles, color: str, **style: Any) -> Any:
    import plotly.graph_objects as plotly

    (x, y, z), (i, j, k) = triangles[0].T * MM, triangles[1].T
    light = {"flatshading": True, "lighting": LIGHTING, "lightposition": LAMP}
    return plotly.Mesh3d(x=x, y=y, z=z, i=i, j=j, k=k, color=color, **light, **style)


def _points(points: NDArray[np.float64], **style: Any) -> Any:
    import plotly.graph_objects as plotly

    x, y, z = points.T * MM
    return plotly.Scatter3d(x=x, y=y, z=z, **style)


def _lines(strips: NDArray[np.float64], color: str, text: str, **group: Any) -> Any:
    """Return n lines through m points each (n, m, 3)."""
    apart = np.concatenate([strips, np.full_like(strips[:, :1], np.nan)], 1).reshape(-1, 3)
    return _points(apart, mode="lines", line={"color": color, "width": 6}, text=text, showlegend=False, **group)


def _dots(points: NDArray[np.float64], numbers: list[str], **group: Any) -> Any:
    """Return numbered contacts."""
    font = {"color": CONTACT, "size": 16, "weight": "bold"}
    style = {"marker": {"color": CONTACT, "size": 6}, "text": numbers, "textfont": font, "textposition": "top center"}
    hover = [f"contact {number}" for number in numbers]
    return _points(points, mode="markers+text", hovertext=hover, showlegend=False, **style, **group)


def _pad(corners: NDArray[np.float64]) -> shut.Triangles:
    return corners, np.array([(0, 1, 2), (0, 2, 3)])


def _table(vertices: NDArray[np.float64]) -> Any:
    (left, near), (right, far) = vertices[:, :2].min(0) - MARGIN, vertices[:, :2].max(0) + MARGIN
    corners = np.array([(left, near, 0), (right, near, 0), (right, far, 0), (left, far, 0)])
    return _solid(_pad(corners), TABLE, name="table", hoverinfo="skip", showlegend=True)


def _centre(point: NDArray[np.float64]) -> Any:
    marker = {"color": "black", "size": 6, "symbol": "cross"}
    return _points(point[None], mode="markers", marker=marker, name="centre of mass", hoverinfo="name")


def _layout(plan: Plan, planner: Get3D) -> dict[str, Any]:
    best = [words.placing(plan.best), words.worth(plan.best, planner.judge.confidence), words.conventions(plan)]
    head = f"<b>Best of {plan.funnel.kept} accepted grasps</b>"
    axes = {f"{name}axis": {"title": {"text": f"{name}, mm"}, "backgroundcolor": "white"} for name in "xyz"}
    across = heading(plan.best.T_table_gripper) - np.radians(60)  # so that no jaw hides the other
    camera = {"eye": {"x": 1.4 * np.cos(across), "y": 1.4 * np.sin(across), "z": 0.8}, "center": {"z": -0.15}}
    return {
        "title": {"text": "<br>".join([head, *(f"<span style='font-size:13px'>{line}</span>" for line in best)]), "y": 0.97},
        "scene": {**axes, "aspectmode": "data", "camera": camera},
        "legend": {"title": {"text": "click to show or hide"}, "groupclick": "togglegroup", "itemsizing": "constant"},
        "margin": {"l": 10, "r": 10, "t": 130, "b": 10},
        "template": "plotly_white",
    }
