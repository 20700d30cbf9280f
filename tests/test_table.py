"""Table: known, given, or found in the depth; the same plane every time, or a reason."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from get2d.table import camera_over_table, points_of, straight_down, tilt
from grasp import PerceptionError, Reason, View
from objects.plane import table_pose
from tests.seen import SETTINGS, depth_of_box, looking

RANSAC = {"distance": 0.005, "iterations": 500, "share": 0.2}


def tabletop(rng, pose, count=5000, noise=0.001):
    """Return points of a table in the frame of a camera with that pose, with noise along its normal."""
    points = np.column_stack([rng.uniform(-0.3, 0.3, (count, 2)), rng.normal(0, noise, count)])
    return (points - pose[:3, 3]) @ pose[:3, :3]


@pytest.mark.parametrize("angle", [0.0, 0.1, 0.8, 1.1])
def test_plane_is_found_among_noise_and_clutter(angle):
    rng, camera = np.random.default_rng(2), looking(angle)
    clutter = tabletop(rng, camera.pose, 2000) + rng.normal(0, 0.1, (2000, 3))
    pose = table_pose(np.concatenate([tabletop(rng, camera.pose), clutter]), **RANSAC)
    assert np.arccos(pose[2, :3] @ camera.pose[2, :3]) < np.radians(0.3)
    assert abs(pose[2, 3] - camera.pose[2, 3]) < 0.001


def test_same_points_give_the_same_plane_bit_for_bit():
    points = tabletop(np.random.default_rng(3), looking(0.4).pose, noise=0.004)
    first, second = (table_pose(points, **RANSAC) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("seed", range(4))
def test_frame_has_the_camera_above_its_origin_and_x_along_the_image(seed):
    rng = np.random.default_rng(seed)
    turn = Rotation.from_euler("zxy", [rng.uniform(-3, 3), np.pi + rng.uniform(-0.8, 0.8), rng.uniform(-0.8, 0.8)])
    true = straight_down(0.6)
    true[:3, :3] = turn.as_matrix()
    pose = table_pose(tabletop(rng, true, noise=0), **RANSAC)
    np.testing.assert_allclose(pose[:3, :3] @ pose[:3, :3].T, np.eye(3), atol=1e-9)
    np.testing.assert_allclose(pose[:3, 3], [0, 0, 0.6], atol=1e-6)
    np.testing.assert_allclose(pose[2, :3], true[2, :3], atol=1e-6)
    assert pose[0, 0] > 0  # the image's u, laid into the plane, is x
    assert abs(pose[1, 0]) < 1e-9


def test_camera_looking_straight_down_has_the_usual_pose():
    pose = table_pose(tabletop(np.random.default_rng(4), straight_down(0.5), noise=0), **RANSAC)
    np.testing.assert_allclose(pose, straight_down(0.5), atol=1e-6)


def test_no_plane_is_a_reason():
    rng = np.random.default_rng(5)
    for points in (np.zeros((0, 3)), np.eye(3)[:2], rng.uniform(-0.5, 0.5, (3000, 3))):
        with pytest.raises(PerceptionError) as error:
            table_pose(points, **RANSAC)
        assert error.value.reason is Reason.NO_TABLE_PLANE


def test_known_pose_wins_then_the_given_distance_then_the_depth():
    known, unknown = looking(0.3), looking(0.3, posed=False)
    depth, mask = depth_of_box(known, (0.06, 0.04, 0.05))
    assert camera_over_table(View(depth=depth, camera=known), depth, SETTINGS) is known
    view = View(depth=depth, mask=mask, camera=unknown)
    given = camera_over_table(view, depth, replace(SETTINGS, table_distance=0.7))
    np.testing.assert_array_equal(given.pose, straight_down(0.7))
    found = camera_over_table(view, depth, SETTINGS)
    assert np.isclose(tilt(found), 0.3, atol=1e-3)
    assert np.isclose(found.pose[2, 3], known.pose[2, 3], atol=1e-4)


@pytest.mark.parametrize("distance", [None, 0.6])
def test_scale_calibrated_at_the_table_is_a_focal_length(distance):
    # 1000 px/m at 0.6 m is f = 600 px, and 1200 px/m on top of an object at 0.5 m (shared case O13)
    depth, mask = depth_of_box(looking(), (0.06, 0.04, 0.1))
    view = View(depth=depth, mask=mask, pixels_per_meter=1000)
    camera = camera_over_table(view, depth, replace(SETTINGS, table_distance=distance))
    assert np.isclose(camera.fx, 600, rtol=1e-4)
    assert np.isclose(camera.cx, 159.5)
    assert np.isclose(camera.pose[2, 3], 0.6, atol=1e-4)


def test_points_leave_out_what_has_no_depth():
    depth = np.full((240, 320), 0.5)
    depth[100, 50] = np.nan
    chosen = np.zeros(depth.shape, bool)
    chosen[100, 50:52] = True
    np.testing.assert_allclose(points_of(depth, looking(), chosen), [looking().in_camera(51, 100, 0.5)])
