"""Metric: one affine map from pixels to the table, and heights that stay with their pixels."""

import numpy as np
import pytest

from get2d.metric import height_map, mapped, of_depth, of_grid, of_scale, shifted
from tests.seen import looking

RNG = np.random.default_rng(5)


@pytest.mark.parametrize("tilt", [0.0, 0.05, 0.7])
@pytest.mark.parametrize("yaw", [0.0, 2.0])
def test_map_at_one_depth_is_deprojection(tilt, yaw):
    camera, uv = looking(tilt, yaw), RNG.uniform(0, 300, (20, 2))
    expected = camera.deproject(*uv.T, 0.47)[:, :2]
    np.testing.assert_allclose(mapped(of_depth(camera, 0.47), uv), expected, atol=1e-14)


def test_scale_puts_the_origin_at_the_middle_of_the_image_and_y_up():
    to_table = of_scale((121, 141), 1000)
    np.testing.assert_allclose(mapped(to_table, np.array([[70, 60], [71, 60], [70, 61]])), [[0, 0], [1e-3, 0], [0, -1e-3]])


def test_shifted_map_is_that_of_the_cut_out():
    to_table, uv = RNG.normal(size=(2, 3)), RNG.uniform(0, 9, (5, 2))
    np.testing.assert_allclose(mapped(shifted(to_table, (3, 8)), uv), mapped(to_table, uv + [3, 8]))


def test_heights_from_straight_above_are_the_pixels_last_row_first():
    height = RNG.uniform(0, 0.1, (37, 53))
    height[RNG.random(height.shape) < 0.2] = np.nan
    heights = height_map(height, of_scale(height.shape, 1200))
    np.testing.assert_array_equal(heights.height, height[::-1])
    np.testing.assert_allclose(heights.corner, [-26 / 1200, -18 / 1200])
    assert np.isclose(heights.cell, 1 / 1200)


def test_grid_map_is_the_one_height_maps_use():
    height = RNG.uniform(0, 0.1, (8, 9))
    heights = height_map(height, of_grid(np.array([0.1, -0.2]), 0.002))
    np.testing.assert_array_equal(heights.height, height)
    np.testing.assert_allclose(heights.corner, [0.1, -0.2])


@pytest.mark.parametrize("yaw", [0.4, np.pi / 2, 3.0])
def test_heights_stay_with_their_pixels_when_the_camera_is_turned(yaw):
    camera = looking(yaw=yaw)
    v, u = np.indices((60, 80))
    height = 0.05 + 0.03 * np.sin(u / 12) * np.cos(v / 9)  # changes by at most 3 mm from one pixel to the next
    to_table = shifted(of_depth(camera, 0.55), (100, 90))
    heights = height_map(height, to_table)
    at = mapped(to_table, np.stack([u, v], -1).astype(float)) - heights.corner
    column, row = np.moveaxis(np.round(at / heights.cell).astype(int), -1, 0)
    got = heights.height[row, column]
    assert np.isfinite(got).mean() > 0.98  # rounding loses a few at the rim
    assert np.nanmax(np.abs(got - height)) < 0.006
    assert abs(np.isfinite(heights.height).sum() / height.size - 1) < 0.05
