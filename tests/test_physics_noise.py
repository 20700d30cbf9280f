"""Noise of a trial: what is drawn, from where, and that all methods and settings meet the same draws."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import kstest

from grasp import Gripper, InvalidValue, Seed
from physics import Noise, Settings, noisy, score, varied
from tests.physics_bench import NOMINAL, block, grasp

pytestmark = pytest.mark.physics
VARIED = Settings.preset("varied")
FACTORS = ("mass", "friction", "force")


def factors(settings, base):
    """Return by which mass, friction and grip force differ from those of other settings."""
    pairs = ((settings.mass_scale, base.mass_scale), (settings.friction, base.friction))
    return [a / b for a, b in (*pairs, (settings.closing.force, base.closing.force))]


@pytest.fixture(scope="module")
def drawn():
    """Return factors (n, 3) of many trials."""
    return np.array([factors(varied(VARIED, np.random.default_rng(seed)), VARIED) for seed in range(2000)])


@pytest.mark.parametrize("name", FACTORS)
def test_factors_are_drawn_evenly_in_their_logarithm(drawn, name):
    low, high = getattr(VARIED.noise, name)
    mine = drawn[:, FACTORS.index(name)]
    assert low < high
    assert low <= mine.min() * (1 + 1e-12) and mine.max() <= high * (1 + 1e-12)
    assert kstest(np.log(mine / low) / np.log(high / low), "uniform").pvalue > 0.01


def test_factors_do_not_depend_on_each_other(drawn):
    # of 2000 independent pairs, Pearson's correlation has a standard deviation of 1 / sqrt(2000) = 0.022
    assert np.abs(np.corrcoef(np.log(drawn).T) - np.eye(3)).max() < 4 / np.sqrt(2000)


def test_a_range_of_one_leaves_the_settings_alone_to_the_last_bit():
    for seed in range(20):
        assert varied(NOMINAL, np.random.default_rng(seed)) == NOMINAL


def test_nothing_else_is_drawn():
    found = varied(VARIED, np.random.default_rng(3))
    assert found != VARIED
    back = replace(found, mass_scale=VARIED.mass_scale, friction=VARIED.friction)
    assert replace(back, closing=replace(found.closing, force=VARIED.closing.force)) == VARIED


def test_factors_multiply_what_is_given():
    given = replace(VARIED, mass_scale=2.0, friction=0.3, closing=replace(VARIED.closing, force=5.0))
    for seed in range(5):
        one, other = (varied(settings, np.random.default_rng(seed)) for settings in (given, VARIED))
        np.testing.assert_allclose(factors(one, given), factors(other, VARIED), rtol=1e-12)


def test_the_same_seed_draws_the_same_and_another_does_not():
    one, same, other = (varied(VARIED, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert one == same
    assert all(a != b for a, b in zip(factors(one, VARIED), factors(other, VARIED), strict=True))


@pytest.mark.parametrize("draw", [lambda s, rng: noisy(grasp(), rng, s.noise), varied])
def test_as_many_numbers_are_drawn_whatever_the_settings(draw):
    first, second = np.random.default_rng(7), np.random.default_rng(7)
    draw(NOMINAL, first)
    draw(VARIED, second)
    assert first.random() == second.random()


@pytest.fixture
def tried(monkeypatch):
    """Return grasps and settings with which trials are asked for; none is carried out."""
    asked = []
    monkeypatch.setattr("physics.run.trial", lambda *given: asked.append(given[:4]) or SimpleNamespace(record=dict))
    return asked


def test_all_methods_and_settings_meet_the_same_draws(tried):
    seed = Seed((3, 4), (5,))
    for settings in (NOMINAL, VARIED, replace(VARIED, friction=0.4)):
        for where in ((0, 0), (0.05, -0.02)):
            told = score(grasp(where), block(), Gripper.preset("get"), settings, seed, None)
            assert told["seed"] == {"entropy": [3, 4], "spawn_key": [5]}
    poses = [given[0].T_table_gripper for given in tried]
    np.testing.assert_array_equal(poses[0::2], [poses[0]] * 3)  # the displacement does not depend on the settings
    np.testing.assert_allclose(poses[1][:2, 3] - poses[0][:2, 3], [0.05, -0.02], atol=1e-15)  # nor on the grasp
    used = [given[3] for given in tried]
    assert used[:2] == [NOMINAL, NOMINAL]
    assert used[2] == used[3] == varied(VARIED, after_pose(seed))
    assert used[4].friction == pytest.approx(used[2].friction * 0.4 / VARIED.friction)


def after_pose(seed):
    """Return the generator of a trial once the displacement has been drawn."""
    rng = seed.rng()
    rng.normal(size=3)
    return rng


def test_contacts_and_metrics_stay_those_that_were_planned():
    given = grasp()
    found = noisy(given, np.random.default_rng(0), VARIED.noise)
    assert found.contacts is given.contacts and found.metrics is given.metrics and found.opening == given.opening
    assert not np.array_equal(found.T_table_gripper, given.T_table_gripper)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sigma": -0.001}, r"Noise\.sigma = -0\.001"),
        ({"yaw": float("nan")}, r"Noise\.yaw = nan"),
        ({"mass": (0.0, 1.0)}, r"Noise\.mass\[0\] = 0"),
        ({"mass": (1.0,)}, r"Noise\.mass = \(1\.0,\) must be a least and a greatest factor"),
        ({"friction": (1.0, 0.5)}, r"Noise\.friction = \(1\.0, 0\.5\)"),
        ({"force": (1.0, 1.0, 1.0)}, r"Noise\.force"),
        ({"force": (0.5, "more")}, r"Noise\.force\[1\] = 'more'"),
    ],
)
def test_what_cannot_be_is_named(change, message):
    with pytest.raises(InvalidValue, match=message):
        replace(NOMINAL.noise, **change)


def test_ranges_may_be_lists_as_in_a_configuration():
    assert Noise(0.002, 0.03, [1, 8], [0.5, 1], [1, 1]) == Noise(0.002, 0.03, (1.0, 8.0), (0.5, 1.0), (1.0, 1.0))
