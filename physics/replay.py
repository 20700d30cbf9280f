"""Replay: the trial that a record tells of, done again. On the same machine and libraries it ends the same, bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from grasp.gripper import Gripper
from grasp.plan import Grasp, Metrics
from objects.solid import Solid
from physics.result import TrialResult
from physics.scene import Scene
from physics.settings import Settings
from physics.trial import trial
from wrench.contacts import Contacts


def replay(
    record: Mapping[str, Any],
    solid: Solid,
    gripper: Gripper,
    cache: Path | None,
    watch: Callable[[Scene], None] | None = None,
) -> TrialResult:
    """Return the result of a trial done again.

    Parameters
    ----------
    record
        As `TrialResult.record` or `physics.run.score` gives it; the noise is in its pose and settings.
    solid, gripper
        That the trial was of.
    cache, watch
        As for `physics.trial.trial`.

    Raises
    ------
    InvalidValue, GraspError
        As of a trial; a record whose settings this version does not know.
    """
    none = Contacts(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0, bool))
    pose = np.array(record["T_table_gripper"], float)
    grasp = Grasp(pose, record["opening_m"], none, "record", Metrics())
    return trial(grasp, solid, gripper, Settings.from_dict(record["settings_used"]), cache, watch)
