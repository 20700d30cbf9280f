"""Figures of a comparison: rates with intervals, how trials ended, planning times, own metrics beside the judge's. PNG."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

import numpy as np

from experiments.report_rows import Group, epsilon, holds, planned, rate, rated
from experiments.schema_rows import Timing
from experiments.stats import Statistics
from experiments.tables import by_frequency, ending, label
from grasp.funnel import Funnel

PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6a51a3", "#666666")
KINDS = ("#3a8f5c", "#f2c14e", "#d97b29", "#8595a5", "#b3261e")  # holds, no closure, out of reach, refused, failed
REASONS = (
    *("#d97b29", "#8595a5", "#f2c14e", "#7b5ea7", "#56b4e9", "#b3261e", "#c9a27e"),
    *("#d48fb0", "#4c6a8a", "#b9cf7a", "#5d5d5d", "#e6cfa8", "#a8d5d0", "#93605b"),
    *("#1f4e5f", "#e7a1a1", "#7d8c3c", "#c5b4e3", "#a65e2e", "#2fa4a0", "#f0e442"),
)
ACCEPTED, QUARTERS = "accepted", (0, 0.25, 0.5, 0.75, 1)
INK, GRID = "#24323f", "#dde3e9"
WIDTH = 9.6  # inches, the width of the page's text


def canvas(height: float, columns: int = 1, rows: int = 1) -> tuple[Any, list[Any]]:
    """Return a figure of a height in inches and its axes, row by row, without the lines that say nothing."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    panels = list(np.ravel(figure.subplots(rows, columns)))
    for axes in panels:
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(colors=INK, labelsize=9)
        axes.grid(color=GRID, lw=0.8)
        axes.set_axisbelow(True)
    return figure, panels


def png(figure: Any) -> bytes:
    """Return a figure as PNG; equal figures give equal bytes."""
    written = io.BytesIO()
    figure.savefig(written, format="png", dpi=120, metadata={"Software": None})
    return written.getvalue()


def rates(found: Sequence[Group], statistics: Statistics) -> bytes:
    """Draw, per group, how often it plans and holds, and its closure rate, with intervals."""
    figure, (axes,) = canvas(1.1 + 0.55 * len(found))
    shown = (
        ("a grasp is planned", "o", PALETTE[5], lambda g: statistics.share(g.values(planned), g.placements)),
        ("the grasp holds", "s", PALETTE[0], lambda g: statistics.share(g.values(holds), g.placements)),
        ("closure rate when displaced", "D", PALETTE[1], lambda g: statistics.mean(g.values(rate), g.objects)),
    )
    for k, (name, marker, colour, measure) in enumerate(shown):
        estimates = [measure(group) for group in found]
        rows = np.arange(len(found)) + 0.22 * (k - 1)
        away = [[e.value - e.low for e in estimates], [e.high - e.value for e in estimates]]
        style = {"fmt": marker, "color": colour, "ms": 6, "capsize": 3, "lw": 1.4}
        axes.errorbar([e.value for e in estimates], rows, xerr=np.abs(away), label=name, **style)
    _name_rows(axes, found)
    axes.set(xlim=(-0.02, 1.02), xlabel="share of the trials, or mean closure rate")
    figure.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=9)
    return png(figure)


def endings(found: Sequence[Group]) -> bytes:
    """Draw, per group, how its trials ended."""
    counts = [Counter(map(ending, group.rows)) for group in found]
    return _stacked(found, counts, _shades(by_frequency(counts)), "share of the trials; the numbers are trials")


def candidates(found: Sequence[Group], funnels: Mapping[str, Funnel]) -> bytes:
    """Draw, per group, what became of the candidates of all its trials together."""
    counts = [fates(group, funnels) for group in found]
    lost = [name for name in by_frequency(counts) if name != ACCEPTED]
    colours = {ACCEPTED: KINDS[0], **dict(zip(lost, cycle(REASONS)))}
    return _stacked(found, counts, colours, "share of the candidates; the numbers are candidates")


def fates(group: Group, funnels: Mapping[str, Funnel]) -> Counter[str]:
    """Return how many candidates of a group were accepted, and how many were rejected for which reason."""
    total = sum((funnels[row.unit] for row in group.rows if row.unit in funnels), Funnel())
    lost = {reason.replace("_", " "): n for reason, n in total.rejected.items()}
    return Counter({ACCEPTED: total.kept, **lost})


