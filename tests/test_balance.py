"""Balancing: its derivative against finite differences, its result swept again, and shapes with known answers."""

import numpy as np
import pytest
import trimesh

from get3d.balance import balance, imbalance, turned
from get3d.bvh import Bvh
from get3d.pads import Pads
from get3d.touch import Sweep
from grasp import Gripper
from grasp.frames import pose_top_down
from tests import oracle_3d as oracle

GET, PADS = Gripper.preset("get"), Pads.of(Gripper.preset("get"))
OUTER = PADS[[0, 1]]
PATCH, TOLERANCE = 1e-4, 1e-3


def sweep(mesh, patch=PATCH):
    return Sweep(Bvh.of(mesh.vertices, mesh.faces), patch)


def start(n, seed=0, spread=0.01):
    rng = np.random.default_rng(seed)
    T = pose_top_down(rng.normal(0, spread, (n, 2)), rng.uniform(-np.pi, np.pi, n), 0.01)
    return T, np.full(n, 0.2)


def settle(mesh, T, opening, tolerance=TOLERANCE, iterations=30):
    return balance(sweep(mesh), PADS, T, opening, tolerance=tolerance, iterations=iterations)


def test_the_derivative_is_that_of_finite_differences():
    box = oracle.on_table(trimesh.creation.box((0.3, 0.3, 0.08)))  # so large that no pad leaves its face
    touch, h = sweep(box, patch=1e-9), 1e-6
    T, opening = start(200)
    opening[:] = 0.5
    T = turned(T, np.zeros(200), np.zeros(200))
    pivot = -opening / 2
    _, rate = imbalance(touch, OUTER, T, opening)
    ahead, behind = (imbalance(touch, OUTER, turned(T, np.full(200, s * h), pivot), opening)[0] for s in (1, -1))
    normal = touch(OUTER, T, opening, np.zeros((1, 3))).normal[:, 0]
    on_faces = (np.abs(normal).max(-1) > 1 - 1e-9).all(1)  # not at the box's edge, where there is no one face
    smooth = on_faces & (np.abs(T[:, :2, 0]).min(1) > 0.05)  # square to a face the pads touch all over, and the middle jumps
    assert smooth.sum() > 100
    assert np.abs((ahead - behind) / (2 * h) - rate)[smooth].max() < 1e-6


def test_turning_is_about_the_approach_axis_through_the_middle_of_the_wide_jaw():
    T, opening = start(5)
    angle = np.linspace(-1, 1, 5)
    after, pivot = turned(T, angle, -opening / 2), np.array([-0.1, 0, 0, 1])
    assert np.allclose(after @ pivot, T @ pivot)
    assert np.allclose(after[:, :3, 2], T[:, :3, 2])
    assert np.allclose(np.einsum("ni,ni->n", after[:, :3, 0], T[:, :3, 0]), np.cos(angle))


@pytest.mark.parametrize("name", ["box", "cylinder", "torus", "star", "ball", "lumps"])
def test_what_is_called_balanced_is_balanced(name):
    mesh = oracle.specimens()[name]
    T, opening = start(150, seed=1)
    found = settle(mesh, T, opening)
    good = found.imbalance < TOLERANCE
    assert good.sum() > 30
    gap, _ = imbalance(sweep(mesh), OUTER, found.T_table_gripper, opening)
    assert np.allclose(np.abs(gap), found.imbalance, atol=1e-9)
    for g in np.flatnonzero(good)[:5]:
        *_, depth = oracle.close(mesh, GET, found.T_table_gripper[g], opening[g], PATCH)
        assert abs(depth[0] - depth[1]) < TOLERANCE
    before, _ = imbalance(sweep(mesh), OUTER, T, opening)
    assert (found.imbalance <= np.abs(before)).all()
    assert (found.iterations >= 1).all() and (found.iterations <= 30).all()


def test_a_box_seen_askew_ends_square():
    box = oracle.on_table(trimesh.creation.box((0.06, 0.10, 0.08)))
    askew = np.radians([-12.0, -3.0, 3.0, 12.0])
    found = settle(box, pose_top_down(np.zeros((4, 2)), askew, 0.01), np.full(4, 0.15), tolerance=1e-5)
    assert (found.imbalance < 1e-5).all()
    heading = np.arctan2(found.T_table_gripper[:, 1, 0], found.T_table_gripper[:, 0, 0])
    assert np.abs(heading).max() < 4e-4
    assert (found.iterations < 10).all()


def test_two_posts_at_different_depths_cannot_be_balanced():
    posts = [trimesh.creation.box((0.006, 0.006, 0.08)) for _ in range(2)]
    posts[0].apply_translation([-0.03, -0.015, 0.04])
    posts[1].apply_translation([0.03, 0.015, 0.04])  # 60 mm further on, before the other pad
    found = settle(trimesh.util.concatenate(posts), pose_top_down(np.zeros((1, 2)), np.zeros(1), 0.01), np.array([0.2]))
    assert 0.04 < found.imbalance[0] <= 0.06 and 1 < found.iterations[0] <= 30


def test_pads_that_miss_stay_where_they_are():
    T = pose_top_down(np.array([[0.0, 0.5]]), np.zeros(1), 0.01)
    found = settle(oracle.specimens()["box"], T, np.array([0.1]))
    assert np.isinf(found.imbalance[0]) and found.iterations[0] == 1
    assert np.allclose(found.T_table_gripper, T)


def test_a_jaw_of_one_pad_is_balanced_as_it_is():
    T, opening = start(3)
    pads = Pads.of(Gripper.preset("two_narrow"))
    found = balance(sweep(oracle.specimens()["box"]), pads, T, opening, tolerance=TOLERANCE, iterations=30)
    assert not found.imbalance.any() and not found.iterations.any()
    assert np.array_equal(found.T_table_gripper, T)
