"""Results on different scales refuse to be joined, compared or averaged, and say which two scales they are."""

import numpy as np
import pytest

import wrench
from tests.specimens import SIZE, judge, planar, spatial
from wrench import Convention
from wrench.errors import ConventionMismatch, GraspError
from wrench.reference import Origin, OriginRule, ScaleRule, TorqueScale

CONTACTS = planar(np.random.default_rng(50), 40)
SOLID = spatial(np.random.default_rng(51), 20)

# What differs between two results, and the words that must name each of them.
MIXED = {
    "force model": ({"convention": "paper"}, {"convention": "released"}, ("paper", "released")),
    "unit edges": ({"convention": "paper"}, {"convention": Convention(force="unit_edge")}, ("paper", "unit_edge")),
    "hull": ({"convention": "paper"}, {"convention": Convention(hull="linf")}, ("paper", "linf")),
    "given scale": ({"torque_scale": 0.03}, {"torque_scale": 0.06}, ("0.03", "0.06")),
    "scale rule": (
        {"torque_scale": TorqueScale(SIZE, ScaleRule.OBJECT_LENGTH)},
        {"torque_scale": TorqueScale(SIZE, ScaleRule.MAX_RADIUS)},
        ("object_length", "max_radius"),
    ),
}
JOINS = {
    "concatenate": lambda one, other: wrench.concatenate([one, other]),
    "exceeds": wrench.exceeds,
    "exceeds, the other way": lambda one, other: wrench.exceeds(other, one),
}


@pytest.mark.parametrize("join", JOINS.values(), ids=JOINS)
@pytest.mark.parametrize(("one", "other", "names"), MIXED.values(), ids=MIXED)
def test_different_scales_do_not_mix(join, one, other, names):
    with pytest.raises(ConventionMismatch) as refusal:
        join(judge(CONTACTS, 0.75, **one), judge(CONTACTS, 0.75, **other))
    assert isinstance(refusal.value, GraspError)
    assert all(name in str(refusal.value) for name in names)


@pytest.mark.parametrize("join", JOINS.values(), ids=JOINS)
def test_different_cones_do_not_mix(join):
    with pytest.raises(ConventionMismatch, match="circumscribed:8") as refusal:
        join(judge(SOLID, 0.75, cone=8), judge(SOLID, 0.75, cone="circumscribed:8"))
    assert " inscribed:8" in str(refusal.value)


def test_average_over_different_given_scales_is_refused():
    scales = np.where(np.arange(len(CONTACTS)) < 5, 0.03, 0.06)
    with pytest.raises(ConventionMismatch, match=r"0\.03[\s\S]*0\.06"):
        judge(CONTACTS, 0.75, torque_scale=scales).mean_epsilon()


def test_average_along_an_axis_of_one_scale_is_allowed():
    """Rows may have their own scales as long as no average crosses rows."""
    rows = wrench.Contacts.all_made(*(np.stack([a] * 2) for a in (CONTACTS.points, CONTACTS.normals)))
    found = judge(rows, 0.75, torque_scale=np.array([[0.03], [0.06]]))
    np.testing.assert_allclose(found.mean_epsilon(axis=-1), found.epsilon.mean(-1), rtol=1e-14)
    with pytest.raises(ConventionMismatch):
        found.mean_epsilon(axis=0)


def test_one_rule_measured_on_different_objects_mixes():
    """Object lengths differ between objects; what they mean does not, so whole object sets can be joined."""
    small, large = (judge(CONTACTS, 0.75, torque_scale=TorqueScale(m, ScaleRule.OBJECT_LENGTH)) for m in (0.03, 0.06))
    joined = wrench.concatenate([small, large])
    np.testing.assert_array_equal(joined.epsilon, np.concatenate([small.epsilon, large.epsilon]))
    np.testing.assert_array_equal(np.unique(joined.torque_scale.metres), [0.03, 0.06])
    assert joined.torque_scale.rule == ScaleRule.OBJECT_LENGTH
    assert joined.mean_epsilon() == pytest.approx(joined.epsilon.mean(), abs=1e-15)


def test_joined_results_are_the_results_of_the_joined_batch():
    first, rest = judge(CONTACTS[:15], 0.75), judge(CONTACTS[15:], 0.75)
    whole, joined = judge(CONTACTS, 0.75), wrench.concatenate([first, rest])
    for field in ("closure", "epsilon", "epsilon_upper", "contacts"):
        np.testing.assert_array_equal(getattr(joined, field), getattr(whole, field))
    assert joined.convention == whole.convention


def test_different_origin_rules_do_not_mix():
    origins = (Origin(np.zeros(2), rule) for rule in (OriginRule.CENTROID, OriginRule.FILLED))
    centroid, filled = (judge(CONTACTS, 0.75, origin=origin) for origin in origins)
    with pytest.raises(ConventionMismatch, match=r"centroid[\s\S]*filled"):
        wrench.concatenate([centroid, filled])


def test_average_counts_what_is_not_closed_as_zero():
    found = judge(CONTACTS, 0.75)
    assert 0 < found.closure.sum() < len(CONTACTS)
    assert found.mean_epsilon() == pytest.approx(found.epsilon[found.closure].sum() / len(CONTACTS), abs=1e-15)


def test_exceeds_compares_grasp_by_grasp():
    weak, strong = judge(CONTACTS, 0.75), judge(CONTACTS, 0.75)
    assert not wrench.exceeds(weak, strong).any()
    best = judge(CONTACTS[np.full(len(CONTACTS), strong.epsilon.argmax())], 0.75)
    np.testing.assert_array_equal(wrench.exceeds(best, weak), best.epsilon > weak.epsilon)
    assert wrench.exceeds(best, weak).sum() > len(CONTACTS) // 2
