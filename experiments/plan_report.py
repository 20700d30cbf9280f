"""What a plan says on the terminal: ranked grasps, conventions, funnel, notes. Millimetres and degrees."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from experiments.timing_report import columns
from grasp.frames import heading, position
from grasp.funnel import Funnel
from grasp.plan import Grasp, Plan, Refusal
from grasp.words import conventions

MM = 1e3
FORCES = ["grip N", "friction N", "damage N", "gripper N"]  # command and its bounds, where a load was given
HEAD = ["rank", "x mm", "y mm", "z mm", "angle deg", "opening mm", "sampler", "closure rate", "contacts", "mean eps", "eps"]


def report(result: Plan | Refusal, notes: tuple[str, ...]) -> str:
    """Return all there is to say about a result; notes are those of the footprint."""
    own = plan_lines(result) if isinstance(result, Plan) else [f"No grasp. {result.sentence}"]
    return "\n".join([*own, *funnel_lines(result.funnels), *(f"note: {note}" for note in notes)])


def plan_lines(plan: Plan) -> list[str]:
    """Return the table of the ranked grasps and the line that says what their metrics mean."""
    cells = [HEAD, *([str(rank), *grasp_cells(grasp)] for rank, grasp in enumerate(plan.grasps, start=1))]
    if any(grasp.force for grasp in plan.grasps):
        cells = [[*row, *own] for row, own in zip(cells, [FORCES, *map(force_cells, plan.grasps)], strict=True)]
    meaning = "This planner judges no grasp: it has no metrics."
    if plan.conventions is not None:
        meaning = f"Means over the draws, eps undisplaced: {conventions(plan)}."
    return [columns(cells), meaning]


def grasp_cells(grasp: Grasp) -> list[str]:
    """Return the cells of a grasp, rank left out."""
    x, y, z = position(grasp.T_table_gripper) * MM
    m, angle = grasp.metrics, np.degrees(heading(grasp.T_table_gripper))
    rate = contacts = "-"
    if m.closure_rate is not None:
        rate = f"{m.closure_rate:.2f} ({m.closure_rate_lower:.2f}-{m.closure_rate_upper:.2f})"
        contacts = f"{m.mean_contacts:.2f}"
    placed = [f"{x:.1f}", f"{y:.1f}", f"{z:.1f}", f"{angle:.1f}", f"{grasp.opening * MM:.1f}", grasp.sampler]
    return [*placed, rate, contacts, _four(m.mean_epsilon), _four(m.epsilon)]


def force_cells(grasp: Grasp) -> list[str]:
    """Return the grip force to command at each jaw and its bounds, newtons."""
    force = grasp.force
    if force is None:
        return ["-"] * len(FORCES)
    cap = "-" if force.damage_bound is None else f"{force.damage_bound:.1f}"
    return [f"{force.command:.1f}", f"{force.friction_bound:.1f}", cap, f"{force.gripper_min:g}-{force.gripper_max:g}"]


def _four(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def funnel_lines(funnels: Mapping[str, Funnel]) -> list[str]:
    """Return what became of the candidates, a line per sampler."""
    lines = []
    for sampler, funnel in funnels.items():
        lost = "".join(f", {n} {reason.replace('_', ' ')}" for reason, n in funnel.rejected.items())
        lines.append(f"{sampler}: {funnel.sampled} candidates, {funnel.kept} accepted{lost}")
    return lines
