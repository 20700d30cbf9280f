"""Run: one trial as a row of plain values, under the noise of its settings."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from grasp.gripper import Gripper
from grasp.plan import Grasp, Plan
from grasp.provenance import Seed
from grasp.strict import plain
from objects.solid import Solid
from physics.noise import noisy
from physics.settings import Settings
from physics.trial import trial


def score(
    plan: Plan | Grasp, solid: Solid, gripper: Gripper, settings: Settings, seed: Seed, cache: Path | None
) -> dict[str, Any]:
    """Return the record of the trial of a plan's best grasp under the noise of the settings.

    Parameters
    ----------
    plan, solid, gripper, settings, cache
        As for `physics.trial.trial`.
    seed
        Of the noise: the same for all that is to be compared.
    """
    grasp = plan.best if isinstance(plan, Plan) else plan
    rng = seed.rng()
    displaced, drawn = noisy(grasp, rng, settings.noise), varied(settings, rng)
    return trial(displaced, solid, gripper, drawn, cache).record() | {"seed": plain("seed", asdict(seed))}


def varied(settings: Settings, rng: np.random.Generator) -> Settings:
    """Return the settings with mass, friction and grip force drawn; three numbers are drawn whatever the settings."""
    noise, u = settings.noise, rng.uniform(size=3)
    ranges = (noise.mass, noise.friction, noise.force)
    mass, friction, force = (low * (high / low) ** x for x, (low, high) in zip(u, ranges, strict=True))
    return replace(
        settings,
        mass_scale=mass * settings.mass_scale,
        friction=friction * settings.friction,
        closing=replace(settings.closing, force=force * settings.closing.force),
    )
