"""Spacing and linkage: the published numbers of Robotiq's grippers come out of the boxes that clearance is checked with."""

from dataclasses import replace

import numpy as np
import pytest

from grasp import Gripper, InvalidValue, Reason
from grasp.linkage import advance, greatest_advance
from grasp.spacing import (
    encompassing,
    gap,
    half_width,
    lane,
    largest_gripper,
    pitch,
    room,
    staircase,
    widest_object,
)

MM = 1e-3
GET, R85, R140 = (Gripper.preset(name) for name in ("get", "robotiq_2f85", "robotiq_2f140"))
TIP, FINGER, BODY = 3 * MM, 20 * MM, 60 * MM  # heights of a neighbour above the fingertips: beside which step it stands


def test_lanes_of_the_open_2f85():
    # Figure 6-1 of the 2F-85 and 2F-140 manual: 98 mm over the fingertips, 123.5 over the fingers, 152.7 over the knuckles
    np.testing.assert_allclose(lane(R85, 0.085, [TIP, FINGER, BODY]), [0.098, 0.1235, 0.1527], atol=1e-12)


def test_lanes_of_the_open_2f140():
    # fingertips of 6.35 mm and fingers 12.75 mm outboard of them; 206.9 mm at the widest (the same figure)
    lanes = 0.140 + 2 * 0.00635, 0.140 + 2 * (0.00635 + 0.01275), 0.2069
    np.testing.assert_allclose(lane(R140, 0.140, [TIP, FINGER, 0.1]), lanes, atol=1e-12)


def test_room_beside_an_object_of_40_mm():
    np.testing.assert_allclose(room(R85, 0.040, 0.085, [TIP, FINGER, BODY]), [0.029, 0.04175, 0.05635], atol=1e-12)
    np.testing.assert_allclose(room(R85, 0.040, 0.060, [TIP, FINGER]), [0.0165, 0.02925], atol=1e-12)


@pytest.mark.parametrize("width", [0.010, 0.040, 0.060])
def test_gap_is_margin_and_fingertip_and_finger_whatever_the_object(width):
    m, t, f = 0.010, 0.0065, 0.01275
    assert gap(R85, width, m, FINGER) == pytest.approx(0.02925, abs=1e-12)
    assert pitch(R85, width, m, FINGER) == pytest.approx(width + m + t + f, abs=1e-12)
    assert pitch(R85, width, m, BODY) == pytest.approx(0.07635 + width / 2, abs=1e-12)


def test_the_get_gripper_has_straight_fingers_and_a_palm_that_is_hidden_behind_them():
    height, half = staircase(GET, GET.max_opening)
    np.testing.assert_allclose((height, half), [[0], [0.095 / 2 + 0.011]], atol=1e-15)
    assert gap(GET, 0.04, 0.01, 0.05) == pytest.approx(0.010 + 0.011)
    height, half = staircase(GET, 0.0)  # but closed, the palm of 110 mm stands out
    np.testing.assert_allclose((height, half), [[0, 0.075], [0.011, 0.055]], atol=1e-15)


def test_a_quarter_turn_needs_the_depth_of_the_fingers():
    height, half = staircase(R85, R85.max_opening, axis=1)
    assert half[height <= FINGER].max() * 2 == pytest.approx(0.035)  # across the finger plane the fingers span 35 mm
    assert half[-1] * 2 == pytest.approx(0.075)  # and the base is a circle of 75 mm


@pytest.mark.parametrize("gripper", [GET, R85, R140], ids=lambda g: g.name)
@pytest.mark.parametrize("opening", [0.0, 0.03, 0.085])
def test_staircase_widens_upwards_and_says_what_half_width_says(gripper, opening):
    height, half = staircase(gripper, opening)
    assert (np.diff(height) > 0).all() and (np.diff(half) > 0).all() and height[0] == 0
    np.testing.assert_allclose(half_width(gripper, opening, height + 1e-6), half, atol=1e-15)
    assert half_width(gripper, opening, 0.0) == 0  # what ends below the fingertips is passed over


@pytest.mark.parametrize("gripper", [GET, R85, R140], ids=lambda g: g.name)
def test_widest_object_inverts_pitch(gripper):
    rng = np.random.default_rng(3)
    margin, height = rng.uniform(0, 0.015, 200), rng.uniform(0.001, 0.12, 200)
    width = rng.uniform(0.001, gripper.max_opening - 2 * margin)
    spacing = pitch(gripper, width, margin, height)
    found = widest_object(gripper, spacing, margin, height)
    assert (found >= width - 1e-12).all()  # wider ones may share the pitch: bodies do not move
    np.testing.assert_array_less(pitch(gripper, found, margin, height), spacing + 1e-12)
    wider = found + 1e-6
    fits = pitch(gripper, wider, margin, height) <= spacing  # NaN, too wide for the gripper, is no fit
    assert not fits.any()


