"""How well a metric predicts an outcome: ROC-AUC of what either happens or not, rank correlation of what has a size.

Over all candidates together, and within placements: there, only grasps of the same object in the same pose are compared,
which is what a planner does when it chooses one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from experiments.predict_metrics import Tried
from experiments.stats import Estimate, Statistics, bootstrap

OUTCOMES = ("lifted", "shaken", "shake_margin", "slip_force")
FEW = 4  # candidates of a placement, below which nothing is said of it
Measure = Callable[[NDArray, NDArray], float]


def auc(told: NDArray[np.float64], happened: NDArray[np.bool_]) -> float:
    """Return the chance that a candidate of which it happened has the greater metric, ties counting half.

    Parameters
    ----------
    told : (n,) float
    happened : (n,) bool

    Returns
    -------
    float
        ROC-AUC (Hanley and McNeil 1982); NaN where it happened to all or none.
    """
    from scipy.stats import rankdata  # slow to import

    good = int(happened.sum())
    if good in (0, len(happened)):
        return float("nan")
    ranks = rankdata(told)[happened].sum()
    return float((ranks - good * (good + 1) / 2) / (good * (len(happened) - good)))


def correlation(told: NDArray[np.float64], size: NDArray[np.float64]) -> float:
    """Return Spearman's rank correlation of (n,); NaN where all sizes are the same, 0 where the metric tells none apart."""
    from scipy.stats import rankdata

    a, b = rankdata(told), rankdata(size)
    a, b = a - a.mean(), b - b.mean()
    if not b.any():
        return float("nan")
    return float(a @ b / np.sqrt((a @ a) * (b @ b))) if a.any() else 0.0


def measure_of(outcome: str) -> Measure:
    """Return `auc` for an outcome that either happens or not, else `correlation`."""
    return auc if outcome in ("lifted", "shaken") else correlation


def pooled(found: Tried, metric: str, outcome: str, statistics: Statistics) -> Estimate:
    """Return the measure over all candidates that have the metric, with its bootstrap interval over objects."""
    told, said, measure = found.metrics[metric], getattr(found, outcome), measure_of(outcome)
    there = np.flatnonzero(~np.isnan(told))
    return _drawn(there.astype(float), found.object[there], lambda i: measure(told[i], said[i]), statistics)


def within(found: Tried, metric: str, outcome: str, statistics: Statistics) -> Estimate:
    """Return the mean of the measure over placements in which it exists, with its bootstrap interval over objects."""
    told, said, measure = found.metrics[metric], getattr(found, outcome), measure_of(outcome)
    values, objects = [], []
    for name in np.unique(found.placement):
        mine = np.flatnonzero((found.placement == name) & ~np.isnan(told))
        value = measure(told[mine], said[mine]) if len(mine) >= FEW else float("nan")
        if np.isfinite(value):
            values.append(value)
            objects.append(found.object[mine[0]])
    return statistics.mean(values, objects)


def scores(
    found: Tried, way: Callable[[Tried, str, str, Statistics], Estimate], statistics: Statistics
) -> Mapping[str, Mapping[str, Estimate]]:
    """Return `pooled` or `within` of every metric that exists, by metric and outcome."""
    known = [name for name, values in found.metrics.items() if not np.isnan(values).all()]
    return {metric: {outcome: way(found, metric, outcome, statistics) for outcome in OUTCOMES} for metric in known}


def _drawn(places: NDArray, objects: NDArray, statistic: Callable[[NDArray], float], statistics: Statistics) -> Estimate:
    whole = statistic(places.astype(int)) if len(places) else float("nan")
    if not np.isfinite(whole):
        return Estimate(np.nan, np.nan, np.nan, 0)
    rng = np.random.default_rng(statistics.seed)
    kind = {"confidence": statistics.confidence, "resamples": statistics.resamples, "rng": rng}
    return bootstrap(places, objects, lambda drawn: statistic(drawn.astype(int)), **kind)
