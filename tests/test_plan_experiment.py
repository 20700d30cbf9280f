"""The command line: plans, refusals and bad input each end as they should, and leave behind what they should."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import shapely
import trimesh
import yaml
from hydra import compose, initialize_config_dir
from shapely import affinity

from experiments import plan
from experiments.output import run_folder
from experiments.plan import BAD_INPUT, NO_GRASP, PLANNED
from experiments.schema import build
from get2d import Get2D, perceive
from grasp import InvalidValue, Plan, Refusal, from_json, presets, to_json

FILES = ["config.yaml", "plan.json", "plan.png", "provenance.json"]
BLOCK = "POLYGON ((-50 -20, 50 -20, 50 20, -50 20, -50 -20))"
WIDE = "POLYGON ((-60 -60, 60 -60, 60 60, -60 60, -60 -60))"


@pytest.fixture
def command(monkeypatch, tmp_path, capfd):
    """Return a function that runs the command in an empty folder and returns its status and what it printed."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["plan", *arguments])
        status = plan.main()
        return status, *capfd.readouterr()

    return run


def listing(folder: Path):
    return sorted(path.name for path in folder.iterdir())


def test_without_arguments_it_plans_on_the_example(command):
    status, out, err = command()
    assert (status, err) == (PLANNED, "")
    (folder,) = Path("runs/plan").iterdir()
    assert listing(folder) == FILES
    assert listing(Path()) == ["runs"]
    result = from_json((folder / "plan.json").read_text())
    assert isinstance(result, Plan)
    for word in ("closure rate", "opening mm", "convention paper", "torques divided by", "edge:", "hole:", "accepted"):
        assert word in out


def test_example_is_seen_as_it_was_made():
    """To within two pixels of 0.6 mm, the outline is the part's, its holes narrowed by those walls that the camera sees."""
    with initialize_config_dir(str(presets.CONF), version_base="1.3"):
        scene = build(compose("plan").example, "example")
    found = perceive(scene.view(), Get2D.preset().perception)
    shares = np.linspace(1 - scene.thickness / scene.distance, 1, 50)  # how large the part looks, from foot to top
    seen = shapely.union_all([affinity.scale(scene.polygon(), share, share, origin=(0, 0)) for share in shares])
    assert len(found.polygon.interiors) == len(scene.holes)
    assert shapely.hausdorff_distance(found.polygon.boundary, seen.boundary, densify=0.05) < 0.0013
    assert found.heights.percentile(50) == pytest.approx(scene.thickness, abs=5e-4)


def test_a_plan_is_made_again_from_what_stands_beside_it(command):
    Path("block.wkt").write_text(BLOCK)
    command("input=block.wkt", "unit=mm", "seed=7", "debug=fast", "output=first")
    told = yaml.safe_load(Path("first/config.yaml").read_text())
    again = command("input=block.wkt", f"unit={told['unit']}", f"seed={told['seed']}", "debug=fast", "output=again")
    assert again[0] == PLANNED
    assert Path("first/plan.json").read_bytes() == Path("again/plan.json").read_bytes()
    assert Path("first/plan.png").read_bytes() == Path("again/plan.png").read_bytes()
    hashes = [json.loads(Path(run, "provenance.json").read_text())["config_sha256"] for run in ("first", "again")]
    assert hashes[0] == hashes[1]


def test_overrides_reach_the_plan(command):
    Path("block.wkt").write_text(BLOCK)
    command("input=block.wkt", "unit=mm", "gripper=two_wide", "quality=released", "debug=fast", "output=run")
    result = from_json(Path("run/plan.json").read_text())
    assert result.provenance.gripper == "two_wide"
    assert result.conventions.convention.name == "released"


def test_a_mask_is_planned_on(command):
    np.save("mask.npy", np.pad(np.ones((80, 200), bool), 30))
    status, _, _ = command("input=mask.npy", "pixels_per_meter=2000", "debug=fast", "output=run")
    assert (status, listing(Path("run"))) == (PLANNED, FILES)


