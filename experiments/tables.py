"""Tables of a comparison: summary, paired differences, outcomes, the paper's Table I, and the conventions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from experiments import report_cone
from experiments import report_physics as physics
from experiments.paper_table import published
from experiments.report_rows import Group, curves, epsilon, groups, holds, paired, placement, planned, rate, unusable
from experiments.report_table import NONE, Table, markdown, number, quartiles, share
from experiments.schema_rows import Outcome, Row, Timing
from experiments.stats import Statistics, mcnemar

MM, MS = 1e3, 1e3
FEW = 10  # objects, below which a bootstrap over them is not to be trusted


def write(path: Path, rows: Sequence[Row], timings: Mapping[str, Timing], statistics: Statistics) -> None:
    """Write every table, with the conventions, as Markdown."""
    text = [markdown(table) for table in tables(rows, timings, statistics)]
    path.write_text("\n".join([*text, conventions(rows)]) + "\n", encoding="utf-8")


def tables(rows: Sequence[Row], timings: Mapping[str, Timing], statistics: Statistics) -> list[Table]:
    """Return the tables of a run; those that would be empty are left out."""
    found = groups(rows)
    each = [summary(found, timings, statistics), differences(found, statistics), outcomes(found)]
    if tried := physics.simulated(found):
        naming = (tried, _name_heads(found), lambda group: _names(group, found))
        each += [physics.summary(*naming, statistics), physics.endings(*naming)]
        each += [physics.differences(*naming, lambda group: reference(group, tried), statistics)]
        if any(group.setting_label for group in tried):
            each.append(report_cone.table(curves(tried), statistics))
    each += [published([g for g in found if not g.setting_label], statistics), failures(rows)]
    return [table for table in each if table.rows]


def summary(found: Sequence[Group], timings: Mapping[str, Timing], statistics: Statistics) -> Table:
    """Return one line per group: how often it plans, and what its grasps are worth to the judge."""
    head = ("trials", "planned", "hold", "closure rate", "contacts", "epsilon", "opening, mm", "planning time, ms")
    percent = f"{statistics.confidence:.0%}"
    notes = (
        "Hold: the grasp can be carried out on the true mesh and, undisplaced, is in force closure there. Closure rate: "
        "share of the displaced draws in closure, mean. Contacts: mean over the draws. These, and epsilon, are the judge's.",
        "A trial without a grasp counts 0 in hold, closure rate and epsilon, and is left out of contacts and opening.",
        f"In brackets, {percent} intervals: Wilson's for counts; for mean closure rate, mean contacts and median epsilon, "
        "bootstrap over objects. For opening and planning time, the quartiles about the median. Planning begins at the "
        "view, so it includes finding the object in a picture.",
        *_few_objects(found),
        *_pairs_only(found),
    )
    lines = tuple((*_names(group, found), *_summary(group, timings, statistics)) for group in found)
    return Table("Planners by the common judge", (*_name_heads(found), *head), lines, notes, len(_name_heads(found)))


def differences(found: Sequence[Group], statistics: Statistics) -> Table:
    """Return one line per group and its reference: the same trials, paired."""
    head = ("beside", "pairs", "only this holds", "only that", "McNemar p", "closure rate, mean", "epsilon, median")
    lines = tuple(
        (*_names(group, found), *_difference(group, base, statistics))
        for group in found
        if (base := reference(group, found)) is not None
    )
    notes = (
        "Pairs are trials on the same object, pose and seed. McNemar's p is exact and two-sided; it takes the trials for "
        "independent and is not corrected for the number of lines. Closure rate and epsilon are this minus that, with "
        f"{statistics.confidence:.0%} bootstrap intervals over objects; one that includes 0 shows no difference.",
    )
    return Table("Paired differences", (*_name_heads(found), *head), lines, notes, len(_name_heads(found)) + 1)


def reference(group: Group, found: Sequence[Group]) -> Group | None:
    """Return what a group is compared with; None for a reference itself.

    Where a setting varies: the same method under the first setting. Else the bounding box with the same gripper, as in the
    paper's Table I, or for want of one the first group.
    """
    same = [other for other in found if (other.object_set, other.method) == (group.object_set, group.method)]
    alike = [other for other in found if (other.object_set, other.setting_label) == (group.object_set, group.setting_label)]
    boxes = [other for other in alike if (other.planner, other.gripper) == ("bbox", "get")]
    first = same[0] if len(same) > 1 else (boxes or alike)[0]
    return None if first is group else first


def outcomes(found: Sequence[Group]) -> Table:
    """Return how often each group ended in what way."""
    counts = [Counter(map(ending, group.rows)) for group in found]
    known = by_frequency(counts)
    lines = tuple((*_names(g, found), *(str(count[end]) for end in known)) for g, count in zip(found, counts, strict=True))
    return Table("How the trials ended", (*_name_heads(found), *known), lines, (), len(_name_heads(found)))


def by_frequency(counts: Sequence[Counter[str]]) -> list[str]:
    """Return the names that are counted, the most frequent first."""
    total = sum(counts, Counter())
    return sorted(total, key=lambda name: (-total[name], name))


def ending(row: Row) -> str:
    """Return how a trial ended, in a few words."""
    if row.outcome != Outcome.PLAN:
        return f"{row.outcome}: {row.reason.replace('_', ' ')}"
    if holds(row):
        return "holds"
    why = row.judge_reason or "ok"
    return "no closure on the mesh" if why == "ok" else f"on the mesh: {why.replace('_', ' ')}"


def failures(rows: Sequence[Row]) -> Table:
    """Return the trials in which the object or the program failed."""
    failed = [row for row in rows if row.outcome == Outcome.FAILURE]
    lines = tuple((row.object, row.pose or NONE, _who(row), row.reason or NONE, row.sentence) for row in failed)
    lost = len(unusable(rows))
    notes = (f"{lost} of them could not be used by any planner and are left out of every other table.",) if lost else ()
    return Table("Failures", ("object", "pose", "method", "reason", "what happened"), lines, notes, 5)


def conventions(rows: Sequence[Row]) -> str:
    """Return what the judge's numbers depend on."""
    judged = [row for row in rows if row.judge_convention is not None]
    if not judged:
        return "No grasp was judged."

    def each(field: str, scale: float = 1) -> str:
        values = dict.fromkeys(getattr(row, field) for row in judged)
        return " or ".join(value if isinstance(value, str) else f"{value * scale:g}" for value in values)

    scales = [row.judge_torque_scale_m * MM for row in judged if row.judge_torque_scale_m is not None]
    torques = f"torques divided by {min(scales):.0f} to {max(scales):.0f} mm, depending on the object, " if scales else ""
    return (
        f"Conventions of the judge: {each('judge_convention')}, friction {each('judge_friction')}, {torques}"
        f"{each('judge_draws')} draws displaced by {each('judge_sigma_m', MM)} mm (sigma) per axis."
    )


