"""Planners among neighbours, walls and forbidden regions: what is in the way is avoided, or named with millimetres."""

from dataclasses import replace

import numpy as np
import pytest
import shapely
import trimesh
from shapely.affinity import rotate, translate

from baselines import BoundingBox
from baselines.footprint import FootprintPlanner
from baselines.profile import ProfileRules
from get2d import Get2D
from get3d.planner import Get3D
from grasp import Obstacle, Plan, Provenance, Reason, Refusal, Seed, Surroundings, View, to_json
from grasp.clearance import check
from grasp.frames import heading
from tests.turned import BOTTLE, Turned

FOOTPRINT, GET3D = FootprintPlanner.preset(), Get3D.preset()
PLANNERS = {
    "bbox": BoundingBox.preset(),
    "footprint": replace(FOOTPRINT, perception=replace(FOOTPRINT.perception, cell=0.002)),
    "get2d": Get2D.preset(),
    "get3d": replace(GET3D, sampling=replace(GET3D.sampling, candidates=40)),
}
every = pytest.mark.parametrize("planner", PLANNERS)
MM = 1e-3


def bar(length=0.06, width=0.032, height=0.04):
    """Return a bar along x, standing on the table."""
    block = trimesh.creation.box((length, width, height))
    block.apply_translation((0, 0, height / 2))
    return View.from_mesh(block.vertices, block.faces)


def beside(gap, width=0.032, turn=0.0):
    """Return a neighbour as long as the bar, `gap` beside its long side."""
    place = translate(shapely.box(-0.03, 0, 0.03, 0.03), 0, width / 2 + gap)
    return Obstacle("neighbour", rotate(place, turn, origin=(0, 0)), 0.0, 0.05)


def walls(gap, length=0.06, width=0.032):
    """Return four walls of a tote, `gap` from the sides of the bar."""
    inside = shapely.box(-length / 2 - gap, -width / 2 - gap, length / 2 + gap, width / 2 + gap)
    left, low, right, high = inside.bounds
    sides = {
        "north wall": shapely.box(-0.3, high, 0.3, 0.3),
        "south wall": shapely.box(-0.3, -0.3, 0.3, low),
        "east wall": shapely.box(right, low, 0.3, high),
        "west wall": shapely.box(-0.3, low, left, high),
    }
    return Surroundings(tuple(Obstacle(name, side, 0.0, 0.05) for name, side in sides.items()))


def plan(planner, view, surroundings=None):
    return PLANNERS[planner].plan(view.among(surroundings), np.random.default_rng(0))


def assert_clear(planner, found, surroundings):
    """Hold the plan against its surroundings again, from poses and openings alone."""
    own, T = PLANNERS[planner], np.array([grasp.T_table_gripper for grasp in found.grasps])
    opening = np.array([grasp.opening for grasp in found.grasps])
    assert check(own.clearance, own.gripper, T, opening, opening, surroundings).clear.all()


@every
def test_a_neighbour_10_mm_beside_a_bar_is_avoided(planner):
    around = Surroundings((beside(0.010),))
    alone, found = plan(planner, bar()), plan(planner, bar(), around)
    if planner != "get2d":  # for which the bar is as good along as across
        assert abs(np.sin(heading(alone.best.T_table_gripper))) > 0.99, "across, towards where the neighbour will be"
    assert isinstance(found, Plan), found.sentence
    assert_clear(planner, found, around)
    assert abs(np.cos(heading(found.best.T_table_gripper))) > 0.9, "along the bar"
    lost = {Reason.APPROACH_BLOCKED, Reason.CLOSING_BLOCKED, Reason.NO_CLEARANCE}
    assert lost & set(found.funnel.rejected)
    assert found.funnel.sampled == found.funnel.kept + sum(found.funnel.rejected.values())


