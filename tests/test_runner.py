"""The runner: results do not depend on order, workers, interruptions or kills; what is done is not done again."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hydra import compose, initialize_config_dir
from pyarrow import parquet

from experiments import runner, trial
from experiments.layout import units
from experiments.lock import only_run
from experiments.rows import load, write_tables
from experiments.runner import execute
from experiments.schema_rows import Outcome, Row, Timing
from grasp import GraspError, InvalidValue, from_json, presets
from labels.whole import sweep_up, write_whole
from objects.placed import Failure

ROOT = Path(__file__).parents[1]
SMALL = ["debug=fast", "~cases.bbox_two_wide", "~cases.get3d", "objects.names=[tape_roll,arch]"]
NAMES = ["object_set=paper10", "limit=1"]
TIMED = ("timings", "timings.csv", "provenance.json", "table.md", "report.html")  # tell times, which differ


def work(*overrides):
    with initialize_config_dir(str(presets.CONF), version_base="1.3"):
        return units(compose("compare", [*SMALL, *NAMES, *overrides]))


@pytest.fixture(scope="module")
def small():
    return work()


def tables(units, folder, workers=1):
    folder.mkdir(parents=True, exist_ok=True)
    finished = execute(units, folder, workers)
    write_tables(folder, [unit.address for unit in units])
    return finished


def content(folder):
    """Return the bytes of every file that must be the same in equal runs, by name."""
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in files.items() if not name.startswith(TIMED)}


@pytest.fixture(scope="module")
def undisturbed(small, tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    assert tables(small, folder)
    return folder


def test_rows_are_there_for_every_unit_and_say_which(small, undisturbed):
    rows = [Row(**row) for row in parquet.read_table(undisturbed / "rows.parquet").to_pylist()]
    assert [row.unit for row in rows] == [unit.address for unit in small]
    assert len(rows) == 6  # one object, two poses, three cases
    for row, unit in zip(rows, small, strict=True):
        assert unit.names.items() <= vars(row).items()
        record = json.loads((undisturbed / f"records/{row.unit}.json").read_text())
        result = from_json(json.dumps(record["result"]))
        if row.outcome == Outcome.PLAN:
            np.testing.assert_array_equal(np.reshape(row.T_table_gripper, (4, 4)), result.best.T_table_gripper)
            assert row.kept == result.funnel.kept
            assert row.judge_reason is not None
        else:
            assert (row.outcome, row.reason, row.sentence) == (Outcome.REFUSAL, result.reason, result.sentence)


def test_csv_has_the_columns_of_the_schema_and_the_rows_of_the_parquet(undisturbed):
    text = list(csv.DictReader((undisturbed / "rows.csv").read_text().splitlines()))
    rows = parquet.read_table(undisturbed / "rows.parquet").to_pylist()
    assert list(text[0]) == list(rows[0]) == [field.name for field in fields(Row)]
    for told, row in zip(text, rows, strict=True):
        assert told["opening_m"] == ("" if row["opening_m"] is None else repr(row["opening_m"]))
        assert json.loads(told["T_table_gripper"] or "null") == row["T_table_gripper"]
    timings = list(csv.DictReader((undisturbed / "timings.csv").read_text().splitlines()))
    assert list(timings[0]) == [field.name for field in fields(Timing)]
    assert all(float(timing["plan_s"]) > 0 for timing in timings)


def test_results_do_not_depend_on_the_order(small, undisturbed, tmp_path):
    assert execute(small[::-1], tmp_path, 1)
    write_tables(tmp_path, [unit.address for unit in small])
    assert content(tmp_path) == content(undisturbed)


@pytest.mark.parametrize("stops", [[0], [1, 0, 2]])
def test_interrupted_and_run_again_ends_as_if_undisturbed(small, undisturbed, tmp_path, monkeypatch, stops):
    for done in stops:
        left = iter(range(done))

        def run(unit, cache, left=left):
            if next(left, None) is None:
                raise KeyboardInterrupt
            return trial.run(unit, cache)

        monkeypatch.setattr(runner, "run", run)
        before = len(list(tmp_path.glob("records/*")))
        assert not tables(small, tmp_path)
        assert parquet.read_table(tmp_path / "rows.parquet").num_rows == before + done
    monkeypatch.undo()
    assert tables(small, tmp_path)
    assert content(tmp_path) == content(undisturbed)


def test_what_is_done_is_not_done_again(small, undisturbed, monkeypatch):
    before = content(undisturbed)
    monkeypatch.setattr(runner, "run", lambda unit, cache: pytest.fail(f"{unit.address} was done again"))
    assert tables(small, undisturbed)
    assert content(undisturbed) == before


def test_an_address_changes_with_all_that_a_result_depends_on_and_with_nothing_else(small):
    unit = small[0]
    bigger = replace(unit.placed, solid=replace_vertices(unit.placed.solid, 1.01))
    others = [replace(unit, **change) for change in ({"index": 1}, {"seed": 1}, {"object_set": "x"}, {"made_by": "x"})]
    others += [replace(unit, placed=bigger), replace(unit, case=replace(unit.case, sees="mesh")), *small[1:]]
    others += [work("quality.friction=0.5")[0]]
    assert len({other.address for other in [unit, *others]}) == len(others) + 1
    assert [each.address for each in work("workers=1", "output=elsewhere")] == [each.address for each in small]


def replace_vertices(solid, factor):
    return type(solid)(solid.name, solid.vertices * factor, solid.faces)


def test_planners_of_one_trial_share_what_the_world_draws_and_nothing_else(small):
    def drawn(unit, purpose):
        return unit.rng(purpose).random()

    pose = [unit for unit in small if unit.placed is small[0].placed]
    for purpose in ("camera", "judge", "physics"):
        assert len({drawn(unit, purpose) for unit in pose}) == 1
        assert len({drawn(replace(pose[0], **change), purpose) for change in ({}, {"index": 1}, {"seed": 1})}) == 3
    assert len({drawn(unit, "planner") for unit in small}) == len(small)
    varied = replace(pose[0], setting=replace(pose[0].setting, name="friction", label="0.3"))
    assert drawn(varied, "planner") == drawn(pose[0], "planner")


def test_an_error_in_one_unit_is_one_failed_row_and_is_tried_again(small, undisturbed, tmp_path, monkeypatch):
    def look(unit, placed):
        if unit is small[2]:
            raise ZeroDivisionError("no such luck")
        return seen(unit, placed)

    seen = trial._look
    monkeypatch.setattr(trial, "_look", look)
    assert tables(small, tmp_path)
    rows = [Row(**row) for row in parquet.read_table(tmp_path / "rows.parquet").to_pylist()]
    assert [row.outcome == Outcome.FAILURE for row in rows] == [unit is small[2] for unit in small]
    assert (rows[2].reason, rows[2].sentence) == ("ZeroDivisionError", "ZeroDivisionError: no such luck")
    monkeypatch.undo()
    assert load(tmp_path, small[2].address) is None
    assert tables(small, tmp_path)
    assert content(tmp_path) == content(undisturbed)


def test_an_object_that_cannot_be_used_is_one_row(tmp_path):
    good = trimesh.creation.box((0.06, 0.04, 0.02))
    good.export(tmp_path / "a.stl")
    trimesh.Trimesh(good.vertices, good.faces[:-1], process=False).export(tmp_path / "b.stl")
    names = ["objects=mesh_dir", f"objects.folder={tmp_path}", "object_set=mine", "debug=fast", "cases=get2d"]
    with initialize_config_dir(str(presets.CONF), version_base="1.3"):
        found = units(compose("compare", names))
    assert [isinstance(unit.placed, Failure) for unit in found] == [False, False, True]
    assert tables(found, tmp_path / "run")
    rows = [Row(**row) for row in parquet.read_table(tmp_path / "run/rows.parquet").to_pylist()]
    assert (rows[2].object, rows[2].pose, rows[2].planner, rows[2].outcome) == ("b.stl", "", "", Outcome.FAILURE)
    assert rows[2].reason == "unsound_mesh"
    assert "open edges" in rows[2].sentence


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    write_whole(tmp_path / "a/b.json", b"old")
    monkeypatch.setattr(os, "fsync", lambda descriptor: (_ for _ in ()).throw(OSError("the disk is full")))
    with pytest.raises(OSError, match="full"):
        write_whole(tmp_path / "a/b.json", b"new")
    assert (tmp_path / "a/b.json").read_bytes() == b"old"
    sweep_up(tmp_path)
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b.json"]


def test_only_one_run_works_in_a_folder(tmp_path):
    with only_run(tmp_path / "run"), pytest.raises(InvalidValue, match=f"process {os.getpid()} is at work"):
        with only_run(tmp_path / "run"):
            pass
    with only_run(tmp_path / "run"):
        pass
    assert (tmp_path / "run/.lock").read_text() == ""


def test_the_lock_of_a_killed_run_does_not_hold(tmp_path):
    code = """
