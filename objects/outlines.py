"""Outlines: a polygon with its holes from JSON, GeoJSON, WKT or DXF, in metres."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import shapely

from grasp.errors import InvalidValue
from grasp.images import METRES_PER
from objects.arrays import metres_per, naming, require_file

ENDINGS = (".json", ".geojson", ".wkt", ".dxf")


def polygon_file(path: Path, unit: str | None = None) -> Any:
    """Return the Shapely polygon in a file.

    Parameters
    ----------
    path
        ``.json``: ``{"exterior_mm": [[x, y], ...], "holes_mm": [[[x, y], ...], ...]}``, or with ``_m``, or GeoJSON;
        ``.wkt``; ``.dxf`` with one closed outline.
    unit
        ``"m"`` or ``"mm"``; needed for all but JSON that says it in its keys, and refused there.

    Returns
    -------
    Shapely polygon, metres
        As drawn: neither repaired nor checked for crossings, which `View.from_polygon` does.

    Raises
    ------
    InvalidValue
        Names the file and what is wrong.
    """
    require_file(path)
    with naming(path):
        shape, scale = _READERS[path.suffix.lower()](path, unit)
        if getattr(shape, "geom_type", None) != "Polygon":
            raise InvalidValue("content", getattr(shape, "geom_type", type(shape).__name__), "one polygon")
        return shapely.transform(shape, lambda points: points * scale)


def _json(path: Path, unit: str | None) -> tuple[Any, float]:
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InvalidValue("content", error, "JSON") from error
    if isinstance(told, Mapping) and "type" in told:
        return _geojson(told), metres_per(unit)
    own = _unit_in_keys(told)
    if unit not in (None, own):
        raise InvalidValue("unit", repr(unit), f"left out: the file says {own}")
    return _built(told[f"exterior_{own}"], told.get(f"holes_{own}", [])), METRES_PER[own]


def _unit_in_keys(told: Any) -> str:
    """Return the unit that the keys name, and none other with it."""
    for unit in METRES_PER:
        if isinstance(told, Mapping) and f"exterior_{unit}" in told and told.keys() <= {f"exterior_{unit}", f"holes_{unit}"}:
            return unit
    keys = ", ".join(told) if isinstance(told, Mapping) else type(told).__name__
    raise InvalidValue("keys", keys, "exterior_m and holes_m, or exterior_mm and holes_mm")


def _built(exterior: Any, holes: Any) -> Any:
    try:
        return shapely.Polygon(exterior, holes)
    except (ValueError, TypeError, shapely.errors.GEOSException) as error:
        raise InvalidValue("rings", error, "lists of at least three points x, y") from error


def _geojson(told: Mapping[str, Any]) -> Any:
    features = told.get("features", [])
    if told["type"] == "FeatureCollection" and len(features) != 1:
        raise InvalidValue("features", len(features), "1")
    inner = features[0] if features else told
    return _parsed(shapely.from_geojson, json.dumps(inner.get("geometry", inner)), "GeoJSON")


def _wkt(path: Path, unit: str | None) -> tuple[Any, float]:
    return _parsed(shapely.from_wkt, path.read_text(encoding="utf-8"), "WKT"), metres_per(unit)


def _parsed(reader: Any, text: str, form: str) -> Any:
    try:
        return reader(text)
    except shapely.errors.GEOSException as error:
        raise InvalidValue("content", str(error).splitlines()[0], form) from error


def _dxf(path: Path, unit: str | None) -> tuple[Any, float]:
    import trimesh

    scale = metres_per(unit)
    try:
        with path.open("rb") as stream:  # given the name, trimesh leaves the file open
            drawing: Any = trimesh.load_path(stream, file_type="dxf")
        polygons = drawing.polygons_full
    except Exception as error:  # trimesh has no error class of its own
        raise InvalidValue("content", error, "DXF") from error
    if len(polygons) != 1:
        raise InvalidValue("closed outlines", len(polygons), "1")
    return polygons[0], scale


_READERS = {".json": _json, ".geojson": _json, ".wkt": _wkt, ".dxf": _dxf}
