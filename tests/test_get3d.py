"""Laws of the whole planner on meshes, its plans judged again by the slow oracle, and cases with known answers."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh

from get3d.evaluate import evaluate
from get3d.explain import explain
from get3d.planner import Get3D
from get3d.samplers import Poses
from grasp import Gripper, Mesh, Plan, Reason, Refusal, View, to_json
from objects.solid import Solid
from tests import oracle_3d as oracle
from tests.oracles import epsilon_bracket
from wrench import Draws
from wrench.errors import InvalidValue

DATA = Path(__file__).parents[2] / "shared" / "data" / "meshes"
CASES = Path(__file__).parents[2] / "shared" / "cases"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is absent")
PRESET = Get3D.preset()
PLANNER = replace(PRESET, sampling=replace(PRESET.sampling, candidates=80))
SPECIMENS = {name: mesh for name, mesh in oracle.specimens().items() if name != "cone"}


def view(mesh):
    return View.from_mesh(mesh.vertices, mesh.faces)


def planned(mesh, seed=0, planner=PLANNER):
    return planner.plan(view(mesh), np.random.default_rng(seed))


def every(mesh, seed=0, planner=PLANNER):
    return planner.candidates(view(mesh), np.random.default_rng(seed))


# ---- plans judged again ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["box", "ring"])
def test_metrics_recomputed_from_the_plans_own_poses_agree(name):
    mesh, rng = SPECIMENS[name], np.random.default_rng(0)
    plan = planned(mesh)
    draws = PLANNER.perturbation.draws(rng, dimension=3)  # the first thing the planner takes from its generator
    mu, (origin, scale) = PLANNER.judge.friction, PLANNER.judge.reference(mesh_solid(mesh))
    origin, scale = origin.point, float(scale.metres)
    for grasp in plan.grasps[:2]:
        closed = contacts = 0
        for shift in draws.translation:
            pose = grasp.T_table_gripper.copy()
            pose[:3, 3] += shift
            _, points, normals, made, _ = oracle.close(mesh, PLANNER.gripper, pose, grasp.opening, PLANNER.patch)
            closed += oracle.closed(points[made], normals[made], mu) > 1e-6
            contacts += made.sum()
        assert grasp.metrics.closure_rate == closed / len(draws)
        assert grasp.metrics.mean_contacts == pytest.approx(contacts / len(draws))
        _, points, normals, made, _ = oracle.close(
            mesh, PLANNER.gripper, grasp.T_table_gripper, grasp.opening, PLANNER.patch
        )
        assert np.array_equal(made, grasp.contacts.made)
        low, high = epsilon_bracket(points[made], normals[made], mu, origin, scale, edges=16)
        assert grasp.metrics.epsilon <= high + 1e-6 and low - 1e-6 <= grasp.metrics.epsilon_upper


def mesh_solid(mesh):
    return Solid("object", mesh.vertices, mesh.faces)


@pytest.mark.parametrize("name", SPECIMENS)
def test_every_accepted_candidate_is_what_it_says(name):
    mesh, found = SPECIMENS[name], every(SPECIMENS[name])
    kept = found.candidates[np.flatnonzero(found.candidates.accepted)]
    world = oracle.collision_world(mesh)
    assert (kept.opening <= PLANNER.gripper.max_opening + 1e-12).all()
    assert (kept.imbalance < PLANNER.balance.tolerance).all()
    for g in range(min(len(kept), 12)):
        T, opening = kept.T_table_gripper[g], kept.opening[g]
        outcome, points, _, made, depth = oracle.close(mesh, PLANNER.gripper, T, opening, PLANNER.patch)
        assert outcome == oracle.GRIPS and made.all()
        assert abs(depth[0] - depth[1]) < PLANNER.balance.tolerance
        assert np.abs(points - kept.contacts.points[g]).max() < 2e-6
        low, high = oracle.gripper_boxes(PLANNER.gripper, opening)
        assert not oracle.surface_meets(world, T, low, high, -1e-3)
        low[:, 2] -= PLANNER.room.stand_off
        assert not oracle.surface_meets(world, T, low, high, -1e-3)
        assert oracle.gripper_boxes(PLANNER.gripper, opening)[0].shape == (4, 3)
        heights = [(T[:3, :3] @ np.where(p, high, low).T).T + T[:3, 3] for p in np.ndindex(2, 2, 2)]
        assert np.array(heights)[..., 2].min() >= PLANNER.room.table_clearance - 1e-8


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", ["box", "cylinder", "torus", "ring", "star", "lumps"])
def test_early_stopping_keeps_the_first_of_the_full_ranking(name, seed):
    mesh = Mesh(SPECIMENS[name].vertices, SPECIMENS[name].faces)
    for keep in (1, 5, 10):
        short = PLANNER.on_mesh(mesh, np.random.default_rng(seed), keep=keep)
        full = PLANNER.on_mesh(mesh, np.random.default_rng(seed), keep=None)
        first = full.ranking()[:keep]
        assert np.array_equal(short.ranking()[:keep], first)
        for field in ("closed", "draws", "mean_contacts", "mean_epsilon", "epsilon", "epsilon_upper"):
            assert np.array_equal(getattr(short, field)[first], getattr(full, field)[first])
        assert short.draws.sum() <= full.draws.sum()


@pytest.mark.parametrize("name", ["box", "star", "lumps"])
def test_same_seed_same_plan_and_another_seed_another(name):
    mesh = SPECIMENS[name]
    one, two, other = to_json(planned(mesh)), to_json(planned(mesh)), to_json(planned(mesh, seed=1))
    assert one == two and one != other


def test_candidates_do_not_depend_on_their_batches(monkeypatch):
    mesh = SPECIMENS["ring"]
    whole = every(mesh)
    monkeypatch.setattr("get3d.propose.BATCH", 37)
    parts = every(mesh)
    assert np.array_equal(whole.candidates.T_table_gripper, parts.candidates.T_table_gripper)
    assert np.array_equal(whole.candidates.reason, parts.candidates.reason)
    assert np.array_equal(whole.mean_epsilon, parts.mean_epsilon, equal_nan=True)


# ---- laws ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["box", "torus", "star", "lumps"])
def test_turning_and_moving_object_and_grasps_together_keeps_every_metric(name):
    mesh, found = SPECIMENS[name], every(SPECIMENS[name])
    c, s = np.cos(2.1), np.sin(2.1)
    M = np.array([[c, -s, 0, 0.3], [s, c, 0, -0.2], [0, 0, 1, 0], [0, 0, 0, 1]])
    there = oracle.moved(M, mesh)
    reference = PLANNER.judge.reference(mesh_solid(there))
    draws = PLANNER.perturbation.draws(np.random.default_rng(0), dimension=3)
    turned = Draws(draws.translation @ M[:3, :3].T, draws.rotation, draws.friction, draws.origin)
    proposer = PLANNER.proposer(Mesh(there.vertices, there.faces))
    before = found.candidates
    again = proposer.checked(Poses(M @ before.T_table_gripper, before.opening, before.needed))
    judged = evaluate(again, proposer.touch, PLANNER.gripper, PLANNER.judge, turned, reference, keep=None)
    kept = before.accepted
    assert kept.sum() > 10 and np.array_equal(judged.candidates.accepted[kept], kept[kept])
    assert np.allclose((M @ before.T_table_gripper)[kept], judged.candidates.T_table_gripper[kept], atol=1e-9)
    assert np.array_equal(found.closed[kept], judged.closed[kept])
    assert np.array_equal(found.mean_contacts[kept], judged.mean_contacts[kept])
    moved_points = before.contacts.points[kept] @ M[:3, :3].T + M[:3, 3]
    assert np.abs(moved_points - judged.candidates.contacts.points[kept]).max() < 1e-8
    # Epsilon is known to a bracket of relative width `gap`; which one depends on the last digits.
    assert (found.epsilon[kept] <= judged.epsilon_upper[kept]).all()
    assert (judged.epsilon[kept] <= found.epsilon_upper[kept]).all()
    assert np.allclose(found.mean_epsilon[kept], judged.mean_epsilon[kept], rtol=PLANNER.judge.gap, atol=0)


def test_a_far_mesh_gets_the_same_grasps():
    far = np.array([100.0, 50.0, 20.0])
    cube = trimesh.creation.box((0.04, 0.04, 0.04))
    cube.apply_translation([0, 0, 0.02])
    here, there = planned(cube), planned(moved_by(cube, far), planner=table_at(20.0))
    assert len(here.grasps) == len(there.grasps)
    for near, away in zip(here.grasps, there.grasps, strict=True):
        moved = away.T_table_gripper.copy()
        moved[:3, 3] -= far
        assert np.abs(moved - near.T_table_gripper).max() < 1e-4


def moved_by(mesh, shift):
    mesh = mesh.copy()
    mesh.apply_translation(shift)
    return mesh


def table_at(height):
    """Return a planner whose table lies `height` metres up."""
    return replace(PLANNER, room=replace(PLANNER.room, table_clearance=PLANNER.room.table_clearance + height))


def test_funnels_add_up_and_every_candidate_can_be_explained():
    found = every(SPECIMENS["star"])
    funnel = found.candidates.funnels()["face"]
    assert funnel.sampled == len(found) and funnel.kept == found.candidates.accepted.sum()
    for reason in np.unique(found.candidates.reason):
        text = explain(found, int(np.flatnonzero(found.candidates.reason == reason)[0]))
        assert text.endswith("Accepted." if reason == 0 else Reason.from_code(int(reason)).sentence)


# ---- cases with known answers ----------------------------------------------------------------------------------------


def test_a_ring_wider_than_the_gripper_is_held_through_its_bore():
    plan = planned(oracle.slender_ring())
    assert isinstance(plan, Plan)
    radius = np.linalg.norm(plan.best.contacts.points[:, :2], axis=1)
    assert (radius[:2] > 0.055).all() or (radius[2] > 0.055)
    assert plan.best.opening < 0.095


def test_a_block_too_wide_is_refused_with_the_number():
    refusal = planned(oracle.on_table(trimesh.creation.box((0.2, 0.2, 0.1))))
    assert isinstance(refusal, Refusal) and refusal.reason is Reason.TOO_WIDE
    assert refusal.nearest_miss[Reason.TOO_WIDE]["opening_needed_mm"] == pytest.approx(200)


def test_a_shape_without_steep_faces_is_refused():
    refusal = planned(oracle.specimens()["cone"])
    assert refusal.reason is Reason.NO_CANDIDATES


def test_a_view_without_a_mesh_is_refused():
    refusal = PLANNER.plan(View.from_mask(np.eye(8, dtype=bool), pixels_per_meter=100.0), np.random.default_rng(0))
    assert refusal.reason is Reason.VIEW_LACKS_INPUT


def test_rays_plan_as_well():
    plan = planned(SPECIMENS["box"], planner=replace(PLANNER, contact="rays"))
    assert isinstance(plan, Plan) and plan.best.metrics.closure_rate == 1
    with pytest.raises(InvalidValue, match="planner.contact"):
        replace(PLANNER, contact="feelers")


@pytest.mark.parametrize("gripper", ["two_narrow", "two_wide"])
def test_grippers_of_two_jaws_never_close_on_two_hard_contacts(gripper):
    result = planned(SPECIMENS["box"], planner=replace(PLANNER, gripper=Gripper.preset(gripper)))
    assert isinstance(result, Refusal) and result.reason is Reason.NO_CLOSURE


def test_a_plan_is_json_of_numbers():
    text = json.loads(to_json(planned(SPECIMENS["box"])))
    assert text["grasps"][0]["metrics"]["closure_rate"] == 1.0


@needs_data
@pytest.mark.parametrize("name", ["wrs_star1", "wrs_housing", "rgb_m2", "ariac_pump_base", "ariac_pipe_1"])
def test_meshes_that_nobody_here_drew_plan_or_refuse_truly(name):
    mesh = oracle.on_table(trimesh.load_mesh(DATA / f"{name}.stl"))
    result = planned(mesh)
    if isinstance(result, Plan):
        grasp = result.best
        where = grasp.T_table_gripper, grasp.opening
        outcome, points, _, made, _ = oracle.close(mesh, PLANNER.gripper, *where, PLANNER.patch)
        assert outcome == oracle.GRIPS and made.sum() == 3
        assert np.abs(points - grasp.contacts.points).max() < 2e-6
    else:
        assert result.funnel.kept == 0 and result.reason in result.funnel.rejected
