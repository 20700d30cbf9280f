"""Recipe: all that labels depend on, and the random streams that follow from it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from grasp.camera import Camera
from grasp.gripper import Gripper
from grasp.judge import Judge
from grasp.plan import Grasp
from grasp.planner import Planner
from grasp.strict import at_least, positive
from labels.trials import Trials
from objects.placed import ObjectSet
from objects.sensor import Sensor
from objects.solid import Solid
from wrench.errors import InvalidValue

SEES = ("camera", "mesh")


class Scorer(Protocol):
    """Whoever judges the grasps of planners that have no metrics of their own, on the true solid: a frozen dataclass."""

    @property
    def quality(self) -> Judge:
        """Friction and conventions."""
        ...

    def score(self, grasp: Grasp, gripper: Gripper, solid: Solid, rng: np.random.Generator) -> dict[str, Any]:
        """Return the ``judge_`` columns of a grasp: reason, closed, draws, means, epsilon bracket, conventions."""
        ...


@dataclass(frozen=True)
class Case:
    """A planner whose candidates are labelled.

    Parameters
    ----------
    planner
        One with `candidates` gives all of them; any other gives the grasps of its plan.
    sees
        ``"camera"``, every view, or ``"mesh"``, the true mesh in its pose.
    """

    planner: Planner
    sees: str

    def __post_init__(self) -> None:
        if self.sees not in SEES:
            raise InvalidValue("case.sees", repr(self.sees), f"one of {', '.join(SEES)}")


@dataclass(frozen=True)
class Eye:
    """A camera over the table with its sensor."""

    camera: Camera
    sensor: Sensor


@dataclass(frozen=True, eq=False)
class Recipe:
    """What is labelled, how, and from which seed.

    Parameters
    ----------
    object_set
        Name of the set.
    objects
        The set.
    cases, eyes
        By name: planners, and the views that are taken of every placement.
    judge
        Of planners without metrics of their own.
    depth_step
        Metres per count in the depth images; planners see the depth so rounded.
    trials
        Of some of the candidates in the physics engine; None for none.
    seed
        Root of all random numbers.
    config_sha256, made_by
        Hashes of the settings, and of the code and its libraries.
    """

    object_set: str
    objects: ObjectSet
    cases: Mapping[str, Case]
    eyes: Mapping[str, Eye]
    judge: Scorer
    depth_step: float
    trials: Trials | None
    seed: int
    config_sha256: str
    made_by: str

    def __post_init__(self) -> None:
        positive("depth_step", self.depth_step, "m")
        at_least("seed", self.seed, 0, "")
        if not self.cases:
            raise InvalidValue("cases", "{}", "at least one planner")

    @property
    def address(self) -> str:
        """Hash of all that a label depends on besides its object."""
        return hashlib.sha256(f"{self.config_sha256} {self.made_by}".encode()).hexdigest()

    def stream(self, *names: str) -> np.random.Generator:
        """Return the fresh generator of these names: it depends on them and the seed only, never on the order of work."""
        words = np.frombuffer(hashlib.sha256(json.dumps(names).encode()).digest(), "<u4")[:4]
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=tuple(map(int, words))))
