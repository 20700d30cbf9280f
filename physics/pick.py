"""Pick: the state machine of `grasp.pick` carried out in the engine, from the look at the scene to the object held above it.

Each grasp that is approached has a scene of its own, with the object where it stood at first: the gripper never moves, and
what an earlier try has done to the object is not carried over. The arm arrives at every stand-off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from grasp.motion import Move
from grasp.pick import Machine
from grasp.pick_states import GRAPH, Command, Look, Observation, Open, Reach, Stage, State
from grasp.plan import Plan, Refusal
from grasp.trace import Trace
from grasp.verify import Verdict
from objects.solid import Solid
from physics import drive, measure, motion
from physics.parts import parts_of
from physics.scene import Scene, build
from physics.settings import Settings
from physics.telemetry import Sample, recorder, trace
from wrench.errors import InvalidValue

PERIOD = 0.02  # s between observations: chosen; the machine keeps to its graph at any
JUDGED = (Stage.VERIFY_GRASP, Stage.VERIFY_HOLD)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What came of a pick.

    Parameters
    ----------
    states
        Passed through, from the first to the final one.
    verdicts
        With which `Stage.VERIFY_GRASP` and `Stage.VERIFY_HOLD` ended, in their order in `states`.
    traces
        Of each grasp that was approached, from when the object was put down: times are the pick's.
    rise : metres
        Of the object's centre of mass above where it stood, at the end.
    press : N
        Of the jaw that presses the object less, measured at its contacts, at the end.
    """

    states: tuple[State, ...]
    verdicts: tuple[Verdict, ...]
    traces: tuple[Trace, ...]
    rise: float
    press: float


@dataclass(frozen=True, eq=False)
class _Try:
    """One grasp's scene, the samples of its jaws so far, the time of the pick (s) at which it began, and its force (N)."""

    scene: Scene
    samples: list[Sample]
    began: float
    force: float

    @property
    def clock(self) -> float:
        return self.began + self.scene.data.time

    def trace(self) -> Trace:
        told = trace(self.samples, self.force)
        return replace(told, time=self.began + told.time)


def run(
    machine: Machine, plans: Sequence[Plan | Refusal], solid: Solid, settings: Settings, cache: Path | None
) -> Outcome:
    """Return what comes of a pick. Nothing here is random: equal arguments give equal results.

    Parameters
    ----------
    machine
        What the pick keeps to. Its gripper is simulated, and its forces are pressed with in place of the settings' own.
    plans
        What comes of each look at the scene, at least one; the last stands for all further looks.
    solid
        The true object at rest on the table z = 0, in the frame of the grasps.
    settings
        See there; their noise is not drawn.
    cache
        Folder of convex parts, as for `physics.parts.parts_of`.

    Raises
    ------
    InvalidValue
        No plan.
    GraspError
        The object's parts are too unlike it, or the simulation became unstable.
    """
    if not plans:
        raise InvalidValue("plans", tuple(plans), "at least one, for the first look")
    state, command = machine.start(0.0)
    states, verdicts, tries = [state], [], []
    while GRAPH[state.stage]:
        if isinstance(command, Reach):
            clock = tries[-1].clock if tries else 0.0
            tries.append(_at_stand_off(command, state, machine, solid, settings, cache, clock))
        seen = _observed(state, command, plans, tries)
        following, command = machine.step(state, seen)
        if following is not state:
            verdicts += [machine.verdict(state, seen)] if state.stage in JUDGED else []
            states.append(following)
            _switch(tries, following, command)
        state = following
    traces = tuple(each.trace() for each in tries)
    return Outcome(tuple(states), tuple(verdicts), traces, *(_held(tries[-1].scene) if tries else (0.0, 0.0)))


def _at_stand_off(
    reach: Reach, state: State, machine: Machine, solid: Solid, settings: Settings, cache: Path | None, clock: float
) -> _Try:
    """Return a scene with the gripper at the end of a `Reach` and the object at rest, at a time of the pick."""
    samples, force = [], machine.grip(state.grasp)
    pressing = replace(settings, closing=replace(settings.closing, force=force))
    T, parts = state.grasp.T_table_gripper, parts_of(solid, settings.parts, cache)
    scene = build(solid, parts, machine.gripper, T, pressing, recorder(samples))
    away = T[:3, 3] - reach.T_table_gripper[:3, 3]  # of the table: the gripper is at the grasp already
    drive.open_to(scene, reach.opening)
    drive.steady_table(scene, away)
    scene.data.joint(scene.model.body("object").jntadr[0]).qpos[:3] += away
    motion.wait(scene, settings.travel.settle_time)
    return _Try(scene, samples, clock - scene.data.time, force)


def _observed(state: State, command: Command, plans: Sequence[Plan | Refusal], tries: Sequence[_Try]) -> Observation:
    """Let the engine do a command until the next observation; a look and a way to a stand-off take no time."""
    clock = tries[-1].clock if tries else 0.0
    if isinstance(command, Look):
        return Observation(clock, arrived=True, plan=plans[min(state.look, len(plans)) - 1])
    if isinstance(command, Reach):
        return Observation(clock, arrived=True)
    current = tries[-1]
    for _ in range(current.scene.settings.steps(PERIOD)):
        _tick(current, state, command)
    motion.require_stable(current.scene)
    return Observation(current.clock, True, _stopped(current.scene, state), current.trace())


def _tick(current: _Try, state: State, command: Command) -> None:
    """Do one step of the engine under a command."""
    scene = current.scene
    if not isinstance(command, Move):
        return motion.step(scene)
    T, velocity, acceleration = command.at(current.clock + scene.settings.solver.timestep)
    drive.lead_table(scene, state.grasp.T_table_gripper[:3, 3] - T[:3, 3], -velocity, -acceleration)
    return motion.step(scene, -scene.mass * acceleration)


def _switch(tries: Sequence[_Try], state: State, command: Command) -> None:
    """Have the jaws do what is asked of them in a stage: they lock when the arm takes the object away, and open at once."""
    if isinstance(command, Open):
        drive.open_to(tries[-1].scene, command.opening)
    elif state.stage is Stage.CLOSE:
        drive.press(tries[-1].scene)
    elif state.stage is Stage.LIFT:
        drive.keep(tries[-1].scene)


def _stopped(scene: Scene, state: State) -> bool:
    """Return whether the protective stop of the arm trips on the way down."""
    touch = measure.touch(scene)
    push = max(touch.pads.sum() + touch.body, touch.crash)
    return state.stage is Stage.DESCEND and bool(push > scene.settings.travel.stop_force)


def _held(scene: Scene) -> tuple[float, float]:
    """Return the object's rise in metres and the lesser jaw's force on it in newtons."""
    stood = drive.table_place(scene)[2] + scene.solid.center_mass[2]
    return float(measure.pose(scene).place[2] - stood), float(np.min(measure.jaws(scene, measure.touch(scene))))
