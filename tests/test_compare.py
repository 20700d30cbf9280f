"""The comparison from the command line: every experiment's settings are sound, mistakes are named, failures are told."""

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hydra import compose, initialize_config_dir
from hydra.errors import ConfigCompositionException
from omegaconf import OmegaConf
from pyarrow import parquet

from experiments import compare, layout, physics_columns
from experiments.compare import BAD, DONE, Options, output_folder
from experiments.layout import check, units
from experiments.schema_rows import Outcome
from grasp import InvalidValue, presets
from tests.seen import SHARED, needs_cases

QUICK = ["debug=fast", "cases=get2d", "workers=1"]
OF_THE_SIMULATION = {
    "hold_friction": lambda physics: physics["friction"],
    "hold_mass": lambda physics: physics["mass_scale"],
    "hold_squeeze": lambda physics: physics["closing"]["force"],
}


def compose_one(*overrides):
    """Return the configuration that these overrides make, of one object."""
    with initialize_config_dir(str(presets.CONF), version_base="1.3"):
        return compose("compare", ["object_set=some", "limit=1", *overrides])


@pytest.fixture
def command(monkeypatch, tmp_path, capfd):
    """Return a function that runs the command in an empty folder and returns its status and what it printed."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["compare", *arguments])
        status = compare.main()
        return status, *capfd.readouterr()

    return run


@pytest.mark.parametrize("name", presets.names("experiment"))
def test_every_experiment_is_sound_under_every_setting(name):
    config = compose_one(f"experiment={name}")
    check(config, Options)
    found = units(config)
    settings = 1 if config.vary is None else len(config.vary.settings)
    assert len(found) == 2 * len(config.cases) * settings  # one object, two poses
    assert len({unit.address for unit in found}) == len(found)
    assert config.name == name
    assert {unit.setting.name for unit in found} == {"" if config.vary is None else config.vary.name}
    for unit in found:
        number = unit.setting.number
        assert number is None or f"{number:g}" in unit.setting.label or f"{number * 1e3:g} mm" == unit.setting.label
        if name in OF_THE_SIMULATION:
            assert OF_THE_SIMULATION[name](unit.blocks["physics"]) == number
            assert unit.blocks["judge"]["quality"]["friction"] == 0.75  # planners and judge expect what they always do


def test_table1_is_twenty_trials_of_the_papers_five_rows():
    found = units(compose_one("experiment=table1", "limit=null"))
    rows = {(unit.case.planner, unit.case.gripper) for unit in found}
    assert rows == {("bbox", "two_narrow"), ("bbox", "two_wide"), ("bbox", "get"), ("get2d", "get"), ("get3d", "get")}
    assert len(found) == 20 * len(rows)
    assert {unit.case.sees for unit in found if unit.case.planner != "get3d"} == {"camera"}


def test_a_setting_reaches_the_blocks_it_means():
    friction = units(compose_one("experiment=friction"))
    assert {unit.setting.number for unit in friction} == {0.1, 0.2, 0.3, 0.5, 0.75, 1.0}
    for unit in friction:
        shared = (unit.blocks["planner"]["judge"]["friction"], unit.blocks["judge"]["quality"]["friction"])
        assert shared == (unit.setting.number,) * 2
    for unit in units(compose_one("experiment=torque_scale")):
        assert unit.blocks["judge"]["quality"]["torque_scale"] == "object_length"  # the judge keeps its conventions
        assert unit.blocks["first"]["judge"]["torque_scale"] == "object_length"
    for unit in units(compose_one("experiment=jaw_spacing")):
        first, second = (pad["offset"] for pad in unit.blocks["planner"]["gripper"]["wide"]["pads"])
        assert second - first == pytest.approx(unit.setting.number)
    for unit in units(compose_one("experiment=perturbation")):
        assert unit.blocks["judge"]["perturbation"]["sigma"] == unit.setting.number


def test_a_simulation_is_part_of_what_a_result_depends_on():
    runs = [units(compose_one("cases=get2d", *more))[0] for more in ([], ["physics=nominal"], ["physics=varied"])]
    assert [unit.blocks["physics"] and unit.blocks["physics"]["name"] for unit in runs] == [None, "nominal", "varied"]
    assert len({unit.address for unit in runs}) == 3
    drawn = {unit.rng(purpose).random() for unit in runs for purpose in ("camera", "judge", "planner", "physics")}
    assert len(drawn) == 4  # none of the streams depends on it


@pytest.mark.parametrize("missing", ["mujoco", "coacd"])
def test_without_the_engine_the_extra_is_named(monkeypatch, missing):
    found = physics_columns.find_spec
    monkeypatch.setattr(physics_columns, "find_spec", lambda name: None if name == missing else found(name))
    with pytest.raises(InvalidValue) as told:
        units(compose_one("cases=get2d", "physics=nominal"))
    extra = 'null, or the extra installed: pip install -e ".[physics]"'
    assert str(told.value) == f"physics = without {missing} must be {extra}"
    assert len(units(compose_one("cases=get2d"))) == 2


def test_settings_of_a_simulation_that_was_not_chosen_are_refused():
    with pytest.raises(InvalidValue, match="physics"):
        units(compose_one("cases=get2d", "+physics.friction=0.3"))


def test_each_case_has_its_own_gripper():
    for unit in units(compose_one()):
        assert unit.blocks["planner"]["gripper"]["name"] == unit.case.gripper


def test_planner_lays_its_keys_over_those_planners_that_have_them():
    laid = units(compose_one("+planner.keep=4", "+planner.room.slack=0"))
    found = {unit.case.planner: unit.blocks["planner"] for unit in laid}
    assert (found["get2d"]["keep"], found["get3d"]["keep"], found["get3d"]["room"]["slack"]) == (4, 4, 0)
    assert found["get3d"]["room"]["stand_off"] == 0.1
    assert "keep" not in found["bbox"]


def test_the_same_settings_find_the_same_folder():
    folders = [output_folder(compose_one(*more)).name for more in ([], ["workers=1"], ["seed=1"], ["experiment=table1"])]
    assert folders[0] == folders[1]
    assert len(set(folders)) == 3
    assert folders[3].startswith("table1-")


@pytest.mark.parametrize(
    "block", ["planner", "planners.get2d", "quality", "grippers.get", "judge.perturbation", "camera.sensor"]
)
def test_o32_a_misspelt_key_is_named_in_both_forms(block):
    with pytest.raises(ConfigCompositionException, match="freind"):
        compose_one(f"{block}.freind=0.5")
    with pytest.raises(InvalidValue, match="freind"):
        units(compose_one(f"+{block}.freind=0.5"))


@pytest.mark.parametrize(
    ("override", "name"),
    [
        ("quality.friction=-0.5", "friction"),
        ("quality.friction=nan", "friction"),
        ("planners.get2d.perturbation.sigma='2e-3'", "sigma"),
        ("planners.get3d.contact=touch", "contact"),
        ("judge.edges=2", "edges"),
        ("judge.perturbation.rotation=0.1", "rotation"),
        ("grippers.get.max_opening=wide", "max_opening"),
        ("cases.get2d.planner=get4d", "cases.get2d.planner"),
        ("cases.get2d.gripper=tongs", "cases.get2d.gripper"),
        ("cases.get2d.sees=nothing", "cases.get2d.sees"),
        ("+cases.get2d.typo=1", "typo"),
        ("~cases.get2d", "cases"),
    ],
)
def test_o32_what_is_out_of_range_or_of_another_type_is_named(override, name):
    with pytest.raises(InvalidValue, match=name):
        units(compose_one("cases=five" if "get2d" not in override else "cases=get2d", override))


@pytest.mark.parametrize("override", ["seeds=0", "workers=0", "limit=0", "seed=-1", "seeds=many", "+typo=1"])
def test_counts_and_keys_of_the_run_are_checked(override):
    with pytest.raises(InvalidValue, match=override.lstrip("+").partition("=")[0]):
        check(compose_one(override), Options)


def test_a_setting_of_a_key_that_is_not_there_is_refused():
    with pytest.raises(InvalidValue, match="quality.freind"):
        units(compose_one("experiment=friction", "+vary.settings.x={number: 1, set: {quality.freind: 1}}"))


def test_an_error_of_a_library_costs_only_its_object(monkeypatch):
    def place(objects, name):
        if name == "arch":
            raise RuntimeError("hull")
        return placed(objects, name)

    placed = layout.place
    monkeypatch.setattr(layout, "place", place)
    found = units(compose_one("objects.names=[arch,tape_roll]", "limit=null", "cases=get2d"))
    assert [(unit.placed.object, unit.case is None) for unit in found] == [("arch", True), *[("tape_roll", False)] * 2]
    assert found[0].placed.detail == "RuntimeError: hull"


def test_a_run_leaves_its_rows_its_report_and_where_they_come_from(command):
    status, out, _ = command(*QUICK, "limit=1", "output=run")
    assert status == DONE
    assert "2 of 2 rows: 2 plans, 0 refusals, 0 failures" in out
    names = {path.name for path in Path("run").iterdir()}
    assert names >= {"rows.parquet", "rows.csv", "timings.csv", "table.md", "report.html", "provenance.json", "config.yaml"}
    assert len(list(Path("run/records").iterdir())) == 2
    row = parquet.read_table("run/rows.parquet").to_pylist()[0]
    assert (row["object_set"], row["object"], row["pose"]) == ("paper10", "spring_clamp", "pose0")
    config = OmegaConf.load("run/config.yaml")
    assert config.limit == 1
    assert len(json.loads(Path("run/provenance.json").read_text())["config_sha256"]) == 64


SIMULATED = ["objects=cube_and_shapes", "limit=1", "rest.poses=1", "cases=hold", "~cases.get3d", "physics=nominal"]
TIMED = ("timings", "table.md", "report.html", "config.yaml", "provenance.json", ".lock")  # tell times and places


def content(folder):
    """Return the bytes of every file that must be the same in equal runs, by name."""
    files = {path.relative_to(folder).as_posix(): path for path in Path(folder).rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in files.items() if not name.startswith(TIMED)}


@pytest.mark.physics
def test_grasps_are_carried_out_in_simulation_and_equal_runs_write_equal_bytes(command):
    for folder in ("run", "again", "run"):
        status, out, _ = command("debug=fast", "workers=1", *SIMULATED, f"output={folder}")
        assert (status, out.splitlines()[0]) == (DONE, "1 of 1 rows: 1 plans, 0 refusals, 0 failures")
    assert content("run") == content("again")
    (row,) = parquet.read_table("run/rows.parquet").to_pylist()
    assert [name for name in physics_columns.COLUMNS if row[name] is None] == ["physics_failed_in"]
    assert (row["physics"], row["physics_grip"], row["physics_lifted"]) == ("nominal", "holding", True)
    assert row["physics_mass_kg"] == pytest.approx(600 * 0.039**3)
    record = json.loads(Path(f"run/records/{row['unit']}.json").read_text())["physics"]
    assert {column: record[field] for column, field in physics_columns.COLUMNS.items()}.items() <= row.items()
    planned, tried = (np.reshape(T, (4, 4)) for T in (row["T_table_gripper"], record["T_table_gripper"]))
    assert 0 < np.linalg.norm(planned[:3, 3] - tried[:3, 3]) < 0.01  # displaced by the noise
    assert '<section id="in-simulation">' in Path("run/report.html").read_text()
    table = Path("run/table.md").read_text()
    for caption in ("Carried out in simulation", "How the trials in simulation ended", "in simulation: lifted"):
        assert caption in table
    assert len(list(Path("run/parts").iterdir())) == 1


def test_a_failing_object_is_one_failed_row_told_in_the_summary(command):
    Path("parts").mkdir()
    trimesh.creation.box((0.06, 0.04, 0.02)).export("parts/a.stl")
    Path("parts/b.stl").touch()
    status, out, _ = command(*QUICK, "objects=mesh_dir", "objects.folder=parts", "objects.unit=m", "output=run")
    assert status == BAD
    assert "3 of 3 rows: 2 plans, 0 refusals, 1 failures\nfailed: b.stl seed 0: " in out
    rows = parquet.read_table("run/rows.parquet").to_pylist()
    assert [row["outcome"] for row in rows] == [Outcome.PLAN, Outcome.PLAN, Outcome.FAILURE]


def test_bad_input_is_one_sentence_and_leaves_nothing_behind(command):
    status, out, err = command(*QUICK, "quality.friction=-0.5", "output=run")
    assert (status, out, list(Path().iterdir())) == (BAD, "", [])
    assert "friction = -0.5 must be" in err
    assert len(err.splitlines()) == 1


@needs_cases
def test_o33_a_sweep_goes_on_after_a_failing_job_names_it_and_resumes(command):
    for name in ("box", "bar"):
        Path(name).mkdir()
        shutil.copy(SHARED / f"cases/O33/{name}.stl", name)
    line = ("-m", *QUICK, "objects=mesh_dir", "objects.folder=box,missing,bar", "objects.unit=m")
    status, out, err = command(*line)
    assert status == BAD
    assert out.count(" plans, ") == 2
    assert "1 of 3 jobs failed:\njob 1: " in err
    assert "objects.folder=missing" in err
    done = {path: path.stat().st_mtime_ns for path in Path("runs").glob("compare/*/records/*")}
    Path("missing").mkdir()
    shutil.copy(SHARED / "cases/O33/ring.stl", "missing")
    status, _, err = command(*line)
    assert (status, "failed" in err) == (DONE, False)
    now = {path: path.stat().st_mtime_ns for path in Path("runs").glob("compare/*/records/*")}
    assert done.items() < now.items()


@needs_cases
def test_o32_a_path_counts_from_where_the_command_is_given(command):
    Path("here").mkdir()
    shutil.copy(SHARED / "cases/O32/box.stl", "here")
    status, _, _ = command(*QUICK, "objects=mesh_dir", "objects.folder=here", "objects.unit=m")
    assert status == DONE
