"""Figures of the simulation in a report, each with its reading: lifted and shaken, slip forces, and the cone ratio."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from experiments.report_cone import OUTCOMES, closed, estimate
from experiments.report_figures import INK, PALETTE, canvas, png
from experiments.report_physics import CAP, capped, lifted, margin, shaken, slip
from experiments.report_rows import Group
from experiments.report_table import number, share
from experiments.schema_rows import Row
from experiments.stats import Statistics

BINS = 9  # of cone ratios, equal in their logarithm
Label = Callable[[Group], str]


def outcomes(found: Sequence[Group], label: Label, statistics: Statistics) -> bytes:
    """Draw, per group, the shares lifted and shaken with intervals, and every slip force with its median."""
    figure, (left, right) = canvas(1.6 + 0.5 * len(found), columns=2)
    for k, (name, marker, colour, flag) in enumerate(
        (("lifted", "o", PALETTE[5], lifted), ("survived the shake", "s", PALETTE[0], shaken))
    ):
        estimates = [statistics.share(group.values(flag), group.placements) for group in found]
        rows = np.arange(len(found)) + 0.24 * (k - 0.5)
        away = [[e.value - e.low for e in estimates], [e.high - e.value for e in estimates]]
        style = {"fmt": marker, "color": colour, "ms": 6, "capsize": 3, "lw": 1.4}
        left.errorbar([e.value for e in estimates], rows, xerr=np.abs(away), label=name, **style)
    for row, group in enumerate(found):
        forces = np.array(group.values(slip))
        spread = 0.26 * np.sin(2.4 * np.arange(len(forces)))  # so that equal forces do not hide each other
        right.plot(forces, row + spread, "o", color=PALETTE[row % len(PALETTE)], ms=4, alpha=0.5, mec="none")
        right.plot([np.median(forces)] * 2, [row - 0.38, row + 0.38], color=INK, lw=2.2)
    right.axvline(CAP, color=INK, lw=0.8, ls=":")
    for axes in (left, right):
        axes.set_ylim(len(found) - 0.5, -0.5)
        axes.grid(visible=False, axis="y")
    left.set_yticks(range(len(found)), [label(group) for group in found])
    right.set_yticks(range(len(found)), [""] * len(found))
    left.set(xlim=(-0.02, 1.02), xlabel="share of the trials")
    right.set(xlim=(-1, None), xlabel="slip force, N (a dot per trial; bar: median)")
    figure.legend(loc="outside upper center", ncols=2, frameon=False, fontsize=9)
    return png(figure)


def told(found: Sequence[Group], label: Label, statistics: Statistics) -> list[str]:
    """Return which groups lift most and least, whether shaking adds anything, and which slip last."""
    rows = [row for group in found for row in group.rows]
    lost = sum(lifted(row) and not shaken(row) for row in rows)
    shares, margins, forces = (
        sorted(((estimate_of(group), label(group)) for group in found), key=lambda each: each[0].value)
        for estimate_of in (
            lambda g: statistics.share(g.values(lifted), g.placements),
            lambda g: statistics.mean(g.values(margin), g.objects),
            lambda g: statistics.mean(g.values(capped), g.objects),
        )
    )
    (few, rarely), (many, often) = shares[0], shares[-1]
    ranges = [" to ".join(f"{number(each, 1)}, {name}," for each, name in (x[0], x[-1]))[:-1] for x in (margins, forces)]
    return [
        f"Lifted most often: {often}, {share(many)}; least often: {rarely}, {share(few)}.",
        f"Of {sum(map(lifted, rows))} lifted objects {lost} were lost in the shake. Mean shake margin: from {ranges[0]}.",
        f"Mean slip force in newtons, capped at {CAP:g}: from {ranges[1]}.",
    ]


def cone(lines: Mapping[str, Sequence[Group]], statistics: Statistics) -> bytes:
    """Draw, per method, the share of the trials that held against the cone ratio, with Wilson intervals."""
    from matplotlib.ticker import LogLocator

    drawn, panels = canvas(3.4, columns=len(OUTCOMES))
    for axes, (said, held) in zip(panels, OUTCOMES.items(), strict=True):
        for i, (name, groups) in enumerate(lines.items()):
            rows = closed([row for group in groups for row in group.rows])
            _shares(axes, rows, held, statistics, PALETTE[i % len(PALETTE)], name, i)
        axes.axvline(1, color=INK, lw=1, ls=":")
        axes.set(xscale="log", ylim=(-0.04, 1.04), xlabel="cone ratio mu sum(N) / (m (g + a))", ylabel=f"share {said}")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter("")
    drawn.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=4, frameon=False, fontsize=9)
    return png(drawn)


def cone_told(lines: Mapping[str, Sequence[Group]], statistics: Statistics) -> list[str]:
    """Return the boundary of lifting of each method in words."""
    said = []
    for name, groups in lines.items():
        cut = estimate(closed([row for group in groups for row in group.rows]), lifted, statistics)
        said.append(f"{name} lifts from a cone ratio of {number(cut, 2)}" if cut.n else f"{name} lifts all or nothing")
    return ["Dotted line: ratio 1, below which friction cannot carry the load.", f"{'; '.join(said)}."]


def _shares(
    axes: Any, rows: Sequence[Row], held: Callable[[Row], bool], statistics: Statistics, colour: str, name: str, i: int
) -> None:
    if not rows:
        return
    ratio, flags = np.array([row.physics_cone_ratio for row in rows], float), np.array(list(map(held, rows)))
    edges = np.geomspace(ratio.min() * (1 - 1e-9), ratio.max() * (1 + 1e-9), BINS + 1)
    place = np.digitize(ratio, edges) - 1
    there = [k for k in range(BINS) if (place == k).any()]
    each = [statistics.share(flags[place == k]) for k in there]
    x = [np.exp(np.log(ratio[place == k]).mean()) * 1.02**i for k in there]
    away = np.abs([[e.value - e.low for e in each], [e.high - e.value for e in each]])
    axes.errorbar(x, [e.value for e in each], yerr=away, fmt="o-", color=colour, ms=5, capsize=3, lw=1.4, label=name)
