"""Object sets: where the objects of an experiment come from, in which poses, and in which order.

A set knows its names at once and makes each solid only when it is asked for, so a long loop can show how far it is (over
`names`), start anywhere, and hold one object at a time. What one object draws at random does not depend on the others.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from grasp.errors import GraspError, InvalidValue, PerceptionError
from grasp.reasons import Reason
from grasp.strict import at_least
from objects.doctor import Doctor
from objects.load import ENDINGS
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
        UNSOUND_MESH.
    detail
        One sentence with the numbers of this case.
    """

    object: str
    reason: Reason
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
    except GraspError as error:
        known = isinstance(error, PerceptionError)
        return Failure(name, error.reason, error.detail) if known else Failure(name, Reason.UNSOUND_MESH, str(error))
    return tuple(
        Placed(name, f"pose{k}", solid.posed(p.T_table_object), p.T_table_object, p.probability, p.margin)
        for k, p in enumerate(resting_poses(solid, objects.rest))
    )


def placements(objects: ObjectSet) -> Iterator[Placed | Failure]:
    """Yield every object of a set in every pose, and a failure for each that cannot be used."""
    for name in objects.names:
        found = place(objects, name)
        yield from (found,) if isinstance(found, Failure) else found


@dataclass(frozen=True)
class MeshDir:
    """The meshes in a folder, by file name, in alphabetical order; other files and folders in it are passed over.

    Parameters
    ----------
    folder
        Where they are.
    unit
        Of all of them, as for `Doctor.load`.
    doctor, rest
        What is repaired or refused, and which poses are taken.

    Raises
    ------
    InvalidValue
        No such folder, or one without meshes.
    """

    folder: str
    unit: str | float | None
    doctor: Doctor
    rest: Rest

    def __post_init__(self) -> None:
        if not Path(self.folder).is_dir():
            raise InvalidValue("objects.folder", self.folder, "the name of an existing folder")
        if not self.names:
            raise InvalidValue("objects.folder", self.folder, f"one with files that end in {', '.join(ENDINGS)}")

    @property
    def names(self) -> tuple[str, ...]:
        """The file names."""
        return tuple(sorted(path.name for path in Path(self.folder).iterdir() if path.suffix.lower() in ENDINGS))

    def load(self, name: str) -> Solid:
        """Return the solid in a file."""
        return self.doctor.load(Path(self.folder) / name, self.unit)


@dataclass(frozen=True)
class Shapes:
    """Shapes of `objects.shapes`.

    Parameters
    ----------
    names
        Which, in this order.
    rest
        Which poses are taken.
    """

    names: tuple[str, ...]
    rest: Rest

    def __post_init__(self) -> None:
        from objects import shapes  # solid modelling is slow to import

        _check_names("objects.names", self.names, shapes.NAMES)
        object.__setattr__(self, "names", tuple(self.names))

    def load(self, name: str) -> Solid:
        """Return a shape."""
        from objects import shapes

        return Solid.from_trimesh(name, shapes.make(name))


@dataclass(frozen=True)
class Family:
    """Random solids of `objects.family`, named ``"ring_003"``. Each depends on the seed and its own name only.

    Parameters
    ----------
    kinds
        Which, in this order.
    count
        Solids of each kind.
    seed
        Root of all of them.
    rest
        Which poses are taken.
    """

    kinds: tuple[str, ...]
    count: int
    seed: int
    rest: Rest

    def __post_init__(self) -> None:
        from objects import family  # solid modelling is slow to import

        _check_names("objects.kinds", self.kinds, family.KINDS)
        at_least("objects.count", self.count, 1, "solid")
        object.__setattr__(self, "kinds", tuple(self.kinds))

    @property
    def names(self) -> tuple[str, ...]:
        """Kind and number."""
        return tuple(f"{kind}_{i:03d}" for kind in self.kinds for i in range(self.count))

    def load(self, name: str) -> Solid:
        """Return the solid of that name."""
        from objects import family

        rng = np.random.default_rng([self.seed, zlib.crc32(name.encode())])
        return Solid.from_trimesh(name, family.make(name.rpartition("_")[0], rng))


def _check_names(field: str, given: tuple[str, ...], known: tuple[str, ...]) -> None:
    wrong = [name for name in given if name not in known]
    if wrong or len(set(given)) < len(given) or not given:
        raise InvalidValue(field, list(given), f"different ones of {', '.join(known)}")
