"""Laws of the mechanics that no implementation may break, over seeded random grasps in the plane and in space."""

from itertools import permutations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from tests.specimens import SIZE, judge, planar, some, spatial
from wrench import Contacts, Convention, force_closure, form_closure

ROUNDING = 1e-10  # of an epsilon of order 0.1, after a change of frame
both_dimensions = pytest.mark.parametrize("dimension", [2, 3])


def assert_same_grasp(one, other):
    """Equal verdicts, and brackets that can hold the same number (in the plane a bracket is one number)."""
    np.testing.assert_array_equal(one.closure, other.closure)
    assert 0.1 < one.closure.mean() < 0.9, "a law tested on one verdict only shows nothing"
    assert (one.epsilon <= other.epsilon_upper + ROUNDING).all()
    assert (other.epsilon <= one.epsilon_upper + ROUNDING).all()


def turn(dimension, rng):
    rotation = Rotation.random(rng=rng) if dimension == 3 else Rotation.from_rotvec([0, 0, rng.uniform(0, 2 * np.pi)])
    return rotation.as_matrix()[:dimension, :dimension]


# ---- invariance ------------------------------------------------------------------------------------------------------


@both_dimensions
def test_moving_object_and_grasp_together_changes_nothing(dimension):
    rng = np.random.default_rng(1)
    contacts = some(rng, 200, dimension)
    matrix, shift = turn(dimension, rng), rng.normal(size=dimension)
    moved = Contacts.all_made(contacts.points @ matrix.T + shift, contacts.normals @ matrix.T)
    assert_same_grasp(judge(contacts, 0.6), judge(moved, 0.6, origin=shift))


@both_dimensions
def test_length_unit_is_immaterial(dimension):
    contacts = some(np.random.default_rng(2), 200, dimension)
    millimetres = Contacts.all_made(contacts.points * 1000, contacts.normals)
    assert_same_grasp(judge(contacts, 0.6), judge(millimetres, 0.6, torque_scale=1000 * SIZE))


@both_dimensions
def test_contact_labels_are_immaterial(dimension):
    contacts = some(np.random.default_rng(3), 100, dimension)
    expected = judge(contacts, 0.6)
    for order in permutations(range(3)):
        relabelled = Contacts.all_made(contacts.points[:, order], contacts.normals[:, order])
        assert_same_grasp(expected, judge(relabelled, 0.6))


@both_dimensions
def test_mirror_image_is_as_good(dimension):
    contacts = some(np.random.default_rng(4), 200, dimension)
    flip = np.ones(dimension)
    flip[0] = -1
    mirrored = Contacts.all_made((contacts.points * flip)[:, [1, 0, 2]], (contacts.normals * flip)[:, [1, 0, 2]])
    assert_same_grasp(judge(contacts, 0.6), judge(mirrored, 0.6))


def test_exact_cones_have_no_tangents():
    """Turning the grasp changes the arbitrary tangents: a pyramid's epsilon moves, the round cone's does not."""
    rng = np.random.default_rng(5)
    contacts = spatial(rng, 100)
    exact, pyramid = judge(contacts, 0.6, gap=1e-4), judge(contacts, 0.6, cone=8)
    closed = exact.closure
    turns = [Rotation.from_rotvec(angle * axis) for axis in np.eye(3) for angle in (0.4, 1.9)]
    largest_change = 0.0
    for matrix in (rotation.as_matrix() for rotation in [*turns, *Rotation.random(6, rng=rng)]):
        turned = Contacts.all_made(contacts.points @ matrix.T, contacts.normals @ matrix.T)
        assert_same_grasp(exact, judge(turned, 0.6, gap=1e-4))
        change = np.abs(judge(turned, 0.6, cone=8).epsilon - pyramid.epsilon)[closed] / exact.epsilon[closed]
        largest_change = max(largest_change, change.max())
    assert largest_change > 0.01, "the turns did not change the tangents"


@both_dimensions
def test_closure_depends_on_neither_origin_nor_scale(dimension):
    rng = np.random.default_rng(6)
    contacts = some(rng, 300, dimension)
    expected = force_closure(contacts, friction=0.6)
    assert 0.1 < expected.mean() < 0.9
    for scale in (SIZE / 5, SIZE, 10 * SIZE):
        found = judge(contacts, 0.6, origin=rng.normal(0, SIZE, dimension), torque_scale=scale)
        np.testing.assert_array_equal(found.closure, expected)
        np.testing.assert_array_equal(found.epsilon > 0, expected)


