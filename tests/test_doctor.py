"""The mesh doctor: what is repaired does not change the solid, and what does not bound one is refused with its numbers."""

import json
from pathlib import Path

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from grasp.errors import InvalidValue, PerceptionError
from grasp.reasons import Reason
from objects import repair
from objects.doctor import Doctor
from objects.edges import bodies_of, open_edges
from objects.load import read_triangles
from objects.solid import Solid, moments, signed_volume
from objects.units import UNITS
from wrench import origin_of, torque_scale_of

DATA = Path(__file__).parents[2] / "shared" / "data"
SIDES = np.array([0.06, 0.04, 0.02])
DOCTOR = Doctor.preset("default")


def box(sides=SIDES, centre=(0, 0, 0)):
    mesh = trimesh.creation.box(sides)
    return mesh.vertices + centre, np.array(mesh.faces)


def joined(*parts):
    """Return several meshes as one, their vertices apart."""
    starts = np.cumsum([0] + [len(vertices) for vertices, _ in parts])
    faces = [faces + start for (_, faces), start in zip(parts, starts[:-1], strict=True)]
    return np.concatenate([vertices for vertices, _ in parts]), np.concatenate(faces)


def ring():
    mesh = trimesh.creation.annulus(0.02, 0.04, 0.02, sections=24)
    return np.array(mesh.vertices), np.array(mesh.faces)


# ---- solids ------------------------------------------------------------------------------------------------------------


def test_moments_of_a_box_far_from_the_origin():
    rng = np.random.default_rng(1)
    turn, place = Rotation.random(rng=rng).as_matrix(), np.array([100.0, -50.0, 20.0])
    vertices, faces = box()
    solid = Solid("box", vertices @ turn.T + place, faces)
    inertia = SIDES.prod() / 12 * np.diag((SIDES**2).sum() - SIDES**2)
    assert solid.volume == pytest.approx(SIDES.prod(), rel=1e-9)
    assert solid.center_mass == pytest.approx(place, abs=1e-9)
    assert solid.inertia == pytest.approx(turn @ inertia @ turn.T, abs=1e-8 * inertia.max())


def test_a_posed_solid_carries_its_moments_along():
    solid = Solid("ring", *ring(), notes=("checked",))
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Rotation.from_euler("xyz", [0.3, -1, 2]).as_matrix(), [0.1, 0.2, 0.3]
    moved = solid.posed(T)
    assert moved.volume == pytest.approx(solid.volume, rel=1e-12)
    assert moved.center_mass == pytest.approx(T[:3, :3] @ solid.center_mass + T[:3, 3], abs=1e-12)
    assert moved.inertia == pytest.approx(T[:3, :3] @ solid.inertia @ T[:3, :3].T, rel=1e-9, abs=1e-18)
    assert (moved.name, moved.notes) == ("ring", ("checked",))


def test_the_mechanics_accept_a_solid():
    solid = Solid("box", *box(centre=(1, 2, 3)))
    origin = origin_of(solid, "centroid")
    assert origin.point == pytest.approx([1, 2, 3])
    assert torque_scale_of(solid, "object_length", origin).metres == pytest.approx(np.linalg.norm(SIDES))


def test_a_solid_and_its_trimesh_are_the_same_arrays():
    solid = Solid("ring", *ring())
    again = Solid.from_trimesh("ring", solid.to_trimesh())
    assert np.array_equal(again.vertices, solid.vertices) and np.array_equal(again.faces, solid.mesh.faces)


def test_an_inside_out_solid_is_an_error():
    vertices, faces = box()
    with pytest.raises(InvalidValue, match="volume of box"):
        Solid("box", vertices, faces[:, ::-1])


# ---- units -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", UNITS)
def test_every_unit_gives_the_same_box(unit):
    vertices, faces = box()
    solid = DOCTOR.examine("box", vertices / UNITS[unit], faces, unit)
    assert np.ptp(solid.vertices, axis=0) == pytest.approx(SIDES, rel=1e-12)
    assert solid.notes == ()


def test_metres_that_nobody_named_are_noted():
    assert "taken as metres, greatest extent 0.06 m" in DOCTOR.examine("box", *box()).notes[0]


