"""Inertial forces: what the object feels of the arm's motion in a frame that moves with the gripper, exactly.

The frame accelerates in a straight line, or turns by an angle theta about a fixed axis e through c. With the rotation rate
w = theta' and b = theta'', positions x from c, and angular velocity W of the object in the frame, the object of mass m and
inertia I feels

    F = m (R(-theta) g - g) - m (b E x + w^2 E E x + 2 w E v)
    T = -b I e - w I (e x W) - w e x (I W + w I e) - w W x (I e)

beside gravity g in the frame, with E the matrix of e x. (Newton and Euler in a rotating frame.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from physics.scene import Scene

FREE = slice(3, 9)  # velocities of the object, after the three slides of the table
PLACE, TURN = slice(3, 6), slice(6, 10)  # its coordinates


@dataclass(frozen=True, eq=False)
class Axis:
    """An axis about which the frame turns, with what does not change during a swing.

    Parameters
    ----------
    direction : (3,) float
        Unit vector e.
    centre : (3,) float, metres
        A point c on it.
    matrix, square : (3, 3) float
        E and E E.
    """

    direction: NDArray[np.float64]
    centre: NDArray[np.float64]
    matrix: NDArray[np.float64]
    square: NDArray[np.float64]

    @classmethod
    def through(cls, centre: NDArray[np.float64], direction: NDArray[np.float64]) -> Axis:
        """Return the axis along a unit vector through a point."""
        E = skew(direction)
        return cls(direction, centre, E, E @ E)


def skew(v: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the matrix (3, 3) of the cross product with v: np.cross costs more than a step of the engine."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def attitude(scene: Scene) -> NDArray[np.float64]:
    """Return the rotation (3, 3) of the object at this instant; the engine's own is that of the step before."""
    R = np.empty(9)
    mujoco.mju_quat2Mat(R, scene.data.qpos[TURN])
    return R.reshape(3, 3)


def turning(scene: Scene, axis: Axis, angle: float, rate: float, acceleration: float) -> tuple[NDArray, NDArray]:
    """Return force (N) and torque about the centre of mass (N m), (3,) each, in a frame that turns.

    Parameters
    ----------
    axis
        World frame, which is the one that turns.
    angle, rate, acceleration : rad, rad/s, rad/s^2
    """
    data, E, R = scene.data, axis.matrix, attitude(scene)
    velocity, spin = data.qvel[FREE][:3], R @ data.qvel[FREE][3:]
    x, g = data.qpos[PLACE] - axis.centre, scene.model.opt.gravity
    pull = -math.sin(angle) * (E @ g) + (1 - math.cos(angle)) * (axis.square @ g)
    force = scene.mass * (pull - acceleration * (E @ x) - rate**2 * (axis.square @ x) - 2 * rate * (E @ velocity))
    inertia = R @ scene.inertia @ R.T
    own = inertia @ axis.direction
    torque = -acceleration * own - rate * (inertia @ (E @ spin) + E @ (inertia @ spin + rate * own) - skew(own) @ spin)
    return force, torque
