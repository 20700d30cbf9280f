"""Ranks: how much the order of the same candidates changes with the conventions they are judged by."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

ROUNDED = 12  # decimals of a correlation, so that equal rankings give 1


def compared(first: NDArray[np.intp], second: NDArray[np.intp], keep: int) -> dict[str, Any]:
    """Return the rank columns of a row (`experiments.schema_rows`).

    Parameters
    ----------
    first, second : (n,), (m,) int
        Numbers of the accepted candidates, best first, under the first setting and under this one.
    keep
        Grasps of a plan.
    """
    top = min(keep, len(first))
    return {
        "rank_correlation": _correlation(first, second),
        "top_kept": float(np.isin(first[:top], second[:top]).mean()) if top else None,
        "top": top,
        "best_rank": _rank(first, int(second[0])) if len(second) else None,
    }


def _correlation(first: NDArray[np.intp], second: NDArray[np.intp]) -> float | None:
    """Return Kendall's tau over those accepted under both; None for fewer than two."""
    from scipy.stats import kendalltau  # slow to import

    both = np.intersect1d(first, second)
    if len(both) < 2:
        return None
    places = (np.argsort(order)[np.searchsorted(np.sort(order), both)] for order in (first, second))
    tau: Any = kendalltau(*places)
    return round(float(tau.statistic), ROUNDED)


def _rank(order: NDArray[np.intp], candidate: int) -> int | None:
    found = np.flatnonzero(order == candidate)
    return int(found[0]) + 1 if len(found) else None
