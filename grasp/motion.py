"""Motion: straight moves from rest to rest with the least jerk, in closed form.

Of all moves over a length L in a time T that begin and end at rest and without acceleration, the one of least mean squared
jerk is a polynomial of degree five (Flash and Hogan 1985). Its peaks are

    speed         15/8 L/T          at T/2
    acceleration  10/sqrt(3) L/T^2  at (1 -+ 1/sqrt(3)) T/2
    jerk          60 L/T^3          at both ends

so limits of speed and acceleration give the shortest time by one root each.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grasp.frames import require_pose
from grasp.strict import number, positive
from wrench.checks import frozen, require_vectors

PEAK_SPEED = 15 / 8  # of a unit move in unit time
PEAK_ACCELERATION = 10 / math.sqrt(3)


def least_jerk(u: NDArray[np.float64]) -> tuple[NDArray, NDArray, NDArray]:
    """Return place, speed and acceleration of a unit move in unit time, from rest to rest (Flash and Hogan 1985)."""
    return u**3 * (10 - 15 * u + 6 * u**2), 30 * u**2 * (1 - u) ** 2, 60 * u * (1 - u) * (1 - 2 * u)


@dataclass(frozen=True)
class Limits:
    """What a move must keep to: `top_speed` in m/s, `top_acceleration` in m/s^2, and `least_time` in s."""

    top_speed: float
    top_acceleration: float
    least_time: float

    def __post_init__(self) -> None:
        units = ("m/s", "m/s^2", "s")
        for field, unit in zip(fields(self), units, strict=True):
            value = positive(f"limits.{field.name}", getattr(self, field.name), unit)
            object.__setattr__(self, field.name, value)

    def duration(self, length: float) -> float:
        """Return the shortest time in s of a move over a length in metres."""
        by_speed = PEAK_SPEED * length / self.top_speed
        by_acceleration = math.sqrt(PEAK_ACCELERATION * length / self.top_acceleration)
        return max(by_speed, by_acceleration, self.least_time)


@dataclass(frozen=True, eq=False)
class Move:
    """A straight move without turning, from rest to rest.

    Parameters
    ----------
    T_begin : (4, 4) float
        Pose at the beginning, table frame, metres.
    way : (3,) float, metres
        From there to the end, table frame.
    begin, duration : s
        On the clock of whoever carries it out.

    Raises
    ------
    InvalidValue
        A pose that is none, numbers that are not finite, or a duration that is not positive.
    """

    T_begin: NDArray[np.float64]
    way: NDArray[np.float64]
    begin: float
    duration: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "T_begin", require_pose("move.T_begin", self.T_begin))
        object.__setattr__(self, "way", frozen(require_vectors("move.way", self.way, 3)))
        object.__setattr__(self, "begin", number("move.begin", self.begin))
        object.__setattr__(self, "duration", positive("move.duration", self.duration, "s"))

    @classmethod
    def within(cls, limits: Limits, T_begin: ArrayLike, way: ArrayLike, begin: float) -> Move:
        """Return the fastest such move that keeps to the limits."""
        length = float(np.linalg.norm(require_vectors("move.way", way, 3)))
        return cls(np.asarray(T_begin), np.asarray(way), begin, limits.duration(length))

    @property
    def end(self) -> float:
        """When it ends, s."""
        return self.begin + self.duration

    @property
    def length(self) -> float:
        """Metres."""
        return float(np.linalg.norm(self.way))

    @property
    def peak_speed(self) -> float:
        """m/s, halfway."""
        return PEAK_SPEED * self.length / self.duration

    @property
    def peak_acceleration(self) -> float:
        """m/s^2, a fifth of the time after the beginning and before the end."""
        return PEAK_ACCELERATION * self.length / self.duration**2

    def at(self, time: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return where it is at times (*b) in s; before the beginning and after the end it stands still.

        Returns
        -------
        T : (*b, 4, 4) float
            Poses, table frame.
        velocity, acceleration : (*b, 3) float
            m/s and m/s^2, table frame.
        """
        u = np.clip((np.asarray(time, float) - self.begin) / self.duration, 0, 1)[..., None]
        place, speed, push = least_jerk(u)
        T = np.broadcast_to(self.T_begin, (*u.shape[:-1], 4, 4)).copy()
        T[..., :3, 3] += place * self.way
        return T, speed / self.duration * self.way, push / self.duration**2 * self.way
