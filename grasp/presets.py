"""Presets: gripper configs read by name from ``conf/gripper``, without Hydra but with Hydra's meaning.

A file may begin with a `defaults` list of other files in the same folder and ``_self_``. They are merged in that order,
later over earlier: mappings key by key, anything else as a whole. ``_self_`` comes last where it is not listed.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grasp.errors import UnknownPreset

FOLDER = Path(__file__).resolve().parents[1] / "conf" / "gripper"


def names() -> list[str]:
    """Return the names of the presets there are."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def read(name: str) -> dict[str, Any]:
    """Return the merged content of a preset.

    Raises
    ------
    UnknownPreset
        No such file; lists the known names.
    """
    import yaml  # only presets need it

    if name not in names():
        raise UnknownPreset(name, names())
    own = yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    order = own.pop("defaults", [])
    merged: dict[str, Any] = {}
    for part in order if "_self_" in order else [*order, "_self_"]:
        merged = _merge(merged, own if part == "_self_" else read(part))
    return merged


def _merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    both = {key: _merge(base[key], over[key]) for key in over if _mapping(base.get(key)) and _mapping(over[key])}
    return {**base, **over, **both}


def _mapping(value: Any) -> bool:
    return isinstance(value, Mapping)