def times(found: Sequence[Group], timings: Mapping[str, Timing]) -> bytes:
    """Draw every planning time, a row per group, and the medians."""
    figure, (axes,) = canvas(1.0 + 0.45 * len(found))
    for row, group in enumerate(found):
        seconds = planning_times(group, timings)
        spread = 0.25 * np.sin(2.4 * np.arange(len(seconds)))  # so that equal times do not hide each other
        colour = PALETTE[row % len(PALETTE)]
        axes.plot(seconds, row + spread, "o", color=colour, ms=4.5, alpha=0.55, mec="none")
        if len(seconds):
            axes.plot([np.median(seconds)] * 2, [row - 0.36, row + 0.36], color=INK, lw=2.2)
    _name_rows(axes, found)
    axes.set(xscale="log", xlabel="planning time, s (a dot per trial; the bar is the median)")
    return png(figure)


def metrics(found: Sequence[Group]) -> bytes:
    """Draw what planners expect of their grasps beside what the judge finds."""
    figure, (left, right) = canvas(4.3, columns=2)
    for i, group in enumerate(found):
        own = rated(group)
        colour, name = PALETTE[i % len(PALETTE)], label(group, found) if own else ""
        seen = Counter((row.closure_rate, rate(row)) for row in own)
        at = np.array(list(seen)).reshape(-1, 2)
        left.scatter(*at.T, s=[30 * n for n in seen.values()], color=colour, alpha=0.7, ec="white")
        right.scatter([row.epsilon for row in own], list(map(epsilon, own)), s=34, color=colour, alpha=0.75, ec="white")
        right.scatter([], [], s=50, color=colour, label=name)  # for the legend, whatever the size of the dots
    left.plot([0, 1], [0, 1], color=INK, lw=1, ls=":")
    left.set(xlim=(-0.05, 1.08), ylim=(-0.05, 1.08), xticks=QUARTERS, yticks=QUARTERS)
    left.set(xlabel="closure rate, the planner's own", ylabel="closure rate, the judge's")
    right.set(xlim=(0, None), ylim=(-0.005, None), xlabel="epsilon, the planner's own", ylabel="epsilon, the judge's")
    figure.legend(loc="outside upper center", ncols=4, frameon=False, fontsize=9)
    return png(figure)


def planning_times(group: Group, timings: Mapping[str, Timing]) -> list[float]:
    """Return the planning times of a group that were taken, in seconds."""
    known = (timings[row.unit].plan_s for row in group.rows if row.unit in timings)
    return [seconds for seconds in known if seconds is not None]


def _name_rows(axes: Any, found: Sequence[Group]) -> None:
    axes.set_yticks(range(len(found)), [label(group, found) for group in found])
    axes.set_ylim(len(found) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")


def _stacked(found: Sequence[Group], counts: list[Counter], colours: Mapping[str, Any], said: str) -> bytes:
    """Draw counts as shares of a bar per group, in the order of the colours."""
    figure, (axes,) = canvas(1.2 + 0.42 * len(found) + 0.2 * len(colours) / 3)
    left, totals = np.zeros(len(found)), np.maximum([count.total() for count in counts], 1)
    for name, colour in colours.items():
        widths = np.array([count[name] for count in counts]) / totals
        drawn = axes.barh(range(len(found)), widths, 0.66, left, color=colour, ec="white", label=name)
        words = [str(count[name]) for count in counts]
        fits = [word if width > 0.016 * len(word) else "" for word, width in zip(words, widths, strict=True)]
        axes.bar_label(drawn, fits, label_type="center", fontsize=9)
        left += widths
    _name_rows(axes, found)
    axes.grid(visible=False)
    axes.set(xlim=(0, 1), xlabel=said)
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    return png(figure)


def _how_far(end: str) -> int:
    """Return the kind of an ending: from how far along it came."""
    begins = ("holds", "no closure", "on the mesh", "refusal")
    return next((i for i, begin in enumerate(begins) if end.startswith(begin)), len(begins))


def _shades(names: Sequence[str]) -> dict[str, Any]:
    """Return a colour per ending, the best first: that of its kind, paler from one to the next of a kind."""
    from matplotlib.colors import to_rgb

    kinds = [[name for name in names if _how_far(name) == kind] for kind in range(len(KINDS))]
    return {
        name: np.array(to_rgb(base)) * (1 - pale) + pale
        for base, alike in zip(KINDS, kinds, strict=True)
        for name, pale in zip(alike, np.linspace(0, 0.7, len(alike) + 1), strict=False)
    }
