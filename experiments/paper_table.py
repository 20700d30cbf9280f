"""The paper's Table I, to stand beside a comparison of the same methods, and what the two agree on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from experiments.report_physics import capped, lifted, shaken, simulated
from experiments.report_rows import Group, paired
from experiments.report_table import NONE, Table, number, share
from experiments.stats import Statistics

# Arxiv 2604.26212, Table I: lifted and shaken of 20 trials (given as %), mean slip force in newtons.
PAPER = {
    ("bbox", "two_narrow"): ("2D BBox (Two Narrow)", 14, 11, 1.20),
    ("bbox", "two_wide"): ("2D BBox (Two Wide)", 10, 8, 1.46),
    ("bbox", "get"): ("2D BBox (GET)", 13, 12, 2.50),
    ("get2d", "get"): ("GET-2D-1.0", 19, 18, 3.95),
    ("get3d", "get"): ("GET-3D-1.0", 20, 19, 3.20),
}
PAPER_TRIALS = 20
MEASURES = {"lifted": (1, lifted), "shaken": (2, shaken), "slip force": (3, capped)}  # place in `PAPER`, and ours


def published(found: Sequence[Group], statistics: Statistics) -> Table:
    """Return the paper's Table I for the methods compared here, beside the simulation's numbers where there are any."""
    known = {group: PAPER[key] for group in found if (key := (group.planner, group.gripper)) in PAPER}
    ours = simulated(list(known))
    lines = dict.fromkeys(
        (*_theirs(paper, statistics), *(_ours(group, statistics, group in ours) if ours else ()))
        for group, paper in known.items()
    )
    note = (
        "Results of a real robot on the authors' ten objects in two poses each (arXiv 2604.26212, Table I), with Wilson "
        "intervals added here. Lifting, shaking and slipping are not closure, and no number of the simulation was fitted to "
        "the paper: compare the order of the lines, not the numbers."
    )
    apart = (
        f"Methods are told apart where the {statistics.confidence:.0%} bootstrap interval over objects of their paired "
        "difference leaves out 0; no correction for the number of pairs.",
    ) * (len(ours) > 1)
    head = ("method", "lifted", "survived shaking", "slip force, N")
    more = ("in simulation: lifted", "shaken", "slip force, N, mean, capped") if ours else ()
    title = "For reference: the paper's experiments on a real robot"
    return Table(title, (*head, *more), tuple(lines), (note, *apart, *agreement(ours, statistics)))


def agreement(found: Sequence[Group], statistics: Statistics) -> tuple[str, ...]:
    """Return, for each measure, which pairs of methods stand in the paper's order in simulation, and which do not.

    A pair is undecided where the `confidence` interval of the paired difference, bootstrapped over objects, includes 0.
    """
    if len(found) < 2:
        return ()
    return tuple(_agreement(name, found, statistics) for name in MEASURES)


def _agreement(name: str, found: Sequence[Group], statistics: Statistics) -> str:
    place, measure = MEASURES[name]
    same, other, open_ = [], [], []
    for a, b in combinations(found, 2):
        paper = PAPER[a.planner, a.gripper][place] - PAPER[b.planner, b.gripper][place]
        better, worse = (a, b) if paper > 0 else (b, a)
        ours, theirs = paired(better, worse)
        gain = [float(measure(x)) - float(measure(y)) for x, y in zip(ours, theirs, strict=True)]
        change = statistics.mean(gain, [row.object for row in ours])
        where = same if change.low > 0 else other if change.high < 0 else open_
        where.append(f"{better.method} over {worse.method}")
    total = len(same) + len(other) + len(open_)
    said = (
        f"{len(same)} of {total} pairs of methods stand in the paper's order{_listed(same)}",
        f"{len(other)} in the opposite one{_listed(other, 'the paper has ')}",
        f"{len(open_)} cannot be told apart{_listed(open_)}",
    )
    return f"{name.capitalize()}, simulation: {', '.join(said)}."


def _listed(pairs: Sequence[str], begin: str = "") -> str:
    return f" ({begin}{'; '.join(pairs)})" if pairs else ""


def _theirs(paper: tuple[str, int, int, float], statistics: Statistics) -> tuple[str, ...]:
    name, lifts, shakes, force = paper
    counts = (share(statistics.share([True] * k + [False] * (PAPER_TRIALS - k))) for k in (lifts, shakes))
    return (name, *counts, f"{force:.2f}")


def _ours(group: Group, statistics: Statistics, there: bool) -> tuple[str, ...]:
    if not there:
        return (NONE,) * 3
    shares = (share(statistics.share(group.values(flag), group.placements)) for flag in (lifted, shaken))
    return (*shares, number(statistics.mean(group.values(capped), group.objects), 2))