def test_spacings_too_narrow_or_openings_too_great_have_no_answer():
    assert np.isnan(widest_object(R85, 0.029, 0.010, FINGER))
    assert widest_object(R85, 0.0293, 0.010, FINGER) == pytest.approx(0.05e-3, abs=1e-9)
    assert np.isnan(pitch(R85, 0.066, 0.010, FINGER))
    assert np.isnan(widest_object(R85, 1.0, 0.05, FINGER))
    assert widest_object(R85, 1.0, 0.010, BODY) == pytest.approx(0.065)


def test_the_largest_gripper_of_a_spacing():
    both = [R85, R140]
    assert largest_gripper(both, 0.040, 0.0700, 0.010, FINGER) is R140
    assert largest_gripper(both, 0.040, 0.0965, 0.010, 0.1) is R85  # beside the knuckles of the 2F-140
    assert largest_gripper(both, 0.040, 0.050, 0.010, FINGER) is None  # a gap of 10 mm where 29 mm are needed
    assert largest_gripper(both, 0.100, 0.2, 0.010, FINGER) is R140  # the 2F-85 does not open that wide


def test_the_thinnest_cylinders_that_can_be_wrapped():
    # published by Robotiq: 43 mm for the 2F-85, 90 mm for the 2F-140
    codes = [Reason.TOO_NARROW.code, Reason.OK.code, Reason.OK.code, Reason.TOO_WIDE.code]
    assert encompassing(R85, [0.0429, 0.043, 0.085, 0.086]).tolist() == codes
    assert encompassing(R140, [0.0899, 0.090, 0.140, 0.141]).tolist() == codes
    with pytest.raises(InvalidValue, match="get.min_encompassed = None must be a diameter"):
        encompassing(GET, 0.05)


@pytest.mark.parametrize(("gripper", "length"), [(R85, 0.1628 - 0.1493), (R140, 0.2328 - 0.2098)], ids=["2f85", "2f140"])
def test_fingertips_advance_by_the_published_lengths(gripper, length):
    assert advance(gripper, gripper.max_opening) == pytest.approx(0, abs=1e-15)
    assert advance(gripper, 0.0) == pytest.approx(length, abs=1e-15)
    assert (advance(GET, np.linspace(0, 0.095, 5)) == 0).all()


@pytest.mark.parametrize(
    ("gripper", "joint"),
    # y and z from the knuckle's joint to the finger's, fully open, in ROS-Industrial's robotiq_2f_85 and robotiq_2f_140
    [(R85, (0.0315 + 0.0061, -0.0041 + 0.0471)), (R140, (0.0646, 0.0763))],
    ids=["2f85", "2f140"],
)
def test_the_arc_is_that_of_the_parallelogram(gripper, joint):
    y, z = joint
    radius = np.hypot(y, z)
    assert gripper.linkage_radius == pytest.approx(radius, abs=2e-4)
    turn = np.linspace(0, 0.7, 30)
    start = np.arctan2(y, z)
    closed, reach = y - radius * np.sin(start - turn), radius * np.cos(start - turn) - z
    opening = gripper.max_opening - 2 * closed
    np.testing.assert_allclose(advance(gripper, opening), reach, atol=9e-4)  # its ends differ from the manual's by 0.6 mm


def test_most_of_the_advance_comes_first_and_the_top_of_the_arc_counts():
    assert advance(R85, 0.0425) > 0.8 * advance(R85, 0.0)
    fine = np.linspace(0.0, 0.06, 2001)
    highest = (advance(R85, fine) - advance(R85, 0.06)).max()
    assert greatest_advance(R85, 0.06, 0.0) == pytest.approx(highest, abs=1e-9)
    assert greatest_advance(R85, 0.06, 0.0) > advance(R85, 0.0) - advance(R85, 0.06)
    assert greatest_advance(R85, 0.04, 0.04) == 0
    straight = replace(R85, linkage_radius=0.0)
    assert greatest_advance(straight, 0.085, 0.0425) == pytest.approx(0.0135 / 2)


def test_an_arc_too_tight_for_its_ends_is_refused():
    with pytest.raises(InvalidValue, match="linkage_radius = 0.02 must be at least 0.0233"):
        replace(R85, linkage_radius=0.02)


@pytest.mark.parametrize("bad", [-0.01, np.nan])
def test_lengths_that_are_none_are_refused_by_name(bad):
    with pytest.raises(InvalidValue, match="width"):
        pitch(R85, bad, 0.01, FINGER)
    with pytest.raises(InvalidValue, match="margin"):
        pitch(R85, 0.04, bad, FINGER)
    with pytest.raises(InvalidValue, match="spacing"):
        widest_object(R85, bad, 0.01, FINGER)
