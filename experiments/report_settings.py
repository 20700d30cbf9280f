"""The figure of a run in which one setting varies: what it does to each method, with intervals, and its reading."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from experiments.report_figures import PALETTE, canvas, png
from experiments.report_rows import Group, curves, paired
from experiments.report_table import number, share
from experiments.schema_rows import Row
from experiments.stats import Estimate, Statistics

# What is drawn where it was measured: the field of `Row`, and what to call it. With a simulation, only what it found.
SIMULATED = {
    "physics_lifted": "share lifted in simulation",
    "physics_shaken": "share that survives the shake",
    "physics_shake_margin": "shake margin, multiples",
    "physics_slip_force_N": "slip force, N",
}
MEASURES = {
    "judge_closure_rate": "the judge's closure rate",
    "judge_epsilon": "the judge's epsilon",
    "closure_rate": "the planner's own closure rate",
    "rank_correlation": "rank correlation with the first setting",
    "top_kept": "share of the first setting's best kept",
}
NO_GRASP_IS_ZERO = ("judge_closure_rate", "judge_epsilon", "closure_rate", *SIMULATED)
SHARES = ("judge_closure_rate", "closure_rate", "top_kept", "physics_lifted", "physics_shaken")
RANKS = "rank_correlation"


def measured(found: Sequence[Group]) -> dict[str, str]:
    """Return the measures that any row holds, with their names."""
    rows = [row for group in found for row in group.rows]
    wanted = SIMULATED if any(row.physics is not None for row in rows) else MEASURES
    return {field: name for field, name in wanted.items() if any(getattr(row, field) is not None for row in rows)}


def value(field: str) -> Callable[[Row], float | None]:
    """Return the measure of a row; without a grasp all but ranks are 0, and so is what a trial did not come to."""
    return lambda row: 0.0 if (found := getattr(row, field)) is None and field in NO_GRASP_IS_ZERO else found


def estimate(group: Group, field: str, statistics: Statistics) -> Estimate:
    """Return the mean of a measure over the rows that have one, with its interval over objects."""
    known = [(x, row.object) for row in group.rows if (x := value(field)(row)) is not None]
    return statistics.mean([x for x, _ in known], [name for _, name in known])


def figure(found: Sequence[Group], statistics: Statistics) -> bytes:
    """Draw each measure against the setting, a curve per method."""
    fields, lines = measured(found), curves(found)
    columns = 2 if len(fields) in (2, 4) else 3
    rows = max(-(-len(fields) // columns), 1)
    drawn, panels = canvas(0.4 + 3.1 * rows, columns, rows)
    for axes in panels[len(fields) :]:
        axes.set_visible(False)
    for axes, (field, name) in zip(panels, fields.items(), strict=False):
        for i, (method, members) in enumerate(lines.items()):
            _curve(axes, members, [estimate(g, field, statistics) for g in members], PALETTE[i % len(PALETTE)], method, i)
        if field in SHARES:
            axes.set_ylim(-0.03, 1.03)
        axes.set_title(name, fontsize=10)
        axes.set_xlabel(found[0].rows[0].setting.replace("_", " "))
        _ticks(axes, next(iter(lines.values())))
    drawn.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=3, frameon=False, fontsize=9)
    return png(drawn)


def reading(found: Sequence[Group], statistics: Statistics) -> list[str]:
    """Return, per method, under which settings its metrics are highest, or where rankings differ most."""
    known = measured(found)
    ranked, tried = RANKS in known, "physics_lifted" in known
    first, second = ("physics_lifted", "physics_slip_force_N") if tried else ("judge_closure_rate", "judge_epsilon")
    said = []
    for method, members in curves(found).items():
        said.append(_highest(method, members, first, statistics))
        said.append((_ranks if ranked else _highest)(method, members, RANKS if ranked else second, statistics))
    return [*said, "The highest of several settings is picked after the fact: expect less of it on other objects."]


def _highest(method: str, members: list[Group], field: str, statistics: Statistics) -> str:
    digits, first = (2 if field in SHARES else 3), members[0]
    best = max(members, key=lambda group: estimate(group, field, statistics).value)
    highest = number(estimate(best, field, statistics), digits)
    said = f"{method}: {(SIMULATED | MEASURES)[field]} is highest at {best.setting_label}, {highest}"
    if best is first:
        return f"{said}, the first of the {len(members)} settings."
    theirs, ours = paired(first, best)
    differences = [(value(field)(b) or 0.0) - (value(field)(a) or 0.0) for a, b in zip(theirs, ours, strict=True)]
    change = statistics.mean(differences, [row.object for row in ours])
    shown = "a difference" if change.low > 0 else "no difference that the trials can show"
    return f"{said}; that is {number(change, digits, '+')} beside {first.setting_label} on the same trials: {shown}."


def _ranks(method: str, members: list[Group], field: str, statistics: Statistics) -> str:
    others = [group for group in members[1:] if estimate(group, field, statistics).n]
    if not others:
        return f"{method}: no two rankings to compare."
    worst = min(others, key=lambda group: estimate(group, field, statistics).value)
    kept, first = estimate(worst, "top_kept", statistics), [row.best_rank == 1 for row in worst.rows if row.top]
    return (
        f"{method}: rankings differ most from those under {members[0].setting_label} under {worst.setting_label}: rank "
        f"correlation {number(estimate(worst, field, statistics), 2)}, share of the best kept {number(kept, 2)}; "
        f"the best grasp stays the best in {share(statistics.share(first))} trials."
    )


def _curve(axes: Any, members: list[Group], estimates: list[Estimate], colour: str, name: str, i: int) -> None:
    x = _places(members)
    step = 0.012 * i * (max(x) - min(x) or 1)  # beside each other, not over each other
    y = np.array([e.value for e in estimates])
    away = np.abs([[e.value - e.low for e in estimates], [e.high - e.value for e in estimates]])
    axes.errorbar(np.array(x) + step, y, yerr=away, fmt="o-", color=colour, ms=5, capsize=3, lw=1.5, label=name)


def _places(members: list[Group]) -> list[float]:
    """Return where the settings stand: at their numbers, or one after the other."""
    numbers = [group.setting_number for group in members]
    return [float(i) if None in numbers else float(x or 0) for i, x in enumerate(numbers)]


def _ticks(axes: Any, members: list[Group]) -> None:
    labels = [group.setting_label for group in members]
    steep = 30 if sum(map(len, labels)) > 20 else 0
    axes.set_xticks(_places(members), labels, rotation=steep, ha="right" if steep else "center")
