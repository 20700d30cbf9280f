"""Statistics of paired comparisons: proportions, exact tests of pairs, and intervals of means and medians."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wrench import wilson
from wrench.errors import InvalidValue


@dataclass(frozen=True)
class Estimate:
    """A number, the interval it lies in, and how many observations it rests on.

    Parameters
    ----------
    value, low, high
        In the unit of the observations; NaN where there are none.
    n
        Number of observations.
    """

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class Discordance:
    """How often only one of two methods succeeded on the same units.

    Parameters
    ----------
    first, second
        Number of units where the first, or the second, alone succeeded.
    n
        Number of pairs.
    p
        Two-sided, of the exact test that both are equally likely.
    """

    first: int
    second: int
    n: int
    p: float


@dataclass(frozen=True)
class Statistics:
    """How a report draws its intervals. The numbers stand in ``conf/compare.yaml``.

    Parameters
    ----------
    confidence
        Of every interval.
    resamples
        Of every bootstrap.
    seed
        Of every bootstrap: the same draws for all, so that none depends on which came before.
    """

    confidence: float
    resamples: int
    seed: int

    def __post_init__(self) -> None:
        if not 0 < self.confidence < 1:
            raise InvalidValue("statistics.confidence", self.confidence, "between 0 and 1")
        if self.resamples < 1:
            raise InvalidValue("statistics.resamples", self.resamples, "at least 1")

    def share(self, flags: ArrayLike, clusters: Sequence[Any] | None = None) -> Estimate:
        """Return `proportion` of the flags (n,)."""
        return proportion(flags, self.confidence, clusters)

    def mean(self, values: ArrayLike, clusters: ArrayLike) -> Estimate:
        """Return the mean of the values (n,) with its `bootstrap` interval."""
        return self._drawn(values, clusters, np.mean)

    def median(self, values: ArrayLike, clusters: ArrayLike) -> Estimate:
        """Return the median of the values (n,) with its `bootstrap` interval."""
        return self._drawn(values, clusters, np.median)

    def _drawn(self, values: ArrayLike, clusters: ArrayLike, statistic: Callable[[NDArray], Any]) -> Estimate:
        rng = np.random.default_rng(self.seed)
        return bootstrap(values, clusters, statistic, confidence=self.confidence, resamples=self.resamples, rng=rng)


def proportion(flags: ArrayLike, confidence: float, clusters: Sequence[Any] | None = None) -> Estimate:
    """Return the share of the true flags (n,) with its Wilson interval.

    Parameters
    ----------
    clusters : (n,)
        Which flags repeat one another, such as the seeds of one placement: the interval is that of as many trials as there
        are clusters. None: none do.
    """
    found = np.asarray(flags, bool)
    share = float(found.mean()) if len(found) else np.nan
    count = len(found) if clusters is None else len(set(clusters))
    low, high = wilson(share * count if len(found) else 0, count, confidence)
    return Estimate(share, float(low), float(high), len(found))


def mcnemar(first: ArrayLike, second: ArrayLike, clusters: Sequence[Any] | None = None) -> Discordance:
    """Return the exact test of paired successes (McNemar 1947), by the binomial law of the pairs that disagree.

    Parameters
    ----------
    first, second : (n,) bool
        Success of two methods on the same units, in the same order.
    clusters : (n,)
        Which units repeat one another; each cluster then counts as one pair, for the method that succeeded more often in
        it. None: none do.
    """
    from scipy.stats import binomtest  # slow to import

    a, b = _paired(first, second, bool)
    names = list(range(len(a))) if clusters is None else list(clusters)
    place = {name: i for i, name in enumerate(dict.fromkeys(names))}
    lead = np.bincount([place[name] for name in names], a.astype(float) - b, len(place))
    alone, other = int((lead > 0).sum()), int((lead < 0).sum())
    p = binomtest(alone, alone + other).pvalue if alone + other else 1.0
    return Discordance(alone, other, len(place), float(p))


def bootstrap(
    values: ArrayLike,
    clusters: ArrayLike,
    statistic: Callable[[NDArray], Any],
    *,
    confidence: float,
    resamples: int,
    rng: np.random.Generator,
) -> Estimate:
    """Return a statistic with its percentile bootstrap interval (Efron 1979), whole clusters drawn with replacement.

    Results on one object resemble each other, so the objects are drawn and not the trials on them. For paired methods
    give the differences within pairs.

    Parameters
    ----------
    values : (n,) float
    clusters : (n,)
        Which cluster each value belongs to.
    statistic
        ``np.mean``, ``np.median``; draws in which it is NaN, undefined, are left out.
    confidence
        Of the interval.
    resamples
        Number of times the clusters are drawn.
    rng
        Fresh generator.
    """
    found = np.asarray(values, float)
    if not len(found):
        return Estimate(np.nan, np.nan, np.nan, 0)
    names, member = np.unique(np.asarray(clusters), return_inverse=True)
    counts = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=resamples)  # (resamples, clusters)
    redrawn = [statistic(np.repeat(found, count[member])) for count in counts]
    low, high = np.nanquantile(redrawn, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Estimate(float(statistic(found)), float(low), float(high), len(found))


def _paired(first: ArrayLike, second: ArrayLike, dtype: type) -> tuple[NDArray, NDArray]:
    a, b = np.asarray(first, dtype), np.asarray(second, dtype)
    if a.shape != b.shape or a.ndim != 1:
        raise InvalidValue("shapes of the pairs", (a.shape, b.shape), "(n,) and the same for both")
    return a, b