# ---- order -----------------------------------------------------------------------------------------------------------


@both_dimensions
@pytest.mark.parametrize("cone", ["exact", 8, "circumscribed:8"])
def test_more_friction_never_hurts(dimension, cone):
    contacts = some(np.random.default_rng(7), 100, dimension)
    last = judge(contacts, 0.0, cone=cone)
    for friction in (0.1, 0.3, 0.5, 0.75, 1.0, 2.0):
        now = judge(contacts, friction, cone=cone)
        assert (now.epsilon_upper >= last.epsilon - ROUNDING).all()
        assert (now.closure >= last.closure).all()
        last = now
    assert last.closure.mean() > 0.3


@both_dimensions
def test_an_added_contact_never_hurts(dimension):
    four = some(np.random.default_rng(8), 60, dimension, k=4)
    every = np.arange(4)
    last = None
    for count in (1, 2, 3, 4):
        made = np.broadcast_to(every < count, four.made.shape)
        now = judge(Contacts(four.points, four.normals, made), 0.6, cone=8)
        assert (now.contacts == count).all()
        if last is not None:
            assert (now.epsilon >= last.epsilon - ROUNDING).all()
            assert (now.closure >= last.closure).all()
        last = now
    assert last.closure.mean() > 0.3


@both_dimensions
def test_a_doubled_contact_changes_nothing(dimension):
    contacts = some(np.random.default_rng(9), 50, dimension)
    doubled = Contacts.all_made(contacts.points[:, [0, 1, 2, 2]], contacts.normals[:, [0, 1, 2, 2]])
    assert_same_grasp(judge(contacts, 0.6, cone=8), judge(doubled, 0.6, cone=8))
    np.testing.assert_array_equal(force_closure(contacts, friction=0.6), force_closure(doubled, friction=0.6))


@pytest.mark.parametrize("gap", [1e-1, 1e-2, 1e-3, 1e-4])
def test_bracket_is_ordered_and_as_narrow_as_asked(gap):
    contacts = spatial(np.random.default_rng(10), 200)
    found = judge(contacts, 0.6, gap=gap)
    width = found.epsilon_upper - found.epsilon
    assert (width >= 0).all()
    assert (width <= gap * found.epsilon_upper)[found.closure].all()
    assert_same_grasp(found, judge(contacts, 0.6, gap=1e-5))


@pytest.mark.parametrize(("dimension", "cone"), [(2, "exact"), (3, 4)])
def test_effort_per_contact_reaches_further_than_effort_shared(dimension, cone):
    contacts = some(np.random.default_rng(12), 20, dimension)
    shared, each = (judge(contacts, 0.6, convention=Convention(hull=hull), cone=cone) for hull in ("l1", "linf"))
    np.testing.assert_array_equal(shared.closure, each.closure)
    assert (shared.epsilon <= each.epsilon + ROUNDING).all()
    assert (each.epsilon > 1.1 * shared.epsilon)[shared.closure].any()


@both_dimensions
@pytest.mark.parametrize("friction", [0.3, 0.75])
def test_unit_edges_scale_epsilon_by_the_cosine_of_the_cone(dimension, friction):
    contacts = some(np.random.default_rng(13), 200, dimension)
    cone = "exact" if dimension == 2 else 8
    normal, edge = (
        judge(contacts, friction, convention=Convention(force=f), cone=cone) for f in ("unit_normal", "unit_edge")
    )
    np.testing.assert_array_equal(edge.closure, normal.closure)
    np.testing.assert_allclose(edge.epsilon, normal.epsilon / np.sqrt(1 + friction**2), atol=1e-12)


def test_pyramids_bracket_the_round_cone():
    contacts = spatial(np.random.default_rng(14), 150)
    exact = judge(contacts, 0.6, gap=1e-4)
    inside = [judge(contacts, 0.6, cone=f"inscribed:{m}") for m in (4, 8, 16)]
    around = [judge(contacts, 0.6, cone=f"circumscribed:{m}") for m in (4, 8, 16)]
    for coarse, fine in zip(inside, inside[1:], strict=False):  # the first edge is the same, so the polygons nest
        assert (coarse.epsilon <= fine.epsilon + ROUNDING).all()
    for low, high in zip(inside, around, strict=True):
        assert (low.epsilon <= exact.epsilon_upper + ROUNDING).all()
        assert (exact.epsilon <= high.epsilon + ROUNDING).all()
        assert (low.closure <= exact.closure).all()
        assert (exact.closure <= high.closure).all()
    assert (around[-1].epsilon < 1.1 * inside[-1].epsilon)[inside[-1].epsilon > 0.05].all()


