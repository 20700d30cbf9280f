"""Footprint planner: shapes with known answers, views, reach, refusals, and pictures."""

from dataclasses import replace

import numpy as np
import pytest
import shapely
from shapely.affinity import rotate, translate

from baselines.footprint_draw import draw, picture
from baselines.footprint_explain import nearest_misses, why_refused
from get2d.footprint import Footprint, HeightMap
from grasp import Gripper, InvalidValue, Plan, Reason, Refusal, View, from_json, to_json
from grasp.frames import position
from grasp.reach import Workspace
from tests.footprints import BIG, GET, PLANNER, SIDE, accepted, cup, ell, mug, planned, spots_of, standing
from tests.polygons import bar, disc, ring
from tests.seen import looking


@pytest.mark.parametrize("turn", np.radians([0, 17.3, 90, 133, 250]))
def test_a_rectangle_is_closed_on_across_its_short_axis(turn):
    c, s = np.cos(turn), np.sin(turn)
    centre = np.array([0.03 * c - 0.05 * s, 0.03 * s + 0.05 * c])
    first, second = PLANNER.propose(Footprint(rotate(translate(bar(0.08, 0.03), 0.03, 0.05), turn, (0, 0), True)))[:2]
    for one in (first, second):
        np.testing.assert_allclose(np.cross(one.closing, [-s, c, 0]), 0, atol=1e-6)
        np.testing.assert_allclose(one.tip, [*centre, PLANNER.approach.table_clearance], atol=1e-9)
        np.testing.assert_allclose((one.width, one.length, one.crossing, one.opening), (0.03, 0.08, 1, 0.04), atol=1e-9)
        assert (one.approach, one.graspable, one.contacts) == ("top_down", True, 3)
    np.testing.assert_allclose(first.closing, -second.closing, atol=1e-12)  # the jaws differ: half a turn is another grasp


def test_a_ring_too_wide_is_grasped_across_its_band_with_the_narrow_jaw_in_the_hole():
    whole, hole = ring(0.12, 0.09, 60), disc(0.09, 60)
    proposals = PLANNER.propose(Footprint(whole))
    parts = accepted(proposals)
    assert {one.approach for one in parts} == {"top_down_part"}
    for one in parts:
        wide, narrow = spots_of(one)
        assert hole.contains(narrow)
        assert not hole.intersects(wide)
        assert one.width == pytest.approx(0.015 * np.cos(np.pi / 60), abs=1e-9)  # between the sides of the polygons
        inwards = -one.tip[:2] / np.linalg.norm(one.tip[:2])
        assert one.closing[:2] @ inwards > np.cos(np.pi / 60)  # radial, but for half a side of the polygon
    assert all(one.reason is Reason.TOO_WIDE for one in proposals if one.approach != "top_down_part")


def test_parts_proposed_lie_apart_and_are_as_many_as_asked():
    parts = accepted(PLANNER.propose(Footprint(ring(0.12, 0.09, 60))))
    assert len(parts) == PLANNER.parts.keep
    middles = np.array([one.tip for one in parts])
    between = np.linalg.norm(middles[:, None] - middles, axis=-1)[np.triu_indices(len(parts), 1)]
    assert between.min() >= PLANNER.parts.apart - 1e-9


def test_a_hole_too_small_for_the_narrow_finger_leaves_no_part():
    """The finger is 11 mm deep and stands 2 mm off on both sides: 15 mm, less the slack, along the closing line."""
    refusal = planned(ring(0.12, 0.014, 60))
    assert isinstance(refusal, Refusal)
    small = planned(shapely.box(-0.05, -0.05, 0.05, 0.05).difference(shapely.box(0.02, -0.007, 0.034, 0.007)))
    assert small.reason is Reason.NO_CLEARANCE
    large = planned(shapely.box(-0.05, -0.05, 0.05, 0.05).difference(shapely.box(0.02, -0.009, 0.038, 0.009)))
    assert large.best.sampler == "top_down_part"


def test_a_mug_too_wide_is_grasped_by_its_handle():
    shape = mug()
    first = PLANNER.propose(Footprint(shape))[0]
    _, narrow = spots_of(first)
    assert (first.approach, first.contacts) == ("top_down_part", 3)
    assert first.width == pytest.approx(0.01)
    assert shapely.Polygon(shape.interiors[0]).contains(narrow)


def test_where_the_line_through_the_centre_crosses_little_a_part_comes_first():
    proposals = PLANNER.propose(Footprint(ell()))
    first, whole = proposals[0], next(one for one in proposals if one.approach == "top_down")
    assert (first.approach, first.width, first.contacts) == ("top_down_part", pytest.approx(0.02), 3)
    assert whole.graspable
    assert whole.crossing == pytest.approx(0.02 / 0.08)
    everything = replace(PLANNER, least_crossing=0.0).propose(Footprint(ell()))
    assert everything[0].approach == "top_down"


