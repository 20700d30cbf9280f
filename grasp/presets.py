"""Presets: config files read by name from ``conf/<group>``, without Hydra but with Hydra's meaning.

A file may begin with a `defaults` list of other files in the same folder and ``_self_``. They are merged in that order,
later over earlier: mappings key by key, anything else as a whole. ``_self_`` comes last where it is not listed.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grasp.errors import UnknownPreset

CONF = Path(__file__).resolve().parents[1] / "conf"


def names(group: str) -> list[str]:
    """Return the names of the presets of a group (``"gripper"``, ``"quality"``, ...)."""
    return sorted(path.stem for path in (CONF / group).glob("*.yaml"))


def read(group: str, name: str) -> dict[str, Any]:
    """Return the merged content of a preset, without Hydra's ``_target_`` keys.

    Raises
    ------
    UnknownPreset
        No such file; lists the known names.
    """
    import yaml  # only presets need it

    if name not in names(group):
        raise UnknownPreset(group, name, names(group))
    own = yaml.safe_load((CONF / group / f"{name}.yaml").read_text(encoding="utf-8"))
    order = own.pop("defaults", [])
    merged: dict[str, Any] = {}
    for part in order if "_self_" in order else [*order, "_self_"]:
        merged = _merge(merged, own if part == "_self_" else read(group, part))
    return _plain(merged)


def _plain(mapping: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapping without the keys, at any depth, that tell Hydra what to build."""
    own = {key: value for key, value in mapping.items() if key != "_target_"}
    return {key: _plain(value) if _mapping(value) else value for key, value in own.items()}


def _merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    both = {key: _merge(base[key], over[key]) for key in over if _mapping(base.get(key)) and _mapping(over[key])}
    return {**base, **over, **both}


def _mapping(value: Any) -> bool:
    return isinstance(value, Mapping)
