"""Statistics of paired comparisons: closed forms, and intervals that cover as often as they say."""

from math import comb

import numpy as np
import pytest
from scipy.stats import binomtest

from experiments.stats import bootstrap, mcnemar, proportion
from wrench import InvalidValue


def flags(true, n):
    return np.arange(n) < true


@pytest.mark.parametrize(("true", "n"), [(0, 20), (13, 20), (19, 20), (20, 20), (1, 3)])
def test_proportion_is_scipys_wilson(true, n):
    found = proportion(flags(true, n), 0.95)
    expected = binomtest(true, n).proportion_ci(0.95, method="wilson")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert (found.value, found.n) == (true / n, n)


def test_nothing_observed_says_nothing():
    assert np.isnan(proportion([], 0.95).value)
    assert (proportion([], 0.95).low, proportion([], 0.95).high, proportion([], 0.95).n) == (0, 1, 0)
    empty = bootstrap([], [], np.mean, confidence=0.95, resamples=10, rng=np.random.default_rng(0))
    assert np.isnan([empty.value, empty.low, empty.high]).all()


@pytest.mark.parametrize(("first", "second"), [(5, 0), (0, 5), (7, 2), (3, 3), (0, 0), (12, 1)])
def test_mcnemar_is_the_binomial_tail(first, second):
    """Twice the lighter tail of a fair coin, at most 1; 5 against 0 is 2 / 2^5 = 0.0625."""
    agree = 4
    a = flags(first + agree, first + agree + second)
    b = ~flags(first, first + agree + second)
    found = mcnemar(a, b)
    n = first + second
    tail = sum(comb(n, k) for k in range(min(first, second) + 1)) / 2**n
    assert (found.first, found.second, found.n) == (first, second, n + agree)
    assert found.p == pytest.approx(min(2 * tail, 1))


def test_mcnemar_does_not_see_the_pairs_that_agree():
    p = [mcnemar([True] * 5 + [False] * 0 + [True] * k, [False] * 5 + [True] * k).p for k in (0, 3, 100)]
    assert p == [0.0625] * 3


def test_what_repeats_itself_counts_once():
    """Three seeds of each of 20 placements, alike: the interval and the test of the 20."""
    once, first, second = flags(13, 20), flags(9, 20), flags(4, 20)
    names = [f"placement {i}" for i in range(20) for _ in range(3)]
    found, alone = proportion(np.repeat(once, 3), 0.95, names), proportion(once, 0.95)
    assert (found.value, found.low, found.high, found.n) == (alone.value, alone.low, alone.high, 60)
    assert mcnemar(np.repeat(first, 3), np.repeat(second, 3), names) == mcnemar(first, second)
    mixed = mcnemar([True, True, False], [False, False, True], ["a", "a", "a"])
    assert (mixed.first, mixed.second, mixed.n) == (1, 0, 1)


def test_undefined_draws_are_left_out_of_a_bootstrap():
    found = interval([0.0, 0, 1, 1], list("abcd"), lambda drawn: drawn.mean() if 0 < drawn.mean() < 1 else np.nan)
    assert found.value == 0.5 and 0.25 <= found.low <= found.high <= 0.75


def test_pairs_must_match():
    with pytest.raises(InvalidValue, match="shapes of the pairs"):
        mcnemar([True], [True, False])


def interval(values, clusters, statistic=np.mean, seed=0, resamples=2000):
    rng = np.random.default_rng(seed)
    return bootstrap(values, clusters, statistic, confidence=0.95, resamples=resamples, rng=rng)


def test_bootstrap_is_reproducible_and_follows_the_values():
    values = np.random.default_rng(1).normal(size=30)
    a, b = interval(values, np.arange(30)), interval(values, np.arange(30))
    assert a == b
    assert a.low < a.value == values.mean() < a.high
    moved = interval(3 * values + 2, np.arange(30))
    assert (moved.value, moved.low, moved.high) == pytest.approx(tuple(3 * x + 2 for x in (a.value, a.low, a.high)))


def test_bootstrap_of_one_cluster_knows_nothing_of_other_clusters():
    found = interval([1.0, 2.0, 6.0], ["a", "a", "a"])
    assert (found.low, found.value, found.high) == (3, 3, 3)


def test_copies_of_an_object_do_not_narrow_the_interval():
    values = np.random.default_rng(2).normal(size=12)
    once = interval(values, np.arange(12))
    copied = interval(np.repeat(values, 10), np.repeat(np.arange(12), 10))
    assert (copied.low, copied.high) == pytest.approx((once.low, once.high))


def test_bootstrap_of_the_median_stays_among_the_values():
    values = np.array([1.0, 2, 3, 4, 100])
    found = interval(values, np.arange(5), np.median)
    assert found.value == 3
    assert {found.low, found.high} <= set(values)


def test_bootstrap_covers_about_as_often_as_it_says():
    """Percentile intervals of 40 clusters of 3 that share their level; 300 seeded sets, true mean 0."""
    rng, covered = np.random.default_rng(3), 0
    for trial in range(300):
        level = np.repeat(rng.normal(size=40), 3)
        found = interval(level + 0.3 * rng.normal(size=120), np.repeat(np.arange(40), 3), seed=trial, resamples=200)
        covered += found.low <= 0 <= found.high
    low, high = binomtest(covered, 300).proportion_ci(0.99, method="wilson")
    assert low <= 0.95 <= high
