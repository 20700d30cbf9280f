"""Closed forms for sizing a squeeze: how hard to press, how much a press holds, how hard a motor presses.

They assume that the load hangs straight down from the contacts and that friction alone carries it; `wrench.squeeze`
drops both assumptions. The acceleration stands in the formula, so the safety factor covers uncertainty only. A lift
adds its acceleration to gravity; taking the greatest acceleration of any direction is on the safe side.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wrench.checks import require_at_least, require_positive


def pad_force(
    mass: ArrayLike, *, friction: ArrayLike, gravity: ArrayLike, acceleration: ArrayLike, safety: ArrayLike
) -> NDArray[np.float64]:
    """Return the force with which each of two opposed pads must press to hold a mass by friction.

    F = m (g + a) S / (2 mu), from 2 mu F / S >= m (g + a) (Robotiq 2F-85 manual, W = 2 F Cf / Sf, solved for F).

    Parameters
    ----------
    mass : (*b) kg
    friction : (*b) float
        Coulomb coefficient, greater than 0.
    gravity : (*b) m/s^2
    acceleration : (*b) m/s^2
        Upward acceleration of the gripper, at least 0.
    safety : (*b) float
        At least 1; divides the friction that is counted on.

    Returns
    -------
    (*b) float, newtons
        Per pad, not the sum of both.

    Raises
    ------
    InvalidValue
        A number outside its range; the message names it.
    """
    friction, safety = require_positive("friction", friction), require_at_least("safety", safety, 1)
    return _load(mass, gravity, acceleration) * safety / (2 * friction)


def cone_ratio(
    normal_forces: ArrayLike, *, mass: ArrayLike, friction: ArrayLike, gravity: ArrayLike, acceleration: ArrayLike
) -> NDArray[np.float64]:
    """Return friction available over load to carry, mu sum(N) / (m (g + a)): below 1 the object slides.

    Parameters
    ----------
    normal_forces : (*b, k) newtons
        Normal force of every contact, at least 0.
    mass, friction, gravity, acceleration : (*b)
        As for `pad_force`; friction may be 0.

    Returns
    -------
    (*b) float
    """
    return _friction_force(normal_forces, friction) / _load(mass, gravity, acceleration)


def heaviest_mass(
    normal_forces: ArrayLike,
    *,
    friction: ArrayLike,
    gravity: ArrayLike,
    acceleration: ArrayLike,
    safety: ArrayLike = 1.0,
) -> NDArray[np.float64]:
    """Return the heaviest mass that friction holds, mu sum(N) / (S (g + a)), in kg.

    Parameters
    ----------
    normal_forces : (*b, k) newtons
        Normal force of every contact, at least 0.
    friction, gravity, acceleration : (*b)
        As for `pad_force`; friction may be 0.
    safety : (*b) float, optional
        At least 1; without it the mass is the one at which the object begins to slide.

    Returns
    -------
    (*b) float, kg
    """
    safety = require_at_least("safety", safety, 1)
    return _friction_force(normal_forces, friction) / (safety * _load(1.0, gravity, acceleration))


def squeeze_from_torque(torque: ArrayLike, lever: ArrayLike) -> NDArray[np.float64]:
    """Return the squeeze N1 + N2 of a jaw pair whose motor stalls at a torque, 2 tau / r.

    Both jaws press F = tau / r: the object passes the force of one on to the other, so it is not split between them.
    Virtual work, tau d(angle) = F d(opening), says what r is: the opening lost per radian of the motor. It is the
    length of the arm when one jaw turns about a hinge against a fixed one, and **twice** the pinion's radius when
    one pinion drives the racks of both jaws, since the opening then shrinks at twice the speed of a jaw.

    Parameters
    ----------
    torque : (*b) newton metres
        Stall torque or torque cap, at the shaft where `lever` is measured, losses already taken off; at least 0.
    lever : (*b) metres per radian
        Closing of the opening per radian of that shaft, greater than 0.

    Returns
    -------
    (*b) float, newtons
        Sum over both jaws; half of it is the grip force of `wrench.squeeze`.
    """
    return 2 * require_at_least("torque", torque, 0, "N m") / require_positive("lever", lever, "m")


def _load(mass: ArrayLike, gravity: ArrayLike, acceleration: ArrayLike) -> NDArray[np.float64]:
    """Return m (g + a) in newtons, refusing what is not positive."""
    rate = require_at_least("gravity", gravity, 0, "m/s^2") + require_at_least("acceleration", acceleration, 0, "m/s^2")
    return require_positive("mass", mass, "kg") * require_positive("gravity + acceleration", rate, "m/s^2")


def _friction_force(normal_forces: ArrayLike, friction: ArrayLike) -> NDArray[np.float64]:
    """Return mu sum(N) in newtons."""
    return require_at_least("friction", friction, 0) * require_at_least("normal_forces", normal_forces, 0, "N").sum(-1)
