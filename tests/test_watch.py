"""Trials done again from their records: the same to the last bit; which are chosen; films of them."""

import json
import shutil
from dataclasses import asdict, replace

import numpy as np
import pytest
from hydra import compose, initialize_config_dir
from PIL import Image

from experiments import compare, physics_columns, watch
from experiments.rows import _parquet
from experiments.schema_rows import Row
from grasp import Gripper, InvalidValue, Seed, presets
from physics import Settings, score, trial
from physics.film import Reel, animate
from physics.replay import replay
from tests.physics_bench import NOMINAL, block, grasp, gripped

pytestmark = pytest.mark.physics
NARROW = Gripper.preset("two_narrow")
CUBE = block((0.039, 0.039, 0.039), "cube")
SMALL = ["object_set=cube_and_shapes", "objects=cube_and_shapes", "limit=1", "rest.poses=1", "cases=hold", "~cases.get3d"]


def config(name, *overrides):
    with initialize_config_dir(str(presets.CONF), version_base="1.3"):
        return compose(name, list(overrides))


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("parts")


@pytest.fixture(scope="module")
def recorded(cache):
    """Return the record of a trial under noise in everything, as a file gives it back."""
    record = score(grasp(height=0.008), CUBE, NARROW, Settings.preset("varied"), Seed(3), cache)
    return json.loads(json.dumps(record))


def test_a_record_done_again_is_the_same_to_the_last_bit(recorded, cache):
    seen = []
    found = replay(recorded, CUBE, NARROW, cache, lambda scene: seen.append(scene.data.time))
    assert found.record() == {key: value for key, value in recorded.items() if key != "seed"}
    assert (recorded["lifted"], recorded["failed_in"]) == (True, None)
    assert recorded["friction"] < NOMINAL.friction  # the noise is in the settings of the record
    assert len(seen) > 1000  # every step of it was seen, and changed nothing


def test_another_gripper_ends_otherwise(recorded, cache):
    assert replay(recorded, CUBE, Gripper.preset("get"), cache).record()["slip_force_N"] != recorded["slip_force_N"]


def test_a_record_of_other_settings_is_refused(recorded, cache):
    settings = {key: value for key, value in recorded["settings_used"].items() if key != "noise"}
    with pytest.raises(InvalidValue, match="physics: missing key = 'noise'"):
        replay(recorded | {"settings_used": settings}, CUBE, NARROW, cache)


def row(i, **over):
    known = dict(unit=f"{i:02d}ab", object_set="made", object="arch", pose="pose0", planner="get3d", gripper="get", seed=0)
    known |= dict(setting="", setting_label="", setting_number=None, outcome="plan", reason="", sentence="")
    return Row(**known | dict(physics="nominal") | over)


ROWS = [
    row(0),
    row(1, object="cube", seed=1),
    row(2, planner="bbox", gripper="two_narrow"),
    row(3, physics=None),
    row(4, pose="pose1", setting_label="0.3", seed=1),
]


@pytest.fixture
def folder(tmp_path):
    """Return a run's folder with rows and records that tell which they are."""
    (tmp_path / "rows.parquet").write_bytes(_parquet([asdict(each) for each in ROWS]))
    (tmp_path / "records").mkdir()
    for each in ROWS:
        (tmp_path / f"records/{each.unit}.json").write_text(json.dumps({"row": {"unit": each.unit}}))
    return tmp_path


@pytest.mark.parametrize(
    ("choice", "units"),
    [
        ([], ["00ab", "01ab", "02ab", "04ab"]),  # one was not carried out
        (["choose.object=arch"], ["00ab", "02ab", "04ab"]),
        (["choose.object=arch", "choose.planner=get3d"], ["00ab", "04ab"]),
        (["choose.gripper=two_narrow"], ["02ab"]),
        (["choose.seed=1"], ["01ab", "04ab"]),
        (["choose.pose=pose1"], ["04ab"]),
        (["choose.setting_label='0.3'"], ["04ab"]),
        (["choose.unit=02"], ["02ab"]),
        (["choose.object=arch", "most=2"], ["00ab", "02ab"]),
    ],
)
def test_trials_are_chosen_by_their_columns(folder, choice, units):
    found = watch.chosen(folder, config("watch", f"run={folder}", *choice))
    assert [record["row"]["unit"] for record in found] == units


@pytest.mark.parametrize("choice", ["choose.object=teapot", "choose.unit=03", "choose.seed=7"])
def test_a_choice_of_nothing_is_refused(folder, choice):
    with pytest.raises(InvalidValue, match="must be what one of the 4 trials in simulation has"):
        watch.chosen(folder, config("watch", f"run={folder}", choice))


