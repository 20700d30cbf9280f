"""Tries: drawn from accepted candidates only, evenly from the thirds of the closure rate, each with its weight."""

import numpy as np
import pytest

from grasp import Reason
from labels.record import Labels, untried
from labels.tries import draw
from tests.labelled import made_up


def thirds(labels, places):
    """Return how many of some candidates are closed in less than a third of their draws, in less than two, and in more."""
    return np.histogram(labels.closure_rate[places], [0, 1 / 3, 2 / 3, 1.01])[0].tolist()


@pytest.mark.parametrize(
    ("closed", "most", "expected"),
    [
        ([0] * 20 + [5] * 20 + [10] * 60, 12, [4, 4, 4]),
        ([0] * 1 + [5] * 20 + [10] * 60, 12, [1, 6, 5]),  # what one lacks the others make up for
        ([10] * 60, 12, [0, 0, 12]),
        ([3] * 2 + [4] * 2 + [6] * 2 + [7] * 2, 12, [2, 4, 2]),  # all of them
        ([], 12, [0, 0, 0]),
    ],
)
def test_the_thirds_take_turns(closed, most, expected):
    labels = made_up(closed)
    places, _ = draw(labels, most, np.random.default_rng(0))
    assert thirds(labels, places) == expected
    assert len(set(places.tolist())) == len(places)


def test_rejected_candidates_and_those_without_draws_are_never_drawn():
    rng = np.random.default_rng(1)
    reasons = rng.choice([Reason.OK.code, Reason.OVERLAPS.code, Reason.NO_CLOSURE.code], 300)
    labels = made_up(rng.integers(0, 11, 300), reasons, draws=np.where(np.arange(300) % 5, 10, 0))
    places, _ = draw(labels, 90, rng)
    assert len(places) > 45
    assert labels.accepted[places].all()
    assert (labels.draws[places] > 0).all()


def test_weights_add_up_to_all_that_were_accepted_and_undo_the_draw():
    rng = np.random.default_rng(2)
    labels = made_up(rng.choice([0, 2, 5, 9, 10], 500, p=[0.02, 0.03, 0.15, 0.3, 0.5]))
    means = []
    for _ in range(400):
        places, weights = draw(labels, 12, rng)
        assert weights.sum() == pytest.approx(500)
        means.append(np.average(labels.closure_rate[places], weights=weights))
    assert np.mean(means) == pytest.approx(labels.closure_rate.mean(), abs=4 * np.std(means) / 20)
    assert labels.closure_rate[places].mean() < 0.75 < labels.closure_rate.mean()


def test_equal_generators_draw_equally():
    labels = made_up(np.arange(100) % 11)
    first, again, other = (draw(labels, 12, np.random.default_rng(seed))[0].tolist() for seed in (3, 3, 4))
    assert first == again != other


def test_candidates_begin_untried():
    names = untried(3)
    assert names.keys() <= set(Labels.__dataclass_fields__)
    labels = made_up([1, 2, 3])
    assert all((getattr(labels, name) == "").all() or np.isnan(getattr(labels, name)).all() for name in names)
