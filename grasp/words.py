"""Words: a planner's answer as the lines that pictures and tables share. Millimetres and degrees."""

from __future__ import annotations

import numpy as np

from grasp.frames import heading, position
from grasp.plan import Grasp, Plan
from wrench.reference import OriginRule

MM = 1e3
LEVEL = 0.05  # degrees of tilt that are not worth a word
ORIGIN = {OriginRule.CENTROID: "the centroid", OriginRule.FILLED: "the centroid of the outline, holes filled"}


def placing(grasp: Grasp) -> str:
    """Return where a gripper arrives, and how."""
    x, y, z = position(grasp.T_table_gripper) * MM
    angle = np.degrees(heading(grasp.T_table_gripper))
    tilt = np.degrees(np.arccos(np.clip(-grasp.T_table_gripper[2, 2], -1, 1)))
    tilted = f"approach tilted by {tilt:.1f} deg, " if tilt > LEVEL else ""
    return (
        f"{grasp.sampler} grasp at ({x:.1f}, {y:.1f}) mm, closing axis at {angle:.1f} deg, {tilted}"
        f"opening {grasp.opening * MM:.1f} mm, fingertips {z:.1f} mm above the table"
    )


def worth(grasp: Grasp, confidence: float) -> str:
    """Return what a grasp is worth: means over the draws, the closure rate with its interval, the undisplaced epsilon."""
    m = grasp.metrics
    interval = f"{confidence:.0%} interval {m.closure_rate_lower:.2f} to {m.closure_rate_upper:.2f}"
    rate = f"closure rate {m.closure_rate:.2f} ({interval}), {m.mean_contacts:.2f} contacts"
    if m.mean_epsilon is None:
        return f"{rate} on average"
    return f"{rate} and epsilon {m.mean_epsilon:.4f} on average; undisplaced epsilon {m.epsilon:.4f}"


def conventions(plan: Plan) -> str:
    """Return what the metrics of a plan depend on; empty for a plan without metrics."""
    if plan.conventions is None:
        return ""
    given, draws = plan.conventions, plan.conventions.perturbation
    return (
        f"convention {given.convention.name}, friction {given.friction:g}, torques divided by "
        f"{float(given.torque_scale.metres) * MM:.1f} mm ({given.torque_scale.rule.replace('_', ' ')}) about "
        f"{ORIGIN.get(given.origin.rule, 'a given point')}; {draws['samples']} draws of {draws['sigma_m'] * MM:g} mm"
    )
