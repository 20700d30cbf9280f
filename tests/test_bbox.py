"""Bounding box baseline: the shared case O12, closed forms of boxes, ties, refusals, and its time."""

from dataclasses import replace
from time import perf_counter

import numpy as np
import pytest
import shapely
from shapely import affinity

from baselines import BoundingBox
from baselines.bbox import box_of
from get2d.footprint import Footprint, HeightMap
from grasp import Plan, Reason, Refusal, View
from grasp.frames import heading, position
from objects.files import read_view
from tests.seen import SHARED, needs_cases

BBOX = BoundingBox.preset()
BAR = shapely.box(-0.03, -0.01, 0.03, 0.01)


def planned(polygon, planner=BBOX):
    return planner.plan(View.from_polygon(polygon), np.random.default_rng(0))


@needs_cases
@pytest.mark.parametrize("turn", [0, 30, 60, 90, 120, 150])
def test_o12_it_closes_across_the_short_side_however_the_box_is_turned(turn):
    view = read_view(SHARED / f"cases/O12/rect_{turn:03d}.png", pixels_per_meter=1000)
    grasp = BBOX.plan(view, np.random.default_rng(0)).best
    middle = (np.array(view.mask.shape[::-1]) - 1) / 2
    at = position(grasp.T_table_gripper)[:2] * [1000, -1000] + middle  # image axes: v down
    off = (-np.degrees(heading(grasp.T_table_gripper)) - (turn + 90) + 90) % 180 - 90
    assert abs(off) < 2
    assert abs(grasp.opening - 2 * BBOX.approach.margin - 0.020) <= 0.001 + 1e-9  # rounding; 0 degrees is drawn 21 px wide
    np.testing.assert_allclose(at, (60, 60), atol=0.5)


@pytest.mark.parametrize("turn", np.radians([0, 10, 44, 46, 90, 134, 136, 179]))
def test_box_of_a_turned_rectangle_is_the_rectangle(turn):
    centre, angle, short, long = box_of(affinity.rotate(affinity.translate(BAR, 0.1, 0.2), turn, (0, 0), True))
    c, s = np.cos(turn), np.sin(turn)
    np.testing.assert_allclose(centre, (0.1 * c - 0.2 * s, 0.1 * s + 0.2 * c), atol=1e-12)
    np.testing.assert_allclose((short, long), (0.02, 0.06), atol=1e-12)
    assert -np.pi / 4 <= angle < 3 * np.pi / 4
    assert np.sin(angle - turn - np.pi / 2) == pytest.approx(0, abs=1e-9)


def test_box_is_the_least_of_all_turned_boxes():
    """Against the boxes along 2000 directions; the least lies along an edge of the hull (Freeman and Shapira 1975)."""
    turn = np.linspace(0, np.pi / 2, 2000)
    along, across = np.stack([np.cos(turn), np.sin(turn)]), np.stack([-np.sin(turn), np.cos(turn)])
    for points in np.random.default_rng(1).normal(size=(20, 9, 2)):
        _, _, short, long = box_of(shapely.MultiPoint(points).convex_hull)
        areas = np.ptp(points @ along, axis=0) * np.ptp(points @ across, axis=0)
        assert areas.min() * 0.99 < short * long <= areas.min() * (1 + 1e-9)


@pytest.mark.parametrize(("turn", "closed_along"), [(0, 0), (30, 30), (-30, -30), (60, -30)])
def test_of_equal_sides_the_one_nearer_to_x_is_closed_along(turn, closed_along):
    square = affinity.rotate(shapely.box(-0.02, -0.02, 0.02, 0.02), turn)
    assert np.degrees(box_of(square)[1]) == pytest.approx(closed_along)


def test_a_disc_is_closed_on_across_its_middle():
    grasp = planned(shapely.Point(0.01, 0.02).buffer(0.03)).best
    np.testing.assert_allclose(position(grasp.T_table_gripper)[:2], (0.01, 0.02), atol=1e-9)
    assert grasp.opening == pytest.approx(0.07, abs=1e-4)


def test_plan_claims_neither_contacts_nor_metrics():
    plan = planned(BAR)
    assert isinstance(plan, Plan)
    assert (plan.conventions, plan.funnel.kept, plan.best.contacts.made.any()) == (None, 1, False)
    assert set(vars(plan.best.metrics).values()) == {None}


@pytest.mark.parametrize("gripper", ["get", "two_narrow", "two_wide"])
def test_the_three_jaws_are_three_configurations_of_one_planner(gripper):
    plan = planned(BAR, BoundingBox.preset(gripper=gripper))
    assert plan.provenance.gripper == gripper
    np.testing.assert_array_equal(plan.best.T_table_gripper, planned(BAR).best.T_table_gripper)


@pytest.mark.parametrize(("width", "opening"), [(0.080, 0.090), (0.090, 0.095), (0.095, 0.095)])
def test_margins_shrink_as_far_as_the_gripper_opens(width, opening):
    assert planned(shapely.box(0, 0, width, 0.2)).best.opening == pytest.approx(opening)


def test_what_does_not_open_wide_enough_is_refused_with_the_numbers():
    refusal = planned(shapely.box(0, 0, 0.12, 0.11))
    assert isinstance(refusal, Refusal)
    assert refusal.reason is Reason.TOO_WIDE
    assert "The box is 110.0 x 120.0 mm; the gripper opens from 0 to 95 mm." in refusal.sentence
    assert refusal.nearest_miss[Reason.TOO_WIDE]["opening_needed_mm"] == pytest.approx(110)


def test_what_is_thinner_than_the_closed_gripper_is_refused():
    planner = replace(BBOX, gripper=replace(BBOX.gripper, min_opening=0.03))
    assert planned(BAR, planner).reason is Reason.TOO_NARROW


def test_an_empty_mask_is_refused_as_perception_says():
    refusal = BBOX.plan(View.from_mask(np.zeros((50, 50), bool), pixels_per_meter=1000), np.random.default_rng(0))
    assert refusal.reason is Reason.EMPTY_MASK


@pytest.mark.parametrize(("top", "height"), [(0.12, 0.07), (0.03, 0.002)])
def test_fingertips_go_5_cm_below_the_80th_percentile_and_stay_off_the_table(top, height):
    """Of the paper's section VII-A; a fifth of the cells are an aerial that must not count."""
    heights = np.full((10, 10), top)
    heights[:2] = np.linspace(top, top + 0.1, 20).reshape(2, 10)
    map_ = HeightMap(heights, np.zeros(2), 0.002)
    plan = BBOX.on_footprint(Footprint(BAR, map_), planned(BAR).provenance)
    assert position(plan.best.T_table_gripper)[2] == pytest.approx(height, abs=1e-9)


def test_the_box_itself_takes_less_than_a_millisecond():
    """As the paper's does ("runs in under a millisecond", section VII-D)."""
    polygon = shapely.Point(0, 0).buffer(0.04, quad_segs=20)
    footprint, provenance = Footprint(polygon), planned(BAR).provenance
    seconds = []
    for _ in range(20):
        begin = perf_counter()
        BBOX.on_footprint(footprint, provenance)
        seconds.append(perf_counter() - begin)
    assert np.median(seconds) < 1e-3
