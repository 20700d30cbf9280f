"""Run: one trial as a row of plain values, with the gripper's place a little off, as it is on a robot."""

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
from physics.settings import Settings
from physics.trial import trial


def noisy(grasp: Grasp, rng: np.random.Generator, sigma: float, yaw: float) -> Grasp:
    """Return a grasp whose pose is off by normal draws; its contacts and metrics stay those that were planned.

    Parameters
    ----------
    rng
        Three numbers are drawn whatever the arguments: equal generators give equal displacements for all planners.
    sigma : metres
        Along the table's x and y.
    yaw : rad
        About the vertical through the gripper's origin.
    """
    x, y, turn = rng.normal(size=3) * [sigma, sigma, yaw]
    c, s = np.cos(turn), np.sin(turn)
    T = np.array(grasp.T_table_gripper)
    T[:3, :3] = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ T[:3, :3]
    T[:2, 3] += x, y
    return replace(grasp, T_table_gripper=T)


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
    displaced = noisy(grasp, seed.rng(), settings.noise.sigma, settings.noise.yaw)
    return trial(displaced, solid, gripper, settings, cache).record() | {"seed": plain("seed", asdict(seed))}
