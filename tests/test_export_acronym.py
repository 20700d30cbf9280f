"""ACRONYM HDF5, read by the rules of acronym_tools."""

import numpy as np
import pytest
import trimesh

from labels.exporters import write_acronym
from tests.exported import labelled, rows

h5py = pytest.importorskip("h5py")
BAR = 0.5


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    data, made = labelled(tmp_path_factory.mktemp("labels"))
    folder, planner = tmp_path_factory.mktemp("acronym"), made.cases["get3d"].planner
    assert write_acronym(data, folder, "get3d", planner.gripper, BAR, planner.judge.friction) == 2
    return data, folder, planner


def files(folder):
    return sorted((folder / "grasps").glob("*.h5"))


def test_mesh_and_scale_are_found_from_the_mesh_root(exported):
    data, folder, planner = exported
    for path, name in zip(files(folder), sorted({each.object for each in data}), strict=True):
        with h5py.File(path) as file:
            mesh = trimesh.load(folder / file["object/file"][()].decode()).apply_scale(file["object/scale"][()])
            assert path.stem == f"{name}_{file['object/scale'][()]}"
            np.testing.assert_allclose(file["object/com"][()], mesh.center_mass, atol=1e-9)
            assert file["object/volume"][()] == pytest.approx(mesh.volume)
            assert file["object/friction"][()] == planner.judge.friction
            assert file["gripper/type"][()].decode() == planner.gripper.name
            assert file["gripper/configuration"][()] == [planner.gripper.max_opening]


def test_transforms_and_success_are_where_load_grasps_looks(exported):
    data, folder, planner = exported
    tip = np.eye(4)
    tip[2, 3] = planner.gripper.finger_length
    for path in files(folder):
        name = path.stem.removesuffix("_1.0")
        own = [(each, labels) for each, labels in zip(data, rows(data, "get3d"), strict=True) if each.object == name]
        with h5py.File(path) as file:
            T, success = np.array(file["grasps/transforms"]), np.array(file["grasps/qualities/flex/object_in_gripper"])
            epsilon = np.array(file["grasps/qualities/get_grasp/mean_epsilon"])
        start = 0
        for each, labels in own:
            part = slice(start, start := start + len(labels))
            np.testing.assert_allclose(each.T_table_object @ T[part] @ tip, labels.T_table_gripper, atol=1e-12)
            np.testing.assert_array_equal(success[part] == 1, labels.accepted & (labels.closed >= BAR * labels.draws))
            np.testing.assert_array_equal(epsilon[part], labels.mean_epsilon)
        assert start == len(T)
        assert set(success) == {0, 1}
