"""Robustness: the interval is Wilson's, the draws are Gaussian and fair, and the order is the paper's."""

import numpy as np
import pytest
from scipy.stats import binomtest, kstest

from tests.specimens import SIZE, judge, planar
from wrench import Contacts, Draws, InvalidValue, Perturbation, Robustness, order, wilson
from wrench.errors import ConventionMismatch

EVERY = {"sigma": 0.002, "samples": 4000, "rotation": 0.1, "friction": 0.3, "origin": 0.005}


def scored(closed, contacts, epsilon, samples=10):
    """Return a Robustness of these scores."""
    return Robustness(np.array(closed), samples, np.array(contacts, float), np.array(epsilon, float))


def random_scores(rng, n):
    """Return scores with many ties in every key."""
    return scored(rng.integers(0, 4, n), rng.integers(2, 4, n), rng.integers(0, 5, n) / 10)


def keys(robustness, index):
    """Return what grasp `index` is ranked by, greater being better."""
    scores = (robustness.closed, robustness.mean_contacts, robustness.mean_epsilon)
    return tuple(float(score[index]) for score in scores)


# ---- Wilson interval -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95, 0.999])
def test_interval_is_scipys_for_every_count(confidence):
    pairs = [(k, n) for n in (1, 2, 3, 10, 37, 200) for k in range(n + 1)]
    k, n = np.array(pairs).T
    low, high = wilson(k, n, confidence)
    theirs = [binomtest(*pair).proportion_ci(confidence, method="wilson") for pair in pairs]
    np.testing.assert_allclose(low, [ci.low for ci in theirs], atol=1e-13)
    np.testing.assert_allclose(high, [ci.high for ci in theirs], atol=1e-13)


def test_interval_published():
    """Newcombe 1998, "Two-sided confidence intervals for the single proportion", Table I, method 3."""
    published = {
        (81, 263): (0.2553, 0.3662),
        (15, 148): (0.0624, 0.1605),
        (0, 20): (0, 0.1611),
        (1, 29): (0.0061, 0.1718),
    }
    for (k, n), interval in published.items():
        np.testing.assert_allclose(wilson(k, n, 0.95), interval, atol=5e-5)


def test_interval_without_a_trial_is_everything():
    assert wilson(0, 0, 0.95) == (0, 1)


@pytest.mark.parametrize("confidence", [0, 1, -0.5, 95, np.nan])
def test_confidence_out_of_range_is_refused(confidence):
    with pytest.raises(InvalidValue, match="confidence = .* must be between 0 and 1"):
        wilson(3, 10, confidence)


def test_interval_of_a_batch_holds_its_rate():
    robustness = random_scores(np.random.default_rng(1), 50)
    low, high = robustness.interval(0.9)
    assert np.all((0 <= low) & (low <= robustness.closure_rate) & (robustness.closure_rate <= high) & (high <= 1))
    np.testing.assert_array_equal((low, high), wilson(robustness.closed, 10, 0.9))


# ---- ranking ---------------------------------------------------------------------------------------------------------


def test_closure_comes_before_contacts_before_epsilon():
    robustness = scored([5, 9, 9, 9], [3, 2, 3, 3], [0.9, 0.8, 0.1, 0.2])
    np.testing.assert_array_equal(order(robustness), [3, 2, 1, 0])


@pytest.mark.parametrize("seed", range(20))
def test_order_is_lexicographic_and_complete(seed):
    rng = np.random.default_rng(seed)
    robustness = random_scores(rng, int(rng.integers(1, 60)))
    ranked = order(robustness)
    assert sorted(ranked) == list(range(len(robustness)))
    ranks = [keys(robustness, i) for i in ranked]
    assert ranks == sorted(ranks, reverse=True)


@pytest.mark.parametrize("length", range(1, 10))
@pytest.mark.parametrize("before", range(4))
def test_middle_of_a_plateau_comes_first(length, before):
    """The rest follows from the middle outwards; in an even plateau the earlier of the two middles leads."""
    epsilon = [0.1] * before + [0.5] * length + [0.2] * 3
    ranked = order(scored([10] * len(epsilon), [3] * len(epsilon), epsilon))[:length] - before
    assert ranked[0] == (length - 1) // 2
    away = np.abs(ranked - (length - 1) / 2)
    np.testing.assert_array_equal(away, np.sort(away))


