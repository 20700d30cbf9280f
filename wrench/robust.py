"""Robustness: what a grasp is worth on average when it is not quite where it was planned, and the order that follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wrench.checks import frozen, require_at_least
from wrench.errors import InvalidValue
from wrench.quality import Quality

TIE = 9  # decimals to which two mean epsilons or contact counts are told apart when ranking


@dataclass(frozen=True)
class Perturbation:
    """Gaussian errors of execution and of knowledge, independent of each other.

    Parameters
    ----------
    sigma : metres
        Standard deviation of the translation, per axis.
    samples
        Number of draws, at least 1.
    rotation : radians
        Standard deviation of the rotation: the angle in the plane, each component of the rotation vector in space.
    friction
        Standard deviation of the friction coefficient.
    origin : metres
        Standard deviation of the centre of mass, per axis.
    """

    sigma: float
    samples: int
    rotation: float = 0.0
    friction: float = 0.0
    origin: float = 0.0

    def __post_init__(self) -> None:
        for field in ("sigma", "rotation", "friction", "origin"):
            require_at_least(f"perturbation.{field}", getattr(self, field), 0)
        if not isinstance(self.samples, (int, np.integer)) or self.samples < 1:
            raise InvalidValue("perturbation.samples", self.samples, "a whole number of at least 1")

    def draws(self, rng: np.random.Generator, dimension: int) -> Draws:
        """Return one set of draws, to be shared by all candidates so that their ranking is fair.

        Every kind of error takes its own share of the stream whether it is used or not, so that switching one on leaves
        the others' draws as they were.
        """
        s, turns = self.samples, 1 if dimension == 2 else 3
        normal = rng.standard_normal((s, 2 * dimension + turns + 1))
        parts = np.split(normal, [dimension, dimension + turns, dimension + turns + 1], axis=1)
        scales = (self.sigma, self.rotation, self.friction, self.origin)
        translation, rotation, friction, origin = (p * scale for p, scale in zip(parts, scales, strict=True))
        return Draws(translation, rotation[:, 0] if dimension == 2 else rotation, friction[:, 0], origin)


@dataclass(frozen=True, eq=False)
class Draws:
    """Draws of a Perturbation; the draw axis comes first.

    Parameters
    ----------
    translation : (s, d) metres
    rotation : (s,) radians in the plane, (s, 3) radians (rotation vectors) in space
    friction : (s,) added to the coefficient, which stays at 0 or above
    origin : (s, d) metres, added to the centre of mass
    """

    translation: NDArray[np.float64]
    rotation: NDArray[np.float64]
    friction: NDArray[np.float64]
    origin: NDArray[np.float64]

    def __post_init__(self) -> None:
        for field in ("translation", "rotation", "friction", "origin"):
            object.__setattr__(self, field, frozen(getattr(self, field)))

    def __len__(self) -> int:
        return len(self.translation)

    def frictions(self, friction: float) -> NDArray[np.float64]:
        """Return the friction coefficient (s,) under every draw, never below 0."""
        return np.maximum(friction + self.friction, 0)


@dataclass(frozen=True, eq=False)
class Robustness:
    """Averages over the draws of a batch (*b,) of grasps.

    Parameters
    ----------
    closed : (*b,) int
        Number of draws in force closure.
    samples : int
        Number of draws.
    mean_contacts : (*b,) float
        Mean number of made contacts.
    mean_epsilon : (*b,) float
        Mean epsilon; draws without closure count 0 (`paper`).
    """

    closed: NDArray[np.int64]
    samples: int
    mean_contacts: NDArray[np.float64]
    mean_epsilon: NDArray[np.float64]

    @classmethod
    def of(cls, quality: Quality) -> Robustness:
        """Average over the last batch axis, the draws: (*b, s) -> (*b,)."""
        return cls(
            frozen(quality.closure.sum(-1), np.int64),
            quality.closure.shape[-1],
            frozen(quality.contacts.mean(-1)),
            frozen(quality.mean_epsilon(-1)),
        )

    @property
    def closure_rate(self) -> NDArray[np.float64]:
        """Share of the draws in force closure, (*b,)."""
        return self.closed / self.samples

    def interval(self, confidence: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the Wilson interval of the closure rate, (*b,) each."""
        return wilson(self.closed, self.samples, confidence)

    def __len__(self) -> int:
        return len(self.closed)

    def __getitem__(self, index: Any) -> Robustness:
        """Index the batch axes of every field alike."""
        return Robustness(self.closed[index], self.samples, self.mean_contacts[index], self.mean_epsilon[index])


def wilson(successes: Any, trials: Any, confidence: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the score interval of a proportion (Wilson 1927), elementwise; (0, 1) where there was no trial."""
    from scipy.special import ndtri  # slow to import, and only needed here

    if not 0 < confidence < 1:
        raise InvalidValue("confidence", confidence, "between 0 and 1")
    k, n = np.asarray(successes, float), np.maximum(np.asarray(trials, float), 1e-300)
    z2 = ndtri((1 + confidence) / 2) ** 2
    middle = (k + z2 / 2) / (n + z2)
    half = np.sqrt(z2 * (k * (n - k) / n + z2 / 4)) / (n + z2)
    return np.maximum(middle - half, 0), np.minimum(middle + half, 1)


def order(robustness: Robustness, runs: NDArray[np.int64] | None = None) -> NDArray[np.intp]:
    """Return the indices (n,) of grasps (n,), best first.

    Closure rate, then mean contacts, then mean epsilon (arXiv 2604.26212, section V). Neighbouring candidates that tie in
    all three form a plateau, as along a parallel edge; its middle comes first, since the first index of a plateau is the
    end nearest to whichever way the sampler happened to walk.

    Parameters
    ----------
    robustness : batch (n,)
    runs : (n,) int, optional
        Walks of the sampler (one per edge, say): a plateau does not reach from one into the next.
    """
    n = len(robustness)
    contacts, epsilon = np.round(robustness.mean_contacts, TIE), np.round(robustness.mean_epsilon, TIE)
    keys = [robustness.closed, contacts, epsilon, np.zeros(n) if runs is None else np.asarray(runs)]
    begins = np.ones(n, bool)
    begins[1:] = np.any([key[1:] != key[:-1] for key in keys], axis=0)
    start = np.flatnonzero(begins)
    length = np.diff(np.append(start, n))
    plateau = np.cumsum(begins) - 1
    off_middle = np.abs(np.arange(n) - (start + (length - 1) / 2)[plateau])
    return np.lexsort((np.arange(n), -length[plateau], off_middle, -epsilon, -contacts, -robustness.closed))
