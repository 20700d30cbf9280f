"""The antipodal planner: published numbers, slow oracles, laws, refusals, and random solids."""

import json
from dataclasses import replace
from functools import cache
from time import process_time

import numpy as np
import pytest
import shapely
import trimesh
from scipy.spatial.transform import Rotation

from baselines import antipodal_pairs
from baselines.antipodal import ASSUMED, Antipodal
from baselines.antipodal_attitude import Attitude
from baselines.antipodal_draw import draw
from baselines.antipodal_explain import STAGES
from baselines.antipodal_pairs import Pairs
from baselines.antipodal_room import Room, one_per_cell
from baselines.antipodal_score import Weights
from baselines.cloud import Cloud
from baselines.cloud_scene import Scene
from get2d.footprint import Footprint
from grasp import InvalidValue, Plan, Reason, Refusal, View, to_json
from grasp.frames import invert, require_pose, transform_points
from grasp.load import Load
from grasp.solids import boxes
from grasp.surroundings import Obstacle, Surroundings
from objects import family
from tests.oracles import cone_margin
from tests.seen import depth_of_box, looking
from wrench.contacts import Contacts

PLANNER = Antipodal.preset()
MEASURED = replace(PLANNER, sampling=replace(PLANNER.sampling, rim=False))
FEW = replace(PLANNER, sampling=replace(PLANNER.sampling, pairs=1500, spacing=0.0015))
GET, ATTITUDE, DATA = PLANNER.gripper, PLANNER.attitude, PLANNER.data
drawn, judged = antipodal_pairs.draw, antipodal_pairs.tested


def on_table(mesh):
    mesh.apply_translation([0, 0, -mesh.bounds[0, 2]])
    return mesh


BOX = on_table(trimesh.creation.box((0.06, 0.04, 0.05)))
ROD = on_table(trimesh.creation.cylinder(0.03, 0.08, sections=256))
BALL = on_table(trimesh.creation.icosphere(4, 0.03))


def surface(mesh, count):
    """Return points at random on a mesh, and the normals of their faces."""
    points, face = trimesh.sample.sample_surface(mesh, count, seed=0)
    return np.asarray(points), mesh.face_normals[face]


@cache
def seen(mesh):
    return View.from_mesh(mesh.vertices, mesh.faces)


@cache
def from_above(size, centre=(0.0, 0.0), noise=0.0):
    """Return what a camera straight above sees of a box, with its mask."""
    camera = looking()
    depth, mask = depth_of_box(camera, size, centre)
    return View.from_mask(mask, depth=depth + noise * np.random.default_rng(0).normal(size=depth.shape), camera=camera)


def planned(view, planner=PLANNER, seed=0):
    return planner.plan(view, np.random.default_rng(seed))


@cache
def every(view, planner=PLANNER, seed=0):
    return planner.candidates(view, np.random.default_rng(seed))


# ---- pairs -----------------------------------------------------------------------------------------------------------


class Chosen:
    """A generator that has already drawn."""

    def __init__(self, indices):
        self.indices = np.asarray(indices)

    def integers(self, high, size):
        assert self.indices.shape == size and (self.indices < high).all()
        return self.indices


@pytest.mark.parametrize(("friction", "reason"), [(0.6, Reason.OK), (0.3, Reason.NOT_ANTIPODAL)])
def test_a_chord_30_degrees_off_a_cylinders_diameter(friction, reason):
    """Passes at a friction of 0.6, whose cone has 31 degrees, and fails at 0.3 ("Choosing a grip", section 3.2)."""
    angle, z = np.radians(np.arange(360)), np.arange(41) * 5e-4
    points = 0.03 * np.stack([np.cos(angle), np.sin(angle)], -1)
    cloud = Cloud.of(np.concatenate([np.tile(points, (41, 1)), np.repeat(z, 360)[:, None]], 1))
    middle = 20 * 360
    pairs = drawn(replace_outward(cloud), 1, DATA, friction, Chosen([[middle, middle + 120]]))
    assert np.degrees(pairs.margin) == pytest.approx(np.degrees(np.arctan(friction)) - np.full((1, 2), 30), abs=0.01)
    assert Reason.from_code(int(judged(pairs, 0.0, ATTITUDE, GET).reason[0])) is reason


def replace_outward(cloud):
    """Return the cloud of a cylinder about z with its outside known."""
    return Cloud.of(cloud.points, cloud.points * [1, 1, 0])


