"""Report of the predictive study: tables of every metric against every outcome, and two pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from experiments.predict_metrics import Tried
from experiments.predict_score import OUTCOMES
from experiments.report_figures import INK, PALETTE, canvas, png
from experiments.report_table import Table, number
from experiments.stats import Estimate, Statistics

Scores = Mapping[str, Mapping[str, Estimate]]
NAMES = {
    "lifted": "lifted (ROC-AUC)",
    "shaken": "survived the shake (ROC-AUC)",
    "shake_margin": "shake margin (rank correlation)",
    "slip_force": "slip force (rank correlation)",
}
NOTES = (
    "ROC-AUC: the chance that a grasp that held has the greater metric than one that did not; 0.5 is guessing. Rank "
    "correlation: Spearman's; 0 is guessing. What was not lifted has shake margin and slip force 0.",
    "Over all: all candidates together. Within: only grasps of one object in one pose are compared, then the mean "
    "over placements is taken; n is their number. This is what a planner needs in order to choose.",
    "The candidates are accepted ones drawn evenly from the thirds of the closure rate, each carried out once, displaced: "
    "bad grasps are more frequent than among a planner's best.",
)
SHARES = 6  # bins of the closure rate in the picture


def table(name: str, found: Tried, over_all: Scores, inside: Scores, statistics: Statistics) -> Table:
    """Return one line per metric: each outcome over all candidates, and within placements."""
    head = [f"{NAMES[outcome]}, {way}" for outcome in OUTCOMES for way in ("over all", "within")]
    lines = []
    for metric, scores in over_all.items():
        cells = []
        for outcome in OUTCOMES:
            small = inside[metric][outcome]
            cells += [number(scores[outcome], 2), number(small, 2) + (f", n = {small.n}" if small.n else "")]
        lines.append((metric, *cells))
    rates = ", ".join(f"{flag.sum()} {said}" for flag, said in ((found.lifted, "lifted"), (found.shaken, "shaken")))
    objects, places = len(np.unique(found.object)), len(np.unique(found.placement))
    caption = f"{name}: {len(found)} candidates on {objects} objects in {places} placements; {rates}"
    interval = f"In brackets: {statistics.confidence:.0%} bootstrap intervals over objects."
    return Table(caption, ("metric", *head), tuple(lines), (*NOTES, interval))


def figure(scores: Mapping[str, Scores]) -> bytes:
    """Draw every metric against every outcome, a colour per planner, with intervals.

    Parameters
    ----------
    scores
        By planner.
    """
    metrics = list(dict.fromkeys(metric for each in scores.values() for metric in each))
    drawn, panels = canvas(1.2 + 0.36 * len(metrics), columns=len(OUTCOMES))
    for axes, outcome in zip(panels, OUTCOMES, strict=True):
        for k, (planner, each) in enumerate(scores.items()):
            _dots(axes, metrics, {m: s[outcome] for m, s in each.items()}, PALETTE[k], planner, 0.2 * (k - 0.5))
        auc = outcome in ("lifted", "shaken")
        axes.axvline(0.5 if auc else 0, color=INK, lw=1, ls=":")
        axes.set(xlim=(0.2, 1.02) if auc else (-0.6, 1.02), ylim=(len(metrics) - 0.5, -0.5))
        axes.set_title(NAMES[outcome].replace(" (", "\n("), fontsize=9)
        axes.set_yticks(range(len(metrics)), metrics if axes is panels[0] else [""] * len(metrics))
        axes.grid(visible=False, axis="y")
    drawn.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=3, frameon=False, fontsize=9)
    return png(drawn)


def outcomes(found: Mapping[str, Tried], statistics: Statistics) -> bytes:
    """Draw what was lifted against the closure rate, and the slip force measured against that by statics."""
    drawn, (left, right) = canvas(3.8, columns=2)
    for k, (planner, each) in enumerate(found.items()):
        rate = each.metrics["closure rate"]
        place = np.minimum((rate * SHARES).astype(int), SHARES - 1)
        there = [i for i in range(SHARES) if (place == i).any()]
        shares = [statistics.share(each.lifted[place == i]) for i in there]
        x = [rate[place == i].mean() + 0.006 * k for i in there]
        away = np.abs([[e.value - e.low for e in shares], [e.high - e.value for e in shares]])
        left.errorbar(x, [e.value for e in shares], yerr=away, fmt="o-", color=PALETTE[k], capsize=3, ms=5, label=planner)
        told = np.minimum(np.nan_to_num(each.metrics["slip force by statics"], posinf=100), 100)
        right.plot(told, each.slip_force, "o", color=PALETTE[k], ms=4, alpha=0.45, mec="none")
    left.set(xlim=(-0.03, 1.05), ylim=(-0.03, 1.05), xlabel="closure rate", ylabel="share lifted in simulation")
    right.plot([0.1, 40], [0.1, 40], color=INK, lw=1, ls=":")
    right.set_xscale("symlog", linthresh=0.5)
    right.set_yscale("symlog", linthresh=0.5)
    right.set(xlabel="slip force by statics of hard points, N (at most 100)", ylabel="slip force in simulation, N")
    drawn.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=3, frameon=False, fontsize=9)
    return png(drawn)


def best(scores: Scores, outcome: str) -> str:
    """Return which metric predicts an outcome best, and its value."""
    known = {metric: each[outcome] for metric, each in scores.items() if each[outcome].n}
    if not known:
        return f"{NAMES[outcome]}: the same for all"
    metric = max(known, key=lambda name: known[name].value)
    return f"{NAMES[outcome]}: {metric}, {number(known[metric], 2)}"


def _dots(axes: Any, metrics: Sequence[str], each: Mapping[str, Estimate], colour: str, name: str, shift: float) -> None:
    shown = [(i, each[m]) for i, m in enumerate(metrics) if m in each and each[m].n]
    rows, values = [i + shift for i, _ in shown], [e.value for _, e in shown]
    away = np.abs([[e.value - e.low for _, e in shown], [e.high - e.value for _, e in shown]])
    axes.errorbar(values, rows, xerr=away, fmt="o", color=colour, ms=5, capsize=2.5, lw=1.3, label=name)
