"""Records: plans and refusals as strict JSON (RFC 8259), with units in the names, and back bit for bit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from grasp.funnel import Funnel
from grasp.load import GripForce
from grasp.plan import Grasp, Metrics, Plan, Refusal
from grasp.provenance import Conventions, Provenance, Seed
from grasp.strict import build, require_keys
from wrench.contacts import Contacts
from wrench.convention import Cone, Convention
from wrench.errors import GraspError, InvalidValue
from wrench.reference import Origin, OriginRule, ScaleRule, TorqueScale

FORMAT = 1  # raised when a field changes its name or meaning


def to_json(result: Plan | Refusal, indent: int | None = None) -> str:
    """Return a plan or a refusal as strict JSON text; equal results give equal text."""
    common = {
        "format": FORMAT,
        "kind": type(result).__name__.lower(),
        "provenance": asdict(result.provenance),
        "funnels": {sampler: asdict(funnel) for sampler, funnel in result.funnels.items()},
    }
    own = _write_plan(result) if isinstance(result, Plan) else _write_refusal(result)
    return json.dumps(common | own, allow_nan=False, indent=indent)


def from_json(text: str) -> Plan | Refusal:
    """Return the plan or refusal that `to_json` wrote.

    Raises
    ------
    GraspError
        Text that is not strict JSON, another format, unknown or missing keys, or a value its field refuses.
    """
    try:
        record = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise GraspError(f"the text is not JSON: {error}") from error
    kind = record.get("kind") if isinstance(record, dict) else None
    if kind not in list(_READERS):
        raise InvalidValue("kind", repr(kind), f"one of {', '.join(map(repr, _READERS))}")
    if record.get("format") != FORMAT:
        raise InvalidValue("format", record.get("format"), f"{FORMAT}, the one this version reads")
    keys, reader = _READERS[kind]
    require_keys(kind, record, ["format", "kind", "provenance", "funnels", *keys])
    try:
        return reader(record)
    except (AttributeError, TypeError, ValueError) as error:
        raise error if isinstance(error, GraspError) else GraspError(f"the {kind} cannot be read: {error}") from error


def _refuse_constant(name: str) -> None:
    raise InvalidValue("number", name, "finite: strict JSON has no such value")


def _write_plan(plan: Plan) -> dict[str, Any]:
    conventions = None if plan.conventions is None else _write_conventions(plan.conventions)
    return {"conventions": conventions, "grasps": [_write_grasp(grasp) for grasp in plan.grasps]}


def _read_plan(record: Mapping[str, Any]) -> Plan:
    conventions = None if record["conventions"] is None else _read_conventions(record["conventions"])
    grasps = tuple(_read_grasp(grasp) for grasp in record["grasps"])
    return Plan(grasps, _read_funnels(record["funnels"]), conventions, _read_provenance(record["provenance"]))


def _write_refusal(refusal: Refusal) -> dict[str, Any]:
    return {"reason": refusal.reason, "detail": refusal.detail, "nearest_miss": dict(refusal.nearest_miss)}


def _read_refusal(record: Mapping[str, Any]) -> Refusal:
    known = {name: record[name] for name in ("reason", "detail", "nearest_miss")}
    funnels, provenance = _read_funnels(record["funnels"]), _read_provenance(record["provenance"])
    return Refusal(**known, funnels=funnels, provenance=provenance)


_READERS = {
    "plan": (("conventions", "grasps"), _read_plan),
    "refusal": (("reason", "detail", "nearest_miss"), _read_refusal),
}


def _read_funnels(record: Mapping[str, Any]) -> dict[str, Funnel]:
    return {sampler: build(Funnel, funnel, f"funnels.{sampler}") for sampler, funnel in record.items()}


def _read_provenance(record: Mapping[str, Any]) -> Provenance:
    require_keys("provenance", record, [field.name for field in fields(Provenance)])
    return Provenance(**{**record, "seed": build(Seed, record["seed"], "provenance.seed")})


def _write_grasp(grasp: Grasp) -> dict[str, Any]:
    contacts = grasp.contacts
    force = {} if grasp.force is None else {FORCE: asdict(grasp.force)}
    return {
        "position_m": grasp.T_table_gripper[:3, 3].tolist(),
        "rotation": grasp.T_table_gripper[:3, :3].tolist(),
        "opening_m": grasp.opening,
        "sampler": grasp.sampler,
        "contact_points_m": contacts.points.tolist(),
        "contact_normals": contacts.normals.tolist(),
        "contact_made": contacts.made.tolist(),
        "metrics": asdict(grasp.metrics),
        **force,
    }


GRASP_KEYS = (
    *("position_m", "rotation", "opening_m", "sampler"),
    *("contact_points_m", "contact_normals", "contact_made", "metrics"),
)
FORCE = "grip_force_n"  # stands where a load was given


def _read_grasp(record: Mapping[str, Any]) -> Grasp:
    require_keys("grasp", record, (*GRASP_KEYS, *([FORCE] if FORCE in record else [])))
    T = np.eye(4)
    T[:3, 3], T[:3, :3] = record["position_m"], record["rotation"]
    contacts = Contacts(*(np.array(record[f"contact_{name}"]) for name in ("points_m", "normals", "made")))
    metrics = build(Metrics, record["metrics"], "metrics")
    force = build(GripForce, record[FORCE], FORCE) if FORCE in record else None
    return Grasp(T, record["opening_m"], contacts, record["sampler"], metrics, force)


def _write_conventions(conventions: Conventions) -> dict[str, Any]:
    return {
        "friction": conventions.friction,
        "torque_scale_m": float(conventions.torque_scale.metres),
        "torque_scale_rule": conventions.torque_scale.rule,
        "origin_m": conventions.origin.point.tolist(),
        "origin_rule": conventions.origin.rule,
        "convention": asdict(conventions.convention),
        "perturbation": conventions.perturbation,
    }


CONVENTION_KEYS = (
    *("friction", "torque_scale_m", "torque_scale_rule", "origin_m", "origin_rule"),
    *("convention", "perturbation"),
)


def _read_conventions(record: Mapping[str, Any]) -> Conventions:
    require_keys("conventions", record, CONVENTION_KEYS)
    scale = TorqueScale(np.array(record["torque_scale_m"]), ScaleRule(record["torque_scale_rule"]))
    origin = Origin(np.array(record["origin_m"]), OriginRule(record["origin_rule"]))
    convention = _read_convention(record["convention"])
    return Conventions(record["friction"], scale, origin, convention, record["perturbation"])


def _read_convention(record: Mapping[str, Any]) -> Convention:
    require_keys("convention", record, [field.name for field in fields(Convention)])
    return Convention(**{**record, "cone": build(Cone, record["cone"], "convention.cone")})
