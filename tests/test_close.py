"""Closing against the slow oracle: thousands of poses over the family, displaced and turned, for every jaw layout."""

import numpy as np
import pytest
import shapely

from get2d.close import GRIPS, MISSES, OVERLAPS, PASSES, SKIPPED, close
from get2d.edges import Edges
from get2d.place import place
from get2d.samplers import Density, sample
from grasp import Gripper
from grasp.circles import circles
from tests import oracle_2d
from tests.polygons import FAMILY, bar, u_shape, wedge

TRANSLATION = np.random.default_rng(1).normal(0, 0.003, (5, 2))
ROTATION = np.array([0.0, 0.0, 0.05, 0.05, -0.11])  # two draws of one rotation share their work in the kernel
DENSITY = Density(edge_spacing=0.004, hole_spacing=0.004, vertex_turn=0.17, vertex_lines=3)
GRIPPERS = {name: Gripper.preset(name) for name in ("get", "two_narrow", "two_wide")}
GET = GRIPPERS["get"]
NAMES = {GRIPS: "grips", OVERLAPS: "overlaps", MISSES: "misses", PASSES: "passes"}


def poses(polygon, gripper, planned=40, random=60, seed=2):
    """Return centres, angles and openings: some a planner would try, some anywhere."""
    rng, edges = np.random.default_rng(seed), Edges.of(polygon)
    limits = {"max_opening": gripper.max_opening, "min_opening": gripper.min_opening, "margin": 0.005}
    found = place(edges, sample(edges, DENSITY), circles(gripper), **limits)
    rows = np.flatnonzero(found.accepted)
    rows = rng.permutation(rows)[:planned]
    low, high = np.array(polygon.bounds).reshape(2, 2)
    return (
        np.concatenate([found.centre[rows], rng.uniform(low, high, (random, 2))]),
        np.concatenate([found.angle[rows], rng.uniform(-np.pi, np.pi, random)]),
        np.concatenate([found.opening[rows], rng.uniform(0.002, gripper.max_opening, random)]),
    )


def ours(polygon, gripper, centre, angle, opening, translation=TRANSLATION, rotation=ROTATION, skip=None):
    skip = np.zeros(len(angle), bool) if skip is None else skip
    limits = {"min_opening": gripper.min_opening, "tolerance": gripper.tolerance}
    draws = {"translation": translation, "rotation": rotation}
    return close(Edges.of(polygon), circles(gripper), centre, angle, opening, **limits, **draws, skip=skip)


def theirs(polygon, gripper, centre, angle, opening, translation=TRANSLATION, rotation=ROTATION):
    n, s = len(angle), len(rotation)
    moved = (centre[:, None] + translation).reshape(n * s, 2)
    turned, open_by = (angle[:, None] + rotation).ravel(), np.repeat(opening, s)
    limits = {"min_opening": gripper.min_opening, "tolerance": gripper.tolerance}
    return oracle_2d.close(polygon, circles(gripper), moved, turned, open_by, **limits)


# ---- agreement -------------------------------------------------------------------------------------------------------


def test_oracle_and_kernel_mean_the_same_outcomes():
    theirs = oracle_2d.GRIPS, oracle_2d.OVERLAPS, oracle_2d.MISSES, oracle_2d.PASSES
    assert (GRIPS, OVERLAPS, MISSES, PASSES) == theirs


@pytest.mark.parametrize("gripper", GRIPPERS.values(), ids=GRIPPERS)
@pytest.mark.parametrize("name", FAMILY)
def test_closing_is_the_oracles(name, gripper):
    polygon, k = FAMILY[name], len(circles(gripper))
    batch = poses(polygon, gripper)
    found, expected = ours(polygon, gripper, *batch), theirs(polygon, gripper, *batch)
    np.testing.assert_array_equal(found.outcome.ravel(), expected.outcome)
    np.testing.assert_array_equal(found.contacts.made.reshape(-1, k), expected.made)
    np.testing.assert_allclose(found.opening.ravel(), expected.opening, atol=1e-6)
    np.testing.assert_allclose(found.contacts.points.reshape(-1, k, 2), expected.points, atol=1e-6)
    np.testing.assert_allclose(found.contacts.normals.reshape(-1, k, 2), expected.normals, atol=1e-6)


def test_the_family_meets_every_outcome_and_every_number_of_contacts():
    outcomes, counts = [], []
    for polygon in FAMILY.values():
        found = ours(polygon, GET, *poses(polygon, GET))
        outcomes.append(found.outcome.ravel())
        counts.append(found.contacts.count[found.outcome == GRIPS])
    often = np.bincount(np.concatenate(outcomes), minlength=5)
    assert (often[[GRIPS, OVERLAPS]] > 1000).all()
    assert (often[[MISSES, PASSES]] > 30).all()
    assert (np.bincount(np.concatenate(counts), minlength=4)[2:] > 300).all()


# ---- laws ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FAMILY)
def test_every_contact_lies_on_the_outline_and_its_normal_points_inward(name):
    polygon = FAMILY[name]
    contacts = ours(polygon, GET, *poses(polygon, GET)).contacts
    points, normals = contacts.points[contacts.made], contacts.normals[contacts.made]
    if not len(points):
        assert name == "just_does_not_fit"
        return
    assert shapely.distance(polygon.boundary, shapely.points(points)).max() < 1e-9
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-9)
    disc = points - circles(GET).radius * normals
    assert oracle_2d.gap(polygon, disc, circles(GET).radius).min() > -1e-9, "the disc that touches does not overlap"