def _few_objects(found: Sequence[Group]) -> tuple[str, ...]:
    """Return a warning where there are too few objects to draw from."""
    fewest = min((len(set(group.objects)) for group in found), default=FEW)
    return (f"With {fewest} objects, fewer than {FEW}, bootstrap intervals come out too narrow.",) if fewest < FEW else ()


def _pairs_only(found: Sequence[Group]) -> tuple[str, ...]:
    """Return a note on methods whose grasps never have a third contact."""
    most: dict[str, int] = {}
    for group in found:
        most[group.method] = max([most.get(group.method, 0), *(row.judge_contacts or 0 for row in group.rows)])
    few = [method for method, contacts in most.items() if 0 < contacts <= 2]
    if not few:
        return ()
    why = "Two hard point contacts resist no torque about the line that joins them: in space they are never in closure."
    return (f"No grasp of {' or '.join(few)} made more than two contacts. {why}",)


def _summary(group: Group, timings: Mapping[str, Timing], statistics: Statistics) -> tuple[str, ...]:
    touching = [(n, row.object) for row in group.rows if (n := row.judge_mean_contacts) is not None]
    contacts = statistics.mean([n for n, _ in touching], [name for _, name in touching])
    times = [timings[row.unit].plan_s for row in group.rows if row.unit in timings]
    return (
        str(len(group.rows)),
        share(statistics.share(group.values(planned), group.placements)),
        share(statistics.share(group.values(holds), group.placements)),
        number(statistics.mean(group.values(rate), group.objects), 2),
        number(contacts, 2),
        number(statistics.median(group.values(epsilon), group.objects), 3),
        quartiles([row.opening_m for row in group.rows], MM),
        quartiles(times, MS),
    )


def _difference(group: Group, base: Group, statistics: Statistics) -> tuple[str, ...]:
    ours, theirs = paired(group, base)
    test = mcnemar(list(map(holds, ours)), list(map(holds, theirs)), list(map(placement, ours)))
    objects = [row.object for row in ours]
    rates, epsilons = ([f(a) - f(b) for a, b in zip(ours, theirs, strict=True)] for f in (rate, epsilon))
    return (
        base.setting_label if base.method == group.method else base.method,
        str(test.n),
        str(test.first),
        str(test.second),
        f"{test.p:.2g}",
        number(statistics.mean(rates, objects), 2, "+"),
        number(statistics.median(epsilons, objects), 3, "+"),
    )


def _name_heads(found: Sequence[Group]) -> tuple[str, ...]:
    several, varied = len({group.object_set for group in found}) > 1, any(group.setting_label for group in found)
    return (*(("objects",) if several else ()), "method", *(("setting",) if varied else ()))


def _names(group: Group, found: Sequence[Group]) -> tuple[str, ...]:
    cells = {"objects": group.object_set, "method": group.method, "setting": group.setting_label}
    return tuple(cells[head] for head in _name_heads(found))


def label(group: Group, found: Sequence[Group]) -> str:
    """Return what tells a group from the others, in one line."""
    return ", ".join(_names(group, found))


def _who(row: Row) -> str:
    return f"{row.planner} ({row.gripper})" if row.planner else NONE