def test_pairs_of_a_box_lie_on_faces_that_face_each_other():
    found = every(seen(BOX), MEASURED)
    pairs = drawn(found.scene.clouds["surface"], 5000, DATA, 0.75, np.random.default_rng(3))
    kept = judged(pairs, 0.0, ATTITUDE, GET).reason == Reason.OK.code
    points, normals = pairs.ends.points[kept], pairs.ends.normals[kept]
    assert kept.sum() > 100
    assert np.einsum("ni,ni->n", normals[:, 0], normals[:, 1]).max() < -0.95  # but for the planes near edges, opposite
    axis = np.abs(normals[:, 0]).argmax(1)
    ends = np.take_along_axis(points, axis[:, None, None], 2)[..., 0]
    assert np.allclose(np.abs(ends[:, 0] - ends[:, 1]), BOX.extents[axis], atol=1e-9)
    assert (axis != 2).all()


@pytest.mark.parametrize("margin", [0.0, 0.2])
def test_every_pair_is_judged_as_a_loop_over_angles_would(margin):
    pairs = drawn(every(seen(ROD), FEW).scene.clouds["surface"], 800, DATA, 0.5, np.random.default_rng(1))
    codes, axes = judged(pairs, margin, ATTITUDE, GET).reason, ATTITUDE.axes(pairs.ends)
    for i in range(800):
        (start, end), line = pairs.ends.points[i], pairs.ends.points[i, 1] - pairs.ends.points[i, 0]
        length, across = np.sqrt((line**2).sum()), abs(line @ axes[i, :, 0])
        ways = zip((1, -1), pairs.ends.normals[i], strict=True)
        angles = [np.arccos(np.clip(way * line @ normal / length, -1, 1)) for way, normal in ways]
        down = np.arccos(np.clip(-axes[i, 2, 2], -1, 1))
        if (pairs.curvature[i] > DATA.curvature).any() or (pairs.radius[i] > DATA.radius).any():
            expected = Reason.POOR_DATA
        elif max(angles) >= np.arctan(0.5) - margin:
            expected = Reason.NOT_ANTIPODAL
        elif abs(end[2] - start[2]) > length * np.sin(ATTITUDE.slope) or down > ATTITUDE.cone:
            expected = Reason.TOO_TILTED
        else:
            expected = Reason.TOO_WIDE if across > GET.max_opening else Reason.OK
        assert Reason.from_code(int(codes[i])) is expected
    assert {Reason.OK.code, Reason.NOT_ANTIPODAL.code, Reason.TOO_TILTED.code} <= set(codes.tolist())


# ---- attitude --------------------------------------------------------------------------------------------------------


def facing_walls(lean, rise=0.0, turn=0.4):
    """Return a pair on two parallel walls that lean by an angle, one end higher than across from the other, and the axis."""
    spin = Rotation.from_euler("z", turn)
    axis = spin.apply([np.cos(lean), 0, np.sin(lean)])
    up = spin.apply([-np.sin(lean), 0, np.cos(lean)])
    return Contacts.all_made([[-0.02 * axis, 0.02 * axis + rise * up]], [[axis, -axis]]), axis


@pytest.mark.parametrize("rise", [0.0, 0.01, -0.012])
def test_vertical_walls_are_grasped_from_straight_above_wherever_the_ends_lie(rise):
    ends, axis = facing_walls(0.0, rise)
    np.testing.assert_allclose(ATTITUDE.axes(ends)[0][:, [0, 2]].T, [axis, [0, 0, -1]], atol=1e-12)


@pytest.mark.parametrize("lean", np.radians([-31, -29, -10, 5, 29, 31]))
def test_the_gripper_leans_with_the_walls_up_to_30_degrees(lean):
    ends, axis = facing_walls(lean)
    axes = ATTITUDE.axes(ends)
    np.testing.assert_allclose(axes[0, :, 0], axis, atol=1e-12)
    assert np.arccos(-axes[0, 2, 2]) == pytest.approx(abs(lean))
    assert ATTITUDE.tilted(axes)[0] == (abs(lean) > np.radians(30))


def test_the_approach_comes_as_near_to_the_preferred_one_as_the_closing_axis_allows():
    ends, axis = facing_walls(0.1)
    attitude = replace(ATTITUDE, preferred=(0.3, -0.2, -2.0))
    wish = np.array(attitude.preferred) / np.linalg.norm(attitude.preferred)
    z = attitude.axes(ends)[0, :, 2]
    around = Rotation.from_rotvec(np.outer(np.linspace(0, 2 * np.pi, 3601), axis)).apply(z)
    assert z @ wish >= (around @ wish).max() - 1e-12
    assert attitude.off(z[None])[0] == pytest.approx(np.arccos(z @ wish))


def test_axes_are_those_of_a_gripper_or_none_at_all():
    rng = np.random.default_rng(0)
    normals = rng.normal(size=(200, 2, 3))
    ends = Contacts.all_made(rng.normal(size=(200, 2, 3)), normals / np.linalg.norm(normals, axis=-1, keepdims=True))
    T = np.tile(np.eye(4), (200, 1, 1))
    T[:, :3, :3] = ATTITUDE.axes(ends)
    require_pose("T", T)
    upright = Contacts.all_made([[[0, 0, 0], [0, 0, 1]], [[1, 1, 1], [1, 1, 1]]], [[[0, 0, 1], [0, 0, -1]]] * 2)
    assert (ATTITUDE.axes(upright) == 0).all() and ATTITUDE.tilted(ATTITUDE.axes(upright)).all()


