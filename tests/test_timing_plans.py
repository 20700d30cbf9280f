"""Whole plans are timed beside plain versions that do the same evaluations and find the same."""

from pathlib import Path

import numpy as np
import pytest
import trimesh
from omegaconf import OmegaConf
from shapely import Polygon

from experiments import timing_peers as peers
from experiments.timing_inputs import Inputs
from experiments.timing_plans import outline_of, plain_closings, works
from experiments.timing_plans3d import compare_touches, refined, standing
from experiments.timing_scenes import Scene, Work
from grasp.circles import circles
from tests import oracle_2d

CONFIG = OmegaConf.to_container(OmegaConf.load(Path(__file__).parents[1] / "conf" / "timing.yaml"))
PLANS = CONFIG["rows"]["plan2d"] | {"masks": 2, "candidates": 300}
INPUTS = Inputs(CONFIG)


@pytest.fixture(scope="module")
def plans():
    return works(INPUTS, PLANS)


def test_plans_evaluate_as_many_candidates_as_asked_and_the_work_is_the_planners(plans):
    for work in plans:
        found = work.evaluated
        some = found.candidates.opening > 0
        assert abs(len(work.opening) - 300) < 9
        assert work.mask.shape == (720, 1280)
        np.testing.assert_array_equal(work.closed.sum(1), found.robustness.closed[some])
        np.testing.assert_allclose(work.answers[..., 0].mean(1), found.robustness.mean_epsilon[some], atol=1e-12)
        assert work.plan().grasps


def test_the_plain_closings_are_the_oracles(plans):
    """Discs walked by Shapely distances: independent of the kernels and of the peer's grown outline."""
    for work in plans:
        some = slice(0, len(work.opening), 30)
        start, gripper, discs = work.start[some], work.planner.gripper, circles(work.planner.gripper)
        draws = work.planner.perturbation.draws(np.random.default_rng(work.seed), dimension=2).translation
        fits = work.evaluated.candidates[work.evaluated.candidates.opening > 0][some]
        oracle = oracle_2d.close(
            *(work.evaluated.footprint.polygon, discs, (fits.centre[:, None] + draws).reshape(-1, 2)),
            *(np.repeat(part, len(draws)) for part in (fits.angle, fits.opening)),
            min_opening=gripper.min_opening,
            tolerance=gripper.tolerance,
        )
        outline = outline_of(work, PLANS["segments"])
        plain = np.array([plain_closings(work, outline, g) for g in range(len(work.opening))[some]])
        expected = np.where(oracle.made[..., None], oracle.points, np.nan).reshape(*start.shape[:2], -1)
        np.testing.assert_allclose(plain[..., 1:], expected, atol=1e-6)
        np.testing.assert_allclose(plain, work.answers[some], atol=1e-6)


@pytest.fixture(scope="module")
def torus():
    return standing(INPUTS, ["torus"])[0]


def test_work_in_space_is_what_the_planner_counted(torus):
    found, work = torus.evaluated, Work.of(torus, 8)
    touches, still, moved = (
        found.candidates.iterations.sum() * 2 // 3,
        found.candidates.contacts.made.any(1).sum(),
        found.draws.sum(),
    )
    assert len(work.opening) == touches + still + moved
    assert not work.asked[:touches].any()
    assert not (work.tied & ~work.asked).any()
    closed = work.answers[-moved:, 3].sum()  # pyramids lie inside the cones, and close a little less often
    assert 0.95 * found.closed.sum() < closed <= found.closed.sum()


def test_a_refined_shape_has_four_times_the_faces_and_the_same_volume():
    coarse, fine = refined("arch", 0), refined("arch", 2)
    assert len(fine.faces) == 16 * len(coarse.faces)
    assert fine.volume == pytest.approx(coarse.volume)


def test_early_rays_and_dead_rays_disagree():
    options, exact = {"early": 1e-6, "usual": 1e-3}, np.array([[0.02, np.inf], [0.03, 0.01], [np.nan, np.nan]])
    assert not compare_touches(exact, exact + 1e-4, options)[0].any()
    assert compare_touches(exact, exact - 1e-4, options)[0].tolist() == [True, True, False]
    assert compare_touches(exact, np.ones((3, 2)), options)[0].all()


def test_plain_discs_stop_at_vertices_and_edges_and_know_where_they_start():
    square = Polygon([(0, 0), (0.04, 0), (0.04, 0.04), (0, 0.04)])
    start = np.array([[-0.02, 0.02], [-0.02, -0.003], [-0.02, -0.006], [0.02, 0.02], [-0.02, 0.044]])
    travel, point, normal = peers.Outline.of(square, 0.005, 64).first_touch(start, np.tile([1.0, 0.0], (5, 1)), 0.1)
    np.testing.assert_allclose(travel, [0.015, 0.016, np.inf, np.nan, 0.017], atol=1e-12)
    np.testing.assert_allclose(point[[0, 1, 4]], [[0, 0.02], [0, 0], [0, 0.04]], atol=1e-12)
    np.testing.assert_allclose(normal[[0, 1, 4]], [[1, 0], [0.8, 0.6], [0.6, -0.8]], atol=1e-9)


def test_pad_rays_meet_a_box_where_the_pads_do():
    scene = Scene.of(INPUTS, trimesh.creation.box((0.04, 0.2, 0.2)), 0)
    T = np.eye(4)[None] + 0
    T[0, :3, :3], T[0, :3, 3] = np.diag([1.0, -1.0, -1.0]), [0.005, 0, 0.1]
    depth, point, normal = scene.rays(100).first_touch(T, np.array([0.09]))
    np.testing.assert_allclose(depth, [[0.02, 0.02, 0.03]], atol=1e-9)
    np.testing.assert_allclose(point[0, :, 0], [-0.02, -0.02, 0.02], atol=1e-9)
    np.testing.assert_allclose(normal[0, :, 0], [1, 1, -1], atol=1e-12)
