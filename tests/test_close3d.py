"""Closing in space against the slow oracle and against GET-2D, and its laws."""

import numpy as np
import pytest
import shapely
import trimesh
from scipy.spatial.transform import Rotation

from get2d import close as planar
from get2d.edges import Edges
from get3d.bvh import Bvh
from get3d.close import GRIPS, MISSES, OVERLAP, PASSES, close
from get3d.pads import Pads
from get3d.touch import Sweep
from grasp import Gripper
from grasp.circles import circles
from grasp.frames import pose_top_down
from tests import oracle_3d as oracle
from tests.polygons import bar, u_shape

GRIPPERS = {name: Gripper.preset(name) for name in ("get", "two_narrow", "two_wide")}
GET = GRIPPERS["get"]
PATCH = 1e-4
SPECIMENS = oracle.specimens()
DRAWS = np.random.default_rng(1).normal(0, 0.007, (4, 3))


def shut(mesh, T, opening, gripper=GET, translation=DRAWS):
    sweep, limits = Sweep(Bvh.of(mesh.vertices, mesh.faces), PATCH), (gripper.min_opening, gripper.tolerance)
    rule = {"min_opening": limits[0], "tolerance": limits[1], "translation": translation}
    return close(sweep, Pads.of(gripper), np.asarray(T), np.asarray(opening), **rule)


def poses(mesh, n=12, seed=2):
    rng = np.random.default_rng(seed)
    return oracle.random_poses(rng, n, mesh.centroid, spread=0.01), rng.uniform(0.04, 0.3, n)


@pytest.mark.parametrize("gripper", GRIPPERS.values(), ids=GRIPPERS)
@pytest.mark.parametrize("name", ["box", "cone", "ring", "star", "lumps"])
def test_closing_is_the_oracles(name, gripper):
    mesh = SPECIMENS[name]
    T, opening = poses(mesh, 5)
    found = shut(mesh, T, opening, gripper)
    for g, s in np.ndindex(len(T), len(DRAWS)):
        pose = T[g].copy()
        pose[:3, 3] += DRAWS[s]
        outcome, points, normals, made, _ = oracle.close(mesh, gripper, pose, opening[g], PATCH)
        assert found.outcome[g, s] == outcome
        assert np.array_equal(found.contacts.made[g, s], made)
        assert np.abs(found.contacts.points[g, s][made] - points[made]).max(initial=0) < 2e-6
        assert np.abs(found.contacts.normals[g, s][made] - normals[made]).max(initial=0) < 1e-4


def test_oracle_and_kernel_mean_the_same_and_every_outcome_is_met():
    assert (GRIPS, OVERLAP, MISSES, PASSES) == (oracle.GRIPS, oracle.OVERLAPS, oracle.MISSES, oracle.PASSES)
    often = np.zeros(4, int)
    for mesh in SPECIMENS.values():
        T, opening = poses(mesh, 100)
        often += np.bincount(shut(mesh, T, opening).outcome.ravel(), minlength=4)
    assert (often > 20).all()


@pytest.mark.parametrize("name", SPECIMENS)
def test_moving_object_and_grasp_together_changes_nothing(name):
    mesh = SPECIMENS[name]
    T, opening = poses(mesh, 60)
    M = np.eye(4)
    M[:3, :3], M[:3, 3] = Rotation.from_rotvec([0.3, -1.1, 2.0]).as_matrix(), [0.2, -0.1, 0.3]
    here, there = shut(mesh, T, opening), shut(oracle.moved(M, mesh), M @ T, opening, translation=DRAWS @ M[:3, :3].T)
    assert np.array_equal(here.outcome, there.outcome)
    assert np.array_equal(here.contacts.made, there.contacts.made)
    assert np.allclose(here.travel, there.travel, atol=1e-9, equal_nan=True)
    made = here.contacts.made
    points, normals = here.contacts.points[made], here.contacts.normals[made]
    # The middle of a patch is a quotient of areas of down to 1e-4 square millimetres.
    assert np.abs(points @ M[:3, :3].T + M[:3, 3] - there.contacts.points[made]).max() < 1e-8
    assert np.abs(normals @ M[:3, :3].T - there.contacts.normals[made]).max() < 1e-9


