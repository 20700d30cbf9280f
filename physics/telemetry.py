"""Telemetry: what a robot would know of a trial, the opening of its jaws and what presses them together, step by step."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from grasp.gripper import Gripper
from grasp.plan import Grasp, Plan
from grasp.trace import Trace
from objects.solid import Solid
from physics import drive
from physics.result import TrialResult
from physics.scene import Scene
from physics.settings import Settings
from physics.trial import trial

Sample = tuple[float, float, float]  # time (s), opening (m), effort (N)


def trace_of(
    plan: Plan | Grasp, solid: Solid, gripper: Gripper, settings: Settings, cache: Path | None
) -> tuple[TrialResult, Trace]:
    """Return what comes of a grasp, as `physics.trial.trial` does, and the trace of its jaws.

    The trace has a sample for each time step that led to the final state: what was tried from a saved state and taken
    back, the shake margin and the first direction of the slip test, is not in it.
    """
    samples: list[Sample] = []
    result = trial(plan, solid, gripper, settings, cache, recorder(samples))
    return result, trace(samples, settings.closing.force)


def recorder(samples: list[Sample]) -> Callable[[Scene], None]:
    """Return what, called after every step, writes a sample to the list, and strikes out those that were taken back."""

    def watch(scene: Scene) -> None:
        now = float(scene.data.time)
        while samples and samples[-1][0] >= now - scene.settings.solver.timestep / 2:
            samples.pop()
        samples.append((now, drive.opening(scene), float(scene.data.actuator_force[drive.CLOSING])))

    return watch


def trace(samples: list[Sample], force: float) -> Trace:
    """Return samples, at least one, as a trace under a commanded force in N."""
    time, opening, effort = np.array(samples).T
    return Trace(time, opening, effort, force)
