"""Samplers: where the lines stand, which way they close, and how many there are."""

import numpy as np
import pytest
import shapely
from shapely import Polygon

from get2d.edges import Edges
from get2d.samplers import SAMPLERS, Density, sample
from tests.polygons import FAMILY, bar, two_holes
from wrench.errors import InvalidValue

DENSITY = Density(edge_spacing=0.002, hole_spacing=0.003, vertex_turn=np.radians(10), vertex_lines=5)


def lines_of(polygon, sampler, density=DENSITY):
    lines = sample(Edges.of(polygon), density)
    rows = lines.sampler == SAMPLERS.index(sampler)
    return lines.anchor[rows], lines.closing[rows], lines.walk[rows]


def test_edge_lines_are_evenly_spaced_and_symmetric_about_the_middle_of_the_edge():
    anchor, closing, walk = lines_of(bar(0.07, 0.03), "edge")
    first = walk == walk[0]
    assert [int((walk == number).sum()) for number in np.unique(walk)] == [35, 15, 35, 15]
    np.testing.assert_allclose(anchor[first, 0], np.arange(-0.034, 0.035, 0.002), atol=1e-15)
    np.testing.assert_allclose(closing[first], np.tile([0.0, 1.0], (35, 1)), atol=1e-15)


def test_an_edge_shorter_than_the_spacing_has_its_middle():
    anchor, _, _ = lines_of(bar(0.0009, 0.0008), "edge")
    expected = [[0, -0.0004], [0.00045, 0], [0, 0.0004], [-0.00045, 0]]
    np.testing.assert_allclose(anchor, expected, atol=1e-15)


def test_vertex_lines_spread_evenly_about_the_bisector():
    anchor, closing, walk = lines_of(bar(0.04, 0.04), "vertex")
    corner = np.flatnonzero((anchor == [-0.02, -0.02]).all(1))
    heading = np.degrees(np.arctan2(closing[corner, 1], closing[corner, 0]))
    np.testing.assert_allclose(heading, [35, 40, 45, 50, 55], atol=1e-12)
    assert len(set(walk[corner])) == 1


@pytest.mark.parametrize("lines", [0, 1, 3])
def test_number_of_vertex_lines(lines):
    density = Density(0.002, 0.002, np.radians(10), lines)
    _, closing, _ = lines_of(bar(0.04, 0.04), "vertex", density)
    assert len(closing) == 4 * lines
    if lines == 1:
        np.testing.assert_allclose(np.abs(closing), np.sqrt(0.5), atol=1e-15)


@pytest.mark.parametrize("name", FAMILY)
def test_every_anchor_lies_on_its_ring_and_every_line_runs_the_right_way(name):
    polygon = FAMILY[name]
    edges, vertices, holes = (lines_of(polygon, sampler) for sampler in SAMPLERS)
    for anchor, closing, _ in (edges, vertices):
        assert shapely.distance(polygon.exterior, shapely.points(anchor)).max() < 1e-12
        np.testing.assert_allclose(np.linalg.norm(closing, axis=1), 1, atol=1e-12)
    a_step = 1e-6
    assert shapely.contains_xy(polygon, edges[0] + a_step * edges[1]).all(), "the wide jaw closes into the material"
    assert not shapely.contains_xy(polygon, edges[0] - a_step * edges[1]).any()
    for ring in polygon.interiors:
        inside = shapely.distance(ring, shapely.points(holes[0])) < 1e-12
        assert inside.sum() >= len(ring.coords) - 1
        where = holes[0][inside] + a_step * holes[1][inside]
        assert shapely.contains_xy(Polygon(ring), where).all(), "the narrow jaw stands in the hole, on the closing side"
    assert bool(len(holes[0])) == bool(len(polygon.interiors))


def test_walks_are_contiguous_and_no_two_samplers_share_one():
    lines = sample(Edges.of(two_holes()), DENSITY)
    begins = np.flatnonzero(np.diff(lines.walk, prepend=-1))
    assert len(np.unique(lines.walk)) == len(begins)
    assert len({(s, w) for s, w in zip(lines.sampler, lines.walk, strict=True)}) == len(begins)
    assert set(lines.sampler) == {0, 1, 2}


def test_ring_direction_does_not_matter():
    plate = two_holes()
    backward = Polygon(plate.exterior.coords[::-1], [ring.coords[::-1] for ring in plate.interiors])

    def rows(polygon):
        lines = sample(Edges.of(polygon), DENSITY)
        return np.unique(np.column_stack([lines.anchor, lines.closing, lines.sampler]).round(9) + 0.0, axis=0)

    np.testing.assert_array_equal(rows(plate), rows(backward))


def test_a_spike_without_width_has_no_bisector():
    spike = Edges(np.array([[0, 0], [0.03, 0.0]]), np.array([[0.03, 0], [0, 0.0]]), np.zeros(2, int))
    assert (sample(spike, DENSITY).sampler == SAMPLERS.index("edge")).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"edge_spacing": 0.0}, r"density.edge_spacing = 0.0 must be finite and greater than 0 m"),
        ({"hole_spacing": np.nan}, "density.hole_spacing = nan must be finite"),
        ({"vertex_turn": -0.1}, r"density.vertex_turn = -0.1 must be finite and at least 0 rad"),
        ({"vertex_lines": 4}, "density.vertex_lines = 4 must be 0 or an odd number"),
        ({"vertex_lines": -1}, "density.vertex_lines = -1 must be 0 or an odd number"),
    ],
)
def test_a_density_that_means_nothing_is_refused(change, message):
    good = {"edge_spacing": 0.002, "hole_spacing": 0.002, "vertex_turn": 0.1, "vertex_lines": 5}
    with pytest.raises(InvalidValue, match=message):
        Density(**(good | change))
