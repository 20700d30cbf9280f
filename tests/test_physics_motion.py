"""Motions: they arrive, start and end at rest, and keep to their limits."""

import numpy as np
import pytest

from physics.motion import bang_bang, least_jerk, wait
from tests.physics_bench import gripped
from wrench import GraspError

pytestmark = pytest.mark.physics
DT = 0.002


@pytest.mark.parametrize("angle", [0.6, -0.6])
@pytest.mark.parametrize(
    ("acceleration", "top_speed"), [(1.5 * np.pi, np.pi), (4.5 * np.pi, np.pi), (4.5 * np.pi, 1.0), (72 * np.pi, 100.0)]
)
def test_bang_bang_arrives_at_rest_within_its_limits(angle, acceleration, top_speed):
    place, speed, push = bang_bang(angle, acceleration, top_speed, 0.005, DT).T
    assert place[-1] == pytest.approx(angle)
    assert speed[-1] == pytest.approx(0, abs=1e-12)
    rise = min(np.sqrt(0.6 / acceleration), top_speed / acceleration)
    slack = 1 + DT / rise  # a rise of whole steps
    assert np.abs(speed).max() <= min(top_speed, np.sqrt(0.6 * acceleration)) * slack
    assert np.abs(push).max() <= acceleration * slack
    np.testing.assert_array_equal(np.sign(place), np.sign(angle))


@pytest.mark.parametrize("acceleration", [1.5 * np.pi, 4.5 * np.pi])
def test_peaks_of_the_shake(acceleration):
    # half the angle at a steady acceleration, less what smoothing over `edge` takes off the peak of a triangle
    peak = np.sqrt(0.6 * acceleration) - acceleration * 0.02 / 4
    assert bang_bang(0.6, acceleration, np.pi, 0.02, DT)[:, 1].max() == pytest.approx(peak, rel=0.005)


def test_an_unstable_simulation_is_an_error():
    scene = gripped("two_narrow")
    scene.data.qvel[3] = 1e12
    with pytest.raises(GraspError, match="simulation of block became unstable"):
        wait(scene, 0.01)


def test_least_jerk_goes_from_rest_to_rest():
    place, speed, push = least_jerk(np.array([0, 0.5, 1]))
    np.testing.assert_allclose(place, [0, 0.5, 1])
    np.testing.assert_allclose(speed, [0, 15 / 8, 0])
    np.testing.assert_allclose(push, [0, 0, 0], atol=1e-15)
    u = np.linspace(0, 1, 20001)
    place, speed, push = least_jerk(u)
    np.testing.assert_allclose(np.gradient(place, u)[1:-1], speed[1:-1], atol=1e-6)
    np.testing.assert_allclose(np.gradient(speed, u)[1:-1], push[1:-1], atol=1e-5)
    assert push.max() == pytest.approx(10 / np.sqrt(3), rel=1e-6)
