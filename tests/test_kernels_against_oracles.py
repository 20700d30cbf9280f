"""The fast kernels against the slow and obvious: Qhull for epsilon, linear and conic programmes for closure."""

import numpy as np
import pytest

from tests import oracles
from tests.specimens import SIZE, idle_third, judge, on_disc, planar, some, spatial
from wrench import Contacts, Convention, force_closure, form_closure

DECIDED = 1e-6  # margins nearer to zero are left to neither side
TORSION = 0.005  # m


def each(contacts):
    """Return points and normals of every grasp of a batch (n,)."""
    return [oracles.made_only(contacts, i) for i in range(len(contacts))]


def friction_for(rng, contacts):
    return rng.uniform(0.2, 1.2, len(contacts))


def assert_same_verdict(found, margin, least=0.15, undecided=0.1):
    """Equal to the sign of the oracle's margin wherever it is clear; both verdicts occur in good numbers."""
    margin = np.asarray(margin)
    clear = np.abs(margin) > DECIDED
    assert (~clear).mean() <= undecided
    np.testing.assert_array_equal(found[clear], margin[clear] > 0)
    assert least < found.mean() < 1 - least


def hulls(contacts, friction, **cones):
    """Return Qhull's L1 epsilon of every grasp, 0 where it is not positive."""
    grasps = zip(each(contacts), friction, strict=True)
    values = [
        oracles.epsilon_l1(oracles.primitives(*g, mu, np.zeros(contacts.dimension), SIZE, **cones)) for g, mu in grasps
    ]
    return np.maximum(values, 0)


# ---- the oracles against each other ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dimension", [2, 3])
def test_oracles_agree_with_each_other(dimension):
    """Hull and linear programme of the same pyramids agree; the round cone lies between 64-edge pyramids."""
    rng = np.random.default_rng(30)
    contacts = some(rng, 40, dimension)
    friction = friction_for(rng, contacts)
    grasps = list(zip(each(contacts), friction, strict=True))
    eight = np.array([oracles.pyramid_margin(*g, mu) for g, mu in grasps])
    np.testing.assert_array_equal(eight > 1e-9, hulls(contacts, friction) > 1e-9)
    inside, around = (
        np.array([oracles.pyramid_margin(*g, mu, edges=64, around=flag) for g, mu in grasps]) for flag in (False, True)
    )
    cone = np.array([oracles.cone_margin(*g, mu) for g, mu in grasps])
    assert (cone[inside > DECIDED] > 0).all()
    assert (around[cone > DECIDED] > 0).all()
    assert 0.15 < (cone > DECIDED).mean() < 0.85


def test_qhull_oracle_knows_a_cube_and_a_flat_square():
    corners = np.array(np.meshgrid([-1, 2], [-1, 2], [-1, 2])).reshape(3, -1).T
    assert oracles.hull_epsilon(corners) == pytest.approx(1.0, abs=1e-12)
    assert oracles.hull_epsilon(corners[corners[:, 0] == 2]) == 0.0
    assert oracles.hull_epsilon(corners + 5) == pytest.approx(-4.0, abs=1e-12)


# ---- closure ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "n"), [(2, 300), (3, 1000), (4, 200), (5, 200)])
def test_planar_closure_is_the_linear_programmes(k, n):
    rng = np.random.default_rng(31)
    contacts = planar(rng, n, k)
    friction = friction_for(rng, contacts)
    margin = [oracles.pyramid_margin(*g, mu) for g, mu in zip(each(contacts), friction, strict=True)]
    assert_same_verdict(force_closure(contacts, friction=friction), margin, least=0.05)


@pytest.mark.parametrize(("k", "n"), [(3, 1000), (4, 100), (5, 100)])
def test_spatial_closure_is_the_conic_programmes(k, n):
    rng = np.random.default_rng(32)
    contacts = spatial(rng, n, k)
    friction = friction_for(rng, contacts)
    margin = [oracles.cone_margin(*g, mu) for g, mu in zip(each(contacts), friction, strict=True)]
    assert_same_verdict(force_closure(contacts, friction=friction), margin)


