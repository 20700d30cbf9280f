"""Surroundings from a file: neighbours and forbidden regions around the object, as JSON, read strictly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from grasp.strict import require_keys
from grasp.surroundings import Obstacle, Surroundings
from wrench.errors import GraspError, InvalidValue

KEYS = ("name", "polygon", "low", "high", "kind")
KINDS = ("obstacle", "forbidden")


def read_surroundings(path: Path) -> Surroundings:
    """Return what stands around the object.

    Parameters
    ----------
    path
        Of a JSON list of mappings with exactly the keys ``name``, ``polygon`` (a ring of [x, y] in metres, table frame seen
        from above), ``low`` and ``high`` (metres above the table) and ``kind``, ``"obstacle"`` or ``"forbidden"``.

    Raises
    ------
    GraspError
        Text that is not strict JSON, or an entry that is none; names the file and the entry.
    """
    try:
        entries = json.loads(path.read_text(encoding="utf-8"), parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise GraspError(f"{path.name} is not JSON: {error}") from error
    if not isinstance(entries, list):
        raise InvalidValue(path.name, type(entries).__name__, f"a list of mappings with the keys {', '.join(KEYS)}")
    found: dict[str, list[Obstacle]] = {kind: [] for kind in KINDS}
    for i, entry in enumerate(entries):
        where = f"{path.name}[{i}]"
        require_keys(where, entry, KEYS)
        if entry["kind"] not in KINDS:
            raise InvalidValue(f"{where}.kind", repr(entry["kind"]), f"one of {', '.join(KINDS)}")
        found[entry["kind"]].append(_obstacle(where, entry))
    return Surroundings(tuple(found["obstacle"]), tuple(found["forbidden"]))


def _obstacle(where: str, entry: dict[str, Any]) -> Obstacle:
    from shapely import Polygon

    expected = "a ring of at least 3 points [x, y] in metres"
    try:
        ring = np.array(entry["polygon"], float)
    except (TypeError, ValueError) as error:
        raise InvalidValue(f"{where}.polygon", repr(entry["polygon"])[:60], expected) from error
    if ring.ndim != 2 or ring.shape[1] != 2 or len(ring) < 3 or not np.isfinite(ring).all():
        raise InvalidValue(f"{where}.polygon", repr(entry["polygon"])[:60], expected)
    try:
        return Obstacle(entry["name"], Polygon(ring), entry["low"], entry["high"])
    except GraspError as error:
        raise GraspError(f"{where}: {error}") from error


def _no_constant(name: str) -> None:
    raise InvalidValue("number", name, "finite: strict JSON has no such value")