def test_the_longer_of_two_tied_plateaus_leads():
    """Both middles stand exactly in the middle; more candidates around one make it the safer choice."""
    epsilon = [0.5] * 3 + [0.1] + [0.5] * 7
    assert order(scored([10] * 11, [3] * 11, epsilon))[0] == 4 + 3


def test_runs_do_not_merge():
    """Two edges that tie, three candidates and five: each keeps its own middle."""
    tied = scored([10] * 8, [3] * 8, [0.5] * 8)
    runs = np.array([0] * 3 + [1] * 5)
    assert order(tied)[0] == 3  # one plateau of eight
    assert list(order(tied, runs)[:2]) == [5, 1]
    np.testing.assert_array_equal(order(tied, runs + 7), order(tied, runs))


@pytest.mark.parametrize("rise", [lambda e: 3 * e + 1, np.exp, lambda e: e**3], ids=["affine", "exp", "cube"])
@pytest.mark.parametrize("seed", range(5))
def test_order_is_the_same_under_a_rising_change_of_epsilon(rise, seed):
    robustness = random_scores(np.random.default_rng(seed), 40)
    changed = scored(robustness.closed, robustness.mean_contacts, rise(robustness.mean_epsilon))
    np.testing.assert_array_equal(order(changed), order(robustness))


@pytest.mark.parametrize("seed", range(5))
def test_order_of_distinct_scores_follows_a_permutation(seed):
    rng = np.random.default_rng(seed)
    robustness = scored(rng.integers(0, 4, 40), rng.integers(2, 4, 40), rng.uniform(0, 1, 40))
    shuffle = rng.permutation(40)
    np.testing.assert_array_equal(shuffle[order(robustness[shuffle])], order(robustness))


def test_rounding_does_not_split_a_plateau():
    epsilon = 0.5 + 1e-13 * np.array([0, 3, -2, 1, 2])
    assert order(scored([10] * 5, [3] * 5, epsilon))[0] == 2


def test_order_of_nothing_is_empty():
    assert order(scored([], [], [])).shape == (0,)


# ---- draws -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dimension", [2, 3])
def test_draws_follow_from_the_seed(dimension):
    first, again, other = (Perturbation(**EVERY).draws(np.random.default_rng(s), dimension) for s in (5, 5, 6))
    for field in ("translation", "rotation", "friction", "origin"):
        np.testing.assert_array_equal(getattr(first, field), getattr(again, field))
        assert not np.array_equal(getattr(first, field), getattr(other, field))
        assert not getattr(first, field).flags.writeable


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("kind", ["sigma", "rotation", "friction", "origin"])
def test_switching_a_kind_off_leaves_the_other_draws_as_they_were(kind, dimension):
    whole = Perturbation(**EVERY).draws(np.random.default_rng(5), dimension)
    part = Perturbation(**(EVERY | {kind: 0.0})).draws(np.random.default_rng(5), dimension)
    for field in ("translation", "rotation", "friction", "origin"):
        off = field == ("translation" if kind == "sigma" else kind)
        np.testing.assert_array_equal(getattr(part, field), 0 if off else getattr(whole, field))


@pytest.mark.parametrize("dimension", [2, 3])
def test_draws_are_gaussian_and_independent(dimension):
    draws = Perturbation(**EVERY).draws(np.random.default_rng(7), dimension)
    turns = 1 if dimension == 2 else 3
    assert len(draws) == EVERY["samples"]
    sigmas = (
        [EVERY["sigma"]] * dimension + [EVERY["rotation"]] * turns + [EVERY["friction"]] + [EVERY["origin"]] * dimension
    )
    columns = np.column_stack([draws.translation, draws.rotation, draws.friction, draws.origin]) / sigmas
    assert columns.shape == (4000, 2 * dimension + turns + 1)
    for column in columns.T:
        assert kstest(column, "norm").pvalue > 1e-3
    np.testing.assert_allclose(np.cov(columns.T), np.eye(len(sigmas)), atol=5 / np.sqrt(4000))


