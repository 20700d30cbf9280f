"""Provenance: what it takes to make a result again, and the conventions its numbers live under."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from typing import Any

import numpy as np

from grasp.strict import at_least, plain
from wrench.convention import Convention
from wrench.errors import InvalidValue
from wrench.reference import Origin, TorqueScale

PACKAGES = ("get-grasp", "numpy", "scipy", "numba", "shapely", "trimesh", "opencv-python-headless", "cvxpy", "mujoco")


@cache
def _installed() -> tuple[tuple[str, str], ...]:
    def found(name: str) -> list[tuple[str, str]]:
        try:
            return [(name, metadata.version(name))]
        except metadata.PackageNotFoundError:
            return []

    return (("python", platform.python_version()), *(pair for name in PACKAGES for pair in found(name)))


def versions() -> dict[str, str]:
    """Return the versions of Python and of those packages, of the ones that can change a number, that are installed."""
    return dict(_installed())


@dataclass(frozen=True)
class Seed:
    """Seed of a generator, as NumPy's `SeedSequence` has it.

    Parameters
    ----------
    entropy
        One or several integers.
    spawn_key
        Which child of the run's sequence; empty for the run itself.
    """

    entropy: int | tuple[int, ...]
    spawn_key: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        entropy: Any = self.entropy
        object.__setattr__(self, "entropy", tuple(map(int, entropy)) if np.ndim(entropy) else int(entropy))
        object.__setattr__(self, "spawn_key", tuple(map(int, self.spawn_key)))

    @classmethod
    def of(cls, rng: np.random.Generator) -> Seed:
        """Return the seed a generator was made from; what has been drawn from it since is not known."""
        sequence = rng.bit_generator.seed_seq
        if not isinstance(sequence, np.random.SeedSequence):
            raise InvalidValue("rng", type(sequence).__name__, "a generator made from a seed or a SeedSequence")
        entropy: Any = sequence.entropy
        return cls(entropy, sequence.spawn_key)

    def rng(self) -> np.random.Generator:
        """Return a fresh generator of this seed."""
        return np.random.default_rng(np.random.SeedSequence(self.entropy, spawn_key=self.spawn_key))


@dataclass(frozen=True)
class Provenance:
    """Who made a result, for which gripper, from which seed and settings.

    Parameters
    ----------
    planner, gripper
        Their names.
    seed
        Of the generator the planner was given.
    config
        The planner's settings, of the kinds JSON can hold; tuples become lists.
    versions
        As `versions` returns them.
    """

    planner: str
    gripper: str
    seed: Seed
    config: Mapping[str, Any]
    versions: Mapping[str, str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "config", plain("config", self.config))
        object.__setattr__(self, "versions", plain("versions", self.versions))


@dataclass(frozen=True, eq=False)
class Conventions:
    """What the metrics of a plan depend on besides the grasps.

    Parameters
    ----------
    friction
        Coulomb coefficient.
    torque_scale
        One length for the whole plan, with its rule.
    origin
        One point, with its rule; same frame and dimension as the contacts.
    convention
        What epsilon means.
    perturbation
        The draws that the means were taken over, units in the keys: ``{"sigma_m": ..., "samples": ...}``.
    """

    friction: float
    torque_scale: TorqueScale
    origin: Origin
    convention: Convention
    perturbation: Mapping[str, Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "friction", at_least("friction", self.friction, 0, ""))
        object.__setattr__(self, "perturbation", plain("perturbation", self.perturbation))
        if self.torque_scale.metres.shape or self.origin.point.ndim != 1:
            shapes = (self.torque_scale.metres.shape, self.origin.point.shape)
            raise InvalidValue("shapes of torque scale and origin", shapes, "(), (d,): one of each for the whole plan")