@pytest.mark.parametrize(("factor", "unit", "extent"), [(1e3, None, "60 m"), (0.05, "m", "0.003 m"), (1, "mm", "6e-05 m")])
def test_an_extent_no_gripper_holds_asks_for_the_unit(factor, unit, extent):
    vertices, faces = box()
    with pytest.raises(InvalidValue, match=f"greatest extent = {extent} must .* give the unit of the file: one of 'm'"):
        DOCTOR.examine("box", factor * vertices, faces, unit)


@pytest.mark.parametrize("unit", ["furlong", 0, -1.0, float("nan"), True])
def test_a_unit_that_is_none_is_named(unit):
    with pytest.raises(InvalidValue, match="unit"):
        DOCTOR.examine("box", *box(), unit)


# ---- repairs -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_damage_that_can_be_mended_does_not_change_the_solid(seed):
    """Shuffled and split vertices, faces turned over, repeated and collapsed, in any order."""
    rng = np.random.default_rng(seed)
    vertices, faces = ring()
    volume, (centre, inertia) = signed_volume(vertices, faces), moments(vertices, faces)
    turned = np.where(rng.random(len(faces))[:, None] < 0.4, faces[:, ::-1], faces)
    apart = vertices[turned].reshape(-1, 3)
    triangles = np.arange(len(apart)).reshape(-1, 3)
    again, flat = triangles[rng.integers(len(triangles), size=5)], np.repeat(rng.integers(len(apart), size=(4, 1)), 3, 1)
    triangles = rng.permutation(np.concatenate([triangles, again, flat]))
    solid = DOCTOR.examine("ring", apart, triangles, "m")
    assert len(solid.faces) == len(faces)
    assert solid.volume == pytest.approx(volume, rel=1e-12)
    assert solid.center_mass == pytest.approx(centre, abs=1e-12)
    assert solid.inertia == pytest.approx(inertia, rel=1e-9, abs=1e-18)
    assert any("turned over" in note for note in solid.notes)
    assert {"dropped 4 faces without area", "dropped 5 duplicate faces"} <= set(solid.notes)


def test_a_sound_surface_is_left_as_it_is():
    vertices, faces = ring()
    solid = DOCTOR.examine("ring", vertices, faces, "m")
    assert solid.notes == ()
    key = lambda triangles: np.unique(np.sort(triangles.reshape(len(triangles), -1), axis=1), axis=0)  # noqa: E731
    assert np.array_equal(key(solid.vertices[solid.faces]), key(vertices[faces]))


def test_winding_is_the_oracle_of_trimesh():
    rng = np.random.default_rng(3)
    mesh = trimesh.creation.torus(0.04, 0.01, 16, 12)
    faces = np.where(rng.random(len(mesh.faces))[:, None] < 0.3, mesh.faces[:, ::-1], mesh.faces)
    slow = trimesh.Trimesh(mesh.vertices, faces, process=False)
    trimesh.repair.fix_winding(slow)
    fast, notes = repair.align_winding(np.array(faces))
    assert abs(signed_volume(mesh.vertices, fast)) == pytest.approx(abs(slow.volume), rel=1e-12)
    assert open_edges(faces) > 0 == open_edges(fast)
    assert notes == [f"turned over {(fast != faces).any(1).sum()} of {len(faces)} faces against their winding"]


def test_a_surface_with_one_side_stays_open():
    """A Moebius strip of ten triangles has no consistent winding."""
    faces = np.array([[i, i + 1, i + 2] for i in range(10)]) % 10
    assert open_edges(repair.align_winding(faces)[0]) > 0


# ---- bodies ------------------------------------------------------------------------------------------------------------

APART, SMALL = np.array([0.1, 0, 0]), np.array([0.01, 0.01, 0.01])


