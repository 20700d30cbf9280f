"""Frames: which way the axes of a top-down grasp point, and the laws of rigid poses."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from grasp import InvalidValue
from grasp.frames import (
    heading,
    invert,
    planar_axes,
    pose_top_down,
    position,
    require_pose,
    transform_points,
    transform_vectors,
)


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def random_poses(rng, *batch):
    T = np.zeros((*batch, 4, 4))
    T[..., :3, :3] = Rotation.random(int(np.prod(batch)), rng=rng).as_matrix().reshape(*batch, 3, 3)
    T[..., :3, 3], T[..., 3, 3] = rng.normal(size=(*batch, 3)), 1
    return T


def test_top_down_axes_at_angle_zero():
    T = pose_top_down([0.1, 0.2], 0.0, 0.03)
    np.testing.assert_array_equal(T, [[1, 0, 0, 0.1], [0, -1, 0, 0.2], [0, 0, -1, 0.03], [0, 0, 0, 1]])


def test_top_down_is_rigid_and_gives_back_what_it_was_made_of(rng):
    xy, angle, z = rng.normal(size=(50, 2)), rng.uniform(-np.pi, np.pi, 50), rng.uniform(0, 1, 50)
    T = require_pose("T", pose_top_down(xy, angle, z))
    np.testing.assert_allclose(heading(T), angle, atol=1e-14)
    np.testing.assert_array_equal(position(T), np.column_stack([xy, z]))
    closing, lateral = planar_axes(angle)
    np.testing.assert_array_equal(T[:, :2, :2], np.stack([closing, lateral], -1))


def test_first_wide_pad_is_the_left_one_seen_from_above():
    tip = transform_points(pose_top_down([0, 0], 0.0, 0.0), [[0.0, -0.015, 0.0]])
    np.testing.assert_allclose(tip, [[0, 0.015, 0]])  # looking along +x with z up, +y is left


def test_half_a_turn_is_another_pose_and_a_whole_turn_is_not(rng):
    angle = rng.uniform(-np.pi, np.pi, 20)
    T, half, whole = (pose_top_down([0, 0], angle + turn, 0) for turn in (0, np.pi, 2 * np.pi))
    np.testing.assert_allclose(whole, T, atol=1e-14)
    np.testing.assert_allclose(half[:, :3, 0], -T[:, :3, 0], atol=1e-14)
    assert (np.abs(heading(half) - heading(T)) > 3).all()


def test_top_down_broadcasts():
    assert pose_top_down(np.zeros((5, 1, 2)), np.zeros(3), 0.1).shape == (5, 3, 4, 4)


def test_inverse_undoes(rng):
    T, points = random_poses(rng, 4, 5), rng.normal(size=(4, 5, 6, 3))
    np.testing.assert_allclose(invert(T) @ T, np.broadcast_to(np.eye(4), T.shape), atol=1e-14)
    np.testing.assert_allclose(transform_points(invert(T), transform_points(T, points)), points, atol=1e-14)


def test_points_as_homogeneous_products_and_vectors_as_differences(rng):
    T, points = random_poses(rng, 8), rng.normal(size=(6, 3))
    slow = np.array([[(pose @ [*point, 1])[:3] for point in points] for pose in T])
    np.testing.assert_allclose(transform_points(T, points), slow, atol=1e-14)
    np.testing.assert_allclose(transform_vectors(T, points[1:] - points[:-1]), np.diff(slow, axis=1), atol=1e-14)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda T: T * 2,
        lambda T: T @ np.diag([1.0, 1, -1, 1]),
        lambda T: T + np.eye(4)[3][:, None] * 0.1,
        lambda T: np.where(np.eye(4) == 1, np.nan, T),
        lambda T: T[:3],
    ],
)
def test_what_is_not_a_pose_is_refused(rng, spoil):
    with pytest.raises(InvalidValue, match="T_table_camera"):
        require_pose("T_table_camera", spoil(random_poses(rng, 1)[0]))


def test_the_bad_pose_of_a_batch_is_named(rng):
    T = random_poses(rng, 3, 2)
    T[2, 1, 0, 0] += 0.01
    with pytest.raises(InvalidValue, match=r"T\[2, 1\]"):
        require_pose("T", T)


def test_checked_pose_is_a_read_only_copy(rng):
    T = random_poses(rng, 2)
    kept = require_pose("T", T)
    T[:] = 0
    assert kept[0, 3, 3] == 1
    assert not kept.flags.writeable