def test_any_split_of_candidates_and_draws_gives_the_same_bits():
    rng, polygon = np.random.default_rng(3), FAMILY["notched"]
    centre, angle, opening = poses(polygon, GET)
    whole = ours(polygon, GET, centre, angle, opening)
    for _ in range(4):
        cuts = np.sort(rng.integers(0, len(angle), 5))
        rows = np.split(np.arange(len(angle)), cuts)
        draws = np.split(np.arange(len(ROTATION)), np.sort(rng.integers(0, len(ROTATION), 2)))
        for row in rows:
            for draw in draws:
                part = ours(polygon, GET, centre[row], angle[row], opening[row], TRANSLATION[draw], ROTATION[draw])
                block = np.ix_(row, draw)
                np.testing.assert_array_equal(part.outcome, whole.outcome[block])
                np.testing.assert_array_equal(part.opening, whole.opening[block])
                for field in ("points", "normals", "made"):
                    np.testing.assert_array_equal(getattr(part.contacts, field), getattr(whole.contacts, field)[block])


def test_skipped_candidates_are_not_tried_and_change_no_other():
    polygon = FAMILY["star"]
    batch = poses(polygon, GET)
    skip = np.arange(len(batch[1])) % 3 == 0
    whole, part = ours(polygon, GET, *batch), ours(polygon, GET, *batch, skip=skip)
    assert (part.outcome[skip] == SKIPPED).all()
    assert not part.contacts.made[skip].any()
    assert np.isnan(part.opening[skip]).all()
    np.testing.assert_array_equal(part.outcome[~skip], whole.outcome[~skip])
    np.testing.assert_array_equal(part.contacts.points[~skip], whole.contacts.points[~skip])


def test_a_draw_displaces_the_gripper_about_its_own_origin():
    polygon = FAMILY["wedge"]
    centre, angle, opening = poses(polygon, GET)
    drawn = ours(polygon, GET, centre, angle, opening)
    for s, (shift, turn) in enumerate(zip(TRANSLATION, ROTATION, strict=True)):
        moved = ours(polygon, GET, centre + shift, angle + turn, opening, np.zeros((1, 2)), np.zeros(1))
        np.testing.assert_array_equal(drawn.outcome[:, s], moved.outcome[:, 0])
        np.testing.assert_allclose(drawn.contacts.points[:, s], moved.contacts.points[:, 0], atol=1e-12)


# ---- closed forms ----------------------------------------------------------------------------------------------------


def once(polygon, centre, degrees, opening, gripper=GET):
    one = np.array([centre]), np.radians([degrees]), np.array([opening])
    return ours(polygon, gripper, *one, np.zeros((1, 2)), np.zeros(1))


def test_bar_is_held_by_three_contacts_at_the_pads_offsets():
    found = once(bar(0.07, 0.03), [0.004, 0.0], 90, 0.04)
    np.testing.assert_allclose(found.contacts.points[0, 0], [[-0.011, -0.015], [0.019, -0.015], [0.004, 0.015]], atol=1e-15)
    np.testing.assert_allclose(found.contacts.normals[0, 0], [[0, 1], [0, 1], [0, -1]], atol=1e-12)
    assert found.opening == pytest.approx(0.03)


@pytest.mark.parametrize(("degrees", "made"), [(7.0, [True, True, True]), (-7.0, [True, True, True]), (8.0, 2), (-8.0, 2)])
def test_the_later_wide_pad_counts_up_to_the_tolerance(degrees, made):
    """Pads 30 mm apart on a face turned by t differ by 30 mm tan t: 3.68 mm at 7 degrees, 4.22 mm at 8."""
    contacts = once(bar(0.09, 0.03), [0.0, 0.0], 90 + degrees, 0.06).contacts
    if made == 2:
        first = 0 if degrees < 0 else 1
        made = [first == 0, first == 1, True]
    assert contacts.made[0, 0].tolist() == made


@pytest.mark.parametrize(
    ("centre", "opening", "outcome"),
    [
        ([0.0, 0.005], 0.002, PASSES),  # both jaws in the notch, which they meet beyond each other
        ([-0.0325, 0.005], 0.045, GRIPS),
        ([0.0, -0.015], 0.03, OVERLAPS),
        ([0.1, 0.0], 0.05, MISSES),  # the wide jaw closes away from the object
    ],
)
def test_outcomes_at_a_notch_of_30_mm(centre, opening, outcome):
    found = once(u_shape(0.03, width=0.08), centre, 0, opening, GRIPPERS["two_narrow"])
    assert NAMES[int(found.outcome[0, 0])] == NAMES[outcome]
    assert np.isnan(found.opening[0, 0]) == (outcome != GRIPS)
    assert found.contacts.made.any() == (outcome == GRIPS)


def test_wedge_is_held_otherwise_after_half_a_turn_but_not_after_a_whole_one():
    """Case O26: base of 60 mm on x, top of 8 mm at y = 40 mm, closing line x = 0."""

    def held(degrees):
        contacts = once(wedge(), [0.0, 0.02], degrees, 0.06).contacts[0, 0]
        return contacts.points[contacts.made]

    np.testing.assert_allclose(held(90), [[-0.015, 0], [0.015, 0], [0, 0.04]], atol=1e-12)
    np.testing.assert_allclose(held(450), held(90), atol=1e-12)
    slant = np.array([40, 26]) / np.hypot(40, 26)  # outward normal of the right side, from (30, 0) to (4, 40) mm
    x = 0.015 - 0.005 * slant[0]
    y = (0.03 - x) * 40 / 26
    np.testing.assert_allclose(held(-90), [[x, y], [-x, y], [0, 0]], atol=1e-12)
