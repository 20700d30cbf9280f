"""Rows of a comparison as a report needs them: read back, grouped by what is compared, and paired by what they share."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

from experiments.schema_rows import Outcome, Row, Timing
from grasp.funnel import Funnel

T = TypeVar("T")
COMMON = ("object_set", "planner", "gripper", "setting_label", "setting_number")  # to the rows of a group


@dataclass(frozen=True)
class Group:
    """The trials of one planner with one gripper, under one setting, on one set of objects.

    Parameters
    ----------
    object_set, planner, gripper, setting_label, setting_number
        What they have in common, as in `Row`.
    rows
        At least one.
    """

    object_set: str
    planner: str
    gripper: str
    setting_label: str
    setting_number: float | None
    rows: tuple[Row, ...]

    @property
    def method(self) -> str:
        """Planner and gripper, as a reader meets them."""
        return f"{self.planner} ({self.gripper})"

    @property
    def objects(self) -> list[str]:
        """The object of every row: what a bootstrap draws."""
        return [row.object for row in self.rows]

    @property
    def placements(self) -> list[tuple[str, str, str]]:
        """Object set, object and pose of every row: what the seeds repeat."""
        return [placement(row) for row in self.rows]

    def values(self, measure: Callable[[Row], T]) -> list[T]:
        """Return a measure of every row."""
        return [measure(row) for row in self.rows]


def groups(rows: Sequence[Row]) -> list[Group]:
    """Return the groups in the order in which they first appear; objects that could not be used at all are in none."""
    found: dict[tuple, list[Row]] = {}
    for row in rows:
        if row.planner:
            found.setdefault(tuple(getattr(row, name) for name in COMMON), []).append(row)
    return [Group(**dict(zip(COMMON, key, strict=True)), rows=tuple(members)) for key, members in found.items()]


def curves(found: Sequence[Group]) -> dict[str, list[Group]]:
    """Return the groups of each method and object set, one per setting, in the order of the settings."""
    several = len({group.object_set for group in found}) > 1

    def name(group: Group) -> str:
        return group.method + (f", {group.object_set}" if several else "")

    return {key: list(members) for key, members in groupby(sorted(found, key=name), name)}


def unusable(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of objects that no planner was asked about."""
    return [row for row in rows if not row.planner]


def paired(first: Group, second: Group) -> tuple[list[Row], list[Row]]:
    """Return the rows of two groups on the same object, pose and seed, in the same order."""
    there = {trial(row): row for row in second.rows}
    common = [(row, there[trial(row)]) for row in first.rows if trial(row) in there]
    return [a for a, _ in common], [b for _, b in common]


def trial(row: Row) -> tuple[str, str, str, int]:
    """Return what two planners' rows on the same thing have in common."""
    return row.object_set, row.object, row.pose, row.seed


def placement(row: Row) -> tuple[str, str, str]:
    """Return what the seeds of a trial have in common."""
    return row.object_set, row.object, row.pose


def planned(row: Row) -> bool:
    """Whether there is a grasp."""
    return row.outcome == Outcome.PLAN


def holds(row: Row) -> bool:
    """Whether there is a grasp, it can be carried out on the true mesh, and it is in force closure there."""
    return bool(row.judge_holds)


def rate(row: Row) -> float:
    """Closure rate under the judge; no grasp counts 0."""
    return row.judge_closure_rate or 0.0


def epsilon(row: Row) -> float:
    """Epsilon under the judge, certified from below; no grasp counts 0."""
    return row.judge_epsilon or 0.0


def rated(group: Group) -> list[Row]:
    """Return the rows whose planner gave a closure rate of its own."""
    return [row for row in group.rows if planned(row) and row.closure_rate is not None]


def read(folder: Path) -> tuple[list[Row], dict[str, Timing]]:
    """Return the rows of a run's folder, and its timings by unit."""
    from pyarrow import parquet  # slow to import

    rows = [_row(record) for record in parquet.read_table(folder / "rows.parquet").to_pylist()]
    with (folder / "timings.csv").open(encoding="utf-8", newline="") as file:
        timings = [_timing(record) for record in csv.DictReader(file)]
    return rows, {timing.unit: timing for timing in timings}


def funnels(folder: Path, rows: Sequence[Row]) -> dict[str, Funnel]:
    """Return what became of the candidates of every unit whose record tells of any."""
    found = {}
    for row in rows:
        record = json.loads((folder / "records" / f"{row.unit}.json").read_text(encoding="utf-8"))
        parts = (record["result"] or {}).get("funnels", {}).values()
        if parts:
            found[row.unit] = sum((Funnel(**part) for part in parts), Funnel())
    return found


def _row(record: Mapping[str, Any]) -> Row:
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in record.items()}
    return Row(**values)


def _timing(record: Mapping[str, str]) -> Timing:
    seconds = {name: float(value) if value else None for name, value in record.items() if name != "unit"}
    return Timing(record["unit"], **seconds)