import os, pathlib, sys
from experiments.lock import only_run
with only_run(pathlib.Path(sys.argv[1])):
    os.kill(os.getpid(), 9)
"""
    killed = subprocess.run([sys.executable, "-c", code, tmp_path], cwd=ROOT, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert (tmp_path / ".lock").read_text() != ""
    with only_run(tmp_path):
        pass


def test_workers_give_what_one_process_gives(small, undisturbed, tmp_path):
    assert tables(small, tmp_path, workers=2)
    assert content(tmp_path) == content(undisturbed)


def dies(unit, cache):
    os._exit(1)


def test_a_worker_that_dies_is_told_of(small, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "run", dies)
    with pytest.raises(GraspError, match="a worker process died"):
        execute(small, tmp_path, 2)


def command(folder, *more):
    """Start the small comparison, two workers, in a folder; what it prints goes into ``out`` there."""
    line = [sys.executable, "-m", "experiments.compare", *SMALL, "output=run", *more]
    folder.mkdir(exist_ok=True)
    with (folder / "out").open("w") as out:
        return subprocess.Popen(line, cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT)}, stdout=out, stderr=out)


def descendants(pid):
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in children] + [g for child in children for g in descendants(child)]


def gone(pid):
    """Return whether a process has ended; a zombie that nobody has asked about has."""
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] == "Z"


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the workers in /proc")
def test_killed_at_random_moments_and_run_again_the_folder_ends_as_if_undisturbed(tmp_path):
    whole = command(tmp_path / "undisturbed")
    assert whole.wait() == 0
    rng, kills = np.random.default_rng(0), 0
    for records in (0, 2, 6):
        run = command(tmp_path / "killed")
        while len(list(tmp_path.glob("killed/run/records/*.json"))) < records and run.poll() is None:
            time.sleep(0.02)
        time.sleep(rng.uniform(0, 0.5))
        if run.poll() is None:
            workers = descendants(run.pid)
            run.send_signal(signal.SIGKILL)
            kills += run.wait() == -signal.SIGKILL
            deadline = time.monotonic() + 20
            while not all(map(gone, workers)) and time.monotonic() < deadline:
                time.sleep(0.05)
            assert all(map(gone, workers))
    assert kills >= 2
    assert command(tmp_path / "killed").wait() == 0
    assert content(tmp_path / "killed/run") == content(tmp_path / "undisturbed/run")


@pytest.mark.slow
def test_an_interruption_from_the_keyboard_leaves_a_report_and_status_130(tmp_path):
    run = command(tmp_path, "seeds=40")
    while len(list(tmp_path.glob("run/records/*.json"))) < 3:
        assert run.poll() is None
        time.sleep(0.02)
    run.send_signal(signal.SIGINT)
    assert run.wait() == 130
    rows = parquet.read_table(tmp_path / "run/rows.parquet").num_rows
    assert 3 <= rows < 480
    assert f"{rows} of 480 rows" in (tmp_path / "out").read_text()
    assert "Not complete" in (tmp_path / "run/report.html").read_text()
