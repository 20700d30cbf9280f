"""Reach: the analytic workspace against its closed forms, a slow oracle, and its laws; bad numbers are named."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from grasp import InvalidValue, UnknownPreset, presets
from grasp.frames import pose_top_down
from grasp.reach import Workspace

ARM = Workspace.preset()
BASE = np.array(ARM.base)


def tilted(xy, azimuth, tilt, z):
    """Return a pose whose approach is tilted towards an azimuth, its closing axis level."""
    T = np.array(pose_top_down(xy, azimuth + np.pi / 2, z))
    T[:3, :3] = T[:3, :3] @ Rotation.from_euler("x", -tilt).as_matrix()
    np.testing.assert_allclose(T[:2, 2], np.sin(tilt) * np.array([np.cos(azimuth), np.sin(azimuth)]), atol=1e-12)
    return T


def random_poses(rng, n):
    T = np.tile(np.eye(4), (n, 1, 1))
    T[:, :3, :3] = Rotation.random(n, rng=rng).as_matrix()
    T[:, :3, 3] = rng.uniform([-1.5, -1, -0.2], [1.0, 1, 1.0], (n, 3))
    return T


def reachable_slowly(arm, T):
    """The limits read off the docstring, one pose at a time."""
    x, y, z = T[:3, 3] - arm.tool * T[:3, 2]
    across = ((x - arm.base[0]) ** 2 + (y - arm.base[1]) ** 2) ** 0.5
    from_shoulder = (across**2 + (z - arm.base[2] - arm.shoulder) ** 2) ** 0.5
    down = np.degrees(np.arccos(np.dot(T[:3, 2], [0, 0, -1])))
    if across < arm.near or from_shoulder > arm.far or not arm.low <= z <= arm.high:
        return False
    return down <= np.degrees(arm.greatest_tilt)


def test_the_table_area_of_30_cm_is_reached_from_straight_above_with_its_pregrasp():
    x, y, z = np.meshgrid(*[np.linspace(-0.3, 0.3, 13)] * 2, [0.002, 0.05, 0.1, 0.2])
    T = pose_top_down(np.stack([x, y], -1), 0.3, z)
    assert ARM.reachable(T).all()


def test_it_agrees_with_the_limits_one_by_one():
    rng = np.random.default_rng(0)
    for arm in (ARM, replace(ARM, base=(0.1, -0.2, 0.15)), replace(ARM, greatest_tilt=0.8)):
        T = random_poses(rng, 2000)
        slow = [reachable_slowly(arm, one) for one in T]
        np.testing.assert_array_equal(arm.reachable(T), slow)
        assert 20 < np.sum(slow) < 1980


def test_the_limits_are_where_the_closed_forms_say():
    """From straight above the wrist is `tool` over the tip: at the shoulder's height the ball is `far` wide."""
    level = BASE[2] + ARM.shoulder - ARM.tool
    arm = replace(ARM, low=0.0)
    for edge, inside in ((ARM.far, -1), (ARM.near, 1)):
        for step, expected in ((0, True), (inside * 1e-3, True), (-inside * 1e-3, False)):
            assert arm.reachable(pose_top_down(BASE[:2] + [edge + step, 0], 0, level)) == expected
    assert not ARM.reachable(pose_top_down((0, 0), 0, ARM.low - ARM.tool - 1e-3))
    assert not ARM.reachable(pose_top_down(BASE[:2] + [0.3, 0], 0, ARM.high - ARM.tool + 1e-3))


def test_tilted_approaches_reach_further_forward_and_less_far_back():
    forward = np.linspace(0.1, 1.3, 121)
    found = {}
    for tilt in (0.0, np.pi / 6, np.pi / 4, np.pi / 3):
        T = np.stack([tilted(BASE[:2] + [x, 0], 0.0, tilt, 0.05) for x in forward])
        found[tilt] = forward[ARM.reachable(T)]
    furthest, nearest = ([pick(reached) for reached in found.values()] for pick in (np.max, np.min))
    assert furthest == sorted(set(furthest))
    assert nearest == sorted(set(nearest))


def test_turning_about_the_base_changes_nothing():
    rng = np.random.default_rng(1)
    T, turn = random_poses(rng, 500), np.eye(4)
    turn[:3, :3] = Rotation.from_euler("z", 2.1).as_matrix()
    turn[:3, 3] = BASE - turn[:3, :3] @ BASE
    np.testing.assert_array_equal(ARM.reachable(turn @ T), ARM.reachable(T))


def test_moving_arm_and_pose_together_changes_nothing():
    T = random_poses(np.random.default_rng(2), 500)
    moved = np.array(T)
    moved[:, :3, 3] += [0.3, -0.4, 0.0]
    np.testing.assert_array_equal(replace(ARM, base=tuple(BASE + [0.3, -0.4, 0])).reachable(moved), ARM.reachable(T))


def test_turning_the_gripper_about_its_approach_changes_nothing():
    T = random_poses(np.random.default_rng(3), 500)
    spun = np.array(T)
    spun[:, :3, :3] = T[:, :3, :3] @ Rotation.from_euler("z", 0.7).as_matrix()
    np.testing.assert_array_equal(ARM.reachable(spun), ARM.reachable(T))


def test_batches_keep_their_shape():
    T = random_poses(np.random.default_rng(4), 12)
    assert ARM.reachable(T[0]).shape == ()
    assert ARM.reachable(T.reshape(3, 4, 4, 4)).shape == (3, 4)
    assert ARM.reachable(T[:0]).shape == (0,)


@pytest.mark.parametrize("name", presets.names("reach"))
def test_presets_build_and_reach_the_middle_of_the_table(name):
    assert Workspace.preset(name).reachable(pose_top_down((0, 0), 0, 0.01))


def test_anywhere_is_limited_by_the_table_alone():
    T = random_poses(np.random.default_rng(5), 500)
    np.testing.assert_array_equal(Workspace.preset("anywhere").reachable(T), T[:, 2, 3] >= 0)


def test_an_unknown_preset_lists_the_known_ones():
    with pytest.raises(UnknownPreset, match="'anywhere', 'default'"):
        Workspace.preset("long")


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("base", (0, 0), "three numbers"),
        ("base", (0, "left", 0), r"reach.base\[1\]"),
        ("near", -0.1, "at least 0"),
        ("near", 0.9, "below far"),
        ("low", 0.7, "below high"),
        ("tool", float("nan"), "reach.tool"),
        ("greatest_tilt", 4.0, "at most pi"),
    ],
)
def test_bad_numbers_are_named(field, value, said):
    with pytest.raises(InvalidValue, match=said):
        replace(ARM, **{field: value})


def test_what_is_no_pose_is_refused():
    with pytest.raises(InvalidValue, match="T_table_gripper"):
        ARM.reachable(2 * np.eye(4))