@pytest.mark.parametrize("k", [2, 3])
def test_soft_finger_closure_is_the_conic_programmes(k):
    rng = np.random.default_rng(33)
    contacts = soft_pairs(rng, 100) if k == 2 else spatial(rng, 100, 3)
    margin = [oracles.cone_margin(*g, 0.6, torsion=TORSION) for g in each(contacts)]
    found = force_closure(contacts, friction=0.6, torsion=TORSION)
    assert_same_verdict(found, margin)
    assert (found >= force_closure(contacts, friction=0.6)).all()


def soft_pairs(rng, n):
    """Return nearly opposed spatial pairs, some within and some beyond their friction cones."""
    inward = np.array([[1.0, 0, 0], [-1.0, 0, 0]])
    normals = inward + rng.normal(0, 0.35, (n, 2, 3))
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    return Contacts.all_made(-SIZE * inward + rng.normal(0, 0.1 * SIZE, (n, 2, 3)), normals)


@pytest.mark.parametrize(("dimension", "k"), [(2, 3), (2, 4), (2, 6), (3, 6), (3, 9)])
def test_form_closure_is_the_linear_programmes(dimension, k):
    contacts = some(np.random.default_rng(34), 150, dimension, k)
    margin = np.array([oracles.form_margin(*g) for g in each(contacts)])
    found = form_closure(contacts)
    np.testing.assert_array_equal(found[np.abs(margin) > DECIDED], margin[np.abs(margin) > DECIDED] > 0)
    assert found.any() == (k > (3 if dimension == 2 else 6)), "at least 4 contacts in the plane and 7 in space"


@pytest.mark.parametrize("friction", [0.3, 0.75])
def test_an_idle_third_finger_is_not_closure(friction):
    """Two contacts balance alone, the third carries nothing: the origin is on the hull, where closed tests say yes."""
    contacts = idle_third(np.random.default_rng(35), 300, friction)
    assert not force_closure(contacts, friction=friction).any()
    found = judge(contacts, friction)
    assert (found.epsilon == 0).all()
    assert not found.closure.any()
    margin = np.array([oracles.cone_margin(*g, friction) for g in each(contacts[:50])])
    assert (np.abs(margin) < DECIDED).all(), "a closed test would accept each of them"
    waking = Contacts.all_made(
        contacts.points, np.where(np.arange(3)[:, None] == 2, into_plane(contacts), contacts.normals)
    )
    assert force_closure(waking, friction=friction).all(), (
        "the first two must balance well, else the family shows nothing"
    )


def into_plane(contacts):
    """Return, for every place, the direction from the third contact towards the middle of the first two."""
    towards = contacts.points[:, :2].mean(1) - contacts.points[:, 2]
    return (towards / np.linalg.norm(towards, axis=-1, keepdims=True))[:, None]


# ---- epsilon ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "n"), [(2, 300), (3, 1000), (4, 200), (5, 200)])
def test_planar_epsilon_is_qhulls(k, n):
    rng = np.random.default_rng(36)
    contacts = planar(rng, n, k)
    friction = friction_for(rng, contacts)
    found = judge(contacts, friction)
    np.testing.assert_allclose(found.epsilon, hulls(contacts, friction), rtol=0, atol=1e-10)
    np.testing.assert_array_equal(found.epsilon_upper, found.epsilon)
    assert 0.05 < found.closure.mean() < 0.95


@pytest.mark.parametrize(("k", "n"), [(2, 20), (3, 1000), (4, 60)])
def test_spatial_eight_edge_epsilon_is_qhulls(k, n):
    rng = np.random.default_rng(37)
    contacts = spatial(rng, n, k)
    friction = friction_for(rng, contacts)
    found = judge(contacts, friction, cone=8)
    np.testing.assert_allclose(found.epsilon, hulls(contacts, friction), rtol=0, atol=1e-10)
    assert found.closure.any() == (k > 2)


@pytest.mark.parametrize("edges", [3, 4, 5, 6, 12])
def test_other_pyramids_are_qhulls(edges):
    rng = np.random.default_rng(38)
    contacts = spatial(rng, 60)
    friction = friction_for(rng, contacts)
    for kind, around in [("inscribed", False), ("circumscribed", True)]:
        found = judge(contacts, friction, cone=f"{kind}:{edges}")
        np.testing.assert_allclose(
            found.epsilon, hulls(contacts, friction, edges=edges, around=around), rtol=0, atol=1e-10
        )
        np.testing.assert_array_equal(found.epsilon_upper, found.epsilon)


