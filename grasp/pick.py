"""Pick: a state machine from looking at a scene to holding an object above it, as data and one pure function.

    perceive -> approach -> descend -> close -> verify_grasp -> lift -> verify_hold -> done
                                                     |                      |
                       retry <- retreat <- release <-+--------- lower <-----+
                         |
                         +-> approach, with the next grasp of the plan; perceive, for another look; or given_up

The machine has no clock, no memory and no robot. Whoever runs it observes, calls `Machine.step`, carries the command out and
observes again, at any rate. Arm and jaws go on with what they were last told until told otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grasp import presets
from grasp.gripper import Gripper
from grasp.motion import Limits, Move
from grasp.pick_states import GRAPH, Close, Command, Event, Failure, Look, Observation, Open, Reach, Stage, State, Stay
from grasp.plan import Grasp, Plan, Refusal
from grasp.strict import at_least, build, positive, require_keys
from grasp.verify import Kind, Rules, Verdict, verdict
from wrench.errors import InvalidValue

FAILURES = (*(kind for kind in Kind if kind is not Kind.HOLDING), Event.BLOCKED)
UNITS = {"force": "N", "stand_off": "m", "lift_height": "m", "open_margin": "m"}
UNITS |= {"close_timeout": "s", "hold_time": "s", "open_timeout": "s"}
MOVING = (Stage.DESCEND, Stage.LIFT, Stage.LOWER, Stage.RETREAT)
MM = 1e3


@dataclass(frozen=True)
class Machine:
    """What a pick keeps to. The numbers stand in ``conf/pick``.

    Parameters
    ----------
    gripper
        That picks.
    rules
        By which its telemetry is judged.
    force : N
        Pressed at each jaw in a grasp that has no grip force of its own.
    stand_off : metres
        From there to the grasp, along the approach.
    lift_height : metres
        Straight up.
    approach, lift
        Limits of going down, back up and setting down, and of lifting.
    close_timeout, hold_time, open_timeout : s
        How long the jaws may take to close, how long after the lift it is judged, and how long they may take to open.
    open_margin : metres
        By which they may fall short of it.
    looks
        At the scene, at the most.
    after
        What follows each failure, a kind of verdict or ``"blocked"``: ``"next"``, the next grasp of the plan, or ``"look"``.

    Raises
    ------
    InvalidValue
        A number that is no number or out of range, or a failure without a consequence.
    """

    gripper: Gripper
    rules: Rules
    force: float
    stand_off: float
    lift_height: float
    approach: Limits
    lift: Limits
    close_timeout: float
    hold_time: float
    open_timeout: float
    open_margin: float
    looks: int
    after: Mapping[str, str]

    def __post_init__(self) -> None:
        for name, unit in UNITS.items():
            object.__setattr__(self, name, positive(f"pick.{name}", getattr(self, name), unit))
        at_least("pick.looks", self.looks, 1, "")
        require_keys("pick.after", self.after, FAILURES)
        for failure, consequence in self.after.items():
            if consequence not in (Event.NEXT, Event.LOOK):
                raise InvalidValue(f"pick.after.{failure}", repr(consequence), '"next" or "look"')
        object.__setattr__(self, "after", dict(self.after))

    @classmethod
    def preset(cls, name: str = "default", gripper: str = "get", rules: str = "default") -> Machine:
        """Return the machine described by the config files of these names; an unknown name lists the known ones."""
        own = presets.read("pick", name)
        parts: dict[str, Any] = {"gripper": Gripper.preset(gripper), "rules": Rules.preset(rules)}
        parts |= {limits: build(Limits, own[limits], f"pick.{limits}") for limits in ("approach", "lift")}
        return build(cls, {**own, **parts}, "pick")

    def start(self, time: float) -> tuple[State, Command]:
        """Return the first state and command."""
        return State(Stage.PERCEIVE, time), Look()

    def step(self, state: State, seen: Observation) -> tuple[State, Command]:
        """Return the state after an observation, at most one stage on, and what to do in it.

        Equal arguments give equal results. The final states stay as they are: `Stage.DONE` goes on pressing.

        Raises
        ------
        InvalidValue
            A time before the stage began, or a trace that cannot be judged (`grasp.verify.verdict`).
        """
        if seen.time < state.since:
            raise InvalidValue("observation.time", seen.time, f"at least {state.since:g} s, when the stage began")
        event, said = self.event(state, seen)
        if event is not None:
            state = self._follow(state, seen, event, said)
        return state, self.command(state)

    def event(self, state: State, seen: Observation) -> tuple[str | None, str]:
        """Return what an observation means to the stage: one of the events it waits for or None, and a sentence."""
        waited = seen.time - state.since
        match state.stage:
            case Stage.PERCEIVE if isinstance(seen.plan, Refusal):
                return Event.REFUSED, seen.plan.sentence
            case Stage.PERCEIVE if isinstance(seen.plan, Plan):
                return Event.PLANNED, f"Grasps in the plan: {len(seen.plan.grasps)}."
            case stage if seen.blocked and stage in (Stage.APPROACH, *MOVING):
                return Event.BLOCKED, f"The arm was blocked {waited:.2f} s after the beginning of {stage}."
            case Stage.APPROACH if seen.arrived:
                return Event.ARRIVED, "The arm is at the stand-off."
            case stage if stage in MOVING and seen.arrived and seen.time >= self.move(state).end:
                return Event.ARRIVED, f"The arm is at the end of {stage}."
            case Stage.CLOSE | Stage.VERIFY_GRASP | Stage.VERIFY_HOLD:
                return self._judged(state, seen, waited)
            case Stage.RELEASE:
                return self._released(state, seen, waited)
            case Stage.RETRY:
                return self._retried(state)
        return None, ""

    def command(self, state: State) -> Command:
        """Return what to do in a state."""
        match state.stage:
            case Stage.PERCEIVE:
                return Look()
            case Stage.APPROACH:
                return Reach(_shifted(state.grasp, self._away(state.grasp)), state.grasp.opening)
            case stage if stage in MOVING:
                return self.move(state)
            case Stage.CLOSE | Stage.VERIFY_GRASP | Stage.VERIFY_HOLD | Stage.DONE:
                return Close(self.grip(state.grasp))
            case Stage.RELEASE:
                return Open(state.grasp.opening)
        return Stay()

    def grip(self, grasp: Grasp) -> float:
        """Return the force in newtons to press with at each jaw: what the grasp was sized to, or else the machine's own."""
        return self.force if grasp.force is None else grasp.force.command

    def move(self, state: State) -> Move:
        """Return the straight move of a stage that has one, from where the arm was when the stage began."""
        goals = {Stage.LIFT: np.array([0, 0, self.lift_height]), Stage.RETREAT: self._away(state.grasp)}
        way = goals.get(state.stage, np.zeros(3)) - state.place
        limits = self.lift if state.stage is Stage.LIFT else self.approach
        return Move.within(limits, _shifted(state.grasp, np.array(state.place)), way, state.since)

    def verdict(self, state: State, seen: Observation) -> Verdict:
        """Return what the jaws have, from what they told since they were last told to close."""
        if seen.trace is None or seen.trace.time[-1] < state.closing:
            return Verdict(Kind.UNDECIDED, "The jaws have told nothing since they were told to close.", seen.time)
        width = expected_width(state.grasp)
        if width is not None and not self.gripper.min_opening + self.rules.stop_margin < width <= self.gripper.max_opening:
            width = None  # what is so thin looks like air, whatever is expected
        return verdict(seen.trace.between(state.closing), self.rules, self.gripper, width)

    def _judged(self, state: State, seen: Observation, waited: float) -> tuple[str | None, str]:
        found = self.verdict(state, seen)
        if state.stage is Stage.CLOSE and found.kind is not Kind.UNDECIDED:
            return Event.SETTLED, found.signature
        if state.stage is Stage.CLOSE:
            return Event.TIMEOUT if waited >= self.close_timeout else None, found.signature
        wait = state.stage is Stage.VERIFY_HOLD and waited < self.hold_time and found.kind in (Kind.HOLDING, Kind.UNDECIDED)
        return None if wait else found.kind, found.signature

    def _released(self, state: State, seen: Observation, waited: float) -> tuple[str | None, str]:
        wanted = state.grasp.opening
        if seen.trace is not None and seen.trace.opening[-1] >= wanted - self.open_margin:
            return Event.OPENED, f"The jaws are {seen.trace.opening[-1] * MM:.1f} mm open."
        said = f"The jaws were not {wanted * MM:.1f} mm open after {waited:.2f} s."
        return Event.TIMEOUT if waited >= self.open_timeout else None, said

    def _retried(self, state: State) -> tuple[str, str]:
        """Return how to go on after the last failure."""
        last, count = state.failures[-1], len(state.grasps)
        if self.after[last.event] == Event.NEXT:
            spent, left = f"The plan has no grasp left, of {count}", state.index + 1 < count
        else:
            spent, left = f"There is no look left, of {self.looks}", state.look < self.looks
        return (self.after[last.event], last.sentence) if left else (Event.USED_UP, f"{spent}. {last.sentence}")

    def _follow(self, state: State, seen: Observation, event: str, said: str) -> State:
        """Return the state to which an event leads."""
        changes: dict[str, Any] = {"stage": GRAPH[state.stage][event], "since": seen.time, "said": said}
        own: dict[str, dict[str, Any]] = {
            Event.PLANNED: {"plan": seen.plan, "index": 0},
            Event.NEXT: {"index": state.index + 1},
            Event.LOOK: {"look": state.look + 1, "plan": None},
        }
        changes |= own.get(event, {})
        if changes["stage"] is Stage.CLOSE:
            changes["closing"] = seen.time
        if event in FAILURES and state.stage is not Stage.LOWER:  # setting down may well end early
            changes["failures"] = (*state.failures, Failure(state.stage, event, state.look, state.index, said))
        if state.stage is Stage.APPROACH:
            changes["place"] = self._away(state.grasp)
        if state.stage in MOVING:
            changes["place"] = self.move(state).at(seen.time)[0][:3, 3] - state.grasp.T_table_gripper[:3, 3]
        return replace(state, **changes)

    def _away(self, grasp: Grasp) -> NDArray[np.float64]:
        """Return the way (3,) from the grasp to its stand-off, table frame."""
        return -self.stand_off * grasp.T_table_gripper[:3, 2]


def expected_width(grasp: Grasp) -> float | None:
    """Return the opening in metres at which the jaws should come to stand: where each first touches, along the closing axis.

    None where a jaw has no contact. Between fingertips that are round it is too wide, by up to 2 r (1 - cos a) for contacts
    at an angle a to the closing axis and tips of radius r: 2 mm for 10 mm tips at the friction angle of 0.75.
    """
    d = grasp.contacts.dimension
    axis, made = grasp.T_table_gripper[:d, 0], grasp.contacts.made
    along, side = grasp.contacts.points @ axis, grasp.contacts.normals @ axis
    wide, narrow = along[made & (side > 0)], along[made & (side < 0)]
    return float(narrow.max() - wide.min()) if len(wide) and len(narrow) else None


def _shifted(grasp: Grasp, way: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the pose of a grasp moved by a way (3,), table frame."""
    T = np.array(grasp.T_table_gripper)
    T[:3, 3] += way
    return T
