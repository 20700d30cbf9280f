"""Sweeps: boxes that hold every moment of a motion and no more."""

import numpy as np
import pytest

from grasp import Gripper
from grasp.frames import pose_top_down
from grasp.linkage import advance
from grasp.sweeps import approaching, arriving, closing

GRIPPERS = [Gripper.preset(name) for name in ("get", "robotiq_2f85", "robotiq_2f140")]
R85 = GRIPPERS[1]


@pytest.mark.parametrize("gripper", GRIPPERS, ids=lambda g: g.name)
def test_sweeps_hold_every_moment_of_the_motion_and_no_more(gripper):
    rng = np.random.default_rng(7)
    for _ in range(8):
        opening = rng.uniform(0.2, 1) * gripper.max_opening
        closed = rng.uniform(0, 1) * opening
        arrived, way_in = arriving(gripper, opening), approaching(gripper, opening, 0.1)
        np.testing.assert_array_equal(way_in.high, arrived.high)
        np.testing.assert_allclose(way_in.low, arrived.low - [0, 0, 0.1])
        now, moves = np.linspace(opening, closed, 500), arrived.closing != 0
        moment, way_shut = arriving(gripper, now), closing(gripper, opening, closed)
        deeper = (advance(gripper, now) - advance(gripper, opening))[:, None, None] * [0, 0, 1]  # bodies stand still
        low, high = moment.low + deeper, moment.high + deeper
        np.testing.assert_allclose(low[:, ~moves], np.broadcast_to(arrived.low[~moves], low[:, ~moves].shape), atol=1e-12)
        np.testing.assert_allclose(low[:, moves].min(0), way_shut.low, atol=1e-12)
        np.testing.assert_allclose(high[:, moves].max(0), way_shut.high, atol=1e-6)  # the top of an arc between two samples


def test_fingertips_are_at_the_origin_at_every_opening_and_bodies_recede_from_closing_fingertips():
    opening = np.array([0.0, 0.03, 0.085])
    parts = arriving(R85, opening)
    tips = [i for i, name in enumerate(parts.names) if name.endswith("jaw finger")]
    np.testing.assert_allclose(parts.high[:, tips, 2], 0, atol=1e-15)
    base = parts.names.index("base")
    np.testing.assert_allclose(-parts.low[:, base, 2], 0.1493 + advance(R85, opening), atol=1e-12)
    np.testing.assert_allclose(-parts.low[0, base, 2], 0.1628, atol=1e-12)  # the closed length of the manual


def test_sweeps_do_not_depend_on_the_batch():
    opening, closed = np.linspace(0.02, 0.085, 6).reshape(2, 3), np.full((2, 3), 0.01)
    whole, one = closing(R85, opening, closed), closing(R85, opening[1, 2], closed[1, 2])
    assert np.array_equal(whole.low[1, 2], one.low) and np.array_equal(whole.high[1, 2], one.high)
    T = pose_top_down(np.zeros((2, 3, 2)), np.zeros((2, 3)), np.full((2, 3), 0.02))
    assert np.array_equal(whole.corners(T)[1, 2], one.corners(T[1, 2]))
