"""Moves of least jerk: from rest to rest, within limits, with the peaks of the closed forms, and truly of least jerk."""

from dataclasses import replace

import numpy as np
import pytest

from grasp import InvalidValue
from grasp.frames import pose_top_down
from grasp.motion import Limits, Move, least_jerk

WAY = np.array([0.03, -0.04, 0.12])  # m, 130 mm
MOVE = Move(pose_top_down((0.1, 0.2), 0.7, 0.3), WAY, 5.0, 0.8)
LIMITS = Limits(0.25, 0.9, 0.1)


def test_a_move_goes_from_rest_to_rest_and_does_not_turn():
    T, velocity, acceleration = MOVE.at([4.0, 5.0, 5.8, 9.0])
    begin = MOVE.T_begin[:3, 3]
    np.testing.assert_allclose(T[:, :3, 3], [begin, begin, begin + WAY, begin + WAY], atol=1e-15)
    np.testing.assert_array_equal(T[:, :3, :3], np.broadcast_to(MOVE.T_begin[:3, :3], (4, 3, 3)))
    np.testing.assert_allclose(velocity, 0, atol=1e-15)
    np.testing.assert_allclose(acceleration, 0, atol=1e-13)


def test_halfway_is_halfway_at_the_peak_speed():
    T, velocity, acceleration = MOVE.at(5.4)
    np.testing.assert_allclose(T[:3, 3], MOVE.T_begin[:3, 3] + WAY / 2)
    np.testing.assert_allclose(velocity, 15 / 8 * WAY / 0.8)
    np.testing.assert_allclose(acceleration, 0, atol=1e-14)
    assert np.linalg.norm(velocity) == pytest.approx(MOVE.peak_speed)


def test_velocity_and_acceleration_are_derivatives():
    time = np.linspace(5.0, 5.8, 20001)
    T, velocity, acceleration = MOVE.at(time)
    np.testing.assert_allclose(np.gradient(T[:, :3, 3], time, axis=0)[1:-1], velocity[1:-1], atol=1e-6)
    np.testing.assert_allclose(np.gradient(velocity, time, axis=0)[1:-1], acceleration[1:-1], atol=1e-4)


def test_peaks_are_where_and_as_high_as_the_closed_forms_say():
    time = np.linspace(5.0, 5.8, 20001)
    _, velocity, acceleration = MOVE.at(time)
    assert np.linalg.norm(velocity, axis=1).max() == pytest.approx(MOVE.peak_speed, rel=1e-7)
    size = np.linalg.norm(acceleration, axis=1)
    assert size.max() == pytest.approx(MOVE.peak_acceleration, rel=1e-7)
    assert time[size[:10001].argmax()] - 5.0 == pytest.approx(0.8 * (1 - 1 / np.sqrt(3)) / 2, abs=1e-4)


def test_the_way_back_in_time_is_the_way_back():
    time = np.linspace(5.0, 5.8, 50)
    there, back = MOVE.at(time)[0], replace(MOVE, T_begin=MOVE.at(5.8)[0], way=-WAY).at(10.8 - time)[0]
    np.testing.assert_allclose(there, back, atol=1e-15)


def test_no_move_with_the_same_ends_has_less_jerk():
    # 720 L^2/T^5 is the integral of the squared jerk; anything that leaves the ends at rest adds to it
    best = np.polynomial.Polynomial([0, 0, 0, 10, -15, 6])
    u = np.linspace(0, 1, 7)
    np.testing.assert_allclose(best(u), least_jerk(u)[0], atol=1e-15)

    def jerk(p):
        squared = (p.deriv(3) ** 2).integ()
        return squared(1.0) - squared(0.0)

    assert jerk(best) == pytest.approx(720)
    ends = np.polynomial.Polynomial.fromroots([0, 0, 0, 1, 1, 1])
    rng = np.random.default_rng(1)
    for _ in range(50):
        other = ends * np.polynomial.Polynomial(rng.normal(size=rng.integers(1, 5)))
        assert jerk(best + other) == pytest.approx(720 + jerk(other))
        assert jerk(best + other) > 720


@pytest.mark.parametrize(
    ("length", "active"), [(1e-6, "least_time"), (0.02, "top_acceleration"), (0.1, "top_acceleration"), (1.0, "top_speed")]
)
def test_a_move_takes_as_long_as_one_of_its_limits_asks(length, active):
    move = Move.within(LIMITS, np.eye(4), (0, 0, length), 0.0)
    used = {"top_speed": move.peak_speed / 0.25, "top_acceleration": move.peak_acceleration / 0.9}
    used["least_time"] = 0.1 / move.duration
    assert used.pop(active) == pytest.approx(1)
    assert all(share < 1 for share in used.values())


def test_a_move_over_no_way_stands_still():
    move = Move.within(LIMITS, np.eye(4), np.zeros(3), 2.0)
    assert move.end == 2.1
    np.testing.assert_array_equal(move.at(2.05)[0], np.eye(4))


def test_times_may_have_any_shape():
    T, velocity, acceleration = MOVE.at(np.full((2, 3), 5.1))
    assert (T.shape, velocity.shape, acceleration.shape) == ((2, 3, 4, 4), (2, 3, 3), (2, 3, 3))
    np.testing.assert_array_equal(T[1, 2], MOVE.at(5.1)[0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"duration": 0.0}, r"move\.duration = 0\.0 must be finite and greater than 0 s"),
        ({"begin": float("nan")}, r"move\.begin = nan"),
        ({"way": [0, 0, np.inf]}, r"move\.way\[2\] = inf"),
        ({"way": [0, 0]}, r"move\.way\.shape = \(2,\)"),
        ({"T_begin": np.ones((4, 4))}, r"move\.T_begin"),
    ],
)
def test_what_is_no_move_is_named(change, message):
    with pytest.raises(InvalidValue, match=message):
        replace(MOVE, **change)


@pytest.mark.parametrize("name", ["top_speed", "top_acceleration", "least_time"])
@pytest.mark.parametrize("value", [0, -1, float("inf"), "fast"])
def test_limits_are_positive_numbers(name, value):
    with pytest.raises(InvalidValue, match=f"limits.{name}"):
        replace(LIMITS, **{name: value})