@pytest.mark.parametrize("friction", [0.0, 0.2, 0.75])
def test_friction_is_never_negative(friction):
    draws = Perturbation(**EVERY).draws(np.random.default_rng(8), 2)
    found = draws.frictions(friction)
    assert found.min() == 0  # sigma 0.3: 4,000 draws reach below 0 from each of these
    above = friction + draws.friction > 0
    np.testing.assert_array_equal(found[above], friction + draws.friction[above])
    assert not found[~above].any()


@pytest.mark.parametrize("field", ["sigma", "rotation", "friction", "origin"])
@pytest.mark.parametrize("value", [-1e-9, np.nan, np.inf])
def test_a_spread_that_is_none_is_refused(field, value):
    with pytest.raises(InvalidValue, match=f"perturbation.{field} = {value} must be finite and at least 0"):
        Perturbation(**(EVERY | {field: value}))


@pytest.mark.parametrize("samples", [0, -3, 2.0, "10", None])
def test_a_number_of_samples_that_is_none_is_refused(samples):
    with pytest.raises(InvalidValue, match="perturbation.samples"):
        Perturbation(0.002, samples)


# ---- averages --------------------------------------------------------------------------------------------------------


def batch_of_draws(candidates=7, samples=9):
    """Return planar contacts (candidates, samples), some not made."""
    rng = np.random.default_rng(9)
    flat = planar(rng, candidates * samples)
    made = rng.uniform(size=flat.made.shape) < 0.9
    shape = (candidates, samples, 3)
    return Contacts(flat.points.reshape(*shape, 2), flat.normals.reshape(*shape, 2), made.reshape(shape))


def test_averages_are_those_of_a_loop():
    contacts = batch_of_draws()
    found = Robustness.of(judge(contacts, 0.75))
    for i in range(len(contacts)):
        closed, count, total = 0, 0, 0.0
        for j in range(contacts.batch[1]):
            one = judge(contacts[i, j], 0.75)
            closed += bool(one.closure)
            count += int(contacts.made[i, j].sum())
            total += float(one.epsilon) if one.closure else 0.0
        assert (found.closed[i], found.samples) == (closed, 9)
        assert found.closure_rate[i] == closed / 9
        assert found.mean_contacts[i] == pytest.approx(count / 9, abs=1e-15)
        assert found.mean_epsilon[i] == pytest.approx(total / 9, abs=1e-15)
    assert 0 < found.closed.sum() < contacts.made.shape[0] * 9


def test_a_draw_out_of_closure_counts_nothing_even_if_signed_values_were_asked_for():
    contacts = batch_of_draws()
    plain, signed = (judge(contacts, 0.75, signed=signed) for signed in (False, True))
    assert signed.epsilon.min() < 0
    np.testing.assert_array_equal(Robustness.of(signed).mean_epsilon, Robustness.of(plain).mean_epsilon)


def test_averages_over_different_scales_are_refused():
    with pytest.raises(ConventionMismatch, match="torque scale"):
        Robustness.of(judge(batch_of_draws(), 0.75, torque_scale=np.linspace(SIZE, 2 * SIZE, 9)))


def test_indexing_takes_every_field_along():
    robustness = random_scores(np.random.default_rng(10), 12)
    picked = robustness[[4, 1]]
    assert len(picked) == 2
    assert [keys(picked, 0), keys(picked, 1)] == [keys(robustness, 4), keys(robustness, 1)]
    assert picked.samples == robustness.samples


def test_draws_keep_their_own_copy():
    arrays = [np.zeros((2, 2)), np.zeros(2), np.zeros(2), np.zeros((2, 2))]
    draws = Draws(*arrays)
    for array in arrays:
        array.fill(1)
    assert not any(map(np.any, (draws.translation, draws.rotation, draws.friction, draws.origin)))
