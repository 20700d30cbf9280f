"""Solids from parts: volumes of sets, closed surfaces, double precision, and parts that are refused."""

import numpy as np
import pytest
import shapely

from grasp import GraspError, InvalidValue
from objects.csg import SEGMENTS, Ellipsoid, Prism, carve, circle


def cube(shift=0.0):
    """Return a prism of 1 x 1 x 1 m, moved along x."""
    return Prism(shapely.box(shift, 0, shift + 1, 1), 1, np.eye(4))


def test_union_less_cut_has_the_volume_of_sets():
    np.testing.assert_allclose(carve([cube(), cube(0.5)]).volume, 1.5)
    np.testing.assert_allclose(carve([cube()], [cube(0.75)]).volume, 0.75)
    touching = carve([cube(), cube(1)])
    assert touching.body_count == 1
    np.testing.assert_allclose(touching.volume, 2)


def test_double_precision_survives_a_boolean():
    shift = 0.1 + 1e-12
    np.testing.assert_allclose(carve([cube(), cube(shift)]).bounds[1, 0], 1 + shift, rtol=0, atol=1e-15)


def test_nothing_left_is_an_error():
    with pytest.raises(GraspError, match="nothing is left"):
        carve([cube()], [cube()])


def test_corners_in_line_stay_in_the_surface():
    # two prongs and a window whose edges continue each other: a triangulation that drops them leaves the solid open
    comb = shapely.box(0, 0, 5, 1) | shapely.box(1, 1, 2, 2) | shapely.box(3, 1, 4, 2)
    mesh = Prism(comb - shapely.box(1, 0.25, 2, 0.75), 1, np.eye(4)).mesh()
    assert mesh.is_watertight
    assert mesh.euler_number == 0
    np.testing.assert_allclose(mesh.volume, 6.5)


def test_ellipsoid_reaches_its_radii_and_most_of_its_volume():
    mesh = Ellipsoid(np.array([1, 2, 3]), np.array([3, 2, 1])).mesh()
    np.testing.assert_allclose(mesh.bounds, [[-2, 0, 2], [4, 4, 4]], atol=1e-12)
    assert 0.995 < mesh.volume / (4 / 3 * np.pi * 6) < 1


def test_circle_has_its_corners_on_the_circle_and_the_axes():
    corners = np.array(circle(2, (1, 1)).exterior.coords)[:-1] - 1
    assert len(corners) == SEGMENTS
    np.testing.assert_allclose(np.linalg.norm(corners, axis=1), 2)
    np.testing.assert_allclose(np.abs(corners).max(0), 2)


def test_bad_parts_are_refused():
    with pytest.raises(InvalidValue, match=r"prism\.height = 0"):
        Prism(shapely.box(0, 0, 1, 1), 0, np.eye(4))
    for profile in (shapely.Polygon(), shapely.Point(0, 0), shapely.Polygon([(0, 0), (1, 1), (1, 0), (0, 1)])):
        with pytest.raises(InvalidValue, match=r"prism\.profile"):
            Prism(profile, 1, np.eye(4))
    with pytest.raises(InvalidValue, match=r"prism\.T_object_prism"):
        Prism(shapely.box(0, 0, 1, 1), 1, 2 * np.eye(4))
    with pytest.raises(InvalidValue, match=r"ellipsoid\.radii\[1\] = 0"):
        Ellipsoid(np.zeros(3), np.array([1, 0, 1]))
