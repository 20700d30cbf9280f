"""Convex parts: exact for shapes, holes stay open, the unlike is refused, and the cache gives back what it was given."""

from dataclasses import replace

import numpy as np
import pytest
import shapely
import trimesh
from manifold3d import Manifold, OpType
from scipy.spatial.transform import Rotation

from grasp import GraspError
from objects import shapes
from objects.csg import Ellipsoid, Prism, carve, circle
from objects.doctor import Doctor
from objects.solid import Solid
from physics import parts_of
from physics.cells import cells
from physics.convex import area, pieces
from physics.likeness import likeness
from tests.physics_bench import NOMINAL, block
from tests.seen import SHARED, needs_cases

pytestmark = pytest.mark.physics
RULES = NOMINAL.parts


def posed(name, seed=0):
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Rotation.random(rng=seed).as_matrix(), [0.1, -0.2, 0.3]
    return Solid.from_trimesh(name, shapes.make(name)).posed(T)


def volume(bodies):
    return Manifold.batch_boolean([Manifold.hull_points(np.array(b)) for b in bodies], OpType.Add).volume()


@pytest.mark.parametrize("seed", range(8))
def test_pieces_are_convex_and_fill_the_polygon(seed):
    rng = np.random.default_rng(seed)
    angle = np.sort(rng.uniform(0, 2 * np.pi, 25))
    star = shapely.Polygon(np.stack([np.cos(angle), np.sin(angle)], -1) * rng.uniform(0.5, 1, (25, 1)))
    polygon = star.buffer(0) - shapely.Point(0, 0).buffer(0.2)
    if polygon.geom_type != "Polygon":
        polygon = max(polygon.geoms, key=lambda part: part.area)
    found = pieces(polygon)
    assert sum(map(area, found)) == pytest.approx(polygon.area, rel=1e-9)
    union = shapely.union_all([shapely.Polygon(piece) for piece in found])
    assert union.symmetric_difference(polygon).area < 1e-9
    for piece in map(shapely.Polygon, found):
        assert piece.convex_hull.area - piece.area < 1e-9
    reflex = 2 + len(shapely.get_coordinates(polygon))
    assert len(found) < reflex - 2  # fewer than triangles


def test_a_convex_polygon_stays_whole():
    assert len(pieces(shapely.Point(0, 0).buffer(1))) == 1


LONG = pytest.param("turbine_housing", marks=pytest.mark.slow)


@pytest.mark.parametrize("name", ["arch", "tape_roll", "spring_clamp", LONG])
def test_parts_of_a_shape_are_exact_in_any_pose(name):
    solid = posed(name)
    found = parts_of(solid, replace(RULES, straighten=1e-9), None)
    alike = likeness(solid, found.vertices)
    assert found.method == "cells"
    assert alike.overlap == pytest.approx(1, abs=1e-6)
    assert alike.outward < 1e-5


@pytest.mark.slow  # its cuts take a while
def test_cut_parts_are_exact():
    joined = [Prism(shapely.box(-1, -1, 1, 1), 1, np.eye(4)), Ellipsoid(np.array([0, 0, 1.0]), np.array([0.8, 0.7, 0.6]))]
    through, halfway = Prism(circle(0.3), 3, np.eye(4)), Prism(shapely.box(0.5, 0.5, 2, 2), 0.5, np.eye(4))
    found = cells(joined, [through, halfway], 0.0)
    assert found is not None
    assert volume(found) == pytest.approx(carve(joined, [through, halfway]).volume, rel=1e-5)


def test_cuts_that_cells_cannot_follow_are_left_to_others():
    across = np.eye(4)
    across[:3, :3] = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    cube = Prism(shapely.box(0, 0, 1, 1), 1, np.eye(4))
    assert cells([cube], [cube, Prism(circle(1), 1, across)], 0.0) is None
    assert cells([cube], [Ellipsoid(np.zeros(3), np.ones(3))], 0.0) is None


@needs_cases
@pytest.mark.slow  # in the engine itself: tests/test_physics_cases.py
def test_a_ball_in_the_hole_of_a_ring_is_clear():
    # ../shared/cases O34: 60 / 40 mm, 20 mm high; 31.37 g at 1000 kg/m^3
    ring = Doctor.preset("default").load(SHARED / "cases" / "O34" / "ring.stl", "m")
    assert 1000 * ring.volume == pytest.approx(0.03137, rel=0.001)
    found = parts_of(ring, RULES, None)
    ball = Manifold.hull_points(ring.center_mass + trimesh.creation.icosphere(3, 0.006).vertices)
    assert all((Manifold.hull_points(np.array(part)) ^ ball).volume() == 0 for part in found.vertices)


def test_a_hull_in_place_of_a_ring_is_refused(monkeypatch):
    ring = replace(posed("tape_roll"), name="ring")  # not known as a shape
    monkeypatch.setattr("physics.parts._cut", lambda solid, rules: [np.array(solid.vertices)])
    with pytest.raises(GraspError, match="convex parts of ring are too unlike it: overlap 0.4"):
        parts_of(ring, RULES, None)


def test_likeness_of_a_larger_box():
    box = block((0.1, 0.1, 0.1))
    found = likeness(box, [np.array(box.vertices), np.array(box.vertices) + [0.01, 0, 0]])
    assert found.overlap == pytest.approx(10 / 11)
    assert found.outward == pytest.approx(0.01, rel=1e-5)


def test_the_cache_gives_back_the_same_bits(tmp_path, monkeypatch):
    first = parts_of(block(), RULES, tmp_path)
    monkeypatch.setattr("physics.parts._cut", lambda solid, rules: pytest.fail("made again"))
    again = parts_of(block(), RULES, tmp_path)
    assert (first.digest, first.method) == (again.digest, again.method)
    for one, other in zip(first.vertices, again.vertices, strict=True):
        np.testing.assert_array_equal(one, other)
    assert [path.suffix for path in tmp_path.iterdir()] == [".npz"]


def test_the_cache_tells_solids_and_rules_apart(tmp_path):
    digests = {parts_of(block(), RULES, tmp_path).digest, parts_of(block((0.1, 0.1, 0.1)), RULES, tmp_path).digest}
    digests.add(parts_of(block(), replace(RULES, threshold=0.05), tmp_path).digest)
    assert len(digests) == 3