def test_bad_input_is_named(folder, monkeypatch, tmp_path_factory):
    empty = tmp_path_factory.mktemp("empty")
    with pytest.raises(InvalidValue, match=r"a folder that experiments\.compare wrote"):
        watch.chosen(empty, config("watch", f"run={empty}"))
    for change in ("most=0", "rate=fast", "choose.seed=one", "+choose.shape=x"):
        with pytest.raises(InvalidValue, match=change.lstrip("+").partition("=")[0].rpartition(".")[2]):
            watch.run(config("watch", f"run={folder}", change))
    monkeypatch.setattr(physics_columns, "find_spec", lambda name: None)
    with pytest.raises(InvalidValue, match=r'physics = without mujoco must be null, or .*pip install -e "\.\[physics\]"'):
        watch.run(config("watch", f"run={folder}"))


def test_a_rate_of_zero_is_named(ran, tmp_path):
    with pytest.raises(InvalidValue, match="rate"):
        watch.run(config("watch", f"run={ran}", f"output={tmp_path}/films", "gif=true", "rate=0"))


@pytest.fixture(scope="module")
def scene():
    return gripped("two_narrow")


@pytest.mark.parametrize(("rate", "every"), [(10, 50), (100, 5), (500, 1), (10_000, 1)])
def test_a_reel_takes_frames_at_its_rate(scene, rate, every):
    """Of steps of 2 ms, never more than one frame each."""
    reel = Reel(rate)
    for _ in range(101):
        reel.take(scene)
    assert len(reel.frames) == 1 + 100 // every


def test_a_frame_is_what_stands_in_the_scene(scene):
    reel = Reel(10)
    reel.take(scene)
    frame = reel.frames[0]
    np.testing.assert_array_equal(frame.place, scene.data.qpos[3:6])
    np.testing.assert_allclose(frame.turn @ frame.turn.T, np.eye(3), atol=1e-12)
    assert frame.opening == pytest.approx(0.03, abs=1e-3)  # of the block that it grips
    assert frame.table[2] == pytest.approx(-1)  # out of the way
    scene.data.qpos[3] += 0.01
    assert frame.place[0] == pytest.approx(scene.data.qpos[3] - 0.01)  # a copy


@pytest.fixture(scope="module")
def missed(cache):
    """Return a trial that soon ends, beside the object, with its reel."""
    reel = Reel(4)
    return trial(grasp((0.2, 0)), CUBE, NARROW, NOMINAL, cache, reel.take), reel


def test_a_film_is_an_animated_picture_of_every_frame(missed, tmp_path):
    result, reel = missed
    assert len(reel.frames) > 3
    animate(replace(reel, frames=reel.frames[:3]), result, CUBE, NARROW, tmp_path / "film.gif")
    with Image.open(tmp_path / "film.gif") as film:
        assert (film.format, film.n_frames, film.info["duration"]) == ("GIF", 3, 250)
        pictures = []
        for i in range(3):
            film.seek(i)
            pictures.append(np.asarray(film.convert("RGB")))
    assert all(len(np.unique(picture)) > 3 for picture in pictures)
    assert not np.array_equal(pictures[0], pictures[2])  # the gripper comes down


def test_a_trial_is_shown_in_both_pictures(missed, cache, tmp_path):
    settings = config("watch", "run=run", "gif=true", "rate=1")
    assert watch.show(missed[0].record(), CUBE, NARROW, tmp_path / "missed", cache, settings)
    assert (tmp_path / "missed.png").read_bytes().startswith(b"\x89PNG")
    with Image.open(tmp_path / "missed.gif") as film:
        assert film.n_frames > 1


def test_names_of_pictures_tell_the_trial():
    given = asdict(row(4, setting_label="0.3", object="my mug.stl"))
    assert watch._name(given) == "my_mug_stl-pose0-get3d-get-seed0-0_3"


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Return the folder of a comparison with one trial in simulation."""
    folder = tmp_path_factory.mktemp("run")
    settings = config("compare", "debug=fast", *SMALL, "physics=nominal", "workers=1", f"output={folder}")
    assert compare.run(settings) == compare.DONE
    return folder


def test_a_run_is_watched_and_ends_as_recorded(ran, tmp_path, capsys):
    assert watch.run(config("watch", f"run={ran}", f"output={tmp_path}/films")) == watch.DONE
    assert "1 trials done again, 1 ended bit for bit as recorded" in capsys.readouterr().out
    assert [path.name for path in (tmp_path / "films").iterdir()] == ["cube-pose0-bbox-two_narrow-seed0.png"]


def test_a_trial_that_ends_otherwise_is_told(ran, tmp_path, monkeypatch, capsys):
    shutil.copytree(ran, tmp_path / "run")
    (path,) = (tmp_path / "run/records").iterdir()
    record = json.loads(path.read_text())
    record["physics"]["slip_force_N"] = np.nextafter(record["physics"]["slip_force_N"], np.inf)
    path.write_text(json.dumps(record))
    monkeypatch.setattr("physics.draw.filmstrip", lambda *given: None)
    assert watch.run(config("watch", f"run={tmp_path}/run", f"output={tmp_path}/films")) == watch.BAD
    assert "1 trials done again, 0 ended bit for bit" in capsys.readouterr().out


