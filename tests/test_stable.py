"""Resting poses: closed forms, dice, an independent library, and the laws every pose keeps."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from grasp.errors import InvalidValue, UnknownPreset
from objects.doctor import Doctor
from objects.solid import Solid
from objects.stable import Rest, resting_poses, solid_angles

DATA = Path(__file__).parents[2] / "shared" / "data"
REST = replace(Rest.preset("default"), poses=None, distinct=False)
EVERY = replace(REST, barrier=0.0, margin=0.0)  # every stable face of the hull on its own


def solid(mesh, turn=None):
    vertices = np.array(mesh.vertices) if turn is None else mesh.vertices @ Rotation.random(rng=turn).as_matrix().T
    return Solid("solid", vertices, np.array(mesh.faces))


def random_hull(rng):
    hull = trimesh.convex.convex_hull(rng.normal(size=(15, 3)) * [0.03, 0.02, 0.02])
    return solid(hull)


def column(poses, name):
    return np.array([getattr(pose, name) for pose in poses])


# ---- closed forms ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sides", [(0.06, 0.04, 0.02), (0.05, 0.05, 0.05), (0.1, 0.02, 0.019)])
def test_a_box_rests_on_a_face_with_the_share_of_its_solid_angle(sides):
    """Rectangle a x b at height h over its centre: 4 asin(ab / sqrt((a^2 + 4h^2) (b^2 + 4h^2))) steradians."""
    poses = resting_poses(solid(trimesh.creation.box(sides), np.random.default_rng(0)), REST)
    expected = []
    for k in range(3):
        a, b, h = sides[k - 2], sides[k - 1], sides[k] / 2
        share = np.arcsin(a * b / np.sqrt((a**2 + 4 * h**2) * (b**2 + 4 * h**2))) / np.pi
        expected += [(share, h, min(a, b) / 2)] * 2
    found = [(pose.probability, pose.height, pose.margin) for pose in poses]
    assert np.array(found) == pytest.approx(np.array(sorted(expected, reverse=True)), abs=1e-9)


def test_an_icosahedron_is_a_fair_die():
    poses = resting_poses(solid(trimesh.creation.icosahedron(), np.random.default_rng(1)), REST)
    assert column(poses, "probability") == pytest.approx(np.full(20, 1 / 20), abs=1e-9)


@pytest.mark.parametrize("sections", [64, 96])
def test_a_cylinder_stands_on_either_end_or_lies(sections):
    """Seen from the middle, an end at h = r is a cone of half angle 45 degrees: (1 - cos 45) / 2 of the sphere."""
    lying, *ends = resting_poses(solid(trimesh.creation.cylinder(0.03, 0.06, sections=sections)), REST)
    assert len(ends) == 2
    for end in ends:
        assert end.probability == pytest.approx((1 - np.sqrt(0.5)) / 2, abs=1e-3)  # polygon for circle
        assert end.height == pytest.approx(0.03)
    assert lying.probability == pytest.approx(np.sqrt(0.5), abs=1e-3)
    assert lying.height == pytest.approx(0.03 * np.cos(np.pi / sections))


def test_a_ball_rests_in_one_pose():
    (pose,) = resting_poses(solid(trimesh.creation.icosphere(3, 0.03)), REST)
    assert pose.probability == pytest.approx(1)


def test_solid_angles_of_a_closed_surface_fill_the_sphere():
    mesh = trimesh.creation.icosphere(2)
    assert solid_angles(mesh.triangles + [0.2, -0.1, 0.3]).sum() == pytest.approx(4 * np.pi)
    octant = np.eye(3)[None]
    assert solid_angles(octant) == pytest.approx(np.pi / 2)


# ---- oracles -----------------------------------------------------------------------------------------------------------


def tumble(points, i, hull):
    """Follow one face of a hull downhill, the slow way: over the edge that the centre is furthest beyond."""
    while True:
        corners, normal = points[hull.simplices[i]], hull.equations[i, :3]
        beyond = []
        for k in range(3):
            start, end, opposite = corners[(k + 1) % 3], corners[(k + 2) % 3], corners[k]
            across = np.cross(end - start, normal) / np.linalg.norm(end - start)
            across *= -np.sign(across @ (opposite - start))
            beyond.append(-across @ start)
        if max(beyond) <= 0:
            return i
        i = hull.neighbors[i][int(np.argmax(beyond))]


@pytest.mark.parametrize("seed", range(8))
def test_probabilities_are_those_of_tumbling_face_by_face(seed):
    body = random_hull(np.random.default_rng(seed))
    points = body.vertices - body.center_mass
    hull = ConvexHull(points)
    share = np.zeros(len(hull.simplices))
    for i, angle in enumerate(solid_angles(points[hull.simplices])):
        share[tumble(points, i, hull)] += angle / (4 * np.pi)
    poses = resting_poses(body, EVERY)
    assert column(poses, "probability") == pytest.approx(np.sort(share[share > 0])[::-1], abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_the_stable_faces_are_those_that_trimesh_finds(seed):
    """Shares differ where a centre is beyond two edges: there trimesh looks from the centroid of the face."""
    body = random_hull(np.random.default_rng(seed))
    Ts, _ = trimesh.poses.compute_stable_poses(body.to_trimesh(), sigma=0, n_samples=1, threshold=0)
    downs = -np.array([pose.T_table_object[2, :3] for pose in resting_poses(body, EVERY)])
    order = lambda rows: rows[np.lexsort(np.round(rows, 6).T)]  # noqa: E731
    assert order(downs) == pytest.approx(order(-Ts[:, 2, :3]), abs=1e-6)


@pytest.mark.skipif(not DATA.exists(), reason="needs ../shared/data")
def test_a_bracket_rests_as_published():
    """The five stable placements that wrs publishes with its bracket (labels/wrs_bracketR1_stable_poses.json)."""
    published = json.loads((DATA / "labels" / "wrs_bracketR1_stable_poses.json").read_text())["poses"]
    poses = resting_poses(Doctor.preset("default").load(DATA / "meshes" / "wrs_bracketR1.stl", "m"), REST)
    ups = np.array([pose.T_table_object[2, :3] for pose in poses])
    nearest = (ups @ np.array([pose["rotation"][2] for pose in published]).T).max(1)
    assert len(poses) == len(published) == 5 and nearest == pytest.approx(np.ones(5), abs=1e-6)


# ---- laws --------------------------------------------------------------------------------------------------------------


def specimens():
    rng = np.random.default_rng(5)
    bodies = [random_hull(rng) for _ in range(4)]
    bodies += [solid(trimesh.creation.torus(0.04, 0.01), rng), solid(trimesh.creation.cone(0.03, 0.08), rng)]
    bodies += [solid(trimesh.creation.annulus(0.02, 0.05, 0.03), rng), solid(trimesh.creation.capsule(0.06, 0.02), rng)]
    return bodies


@pytest.mark.parametrize("body", specimens())
def test_every_pose_lies_on_the_table_and_does_not_tip(body):
    poses = resting_poses(body, REST)
    assert len(poses) > 0
    assert column(poses, "probability").sum() == pytest.approx(1, abs=1e-9)
    assert (np.diff(column(poses, "probability")) <= 1e-9).all()
    for pose in poses:
        moved = body.posed(pose.T_table_object)
        assert moved.vertices[:, 2].min() == pytest.approx(0, abs=1e-9)
        assert moved.center_mass == pytest.approx([0, 0, pose.height], abs=1e-9)
        assert pose.margin > REST.margin
        for angle in np.arange(12) * np.pi / 6:  # tipped a little about any level axis, the centre rises
            turn = Rotation.from_rotvec(1e-4 * np.array([np.cos(angle), np.sin(angle), 0])).as_matrix()
            assert -(moved.vertices @ turn.T)[:, 2].min() + turn[2] @ moved.center_mass > pose.height


def test_poses_are_the_same_every_time_and_in_any_frame():
    body = specimens()[0]
    first, again = resting_poses(body, REST), resting_poses(body, REST)
    assert all(np.array_equal(a.T_table_object, b.T_table_object) for a, b in zip(first, again, strict=True))
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Rotation.random(rng=np.random.default_rng(2)).as_matrix(), [5, -3, 2]
    moved = resting_poses(body.posed(T), REST)
    for name in ("probability", "margin", "height"):
        assert column(moved, name) == pytest.approx(column(first, name), abs=1e-9)


def test_a_box_of_single_precision_has_six_poses():
    turned = solid(trimesh.creation.box((0.06, 0.04, 0.02)), np.random.default_rng(3))
    rounded = Solid("box", turned.vertices.astype(np.float32).astype(float), turned.faces)
    poses, exact = resting_poses(rounded, REST), resting_poses(turned, REST)
    assert column(poses, "margin") == pytest.approx(column(exact, "margin"), abs=1e-7)
    assert column(poses, "probability") == pytest.approx(column(exact, "probability"), abs=1e-6)


def test_a_higher_barrier_joins_poses_and_keeps_their_probability():
    body = random_hull(np.random.default_rng(4))
    counts = []
    for barrier in (0.0, 1e-4, 1e-3, 1e-2):
        poses = resting_poses(body, replace(EVERY, barrier=barrier))
        counts.append(len(poses))
        assert column(poses, "probability").sum() == pytest.approx(1)
    assert counts[0] > counts[2] and counts == sorted(counts, reverse=True) and counts[-1] == 1


def test_choices():
    body = solid(trimesh.creation.box((0.06, 0.04, 0.02)), np.random.default_rng(6))
    assert column(resting_poses(body, replace(REST, distinct=True)), "height") == pytest.approx([0.01, 0.02, 0.03])
    assert len(resting_poses(body, replace(REST, poses=4))) == 4
    assert column(resting_poses(body, replace(REST, margin=0.015)), "height") == pytest.approx([0.01, 0.01])


@pytest.mark.parametrize(("field", "value"), [("poses", 0), ("barrier", -1e-3), ("margin", float("nan")), ("flatness", "1")])
def test_settings_out_of_range_are_named(field, value):
    with pytest.raises(InvalidValue, match=f"rest.{field}"):
        replace(REST, **{field: value})


def test_an_unknown_preset_lists_the_known():
    with pytest.raises(UnknownPreset, match="default"):
        Rest.preset("lying")
