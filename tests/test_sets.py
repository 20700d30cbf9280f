"""Object sets: fixed order, lazy, failures instead of an end, and configurations that Hydra builds."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate

from grasp.errors import InvalidValue
from grasp.reasons import Reason
from objects.doctor import Doctor
from objects.placed import Failure, Placed, place, placements
from objects.sets import Family, MeshDir, Shapes
from objects.stable import Rest

CONF = Path(__file__).parents[1] / "conf"
REST, DOCTOR = Rest.preset("default"), Doctor.preset("default")


@pytest.fixture
def folder(tmp_path):
    """Return a folder with two good meshes, one open, one empty, one in millimetres, and a text."""
    good = trimesh.creation.box((0.06, 0.04, 0.02))
    good.export(tmp_path / "b_box.stl")
    good.export(tmp_path / "a_box.obj")
    trimesh.Trimesh(good.vertices, good.faces[:-1], process=False).export(tmp_path / "d_open.ply")
    good.apply_scale(1000).export(tmp_path / "e_mm.stl")
    (tmp_path / "c_empty.stl").touch()
    (tmp_path / "readme.txt").write_text("boxes")
    return tmp_path


def test_a_folder_lists_its_failures_and_goes_on(folder):
    objects = MeshDir(str(folder), None, DOCTOR, REST)
    assert objects.names == ("a_box.obj", "b_box.stl", "c_empty.stl", "d_open.ply", "e_mm.stl")
    found = list(placements(objects))
    rows = [(item.object, item.pose if isinstance(item, Placed) else item.reason) for item in found]
    unsound = Reason.UNSOUND_MESH
    good = [(name, pose) for name in objects.names[:2] for pose in ("pose0", "pose1")]
    assert rows == [*good, ("c_empty.stl", unsound), ("d_open.ply", unsound), ("e_mm.stl", None)]
    details = [item.detail for item in found if isinstance(item, Failure)]
    for detail, part in zip(details, ("0 bytes", "3 open edges", "60 m must be"), strict=True):
        assert part in detail


def test_objects_stand_on_the_table_as_their_pose_says(folder):
    objects = MeshDir(str(folder), "m", DOCTOR, REST)
    for item in place(objects, "b_box.stl"):
        assert item.solid.vertices[:, 2].min() == pytest.approx(0, abs=1e-9)
        again = objects.load("b_box.stl").posed(item.T_table_object)
        assert np.array_equal(again.vertices, item.solid.vertices)


def test_nothing_is_loaded_before_it_is_asked_for(folder, monkeypatch):
    loaded = []
    monkeypatch.setattr(MeshDir, "load", lambda self, name: loaded.append(name) or DOCTOR.load(folder / name, "m"))
    found = placements(MeshDir(str(folder), "m", DOCTOR, REST))
    assert loaded == []
    next(found)
    assert loaded == ["a_box.obj"]


def test_an_object_without_a_steady_pose_is_a_failure(folder):
    found = place(MeshDir(str(folder), "m", DOCTOR, replace(REST, margin=1.0)), "a_box.obj")
    assert isinstance(found, Failure) and "no resting pose with a margin above 1 m" in found.detail


def test_folders_that_cannot_be_meant(tmp_path):
    with pytest.raises(InvalidValue, match="existing folder"):
        MeshDir(str(tmp_path / "nowhere"), "m", DOCTOR, REST)
    with pytest.raises(InvalidValue, match=r"files that end in .stl"):
        MeshDir(str(tmp_path), "m", DOCTOR, REST)


def test_a_random_solid_depends_on_its_name_and_the_seed_only():
    few, many = Family(("ring",), 2, 7, REST), Family(("prism", "ring"), 5, 7, REST)
    other = Family(("ring",), 2, 8, REST)
    assert few.names == ("ring_000", "ring_001")
    same = [objects.load("ring_001").vertices for objects in (few, many)]
    assert np.array_equal(*same)
    assert not np.array_equal(few.load("ring_000").vertices, same[0])
    assert not np.array_equal(other.load("ring_001").vertices, same[0])


@pytest.mark.parametrize("names", [("arch", "teapot"), ("arch", "arch"), ()])
def test_names_must_be_known_and_different(names):
    with pytest.raises(InvalidValue, match="objects.names"):
        Shapes(names, REST)
    with pytest.raises(InvalidValue, match="objects.kinds"):
        Family(names, 1, 0, REST)


def built(name, *overrides):
    with initialize_config_dir(str(CONF), version_base=None):
        config = compose(overrides=[f"+objects={name}", "+rest=default", "+mesh=default", *overrides])
    return instantiate(config.objects, _convert_="all")


def test_the_ten_objects_of_the_paper_make_twenty_trials():
    objects = built("paper10")
    found = list(placements(objects))
    assert len(objects.names) == 10 and len(found) == 20
    assert [item.object for item in found[::2]] == [item.object for item in found[1::2]] == list(objects.names)
    assert {item.pose for item in found} == {"pose0", "pose1"}


def test_every_kind_of_the_family_rests():
    objects = built("family", "objects.count=1")
    found = list(placements(objects))
    assert {item.object for item in found} == set(objects.names) and len(objects.names) == 7
    assert all(isinstance(item, Placed) for item in found)


def test_a_folder_is_told_on_the_command_line(folder):
    objects = built("mesh_dir", f"objects.folder={folder}", "objects.unit=mm", "rest.poses=1")
    assert (objects.unit, objects.rest.poses, objects.doctor) == ("mm", 1, DOCTOR)
    assert place(objects, "e_mm.stl")[0].solid.volume == pytest.approx(4.8e-5)
