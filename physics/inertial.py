"""Inertial forces: what the object feels of the arm's motion in a frame that moves with the gripper, exactly.

The frame turns by an angle theta about a fixed axis e through c, at a rate w = theta' and an acceleration b = w'. With
gravity g, the position x from c and velocity v of its centre of mass, and its angular velocity W in the frame, an object of
mass m and inertia I feels, beside m g,

    F = m (R(-theta) g - g) - m (b E x + w^2 E E x + 2 w E v)
    T = -b I e - w I E W - w E (I W + w I e) + w [I e] W

where E = [e] is the matrix of the cross product e x. (Newton and Euler in a rotating frame.)
"""

# pyright: reportAttributeAccessIssue=none
from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np
from numba import njit
from numpy.typing import NDArray

from physics.scene import Scene
from wrench.checks import frozen

PLACE, TURN = slice(3, 6), slice(6, 10)  # coordinates of the object, after the three slides of the table
SPEED, SPIN = slice(3, 6), slice(6, 9)  # its velocities: along the world's axes, and about its own


@dataclass(frozen=True, eq=False)
class Axis:
    """An axis about which the frame turns, fixed in space.

    Parameters
    ----------
    direction : (3,) float
        Unit vector.
    centre : (3,) float, metres
        A point on it.
    """

    direction: NDArray[np.float64]
    centre: NDArray[np.float64]

    def __post_init__(self) -> None:
        object.__setattr__(self, "direction", frozen(self.direction))
        object.__setattr__(self, "centre", frozen(self.centre))


def attitude(scene: Scene) -> NDArray[np.float64]:
    """Return the rotation (3, 3) of the object at this instant; the engine's own is that of the step before."""
    R = np.empty(9)
    mujoco.mju_quat2Mat(R, scene.data.qpos[TURN])
    return R.reshape(3, 3)


def spin(scene: Scene, R: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the angular velocity (3,) of the object in rad/s, world frame, from its attitude R."""
    return R @ scene.data.qvel[SPIN]


def turning(
    scene: Scene, axis: Axis, angle: float, rate: float, acceleration: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return force (N) and torque about the centre of mass (N m), (3,) each, in a frame that turns.

    Parameters
    ----------
    axis
        World frame, which is the one that turns.
    angle, rate, acceleration : rad, rad/s, rad/s^2
    """
    data, R = scene.data, attitude(scene)
    position, gravity = data.qpos[PLACE] - axis.centre, scene.model.opt.gravity
    motion = (angle, rate, acceleration)
    return _turning(
        scene.mass, R @ scene.inertia @ R.T, position, data.qvel[SPEED], spin(scene, R), gravity, axis.direction, motion
    )


@njit(cache=True)
def skew(v):
    """Return the matrix (3, 3) of the cross product with v."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


@njit(cache=True)
def _turning(m, inertia, x, v, W, g, e, motion):
    """Return F and T of the formulas above."""
    theta, w, b = motion
    E = skew(e)
    pull = -math.sin(theta) * (E @ g) + (1 - math.cos(theta)) * (E @ (E @ g))  # R(-theta) g - g
    force = m * (pull - b * (E @ x) - w * w * (E @ (E @ x)) - 2 * w * (E @ v))
    Ie = inertia @ e
    torque = -b * Ie - w * (inertia @ (E @ W)) - w * (E @ (inertia @ W + w * Ie)) + w * (skew(Ie) @ W)
    return force, torque
