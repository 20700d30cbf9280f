"""The manifest: what a folder of labels holds and what its numbers mean. Equal runs write it equally."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from grasp.provenance import versions
from grasp.reasons import Reason
from labels.recipe import Recipe
from labels.schema import COLUMNS, VERSION, arrow_schema
from labels.trials import engine
from wrench.convention import Convention

NAME = "manifest.json"
DIRECTIONS = {"higher": "higher is better", "lower": "lower is better", "neither": "neither is better"}
FRAMES = (
    "SI units and radians. Table frame: z up, table at z = 0. T_table_gripper maps the gripper's frame to the table's; x of "
    "the gripper is the closing axis from the wide jaw to the narrow one, z the approach, its origin lies between the pads "
    "at the fingertips. Angles have a period of a full turn: the jaws differ. Contact order: wide jaw first; normals point "
    "into the object."
)


def manifest(recipe: Recipe, records: Sequence[Mapping[str, Any]], failures: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the manifest of a set of labels.

    Parameters
    ----------
    recipe
        What they depend on.
    records
        Of the objects that are labelled, in the order of the set.
    failures
        Entries of the others.
    """
    placements = [placement for record in records for placement in record["placements"]]
    return {
        "schema_version": VERSION,
        "object_set": recipe.object_set,
        "objects": len(records),
        "candidates": sum(answer["rows"] for placement in placements for answer in placement["answers"]),
        "seed": recipe.seed,
        "config_sha256": recipe.config_sha256,
        "made_by_sha256": recipe.made_by,
        "versions": versions() | ({} if recipe.trials is None else engine()),
        "frames": FRAMES,
        "columns": columns(),
        "reasons": {reason.value: {"code": reason.code, "sentence": reason.sentence} for reason in Reason},
        "depth_step_m": recipe.depth_step,
        "planners": {name: _planner(case, recipe) for name, case in recipe.cases.items()},
        "physics": _physics(recipe),
        "counts": counts(placements),
        "trials": trials(placements),
        "failures": [dict(failure) for failure in failures],
        "meshes": {record["object"]: record["mesh"] for record in records},
        "placements": placements,
        "files": {name: sums for record in records for name, sums in record["files"].items()},
    }


def columns() -> dict[str, dict[str, str]]:
    """Return type, unit, direction and meaning of every column of a candidates table."""
    schema = arrow_schema()
    return {
        column.name: {
            "type": str(schema.field(column.name).type),
            "unit": column.unit,
            "direction": DIRECTIONS[column.better],
            "meaning": column.meaning,
        }
        for column in COLUMNS
    }


def counts(placements: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """Return per planner the number of candidates of each reason, and of views refused: ``"refused: <reason>"``."""
    found: dict[str, Counter] = {}
    for answer in (answer for placement in placements for answer in placement["answers"]):
        own = found.setdefault(answer["planner"], Counter())
        own.update(answer["reasons"])
        if answer["refusal"] is not None:
            own[f"refused: {answer['refusal']['reason']}"] += 1
    return {planner: dict(sorted(own.items())) for planner, own in found.items()}


def trials(placements: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """Return per planner how many candidates were ``drawn`` for a trial, ``lifted``, and ``failed`` to have an outcome."""
    found: dict[str, Counter] = {}
    for answer in (answer for placement in placements for answer in placement["answers"]):
        if (told := answer["trials"]) is not None:
            own = found.setdefault(answer["planner"], Counter(drawn=0, lifted=0, failed=0))
            own.update({**told, "failed": sum(told["failed"].values())})
    return {planner: dict(own) for planner, own in found.items()}


def _physics(recipe: Recipe) -> dict[str, Any] | None:
    if recipe.trials is None:
        return None
    return {"per_view": recipe.trials.per_view, "settings": asdict(recipe.trials.settings)}


def _planner(case: Any, recipe: Recipe) -> dict[str, Any]:
    own, common = hasattr(case.planner, "candidates"), recipe.judge
    judge = case.planner.judge if own else common.quality
    return {
        "kind": type(case.planner).__name__,
        "sees": case.sees,
        "metrics": "its own" if own else "of the common judge, on the true mesh",
        "convention": asdict(Convention.of(judge.convention, judge.cone)),
        "judge": asdict(judge) if own else asdict(common),  # type: ignore[call-overload]
        "settings": asdict(case.planner),
    }