@pytest.mark.parametrize(
    ("parts", "volume", "note"),
    [
        ([box(), box(centre=(0.03, 0, 0))], 1.5, "united 2 bodies"),  # overlap by half
        ([box(), box(centre=(0.06, 0, 0))], 2, "united 2 bodies"),  # touch in a whole face
        ([box(), (box()[0] * [-1, 1, 1] + [0.06, 0, 0], box()[1][:, ::-1])], 2, "dropped 4 duplicate faces"),  # mirrored
        ([box(), box(centre=(0.06, 0.04, 0))], 2, "united 2 bodies"),  # touch along an edge
        ([box(), box(centre=(0.06, 0.04, 0.02))], 2, "united 2 bodies"),  # touch in a corner
        ([box(), box(centre=(0.06, 0.01, 0))], 2, "united 2 bodies"),  # touch in a part of one
        ([box(), box(centre=APART)], 2, "its 2 pieces do not touch"),
        ([box(), (box(centre=APART)[0], box()[1][:, ::-1])], 2, "turned a body of 4.8e-05 m^3 inside out"),
        ([box(), (box(SMALL)[0], box()[1][:, ::-1])], 1 - 1 / 48, "kept a cavity of 1e-06 m^3"),
        ([(box()[0], box()[1][:, ::-1]), box(SMALL)], 1 - 1 / 48, "turned the surface inside out"),
        ([box(), box(SMALL)], 1, "united 2 bodies"),  # one within the other
        ([box(), (box(SMALL)[0], box()[1][:, ::-1]), box(SMALL / 2)], 1 - 7 / 8 / 48, "kept a cavity"),  # a rattle
    ],
)
def test_volume_of_several_bodies_counts_once(parts, volume, note):
    solid = DOCTOR.examine("bodies", *joined(*parts), "m")
    assert solid.volume == pytest.approx(volume * SIDES.prod(), rel=1e-9)
    assert any(note in said for said in solid.notes)
    assert open_edges(solid.faces) == 0


def test_boxes_around_one_edge_are_told_apart():
    """Four boxes around a common edge, of which two that face each other diagonally, or all four, are there."""
    quarters = [box(SMALL, centre=np.array([x, y, 0]) / 200) for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    for chosen in ((0, 2), (1, 3), (0, 1, 2), (0, 1, 2, 3)):
        vertices, faces = repair.weld(*joined(*(quarters[k] for k in chosen)))
        label = bodies_of(vertices, faces)
        assert len(np.unique(label)) == len(chosen)
        for body in np.unique(label):
            assert signed_volume(vertices, faces[label == body]) == pytest.approx(1e-6, rel=1e-9)
            assert open_edges(faces[label == body]) == 0


def test_bodies_far_away_are_united_where_they_are():
    far = np.array([100.0, 50.0, 20.0])
    vertices, faces = joined(box(), box(centre=(0.03, 0, 0)))
    solid = DOCTOR.examine("bodies", vertices + far, faces, "m")
    assert solid.center_mass == pytest.approx(far + [0.015, 0, 0], abs=1e-9)


# ---- refusals ----------------------------------------------------------------------------------------------------------


def refused(vertices, faces):
    with pytest.raises(PerceptionError) as error:
        DOCTOR.examine("thing", vertices, faces, "m")
    assert error.value.reason is Reason.UNSOUND_MESH
    return error.value.detail


def test_what_bounds_no_solid_is_refused_with_its_numbers():
    vertices, faces = box()
    sheet = np.array([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0]])
    top = vertices[faces][..., 2].min(1) > 0
    assert "4 open edges in 10 faces of 1 components" in refused(vertices, faces[~top])
    assert "6 open edges in 2 faces of 2 components" in refused(*joined((sheet, [[0, 1, 2]]), (sheet + 0.2, [[0, 1, 2]])))
    assert "no faces left" in refused(sheet, [[0, 1, 2], [2, 1, 0]])
    assert "no faces left" in refused(sheet, [[0, 0, 1]])
    assert "encloses nothing" in refused(vertices * [1, 1, 0] + [0, 0, 1e-13] * vertices, faces)


# ---- files -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["stl", "obj", "ply", "glb", "off", "STL"])
def test_every_format_gives_the_same_ring(tmp_path, ending):
    vertices, faces = ring()
    path = tmp_path / f"ring.{ending}"
    trimesh.Trimesh(vertices, faces, process=False).export(path, file_type=ending.lower())
    solid = DOCTOR.load(path, "m")
    assert solid.volume == pytest.approx(signed_volume(vertices, faces), rel=1e-6)
    assert (len(solid.vertices), len(solid.faces), solid.name) == (len(vertices), len(faces), "ring")


def test_the_parts_of_a_scene_are_loaded_where_they_stand(tmp_path):
    scene = trimesh.Scene()
    for place in ([0, 0, 0], [0.03, 0, 0]):
        scene.add_geometry(trimesh.creation.box(SIDES), transform=trimesh.transformations.translation_matrix(place))
    scene.export(tmp_path / "two.glb")
    assert DOCTOR.load(tmp_path / "two.glb", "m").volume == pytest.approx(1.5 * SIDES.prod(), rel=1e-6)