def test_exact_cone_bracket_meets_the_sandwich_of_24_edge_pyramids():
    contacts = spatial(np.random.default_rng(39), 50)
    found = judge(contacts, 0.6)
    assert found.closure.sum() > 10
    for i in np.flatnonzero(found.closure):
        inside, around = oracles.epsilon_bracket(*oracles.made_only(contacts, i), 0.6, np.zeros(3), SIZE, edges=24)
        assert found.epsilon[i] <= around + 1e-12
        assert found.epsilon_upper[i] >= inside - 1e-12


def test_exact_cone_lower_bound_is_below_the_support_in_every_direction():
    """The hull reaches at least epsilon along every direction; near the worst of them hardly more."""
    rng = np.random.default_rng(40)
    contacts = spatial(rng, 100)
    found = judge(contacts, 0.6)
    for i in np.flatnonzero(found.closure):
        directions, spread = rng.normal(size=(500, 6)), 1.0
        for _ in range(12):  # random descent: keep the worst direction, search ever closer to it
            directions /= np.linalg.norm(directions, axis=1, keepdims=True)
            reach = oracles.support(directions, *oracles.made_only(contacts, i), 0.6, np.zeros(3), SIZE)
            assert (found.epsilon[i] <= reach + 1e-12).all()
            best, spread = directions[reach.argmin()], spread / 2
            directions = np.vstack([best, best + spread * rng.normal(size=(500, 6))])


def test_soft_finger_bracket_meets_the_sandwich():
    contacts = soft_pairs(np.random.default_rng(41), 12)
    found = judge(contacts, 0.6, torsion=TORSION, gap=1e-2)
    assert 0 < found.closure.sum() < 12
    for i in range(12):
        bracket = oracles.epsilon_bracket(
            *oracles.made_only(contacts, i), 0.6, np.zeros(3), SIZE, edges=16, torsion=TORSION
        )
        assert found.epsilon[i] <= max(bracket[1], 0) + 1e-12
        assert found.epsilon_upper[i] >= max(bracket[0], 0) - 1e-12


def test_soft_finger_pyramid_epsilon_is_qhulls():
    contacts = soft_pairs(np.random.default_rng(42), 30)
    found = judge(contacts, 0.6, cone=8, torsion=TORSION)
    expected = hulls(contacts, np.full(30, 0.6), torsion=TORSION)
    np.testing.assert_allclose(found.epsilon, expected, rtol=0, atol=1e-10)
    assert 0.1 < found.closure.mean() < 0.95


@pytest.mark.parametrize(("dimension", "cone", "n"), [(2, "exact", 60), (3, 4, 20)])
def test_linf_epsilon_is_that_of_the_minkowski_sum(dimension, cone, n):
    rng = np.random.default_rng(43)
    contacts = some(rng, n, dimension)
    found = judge(contacts, 0.6, convention=Convention(hull="linf"), cone=cone)
    groups = [oracles.primitives(*g, 0.6, np.zeros(dimension), SIZE, edges=4) for g in each(contacts)]
    expected = np.maximum([oracles.epsilon_linf(group) for group in groups], 0)
    np.testing.assert_allclose(found.epsilon, expected, rtol=0, atol=1e-10)
    assert found.closure.any()


@pytest.mark.parametrize("k", [2, 3, 4])
def test_released_preset_is_an_eight_force_fan(k):
    rng = np.random.default_rng(44)
    points, normals = on_disc(rng, 200, k)
    contacts = Contacts.all_made(points, normals)
    friction = friction_for(rng, contacts)
    found = judge(contacts, friction, convention="released")
    expected = hulls(contacts, friction, fan=8)
    np.testing.assert_allclose(found.epsilon, expected, rtol=0, atol=1e-10)
    np.testing.assert_array_equal(found.closure, force_closure(contacts, friction=friction))
    assert 0.05 < found.closure.mean() < 0.95
