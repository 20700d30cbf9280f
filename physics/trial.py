"""Trial: one grasp carried out on one object, from the table through lift and shake to the force gauge."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from grasp.gripper import Gripper
from grasp.plan import Grasp, Plan
from grasp.provenance import versions
from grasp.strict import plain
from objects.solid import Solid
from physics import drive, measure, phases
from physics.parts import parts_of
from physics.phases import Found
from physics.result import Frame, Phase, TrialResult
from physics.scene import Scene, build
from physics.settings import Settings
from physics.shake import margin, shake
from physics.slip import slip
from wrench.errors import InvalidValue

LEVEL = 1e-3  # cosine that a level approach may be off by

Protocol = Mapping[Phase, Callable[[Scene], Found]]

PROTOCOL: Protocol = {
    Phase.SETTLE: phases.settle,
    Phase.DESCEND: phases.descend,
    Phase.CLOSE: phases.close,
    Phase.LIFT: phases.lift,
    Phase.HOLD: phases.hold,
    Phase.MARGIN: margin,
    Phase.SHAKE: shake,
    Phase.SLIP: slip,
}


def trial(
    plan: Plan | Grasp,
    solid: Solid,
    gripper: Gripper,
    settings: Settings,
    cache: Path | None,
    watch: Callable[[Scene], None] | None = None,
) -> TrialResult:
    """Return what comes of a grasp. Nothing here is random: equal arguments give equal results, bit for bit.

    Parameters
    ----------
    plan
        Of which the best grasp is tried.
    solid
        The true object at rest on the table z = 0, in the frame of the grasp.
    gripper
        That the grasp is for.
    settings
        See there.
    cache
        Folder of convex parts, as for `physics.parts.parts_of`.
    watch
        Called with the scene after every time step, for pictures; it must change nothing.

    Raises
    ------
    InvalidValue
        An opening that the gripper does not have, or an approach from below.
    GraspError
        The object's parts are too unlike it, or the simulation became unstable.
    """
    grasp = plan.best if isinstance(plan, Plan) else plan
    _require_feasible(grasp, gripper)
    parts = parts_of(solid, settings.parts, cache)
    scene = build(solid, parts, gripper, grasp.T_table_gripper, settings, watch)
    phases.start(scene, grasp.opening)
    told, frames, failed = run(scene, PROTOCOL)
    return TrialResult(
        **told,
        object=solid.name,
        gripper=gripper.name,
        settings=settings.name,
        T_table_gripper=grasp.T_table_gripper,
        opening_m=grasp.opening,
        mass_kg=scene.mass,
        friction=settings.friction,
        force_N=settings.closing.force,
        hold=settings.closing.hold,
        parts=parts.digest,
        parts_method=parts.method,
        parts_count=len(parts.vertices),
        settings_used=plain("settings", asdict(settings)),
        versions=_versions(),
        frames=frames,
        failed_in=failed,
    )


def run(scene: Scene, protocol: Protocol) -> tuple[dict[str, Any], tuple[Frame, ...], Phase | None]:
    """Do the phases of a protocol until one fails; return what they found, how each ended, and which one failed."""
    told: dict[str, Any] = {}
    frames: list[Frame] = []
    for phase, act in protocol.items():
        found, goes_on = act(scene)
        told |= found
        frames.append(_frame(scene, phase))
        if not goes_on:
            return told, tuple(frames), phase
    return told, tuple(frames), None


def _frame(scene: Scene, phase: Phase) -> Frame:
    now = measure.pose(scene)
    return Frame(phase, now.place, now.turn, drive.table_place(scene), drive.opening(scene))


def _require_feasible(grasp: Grasp, gripper: Gripper) -> None:
    if not gripper.min_opening <= grasp.opening <= gripper.max_opening:
        bounds = f"between {gripper.min_opening:g} and {gripper.max_opening:g} m"
        raise InvalidValue("grasp.opening", grasp.opening, f"{bounds}, what the {gripper.name} gripper has")
    down = float(-grasp.T_table_gripper[2, 2])
    if down < -LEVEL:
        raise InvalidValue("grasp tilt", f"{np.degrees(np.arccos(down)):.1f} deg", "at most 90 deg from straight down")


def _versions() -> dict[str, str]:
    return versions() | {name: metadata.version(name) for name in ("mujoco", "coacd", "manifold3d")}
