"""Placing: where the gripper arrives, how wide it is open, and why it cannot."""

from dataclasses import replace

import numpy as np
import pytest
from shapely.affinity import rotate

from get2d.close import GRIPS, close
from get2d.edges import Edges
from get2d.place import place
from get2d.samplers import SAMPLERS, Density, Lines, sample
from grasp import Gripper, Reason
from grasp.circles import circles
from tests import oracle_2d
from tests.polygons import FAMILY, LIMIT, bar, comb, disc, ring, u_shape

MARGIN = 0.005
DENSITY = Density(edge_spacing=0.004, hole_spacing=0.004, vertex_turn=0.17, vertex_lines=3)
GET = Gripper.preset("get")
GRIPPERS = {name: Gripper.preset(name) for name in ("get", "two_narrow", "two_wide")}
NARROW = GRIPPERS["two_narrow"]


def placed(polygon, gripper=GET, lines=None):
    edges = Edges.of(polygon)
    limits = {"max_opening": gripper.max_opening, "min_opening": gripper.min_opening, "margin": MARGIN}
    return place(edges, sample(edges, DENSITY) if lines is None else lines, circles(gripper), **limits)


def one_line(anchor, closing, sampler="edge"):
    return Lines(np.array([anchor]), np.array([closing]), [SAMPLERS.index(sampler)], [0])


def arrivals(polygon, gripper):
    """Return the accepted candidates with the centres (n, k, 2) and headings of their discs."""
    found = placed(polygon, gripper)
    found, discs = found[found.accepted], circles(gripper)
    start, heading = oracle_2d.starts(discs.offset, discs.wide, discs.radius, found.centre, found.angle, found.opening)
    return found, discs, start, heading


def reasons(found):
    return {str(Reason.from_code(code)) for code in found.reason.tolist()}


# ---- laws over the family --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gripper", GRIPPERS.values(), ids=GRIPPERS)
@pytest.mark.parametrize("name", FAMILY)
def test_no_disc_arrives_inside_and_none_further_off_than_the_margin(name, gripper):
    found, discs, start, _ = arrivals(FAMILY[name], gripper)
    assert (found.opening <= gripper.max_opening).all()
    assert (found.needed >= gripper.min_opening).all()
    assert (found.opening >= found.needed - 1e-15).all()
    assert (found.opening <= found.needed + 2 * MARGIN + 1e-12).all()
    assert (oracle_2d.gap(FAMILY[name], start.reshape(-1, 2), discs.radius) >= -1e-12).all()


@pytest.mark.parametrize("gripper", GRIPPERS.values(), ids=GRIPPERS)
@pytest.mark.parametrize("name", FAMILY)
def test_needed_opening_is_that_at_which_both_jaws_touch(name, gripper):
    found, _, _, _ = arrivals(FAMILY[name], gripper)
    closed = oracle_2d.close(
        *(FAMILY[name], circles(gripper), found.centre, found.angle, found.opening),
        min_opening=gripper.min_opening,
        tolerance=gripper.tolerance,
    )
    assert (closed.outcome == oracle_2d.GRIPS).all()
    np.testing.assert_allclose(closed.opening, found.needed, atol=1e-6)


@pytest.mark.parametrize("gripper", GRIPPERS.values(), ids=GRIPPERS)
@pytest.mark.parametrize("name", FAMILY)
def test_closing_does_not_reject_where_placing_let_it_start(name, gripper):
    """Also where there was no room to back off by the margin: standing against a wall is not standing in it."""
    found, discs, _, _ = arrivals(FAMILY[name], gripper)
    closed = close(
        *(Edges.of(FAMILY[name]), discs, found.centre, found.angle, found.opening),
        min_opening=gripper.min_opening,
        tolerance=gripper.tolerance,
        translation=np.zeros((1, 2)),
        rotation=np.zeros(1),
        skip=~found.accepted,
    )
    assert (closed.outcome == GRIPS).all()


@pytest.mark.parametrize("name", FAMILY)
def test_both_jaws_back_off_by_the_margin_unless_opening_or_room_forbids(name):
    found, discs, start, heading = arrivals(FAMILY[name], GET)
    shape = start.shape[:2]
    travel = oracle_2d.first_touch(FAMILY[name], start.reshape(-1, 2), heading.reshape(-1, 2), discs.radius).reshape(shape)
    back = np.stack([travel[:, discs.wide].min(1), travel[:, ~discs.wide].min(1)], -1)
    open_wide = found.opening >= GET.max_opening - 1e-9
    behind = start - 2e-5 * heading
    cramped = (oracle_2d.gap(FAMILY[name], behind.reshape(-1, 2), discs.radius) < 0).reshape(shape)
    cramped = np.stack([cramped[:, discs.wide].any(1), cramped[:, ~discs.wide].any(1)], -1)
    free = ~open_wide[:, None] & ~cramped
    np.testing.assert_allclose(back[free], MARGIN, atol=1e-6)
    assert (back <= MARGIN + 1e-6).all()


@pytest.mark.parametrize("name", FAMILY)
def test_walks_are_contiguous_and_every_line_has_a_candidate(name):
    found, lines = placed(FAMILY[name]), sample(Edges.of(FAMILY[name]), DENSITY)
    begins = np.flatnonzero(np.diff(found.walk, prepend=-1))
    assert len(np.unique(found.walk)) == len(begins)
    for code in range(len(SAMPLERS)):
        assert (found.sampler == code).sum() >= (lines.sampler == code).sum()
    assert sum(funnel.sampled for funnel in found.funnels().values()) == len(found)


