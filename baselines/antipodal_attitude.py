"""Attitude: how the gripper may stand to a closing line, and how it stands best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grasp.strict import number, positive
from wrench.contacts import Contacts
from wrench.errors import InvalidValue

RIGHT = np.pi / 2
NONE = 1e-9  # metres, or sine of an angle, below which a vector tells no direction
UP = np.array([0.0, 0, 1])


@dataclass(frozen=True)
class Attitude:
    """How the gripper may stand.

    Parameters
    ----------
    preferred : (3,) float, table frame
        Direction in which the gripper would best approach, of any length. It comes as near to it as the closing axis allows.
    cone : radians
        Between the approach and straight down, at the most.
    slope : radians
        Between the line that joins the contacts and the level, at the most.
    """

    preferred: tuple[float, float, float]
    cone: float
    slope: float

    def __post_init__(self) -> None:
        for name in ("cone", "slope"):
            if positive(f"attitude.{name}", getattr(self, name), "rad") >= RIGHT:
                raise InvalidValue(f"attitude.{name}", getattr(self, name), "less than pi/2 rad")
        preferred = tuple(number(f"attitude.preferred[{i}]", value) for i, value in enumerate(self.preferred))
        if len(preferred) != 3 or not any(preferred):
            raise InvalidValue("attitude.preferred", preferred, "three numbers, not all 0")
        object.__setattr__(self, "preferred", preferred)

    def axes(self, ends: Contacts) -> NDArray[np.float64]:
        """Return the gripper's axes as columns of (n, 3, 3) for pairs of contacts (n,), the wide jaw's first; zero for none.

        Seen from above, the jaws close along the line between the ends. Pads are tall and have to lie flat on the walls they
        close on, so in elevation they close along the mean of the two normals: two vertical walls are grasped from straight
        above, wherever on them the ends lie.
        """
        line, facing = ends.points[:, 1] - ends.points[:, 0], ends.normals[:, 0] - ends.normals[:, 1]
        level = line * [1, 1, 0]
        along = np.einsum("ni,ni->n", facing, level) / _length(level)
        x = level / _length(level)[:, None] * along[:, None] + UP * facing[:, 2:]
        x = x / _length(x)[:, None]
        z = self._wish - (x @ self._wish)[:, None] * x
        told = (np.linalg.norm(level, axis=1) > NONE) & (np.linalg.norm(z, axis=1) > NONE)
        z = z / _length(z)[:, None]
        return np.where(told[:, None, None], np.stack([x, np.cross(z, x), z], -1), 0)

    def tilted(self, axes: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return where the approach of gripper axes (n, 3, 3) leaves the cone, (n,)."""
        return -axes[:, 2, 2] < np.cos(self.cone)

    def off(self, approach: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the angles (n,) in radians between approaches (n, 3), unit vectors, and the preferred one."""
        return np.arccos(np.clip(approach @ self._wish, -1, 1))

    @property
    def _wish(self) -> NDArray[np.float64]:
        return np.array(self.preferred) / np.linalg.norm(self.preferred)


def _length(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the lengths (n,) of vectors (n, 3), 1 for those too short to tell a direction."""
    length = np.linalg.norm(vectors, axis=1)
    return np.where(length > NONE, length, 1)
