"""Dex-Net tensors, read as autolab_core's TensorDataset and GQ-CNN read them."""

import json

import numpy as np
import pytest

from grasp import InvalidValue
from labels.exporters import DexNet, write_dexnet
from labels.exporters import dexnet as module
from labels.exporters.dexnet import SIDE, THRESHOLD, patch
from tests.exported import labelled, rows

OPTIONS = DexNet.preset()


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return labelled(tmp_path_factory.mktemp("labels"))[0]


def read(folder):
    """Return every field whole: TensorDataset takes ``<field>_%05d.npz`` in ``tensors``, key ``arr_0``, by config.json."""
    config = json.loads((folder / "config.json").read_text())
    fields = {}
    for name, spec in config["fields"].items():
        files = sorted((folder / "tensors").glob(f"{name}_?????.npz"))
        assert [int(path.stem[-5:]) for path in files] == list(range(len(files)))
        parts = [np.load(path)["arr_0"] for path in files]
        assert all(len(part) == config["datapoints_per_file"] for part in parts[:-1])
        fields[name] = np.concatenate(parts)
        shape = tuple(spec[key] for key in ("height", "width", "channels") if key in spec)
        assert fields[name].shape[1:] == shape
        assert fields[name].dtype == spec["dtype"]
    return fields


def test_gqcnn_reads_images_poses_and_metric(data, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "PER_FILE", 50)
    count = write_dexnet(data, tmp_path / "out", "get2d", OPTIONS)
    fields, own = read(tmp_path / "out"), rows(data, "get2d")
    assert count == sum(map(len, own)) == len(fields["hand_poses"]) > 50
    assert fields["depth_ims_tf_table"].shape == (count, 32, 32, 1)
    epsilon = np.nan_to_num(np.concatenate([labels.mean_epsilon for labels in own]), nan=0.0)
    np.testing.assert_allclose(fields["mean_epsilon"], epsilon, rtol=1e-6)
    told = json.loads((tmp_path / "out/metadata.json").read_text())
    np.testing.assert_allclose(fields["robust_ferrari_canny"], epsilon * told["factor"], rtol=1e-6)
    clear = np.abs(epsilon - OPTIONS.positive) > 1e-6
    np.testing.assert_array_equal((fields["robust_ferrari_canny"] > THRESHOLD)[clear], (epsilon > OPTIONS.positive)[clear])


def test_hand_poses_lead_back_to_the_grasp(data, tmp_path):
    write_dexnet(data, tmp_path / "out", "get2d", OPTIONS)
    poses, start = read(tmp_path / "out")["hand_poses"], 0
    for placement, labels in zip(data, rows(data, "get2d"), strict=True):
        camera, own = placement.picture("overhead").camera, poses[start : start + len(labels)]
        start += len(labels)
        row, column = own[:, 0] + own[:, 4] - camera.cy, own[:, 1] + own[:, 5] - camera.cx
        T = labels.T_table_gripper
        np.testing.assert_allclose(camera.deproject(column, row, own[:, 2]), T[:, :3, 3], atol=1e-6)
        down = np.stack([np.cos(own[:, 3]), -np.sin(own[:, 3])], -1)  # u along the table's x, v against its y
        np.testing.assert_allclose(down, T[:, :2, 0], atol=1e-5)
        np.testing.assert_allclose(own[:, 6] * own[:, 2] / camera.fx, labels.opening_m, atol=1e-7)


def test_a_patch_is_turned_so_that_the_axis_runs_right_and_the_wide_jaw_is_left():
    v, u = np.indices((120, 160)).astype(np.float32)
    rng = np.random.default_rng(0)
    for _ in range(20):
        angle, side, middle = rng.uniform(-np.pi, np.pi), rng.uniform(16, 48), rng.uniform(50, 70, 2)
        along = (u - middle[0]) * np.cos(angle) + (v - middle[1]) * np.sin(angle)
        across = (v - middle[1]) * np.cos(angle) - (u - middle[0]) * np.sin(angle)
        at = (np.arange(SIDE) - (SIDE - 1) / 2) * side / SIDE
        np.testing.assert_allclose(patch(along, middle, angle, side), np.tile(at, (SIDE, 1)), atol=0.75)  # nearest pixel
        np.testing.assert_allclose(patch(across, middle, angle, side), np.tile(at[:, None], (1, SIDE)), atol=0.75)


def test_what_cannot_be_exported_is_named(data, tmp_path):
    with pytest.raises(InvalidValue, match="a camera's view"):
        write_dexnet(data, tmp_path / "a", "get3d", OPTIONS)
    with pytest.raises(InvalidValue, match="one of get2d, get3d"):
        write_dexnet(data, tmp_path / "b", "get9", OPTIONS)
    with pytest.raises(InvalidValue, match="dexnet.window"):
        DexNet(0.0, 0.05)
