"""Learning from labels: the split keeps objects apart, patches are in the gripper's frame, metrics are what they say."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from experiments.learn_data import Examples, Sampling, examples, split
from experiments.learn_models import Network, constant, geometric, network
from experiments.learn_report import BINS, calibration, calibration_error, draw, score
from experiments.stats import Statistics
from grasp import InvalidValue
from labels import generate, load, manifest, store
from labels.exporters.select import by_view
from tests.labelled import planar, small

pytest.importorskip("sklearn")
ROOT = Path(__file__).parents[1]
SAMPLING = Sampling("get2d", per_view=40, window=0.128, reach=0.03, bar=0.8, held_out=0.4, seed=0)
STATISTICS = Statistics(confidence=0.95, resamples=50, seed=0)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    made = planar(small("objects.kinds=[prism,comb,bracket]", "objects.count=2", "limit=6"))
    folder = tmp_path_factory.mktemp("labels")
    records = [generate.label_object(made, folder, name) for name in made.objects.names]
    store.write_whole(folder / manifest.NAME, store.json_bytes(manifest.manifest(made, records, [])))
    return load(folder)


@pytest.fixture(scope="module")
def found(data):
    return examples(data, SAMPLING)


def test_examples_are_closed_candidates_with_their_outcome(data, found):
    expected = sum(min(int((labels.draws > 0).sum()), SAMPLING.per_view) for _, _, labels in by_view(data, "get2d"))
    assert len(found) == expected
    all_of_them = examples(data, replace(SAMPLING, per_view=10**6))
    labels = [labels[labels.draws > 0] for _, _, labels in by_view(data, "get2d")]
    np.testing.assert_array_equal(all_of_them.good, np.concatenate([own.closure_rate >= 0.8 - 1e-12 for own in labels]))
    np.testing.assert_array_equal(all_of_them.geometry[:, 2], np.concatenate([own.opening_m for own in labels]))
    away = np.concatenate([(own.origin_m - own.T_table_gripper[:, :3, 3])[:, :2] for own in labels])
    distance = np.linalg.norm(all_of_them.geometry[:, :2], axis=1)
    np.testing.assert_allclose(distance, np.linalg.norm(away, axis=1), atol=1e-12)


def test_patches_show_something_between_the_jaws_of_good_grasps_and_free_space_beyond(found):
    heights = found.heights[found.good]
    assert np.abs(found.heights).max() <= 1
    assert (heights[:, 12:20, :].max((1, 2)) > 0).mean() > 0.95  # the object, between the fingertips
    assert heights[:, :, :2].mean() < heights[:, 12:20, 12:20].mean()


def test_no_object_is_on_both_sides(found):
    train, test = split(found, SAMPLING)
    assert not set(train.object) & set(test.object)
    assert len(train) + len(test) == len(found)
    assert len(set(test.object)) == round(0.4 * 6)
    with pytest.raises(InvalidValue, match="number of objects = 1"):
        split(found[found.object == found.object[0]], SAMPLING)


def made_up(n, seed):
    """Return examples whose outcome is in the patch and not in the geometry."""
    rng = np.random.default_rng(seed)
    heights = rng.uniform(-1, 1, (n, 32, 32)).astype(np.float32)
    good = rng.random(n) < 0.6
    heights[:, 14:18, 14:18] += np.where(good, 0.8, -0.8)[:, None, None]
    return Examples(rng.integers(0, 20, n).astype(str), heights, rng.random((n, 3)), good)


def test_a_network_finds_what_is_in_the_patch_only():
    train, test = made_up(600, 0), made_up(300, 1)
    told = {
        "constant": constant(train, test),
        "geometric": geometric(train, test),
        "network": network(train, test, Network((32,), 1e-4, 1e-3, 30, True, 0)),
    }
    scores = score(test.good, told, test.object, STATISTICS)
    assert scores["constant"]["roc_auc"].value == 0.5
    assert abs(scores["geometric"]["roc_auc"].value - 0.5) < 0.1
    assert scores["network"]["roc_auc"].value > 0.95
    assert scores["network"]["brier"].value < scores["constant"]["brier"].value
    for own in scores.values():
        for estimate in own.values():
            assert estimate.n == 300
            assert 0 <= estimate.low <= estimate.high <= 1 + 1e-12


def test_calibration_error_of_known_cases():
    rng = np.random.default_rng(0)
    told = rng.random(200_000)
    assert calibration_error(rng.random(len(told)) < told, told) < 0.01
    assert calibration_error(np.array([True, False]), np.array([0.9, 0.9])) == pytest.approx(0.4)
    assert calibration_error(np.array([True, True]), np.array([1.0, 1.0])) == 0
    mean, share, count = calibration(np.array([True, False, True]), np.array([0.0, 0.05, 1.0]))
    assert (len(mean), share.tolist(), count.tolist()) == (2, [0.5, 1.0], [2, 1])
    assert BINS == 10


def test_the_picture_is_drawn(tmp_path):
    good = np.arange(40) % 3 > 0
    draw(tmp_path / "a.png", good, {"constant": np.full(40, 0.6), "network": np.linspace(0, 1, 40)})
    assert (tmp_path / "a.png").stat().st_size > 5_000


@pytest.mark.parametrize(("name", "value"), [("bar", 1.5), ("held_out", 0.0), ("window", -1.0), ("per_view", 0)])
def test_a_value_out_of_range_is_named(name, value):
    with pytest.raises(InvalidValue, match=f"sampling.{name}"):
        replace(SAMPLING, **{name: value})


def told_by(*line):
    return subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_command_writes_table_numbers_and_picture(data, tmp_path):
    line = [sys.executable, "-m", "experiments.learn", f"labels={data.folder}", f"output={tmp_path / 'out'}"]
    done = told_by(*line, "network.epochs=3", "statistics.resamples=20")
    assert done.returncode == 0, done.stderr
    told = json.loads((tmp_path / "out/learn.json").read_text())
    assert set(told["scores"]) == {"constant", "geometric", "network"}
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {"table.md", "learn.png", "provenance.json"}
    assert "network" in done.stdout
    again = told_by(*line)
    assert (again.returncode, "is free" in again.stderr) == (1, True)