@pytest.mark.parametrize("ending", ["stl", "obj", "ply", "glb", "off"])
def test_a_cut_or_empty_file_is_an_error_of_ours(tmp_path, ending):
    path = tmp_path / f"ring.{ending}"
    trimesh.Trimesh(*ring(), process=False).export(path)
    whole = path.read_bytes()
    for length in (0, 3, len(whole) // 3, len(whole) * 3 // 5):
        path.write_bytes(whole[:length])
        with pytest.raises(PerceptionError, match="ring"):
            DOCTOR.load(path, "m")


def test_a_cut_stl_is_told_from_its_header(tmp_path):
    path = tmp_path / "ring.stl"
    trimesh.Trimesh(*ring(), process=False).export(path)
    count = len(ring()[1])
    path.write_bytes(path.read_bytes()[: 84 + 50 * 10])
    with pytest.raises(PerceptionError, match=f"tells of {count} triangles and has room for 10: it is cut short"):
        read_triangles(path)


def test_files_that_are_none_are_named(tmp_path):
    with pytest.raises(InvalidValue, match="nowhere.stl must be the name of an existing file"):
        read_triangles(tmp_path / "nowhere.stl")
    (tmp_path / "part.step").write_text("ISO-10303-21;")
    with pytest.raises(InvalidValue, match=r"part.step must be one that ends in .stl, .obj"):
        read_triangles(tmp_path / "part.step")


# ---- meshes of other people --------------------------------------------------------------------------------------------

INDEX = json.loads((DATA / "index.json").read_text())["meshes"] if DATA.exists() else []
REFUSED = {
    "wrs_coffee_cup": "not watertight: 148 open edges",
    "tm_soup": "not watertight: 300 open edges in 100 faces of 100 components",
    "jsk_duct_tape": "not watertight",
    "tm_multibody": "greatest extent",
    "mj_flex": "greatest extent",
}
UNITED = {"wrs_airgun_host": 2, "tm_cycloidal": 115, "pb_blob042": 8}


SLOW = {"tm_cycloidal"}  # seconds for its 115 bodies


@pytest.mark.parametrize(
    "row", [pytest.param(r, id=r["name"], marks=[pytest.mark.slow] * (r["name"] in SLOW)) for r in INDEX]
)
def test_meshes_of_the_data_set_load_or_refuse_as_its_readme_says(row):
    if row["name"] in REFUSED:
        with pytest.raises((InvalidValue, PerceptionError), match=REFUSED[row["name"]]):
            DOCTOR.load(DATA / row["file"], row["scale_to_m"])
        return
    solid = DOCTOR.load(DATA / row["file"], row["scale_to_m"])
    assert np.ptp(solid.vertices, axis=0) * 1e3 == pytest.approx(row["extents_mm"], abs=0.051)  # printed to 0.1 mm
    assert solid.volume * 1e6 <= row["signed_volume_cm3"] * (1 + 1e-5)
    if row["name"] in UNITED:
        assert f"united {UNITED[row['name']]} bodies" in solid.notes
    else:
        assert solid.volume * 1e6 == pytest.approx(row["signed_volume_cm3"], rel=1e-5)
        assert len(solid.faces) == row["faces"] - (8 if row["name"] == "ige_industreal_gear_small" else 0)


@pytest.mark.skipif(not DATA.exists(), reason="needs ../shared/data")
def test_an_inverted_cube_in_another_unit_is_turned_out():
    solid = DOCTOR.load(DATA / "meshes" / "mj_flex.obj", "cm")
    assert solid.volume == pytest.approx(8e-6, rel=1e-9)
    assert "turned the surface inside out: its faces looked inwards" in solid.notes


@pytest.mark.skipif(not DATA.exists(), reason="needs ../shared/data")
def test_two_bodies_of_mixed_winding_are_mended():
    """README: two closed boxes, both with mixed winding; 0.01404 m^3 in the end cannot be told from the signed volume."""
    path = DATA / "meshes" / "tm_multibody.stl"
    solid = DOCTOR.load(path, 0.1)
    bodies = trimesh.load_mesh(path).split(only_watertight=False)
    hulls = [body.convex_hull.volume * 1e-3 for body in bodies]  # both boxes are convex
    assert len(hulls) == 2 and max(hulls) < solid.volume <= sum(hulls) * (1 + 1e-9)
    assert any("against their winding" in note for note in solid.notes)
