"""Surroundings: upright prisms with names, checked at the door and carried by a view."""

import pickle

import numpy as np
import pytest
import shapely

from grasp import InvalidValue, Obstacle, Surroundings, View

SQUARE = shapely.box(0, 0, 0.04, 0.04)
MUG = Obstacle("mug", SQUARE, 0.0, 0.09)


def test_a_view_is_placed_among_its_surroundings_and_is_otherwise_the_same():
    view = View.from_polygon(SQUARE)
    assert view.surroundings is None
    around = Surroundings((MUG,), (Obstacle("label", SQUARE, 0.02, 0.03),))
    placed = view.among(around)
    assert placed.surroundings == around and placed.polygon == view.polygon
    assert view.surroundings is None and placed.among(None).surroundings is None


@pytest.mark.parametrize(
    "view",
    [
        View.from_mask(np.eye(4, dtype=bool), pixels_per_meter=1000.0),
        View.from_cloud([[0, 0, 0.1], [np.nan, 0, 0]]),
        View.from_mesh(np.eye(3), [[0, 1, 2]]),
    ],
    ids=["mask", "cloud", "mesh"],
)
def test_every_kind_of_view_can_be(view):
    placed = view.among(Surroundings())
    assert placed.surroundings == Surroundings() and placed.dropped == view.dropped
    for part in ("mask", "points"):
        np.testing.assert_array_equal(getattr(placed, part), getattr(view, part))


def test_a_view_takes_surroundings_only():
    with pytest.raises(InvalidValue, match="surroundings = .* must be a Surroundings"):
        View.from_polygon(SQUARE).among((MUG,))  # type: ignore[arg-type]


def test_surroundings_take_obstacles_only_and_survive_being_sent():
    with pytest.raises(InvalidValue, match=r"surroundings.forbidden\[1\] = 'label' must be an Obstacle"):
        Surroundings(forbidden=(MUG, "label"))  # type: ignore[arg-type]
    given = Surroundings([MUG])  # type: ignore[arg-type]
    assert given.obstacles == (MUG,)
    assert pickle.loads(pickle.dumps(given)) == given


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"name": " "}, "obstacle.name = ' '"),
        ({"name": 3}, "obstacle.name = 3"),
        ({"high": 0.0}, "mug.high = 0.0 must be above low, 0 m"),
        ({"low": np.nan}, "mug.low = nan must be finite"),
        ({"high": "tall"}, "mug.high = 'tall' must be a number"),
        ({"polygon": shapely.Polygon()}, "mug.polygon = POLYGON EMPTY must be one Shapely Polygon"),
        ({"polygon": shapely.MultiPolygon([SQUARE])}, "mug.polygon"),
        ({"polygon": [[0, 0], [1, 0], [0, 1]]}, "mug.polygon"),
        ({"polygon": shapely.Polygon([(0, 0), (1, 1), (1, 0), (0, 1)])}, "mug.polygon = Self-inter.* without crossings"),
        ({"polygon": shapely.Polygon([(0, 0, 1), (1, 0, 1), (0, 1, 1)])}, "must be flat"),
    ],
)
def test_obstacles_that_are_none_are_refused_by_name(change, named):
    with pytest.raises(InvalidValue, match=named):
        Obstacle(**({"name": "mug", "polygon": SQUARE, "low": 0.0, "high": 0.09} | change))


def test_an_obstacle_may_have_holes_and_hang():
    tote = shapely.box(-0.3, -0.2, 0.3, 0.2).exterior.buffer(0.005)
    assert len(tote.interiors) == 1
    assert Obstacle("tote wall", tote, 0.0, 0.1).polygon.equals(tote)
    assert Obstacle("shelf", SQUARE, 0.3, 0.32).low == 0.3
