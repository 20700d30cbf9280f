"""GraspGen JSON, read by the lines of its own description of the format."""

import json

import numpy as np
import pytest
import trimesh
import yaml

from grasp import Gripper, InvalidValue
from labels.exporters import write_graspgen
from tests.exported import labelled, rows

BAR = 0.5


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    data, made = labelled(tmp_path_factory.mktemp("labels"))
    folder = tmp_path_factory.mktemp("graspgen")
    gripper = made.cases["get3d"].planner.gripper
    assert write_graspgen(data, folder, "get3d", gripper, BAR, valid=0.5) == 2
    return data, folder, gripper


def read(path):
    told = json.loads(path.read_text(), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    grasps, mask = np.array(told["grasps"]["transforms"]), np.array(told["grasps"]["object_in_gripper"])
    assert mask.dtype == bool  # else grasps[mask] and grasps[~mask] are not what they seem
    return told, grasps, mask


def test_grasps_in_the_objects_frame_lead_back_to_the_table(exported):
    data, folder, gripper = exported
    tip = np.eye(4)
    tip[2, 3] = gripper.finger_length
    for path in sorted((folder / "grasps").glob("*.json")):
        told, grasps, mask = read(path)
        own = [(each, labels) for each, labels in zip(data, rows(data, "get3d"), strict=True) if each.object == path.stem]
        pose = np.array(told["labels"]["pose"])
        back = np.concatenate([each.T_table_object @ grasps[pose == each.pose] for each, _ in own])
        expected = np.concatenate([labels.T_table_gripper for _, labels in own])
        np.testing.assert_allclose(back @ tip, expected, atol=1e-12)
        good = np.concatenate([labels.accepted & (labels.closed >= BAR * labels.draws) for _, labels in own])
        np.testing.assert_array_equal(mask, good)
        assert 0 < mask.sum() < len(mask)
        rates = [rate for rate, good in zip(told["labels"]["closure_rate"], mask, strict=True) if good]
        assert min(rates) >= BAR


def test_objects_splits_and_gripper_are_there(exported):
    _, folder, gripper = exported
    names = [(folder / "splits" / f"{split}.txt").read_text().split() for split in ("train", "valid")]
    assert [len(each) for each in names] == [1, 1]
    for name in sum(names, []):
        assert trimesh.load_mesh(folder / "objects" / name).is_watertight
        assert read(folder / "grasps" / f"{name.removesuffix('.obj')}.json")[0]["object"] == {"file": name, "scale": 1.0}
    told = yaml.safe_load((folder / f"{gripper.name}.yaml").read_text())
    assert told["symmetric_antipodal"] is False
    assert (told["width"], told["depth"]) == (gripper.max_opening, gripper.finger_length)


def test_a_bar_that_is_no_share_is_refused(exported, tmp_path):
    with pytest.raises(InvalidValue, match="bar = 2"):
        write_graspgen(exported[0], tmp_path, "get3d", Gripper.preset("get"), 2, valid=0.5)
