"""Pick states: what a pick passes through, as data. Stages and what ends them, commands, observations and states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from grasp.motion import Move
from grasp.plan import Grasp, Plan, Refusal
from grasp.trace import Trace
from grasp.verify import Kind
from wrench.checks import frozen


class Stage(StrEnum):
    """Of a pick."""

    PERCEIVE = "perceive"
    APPROACH = "approach"
    DESCEND = "descend"
    CLOSE = "close"
    VERIFY_GRASP = "verify_grasp"
    LIFT = "lift"
    VERIFY_HOLD = "verify_hold"
    LOWER = "lower"
    RELEASE = "release"
    RETREAT = "retreat"
    RETRY = "retry"
    DONE = "done"
    GIVEN_UP = "given_up"


class Event(StrEnum):
    """What a stage waits for, beside the kinds of verdicts."""

    PLANNED = "planned"
    REFUSED = "refused"
    ARRIVED = "arrived"
    BLOCKED = "blocked"
    SETTLED = "settled"
    OPENED = "opened"
    TIMEOUT = "timeout"
    NEXT = "next"
    LOOK = "look"
    USED_UP = "used_up"


S, E, K = Stage, Event, Kind
FAILED = (K.AIR, K.JAMMED, K.SLIPPING, K.LOST, K.UNDECIDED)
GRAPH: Mapping[Stage, Mapping[str, Stage]] = {  # what each stage waits for, and where that leads
    S.PERCEIVE: {E.PLANNED: S.APPROACH, E.REFUSED: S.GIVEN_UP},
    S.APPROACH: {E.ARRIVED: S.DESCEND, E.BLOCKED: S.RETRY},
    S.DESCEND: {E.ARRIVED: S.CLOSE, E.BLOCKED: S.RETREAT},
    S.CLOSE: {E.SETTLED: S.VERIFY_GRASP, E.TIMEOUT: S.VERIFY_GRASP},
    S.VERIFY_GRASP: {K.HOLDING: S.LIFT, **dict.fromkeys(FAILED, S.RELEASE)},
    S.LIFT: {E.ARRIVED: S.VERIFY_HOLD, E.BLOCKED: S.LOWER},
    S.VERIFY_HOLD: {K.HOLDING: S.DONE, **dict.fromkeys(FAILED, S.LOWER), K.LOST: S.RELEASE},
    S.LOWER: {E.ARRIVED: S.RELEASE, E.BLOCKED: S.RELEASE},
    S.RELEASE: {E.OPENED: S.RETREAT, E.TIMEOUT: S.GIVEN_UP},
    S.RETREAT: {E.ARRIVED: S.RETRY, E.BLOCKED: S.GIVEN_UP},
    S.RETRY: {E.NEXT: S.APPROACH, E.LOOK: S.PERCEIVE, E.USED_UP: S.GIVEN_UP},
    S.DONE: {},
    S.GIVEN_UP: {},
}


@dataclass(frozen=True)
class Look:
    """See the scene and plan on it."""


@dataclass(frozen=True, eq=False)
class Reach:
    """Go to a pose (4, 4), table frame, by any way that is free, with the jaws at an opening in metres."""

    T_table_gripper: NDArray[np.float64]
    opening: float


@dataclass(frozen=True)
class Close:
    """Close the jaws, and go on pressing with a force in newtons at each."""

    force: float


@dataclass(frozen=True)
class Open:
    """Open the jaws to an opening in metres."""

    opening: float


@dataclass(frozen=True)
class Stay:
    """Nothing else than before."""


Command = Look | Reach | Move | Close | Open | Stay


@dataclass(frozen=True, eq=False)
class Observation:
    """What is known at one time.

    Parameters
    ----------
    time : s
        Never earlier than the one before.
    arrived
        Whether the arm is at the end of the way it was last told.
    blocked
        Whether it cannot go that way, or stands still because a force stopped it.
    trace
        What the jaws have told, from any time before they began to close, under the force commanded; None if nothing yet.
    plan
        What came of the look it was last told; None if nothing yet.
    """

    time: float
    arrived: bool = False
    blocked: bool = False
    trace: Trace | None = None
    plan: Plan | Refusal | None = None


@dataclass(frozen=True)
class Failure:
    """What went wrong in which stage, with which grasp of which look's plan, and the sentence that says why."""

    stage: Stage
    event: str
    look: int
    index: int
    sentence: str


@dataclass(frozen=True, eq=False)
class State:
    """Where a pick is.

    Parameters
    ----------
    stage
        `Stage.DONE` and `Stage.GIVEN_UP` are final.
    since : s
        When it began.
    look, index
        Which look at the scene this is, from 1, and which grasp of its plan is tried, from 0.
    plan
        Of that look; None until there is one.
    closing : s
        When the jaws were last told to close.
    place : (3,) float, metres
        Where the arm was, seen from the grasp, when the stage began; table frame.
    said
        What ended the stage before, one sentence: at last, why the object is held, or why the pick was given up.
    failures
        All that went wrong, in order.
    """

    stage: Stage
    since: float
    look: int = 1
    index: int = 0
    plan: Plan | None = None
    closing: float = 0.0
    place: NDArray[np.float64] = field(default_factory=lambda: frozen(np.zeros(3)))
    said: str = ""
    failures: tuple[Failure, ...] = ()

    @property
    def grasps(self) -> tuple[Grasp, ...]:
        """Of the plan; none where there is no plan."""
        return self.plan.grasps if self.plan else ()

    @property
    def grasp(self) -> Grasp:
        """The one that is tried."""
        return self.grasps[self.index]
