"""Simulation in a report: what became of the grasps that were carried out, as in the paper's Table I, and in pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from experiments.physics_columns import ENGINE
from experiments.report_rows import Group, paired, placement
from experiments.report_table import NONE, Table, number, quartiles, share
from experiments.schema_rows import Row
from experiments.stats import Statistics, mcnemar

MM = 1e3
CAP = 10.0  # newtons: above the paper's readings, below those of an object that is blocked and not held
Names = Callable[[Group], tuple[str, ...]]


def simulated(found: Sequence[Group]) -> list[Group]:
    """Return the groups where any grasp was carried out in simulation, those too that refused every trial; else none.

    Rows in which the simulation itself failed are left out.
    """
    if all(row.physics is None for group in found for row in group.rows):
        return []
    kept = [(group, tuple(row for row in group.rows if row.physics_failed_in != ENGINE)) for group in found]
    return [replace(group, rows=rows) for group, rows in kept if rows]


def lifted(row: Row) -> bool:
    """Whether the object was lifted; without a grasp it was not."""
    return bool(row.physics_lifted)


def shaken(row: Row) -> bool:
    """Whether the object was still held after the shake; what was not lifted was not."""
    return bool(row.physics_shaken)


def slip(row: Row) -> float:
    """Slip force in newtons; 0 where it did not come to the test."""
    return row.physics_slip_force_N or 0.0


def capped(row: Row) -> float:
    """Slip force in newtons, that of the greatest readings cut down to `CAP`."""
    return min(slip(row), CAP)


def margin(row: Row) -> float:
    """Greatest multiple of the paper's faster shake that was survived; 0 where the object was not lifted."""
    return row.physics_shake_margin or 0.0


def summary(found: Sequence[Group], heads: tuple[str, ...], names: Names, statistics: Statistics) -> Table:
    """Return one line per group: lifted, shaken, and the force at which its grasps slip.

    Parameters
    ----------
    found
        Groups of `simulated`.
    heads, names
        Of the columns that name a group.
    statistics
        How intervals are drawn.
    """
    head = ("trials", "lifted", "shaken", "shake margin, mean", "slip force, N: median", "mean", f"mean, capped at {CAP:g}")
    notes = (
        "Each grasp is carried out once per trial, at a pose displaced by the noise of the settings, the same for every "
        "method. Slip force: in the weaker direction about the closing axis; a trial that was not lifted, or that slipped "
        "below what the gauge can read, counts 0, as in the paper's average over all trials.",
        "Stopped: the gauge reached its end and the object had not slipped, mostly because something other than friction "
        "blocks it; such readings rule a mean, so read the median and the capped mean. Shake margin: greatest multiple, of "
        "those tried, of the paper's faster shake that the grasp survives; not lifted counts 0. Drift: quartiles.",
        f"In brackets {statistics.confidence:.0%} intervals: Wilson's for counts, of as many trials as there are objects in "
        "poses, since seeds repeat one another; else bootstrap over objects.",
        conditions(found),
    )
    lines = tuple((*names(group), *_summary(group, statistics)) for group in found)
    return Table("Carried out in simulation", (*heads, *head, "stopped", "drift, mm"), lines, notes, len(heads))


def differences(
    found: Sequence[Group],
    heads: tuple[str, ...],
    names: Names,
    reference: Callable[[Group], Group | None],
    statistics: Statistics,
) -> Table:
    """Return one line per group and its reference: the same trials, paired; arguments as for `summary`."""
    head = ("beside", "pairs", "lifted: only this", "only that", "McNemar p", "shaken: only this", "only that", "McNemar p")
    last = ("slip force, N: mean, capped", "shake margin, mean")
    pairs = [(group, base) for group in found if (base := reference(group)) is not None]
    lines = tuple((*names(group), *_difference(group, base, statistics)) for group, base in pairs)
    notes = (
        "As for the paired differences above: this minus that, on the same object, pose, seed and noise. Only this, only "
        "that: objects in poses where more seeds of this, or of that, end well; their number is what the test rests on.",
    )
    return Table("Paired differences in simulation", (*heads, *head, *last), lines, notes, len(heads) + 1)


def endings(found: Sequence[Group], heads: tuple[str, ...], names: Names) -> Table:
    """Return how many trials of each group ended in what way."""
    counts = [Counter(map(ending, group.rows)) for group in found]
    total = sum(counts, Counter())
    known = sorted(total, key=lambda name: (-total[name], name))
    lines = tuple((*names(g), *(str(count[end]) for end in known)) for g, count in zip(found, counts, strict=True))
    return Table("How the trials in simulation ended", (*heads, *known), lines, (), len(heads))


def ending(row: Row) -> str:
    """Return how a trial in simulation ended, in a few words."""
    if row.physics is None:
        return "no grasp"
    if row.physics_failed_in is None:
        return "held to the end"
    what = "lost" if row.physics_grip == "holding" else row.physics_grip
    return f"{what} in {row.physics_failed_in}"


def conditions(found: Sequence[Group]) -> str:
    """Return what the numbers depend on."""
    rows = [row for group in found for row in group.rows if row.physics is not None]

    def span(field: str, scale: float, unit: str) -> str:
        values = [getattr(row, field) * scale for row in rows]
        low, high = min(values), max(values)
        return f"{low:.3g}{unit}" if np.isclose(low, high) else f"{low:.3g} to {high:.3g}{unit}"

    settings, holds = (" or ".join(dict.fromkeys(getattr(row, f) for row in rows)) for f in ("physics", "physics_hold"))
    return (
        f"Settings: {settings}; friction {span('physics_friction', 1, '')}, {span('physics_force_N', 1, ' N')} at each jaw, "
        f"objects of {span('physics_mass_kg', 1e3, ' g')}, hold model {holds}; the other numbers stand in conf/physics."
    )


def _summary(group: Group, statistics: Statistics) -> tuple[str, ...]:
    stopped = sum(bool(row.physics_slip_censored) for row in group.rows)
    return (
        str(len(group.rows)),
        share(statistics.share(group.values(lifted), group.placements)),
        share(statistics.share(group.values(shaken), group.placements)),
        number(statistics.mean(group.values(margin), group.objects), 1),
        number(statistics.median(group.values(slip), group.objects), 1),
        number(statistics.mean(group.values(slip), group.objects), 1),
        number(statistics.mean(group.values(capped), group.objects), 1),
        str(stopped),
        quartiles([row.physics_drift_m for row in group.rows], MM) if any(map(lifted, group.rows)) else NONE,
    )


def _difference(group: Group, base: Group, statistics: Statistics) -> tuple[str, ...]:
    ours, theirs = paired(group, base)
    objects, cells = [row.object for row in ours], []
    for flag in (lifted, shaken):
        test = mcnemar(list(map(flag, ours)), list(map(flag, theirs)), list(map(placement, ours)))
        cells += [str(test.first), str(test.second), f"{test.p:.2g}"]
    for measure in (capped, margin):
        change = [measure(a) - measure(b) for a, b in zip(ours, theirs, strict=True)]
        cells.append(number(statistics.mean(change, objects), 1, "+"))
    beside = base.setting_label if base.method == group.method else base.method
    return (beside, str(len(ours)), *cells)
