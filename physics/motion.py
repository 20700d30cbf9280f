"""Motion: the steps of the engine, under the accelerations of an arm that carries the gripper."""

# pyright: reportAttributeAccessIssue=none
from __future__ import annotations

import math
from collections.abc import Callable

import mujoco
import numpy as np
from numpy.typing import NDArray

from grasp.motion import least_jerk
from physics.drive import lead_table, table_place
from physics.inertial import Axis, turning
from physics.scene import Scene
from wrench.errors import GraspError

STILL = np.zeros(3)
UNSTABLE = (mujoco.mjtWarning.mjWARN_BADQACC, mujoco.mjtWarning.mjWARN_BADQPOS, mujoco.mjtWarning.mjWARN_BADQVEL)


def step(scene: Scene, force: NDArray[np.float64] = STILL, torque: NDArray[np.float64] = STILL) -> None:
    """Do one time step with a force (N) at the object's centre of mass and a torque (N m), world frame."""
    applied = scene.data.xfrc_applied[scene.model.body("object").id]
    applied[:3], applied[3:] = force, torque
    mujoco.mj_step(scene.model, scene.data)
    if scene.watch is not None:
        scene.watch(scene)


def wait(scene: Scene, seconds: float) -> None:
    """Let time pass; raise `GraspError` if the simulation has become unstable."""
    for _ in range(scene.settings.steps(seconds)):
        step(scene)
    require_stable(scene)


def require_stable(scene: Scene) -> None:
    """Raise `GraspError` if the engine has had to start anew, so that nothing it says is worth anything."""
    if any(scene.data.warning[kind].number for kind in UNSTABLE):
        raise GraspError(f"the simulation of {scene.solid.name} became unstable; a shorter timestep may help")


def carry(scene: Scene, path: NDArray[np.float64], seconds: float, go_on: Callable[[], bool] | None = None) -> bool:
    """Move the gripper along a straight path (3,) in metres, from rest to rest, with the least jerk.

    The table moves the other way, and the object feels the acceleration.

    Parameters
    ----------
    seconds
        The motion takes.
    go_on
        Asked after every step; None never stops it.

    Returns
    -------
    bool
        Whether it went all the way.
    """
    begin, steps = table_place(scene), scene.settings.steps(seconds)
    place, speed, push = least_jerk((np.arange(steps) + 1) / steps)
    for p, v, a in zip(place, speed / seconds, push / seconds**2, strict=True):
        lead_table(scene, begin - p * path, -v * path, -a * path)
        step(scene, -scene.mass * a * path)
        if go_on is not None and not go_on():
            return False
    lead_table(scene, begin - path, STILL, STILL)
    require_stable(scene)
    return True


def swing(scene: Scene, axis: Axis, begin: float, profile: NDArray[np.float64], go_on: Callable[[], bool]) -> bool:
    """Turn the gripper about an axis from an angle (rad) by a profile (n, 3) of angle, rate and acceleration.

    `go_on` is asked every `Shake.watch_every` steps; returns whether it always agreed.
    """
    every = scene.settings.shake.watch_every
    for k, (angle, rate, acceleration) in enumerate(profile.tolist(), 1):
        step(scene, *turning(scene, axis, begin + angle, rate, acceleration))
        if k % every == 0 and not go_on():
            return False
    require_stable(scene)
    return True


def bang_bang(angle: float, acceleration: float, top_speed: float, edge: float, timestep: float) -> NDArray[np.float64]:
    """Return the profile (n, 3) of the fastest turn from rest to rest, one row for each time step.

    Parameters
    ----------
    angle : rad
        May be negative.
    acceleration : rad/s^2
    top_speed : rad/s
    edge : s
        Over which changes of the acceleration are smoothed.
    timestep : s
    """
    way = abs(angle)
    rise = min(math.sqrt(way / acceleration), top_speed / acceleration)
    cruise = max(0.0, way / (acceleration * rise) - rise)
    t = (np.arange(math.ceil((2 * rise + cruise) / timestep)) + 0.5) * timestep
    push = acceleration * ((t < rise).astype(float) - ((t >= rise + cruise) & (t < 2 * rise + cruise)))
    blur = np.ones(max(1, round(edge / timestep)))
    push = np.convolve(push, blur / len(blur))
    speed = np.cumsum(push) * timestep
    speed -= np.linspace(0, speed[-1], len(speed))  # rounding to whole steps: it must end at rest
    place = np.cumsum(speed) * timestep
    return np.copysign(1, angle) * way / place[-1] * np.stack([place, speed, push], -1)