# ---- grasps judged again ---------------------------------------------------------------------------------------------


def off_surface(mesh, points):
    return np.abs(trimesh.proximity.signed_distance(mesh, points))


@pytest.mark.parametrize(("name", "view"), [("rod", seen(ROD)), ("box", seen(BOX)), ("ball", seen(BALL))])
def test_every_accepted_grasp_is_what_it_says(name, view):
    """One grasp after the other, against the mesh, boxes written out and a cone programme."""
    mesh, found = {"rod": ROD, "box": BOX, "ball": BALL}[name], every(view, MEASURED)
    c, order = found.candidates, found.ranking()
    assert len(order) > 20
    tip = PLANNER.approach.fingertip_height(found.scene.footprint.heights)
    cloud = one_per_cell(found.scene.clouds["surface"].points, PLANNER.room.cell)
    for i in order[:: max(len(order) // 12, 1)]:
        T, contacts, made = c.T_table_gripper[i], c.contacts[int(i)], c.contacts.made[i]
        local = transform_points(invert(T), contacts.points)
        assert made[2] and made[:2].any()
        assert np.allclose(local[made, 1], np.array([-0.015, 0.015, 0.0])[made], atol=1e-9)
        assert off_surface(mesh, contacts.points[made]).max() < 4e-4
        faces = local[:2, 0][made[:2]].min(), local[2, 0]
        assert (local[:2, 0][made[:2]] - faces[0] <= GET.tolerance + 1e-9).all()
        assert np.allclose(faces, np.array([-0.5, 0.5]) * c.needed[i], atol=1e-9)
        assert c.opening[i] == pytest.approx(min(c.needed[i] + 2 * PLANNER.approach.margin, GET.max_opening))
        assert (np.einsum("ki,ki->k", contacts.normals[made], np.array([1, 1, -1])[made, None] * T[:3, 0]) > 0.1).all()
        assert_closes(contacts.points[made], contacts.normals[made])
        assert_stands_clear(T, c.opening[i], c.needed[i], cloud, tip, local[made, 2])


def assert_closes(points, normals):
    torsion = 0.005 if len(points) == 2 else 0.0
    assert cone_margin(points, normals, PLANNER.friction, torsion) > 1e-7


def assert_stands_clear(T, opening, needed, cloud, tip, below):
    """Judge height and collisions; `below` are the depths of the contacts, negative above the fingertips."""
    found, slack = boxes(GET, np.array(opening)), PLANNER.room.slack
    local = transform_points(invert(T), cloud)
    for k, (centre, size) in enumerate(zip(found.centre, found.size, strict=True)):
        low, high = centre - size / 2, centre + size / 2
        corners = transform_points(T, np.array([np.where(pick, high, low) for pick in np.ndindex(2, 2, 2)]))
        assert corners[:, 2].min() >= PLANNER.approach.table_clearance - 1e-9
        column = (np.abs(local[:, :2] - centre[:2]) < size[:2] / 2 - slack).all(1)
        assert not (column & (local[:, 2] < high[2] - slack)).any()
        if k < 3:
            ahead = -local[:, 0] if k < 2 else local[:, 0]  # outside of a jaw's face, as it has closed
            way = (ahead > needed / 2 + GET.tolerance) & (ahead < opening / 2) & (np.abs(local[:, 1] - centre[1]) < 0.004)
            assert not (way & (local[:, 2] > low[2] + slack) & (local[:, 2] < -slack)).any()
    assert (below <= -PLANNER.approach.overlap + 1e-9).all() and (below > -0.065).all()
    assert T[2, 3] <= max(tip, PLANNER.approach.table_clearance) + 0.06


def test_the_wide_jaw_straddles_one_contact_and_the_narrow_pad_is_the_other():
    best = planned(seen(BOX)).best
    assert best.contacts.made.all()
    x, y, z = transform_points(invert(best.T_table_gripper), best.contacts.points).T
    np.testing.assert_allclose(y, [-0.015, 0.015, 0], atol=1e-12)
    np.testing.assert_allclose(z, z[0], atol=1e-12)
    assert x[0] < 0 and x[1] < 0 < x[2] and abs(x[0] - x[1]) <= GET.tolerance


def test_a_pad_beside_a_narrow_object_makes_no_contact():
    """A bar 20 mm wide under a wide jaw whose pads are 30 mm apart: taken end on, both of them pass it by."""
    bar = on_table(trimesh.creation.box((0.08, 0.02, 0.04)))
    found = every(seen(bar)).candidates
    lengthwise = np.abs(found.T_table_gripper[:, 0, 0]) > np.cos(0.05)
    assert lengthwise.any() and not found.accepted[lengthwise].any()
    assert (found.reason[lengthwise] == Reason.ONE_SIDED.code).any()
    assert np.abs(planned(seen(bar)).best.T_table_gripper[1, 0]) > 0.99


@pytest.mark.parametrize("gripper", ["two_narrow", "two_wide"])
def test_other_jaws_are_other_configurations(gripper):
    plan = planned(seen(ROD), Antipodal.preset(gripper=gripper))
    assert isinstance(plan, Plan) and plan.provenance.gripper == gripper
    best = plan.best.contacts
    assert best.made.all() and len(best.points) == 2
    line = best.points[1] - best.points[0]
    assert (line / np.linalg.norm(line)) @ best.normals[0] > 0.98


# ---- what is measured and what is assumed ----------------------------------------------------------------------------


def test_nothing_is_assumed_where_enough_was_measured():
    points = trimesh.sample.sample_surface(BOX, 30_000, seed=0)[0]
    found = every(View.from_cloud(points))
    assert set(found.candidates.funnels()) == {"surface"} and ASSUMED not in found.notes


def test_from_above_the_sides_are_assumed_or_the_planner_refuses():
    view = from_above((0.06, 0.04, 0.05))
    plan, refusal, found = planned(view), planned(view, MEASURED), every(view)
    assert isinstance(plan, Plan) and plan.best.sampler == "rim" and ASSUMED in found.notes
    assert plan.funnels["surface"].kept == 0 and plan.funnels["surface"].sampled == PLANNER.sampling.pairs
    assert isinstance(refusal, Refusal) and refusal.reason is Reason.NOT_ANTIPODAL
    assert (found.scores.data[found.candidates.sampler == 1] == 0).all()


def test_assumed_sides_of_a_box_are_its_true_ones():
    plan = planned(from_above((0.06, 0.04, 0.05), (0.02, -0.03)))
    middle = np.array([0.02, -0.03])
    for grasp in plan.grasps:
        points = np.abs(grasp.contacts.points[grasp.contacts.made, :2] - middle)
        assert np.min(np.abs(points - [0.03, 0.02]), axis=1).max() < 1.5e-3  # the pixels are 1 mm wide
        assert grasp.T_table_gripper[2, 2] == pytest.approx(-1)


def test_noise_of_a_millimetre_leaves_the_grasp_where_it_is():
    plan = planned(from_above((0.06, 0.04, 0.05), noise=0.001))
    assert isinstance(plan, Plan)
    width = np.abs(plan.best.T_table_gripper[:2, 0]) @ [0.06, 0.04]
    assert plan.best.opening - 2 * PLANNER.approach.margin == pytest.approx(width, abs=4e-3)
    assert plan.best.contacts.made.all()


def test_noise_in_a_cloud_is_kept_out_by_the_data_quality():
    points = trimesh.sample.sample_surface(BOX, 30_000, seed=0)[0]
    rough = points + 0.0015 * np.random.default_rng(0).normal(size=points.shape)
    clean, noisy = (every(View.from_cloud(p), MEASURED).candidates.funnels()["surface"] for p in (points, rough))
    assert noisy.rejected[Reason.POOR_DATA] > 4000 > clean.rejected[Reason.POOR_DATA]


OUTLINES = [View.from_polygon(shapely.box(0, 0, 0.06, 0.04)), View.from_mask(np.pad(np.ones((40, 60), bool), 20), 1000)]


@pytest.mark.parametrize("view", OUTLINES, ids=["polygon", "mask"])
def test_an_outline_is_enough_where_walls_may_be_assumed(view):
    plan = planned(view)
    assert plan.best.sampler == "rim" and plan.best.contacts.made.all()
    assert plan.best.T_table_gripper[2, 3] == pytest.approx(PLANNER.approach.table_clearance)


def test_a_ring_wider_than_the_gripper_is_held_by_its_band_from_within():
    ring = shapely.Point(0, 0).buffer(0.06, 64) - shapely.Point(0, 0).buffer(0.045, 64)
    plan = planned(View.from_polygon(ring))
    for grasp in plan.grasps:
        made = grasp.contacts.made
        radius = np.linalg.norm(grasp.contacts.points[made, :2], axis=1)
        assert np.abs(radius[-1] - radius[:-1]) == pytest.approx(np.full(made.sum() - 1, 0.015), abs=5e-4)
        assert grasp.opening < 0.04


# ---- laws ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turn", [0.7, 2.0, np.pi, 5.5])
@pytest.mark.parametrize("mesh", [BOX, ROD, BALL], ids=["box", "rod", "ball"])
def test_turning_and_moving_a_cloud_turns_and_moves_every_grasp(mesh, turn):
    c, s = np.cos(turn), np.sin(turn)
    M = np.array([[c, -s, 0, 0.3], [s, c, 0, -0.2], [0, 0, 1, 0], [0, 0, 0, 1]])
    points, normals = surface(mesh, 8000)
    here, there = (on_cloud(transform_points(T, points), normals @ T[:3, :3].T) for T in (np.eye(4), M))
    assert here.accepted.sum() > 10
    same = here.reason == there.reason
    assert (same | np.isin(here.reason, BY_CELL)).all()  # which point of a cell is looked at depends on the grid
    both = here.accepted & there.accepted
    np.testing.assert_allclose(there.T_table_gripper[both], M @ here.T_table_gripper[both], atol=1e-7)
    made = here.contacts.made[both]
    np.testing.assert_array_equal(there.contacts.made[both], made)
    moved = transform_points(M, here.contacts.points[both])
    np.testing.assert_allclose(there.contacts.points[both][made], moved[made], atol=1e-7)
    np.testing.assert_allclose(there.needed[both], here.needed[both], atol=1e-7)


BY_CELL = [reason.code for reason in (Reason.OK, Reason.APPROACH_BLOCKED, Reason.CLOSING_BLOCKED)]


def on_cloud(points, normals):
    """Return the candidates on a cloud, with the same draws and one way of telling heights."""
    seen_ = Scene(Footprint(shapely.MultiPoint(points[:, :2]).convex_hull), {"surface": Cloud.of(points, normals)})
    return FEW.on_scene(seen_, np.random.default_rng(0)).candidates


def test_exchanging_the_ends_of_a_pair_exchanges_its_margins():
    cloud = every(seen(BALL), FEW).scene.clouds["surface"]
    index = np.random.default_rng(0).integers(len(cloud), size=(300, 2))
    one, other = (drawn(cloud, 300, DATA, 0.75, Chosen(i)) for i in (index, index[:, ::-1]))
    np.testing.assert_allclose(one.margin, other.margin[:, ::-1], atol=1e-12)
    reasons = [judged(pairs, 0.0, ATTITUDE, GET).reason for pairs in (one, other)]
    np.testing.assert_array_equal(*reasons)


def test_more_friction_and_less_margin_never_take_a_pair_away():
    cloud = every(seen(ROD), FEW).scene.clouds["surface"]
    kept = [
        judged(drawn(cloud, 2000, DATA, mu, np.random.default_rng(0)), margin, ATTITUDE, GET).reason == Reason.OK.code
        for mu, margin in ((0.3, 0.1), (0.3, 0.0), (0.6, 0.0), (1.0, 0.0))
    ]
    assert [k.sum() for k in kept] == sorted(k.sum() for k in kept) and kept[0].sum() < kept[-1].sum()
    assert all((less <= more).all() for less, more in zip(kept, kept[1:], strict=False))


@pytest.mark.parametrize("view", [seen(ROD), from_above((0.05, 0.04, 0.06))])
def test_same_seed_same_plan_and_another_seed_another(view):
    one, two, other = (to_json(planned(view, FEW, seed)) for seed in (0, 0, 1))
    assert one == two and json.loads(one)["grasps"] != json.loads(other)["grasps"]


def test_ranking_is_by_contacts_then_by_the_weighted_scores():
    found = every(seen(ROD))
    order, c = found.ranking(), found.candidates
    assert len(order) == c.accepted.sum() == len(set(order.tolist()))
    keys = [(-int(c.contacts.count[i]), -found.total[i]) for i in order]
    assert keys == sorted(keys)
    for name in vars(found.scores):
        score = getattr(found.scores, name)[order]
        assert (score >= 0).all() and (score <= 1).all()


@pytest.mark.parametrize("name", ["cone", "arm", "room", "flatness"])
def test_a_score_that_alone_counts_puts_its_best_first(name):
    none = dict.fromkeys(vars(PLANNER.weights), 0.0)
    found = every(seen(BOX), replace(PLANNER, weights=Weights(**{**none, name: 1.0})))
    full = [i for i in found.ranking() if found.candidates.contacts.count[i] == 3]
    score = getattr(found.scores, name)[full]
    assert score[0] == score.max() and np.ptp(score) > 0


def test_scores_in_closed_form():
    """Grasps across a box of 60 mm by 40 mm, where every score is plane geometry."""
    found = every(View.from_polygon(shapely.box(-0.03, -0.02, 0.03, 0.02)))
    c, scores = found.candidates, found.scores
    across = c.accepted & (np.abs(c.T_table_gripper[:, 1, 0]) > 0.999) & (c.curvature < 1e-9)  # no end near a corner
    assert across.sum() > 20
    angle = np.arctan2(np.abs(c.T_table_gripper[:, 0, 0]), np.abs(c.T_table_gripper[:, 1, 0]))
    slope = np.arccos(np.cos(angle) * np.cos(c.slope))  # between line and normal
    np.testing.assert_allclose(scores.cone[across], 1 - slope[across] / np.arctan(0.75), atol=2e-3)
    (x, y), (u, v) = c.T_table_gripper[:, :2, 0].T, c.T_table_gripper[:, :2, 3].T
    off = np.abs(x * v - y * u)
    np.testing.assert_allclose(scores.arm[across], 1 - off[across] / np.hypot(0.03, 0.02), atol=1e-9)
    np.testing.assert_allclose(scores.room[across], 1 - 0.04 / 0.095, atol=2e-2)
    flush = across & (np.abs(np.abs(c.contacts.normals[..., 1]) - c.contacts.made) < 1e-9).all(1)  # no pad near a corner
    assert flush.sum() > 20
    np.testing.assert_allclose(scores.flatness[flush], 1, atol=1e-6)
    np.testing.assert_allclose(scores.approach[across], 1, atol=1e-6)


# ---- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("view", [seen(on_table(trimesh.creation.box((0.2, 0.12, 0.05)))), from_above((0.2, 0.12, 0.05))])
def test_what_is_too_wide_is_refused_with_the_number(view):
    refusal = planned(view)
    assert isinstance(refusal, Refusal) and refusal.reason is Reason.TOO_WIDE
    assert refusal.nearest_miss[Reason.TOO_WIDE]["opening_needed_mm"] == pytest.approx(120, abs=2)
    assert "the gripper opens 95.0 mm" in refusal.sentence


def test_a_flat_plate_is_too_near_to_the_table():
    refusal = planned(from_above((0.06, 0.04, 0.003)))
    assert refusal.reason is Reason.HITS_TABLE
    assert planned(from_above((0.06, 0.04, 0.003)), MEASURED).reason is Reason.NOT_ANTIPODAL


def test_sides_that_lean_by_40_degrees_are_not_closed_on():
    slab = trimesh.creation.box((0.02, 0.05, 0.12))
    slab.apply_transform(trimesh.transformations.rotation_matrix(np.radians(40), [0, 1, 0]))
    found = every(seen(on_table(slab)), replace(MEASURED, attitude=replace(ATTITUDE, slope=0.8))).candidates
    across = np.abs(found.T_table_gripper[:, 2, 0]) > np.sin(np.radians(38))
    assert (found.reason[across] == Reason.TOO_TILTED.code).sum() > 50 and not found.accepted[across].any()


def test_a_cone_slips_and_the_friction_it_takes_is_told():
    """Walls that lean 45 degrees inwards: a level line is 45 degrees off both normals."""
    points, normals = surface(trimesh.creation.cone(0.04, 0.04, sections=128), 40_000)
    refusal = planned(View.from_cloud(points[normals[:, 2] > 0] + [0, 0, 0.01]), replace(MEASURED, friction=0.6))
    assert refusal.reason is Reason.NOT_ANTIPODAL
    assert refusal.nearest_miss[Reason.NOT_ANTIPODAL]["friction_needed"] == pytest.approx(1, abs=0.05)
    assert "A friction of" in refusal.sentence


def test_what_cannot_be_told_from_the_table_is_refused_as_perception_says():
    flat = np.column_stack([np.random.default_rng(0).uniform(-0.1, 0.1, (500, 2)), np.zeros(500)])
    assert planned(View.from_cloud(flat)).reason is Reason.EMPTY_CLOUD
    assert planned(View.from_mask(np.zeros((40, 40), bool), 1000)).reason is Reason.EMPTY_MASK


def test_a_refusal_names_the_last_stage_that_anything_reached():
    for view, planner in ((seen(BOX), replace(MEASURED, friction=0.001)), (from_above((0.2, 0.12, 0.05)), PLANNER)):
        refusal = planned(view, planner)
        assert refusal.reason is max(refusal.funnel.rejected, key=STAGES.index)
        json.loads(to_json(refusal))


# ---- surroundings and load -------------------------------------------------------------------------------------------


def among(*boxes_):
    """Return what stands around the object: walls 0.2 m high over rectangles (left, lower, right, upper)."""
    return Surroundings(tuple(Obstacle(f"wall {i}", shapely.box(*box), 0, 0.2) for i, box in enumerate(boxes_)))


def test_a_wall_beside_the_object_takes_the_grasps_that_have_no_room():
    """A box of 60 mm along x and 40 mm along y with walls 4 mm from two sides: only the other two are free."""
    view = seen(BOX).among(among((0.034, -0.2, 0.04, 0.2), (-0.04, -0.2, -0.034, 0.2)))
    free, walled = every(seen(BOX)).candidates, every(view).candidates
    assert set(np.unique(free.reason)) <= set(np.unique(walled.reason))
    lost = free.accepted & ~walled.accepted
    assert lost.sum() > 5 and (walled.shortfall[lost] > 0).all() and not (walled.accepted & ~free.accepted).any()
    assert np.abs(planned(view).best.T_table_gripper[1, 0]) > 0.9
    far = every(seen(BOX).among(among((1.0, -0.2, 1.1, 0.2))))
    np.testing.assert_array_equal(far.candidates.reason, free.reason)


def test_an_object_walled_in_is_refused_with_the_room_that_is_missing():
    walls = among((0.034, -0.2, 0.04, 0.2), (-0.04, -0.2, -0.034, 0.2), (-0.2, 0.024, 0.2, 0.03), (-0.2, -0.03, 0.2, -0.024))
    refusal = planned(seen(BOX).among(walls), MEASURED)
    assert refusal.reason is Reason.APPROACH_BLOCKED  # fingers of 11 mm do not fit beside 4 mm
    short = refusal.nearest_miss[Reason.APPROACH_BLOCKED]["shortfall_mm"]
    assert short > 5 and f"The nearest lacks {short:.1f} mm of room." in refusal.detail
    assert "would enter the wall" in refusal.detail and "on its way in" in refusal.detail
    json.loads(to_json(refusal))


def test_among_surroundings_the_reason_is_that_of_the_nearest_miss():
    """Walls 17 mm away leave room for fingers of 11 mm behind 5 mm of air, but not for the 5 mm beyond."""
    gap = 0.017
    x, y = 0.03 + gap, 0.02 + gap
    walls = among((x, -0.2, 0.2, 0.2), (-0.2, -0.2, -x, 0.2), (-0.2, y, 0.2, 0.2), (-0.2, -0.2, 0.2, -y))
    low = Surroundings(tuple(replace(wall, high=0.05) for wall in walls.obstacles))  # below the palm
    view = seen(BOX).among(low)
    refusal, shortfall = planned(view, MEASURED), every(view, MEASURED).candidates.shortfall
    least = shortfall[shortfall > 0].min() * 1e3
    assert refusal.reason is Reason.NO_CLEARANCE and Reason.CLOSING_BLOCKED in refusal.funnel.rejected
    assert f"The nearest lacks {least:.1f} mm of room." in refusal.detail
    assert "closer than 5 mm to the wall" in refusal.detail


def test_pairs_are_measured_along_the_closing_axis():
    """Ends 94 mm apart across two vertical walls, one 20 mm higher: 96.1 mm between them, and the jaws open 95."""
    ends = Contacts.all_made([[[-0.047, 0, 0.02], [0.047, 0, 0.04]]], [[[1, 0, 0], [-1, 0, 0]]])
    pairs = Pairs(ends, *np.zeros((2, 1, 2)), np.ones((1, 2)), Reason.accepted(1))
    assert pairs.span(ATTITUDE.axes(ends))[0] == pytest.approx(0.094)
    assert np.linalg.norm(pairs.line[0]) > GET.max_opening
    assert judged(pairs, 0.0, ATTITUDE, GET).reason[0] == Reason.OK.code


def test_grip_forces_are_those_of_the_load_or_the_plan_is_refused():
    load = Load.preset()
    plan = planned(seen(BOX), replace(FEW, load=replace(load, mass=0.2, friction=None)))
    for grasp in plan.grasps:
        assert grasp.force.command == max(grasp.force.friction_bound, GET.min_force)
        aligned = np.abs(grasp.contacts.normals[grasp.contacts.made] @ grasp.T_table_gripper[:3, 0]).min()
        tilt = np.arccos(aligned)  # an oblique jaw wedges: it presses harder than the grip force
        least = 2 * 0.2 * (load.gravity + load.acceleration) / (2 * np.tan(np.arctan(FEW.friction) + tilt))  # safety of 2
        assert grasp.force.friction_bound >= least * (1 - 1e-6)
    heavy = planned(seen(BOX), replace(FEW, load=replace(load, mass=50.0)))
    assert isinstance(heavy, Refusal) and heavy.reason is Reason.LOAD_LIMIT


# ---- room ------------------------------------------------------------------------------------------------------------


def test_a_post_beside_the_object_blocks_the_fingers_that_would_come_down_on_it():
    pose = np.array([[[1.0, 0, 0, 0], [0, -1, 0, 0], [0, 0, -1, 0.01], [0, 0, 0, 1]]])
    where = {"under the wide finger": (-0.030, 0.015), "between the wide fingers": (-0.030, 0.0)}
    where |= {"in the way": (-0.0245, 0.015), "between the jaws": (0.0, 0.0)}
    where |= {"under the narrow finger": (0.030, 0.0), "under the palm": (0.0, 0.02)}
    found = {}
    for name, (x, y) in where.items():
        z = 0.2 if "palm" in name else 0.03
        args = np.array([[x, y, z]]), pose, np.array([0.05]), np.array([0.038]), GET
        found[name] = tuple(bool(hit[0]) for hit in PLANNER.room.blocked(*args))
    assert found == {
        "under the wide finger": (True, False),
        "between the wide fingers": (False, False),
        "in the way": (False, True),
        "between the jaws": (False, False),
        "under the narrow finger": (True, False),
        "under the palm": (True, False),
    }


def test_one_point_per_cell():
    points = np.random.default_rng(0).uniform(0, 0.05, (2000, 3))
    thin = one_per_cell(points, 0.01)
    cells = {tuple(row) for row in np.floor((points - points.min(0)) / 0.01).astype(int)}
    assert len(thin) == len(cells) and np.isin(thin, points).all()
    assert len(one_per_cell(np.zeros((0, 3)), 0.01)) == 0


# ---- random solids ---------------------------------------------------------------------------------------------------


def solid(seed):
    """Return a random prism, or a random cylinder standing or lying."""
    rng = np.random.default_rng(seed)
    if seed % 2:
        return family.make("prism", rng)
    rod = trimesh.creation.cylinder(rng.uniform(0.008, 0.06), rng.uniform(0.015, 0.12), sections=96)
    if seed % 4:
        rod.apply_transform(trimesh.transformations.rotation_matrix(np.pi / 2, [1, rng.normal(), 0]))
    return on_table(rod)


@cache
def answer(seed):
    return planned(seen(solid(seed)), FEW, seed)


@pytest.mark.parametrize("seed", range(40))
def test_random_prisms_and_cylinders_are_gripped_within_the_stroke_or_refused_with_a_reason(seed):
    mesh, result = solid(seed), answer(seed)
    funnel = result.funnel
    assert funnel.sampled == FEW.sampling.pairs == funnel.kept + sum(funnel.rejected.values())
    if isinstance(result, Refusal):
        assert funnel.kept == 0 and result.reason in funnel.rejected and result.sentence
        return
    for grasp in result.grasps[:3]:
        closing, made = grasp.T_table_gripper[:3, 0], grasp.contacts.made
        x = (grasp.contacts.points - grasp.T_table_gripper[:3, 3]) @ closing
        assert made[2] and made[:2].any() and 0 < x[2] - x[:2][made[:2]].min() <= GET.max_opening
        assert off_surface(mesh, grasp.contacts.points[made]).max() < 1e-3
        assert grasp.T_table_gripper[2, 2] <= -np.cos(ATTITUDE.cone) and grasp.T_table_gripper[2, 3] > 0


def test_most_random_solids_narrower_than_the_stroke_are_gripped():
    narrow = [seed for seed in range(40) if np.sort(solid(seed).extents[:2])[0] < 0.08]
    assert sum(isinstance(answer(seed), Plan) for seed in narrow) >= 0.8 * len(narrow) > 15


# ---- settings, time, picture -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "name"),
    [
        (lambda: replace(PLANNER, friction=-0.1), "planner.friction"),
        (lambda: replace(PLANNER, margin=-0.1), "planner.margin"),
        (lambda: replace(PLANNER, keep=0), "planner.keep"),
        (lambda: Attitude((0.0, 0.0, 0.0), 0.5, 0.2), "attitude.preferred"),
        (lambda: Attitude((0.0, 0.0, -1.0), 2.0, 0.2), "attitude.cone"),
        (lambda: Room(-1e-3, 0.002), "room.slack"),
        (lambda: Room(1e-3, 0.0), "room.cell"),
        (lambda: replace(PLANNER.weights, arm=-1.0), "weights.arm"),
    ],
)
def test_a_setting_out_of_range_is_named(what, name):
    with pytest.raises(InvalidValue, match=name):
        what()


def test_fifty_thousand_points_take_well_under_a_second():
    view = View.from_cloud(trimesh.sample.sample_surface(ROD, 65_000, seed=0)[0])
    seconds = []
    for _ in range(3):
        begin = process_time()
        found = MEASURED.candidates(view, np.random.default_rng(0))
        seconds.append(process_time() - begin)
    assert len(found.candidates) == 5000 and len(found.scene.clouds["surface"]) == 50_000
    assert min(seconds) < 0.8


@pytest.mark.parametrize(("size", "times"), [((0.06, 0.04, 0.05), 2), ((0.2, 0.12, 0.05), 1)])
def test_a_picture_is_drawn_of_a_plan_and_of_a_refusal(tmp_path, size, times):
    view = from_above(size)
    result = planned(view, FEW)
    for i in range(times):
        draw(result, view, FEW, tmp_path / f"{i}.png")
    pictures = [(tmp_path / f"{i}.png").read_bytes() for i in range(times)]
    assert pictures[0][:4] == b"\x89PNG" and len(pictures[0]) > 20_000 and len(set(pictures)) == 1


def test_a_view_of_nothing_is_drawn_as_well(tmp_path):
    view = View.from_mask(np.zeros((40, 40), bool), 1000)
    draw(planned(view), view, PLANNER, tmp_path / "none.png")
    assert (tmp_path / "none.png").stat().st_size > 1000
