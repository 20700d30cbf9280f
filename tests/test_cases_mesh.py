"""Meshes as users really bring them, each with what must become of it (../shared/cases, items O14 to O36)."""

import json
from pathlib import Path

import numpy as np
import pytest

from grasp.errors import InvalidValue, PerceptionError
from grasp.reasons import Reason
from objects.doctor import Doctor
from objects.placed import Failure, place
from objects.sets import MeshDir
from objects.stable import Rest, resting_poses

CASES = Path(__file__).parents[2] / "shared" / "cases"
pytestmark = pytest.mark.skipif(not CASES.exists(), reason="needs ../shared/cases")
EXPECT = {k: v["expect"] for k, v in json.loads((CASES / "manifest.json").read_text()).items()} if CASES.exists() else {}
DOCTOR, REST = Doctor.preset("default"), Rest.preset("default")


def load(name, unit="m"):
    return DOCTOR.load(CASES / name, unit)


def hits(solid, rays, shift=(0, 0, 0)):
    """Return the distance along each ray to the surface, NaN where it misses."""
    origins = np.array(rays["origins"]) + shift
    directions = np.broadcast_to(rays["direction"], origins.shape)
    places, index, _ = solid.to_trimesh().ray.intersects_location(origins, directions, multiple_hits=False)
    distance = np.full(len(origins), np.nan)
    distance[index] = np.linalg.norm(places - origins[index], axis=1)
    return distance


def test_o14_rays_meet_the_cube_wherever_and_however_it_is_given():
    rays = json.loads((CASES / "O14" / "rays.json").read_text())
    inner = EXPECT["O14"]["must_hit"]
    for name, unit in (("O14/cube.obj", "m"), ("O14/cube_x64.obj", 1 / 64)):
        assert hits(load(name, unit), rays)[inner] == pytest.approx(0.08, abs=1e-6)
    near, far = load("O14/cube.obj"), load("O14/cube_far.obj")
    shift = np.array([100.0, 50.0, 20.0])
    assert far.vertices - shift == pytest.approx(near.vertices, abs=1e-9)
    assert far.center_mass - shift == pytest.approx(near.center_mass, abs=1e-9)
    assert hits(far, rays, shift)[inner] == pytest.approx(0.08, abs=1e-4)


def test_o15_an_open_box_is_refused():
    with pytest.raises(PerceptionError, match="open_box is not watertight: 4 open edges") as error:
        load("O15/open_box.obj")
    assert error.value.reason is Reason.UNSOUND_MESH


@pytest.mark.parametrize(
    ("name", "note"), [("good", None), ("inverted", "inside out"), ("one_face_flipped", "turned over 1 of 12 faces")]
)
def test_o16_faces_that_point_inwards_are_turned(name, note):
    solid = load(f"O16/{name}.obj")
    assert solid.volume == pytest.approx(4.8e-5, rel=1e-9)
    assert solid.center_mass == pytest.approx([0, 0, 0], abs=1e-12)
    assert (note is None and solid.notes == ()) or note in solid.notes[0]


def test_o17_overlapping_parts_count_once():
    solid = load("O17/overlap.obj")
    assert solid.volume == pytest.approx(EXPECT["O17"]["union_volume_m3"], rel=1e-9)
    assert solid.center_mass == pytest.approx([EXPECT["O17"]["union_com_x_m"], 0, 0], abs=1e-9)
    assert solid.notes == ("united 2 bodies",)
    inside_body = (np.abs(solid.vertices) < np.array([0.03, 0.02, 0.02]) - 1e-9).all(1)
    assert not inside_body.any()


@pytest.mark.parametrize("name", ["two_materials.obj", "normals_and_uv.obj", "ascii.stl", "binary.stl"])
def test_o18_four_forms_of_one_box(name):
    solid = load(f"O18/{name}")
    assert solid.volume == pytest.approx(4.8e-5, rel=1e-5)
    assert solid.center_mass == pytest.approx([0, 0, 0], abs=1e-9)
    assert (len(solid.vertices), len(solid.faces), solid.notes) == (8, 12, ())
    assert solid.to_trimesh().is_watertight


@pytest.mark.parametrize("unit", [None, "m"])
def test_o19_a_box_in_millimetres_asks_for_its_unit(unit):
    with pytest.raises(InvalidValue, match=r"box_mm.obj: greatest extent = 60 m must be .* give the unit of the file"):
        load("O19/box_mm.obj", unit)


def test_o19_with_its_unit_it_is_the_box_in_metres():
    metres, millimetres = load("O19/box_m.obj", None), load("O19/box_mm.obj", "mm")
    assert millimetres.vertices == pytest.approx(metres.vertices, abs=1e-12)
    assert np.array_equal(millimetres.faces, metres.faces)


def test_o29_unreadable_meshes_are_failures_and_the_others_go_on():
    objects = MeshDir(str(CASES / "O29"), None, DOCTOR, REST)
    found = {name: place(objects, name) for name in objects.names}
    failed = {name: item for name, item in found.items() if isinstance(item, Failure)}
    assert sorted(failed) == EXPECT["O29"]["failed"] and sorted(found.keys() - failed) == EXPECT["O29"]["labelled"]
    assert all(item.reason is Reason.UNSOUND_MESH for item in failed.values())
    assert "b_cut.stl tells of 512 triangles and has room for 306.5" in failed["b_cut.stl"].detail
    assert "c_empty.stl holds no triangles (0 bytes)" in failed["c_empty.stl"].detail


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs the resident size that Linux tells")
def test_o31_memory_stays_flat_over_many_objects():
    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    sizes = []
    for _ in range(200):
        resting_poses(load("O31/box.stl"), REST)
        sizes.append(resident())
    assert sizes[-1] - sizes[19] < 50e6


def test_o36_the_frame_of_the_file_is_kept():
    centred, shifted = load("O36/centred.obj"), load("O36/shifted.obj")
    shift = np.array([0.1, 0, 0.05])
    assert shifted.vertices == pytest.approx(centred.vertices + shift, abs=1e-12)
    assert shifted.center_mass == pytest.approx(centred.center_mass + shift, abs=1e-12)
    assert shifted.inertia == pytest.approx(centred.inertia, rel=1e-9, abs=1e-18)
