"""Object sets: where the objects of an experiment come from, and in which order; `objects.placed` lays them on the table."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from grasp.errors import InvalidValue
from grasp.strict import at_least, positive
from objects.doctor import Doctor
from objects.load import ENDINGS
from objects.placed import ObjectSet
from objects.solid import Solid
from objects.stable import Rest


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


@dataclass(frozen=True)
class Blocks:
    """Rectangular blocks.

    Parameters
    ----------
    sizes
        By name, the three edges in metres.
    rest
        Which poses are taken.
    """

    sizes: Mapping[str, Sequence[float]]
    rest: Rest

    def __post_init__(self) -> None:
        _check_names("objects.sizes", self.names, self.names)
        for name, edges in self.sizes.items():
            if len([positive(f"objects.sizes.{name}[{i}]", edge, "m") for i, edge in enumerate(edges)]) != 3:
                raise InvalidValue(f"objects.sizes.{name}", list(edges), "three edges in metres")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the blocks."""
        return tuple(self.sizes)

    def load(self, name: str) -> Solid:
        """Return a block about the origin."""
        import trimesh

        return Solid.from_trimesh(name, trimesh.creation.box(self.sizes[name]))


@dataclass(frozen=True)
class Joined:
    """Several sets as one.

    Parameters
    ----------
    sets
        One after the other; no two have an object of the same name.
    rest
        Which poses are taken of all of them.
    """

    sets: tuple[ObjectSet, ...]
    rest: Rest

    def __post_init__(self) -> None:
        object.__setattr__(self, "sets", tuple(self.sets))
        _check_names("objects.sets: names", self.names, self.names)

    @property
    def names(self) -> tuple[str, ...]:
        """The names in all sets."""
        return tuple(name for each in self.sets for name in each.names)

    def load(self, name: str) -> Solid:
        """Return an object of one of the sets."""
        return next(each.load(name) for each in self.sets if name in each.names)


def _check_names(field: str, given: tuple[str, ...], known: tuple[str, ...]) -> None:
    wrong = [name for name in given if name not in known]
    if wrong or len(set(given)) < len(given) or not given:
        raise InvalidValue(field, list(given), f"different ones of {', '.join(known)}")
