"""Bounds: a force within all of them, or the one in the way with both numbers."""

import numpy as np
import pytest

from wrench.bounds import Bound, GripForce, LoadWithin, Shortfall, grip_within, load_within
from wrench.errors import InvalidValue

# Robotiq 2F-85, from "Choosing a grip" section 4.2: up to 235 N of grip; 50 N in any direction and 3 N m about the tool
# axis on the fingers. The least grip of 20 N is the nominal one of the physics trials.
ROBOTIQ = {"grip_min": 20.0, "grip_max": 235.0}
FINGERS = {"force_limit": 50.0, "moment_limit": [np.inf, np.inf, 3.0]}


def test_a_force_within_all_bounds_is_commanded_as_required():
    answer = grip_within(60.0, damage_cap=100.0, **ROBOTIQ)
    assert answer == GripForce(60.0, 60.0, 100.0, 20.0, 235.0)


def test_the_gripper_presses_no_less_than_it_can():
    answer = grip_within(8.85, damage_cap=np.inf, **ROBOTIQ)
    assert isinstance(answer, GripForce)
    assert (answer.command, answer.required) == (20.0, 8.85)


@pytest.mark.parametrize(
    ("required", "damage_cap", "bound", "value", "limit"),
    [
        (60, 40, Bound.DAMAGE, 60, 40),
        (300, np.inf, Bound.GRIP_MAX, 300, 235),
        (300, 250, Bound.GRIP_MAX, 300, 235),  # both caps broken: the lower one
        (300, 235, Bound.DAMAGE, 300, 235),
        (5, 10, Bound.GRIP_MIN, 20, 10),  # the object would stand the force needed, but not the gripper's least
        (np.inf, 100, Bound.FRICTION, np.inf, 100),
    ],
)
def test_shortfall_names_the_bound_and_both_numbers(required, damage_cap, bound, value, limit):
    answer = grip_within(required, damage_cap=damage_cap, **ROBOTIQ)
    assert answer == Shortfall(bound, value, limit)
    assert f"{value:g} N" in answer.sentence
    assert f"{limit:g} N" in answer.sentence


def test_never_clamped():
    rng = np.random.default_rng(0)
    kinds = set()
    for required, cap, low, more in rng.uniform(0, 100, (500, 4)):
        answer = grip_within(required, damage_cap=cap, grip_min=low, grip_max=low + more)
        fits = max(required, low) <= min(cap, low + more)
        assert isinstance(answer, GripForce) == fits
        if isinstance(answer, GripForce):
            assert required <= answer.command <= min(cap, low + more)
            kinds.add("force")
        else:
            assert answer.value > answer.limit
            kinds.add(answer.bound)
    assert kinds == {"force", Bound.DAMAGE, Bound.GRIP_MAX, Bound.GRIP_MIN}


def test_equal_to_a_bound_is_within_it():
    assert isinstance(grip_within(40, damage_cap=40, grip_min=40, grip_max=40), GripForce)
    assert load_within([0, 0, 50], [0, 0, 3], **FINGERS) == LoadWithin(1.0, 1.0)


def test_external_load():
    # 500 g held 30 mm off the grasp: 0.147 N m "looks like nothing" against 3 N m.
    answer = load_within([0, 0, -0.5 * 9.81], [0, 0, 0.147], **FINGERS)
    assert isinstance(answer, LoadWithin)
    assert (answer.force_share, answer.moment_share) == pytest.approx((0.0981, 0.049))
    # The force limit holds in any direction, so components under 50 N can break it together.
    assert load_within([48, 0, 36], [0, 0, 0], **FINGERS) == Shortfall(Bound.FORCE, 60, 50)
    # 4 N m is too much about the tool axis, either way round; across it no limit is stated.
    assert isinstance(load_within([0, 0, 0], [4, 0, 0], **FINGERS), LoadWithin)
    answer = load_within([0, 0, 0], [0, 0, -4], **FINGERS)
    assert answer == Shortfall(Bound.MOMENT, 4, 3)
    assert answer.sentence == "the external moment is 4 N m, more than the 3 N m the gripper's fingers may carry"


def test_the_limit_broken_most_is_named():
    assert load_within([60, 0, 0], [0, 0, 9], **FINGERS) == Shortfall(Bound.MOMENT, 9, 3)
    assert load_within([500, 0, 0], [0, 0, 9], **FINGERS) == Shortfall(Bound.FORCE, 500, 50)
    assert load_within([1, 0, 0], [0, 0, 9], force_limit=50, moment_limit=np.inf) == LoadWithin(0.02, 0.0)


def test_refuses_by_name():
    with pytest.raises(InvalidValue, match="required = nan must be at least 0 N"):
        grip_within(np.nan, damage_cap=1, **ROBOTIQ)
    with pytest.raises(InvalidValue, match="damage_cap = -1 must be"):
        grip_within(1, damage_cap=-1, **ROBOTIQ)
    with pytest.raises(InvalidValue, match="grip_max = 5.0 must be finite and at least 20 N"):
        grip_within(1, damage_cap=1, grip_min=20, grip_max=5)
    with pytest.raises(InvalidValue, match="load"):
        load_within([np.nan, 0, 0], [0, 0, 0], **FINGERS)
    with pytest.raises(InvalidValue, match="limit"):
        load_within([1, 0, 0], [0, 0, 0], force_limit=0, moment_limit=1)
