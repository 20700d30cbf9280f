"""The store: the files of one object and its record, written last, which says that they are all there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grasp.strict import plain
from labels.whole import sha256, write_whole
from wrench.errors import InvalidValue


def json_bytes(value: Any) -> bytes:
    """Return strict JSON (RFC 8259) of a value; equal values give equal bytes."""
    return (json.dumps(plain("json", value), allow_nan=False, indent=1) + "\n").encode()


def claim(folder: Path, address: str) -> None:
    """Make a folder that of one recipe.

    Raises
    ------
    InvalidValue
        It holds labels of another recipe: of other settings, or made by other code.
    """
    path = folder / "recipe.json"
    if path.is_file() and json.loads(path.read_text(encoding="utf-8"))["address"] != address:
        raise InvalidValue("output", folder, "a new folder: this one holds labels of other settings or of other code")
    write_whole(path, json_bytes({"address": address}))


def write(folder: Path, address: str, record: Mapping[str, Any], files: Mapping[str, bytes]) -> dict[str, Any]:
    """Write files and then the record of an object, and return the record as `read_record` will."""
    for name, data in files.items():
        write_whole(folder / name, data)
    sums = {name: {"bytes": len(data), "sha256": sha256(data)} for name, data in files.items()}
    text = json_bytes({"address": address, **record, "files": sums})
    write_whole(_record(folder, record["object"]), text)
    return json.loads(text)


def read_record(folder: Path, address: str, name: str) -> dict[str, Any] | None:
    """Return the record of an object whose files are all there, whole and as they were written; None otherwise.

    Returns
    -------
    dict
        ``object``, ``mesh``, ``placements`` (see `labels.manifest`) and ``files``, with the sums of each.
    """
    path = _record(folder, name)
    if not path.is_file():
        return None
    record = json.loads(path.read_text(encoding="utf-8"))
    if record["address"] != address:
        return None
    try:
        for file, sums in record["files"].items():
            verified(folder / file, sums)
    except InvalidValue:
        return None
    return record


def verified(path: Path, sums: Mapping[str, Any]) -> bytes:
    """Return the content of a file that has the size and the sum it was written with.

    Raises
    ------
    InvalidValue
        It is missing, incomplete or changed; the error names it.
    """
    data = path.read_bytes() if path.is_file() else None
    again = "; give the command that wrote it again, and it will be made anew"
    if data is None:
        raise InvalidValue("file", path, f"there: it is missing{again}")
    if len(data) < sums["bytes"]:
        raise InvalidValue("file", path, f"whole: it is incomplete, {len(data)} of {sums['bytes']} bytes{again}")
    if sha256(data) != sums["sha256"]:
        raise InvalidValue("file", path, f"as it was written: its SHA-256 has changed{again}")
    return data


def _record(folder: Path, name: str) -> Path:
    return folder / "records" / f"{name}.json"