# ---- closed forms ----------------------------------------------------------------------------------------------------


def test_a_bar_is_met_from_its_width_and_two_margins():
    found = placed(bar(0.07, 0.03), lines=one_line([0.005, -0.015], [0.0, 1.0]))
    assert found.accepted.all()
    np.testing.assert_allclose(found.centre, [[0.005, 0]], atol=1e-15)
    assert found.angle == pytest.approx(np.pi / 2)
    assert found.needed == pytest.approx(0.03)
    assert found.opening == pytest.approx(0.03 + 2 * MARGIN)


def test_what_the_opening_leaves_is_shared_evenly():
    spare = 0.004
    found = placed(bar(0.15, LIMIT - spare), lines=one_line([0, -(LIMIT - spare) / 2], [0.0, 1.0]))
    assert found.opening == pytest.approx(LIMIT)
    np.testing.assert_allclose(found.centre, [[0, 0]], atol=1e-15)


def test_a_jaw_in_a_notch_backs_off_to_the_far_wall_at_the_most():
    """In a notch of 11 mm the narrow jaw can back off by 1 mm only; the wide jaw still has its 5 mm."""
    slot, r = 0.011, circles(NARROW).radius
    sideways_u = rotate(u_shape(slot, width=0.1, height=0.1), 90, origin=(0, 0))
    found = placed(sideways_u, NARROW, one_line([-0.02, -0.05], [0.0, 1.0]))
    grips = found.needed < 0.05
    assert found.needed[grips] == pytest.approx([0.05 - slot / 2])
    assert found.opening[grips] == pytest.approx([0.05 - slot / 2 + MARGIN + slot - 2 * r])


@pytest.mark.parametrize("over", [1e-5, 1e-9])
def test_an_object_a_hair_too_wide_is_refused_with_the_opening_it_needs(over):
    assert placed(bar(0.15, LIMIT - over)).accepted.any()
    found = placed(bar(0.15, LIMIT + over))
    assert reasons(found) == {"too_wide"}
    assert found.needed.min() == pytest.approx(LIMIT + over, abs=1e-15)
    assert (found.opening == 0).all()


def test_disc_needs_the_closed_form():
    """R + sqrt((R + r)^2 - a^2) - r for wide discs of radius r at +-a."""
    found, radius, r, a = placed(disc(0.11)), 0.055, 0.005, 0.015
    assert reasons(found) == {"too_wide"}
    assert found.needed.min() == pytest.approx(radius + np.sqrt((radius + r) ** 2 - a**2) - r, abs=2e-5)


def test_a_wide_jaw_astride_a_needle_meets_nothing():
    needle = bar(0.09, 0.0007)
    found = placed(needle, lines=one_line([-0.045, 0.0], [1.0, 0.0], "vertex"))
    assert reasons(found) == {"one_sided"}
    assert np.isinf(found.needed).all()
    assert reasons(placed(needle, NARROW, one_line([-0.045, 0.0], [1.0, 0.0], "vertex"))) == {"ok"}


@pytest.mark.parametrize(("hole", "fits"), [(0.0098, False), (0.0102, True)])
def test_a_hole_is_entered_if_the_finger_fits(hole, fits):
    found = placed(ring(0.05, hole))
    holes = found[found.sampler == SAMPLERS.index("hole")]
    assert holes.accepted.any() == fits
    if not fits:
        assert reasons(holes) == {"overlaps"}


@pytest.mark.parametrize(("notch", "fits"), [(0.00999, False), (0.01001, True)])
def test_a_notch_is_a_second_place_for_the_narrow_jaw_if_it_fits(notch, fits):
    found = placed(u_shape(notch), lines=one_line([-0.035, 0.014], [1.0, 0.0]))
    prong, across = 0.035 - notch / 2, 0.07
    np.testing.assert_allclose(np.sort(found.needed), [prong, across] if fits else [across], atol=1e-15)


def test_every_gap_of_a_comb_within_the_opening_is_a_candidate():
    """Eight teeth of 2 mm, 12.5 mm apart, 89.5 mm in all: seven gaps and the far side."""
    found = placed(comb(8, 0.0105, tooth=0.002), lines=one_line([-0.04475, 0.006], [1.0, 0.0]))
    np.testing.assert_allclose(np.sort(found.needed), 0.002 + 0.0125 * np.arange(8), atol=1e-12)


@pytest.mark.parametrize("name", ["parallel_turned", "hexagon", "near_round", "splinter", "wedge"])
def test_on_a_convex_outline_a_single_finger_meets_its_anchor(name):
    edges = Edges.of(FAMILY[name])
    lines = sample(edges, replace(DENSITY, vertex_lines=0))
    found = placed(FAMILY[name], NARROW, lines)
    assert len(found) == len(lines)
    closed = oracle_2d.close(
        *(FAMILY[name], circles(NARROW), found.centre, found.angle, found.opening), min_opening=0.0, tolerance=0.004
    )
    kept = found.accepted
    assert kept.any()
    np.testing.assert_allclose(closed.points[kept, 0], lines.anchor[kept], atol=1e-9)
