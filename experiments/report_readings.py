"""Readings: what each figure of a comparison shows, in two sentences computed from its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from experiments.report_figures import ACCEPTED, fates, planning_times
from experiments.report_rows import Group, paired, rate, rated
from experiments.report_table import number, plain
from experiments.schema_rows import Timing
from experiments.stats import Statistics
from experiments.tables import MM, MS, ending, label, reference
from grasp.funnel import Funnel


def rates(found: Sequence[Group], statistics: Statistics) -> list[str]:
    """Return which method has the highest closure rate, and which differ from their reference."""
    each = [(statistics.mean(group.values(rate), group.objects), label(group, found)) for group in found]
    ranked = sorted(each, key=lambda pair: -pair[0].value)
    said = [f"Highest closure rate under the judge: {ranked[0][1]}, {number(ranked[0][0], 2)}"]
    if len(ranked) > 1:
        said[0] += f"; lowest: {ranked[-1][1]}, {number(ranked[-1][0], 2)}"
    beside = [_beside(group, base, found, statistics) for group in found if (base := reference(group, found)) is not None]
    return [f"{said[0]}.", *([f"On the same trials, {'; '.join(beside)}."] if beside else [])]


def endings(found: Sequence[Group]) -> list[str]:
    """Return how many trials ended well, and what most often kept the others from it."""
    total = Counter(end for group in found for end in map(ending, group.rows))
    good, n = total.pop("holds", 0), sum(total.values())
    said = f"{good} of {good + n} trials ended with a grasp that holds on the true mesh."
    if not total:
        return [said]
    worst, count = total.most_common(1)[0]
    shares = [f"{label(group, found)} {n}" for group in found if (n := group.values(ending).count(worst))]
    return [said, f"What most often stood in the way: {worst}, {count} trials ({', '.join(shares)})."]


def candidates(found: Sequence[Group], funnels: Mapping[str, Funnel]) -> list[str]:
    """Return the share of the candidates that each method accepts, and why most of the others were rejected."""
    each = {label(group, found): count for group in found if (count := fates(group, funnels)).total()}
    kept = [f"{name} {count[ACCEPTED]} of {count.total()}" for name, count in each.items()]
    lost = sum(each.values(), Counter())
    del lost[ACCEPTED]
    most = [f"{reason}, {n}" for reason, n in lost.most_common(3)]
    return [f"Accepted: {'; '.join(kept)}.", f"Most frequent reasons to reject, all methods together: {'; '.join(most)}."]


def times(found: Sequence[Group], timings: Mapping[str, Timing]) -> list[str]:
    """Return the range of the medians, and the slowest trial."""
    known = [(group, seconds) for group in found if (seconds := planning_times(group, timings))]
    if not known:
        return ["No planning time was taken."]
    medians = sorted((float(np.median(seconds)), label(group, found)) for group, seconds in known)
    slowest, who = max((max(seconds), label(group, found)) for group, seconds in known)
    (low, fast), (high, slow) = medians[0], medians[-1]
    said = f"Median planning time runs from {plain(low * MS)} ms, {fast}, to {plain(high * MS)} ms, {slow}."
    return [said, f"The slowest trial took {plain(slowest)} s, {who}; a worker's first trial also loads compiled kernels."]


def metrics(found: Sequence[Group], statistics: Statistics) -> list[str]:
    """Return by how much each planner's own closure rate differs from the judge's."""
    said = []
    for group in found:
        if own := rated(group):
            over = statistics.mean([(row.closure_rate or 0) - rate(row) for row in own], [row.object for row in own])
            sigmas = dict.fromkeys(f"{row.sigma_m * MM:g}" for row in own if row.sigma_m is not None)
            said.append(f"{label(group, found)} {number(over, 2, '+')}, own sigma {' or '.join(sigmas)} mm")
    means = "A dot on the dotted line is a grasp whose closure rate the judge confirms; the larger the dot, the more grasps."
    return [means, f"Own closure rate minus the judge's, mean over the grasps: {'; '.join(said)}."]


def _beside(group: Group, base: Group, found: Sequence[Group], statistics: Statistics) -> str:
    ours, theirs = paired(group, base)
    change = statistics.mean([rate(a) - rate(b) for a, b in zip(ours, theirs, strict=True)], [row.object for row in ours])
    shown = "which shows a difference" if change.low > 0 or change.high < 0 else "which shows no difference"
    return f"{label(group, found)} minus {label(base, found)} is {number(change, 2, '+')}, {shown}"
