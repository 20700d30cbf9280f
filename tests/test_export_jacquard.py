"""Jacquard text, read by the rules of GG-CNN's loader."""

import csv

import cv2
import numpy as np
import pytest

from labels.exporters import write_jacquard
from labels.exporters.jacquard import SIDE, squared
from tests.exported import labelled, rows

BAR = 0.5


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    data, made = labelled(tmp_path_factory.mktemp("labels"))
    folder, gripper = tmp_path_factory.mktemp("jacquard"), made.cases["get2d"].planner.gripper
    count = write_jacquard(data, folder, "get2d", gripper, BAR)
    return data, folder, gripper, count


def read(path):
    """Return centre (row, column), angle from +column towards -row in radians, opening and jaw, as GG-CNN's loader does."""
    found = []
    for line in path.read_text().splitlines(keepends=True):
        x, y, theta, w, h = (float(v) for v in line[:-1].split(";"))
        found.append((y, x, -theta / 180 * np.pi, w, h))
    return np.array(found).reshape(-1, 5)


def test_grasps_lead_back_to_the_table(exported):
    data, folder, gripper, count = exported
    paths = sorted(folder.glob("*/*_grasps.txt"), key=lambda path: int(path.name.partition("_")[0]))
    assert len(paths) == len(data)
    listed = 0
    for path, placement, labels in zip(paths, data, rows(data, "get2d"), strict=True):
        good = labels[labels.accepted & (labels.closed >= BAR * labels.draws)]
        own, camera = read(path), placement.picture("overhead").camera
        listed += len(own)
        assert len(own) == len(good)
        T, depth = good.T_table_gripper, camera.project(good.T_table_gripper[:, :3, 3])[2]
        u = own[:, 1] - (SIDE - camera.width) // 2
        v = own[:, 0] - (SIDE - camera.height) // 2
        np.testing.assert_allclose(camera.deproject(u, v, depth), T[:, :3, 3], atol=1e-5)
        np.testing.assert_allclose(np.stack([np.cos(own[:, 2]), np.sin(own[:, 2])], -1), T[:, :2, 0], atol=1e-4)
        np.testing.assert_allclose(own[:, 3] * depth / camera.fx, good.opening_m, rtol=1e-5)
        np.testing.assert_allclose(own[:, 4] * depth / camera.fx, 0.04, rtol=1e-5)  # 30 mm apart, 10 mm wide
        beside = path.with_name(path.name.replace("grasps.txt", "labels.csv"))
        worth = list(csv.DictReader(beside.read_text().splitlines()))
        assert [float(row["mean_epsilon"]) for row in worth] == good.mean_epsilon.tolist()
    assert listed == count > 0
    assert gripper.name == "get"


def test_the_wide_jaw_is_told_over_a_full_turn(exported):
    _, folder, _, _ = exported
    angles = np.concatenate([read(path)[:, 2] for path in folder.glob("*/*_grasps.txt")])
    assert (np.abs(angles) > np.pi / 2).any()
    assert (np.abs(angles) < np.pi / 2).any()


def test_pictures_are_the_views_about_their_middle(exported):
    data, folder, _, _ = exported
    placement = next(iter(data))
    view = placement.picture("overhead").view()
    stem = next(folder.glob("*/0_*_grasps.txt"))
    depth = cv2.imread(str(stem).replace("grasps.txt", "perfect_depth.tiff"), cv2.IMREAD_UNCHANGED)
    rgb = cv2.imread(str(stem).replace("grasps.txt", "RGB.png"))
    assert depth.shape == rgb.shape[:2] == (SIDE, SIDE)
    top, left = ((SIDE - size) // 2 for size in view.depth.shape)
    np.testing.assert_array_equal(depth[top:-top, left:-left], view.depth.astype(np.float32))
    np.testing.assert_array_equal(rgb[top:-top, left:-left, ::-1], view.rgb)


def test_large_pictures_are_cut_and_small_ones_padded():
    image = np.arange(1280 * 720).reshape(720, 1280)
    out = squared(image)
    np.testing.assert_array_equal(out[152:872], image[:, 128:1152])
    np.testing.assert_array_equal(out[0], out[152])
