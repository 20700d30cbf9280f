"""Sampling in space: lines through meshes with known crossings, and the laws of every drawn pose."""

import numpy as np
import pytest
import trimesh

from get3d.bvh import Bvh
from get3d.crossings import crossings
from get3d.faces import SteepFaces
from get3d.samplers import Sampling, draw
from grasp import Gripper, Mesh
from tests import oracle_3d as oracle

GET = Gripper.preset("get")
RULE = Sampling(candidates=500, tries=40, face_tilt=np.radians(20), roll=np.radians(30), margin=0.02)
CLEAR = 0.002
SPECIMENS = oracle.specimens()


def drawn(mesh, n=400, seed=0, rule=RULE):
    grasp_mesh = Mesh(mesh.vertices, mesh.faces)
    faces = SteepFaces.of(grasp_mesh, rule.face_tilt)
    return draw(faces, Bvh.of(mesh.vertices, mesh.faces), GET, rule, CLEAR, n, np.random.default_rng(seed))


# ---- crossings -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SPECIMENS)
def test_crossings_are_those_of_trimesh(name):
    mesh, rng, n = SPECIMENS[name], np.random.default_rng(1), 60
    origin = mesh.centroid + rng.normal(0, 0.02, (n, 3))
    direction = rng.normal(size=(n, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    found, outside = crossings(Bvh.of(mesh.vertices, mesh.faces), origin, direction), origin - direction
    engine = trimesh.ray.ray_triangle.RayMeshIntersector(mesh)
    points, ray, _ = engine.intersects_location(outside, direction, multiple_hits=True)
    for g in range(n):
        expected = np.sort((points[ray == g] - origin[g]) @ direction[g])
        assert np.allclose(found[g][np.isfinite(found[g])], expected, atol=1e-9)


def test_a_line_through_edges_and_corners_of_a_box_crosses_it_once_in_and_once_out():
    # The 9 x 9 grid of a 40 mm cube that meets its edges, corners and diagonals exactly: those inside must all hit.
    cube = trimesh.creation.box((0.04, 0.04, 0.04))
    y, z = np.meshgrid(np.linspace(-0.02, 0.02, 9), np.linspace(-0.02, 0.02, 9))
    origin = np.stack([np.full(81, -0.1), y.ravel(), z.ravel()], -1)
    found = crossings(Bvh.of(cube.vertices, cube.faces), origin, np.tile([1.0, 0, 0], (81, 1)))
    inner = (np.abs(origin[:, 1:]) < 0.0199).all(1)
    assert inner.sum() == 49
    assert np.allclose(found[inner][:, :2], [0.08, 0.12], atol=1e-12)
    assert np.isinf(found[inner][:, 2:]).all()


def test_a_line_on_the_diagonal_of_two_triangles_does_not_slip_through():
    vertices, faces = np.array([[1.0, 0, 0], [1, 1, 0], [1, 1, 1], [1, 0, 1]]), np.array([[0, 1, 2], [0, 2, 3]])
    t = np.linspace(0.01, 0.99, 999)
    found = crossings(Bvh.of(vertices, faces), np.stack([0 * t, t, t], -1), np.tile([1.0, 0, 0], (999, 1)))
    assert np.allclose(found[:, 0], 1) and np.isinf(found[:, 1]).all()


# ---- poses -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in SPECIMENS if name != "cone"])  # its sides lean by 24 degrees
def test_every_pose_obeys_the_rules(name):
    mesh, poses = SPECIMENS[name], drawn(SPECIMENS[name])
    R, origin, fits = poses.T_table_gripper[:, :3, :3], poses.T_table_gripper[:, :3, 3], poses.opening > 0
    assert np.allclose(R @ np.swapaxes(R, 1, 2), np.eye(3), atol=1e-12) and np.allclose(np.linalg.det(R), 1)
    assert np.abs(np.arcsin(R[:, 2, 0])).max() <= RULE.face_tilt + 1e-9
    down = np.cos(RULE.face_tilt) * np.cos(RULE.roll)  # of the approach axis, at the least
    assert (-R[:, 2, 2] >= down - 1e-9).all()
    assert (poses.opening[fits] <= GET.max_opening + 1e-12).all()
    assert (poses.opening[fits] >= poses.needed[fits]).all()
    assert (poses.opening <= poses.needed + 2 * RULE.margin + 1e-12).all()
    pivot = origin - poses.opening[:, None] / 2 * R[:, :, 0]
    assert (pivot[fits, 2] > CLEAR - RULE.margin).all() and (origin[:, 2] < mesh.bounds[1, 2] + RULE.margin).all()


@pytest.mark.parametrize("name", ["box", "ring", "lumps"])
def test_the_jaws_stand_in_free_space_on_either_side_of_a_wall(name):
    mesh, poses = SPECIMENS[name], drawn(SPECIMENS[name])
    rows = np.flatnonzero(poses.opening > 0)
    T, opening = poses.T_table_gripper[rows], poses.opening[rows]
    bvh = Bvh.of(mesh.vertices, mesh.faces)
    # Walk back up the approach axis to the sampled line: the wall between the jaws is as thick as was said.
    for g in rows[:60]:
        T, half = poses.T_table_gripper[g], poses.opening[g] / 2
        heights = np.linspace(0, 0.065, 400)
        starts = T[:3, 3] - half * T[:3, 0] - heights[:, None] * T[:3, 2]
        across = crossings(bvh, starts, np.tile(T[:3, 0], (400, 1)))
        inside = (across > 0) & (across < 2 * half)
        walls = np.where(inside.sum(1) == 2, np.where(inside, across, 0).max(1) - np.where(inside, across, 1).min(1), -1)
        assert np.abs(walls - poses.needed[g]).min() < 2e-3
    assert len(opening)


def test_a_ring_wider_than_the_opening_is_taken_by_its_wall_only():
    poses = drawn(oracle.slender_ring())
    fits = poses.opening > 0
    assert fits.any()
    assert (poses.needed[fits] < 0.095).all()
    assert np.abs(np.median(poses.needed[fits]) - (0.061 - 0.0245)) < 0.005


def test_faces_are_drawn_by_area():
    box = oracle.on_table(trimesh.creation.box((0.06, 0.03, 0.08)))
    poses = drawn(box, n=4000)
    along_x = np.abs(poses.T_table_gripper[:, 0, 0]) > 0.5  # the 30 mm sides
    assert np.abs(along_x.mean() - 1 / 3) < 4 * np.sqrt(2 / 9 / 4000)


def test_a_mesh_without_steep_faces_has_none():
    flat = trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.3, 0.3, 0.05]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
    assert len(SteepFaces.of(Mesh(flat.vertices, flat.faces), np.radians(20))) == 0


def test_draws_do_not_depend_on_how_they_are_split():
    mesh = SPECIMENS["star"]
    faces, bvh, rng = SteepFaces.of(Mesh(mesh.vertices, mesh.faces), RULE.face_tilt), Bvh.of(mesh.vertices, mesh.faces), None
    whole, rng = drawn(mesh, 100), np.random.default_rng(0)
    parts = [draw(faces, bvh, GET, RULE, CLEAR, n, rng) for n in (1, 60, 39)]
    assert np.array_equal(whole.T_table_gripper, np.concatenate([p.T_table_gripper for p in parts]))