@pytest.mark.parametrize("name", ["box", "cylinder", "cone", "torus", "ball"])
def test_contacts_lie_on_the_mesh_with_inward_normals(name):
    mesh = SPECIMENS[name]
    T, opening = poses(mesh, 80)
    contacts = shut(mesh, T, opening).contacts
    points, normals = contacts.points[contacts.made], contacts.normals[contacts.made]
    assert len(points) > 50
    # Locally convex shapes: the middle of a patch lies no further than its depth before the surface.
    _, distance, face = trimesh.proximity.closest_point(mesh, points)
    assert distance.max() <= PATCH
    assert not mesh.contains(points - 2e-3 * normals).any()
    facing = np.einsum("mi,mi->m", -mesh.face_normals[face], normals)
    assert (facing > 0).mean() > 0.99  # at an edge the nearest face may be one that the pad does not see


@pytest.mark.parametrize("polygon", [bar(0.08, 0.03), bar(0.05, 0.05), u_shape(0.03)], ids=["bar", "square", "u"])
def test_a_prism_gives_the_contacts_of_its_outline(polygon):
    height, rng, n = 0.04, np.random.default_rng(4), 400
    low, high = np.array(polygon.bounds).reshape(2, 2)
    centre = rng.uniform(low, high, (n, 2))
    angle = rng.integers(0, 4, n) * np.pi / 2  # every face is square to the closing axis or parallel to it
    opening = rng.uniform(0.01, 0.12, n)
    limits = {"min_opening": GET.min_opening, "tolerance": GET.tolerance}
    draws = {"translation": np.zeros((1, 2)), "rotation": np.zeros(1), "skip": np.zeros(n, bool)}
    flat = planar.close(Edges.of(polygon), circles(GET), centre, angle, opening, **limits, **draws)
    solid = shut(oracle.prism(polygon, height), pose_top_down(centre, angle, 0.01), opening, translation=np.zeros((1, 3)))
    both = (flat.outcome[:, 0] == planar.GRIPS) & (solid.outcome[:, 0] == GRIPS)
    # A disc meets a corner beside its middle later than a flat pad does: compare pads wholly before a face.
    p, q = flat.contacts, solid.contacts
    side = circles(GET).radius * np.stack([-np.sin(angle), np.cos(angle)], -1)[:, None]
    ends = shapely.points(p.points[:, 0, None] + np.stack([side, -side], 1))  # (n, 2, k)
    on_face = (shapely.distance(polygon.boundary, ends) < 1e-7).all(1)
    whole = both & (on_face | ~p.made[:, 0]).all(-1) & (p.made == q.made).all((1, 2))
    assert whole.sum() > 40
    made = p.made[whole, 0]
    assert np.abs(p.points[whole, 0][made] - q.points[whole, 0][made][:, :2]).max() < 1e-6
    assert np.abs(p.normals[whole, 0][made] - q.normals[whole, 0][made][:, :2]).max() < 1e-6
    assert np.allclose(q.points[whole, 0][made][:, 2], 0.025, atol=1e-8)  # fingertips at 10 mm, top at 40 mm


def test_a_ring_wider_than_the_gripper_is_held_by_its_wall():
    ring, wall = oracle.slender_ring(), 0.061 - 0.0245
    T = pose_top_down(np.array([-0.04275, 0.0]), 0.0, 0.01)[None]  # the narrow jaw stands in the bore
    held = shut(ring, T, [wall + 0.02], translation=np.zeros((1, 3)))
    assert held.outcome[0, 0] == GRIPS and held.contacts.made.all()
    points = held.contacts.points[0, 0]
    assert (points[:2, 0] < -0.055).all() and -0.0245 < points[2, 0] < -0.023
    assert shut(ring, T, [wall - 0.005], translation=np.zeros((1, 3))).outcome[0, 0] == OVERLAP


def test_jaws_that_meet_material_only_beyond_each_other_pass():
    posts = trimesh.util.concatenate([trimesh.creation.box((0.01, 0.012, 0.08)) for _ in range(2)])
    posts.vertices[:8] += [0.03, 0.0, 0.04]
    posts.vertices[8:] += [-0.03, 0.015, 0.04]
    T = pose_top_down(np.zeros(2), 0.0, 0.01)[None]
    found = shut(posts, T, [0.02], translation=np.zeros((1, 3)))  # between the posts, each beyond the other jaw
    assert found.outcome[0, 0] in (PASSES, MISSES)
    assert not found.contacts.made.any()