def test_a_refusal_is_a_result_with_a_status_of_its_own(command):
    Path("wide.wkt").write_text(WIDE)
    status, out, err = command("input=wide.wkt", "unit=mm", "debug=fast", "output=run")
    assert (status, err) == (NO_GRASP, "")
    assert out.startswith("No grasp. The gripper does not open wide enough.")
    assert "least opening needed is 120.0 mm" in out
    assert isinstance(from_json(Path("run/plan.json").read_text()), Refusal)
    assert listing(Path("run")) == FILES


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["input=nothing.png", "pixels_per_meter=1000"], "nothing.png"),
        (["input=block.wkt"], "unit"),
        (["+planner.typo=1"], "typo"),
        (["+typo=1"], "typo"),
        (["planner.keep=ten"], "planner.keep = 'ten' must be of type int"),
        (["quality.friction=-1"], "friction = -1"),
        (["seed=none"], "seed = 'none' must be of type int"),
        (["output=block.wkt"], "output"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing_behind(command, arguments, sentence):
    Path("block.wkt").write_text(BLOCK)
    status, out, err = command(*([] if "output=block.wkt" in arguments else ["output=runs/bad"]), *arguments)
    assert (status, out) == (BAD_INPUT, "")
    assert sentence in err
    assert len(err.splitlines()) == 1
    assert listing(Path()) == ["block.wkt"]


def test_a_sweep_puts_each_job_into_its_own_folder_and_goes_on_after_a_refusal(command):
    Path("block.wkt").write_text(BLOCK)
    Path("wide.wkt").write_text(WIDE)
    status, _, _ = command("-m", "input=wide.wkt,block.wkt", "unit=mm", "debug=fast", "output=sweep")
    assert status == NO_GRASP
    assert [listing(Path("sweep", job)) for job in ("0", "1")] == [FILES, FILES]
    kinds = [type(from_json(Path("sweep", job, "plan.json").read_text())) for job in ("0", "1")]
    assert kinds == [Refusal, Plan]


def test_a_run_that_fails_while_writing_leaves_nothing_behind(tmp_path):
    with pytest.raises(OSError, match="full"), run_folder(tmp_path / "run") as beside:
        (beside / "half").write_text("")
        raise OSError("the disk is full")
    assert listing(tmp_path) == []


def test_results_are_never_written_over(tmp_path):
    with pytest.raises(InvalidValue, match="output"), run_folder(tmp_path):
        pass


def test_negative_seed_is_refused(command):
    status, _, err = command("seed=-1", "output=run")
    assert (status, listing(Path())) == (BAD_INPUT, [])
    assert "seed = -1" in err


def test_json_round_trip_of_a_written_plan(command):
    Path("block.wkt").write_text(BLOCK)
    command("input=block.wkt", "unit=mm", "debug=fast", "output=run")
    text = Path("run/plan.json").read_text()
    assert to_json(from_json(text), indent=1) + "\n" == text


# ---- meshes ----------------------------------------------------------------------------------------------------------


def test_get3d_plans_on_its_example_and_leaves_a_page(command):
    status, out, err = command("planner=get3d", "shape=arch", "planner.sampling.candidates=40")
    assert (status, err) == (PLANNED, "")
    (folder,) = Path("runs/plan").iterdir()
    assert listing(folder) == sorted([*FILES, "plan.html"])
    assert isinstance(from_json((folder / "plan.json").read_text()), Plan)
    assert "arch rests in pose 0" in out


def test_a_mesh_needs_a_unit_and_a_pose_that_exists(command):
    trimesh.creation.box((60, 40, 30)).export("part.stl")
    status, _, err = command("planner=get3d", "input=part.stl")
    assert status == BAD_INPUT
    assert "60 m" in err and "give the unit" in err
    status, _, err = command("planner=get3d", "input=part.stl", "unit=mm", "pose=7")
    assert (status, "pose = 7" in err) == (BAD_INPUT, True)
    assert not Path("runs").exists()
    status, out, _ = command("planner=get3d", "input=part.stl", "unit=mm", "planner.sampling.candidates=40")
    assert (status, "part rests in pose 0" in out) == (PLANNED, True)
    status, out, _ = command("input=part.stl", "unit=mm")  # GET-2D sees its outline from above
    assert (status, "edge:" in out) == (PLANNED, True)


def test_a_baseline_without_metrics_says_so(command):
    status, out, err = command("planner=bbox")
    assert (status, err) == (PLANNED, "")
    assert "has no metrics" in out
