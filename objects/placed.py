"""Placed: the objects of a set, at rest on the table z = 0, one after the other.

A set knows its names at once and makes a solid only when it is asked for one, so a long loop can show how far it is (over
`names`), start anywhere, and hold one object at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from grasp.errors import GraspError, PerceptionError
from grasp.reasons import Reason
from objects.solid import Solid
from objects.stable import Rest, resting_poses


@dataclass(frozen=True, eq=False)
class Placed:
    """An object at rest on the table z = 0.

    Parameters
    ----------
    object
        Its name in the set.
    pose
        Name of the pose, ``"pose0"`` the most probable.
    solid
        In the table frame, centre of mass above the origin.
    T_table_object : (4, 4) float, metres
        What moved it there from its own frame.
    probability
        Chance of this pose from a random attitude.
    margin
        Metres from the projected centre of mass to the border of the support.
    """

    object: str
    pose: str
    solid: Solid
    T_table_object: NDArray[np.float64]
    probability: float
    margin: float


@dataclass(frozen=True)
class Failure:
    """An object of a set that cannot be used, and why.

    Parameters
    ----------
    object
        Its name in the set.
    reason
        UNSOUND_MESH, or None where it is not the surface that is at fault but what was asked of it, such as its unit.
    detail
        One sentence with the numbers of this case.
    """

    object: str
    reason: Reason | None
    detail: str


class ObjectSet(Protocol):
    """Objects by name, in a fixed order; `place` and `placements` put them on the table."""

    @property
    def rest(self) -> Rest:
        """Which of their resting poses are taken."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """Every object, whether it can be used or not."""
        ...

    def load(self, name: str) -> Solid:
        """Return an object in its own frame; a `GraspError` if it cannot be used."""
        ...


def place(objects: ObjectSet, name: str) -> tuple[Placed, ...] | Failure:
    """Return an object in its resting poses, most probable first, or why it cannot be used.

    There are fewer poses than asked for where the object has no more.
    """
    try:
        solid = objects.load(name)
    except PerceptionError as error:
        return Failure(name, error.reason, error.detail)
    except GraspError as error:
        return Failure(name, None, str(error))
    poses = resting_poses(solid, objects.rest)
    if not poses:
        return Failure(name, None, f"{name} has no resting pose with a margin above {objects.rest.margin:g} m.")
    return tuple(
        Placed(name, f"pose{k}", solid.posed(p.T_table_object), p.T_table_object, p.probability, p.margin)
        for k, p in enumerate(poses)
    )


def placements(objects: ObjectSet) -> Iterator[Placed | Failure]:
    """Yield every object of a set in every pose, and a failure for each that cannot be used."""
    for name in objects.names:
        found = place(objects, name)
        yield from (found,) if isinstance(found, Failure) else found
