"""Apart: distances from prisms against the Flexible Collision Library, by trial, and of boxes of known place."""

import numpy as np
import pytest
import shapely
from scipy.spatial.transform import Rotation

pytest.importorskip("fcl")

from grasp import Obstacle
from grasp.apart import separation
from tests.prisms import OUTLINES, prism, solid_meets

MM = 1e-3
UNIT = np.array(list(np.ndindex(2, 2, 2))) - 0.5


def random_boxes(rng, n, tilted):
    """Return corners (n, 8, 3) of boxes about the outlines."""
    turn = Rotation.random(n, rng=rng) if tilted else Rotation.from_rotvec(rng.uniform(-3, 3, (n, 1)) * [0, 0, 1])
    size, middle = rng.uniform(0.005, 0.08, (n, 1, 3)), rng.uniform(-0.08, 0.08, (n, 3)) + [0, 0, 0.03]
    return np.einsum("nij,nkj->nki", turn.as_matrix(), UNIT * size) + middle[:, None]


@pytest.mark.parametrize("tilted", [False, True], ids=["upright", "tilted"])
@pytest.mark.parametrize("name", OUTLINES)
def test_too_close_is_exactly_meeting_the_grown_prism(name, tilted):
    rng, margin = np.random.default_rng(5), 0.005
    corners, other = random_boxes(rng, 300, tilted), Obstacle(name, OUTLINES[name], 0.01, 0.05)
    found = separation(corners, other, margin)
    solid = prism(other.polygon.buffer(margin, quad_segs=32), other.low - margin, other.high + margin)
    meets = [solid_meets(c, solid) for c in corners]
    told = np.abs(found - margin) > 1e-5  # the grown outline is a polygon, 1.5 um off the round one
    assert told.mean() > 0.98
    np.testing.assert_array_equal((found < margin)[told], np.array(meets)[told])
    assert 0.1 < np.mean(meets) < 0.9


@pytest.mark.parametrize("name", OUTLINES)
def test_depth_is_the_shortest_move_that_parts(name):
    """A little shorter, no move in 1,440 directions parts them; a little longer, some do."""
    rng, tall = np.random.default_rng(6), Obstacle(name, OUTLINES[name], -1.0, 1.0)  # no way out up or down
    corners = random_boxes(rng, 150, tilted=False)
    depth = -separation(corners, tall, 0.01)
    turn = np.linspace(0, 2 * np.pi, 1440, endpoint=False)
    directions = np.stack([np.cos(turn), np.sin(turn)], -1)[:, None]
    entered = np.flatnonzero(depth > 2e-4)[:25]
    assert len(entered) == 25
    for i in entered:
        ring = shapely.get_coordinates(shapely.convex_hull(shapely.MultiPoint(corners[i, :, :2])).exterior)
        for length, parts in ((depth[i] - 1e-4, False), (depth[i] + 2e-4, True)):
            moved = shapely.polygons(ring + length * directions)
            assert (~shapely.intersects(moved, tall.polygon)).any() == parts


def test_distances_of_known_boxes():
    other = Obstacle("block", shapely.box(0, 0, 0.1, 0.1), 0.02, 0.06)
    at = lambda *middle: (UNIT * 0.02 + middle)[None]  # noqa: E731 - cubes of 20 mm
    assert separation(at(-0.013, 0.05, 0.04), other, 0.01)[0] == pytest.approx(3 * MM)
    assert separation(at(0.05, 0.05, 0.074), other, 0.01)[0] == pytest.approx(4 * MM)  # above it
    assert separation(at(0.05, 0.05, 0.006), other, 0.01)[0] == pytest.approx(4 * MM)  # below it
    assert separation(at(-0.013, -0.014, 0.04), other, 0.01)[0] == pytest.approx(5 * MM)  # off its corner
    assert separation(at(-0.007, 0.05, 0.04), other, 0.01)[0] == pytest.approx(-3 * MM)  # in by 3 mm sideways
    assert separation(at(0.05, 0.05, 0.068), other, 0.01)[0] == pytest.approx(-2 * MM)  # in by 2 mm from above
    assert separation(at(-0.021, 0.05, 0.04), other, 0.01)[0] >= 0.01


def test_inside_a_ring_the_way_out_is_back_into_its_hole():
    other = Obstacle("tote", OUTLINES["tote"], 0.0, 0.1)  # its wall is 8 mm thick, its inside 112 mm long
    inside = UNIT * [0.02, 0.02, 0.02] + [0.056 - 0.01 + 0.003, 0, 0.05]
    assert separation(inside[None], other, 0.005)[0] == pytest.approx(-3 * MM)
