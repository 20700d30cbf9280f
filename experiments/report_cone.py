"""When a grasp holds: outcomes in simulation against the cone ratio, friction available over the load of the lift."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from experiments.report_physics import lifted, shaken
from experiments.report_rows import Group
from experiments.report_table import NONE, Table, number
from experiments.schema_rows import Row
from experiments.stats import Estimate, Statistics, bootstrap

OUTCOMES = {"lifted": lifted, "shaken": shaken}


def closed(group: Sequence[Row]) -> list[Row]:
    """Return the rows whose jaws closed on the object: only they have a cone ratio."""
    return [row for row in group if row.physics_cone_ratio is not None and row.physics_grip == "holding"]


def boundary(ratio: NDArray[np.float64], held: NDArray[np.bool_]) -> float:
    """Return the ratio that best parts what held from what did not: the fewest trials on the wrong side.

    Parameters
    ----------
    ratio : (n,) float
        Positive.
    held : (n,) bool

    Returns
    -------
    float
        The geometric mean of the neighbours of the best cut, the lowest of several equal ones; what is above it is on the
        side that holds. NaN where all or none held.
    """
    if held.all() or not held.any():
        return float("nan")
    order = np.argsort(ratio, kind="stable")
    x, y = ratio[order], held[order]
    wrong = np.concatenate([[0], np.cumsum(y)]) + np.concatenate([[0], np.cumsum(~y[::-1])])[::-1]  # cut before the i-th
    wrong = np.where(np.concatenate([[True], np.diff(x) > 0, [True]]), wrong, len(x) + 1)  # never between equals
    cut = int(wrong.argmin())
    return float(np.nextafter(x[0], 0) if cut == 0 else x[-1] if cut == len(x) else np.sqrt(x[cut - 1] * x[cut]))


def estimate(rows: Sequence[Row], held: Callable[[Row], bool], statistics: Statistics) -> Estimate:
    """Return the boundary of some rows with its bootstrap interval over objects."""
    ratio = np.array([row.physics_cone_ratio for row in rows], float)
    flags = np.array(list(map(held, rows)), bool)
    place, rng = np.arange(len(rows), dtype=float), np.random.default_rng(statistics.seed)
    names = [row.object for row in rows]

    if not len(rows) or np.isnan(boundary(ratio, flags)):
        return Estimate(np.nan, np.nan, np.nan, 0)

    def cut(drawn: NDArray) -> float:
        index = drawn.astype(int)
        return boundary(ratio[index], flags[index])

    kind = {"confidence": statistics.confidence, "resamples": statistics.resamples, "rng": rng}
    return bootstrap(place, names if len(set(names)) > 1 else place, cut, **kind)


def table(lines: Mapping[str, Sequence[Group]], statistics: Statistics) -> Table:
    """Return one line per method: the boundary of lifting and of shaking, over all settings together.

    Parameters
    ----------
    lines
        The groups of each method, one per setting (`report_rows.curves`).
    statistics
        How intervals are drawn.
    """
    head = ("method", "trials closed", "boundary of lifting", "wrong side", "boundary of shaking", "wrong side")
    found = []
    for name, groups in lines.items():
        rows, cells = closed([row for group in groups for row in group.rows]), []
        for held in OUTCOMES.values():
            cut = estimate(rows, held, statistics)
            wrong = sum((row.physics_cone_ratio > cut.value) != held(row) for row in rows)  # type: ignore[operator]
            cells += [number(cut, 2), str(wrong)] if cut.n else [NONE, NONE]
        found.append((name, str(len(rows)), *cells))
    notes = (
        "Cone ratio: friction times the sum of the normal forces once closed, over mass times gravity and the lift's peak "
        "acceleration, mu sum(N) / (m (g + a)). Friction alone, shared as helps most, could hold the object from 1 upwards. "
        "Boundary: the ratio that parts what held from what did not with the fewest trials on the wrong side; "
        f"{statistics.confidence:.0%} bootstrap intervals over objects, over trials where there is one object. Trials whose "
        "jaws did not close on the object have no ratio and are left out.",
    )
    return Table("When a grasp holds", head, tuple(found), notes)
