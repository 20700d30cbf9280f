"""Draw: a trial as a strip of pictures, one for each phase, seen from the side and cut open from above. Needs no display."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from grasp.frames import transform_points
from grasp.gripper import Gripper
from grasp.solids import boxes
from objects.solid import Solid
from physics.result import Frame, TrialResult

MM = 1e3
REACH = 0.14  # metres from the gripper to the border of a picture
MATTER, HAND, GROUND, INK = "#e9a06a", "#4a5a6a", "#cfd6da", "#7a3b10"
INCH = 2.6  # width of a picture


def filmstrip(result: TrialResult, solid: Solid, gripper: Gripper, path: str | Path) -> None:
    """Write the frames of a trial as PNG; equal arguments give equal bytes.

    The upper row looks across the closing axis, wide jaw on the left. The lower row looks down on a level cut through
    object and fingers, halfway up the pads' overlap: what is inside what shows there.

    Parameters
    ----------
    result
        Of the trial.
    solid, gripper
        That the trial was of.
    path
        Where to write.
    """
    picture(result, solid, gripper).savefig(path, format="png", dpi=80, metadata={"Software": None})


def picture(result: TrialResult, solid: Solid, gripper: Gripper) -> Any:
    """Return the strip as a Matplotlib figure."""
    from matplotlib.figure import Figure

    columns = len(result.frames)
    figure = Figure(figsize=(INCH * columns, 2 * INCH + 0.6), facecolor="white", layout="constrained")
    figure.suptitle(f"{result.object}, {result.gripper}: {verdict(result)}", fontsize=10)
    rows = figure.subplots(2, columns, squeeze=False)
    for frame, side, above in zip(result.frames, *rows, strict=True):
        side.set_title(frame.phase.value, fontsize=9)
        show_moment(side, frame, result, solid, gripper, cut=False)
        show_moment(above, frame, result, solid, gripper, cut=True)
    return figure


def show_moment(axes: Any, frame: Frame, result: TrialResult, solid: Solid, gripper: Gripper, cut: bool) -> None:
    """Draw one moment of a trial on Matplotlib axes: across the closing axis or, with `cut`, down on the level cut."""
    _show(axes, frame, result, solid, gripper, _cut_height(result, solid, gripper) if cut else None)


def verdict(result: TrialResult) -> str:
    """Return what came of a trial, in a few words."""
    if result.failed_in is not None:
        return f"{result.grip.value}, failed in {result.failed_in.value}"
    more = "at least " if result.slip_censored else ""
    return f"slips at {more}{result.slip_force_N:.1f} N, shake margin {result.shake_margin:g}"


def _cut_height(result: TrialResult, solid: Solid, gripper: Gripper) -> float:
    """Return the z of the middle of the overlap of pads and object as it stood, metres above the fingertips."""
    tip, top = result.T_table_gripper[2, 3], solid.vertices[:, 2].max()
    return max(min(top - tip, gripper.pads[0].height) / 2, 0.0)


def _show(
    axes: Any, frame: Frame, result: TrialResult, solid: Solid, gripper: Gripper, cut: float | None
) -> None:
    """Draw one picture: from the side, or of the level plane `cut` metres above the fingertips."""
    from matplotlib.collections import LineCollection, PolyCollection
    from trimesh.intersections import mesh_plane

    T, up = result.T_table_gripper, np.array([0, 0, 1.0])
    right = T[:3, 0] * [1, 1, 0] / np.linalg.norm(T[:2, 0])
    plane = np.stack([right, up if cut is None else np.cross(up, right)])  # (2, 3): the picture's axes
    mesh = Solid(solid.name, (solid.vertices - solid.center_mass) @ frame.turn.T + frame.place, solid.faces).to_trimesh()
    flat = (mesh.vertices - T[:3, 3]) @ plane.T * MM
    axes.add_collection(PolyCollection(list(flat[mesh.faces]), facecolors=MATTER, alpha=0.25 if cut is not None else 1))
    if cut is not None:
        lines = mesh_plane(mesh, up, T[:3, 3] + cut * up)
        axes.add_collection(LineCollection(list((lines - T[:3, 3]) @ plane.T * MM), colors=INK, linewidths=1))
    else:
        axes.axhspan(-2 * REACH * MM, (frame.table[2] - T[2, 3]) * MM, color=GROUND, zorder=0)
    for corners in _hand(gripper, frame.opening, None if cut is None else -cut):
        flat = (transform_points(T, corners) - T[:3, 3]) @ plane.T * MM
        axes.fill(*flat[ConvexHull(flat).vertices].T, facecolor=HAND, edgecolor=HAND, alpha=0.6, linewidth=0.5)
    axes.set(xlim=(-REACH * MM, REACH * MM), ylim=(-REACH * MM, REACH * MM), aspect="equal")
    axes.tick_params(labelsize=6)


def _hand(gripper: Gripper, opening: float, cut: float | None) -> list[NDArray[np.float64]]:
    """Return the corners (8, 3) of the gripper's boxes, gripper frame: all of them, or those at the height z = `cut`."""
    found = boxes(gripper, opening)
    low, high = found.centre - found.size / 2, found.centre + found.size / 2
    there = np.ones(len(low), bool) if cut is None else (low[:, 2] <= cut) & (cut <= high[:, 2])
    unit = np.stack(np.meshgrid([0, 1], [0, 1], [0, 1]), -1).reshape(-1, 3)
    return [a + unit * (b - a) for a, b in zip(low[there], high[there], strict=True)]