def test_the_narrow_jaw_goes_inside_the_corner_of_an_l():
    first = PLANNER.propose(Footprint(ell()))[0]
    wide, narrow = spots_of(first)
    hull = ell().convex_hull
    assert hull.contains(narrow.centroid)
    assert not hull.contains(wide.centroid)


def test_a_tall_thin_cylinder_is_taken_from_the_side_where_that_is_preferred():
    footprint = standing(disc(0.03), 0.15)
    first, above = SIDE.propose(footprint)[0], PLANNER.propose(footprint)[0]
    assert (first.approach, above.approach) == ("side", "top_down")
    approach = first.T_table_gripper[:3, 2]
    np.testing.assert_allclose(approach, [1, 0, 0], atol=1e-5)  # the base stands at -x
    np.testing.assert_allclose(first.tip, [PLANNER.room.insertion, 0, 0.10], atol=1e-4)  # 5 cm below the top of 15 cm
    assert first.closing[2] == 0
    assert above.tip[2] == pytest.approx(0.10)


def test_what_is_thinner_than_the_gap_of_the_wide_jaw_is_taken_from_the_side_only():
    """A cylinder of 16 mm stands between fingers 30 mm apart, 10 mm wide: from above both pads pass it by."""
    proposals = PLANNER.propose(standing(disc(0.016), 0.15))
    reasons = {one.approach: one.reason for one in proposals}
    assert (reasons["top_down"], reasons["side"]) == (Reason.ONE_SIDED, Reason.OK)
    assert next(one for one in proposals if one.approach == "side").contacts == 3
    narrow = replace(PLANNER, gripper=Gripper.preset("two_narrow"))
    assert narrow.propose(standing(disc(0.016), 0.15))[0].approach == "top_down"


@pytest.mark.parametrize("height", [0.02, 0.03, 0.06, 0.15])
def test_a_side_grasp_takes_an_object_tall_enough_for_the_palm_to_clear_the_table(height):
    """Level, the palm of 50 mm reaches 25 mm below the fingertips; the lower pad of the wide jaw 20 mm."""
    anywhere = replace(SIDE, reach=Workspace.preset("anywhere"))
    side = next(one for one in anywhere.propose(standing(bar(0.06, 0.04), height)) if one.approach == "side")
    lowest = 0.025 + PLANNER.approach.table_clearance
    if height > lowest - 0.005 + PLANNER.approach.overlap:  # the narrow pad reaches 5 mm down
        assert side.graspable
        assert side.tip[2] == pytest.approx(max(lowest, height / 2, height - 0.05), abs=1e-6)
    else:
        assert side.reason is Reason.HITS_TABLE


def test_of_a_cup_the_rim_is_grasped_with_the_narrow_jaw_inside():
    footprint = cup()
    first = PLANNER.propose(footprint)[0]
    assert first.approach == "top_down_part"
    assert first.width == pytest.approx(0.005, abs=0.0015)  # a wall of 5 cells
    _, narrow = spots_of(first)
    assert shapely.Point(0, 0).buffer(0.055).contains(narrow)
    assert not accepted(PLANNER.propose(Footprint(footprint.polygon)))  # without heights it is a disc too wide to grasp


def test_cells_that_were_not_seen_are_no_hole():
    whole, flat = disc(0.12), standing(disc(0.12), 0.05)
    x, y = np.meshgrid(*(flat.heights.corner[i] + np.arange(n) * 0.001 for i, n in ((0, 121), (1, 121))))
    blind = np.where(np.hypot(x, y) < 0.05, np.nan, flat.heights.height[:121, :121])
    blind[60, 5] = 0.001  # one low cell, so that a section is taken
    proposals = PLANNER.propose(Footprint(whole, HeightMap(blind, flat.heights.corner, 0.001)), z=0.01)
    assert not accepted(proposals)


def test_a_mask_of_a_posed_camera_is_planned_on_at_the_height_of_its_outline():
    camera, mask = looking(), np.zeros((240, 320), bool)
    mask[100:140, 100:220] = True  # 120 x 40 px at 0.58 m from 600 px
    result = PLANNER.plan(View.from_mask(mask, camera=camera), np.random.default_rng(0))
    assert position(result.best.T_table_gripper)[2] == pytest.approx(PLANNER.mask_height)
    assert result.best.opening - 2 * PLANNER.approach.margin == pytest.approx(40 * 0.58 / 600, rel=1e-6)
    assert position(result.best.T_table_gripper)[:2] == pytest.approx((0, 0), abs=1e-6)


