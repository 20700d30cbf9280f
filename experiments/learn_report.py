"""How well models tell good grasps on objects they have not seen: numbers with intervals over objects, and a picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.stats import Estimate, Statistics, bootstrap
from labels.whole import write_whole

BINS = 10  # of equal width, in which calibration is measured
NAMES = {
    "roc_auc": "ROC-AUC",
    "average_precision": "average precision",
    "brier": "Brier score",
    "calibration_error": "calibration error",
}

Told = Mapping[str, NDArray[np.float64]]


def calibration(good: NDArray[np.bool_], told: NDArray[np.float64]) -> tuple[NDArray, NDArray, NDArray]:
    """Return mean probability told, share of good ones, and number of examples, per bin (b,) that is not empty."""
    place = np.minimum((told * BINS).astype(int), BINS - 1)
    count = np.bincount(place, minlength=BINS)
    filled = count > 0
    sums = (np.bincount(place, weights, BINS)[filled] / count[filled] for weights in (told, good.astype(float)))
    return (*sums, count[filled])  # type: ignore[return-value]


def calibration_error(good: NDArray[np.bool_], told: NDArray[np.float64]) -> float:
    """Return the expected calibration error (Naeini et al. 2015): the mean gap between told and true, by examples."""
    mean, share, count = calibration(good, told)
    return float(np.abs(mean - share) @ count / count.sum())


def metrics() -> dict[str, Callable[[NDArray, NDArray], float]]:
    """Return the functions of good (n,) and told (n,) by name."""
    from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

    ways = (roc_auc_score, average_precision_score, brier_score_loss, calibration_error)
    return dict(zip(NAMES, ways, strict=True))


def score(good: NDArray[np.bool_], told: Told, objects: NDArray, statistics: Statistics) -> dict[str, dict[str, Estimate]]:
    """Return every metric of every model, with the bootstrap interval over the objects."""
    places = np.arange(len(good))

    def estimate(metric: Callable, probability: NDArray) -> Estimate:
        def of(rows: NDArray) -> float:
            rows = rows.astype(int)
            return metric(good[rows], probability[rows]) if good[rows].any() and not good[rows].all() else np.nan

        rng = np.random.default_rng(statistics.seed)
        return bootstrap(places, objects, of, confidence=statistics.confidence, resamples=statistics.resamples, rng=rng)

    return {model: {name: estimate(way, told[model]) for name, way in metrics().items()} for model in told}


def table(scores: Mapping[str, Mapping[str, Estimate]]) -> str:
    """Return the scores as a Markdown table."""
    lines = ["| model | " + " | ".join(NAMES.values()) + " |", "|---" * (len(NAMES) + 1) + "|"]
    for model, own in scores.items():
        cells = [f"{own[name].value:.3f} ({own[name].low:.3f} to {own[name].high:.3f})" for name in NAMES]
        lines.append(f"| {model} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def plain(scores: Mapping[str, Mapping[str, Estimate]]) -> dict[str, Any]:
    """Return the scores as JSON can hold them: null where there is no interval, since too few objects are held out."""

    def told(value: Estimate) -> dict[str, Any]:
        return {key: number if np.isfinite(number) else None for key, number in asdict(value).items()}

    return {model: {name: told(value) for name, value in own.items()} for model, own in scores.items()}


def draw(path: Path, good: NDArray[np.bool_], told: Told) -> None:
    """Write a PNG of the ROC curves and of told against true probabilities."""
    import io

    from matplotlib.figure import Figure
    from sklearn.metrics import roc_curve

    figure = Figure(figsize=(9, 4.2), layout="constrained")
    roc, reliability = figure.subplots(1, 2)
    for axes in (roc, reliability):
        axes.plot([0, 1], [0, 1], color="0.8", linewidth=1)
        axes.set_aspect("equal")
    for model, probability in told.items():
        wrong, right, _ = roc_curve(good, probability)
        roc.plot(wrong, right, label=model)
        mean, share, _ = calibration(good, probability)
        reliability.plot(mean, share, marker="o", markersize=4, label=model)
    roc.set(xlabel="bad grasps taken", ylabel="good grasps taken", title="unseen objects")
    reliability.set(xlabel="probability told", ylabel="share of good grasps", title="calibration")
    roc.legend(frameon=False)
    sink = io.BytesIO()
    figure.savefig(sink, dpi=120)
    write_whole(path, sink.getvalue())
