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
from objects.sets import Blocks, Family, Joined, MeshDir, Shapes
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


SIZES = {"cube": [0.039, 0.039, 0.039], "bar": [0.1, 0.03, 0.02]}


def test_blocks_have_their_edges_and_lie_on_the_table():
    objects = Blocks(SIZES, REST)
    assert objects.names == ("cube", "bar")
    for name in objects.names:
        solid = objects.load(name)
        assert solid.name == name
        np.testing.assert_allclose(np.ptp(solid.vertices, axis=0), SIZES[name])
        np.testing.assert_allclose(solid.center_mass, 0, atol=1e-12)
        assert solid.volume == pytest.approx(np.prod(SIZES[name]))
    flat, edge = place(objects, "bar")  # the most probable pose: on the largest face, then on the next
    assert [item.solid.vertices[:, 2].max() for item in (flat, edge)] == pytest.approx([0.02, 0.03])


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([0.04, 0.04], r"objects\.sizes\.tile = \[0\.04, 0\.04\] must be three edges in metres"),
        ([0.04] * 4, r"objects\.sizes\.tile = "),
        ([0.04, 0.0, 0.04], r"objects\.sizes\.tile\[1\] = 0"),
        ([0.04, 0.04, -0.01], r"objects\.sizes\.tile\[2\] = -0\.01"),
        ([0.04, 0.04, "thin"], r"objects\.sizes\.tile\[2\] = 'thin'"),
        ([0.04, 0.04, float("nan")], r"objects\.sizes\.tile\[2\] = nan"),
    ],
)
def test_edges_that_cannot_be_are_named(edges, message):
    with pytest.raises(InvalidValue, match=message):
        Blocks(SIZES | {"tile": edges}, REST)


def test_there_must_be_a_block():
    with pytest.raises(InvalidValue, match="objects.sizes"):
        Blocks({}, REST)


def test_joined_sets_are_one_after_the_other():
    parts = (Blocks(SIZES, REST), Shapes(("arch",), REST), Family(("ring",), 2, 7, REST))
    objects = Joined(list(parts), replace(REST, poses=1))
    assert objects.names == ("cube", "bar", "arch", "ring_000", "ring_001")
    for part in parts:
        for name in part.names:
            np.testing.assert_array_equal(objects.load(name).vertices, part.load(name).vertices)
    assert [item.pose for item in placements(objects)] == ["pose0"] * 5  # `rest` of all of them is the joined set's


def test_joined_sets_share_no_name_and_there_is_one_at_least():
    with pytest.raises(InvalidValue, match=r"objects\.sets: names = \['cube', 'bar', 'bar'\]"):
        Joined((Blocks(SIZES, REST), Blocks({"bar": [0.1, 0.1, 0.1]}, REST)), REST)
    with pytest.raises(InvalidValue, match="objects.sets"):
        Joined((), REST)


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


def test_a_cube_and_shapes_are_joined():
    objects = built("cube_and_shapes", "rest.poses=1")
    assert isinstance(objects, Joined)
    assert objects.names == ("cube", "arch", "camera_mount", "tape_roll", "gearbox")
    assert place(objects, "cube")[0].solid.volume == pytest.approx(0.039**3)


def test_every_kind_of_the_family_rests():
    objects = built("family", "objects.count=1")
    found = list(placements(objects))
    assert {item.object for item in found} == set(objects.names) and len(objects.names) == 7
    assert all(isinstance(item, Placed) for item in found)


def test_a_folder_is_told_on_the_command_line(folder):
    objects = built("mesh_dir", f"objects.folder={folder}", "objects.unit=mm", "rest.poses=1")
    assert (objects.unit, objects.rest.poses, objects.doctor) == ("mm", 1, DOCTOR)
    assert place(objects, "e_mm.stl")[0].solid.volume == pytest.approx(4.8e-5)
