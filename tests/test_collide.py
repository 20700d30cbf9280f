"""Collisions against the Flexible Collision Library: nothing deeper than 1 mm is free, nothing 1 mm away is blocked."""

import numpy as np
import pytest
import trimesh

pytest.importorskip("fcl")

from get3d.bvh import Bvh
from get3d.collide import approaching, arriving, blocked, closing, lowest
from grasp import Gripper
from grasp.frames import pose_top_down
from tests import oracle_3d as oracle

GET = Gripper.preset("get")
SLACK, MM = 5e-4, 1e-3
SPECIMENS = oracle.specimens()


def arrivals(mesh, n, seed):
    rng = np.random.default_rng(seed)
    return oracle.random_poses(rng, n, mesh.centroid, spread=0.035), rng.uniform(0.03, GET.max_opening, n)


@pytest.mark.parametrize("name", SPECIMENS)
def test_verdicts_lie_between_those_of_boxes_a_millimetre_smaller_and_larger(name):
    mesh = SPECIMENS[name]
    T, opening = arrivals(mesh, 120, seed=1)
    low, high = arriving(GET, opening)
    travel = np.random.default_rng(2).uniform(0, 0.02, (len(T), 2))
    motions = (low, high), approaching(low, high, 0.1), closing(GET, low, high, travel)
    bvh, world, verdicts = Bvh.of(mesh.vertices, mesh.faces), oracle.collision_world(mesh), []
    for a, b in motions:
        hit = blocked(bvh, T, a, b, SLACK)
        deep = [oracle.surface_meets(world, T[g], a[g], b[g], -MM) for g in range(len(T))]
        near = [oracle.surface_meets(world, T[g], a[g], b[g], MM) for g in range(len(T))]
        assert not (np.array(deep) & ~hit).any(), "deeper than 1 mm was called free"
        assert not (hit & ~np.array(near)).any(), "further than 1 mm away was called blocked"
        verdicts += [hit.mean()]
    assert 0.05 < min(verdicts) and max(verdicts) < 0.999


def test_the_verdict_is_exactly_that_of_the_shrunken_boxes():
    mesh = SPECIMENS["lumps"]
    T, opening = arrivals(mesh, 300, seed=3)
    low, high = arriving(GET, opening)
    world = oracle.collision_world(mesh)
    exact = [oracle.surface_meets(world, T[g], low[g], high[g], -SLACK) for g in range(len(T))]
    assert np.array_equal(blocked(Bvh.of(mesh.vertices, mesh.faces), T, low, high, SLACK), exact)


@pytest.mark.parametrize(("depth", "hit"), [(-1e-5, False), (4e-4, False), (6e-4, True), (1e-3, True)])
def test_a_finger_that_enters_a_box_by_a_known_depth(depth, hit):
    box = oracle.on_table(trimesh.creation.box((0.06, 0.04, 0.08)))
    low, high = arriving(GET, np.array([0.06 - 2 * depth]))
    found = blocked(Bvh.of(box.vertices, box.faces), pose_top_down(np.zeros((1, 2)), np.zeros(1), 0.01), low, high, SLACK)
    assert found[0] == hit


def test_the_palm_above_a_tall_box_blocks_only_where_it_is():
    tall = oracle.on_table(trimesh.creation.box((0.03, 0.03, 0.1)))
    bvh, T = Bvh.of(tall.vertices, tall.faces), pose_top_down(np.zeros((2, 2)), np.zeros(2), np.array([0.01, 0.03]))
    low, high = arriving(GET, np.full(2, 0.08))
    assert list(blocked(bvh, T, low, high, SLACK)) == [True, False]  # the palm's underside is 75 mm above the fingertips


def test_an_overhang_blocks_the_way_in_but_not_the_place():
    slab = trimesh.creation.box((0.2, 0.2, 0.01))
    slab.apply_translation([0, 0, 0.18])
    T = pose_top_down(np.zeros((1, 2)), np.zeros(1), 0.01)
    low, high = arriving(GET, np.array([0.08]))
    bvh = Bvh.of(slab.vertices, slab.faces)
    assert not blocked(bvh, T, low, high, SLACK)[0]
    assert blocked(bvh, T, *approaching(low, high, 0.1), SLACK)[0]


def test_lowest_corner_against_all_corners():
    T, opening = arrivals(SPECIMENS["box"], 20, seed=4)
    low, high = arriving(GET, opening)
    for g in range(20):
        corners = [np.where(pick, high[g], low[g]) for pick in np.ndindex(2, 2, 2)]
        heights = [(T[g, :3, :3] @ c + T[g, :3, 3])[2] for c in np.concatenate(corners)]
        assert lowest(T, low, high)[g] == pytest.approx(min(heights), abs=1e-12)
