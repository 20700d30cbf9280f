"""Projection: points seen from anywhere, straight down onto the table."""

from dataclasses import replace

import numpy as np
import pytest
import shapely

from get2d.project import project
from grasp import InvalidValue, PerceptionError, Reason
from tests.seen import LARGEST, SETTINGS

NOTHING = np.zeros((0, 3))


def slab(width, depth, height, step=0.0008, jitter=0.0, rng=None, at=(0.0, 0.0)):
    """Return points on the top of a box, a grid with jitter."""
    x, y = np.meshgrid(np.arange(-width / 2, width / 2 + step / 2, step), np.arange(-depth / 2, depth / 2 + step / 2, step))
    points = np.column_stack([x.ravel() + at[0], y.ravel() + at[1], np.full(x.size, height)])
    if rng is not None:
        points[:, :2] += rng.uniform(-jitter, jitter, (len(points), 2))
    return points


def ring_of_points(outer=0.05, inner=0.02):
    points = slab(2 * outer, 2 * outer, 0.03)
    radius = np.hypot(*points[:, :2].T)
    return points[(radius <= outer) & (radius >= inner)]


def refused(points, table=NOTHING, settings=SETTINGS, **more):
    with pytest.raises(PerceptionError) as error:
        project(points, table, settings, **more)
    return error.value


@pytest.mark.parametrize("step", [0.0008, 0.0025, 0.004])
@pytest.mark.parametrize("aslant", [1.0, 2.0])
def test_footprint_of_a_box_is_its_rectangle_whatever_the_spacing(step, aslant):
    points = slab(0.06 / aslant, 0.04, 0.05, step, step / 4, np.random.default_rng(1)) * [aslant, 1, 1]
    polygon, heights, _ = project(points, NOTHING, SETTINGS)
    expected = shapely.box(-0.03, -0.02, 0.03, 0.02)
    assert polygon.hausdorff_distance(expected) < aslant * step + 2 * SETTINGS.cell
    assert polygon.interiors[:] == []
    assert np.nanmax(heights.height) == 0.05


def test_points_near_the_table_are_the_table():
    table = slab(0.2, 0.2, SETTINGS.least_height)
    points = np.concatenate([slab(0.06, 0.04, 0.05), table])
    polygon, heights, _ = project(points, points, SETTINGS)
    assert abs(polygon.area / (0.06 * 0.04) - 1) < 0.05
    assert np.nanmin(heights.height) == 0.05


def test_height_of_a_cell_is_that_of_its_highest_point():
    low, high = slab(0.06, 0.04, 0.02), slab(0.02, 0.02, 0.07, at=(0.01, 0.0))
    _, heights, _ = project(np.concatenate([low, high, low]), NOTHING, SETTINGS)
    np.testing.assert_allclose(heights.top_near(np.array([[0.01, 0], [-0.02, 0]]), 0.001), [0.07, 0.02], atol=1e-8)


def test_moving_the_points_by_whole_cells_moves_the_footprint():
    points, shift = ring_of_points(), np.array([0.123, -0.045, 0])
    polygon, _, _ = project(points, NOTHING, SETTINGS)
    moved, _, _ = project(points + shift, NOTHING, SETTINGS)
    assert shapely.transform(polygon, lambda at: at + shift[:2]).hausdorff_distance(moved) <= SETTINGS.cell


def test_hole_is_kept_where_the_table_shows_through_it_or_no_table_is_known():
    points = ring_of_points()
    for table in (NOTHING, slab(0.01, 0.01, 0.0)):
        polygon, _, notes = project(points, table, SETTINGS)
        assert abs(polygon.area / (np.pi * (0.05**2 - 0.02**2)) - 1) < 0.05
        assert (len(polygon.interiors), notes) == (1, ())


def test_hole_is_filled_where_the_table_was_seen_elsewhere_only():
    polygon, _, notes = project(ring_of_points(), slab(0.01, 0.01, 0.0, at=(0.1, 0)), SETTINGS)
    assert abs(polygon.area / (np.pi * 0.05**2) - 1) < 0.05
    assert notes == ("1 holes were filled: the table was not seen through them.",)


def test_nothing_above_the_table():
    assert refused(slab(0.06, 0.04, 0.004)).reason is Reason.EMPTY_CLOUD
    assert refused(NOTHING).reason is Reason.EMPTY_CLOUD


def test_two_objects_are_two():
    points = np.concatenate([slab(0.03, 0.03, 0.02), slab(0.02, 0.03, 0.02, at=(0.06, 0))])
    error = refused(points)
    assert error.reason is Reason.SEVERAL_OBJECTS
    assert "cells. They may be parts of one object" in error.detail
    polygon, _, notes = project(points, NOTHING, LARGEST)
    assert abs(polygon.area / 0.03**2 - 1) < 0.08
    assert notes[0].startswith("The largest of 2 objects was taken")


def test_stray_points_are_dropped_and_counted():
    stray = np.array([[0.1, 0, 0.1], [-0.1, 0.05, 0.02], [0.05, -0.09, 0.3]])
    polygon, heights, notes = project(np.concatenate([slab(0.06, 0.04, 0.05), stray]), NOTHING, SETTINGS)
    assert polygon.bounds[2] < 0.033
    assert np.nanmax(heights.height) == 0.05
    assert notes == ("3 specks of 3 cells in all were dropped.",)


def test_object_cut_by_the_image_is_refused_and_others_at_the_border_are_not():
    points = slab(0.06, 0.04, 0.05)
    border = np.array([[0.03, 0.0, 0.05]])
    assert refused(points, border=border).reason is Reason.TOUCHES_BORDER
    for harmless in ([[0.2, 0.0, 0.05]], [[0.03, 0.0, 0.001]]):
        assert project(points, NOTHING, SETTINGS, np.array(harmless))[0].area > 0


def test_millimetres_are_not_taken_for_metres():
    with pytest.raises(InvalidValue, match="are they in metres"):
        project(1000 * slab(0.06, 0.04, 0.05), NOTHING, SETTINGS)


def test_one_point_is_too_small():
    assert refused(np.array([[0, 0, 0.1]])).reason is Reason.TOO_SMALL


def test_larger_cells_give_the_same_size():
    polygon, heights, _ = project(slab(0.06, 0.04, 0.05), NOTHING, replace(SETTINGS, cell=0.002))
    assert heights.cell == 0.002
    assert polygon.hausdorff_distance(shapely.box(-0.03, -0.02, 0.03, 0.02)) < 2.5 * 0.002
