"""Sweeps of one disc against closed forms and against Shapely's distances."""

import math

import numpy as np
import pytest
import shapely
from shapely import LineString, Point

from get2d.edges import Edges
from get2d.sweep import INF, band, blocked, crosses_left, first_touch, nearest, pockets, turn
from tests.oracle_2d import gap
from tests.polygons import FAMILY, bar

R = 0.005  # m, radius of the paper's circles


def turned(polygon, angle=0.0):
    """Return the edges in the frame of a closing axis, and the polygon in the same frame."""
    edges = Edges.of(polygon)
    out = np.empty((len(edges), 4))
    turn(edges.start, edges.end, math.cos(angle), math.sin(angle), out)
    c, s = math.cos(angle), math.sin(angle)
    return out, shapely.transform(polygon, lambda points: points @ np.array([[c, s], [s, -c]]).T)


def touch(polygon, x, y, sign=1.0, angle=0.0):
    edges, _ = turned(polygon, angle)
    return first_touch(edges, np.arange(len(edges))[None], 0, len(edges), x, y, R, sign)


# ---- one edge --------------------------------------------------------------------------------------------------------


def test_blocked_interval_of_a_wall_an_end_and_a_floor():
    assert blocked(0.0, -0.02, 0.0, 0.02, 0.0, R) == (-R, R)
    low, high = blocked(0.0, -0.02, 0.0, 0.0, 0.003, R)  # 3-4-5: the end point stands 3 mm below the centre
    assert (low, high) == (pytest.approx(-0.004, abs=1e-15), pytest.approx(0.004, abs=1e-15))
    low, high = blocked(-0.01, 0.0, 0.02, 0.0, 0.004, R)
    assert (low, high) == (pytest.approx(-0.013, abs=1e-15), pytest.approx(0.023, abs=1e-15))
    assert blocked(-0.01, 0.0, 0.02, 0.0, R, R) == (INF, -INF), "a disc that slides along a wall is free"


def test_blocked_interval_is_where_the_distance_is_less_than_the_radius():
    rng, met = np.random.default_rng(1), 0
    for ax, ay, bx, by, y in rng.uniform(-0.02, 0.02, (2000, 5)):
        edge = LineString([(ax, ay), (bx, by)])
        low, high = blocked(ax, ay, bx, by, y, R)
        if low > high:
            assert edge.distance(LineString([(-1, y), (1, y)])) >= R
            continue
        met += 1
        assert edge.distance(Point(low, y)) == pytest.approx(R, abs=1e-12)
        assert edge.distance(Point(high, y)) == pytest.approx(R, abs=1e-12)
        inside = [edge.distance(Point(x, y)) for x in np.linspace(low, high, 12)[1:-1]]
        assert max(inside) < R
    assert met > 1000


def test_nearest_point_is_shapelys():
    rng = np.random.default_rng(2)
    edges = rng.uniform(-0.02, 0.02, (300, 4))
    for i, (x, y) in enumerate(rng.uniform(-0.03, 0.03, (300, 2))):
        line = LineString(edges[i].reshape(2, 2))
        expected = line.interpolate(line.project(Point(x, y)))
        np.testing.assert_allclose(nearest(edges, i, x, y), [expected.x, expected.y], atol=1e-12)


def test_band_finds_exactly_the_edges_that_reach_into_it():
    edges = np.random.default_rng(3).uniform(-0.02, 0.02, (500, 4))
    found = np.empty(500, np.int64)
    n = band(edges, -0.004, 0.001, found)
    low, high = edges[:, 1::2].min(1), edges[:, 1::2].max(1)
    assert found[:n].tolist() == np.flatnonzero((high >= -0.004) & (low <= 0.001)).tolist()
    assert 100 < n < 400


# ---- whole polygons --------------------------------------------------------------------------------------------------


def test_a_disc_stops_at_a_face_and_on_a_corner():
    square = bar(0.04, 0.04)
    overlaps, at, edge = touch(square, -0.1, 0.0)
    assert (overlaps, at) == (False, pytest.approx(-0.02 - R, abs=1e-15))
    assert edge >= 0
    assert touch(square, -0.1, 0.02 + 0.003)[1] == pytest.approx(-0.02 - 0.004, abs=1e-15)
    assert touch(square, 0.1, -0.02 - 0.003, sign=-1.0)[1] == pytest.approx(0.02 + 0.004, abs=1e-15)


def test_a_disc_that_meets_nothing_travels_for_ever():
    assert touch(bar(0.04, 0.04), -0.1, 0.0251) == (False, INF, -1)
    assert touch(bar(0.04, 0.04), 0.1, 0.0) == (False, INF, -1), "what lies behind is not met"
    assert touch(bar(0.04, 0.04), 0.0, 0.0251, sign=-1.0) == (False, -INF, -1)


def test_a_start_inside_overlaps_far_from_every_edge_too():
    assert touch(bar(0.04, 0.04), 0.0, 0.0)[0]
    assert touch(bar(0.04, 0.04), -0.0249, 0.0)[0]
    assert not touch(FAMILY["ring"], 0.0, 0.0)[0], "a hole is free"


@pytest.mark.parametrize("name", FAMILY)
def test_inside_is_shapelys_inside(name):
    rng = np.random.default_rng(4)
    edges, polygon = turned(FAMILY[name], 0.7)
    points = rng.uniform(*np.array(polygon.bounds).reshape(2, 2), (200, 2))
    expected = shapely.contains_xy(polygon, points)
    found = [sum(crosses_left(*edge, x, y) for edge in edges) % 2 == 1 for x, y in points]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", FAMILY)
def test_pockets_are_where_every_disc_is_clear(name):
    """Checked at both ends of every pocket and of every block between two, and at points spread over them."""
    rng = np.random.default_rng(5)
    edges, polygon = turned(FAMILY[name], rng.uniform(0, 2 * np.pi))
    shapely.prepare(polygon)
    for y in rng.uniform(polygon.bounds[1] - 0.01, polygon.bounds[3] + 0.01, 12):
        heights = y + np.array([-0.015, 0.0151])
        free = np.empty((2 * len(edges) + 1, 2))
        free = free[: pockets(edges, heights, R, free)]
        assert (free[0, 0], free[-1, 1]) == (-INF, INF)
        assert (np.diff(free.ravel()) > 0).all()
        ends = np.clip(free, -0.3, 0.3)
        blocks = np.stack([free[:-1, 1], free[1:, 0]], -1)
        share = np.linspace(0, 1, 31)
        for intervals, clear in ((ends, True), (blocks, False)):
            for low, high in intervals:
                room = worst(polygon, low + share * (high - low), heights)
                assert (room >= -1e-12).all() if clear else (room <= 1e-12).all()
        touching = worst(polygon, free[np.isfinite(free)], heights)
        np.testing.assert_allclose(touching, 0, atol=1e-12)


def worst(polygon, x, heights):
    """Return the least gap of discs side by side, at each x."""
    centre = np.stack(np.broadcast_arrays(x[:, None], heights), -1)
    return gap(polygon, centre.reshape(-1, 2), R).reshape(len(x), -1).min(1)
