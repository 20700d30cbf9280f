"""Figure: what the pictures of all planners share, the heading and what became of the candidates."""

from __future__ import annotations

from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np

from grasp import words
from grasp.plan import Plan, Refusal
from grasp.reasons import Reason

KEPT, LOST = "#3a8f5c", "#b9c3cc"
RESOLUTION = 110  # pixels per inch


def blank(width: float, height: float) -> Any:
    """Return an empty Matplotlib figure of this many inches that needs no display."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=RESOLUTION, facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def save(figure: Any, path: str | Path) -> None:
    """Write a figure as PNG, without the name and version of the library that drew it."""
    figure.savefig(path, format="png", dpi=RESOLUTION, metadata={"Software": None})


def header(figure: Any, result: Plan | Refusal, confidence: float) -> None:
    """Write what was found and by whom: the best grasp with its metrics and conventions, or why there is none."""
    who = f"{result.provenance.planner}, gripper {result.provenance.gripper}, seed {result.provenance.seed.entropy}"
    if isinstance(result, Plan):
        title = f"Best of {result.funnel.kept} accepted grasps"
        lines = [words.placing(result.best), words.worth(result.best, confidence), words.conventions(result)]
    else:
        title, lines = f"No grasp: {result.reason.sentence}", fill(result.detail, 150).splitlines()
    figure.text(0.02, 0.973, title, fontsize=15, weight="bold", va="top")
    figure.text(0.98, 0.970, who, fontsize=10, va="top", ha="right", color="#555555")
    figure.text(0.02, 0.932, "\n".join(lines), fontsize=9.5, va="top", linespacing=1.5)


def funnel(figure: Any, result: Plan | Refusal, left: float, top: float, width: float, bar: float, most: float) -> None:
    """Draw what became of the candidates, one bar and one sentence per outcome.

    Parameters
    ----------
    left, top, width
        Place in the figure, as shares of it.
    bar, most
        Height of one outcome, and of all together at the most.
    """
    outcomes = {Reason.OK: result.funnel.kept, **result.funnel.rejected}
    height = min(bar * len(outcomes), most)
    axes = figure.add_axes((left, top - height, width, height))
    rows, counts = np.arange(len(outcomes)), list(outcomes.values())
    axes.barh(rows, counts, height=0.36, color=[KEPT] + [LOST] * (len(rows) - 1))
    for row, (reason, count) in enumerate(outcomes.items()):
        axes.text(0, row - 0.24, f"{count}  {reason.sentence}", va="bottom", fontsize=8.5)
    axes.set(xlim=(0, max(counts)), ylim=(len(rows) - 0.6, -0.75))
    axes.set_title(f"What became of {result.funnel.sampled} candidates", fontsize=11, loc="left")
    axes.axis("off")