@every
def test_walls_on_all_sides_are_refused_with_what_is_missing_in_millimetres(planner):
    """Beside a bar stand 5 mm of air, fingers of 11 mm, and 5 mm of room; walls 18 mm away leave 3 mm too little.

    GET-3D starts further off, fully open along the bar: 47.5 + 11 + 5 mm from its middle, for which 60.5 mm are 3 too few.
    """
    found = plan(planner, bar(), walls(0.0305 if planner == "get3d" else 0.018))
    assert isinstance(found, Refusal)
    assert found.reason is Reason.NO_CLEARANCE
    assert found.nearest_miss[Reason.NO_CLEARANCE]["shortfall_mm"] == pytest.approx(3, abs=0.05)
    assert "come 3.0 mm closer than 5 mm to the" in found.sentence and "wall on its way in." in found.sentence
    assert found.funnel.kept == 0


@every
def test_surroundings_far_away_change_no_grasp_and_none_known_changes_nothing(planner):
    away = Surroundings((Obstacle("crate", shapely.box(1, 1, 2, 2), 0.0, 1.0),))
    alone, none, far = (plan(planner, bar(), around) for around in (None, None, away))
    assert to_json(alone) == to_json(none)
    np.testing.assert_array_equal(alone.best.T_table_gripper, far.best.T_table_gripper)
    assert alone.best.metrics == far.best.metrics
    if planner in ("get2d", "get3d"):  # the others try other turns as well
        assert to_json(alone) == to_json(far)


def test_what_is_proposed_on_a_footprint_is_what_is_planned_among_the_same_surroundings():
    planner, view = PLANNERS["footprint"], bar().among(Surroundings((beside(0.010),)))
    proposals = [one for one in planner.propose(*planner.look(view), view.surroundings) if one.graspable]
    found = plan("footprint", bar(), view.surroundings)
    poses = [np.array([one.T_table_gripper for one in ways]) for ways in (proposals, found.grasps)]
    np.testing.assert_array_equal(*poses)


@pytest.mark.parametrize("planner", ["bbox", "footprint", "get2d"])
def test_what_is_forbidden_on_the_object_is_not_touched(planner):
    label = Obstacle("label", shapely.box(-0.03, -0.016, 0.03, 0.0), 0.0, 0.05)  # the near half of the bar
    found = plan(planner, bar(), Surroundings(forbidden=(label,)))
    if isinstance(found, Refusal):
        assert found.reason is Reason.FORBIDDEN_REGION
        assert "to the label" in found.sentence or "enter the label" in found.sentence
    else:
        assert_clear(planner, found, Surroundings(forbidden=(label,)))
    assert Reason.FORBIDDEN_REGION in found.funnel.rejected


def test_bbox_tries_its_turns_in_order_and_counts_them():
    """The neighbour to the north meets the single finger as well as the two; one to the east is out of the way."""
    north, east = beside(0.010), beside(0.022, turn=-90)
    assert plan("bbox", bar(), Surroundings((east,))).funnel.sampled == 4
    quarter = plan("bbox", bar(), Surroundings((north,)))
    straight = plan("bbox", bar()).best.T_table_gripper
    assert heading(quarter.best.T_table_gripper) == pytest.approx(heading(straight) - np.pi / 2)
    assert quarter.best.opening == pytest.approx(0.070)
    long = plan("bbox", bar(0.12), Surroundings((north,)))
    assert isinstance(long, Refusal) and long.funnel.rejected[Reason.TOO_WIDE] == 2
    assert "Of 2 turns by quarters" in long.sentence


def test_half_a_turn_puts_the_one_finger_where_two_do_not_fit():
    """A post beside the bar stands where a finger of the wide jaw would, and not where the narrow one does."""
    first = plan("bbox", bar(0.12)).best.T_table_gripper
    wide_side = first[:2, 3] - 0.03 * first[:2, 0] + 0.015 * first[:2, 1]
    post = Surroundings((Obstacle("post", shapely.Point(wide_side).buffer(0.003), 0.0, 0.05),))
    found = plan("bbox", bar(0.12), post)
    np.testing.assert_allclose(found.best.T_table_gripper[:2, 0], -first[:2, 0], atol=1e-12)
    assert_clear("bbox", found, post)


