"""Tables: labels as Arrow tables and Parquet bytes, and back. Equal labels give equal bytes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labels.record import Labels
from labels.schema import COLUMNS, Kind, arrow_schema
from wrench.contacts import Contacts

IN_CONTACTS = {"contact_points_m": "points", "contact_normals": "normals", "contact_made": "made"}


def to_table(labels: Labels) -> Any:
    """Return labels as an Arrow table with the columns of the schema."""
    import pyarrow as pa  # slow to import

    schema = arrow_schema()
    arrays = [_write(_column(labels, column.name), column.kind, schema.field(column.name).type) for column in COLUMNS]
    return pa.Table.from_arrays(arrays, schema=schema)


def from_table(table: Any) -> Labels:
    """Return the labels in an Arrow table that `to_table` made, or in a selection of its rows; a column it lacks is null."""
    schema = arrow_schema()
    read = {column.name: _READERS[column.kind](_arrow(table, schema.field(column.name))) for column in COLUMNS}
    contacts = Contacts(*(read.pop(name) for name in IN_CONTACTS))
    for name in ("reason", "closure_rate"):
        del read[name]  # follow from the others
    return Labels(**read, contacts=contacts)


def _arrow(table: Any, field: Any) -> Any:
    import pyarrow as pa

    if field.name not in table.column_names:  # added to the schema since
        return pa.nulls(len(table), field.type)
    return table[field.name].combine_chunks()


def parquet_bytes(table: Any) -> bytes:
    """Return a table as the content of a Parquet file."""
    import pyarrow as pa  # slow to import
    from pyarrow import parquet

    sink = pa.BufferOutputStream()
    parquet.write_table(table, sink, compression="zstd")
    return sink.getvalue().to_pybytes()


def _column(labels: Labels, name: str) -> NDArray:
    return getattr(labels.contacts, IN_CONTACTS[name]) if name in IN_CONTACTS else getattr(labels, name)


def _write(values: NDArray, kind: Kind, arrow: Any) -> Any:
    import pyarrow as pa

    if kind in (Kind.POSE, Kind.POINT):
        return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), type=arrow)
    if kind in (Kind.POINTS, Kind.FLAGS):
        width = values[0].size if len(values) else 0
        ends = np.arange(len(values) + 1, dtype=np.int32) * np.int32(width)
        return pa.ListArray.from_arrays(pa.array(ends), pa.array(values.ravel()), type=arrow)
    if kind is Kind.TEXT:
        return pa.array(values.astype(object), arrow, mask=values == "")
    missing = ~np.isfinite(values)
    dtype = {Kind.FLAG: bool, Kind.COUNT: np.int32}.get(kind, values.dtype)
    return pa.array(np.where(missing, 0, values).astype(dtype), arrow, mask=missing)


def _real(array: Any) -> NDArray[np.float64]:
    import pyarrow as pa

    return np.array(array.cast(pa.float64()).fill_null(np.nan), float)


def _pose(array: Any) -> NDArray[np.float64]:
    return np.array(array.flatten(), float).reshape(-1, 4, 4)


def _listed(*tail: int) -> Callable[[Any], NDArray]:
    """Return a reader of lists that are equally long in all rows."""
    each = max(math.prod(tail), 1)

    def read(array: Any) -> NDArray:
        values = np.array(array.flatten())
        return values.reshape(len(array), len(values) // max(len(array), 1) // each, *tail)

    return read


_READERS: dict[Kind, Callable[[Any], NDArray]] = {
    Kind.TEXT: lambda array: np.array(array.fill_null("").to_pylist(), np.str_),
    Kind.WHOLE: lambda array: np.array(array, np.int64),
    Kind.COUNT: _real,
    Kind.REAL: _real,
    Kind.FLAG: _real,
    Kind.POSE: _pose,
    Kind.POINT: lambda array: np.array(array.flatten(), float).reshape(-1, 3),
    Kind.POINTS: _listed(3),
    Kind.FLAGS: _listed(),
}
