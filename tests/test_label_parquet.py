"""Shards are plain Parquet: one schema for all, no types of Arrow's own, and other readers find what the manifest says."""

import json

import pyarrow as pa
import pytest
from pyarrow import parquet

from labels import card, table
from labels.schema import arrow_schema
from tests.exported import labelled

PLAIN = {"string", "int32", "double", "bool", "binary"}  # what every reader of Parquet knows
KINDS = ("candidates", "views")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    data = labelled(tmp_path_factory.mktemp("labels"))[0]
    (data.folder / card.NAME).write_text(card.card(data.manifest))
    return data


def shards(data, kind):
    return sorted((data.folder / kind).glob("*.parquet"))


@pytest.mark.parametrize("kind", KINDS)
def test_all_shards_have_one_schema_of_plain_types(whole, kind):
    schemas = [parquet.read_schema(path) for path in shards(whole, kind)]
    assert len(schemas) == len(whole) > 1
    assert all(schema.equals(schemas[0], check_metadata=True) for schema in schemas)
    joined = pa.concat_tables([parquet.read_table(path) for path in shards(whole, kind)])  # strict: equal schemas
    assert joined.num_rows == (whole.manifest["candidates"] if kind == "candidates" else len(whole))
    for field in schemas[0]:
        inner = field.type.value_type if isinstance(field.type, (pa.ListType, pa.FixedSizeListType)) else field.type
        assert not isinstance(field.type, pa.BaseExtensionType)
        assert str(inner) in PLAIN
        assert field.metadata is None


def test_a_shard_without_rows_has_the_same_schema(whole):
    assert table.to_table(next(iter(whole)).labels[:0]).schema.equals(arrow_schema(), check_metadata=True)
    assert parquet.read_schema(shards(whole, "candidates")[0]).equals(arrow_schema(), check_metadata=True)


def test_parquet_itself_tells_no_types_of_arrow(whole):
    """Physical and logical types as any reader sees them, without the Arrow schema in the metadata."""
    found = parquet.ParquetFile(shards(whole, "candidates")[0]).schema
    kinds = {(found.column(i).physical_type, str(found.column(i).logical_type)) for i in range(len(found))}
    assert kinds == {("BYTE_ARRAY", "String"), ("INT32", "None"), ("DOUBLE", "None"), ("BOOLEAN", "None")}


def rows_of_pandas(pattern):
    pandas = pytest.importorskip("pandas")
    return len(pandas.concat([pandas.read_parquet(path) for path in sorted(pattern.parent.glob(pattern.name))]))


def rows_of_polars(pattern):
    return pytest.importorskip("polars").read_parquet(str(pattern)).height


def rows_of_duckdb(pattern):
    return pytest.importorskip("duckdb").sql(f"select count(*) from '{pattern}'").fetchall()[0][0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rows", [rows_of_pandas, rows_of_polars, rows_of_duckdb])
def test_other_readers_find_all_rows(whole, kind, rows):
    expected = whole.manifest["candidates"] if kind == "candidates" else len(whole)
    assert rows(whole.folder / kind / "*.parquet") == expected


def test_duckdb_counts_as_the_manifest_does(whole):
    duckdb = pytest.importorskip("duckdb")
    pattern = whole.folder / "candidates" / "*.parquet"
    found = duckdb.sql(f"select planner, reason, count(*) from '{pattern}' group by all").fetchall()
    told = {(planner, reason): n for planner, own in whole.manifest["counts"].items() for reason, n in own.items()}
    assert {(planner, reason): n for planner, reason, n in found} == told
    assert duckdb.sql(f"select count(*) from '{pattern}' where closed > draws or lifted is not null").fetchall() == [(0,)]


def test_datasets_loads_each_kind_from_the_folder_by_its_card(whole, tmp_path):
    datasets = pytest.importorskip("datasets")
    for kind, expected in (("candidates", whole.manifest["candidates"]), ("views", len(whole))):
        found = datasets.load_dataset(str(whole.folder), kind, cache_dir=str(tmp_path))["train"]
        assert len(found) == expected
        assert found.column_names == parquet.read_schema(shards(whole, kind)[0]).names


def test_the_card_names_the_tables_that_there_are(whole):
    assert card.card(whole.manifest).splitlines()[:6] == [
        "---",
        "configs:",
        "- config_name: candidates",
        "  data_files: candidates/*.parquet",
        "- config_name: views",
        "  data_files: views/*.parquet",
    ]
    told = json.loads(json.dumps(whole.manifest))
    for placement in told["placements"]:
        placement["views"] = None
    assert "views/" not in card.card(told)
    assert f"{told['candidates']} candidates of get2d, get3d on 2 objects" in card.card(told)
