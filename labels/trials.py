"""Trials: some of the accepted candidates carried out in the physics engine, which is loaded only where there are any."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from grasp.gripper import Gripper
from grasp.plan import Grasp, Metrics
from grasp.provenance import Seed
from grasp.strict import at_least
from labels.record import NOISE, OUTCOME_FLAGS, OUTCOME_NUMBERS, OUTCOME_TEXTS, Labels, untried
from labels.tries import draw
from objects.solid import Solid
from wrench.errors import GraspError

if TYPE_CHECKING:
    from physics.settings import Settings

ENGINE = ("mujoco", "coacd", "manifold3d")  # whose versions can change an outcome
IN_RECORD = {"trial_contacts": "contacts", "slip_force_n": "slip_force_N", "slip_other_n": "slip_other_N"}
IN_RECORD |= {"trial_friction": "friction", "trial_force_n": "force_N"}


@dataclass(frozen=True, eq=False)
class Trials:
    """What is tried, and how.

    Parameters
    ----------
    settings
        Of the physics engine and the protocol.
    per_view
        Candidates of a planner on a view at the most.
    parts
        Folder of convex parts, which runs may share; None for ``parts`` in the folder of the labels. No part of what
        outcomes depend on.
    """

    settings: Settings
    per_view: int
    parts: Path | None

    def __post_init__(self) -> None:
        at_least("tries.per_view", self.per_view, 1, "candidate")


@dataclass(frozen=True, eq=False)
class Bench:
    """One object in one pose, ready for trials.

    Parameters
    ----------
    trials
        What is tried.
    solid
        The true object in the table frame.
    cache
        Folder of its convex parts.
    unlike
        Why there can be no trial, parts too unlike the object; None where there can.
    """

    trials: Trials
    solid: Solid
    cache: Path
    unlike: str | None

    @classmethod
    def of(cls, trials: Trials, solid: Solid, folder: Path) -> Bench:
        """Return the bench of a solid; `folder` is that of the labels. Its parts are made here, once: they take long."""
        from physics.parts import parts_of  # the engine is slow to import

        cache = trials.parts or folder / "parts"
        try:
            parts_of(solid, trials.settings.parts, cache)
        except GraspError as error:
            return cls(trials, solid, cache, str(error))
        return cls(trials, solid, cache, None)

    def outcomes(
        self, labels: Labels, gripper: Gripper, rng: np.random.Generator, noise: Callable[[int], Seed]
    ) -> tuple[Labels, dict[str, Any]]:
        """Return labels with the outcomes of the candidates drawn, and their counts.

        Parameters
        ----------
        labels
            Of one planner on one view.
        gripper
            They are for.
        rng
            Draws the candidates.
        noise
            Seed of the displacement in the i-th trial: the same for all planners, another for every i.

        Returns
        -------
        Labels
        dict
            ``drawn``, ``lifted``, and ``failed``: how many had no outcome, by the sentence why.
        """
        places, weights = draw(labels, self.trials.per_view, rng)
        failed: Counter[str] = Counter()
        found = untried(len(labels)) | {name: np.full(len(labels), "", object) for name in OUTCOME_TEXTS}
        found["trial_weight"][places] = weights
        for i, place in enumerate(places):
            try:
                row = self._trial(labels, place, gripper, noise(i))
            except GraspError as error:
                failed[str(error)] += 1
                continue
            for name, value in row.items():
                found[name][place] = value
        counts = {"drawn": len(places), "lifted": int(np.nansum(found["lifted"])), "failed": dict(failed)}
        return replace(labels, **found), counts

    def _trial(self, labels: Labels, i: np.intp, gripper: Gripper, seed: Seed) -> dict[str, Any]:
        from physics.run import score  # the engine is slow to import

        if self.unlike is not None:
            raise GraspError(self.unlike)
        T = labels.T_table_gripper[i]
        grasp = Grasp(T, float(labels.opening_m[i]), labels.contacts[i], str(labels.sampler[i]), Metrics())
        record = score(grasp, self.solid, gripper, self.trials.settings, seed, self.cache)
        return columns(record) | displacement(T, np.array(record["T_table_gripper"]))


def columns(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that a record of `physics.run.score` fills; NaN, or an empty text, where it has None."""
    names = (*OUTCOME_FLAGS, *OUTCOME_NUMBERS, *OUTCOME_TEXTS)
    found = {name: record[IN_RECORD.get(name, name)] for name in names}
    return {name: ("" if name in OUTCOME_TEXTS else np.nan) if value is None else value for name, value in found.items()}


def displacement(T: NDArray[np.float64], gone: NDArray[np.float64]) -> dict[str, float]:
    """Return by how much the pose (4, 4) that was gone to is off from the one wanted, along x and y and about z."""
    turn = gone[:3, :3] @ T[:3, :3].T
    x, y = (gone - T)[:2, 3].tolist()
    return dict(zip(NOISE, (x, y, float(np.arctan2(turn[1, 0], turn[0, 0]))), strict=True))


def engine() -> dict[str, str]:
    """Return the versions of the libraries that outcomes depend on."""
    return {name: metadata.version(name) for name in ENGINE}
