"""Trial: one unit of work from its view to its record, seen, planned, judged and timed. Nothing here depends on the run."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

from omegaconf import DictConfig

from experiments import physics_columns, schema
from experiments.ranks import compared
from experiments.schema_rows import Outcome, Row, Timing
from experiments.units import Unit
from grasp import to_json
from grasp.plan import Grasp, Refusal
from grasp.provenance import Conventions
from grasp.view import View
from objects.placed import Failure, Placed
from objects.render import render
from wrench.errors import GraspError

T = TypeVar("T")


@dataclass(frozen=True)
class Done:
    """What came of a unit.

    Parameters
    ----------
    record
        ``row``, the fields of a `Row`; ``result``, the plan or refusal as `grasp.to_json` writes it, or None; ``physics``,
        the record of the `physics.TrialResult`, or None.
    timing
        Wall times.
    """

    record: Mapping[str, Any]
    timing: Timing


def run(unit: Unit, cache: Path) -> Done:
    """Return what comes of a unit; whatever goes wrong in it is a row that says so.

    Parameters
    ----------
    unit
        What to do.
    cache
        Folder of convex parts for trials in simulation, made if need be.
    """
    seconds: dict[str, float] = {}
    if isinstance(unit.placed, Failure):
        return _done(unit, {"outcome": Outcome.FAILURE, **_unusable(unit.placed)}, {}, seconds)
    try:
        columns, told = _tried(unit, unit.placed, seconds, cache)
    except Exception as error:  # any error, ours or a library's, must cost no more than its own row
        kind = type(error).__name__
        sentence = str(error) if isinstance(error, GraspError) else f"{kind}: {error}"
        return _done(unit, {"outcome": Outcome.FAILURE, "reason": kind, "sentence": sentence}, {}, seconds)
    return _done(unit, columns, told, seconds)


def _done(unit: Unit, columns: Mapping[str, Any], told: Mapping[str, Any], seconds: Mapping[str, float]) -> Done:
    record = {"row": asdict(Row(unit=unit.address, **unit.names, **columns)), "result": None, "physics": None, **told}
    return Done(record, Timing(unit.address, *map(seconds.get, ("see", "plan", "judge", "physics"))))


def _unusable(failure: Failure) -> dict[str, str]:
    return {"reason": failure.reason or "unusable", "sentence": failure.detail}


def _tried(
    unit: Unit, placed: Placed, seconds: dict[str, float], cache: Path
) -> tuple[dict[str, Any], dict[str, Any]]:
    planner = build(unit.blocks["planner"], "planner")
    view = _timed(seconds, "see", lambda: _look(unit, placed))
    result = _timed(seconds, "plan", lambda: planner.plan(view, unit.rng("planner")))
    columns, told = {"sampled": result.funnel.sampled, "kept": result.funnel.kept}, {"result": json.loads(to_json(result))}
    if isinstance(result, Refusal):
        columns |= {"outcome": Outcome.REFUSAL, "reason": result.reason, "sentence": result.sentence}
    else:
        judge = build(unit.blocks["judge"], "judge")
        judged = (result.best, planner.gripper, placed.solid, unit.rng("judge"))
        columns |= {"outcome": Outcome.PLAN, "reason": "", "sentence": ""} | _grasp_columns(result.best)
        columns |= _own(result.conventions) | _timed(seconds, "judge", lambda: judge.score(*judged))
        if unit.blocks["physics"] is not None:
            trial = (result.best, placed.solid, planner.gripper, build(unit.blocks["physics"], "physics"))
            found = _timed(seconds, "physics", lambda: physics_columns.attempt(*trial, unit.rng("physics"), cache))
            columns, told = columns | found[0], told | {"physics": found[1]}
    return columns | _ranks(unit, planner, view), told


def _look(unit: Unit, placed: Placed) -> View:
    """Return all that the planner may see."""
    if unit.case is None or unit.case.sees == "mesh":
        return View.from_mesh(placed.solid.vertices, placed.solid.faces)
    camera = build(unit.blocks["camera"], "camera")
    return render(placed.solid.mesh, camera["camera"], camera["sensor"], unit.rng("camera"))


def _grasp_columns(grasp: Grasp) -> dict[str, Any]:
    made = grasp.contacts.made
    return {
        **asdict(grasp.metrics),
        "opening_m": grasp.opening,
        "fingertip_height_m": float(grasp.T_table_gripper[2, 3]),
        "T_table_gripper": grasp.T_table_gripper.ravel().tolist(),
        "contact_points_m": grasp.contacts.points[made].ravel().tolist(),
        "contact_normals": grasp.contacts.normals[made].ravel().tolist(),
        "dimension": grasp.contacts.dimension,
    }


def _own(conventions: Conventions | None) -> dict[str, Any]:
    """Return what the planner's own metrics depend on; nothing where it has none."""
    if conventions is None:
        return {}
    return {
        "convention": conventions.convention.name,
        "friction": conventions.friction,
        "torque_scale_m": float(conventions.torque_scale.metres),
        "torque_scale_rule": conventions.torque_scale.rule.value,
        "origin_rule": conventions.origin.rule.value,
        "sigma_m": float(conventions.perturbation["sigma_m"]),
        "draws": int(conventions.perturbation["samples"]),
    }


def _ranks(unit: Unit, planner: Any, view: View) -> dict[str, Any]:
    """Return the rank columns where the experiment asks for them of a planner that has ranks."""
    if unit.blocks["first"] is None or not hasattr(planner, "candidates"):
        return {}
    first = build(unit.blocks["first"], "planner")
    orders = [each.candidates(view, unit.rng("planner")).ranking() for each in (first, planner)]
    return compared(orders[0], orders[1], planner.keep)


def _timed(seconds: dict[str, float], stage: str, work: Callable[[], T]) -> T:
    begin = perf_counter()
    answer = work()
    seconds[stage] = perf_counter() - begin
    return answer


def build(block: Any, where: str) -> Any:
    """Return what a block of plain values describes."""
    return schema.build(DictConfig(block), where)
