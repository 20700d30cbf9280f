"""Physics columns: a unit's grasp carried out in simulation. The engine is an extra, loaded only where it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from grasp.gripper import Gripper
from grasp.plan import Grasp
from grasp.provenance import Seed
from objects.solid import Solid
from wrench.errors import GraspError, InvalidValue

ENGINE = "engine"  # in place of a phase: the simulation failed, not the grasp

# Columns of `experiments.schema_rows.Row` beside the fields of `physics.TrialResult`.
COLUMNS = {
    "physics": "settings",
    "physics_grip": "grip",
    "physics_failed_in": "failed_in",
    "physics_lifted": "lifted",
    "physics_shaken": "shaken",
    "physics_shake_margin": "shake_margin",
    "physics_slip_force_N": "slip_force_N",
    "physics_slip_censored": "slip_censored",
    "physics_drift_m": "drift_m",
    "physics_drift_rad": "drift_rad",
    "physics_cone_ratio": "mass_margin",
    "physics_width_m": "width_m",
    "physics_contacts": "contacts",
    "physics_mass_kg": "mass_kg",
    "physics_friction": "friction",
    "physics_force_N": "force_N",
    "physics_hold": "hold",
    "physics_parts": "parts_method",
}


def require_engine() -> None:
    """Raise `InvalidValue` where the extra that carries out grasps is not installed."""
    missing = [name for name in ("mujoco", "coacd") if find_spec(name) is None]
    if missing:
        raise InvalidValue("physics", f"without {missing[0]}", 'null, or the extra installed: pip install -e ".[physics]"')


def carry_out(
    grasp: Grasp, solid: Solid, gripper: Gripper, settings: Any, rng: np.random.Generator, cache: Path
) -> Mapping[str, Any]:
    """Return the record of the trial of a grasp.

    Parameters
    ----------
    grasp, solid, gripper, settings, cache
        As for `physics.score`.
    rng
        Fresh generator of the noise.
    """
    from physics import score

    return score(grasp, solid, gripper, settings, Seed.of(rng), cache)


def columns(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a row that a trial's record fills."""
    return {column: record[field] for column, field in COLUMNS.items()}


def attempt(
    grasp: Grasp, solid: Solid, gripper: Gripper, settings: Any, rng: np.random.Generator, cache: Path
) -> tuple[dict[str, Any], Mapping[str, Any] | None]:
    """Return columns and record of the trial of a grasp; where the simulation itself failed, what it said, and no record."""
    try:
        record = carry_out(grasp, solid, gripper, settings, rng, cache)
    except GraspError as error:
        return {"physics": settings.name, "physics_failed_in": ENGINE, "sentence": f"simulation: {error}"}, None
    return columns(record), record