def test_a_mask_that_looks_past_the_plane_is_refused():
    mask = np.zeros((240, 320), bool)
    mask[100:140, 100:220] = True
    result = PLANNER.plan(View.from_mask(mask, camera=looking(np.pi / 2)), np.random.default_rng(0))
    assert result.reason is Reason.VIEW_LACKS_INPUT
    assert "does not see the plane 20 mm up" in result.detail


def test_what_fits_nowhere_is_refused_with_the_numbers():
    refusal = planned(BIG)
    assert refusal.reason is Reason.TOO_WIDE
    assert "The box is 120.0 x 120.0 mm; the fingers fit around 0 to 91 mm." in refusal.sentence
    assert refusal.nearest_miss[Reason.TOO_WIDE]["width_mm"] == pytest.approx(120)
    assert set(refusal.funnels) == {*PLANNER.ways, "top_down_part"}


def test_an_object_out_of_reach_is_refused_and_the_distance_told():
    far = replace(PLANNER, reach=replace(PLANNER.reach, base=(-1.5, 0.0, 0.0)), ways={"side": np.pi / 2})
    found = far.candidates(standing(bar(0.06, 0.03), 0.15))
    reason, _ = why_refused(found.groups, bar(0.06, 0.03), GET, 0.002)
    assert reason is Reason.OUT_OF_REACH
    miss = nearest_misses(found.groups, far.reach.base)[Reason.OUT_OF_REACH]
    assert miss["nearest_to_base_mm"] == pytest.approx(np.hypot(1500 + 10, 100), abs=0.1)  # 10 mm past the closing line


class LeftHanded:
    """A check of reach by a user: no dataclass, and only wide jaws on the side of greater y."""

    base = (0.0, -0.6, 0.0)

    def reachable(self, T_table_gripper):
        return np.asarray(T_table_gripper)[..., 1, 0] < 0


def test_any_check_of_reach_can_be_plugged_in():
    plan = planned(bar(0.06, 0.03), replace(PLANNER, reach=LeftHanded()))
    assert [grasp.T_table_gripper[1, 0] for grasp in plan.grasps] == [pytest.approx(-1)]
    assert plan.funnels["top_down"].rejected == {Reason.OUT_OF_REACH: 1}
    assert plan.provenance.config["reach"] == "LeftHanded"
    assert to_json(from_json(to_json(plan))) == to_json(plan)


def test_without_straight_down_among_the_ways_no_part_is_tried():
    only = replace(PLANNER, ways={"side": np.pi / 2})
    assert set(planned(ring(0.12, 0.09, 60), only).funnels) == {"side"}


def test_a_height_that_is_given_is_kept():
    given = {one.approach: one for one in PLANNER.propose(standing(disc(0.03), 0.15), z=0.06)[::-1]}
    assert given["top_down"].tip[2] == pytest.approx(0.06)
    assert given["side"].tip[2] == pytest.approx(0.06, abs=1e-6)
    with pytest.raises(InvalidValue, match="z = -1"):
        PLANNER.propose(Footprint(bar(0.06, 0.03)), z=-1)


def test_an_empty_mask_is_refused_as_perception_says():
    result = PLANNER.plan(View.from_mask(np.zeros((50, 50), bool), pixels_per_meter=1000), np.random.default_rng(0))
    assert result.reason is Reason.EMPTY_MASK


def test_plan_lists_the_graspable_proposals_and_claims_no_metric():
    plan, proposals = planned(bar(0.06, 0.03)), accepted(PLANNER.propose(Footprint(bar(0.06, 0.03))))
    assert isinstance(plan, Plan)
    assert [grasp.sampler for grasp in plan.grasps] == [one.approach for one in proposals]
    assert (plan.conventions, plan.best.contacts.made.any()) == (None, False)
    assert to_json(from_json(to_json(plan))) == to_json(plan)


def test_the_picture_is_the_same_for_the_same_proposals(tmp_path):
    for name in ("once", "again"):
        draw(PLANNER.propose(Footprint(mug())), Footprint(mug()), PLANNER, tmp_path / name)
    assert (tmp_path / "once").read_bytes() == (tmp_path / "again").read_bytes()


def test_the_picture_of_what_is_not_graspable_says_why():
    figure = picture(PLANNER.propose(Footprint(BIG)), Footprint(BIG), PLANNER)
    assert "No grasp: The gripper does not open wide enough." in [text.get_text() for text in figure.texts]
    with pytest.raises(InvalidValue, match="at least one"):
        picture((), Footprint(BIG), PLANNER)