def test_without_friction_force_closure_is_form_closure():
    contacts = planar(np.random.default_rng(15), 200, k=5)
    expected = form_closure(contacts)
    assert 0.1 < expected.mean() < 0.9
    np.testing.assert_array_equal(force_closure(contacts, friction=0.0), expected)


# ---- answers that are not closure --------------------------------------------------------------------------------


@both_dimensions
def test_not_closed_means_exactly_zero_unless_signed(dimension):
    contacts = some(np.random.default_rng(16), 200, dimension)
    plain, signed = (judge(contacts, 0.5, cone=8, signed=flag) for flag in (False, True))
    assert (plain.epsilon[~plain.closure] == 0).all()
    np.testing.assert_array_equal(plain.epsilon > 0, plain.closure)
    np.testing.assert_array_equal(signed.epsilon > 0, plain.closure)
    np.testing.assert_array_equal(signed.epsilon[plain.closure], plain.epsilon[plain.closure])
    assert (signed.epsilon[~plain.closure] < 0).any()


@both_dimensions
def test_nearly_degenerate_sets_stay_finite_and_small(dimension):
    """Contacts near one point, or in space near one line, resist no torque about it beyond their lever arm."""
    rng = np.random.default_rng(17)
    for size in 10.0 ** np.arange(-16, -2):
        contacts = some(rng, 20, dimension)
        centre, noise = contacts.points[:, :1], size * rng.normal(size=contacts.points.shape)
        line = (contacts.points - centre) * np.eye(dimension)[0]
        for along, reach in [(0, noise)] + [(line, noise[..., 1:])] * (dimension == 3):
            found = judge(Contacts.all_made(centre + along + noise, contacts.normals), 0.6)
            assert np.isfinite(found.epsilon_upper).all()
            assert (found.epsilon >= 0).all()
            assert (found.epsilon <= found.epsilon_upper).all()
            lever = np.linalg.norm(reach, axis=-1).max(-1)
            assert (found.epsilon <= np.hypot(1, 0.6) * lever / SIZE + 1e-12).all()


# ---- batches ---------------------------------------------------------------------------------------------------------


@both_dimensions
@pytest.mark.parametrize("cone", ["exact", 8])
def test_answers_do_not_depend_on_batch_shape_or_split(dimension, cone):
    contacts = some(np.random.default_rng(18), 24, dimension)
    whole = judge(contacts, 0.6, cone=cone)
    grid = judge(
        Contacts.all_made(*(a.reshape(4, 6, 3, dimension) for a in (contacts.points, contacts.normals))), 0.6, cone=cone
    )
    for field in ("closure", "epsilon", "epsilon_upper", "contacts"):
        expected = getattr(whole, field)
        np.testing.assert_array_equal(getattr(grid, field), expected.reshape(4, 6))
        halves = [getattr(judge(contacts[part], 0.6, cone=cone), field) for part in (slice(7), slice(7, None))]
        np.testing.assert_array_equal(np.concatenate(halves), expected)
        single = getattr(judge(contacts[5], 0.6, cone=cone), field)
        assert np.shape(single) == ()
        assert single == expected[5]
    assert judge(contacts[:0], 0.6, cone=cone).epsilon.shape == (0,)


@both_dimensions
def test_friction_origin_and_scale_may_differ_per_grasp(dimension):
    rng = np.random.default_rng(19)
    contacts = some(rng, 12, dimension)
    friction, origin = rng.uniform(0.2, 1, 12), rng.normal(0, SIZE / 2, (12, dimension))
    scale = rng.uniform(0.5, 2, 12) * SIZE
    together = judge(contacts, friction, origin=origin, torque_scale=scale)
    alone = [judge(contacts[i], friction[i], origin=origin[i], torque_scale=scale[i]) for i in range(12)]
    np.testing.assert_array_equal(together.epsilon, [one.epsilon for one in alone])
    np.testing.assert_array_equal(together.closure, [one.closure for one in alone])
    np.testing.assert_array_equal(together.torque_scale.metres, scale)