def test_a_bottle_is_turned_about_until_there_is_room():
    planner, bottle = ProfileRules.preset(), BOTTLE.view()
    alone = planner.plan(bottle, np.random.default_rng(0))
    reach = alone.best.opening / 2 + 0.011
    beside_it = shapely.box(reach, -0.02, reach + 0.03, 0.02)  # where a finger arrives
    around = Surroundings((Obstacle("glass", beside_it, 0.0, 0.3),))
    found = planner.plan(bottle.among(around), np.random.default_rng(0))
    assert isinstance(found, Plan), found.sentence
    assert abs(np.sin(heading(found.best.T_table_gripper))) == pytest.approx(1)
    T, opening = np.array([g.T_table_gripper for g in found.grasps]), np.array([g.opening for g in found.grasps])
    assert check(planner.clearance, planner.gripper, T, opening, opening, around).clear.all()
    on_bottle = np.hypot(*found.best.contacts.points[:, :2].T)
    np.testing.assert_allclose(on_bottle, np.hypot(*alone.best.contacts.points[:, :2].T), atol=1e-12)
    tote = Surroundings(tuple(replace(wall, high=0.3) for wall in walls(0.0, 2 * reach, 2 * reach).obstacles))
    refusal = planner.plan(bottle.among(tote), np.random.default_rng(0))
    assert isinstance(refusal, Refusal) and " wall by " in refusal.sentence
    assert refusal.funnel.kept == 0
    assert refusal.nearest_miss[refusal.reason]["shortfall_mm"] > 0
    assert refusal.funnel.sampled == refusal.funnel.kept + sum(refusal.funnel.rejected.values())


def test_a_rule_moves_up_to_the_best_place_with_room_and_counts_what_it_checked():
    """Walls to within 6 mm of a rod end 15 mm below where it is held alone; a finger from the side is 25 mm wide there."""
    planner = ProfileRules.preset()
    planner = replace(planner, rules=tuple(rule for rule in planner.rules if rule.name == "flat"))
    seen, low = planner.see(Turned.of_mm((0, 40), (120, 40)).view()), walls(0.006, 0.04, 0.04)
    (alone,) = planner.answers(seen)
    low = Surroundings(tuple(replace(wall, high=float(alone.held.at[alone.chosen]) - 0.015) for wall in low.obstacles))
    made_by = Provenance("profile", "get", Seed(0), {}, {})
    (found,), plan_ = planner.answers(seen, low), planner.on_profile(seen, made_by, low)
    assert isinstance(plan_, Plan), plan_.sentence
    T, opening = plan_.best.T_table_gripper, plan_.best.opening
    assert check(planner.clearance, planner.gripper, T[None], opening, opening, low).clear.all()
    height = found.held.height[found.chosen]
    assert height > alone.held.height[alone.chosen]
    assert plan_.best.contacts.points[:, 2].mean() == pytest.approx(height)
    assert f"{height * 1e3:.1f} mm above the table" in found.sentence, "told is what was planned"
    kept = found.held.code == Reason.OK.code
    below = (alone.held.code == Reason.OK.code) & ~kept
    assert kept.any() and found.held.height[below].max() < height, "what lacks room is below"
    assert found.funnel.kept == alone.funnel.kept - below.sum()


def test_candidates_without_room_are_not_scored():
    view = bar().among(Surroundings((beside(0.010),)))
    for planner in ("get2d", "get3d"):
        found = PLANNERS[planner].candidates(view, np.random.default_rng(0))
        lost = np.isin(found.candidates.reason, [Reason.NO_CLEARANCE.code])
        contacts = found.contacts if planner == "get2d" else None
        assert lost.any()
        if contacts is None:
            assert (found.draws[lost] == 0).all() and np.isnan(found.mean_epsilon[lost]).all()
        else:
            assert not contacts.made[lost].any() and (found.robustness.closed[lost] == 0).all()
