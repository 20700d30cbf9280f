"""Slip test: a force gauge turns the held object about the closing axis, pushing where it is furthest from that axis.

The gauge is a spring whose end moves, as a hand moves it, not a force that grows: that one would overshoot as the object
gives way. Both directions start from the same state, and the weaker one counts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from physics import measure, motion
from physics.inertial import PLACE, attitude, skew, spin
from physics.phases import Found
from physics.scene import Scene
from physics.state import restore, save

CHECKS = 50  # steps between looks whether the object is still there


@dataclass(frozen=True, eq=False)
class Gauge:
    """Where and how the gauge pushes.

    Parameters
    ----------
    axis : (3,) float
        Unit vector about which it turns the object, world frame.
    pivot : (3,) float, metres
        A point on that axis.
    point : (3,) float, metres
        Where it pushes, from the centre of mass in the object's frame.
    arm : metres
        Distance of that point from the axis.
    turn : (3, 3) float
        Attitude of the object at the start.
    """

    axis: NDArray[np.float64]
    pivot: NDArray[np.float64]
    point: NDArray[np.float64]
    arm: float
    turn: NDArray[np.float64]


def slip(scene: Scene) -> Found:
    """Return the fields of the slip test, in the two directions from the state found."""
    rules, state, gauge = scene.settings.slip, save(scene), place_gauge(scene)
    readings = []
    for sign in (1.0, -1.0):
        restore(scene, state)
        readings.append(push(scene, gauge, sign))
    weak, strong = sorted(readings)
    told = {"slip_force_N": weak if weak >= rules.least else 0.0, "slip_other_N": strong}
    return told | {"slip_censored": weak >= rules.stop_force}, True


def place_gauge(scene: Scene, height: float | None = None) -> Gauge:
    """Return the gauge at the object's vertex furthest from the closing axis.

    Parameters
    ----------
    height : metres, optional
        Gripper z of the axis; None takes that of the contact forces.
    """
    T, now = scene.T_world_gripper, measure.pose(scene)
    pivot = T[:3, 3] + T[:3, 2] * (measure.touch(scene).height if height is None else height)
    own = scene.solid.vertices - scene.solid.center_mass
    place = own @ now.turn.T + now.place - pivot
    distance = np.linalg.norm(place - np.outer(place @ T[:3, 0], T[:3, 0]), axis=1)
    furthest = int(distance.argmax())
    return Gauge(T[:3, 0], pivot, own[furthest], float(distance[furthest]), now.turn)


def push(scene: Scene, gauge: Gauge, sign: float) -> float:
    """Turn the object until the angle is reached, the force is, or it is lost; return the greatest mean force in newtons."""
    rules, dt = scene.settings.slip, scene.settings.solver.timestep
    damping = 2 * math.sqrt(rules.stiffness * max(scene.mass, rules.least_mass)) * rules.damping * gauge.arm
    about, window, forces = sign * gauge.axis, scene.settings.steps(rules.window), []
    around = skew(about)
    for k in range(scene.settings.steps(rules.timeout)):
        R = attitude(scene)
        turned = _angle(R @ gauge.turn.T, about)
        if turned >= rules.angle:
            break
        rate = float(about @ spin(scene, R))
        spring = rules.stiffness * gauge.arm * (rules.rate * k * dt - turned) + damping * (rules.rate - rate)
        forces.append(min(max(spring, 0.0), rules.stop_force))
        lever = R @ gauge.point
        tangent = around @ (lever + scene.data.qpos[PLACE] - gauge.pivot)
        force = forces[-1] * tangent / math.sqrt(tangent @ tangent)
        motion.step(scene, force, skew(lever) @ force)
        if min(forces[-window * 5 :]) >= rules.stop_force and k >= window * 5 or _lost(scene, k):
            break
    motion.require_stable(scene)
    blur = np.ones(min(window, len(forces))) / min(window, len(forces))
    return float(min(np.convolve(forces, blur, "valid").max(), rules.stop_force))


def _lost(scene: Scene, k: int) -> bool:
    return k % CHECKS == CHECKS - 1 and min(measure.jaws(scene, measure.touch(scene))) <= 0


def _angle(turn: NDArray[np.float64], axis: NDArray[np.float64]) -> float:
    """Return the angle of a rotation (3, 3) about a unit vector, in (-pi, pi]."""
    sine = axis @ (turn[[2, 0, 1], [1, 2, 0]] - turn[[1, 2, 0], [2, 0, 1]])
    return math.atan2(sine, np.trace(turn) - axis @ turn @ axis)
