"""The export command: every format is written, what it loses is said, and what cannot be done leaves nothing behind."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir

from experiments.export import FORMATS, chosen, run
from grasp import GraspError, Gripper, InvalidValue, presets
from labels import LabelSet
from labels.exporters.select import friction_of, gripper_of
from tests.exported import labelled

pytest.importorskip("h5py")
ROOT = Path(__file__).parents[1]
FILES = {
    "dexnet": ["config.json", "metadata.json", "tensors/hand_poses_00000.npz"],
    "graspgen": ["get.yaml", "grasps/ring_000.json", "objects/ring_000.obj", "splits/valid.txt"],
    "acronym": ["grasps/ring_000_1.0.h5", "meshes/ring_000.obj"],
    "jacquard": ["ring_000/2_ring_000-pose0_RGB.png", "ring_000/2_ring_000-pose0_grasps.txt"],
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return labelled(tmp_path_factory.mktemp("labels"))


@pytest.fixture(scope="module")
def export(whole):
    with initialize_config_dir(str(presets.CONF), version_base="1.3"):
        yield lambda output, *more: run(compose("export", [f"labels={whole[0].folder}", f"output={output}", *more]))


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_written_and_says_what_it_loses(export, whole, tmp_path, name):
    text = export(tmp_path / "out", f"format={name}")
    assert all((tmp_path / "out" / file).is_file() for file in FILES[name])
    told = json.loads((tmp_path / "out/export.json").read_text())
    planner = {"camera": "get2d", "mesh": "get3d"}[FORMATS[name].sees]
    assert f"{name}: {told[FORMATS[name].counts]} {FORMATS[name].counts} of {planner}\n" in text
    assert f"it loses {told['loses']}\n" in text
    assert "which jaw is wide" in told["loses"]
    assert told["labels"]["config_sha256"] == whole[0].manifest["config_sha256"]
    assert told["provenance"]["seed"] == 0


def test_the_command_exports_and_refuses_what_exists(whole, tmp_path):
    line = [sys.executable, "-m", "experiments.export", f"labels={whole[0].folder}", f"output={tmp_path}/out"]
    told = subprocess.run([*line, "format=graspgen"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (told.returncode, told.stderr) == (0, "")
    assert "graspgen: 2 objects of get3d\n" in told.stdout
    told = subprocess.run([*line, "format=dexnet"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (told.returncode, told.stdout) == (1, "")
    assert "results are never written over" in told.stderr


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ((), "format = ??? must be given"),
        (("format=jpeg",), "format = 'jpeg' must be one of dexnet, graspgen, acronym, jacquard"),
        (("format=dexnet", "planner_name=get9"), "planner = 'get9' must be one of get2d, get3d"),
        (("format=jacquard", "planner_name=get3d"), "one that saw a camera's view"),
        (("format=graspgen", "graspgen.bar=2"), "bar = 2 must be from 0 to 1"),
        (("format=graspgen", "graspgen.valid=some"), "valid = 'some' must be a number"),
        (("format=dexnet", "dexnet.window=0"), "dexnet.window"),
        (("format=dexnet", "+dexnet.typo=1"), "typo"),
        (("format=dexnet", "+typo=1"), "typo"),
        (("format=acronym", "labels=elsewhere"), "a folder with manifest.json"),
    ],
)
def test_a_mistake_is_named_and_leaves_nothing_behind(export, tmp_path, more, message):
    with pytest.raises(InvalidValue) as error:
        export(tmp_path / "out", *more)
    assert message in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_an_export_of_nothing_is_refused(export, tmp_path, monkeypatch):
    monkeypatch.setattr("labels.exporters.jacquard.success", lambda labels, bar: labels.accepted & (labels.closed > 10**6))
    with pytest.raises(GraspError, match="get2d has no candidate in .* that jacquard can hold under {'bar': 0.8}"):
        export(tmp_path / "out", "format=jacquard")
    assert list(tmp_path.iterdir()) == []


def test_the_planner_is_the_first_with_metrics_of_its_own_that_saw_what_is_needed(whole):
    told = {
        "rule": {"sees": "camera", "metrics": "of the common judge, on the true mesh"},
        "first": {"sees": "camera", "metrics": "its own"},
        "second": {"sees": "camera", "metrics": "its own"},
    }
    data = LabelSet(whole[0].folder, {"planners": told})
    assert chosen(data, None, "camera") == "first"
    assert chosen(data, "rule", "camera") == "rule"
    with pytest.raises(InvalidValue, match="planner_name = null must be one of rule, first, second: none saw the mesh"):
        chosen(data, None, "mesh")


def test_gripper_and_friction_come_from_the_manifest(whole):
    data, made = whole
    for name in ("get2d", "get3d"):
        planner = made.cases[name].planner
        assert gripper_of(data, name) == planner.gripper == Gripper.preset("get")
        assert friction_of(data, name) == planner.judge.friction
