"""Rows on disk: one record per finished unit, and the tables made of all of them. Equal units give equal bytes."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_type_hints

from experiments.schema_rows import Outcome, Row, Timing
from experiments.trial import Done
from labels.whole import write_whole

RECORDS, TIMINGS = "records", "timings"  # folders of one small file per unit


def save(folder: Path, done: Done) -> None:
    """Write a unit's timing, then its record: where there is a record, there is a timing."""
    name = f"{done.timing.unit}.json"
    write_whole(folder / TIMINGS / name, _text(asdict(done.timing)))
    write_whole(folder / RECORDS / name, _text(done.record))


def load(folder: Path, address: str) -> dict[str, Any] | None:
    """Return the record of a unit; None where it is missing or tells of a failure, which is then tried again."""
    path = folder / RECORDS / f"{address}.json"
    record = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
    return None if record is None or record["row"]["outcome"] == Outcome.FAILURE else record


def write_tables(folder: Path, addresses: Sequence[str]) -> list[Row]:
    """Write ``rows.parquet``, ``rows.csv`` and ``timings.csv`` of those units that have a record; return the rows."""
    there = [address for address in addresses if (folder / RECORDS / f"{address}.json").is_file()]
    records, timings = ([_read(folder / kind / f"{address}.json") for address in there] for kind in (RECORDS, TIMINGS))
    rows = [record["row"] for record in records]
    write_whole(folder / "rows.parquet", _parquet(rows))
    write_whole(folder / "rows.csv", _csv(Row, rows))
    write_whole(folder / "timings.csv", _csv(Timing, timings))
    return [Row(**row) for row in rows]


def _text(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, allow_nan=False, indent=1) + "\n").encode()


def _read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def _csv(cls: type, rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Return a table whose lists are JSON and whose None is empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [field.name for field in fields(cls)], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({key: json.dumps(value) if isinstance(value, list) else value for key, value in row.items()})
    return text.getvalue().encode()


def _parquet(rows: Sequence[Mapping[str, Any]]) -> bytes:
    import pyarrow as pa  # slow to import
    from pyarrow import parquet

    kinds = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    hints = get_type_hints(Row)
    columns = [pa.field(name, kinds.get(_kind(hint), pa.list_(pa.float64()))) for name, hint in hints.items()]
    table, sink = pa.Table.from_pylist(list(rows), pa.schema(columns)), pa.BufferOutputStream()
    parquet.write_table(table, sink)
    return sink.getvalue().to_pybytes()


def _kind(hint: Any) -> Any:
    """Return the type of a field that may be None."""
    return get_args(hint)[0] if isinstance(hint, UnionType) else hint
