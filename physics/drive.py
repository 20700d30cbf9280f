"""Drive: what the jaws' actuator and the table's servos do. The actuator pulls the two jaws together: q = travel of both.

A force F along q presses F at each jaw, so the object feels 2 F of normal force.
"""

# pyright: reportAttributeAccessIssue=none
from __future__ import annotations

import math

import mujoco
import numpy as np
from numpy.typing import NDArray

from physics.scene import JAWS, Scene

CLOSING = 0  # actuator; those of the table's slides follow
NO_LIMIT = 1e4  # newtons, more than anything here


def closed(scene: Scene) -> float:
    """Return how far both jaws together have closed from wide open, metres."""
    return float(sum(scene.data.joint(name).qpos[0] for name in JAWS))


def opening(scene: Scene) -> float:
    """Return the distance between the faces of the jaws, metres."""
    return scene.gripper.max_opening - closed(scene)


def closing_speed(scene: Scene) -> float:
    """Return the rate of change of the opening, m/s, positive when closing."""
    return float(sum(scene.data.joint(name).qvel[0] for name in JAWS))


def open_to(scene: Scene, width: float) -> None:
    """Put the jaws at an opening, and keep them there by a servo."""
    travel = scene.gripper.max_opening - width
    for name in JAWS:
        scene.data.joint(name).qpos[0] = travel / 2
    _servo(scene, scene.settings.closing.open_stiffness, travel)


def press(scene: Scene) -> None:
    """Close at the set speed, with the set force at the most."""
    closing = scene.settings.closing
    _actuator(scene.model, CLOSING, closing.gain, 0, closing.gain, closing.force)
    scene.data.ctrl[CLOSING] = 2 * closing.speed


def keep(scene: Scene) -> None:
    """Go over from closing to holding: lock the jaws as they press now, or go on pressing."""
    closing = scene.settings.closing
    if closing.hold == "lock":
        _servo(scene, closing.lock_stiffness, closed(scene) + closing.force / closing.lock_stiffness)
    else:
        _actuator(scene.model, CLOSING, 1, 0, closing.hold_damping, NO_LIMIT)
        scene.data.ctrl[CLOSING] = closing.force


def steady_table(scene: Scene, place: NDArray[np.float64]) -> None:
    """Put the table, at rest, at a place (3,) in metres, and give its slides their servos."""
    mass, frequency = scene.settings.travel.table_mass, 2 * math.pi * scene.settings.travel.table_frequency
    for i in range(3):
        stiffness, damping = mass * frequency**2, 2 * mass * frequency
        _actuator(scene.model, 1 + i, stiffness, stiffness, damping, np.inf)
    for name, value in zip("xyz", place, strict=True):
        scene.data.joint(f"table_{name}").qpos[0] = value
        scene.data.joint(f"table_{name}").qvel[0] = 0
    lead_table(scene, place, np.zeros(3), np.zeros(3))


def lead_table(scene: Scene, place: NDArray, velocity: NDArray, acceleration: NDArray) -> None:
    """Make the table follow a motion without lag: place, velocity and acceleration (3,) at this instant."""
    frequency = 2 * math.pi * scene.settings.travel.table_frequency
    scene.data.ctrl[1:] = place + 2 / frequency * velocity + acceleration / frequency**2


def table_place(scene: Scene) -> NDArray[np.float64]:
    """Return where the table is, (3,) metres from its place when the object was put on it."""
    return np.array([scene.data.joint(f"table_{name}").qpos[0] for name in "xyz"])


def _servo(scene: Scene, stiffness: float, travel: float) -> None:
    """Hold the jaws' travel with a critically damped spring."""
    closing = scene.settings.closing
    damping = 2 * math.sqrt(stiffness * (closing.jaw_mass + closing.reflected_mass) / 2)
    _actuator(scene.model, CLOSING, stiffness, stiffness, damping, NO_LIMIT)
    scene.data.ctrl[CLOSING] = travel


def _actuator(model: mujoco.MjModel, i: int, gain: float, stiffness: float, damping: float, limit: float) -> None:
    """Set an actuator's force to gain * control - stiffness * length - damping * rate, within limits."""
    model.actuator_gainprm[i, 0] = gain
    model.actuator_biasprm[i, :3] = 0, -stiffness, -damping
    model.actuator_forcelimited[i] = np.isfinite(limit)
    if np.isfinite(limit):
        model.actuator_forcerange[i] = -limit, limit
