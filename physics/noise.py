"""Noise: what differs from trial to trial: where the gripper arrives, the object's mass, the friction and the grip force."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from grasp.plan import Grasp
from grasp.strict import at_least, positive
from wrench.errors import InvalidValue


@dataclass(frozen=True)
class Noise:
    """How far trials differ.

    Parameters
    ----------
    sigma : metres
        Standard deviation of the gripper's place along the table's x and y.
    yaw : rad
        Standard deviation of its heading.
    mass, friction, force
        Least and greatest factor on the object's mass, the pads' friction and the grip force; the logarithm is drawn
        uniformly, and ``(1, 1)`` leaves them alone.
    """

    sigma: float
    yaw: float
    mass: tuple[float, ...]
    friction: tuple[float, ...]
    force: tuple[float, ...]

    def __post_init__(self) -> None:
        for name, unit in {"sigma": "m", "yaw": "rad"}.items():
            object.__setattr__(self, name, at_least(f"Noise.{name}", getattr(self, name), 0, unit))
        for name in ("mass", "friction", "force"):
            given = tuple(positive(f"Noise.{name}[{i}]", v, "") for i, v in enumerate(getattr(self, name)))
            if len(given) != 2 or given[0] > given[1]:
                raise InvalidValue(f"Noise.{name}", given, "a least and a greatest factor")
            object.__setattr__(self, name, given)


def noisy(grasp: Grasp, rng: np.random.Generator, noise: Noise) -> Grasp:
    """Return a grasp whose pose is off by normal draws; its contacts and metrics stay those that were planned.

    Parameters
    ----------
    rng
        Three numbers are drawn whatever the arguments: equal generators give equal displacements for all planners.
    noise
        Of it, `sigma`, and `yaw` about the vertical through the gripper's origin.
    """
    x, y, turn = rng.normal(size=3) * [noise.sigma, noise.sigma, noise.yaw]
    c, s = np.cos(turn), np.sin(turn)
    T = np.array(grasp.T_table_gripper)
    T[:3, :3] = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ T[:3, :3]
    T[:2, 3] += x, y
    return replace(grasp, T_table_gripper=T)
