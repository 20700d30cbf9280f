"""Origins and torque scales by rule, on shapes whose answers are known."""

import numpy as np
import pytest
import trimesh
from shapely import Polygon

from wrench import InvalidValue, Origin, OriginRule, ScaleRule, TorqueScale, origin_of, torque_scale_of
from wrench.reference import as_origin, as_torque_scale

SQUARE = Polygon([(0, 0), (4, 0), (4, 4), (0, 4)])
HOLED = Polygon(
    SQUARE.exterior.coords, [[(2, 1), (3, 1), (3, 3), (2, 3)]]
)  # the hole takes 2 of 16, centred at (2.5, 2)
TRIANGLE = Polygon([(0, 0), (3, 0), (0, 4)])
BOX = trimesh.creation.box((2, 3, 6), trimesh.transformations.translation_matrix([1, 2, 3]))

# Shape, origin rule, its point; greatest distance from it to the outline.
KNOWN = {
    "square": (SQUARE, "centroid", (2, 2), np.sqrt(8)),
    "square, filled": (SQUARE, "filled", (2, 2), np.sqrt(8)),
    "square with a hole": (HOLED, "centroid", ((16 * 2 - 2 * 2.5) / 14, 2), np.hypot(4 - 27 / 14, 2)),
    "square with a hole, filled": (HOLED, "filled", (2, 2), np.sqrt(8)),
    "triangle": (TRIANGLE, "centroid", (1, 4 / 3), np.hypot(1, 8 / 3)),
    "box": (BOX, "centroid", (1, 2, 3), 3.5),  # half the space diagonal of 2 x 3 x 6, which is 7
}


@pytest.mark.parametrize(("shape", "rule", "point", "radius"), KNOWN.values(), ids=KNOWN)
def test_rules_on_known_shapes(shape, rule, point, radius):
    origin = origin_of(shape, rule)
    np.testing.assert_allclose(origin.point, point, atol=1e-12)
    assert origin.rule is OriginRule(rule)
    for name, times in {"max_radius": 1, "object_length": 2}.items():
        scale = torque_scale_of(shape, name, origin)
        assert scale.metres == pytest.approx(times * radius, rel=1e-12)
        assert scale.rule is ScaleRule(name)


@pytest.mark.parametrize("shape", [HOLED, BOX], ids=["polygon", "mesh"])
def test_length_is_measured_from_the_origin_it_is_given(shape):
    corner = np.zeros(2 if shape is HOLED else 3)
    far = np.sqrt(32) if shape is HOLED else np.linalg.norm([2, 3.5, 6])
    assert torque_scale_of(shape, "max_radius", Origin(corner)).metres == pytest.approx(far, rel=1e-12)


def test_centre_of_a_mesh_is_that_of_its_volume_not_of_its_vertices():
    """A cone's centre of mass lies a quarter of its height above the base."""
    cone = trimesh.creation.cone(radius=1, height=2, sections=64)
    np.testing.assert_allclose(origin_of(cone, "centroid").point, [0, 0, 0.5], atol=1e-12)


def test_elevation_of_a_polygon_is_ignored():
    lifted = Polygon([(x, y, 9.0) for x, y in TRIANGLE.exterior.coords])
    origin = origin_of(lifted, "centroid")
    np.testing.assert_allclose(origin.point, [1, 4 / 3], atol=1e-12)
    assert torque_scale_of(lifted, "max_radius", origin).metres == pytest.approx(np.hypot(1, 8 / 3), rel=1e-12)


def test_rules_have_the_names_that_the_conventions_use():
    assert [rule.value for rule in OriginRule] == ["centroid", "filled", "given"]
    assert [rule.value for rule in ScaleRule] == ["object_length", "max_radius", "given"]


# ---- given values ----------------------------------------------------------------------------------------------------


def test_plain_values_are_given_ones_and_keep_their_own_copy():
    point, metres = np.array([1.0, 2.0]), np.array([0.1, 0.2])
    origin, scale = as_origin(point), as_torque_scale(metres)
    point += 1
    metres += 1
    np.testing.assert_array_equal(origin.point, [1, 2])
    np.testing.assert_array_equal(scale.metres, [0.1, 0.2])
    assert (origin.rule, scale.rule) == (OriginRule.GIVEN, ScaleRule.GIVEN)


def test_values_with_a_rule_keep_it():
    origin, scale = origin_of(SQUARE, "filled"), TorqueScale(np.array(2.0), ScaleRule.MAX_RADIUS)
    assert as_origin(origin) is origin
    assert as_torque_scale(scale) is scale


# ---- refusals --------------------------------------------------------------------------------------------------------


def test_a_given_origin_cannot_be_measured():
    with pytest.raises(InvalidValue, match="origin rule = given must be"):
        origin_of(SQUARE, "given")


def test_a_solid_has_no_filled_outline():
    with pytest.raises(InvalidValue, match="origin rule = filled must be"):
        origin_of(BOX, "filled")


def test_a_given_scale_cannot_be_measured():
    with pytest.raises(InvalidValue, match="torque scale rule = given must be"):
        torque_scale_of(SQUARE, "given", origin_of(SQUARE, "centroid"))


@pytest.mark.parametrize("metres", [0.0, -0.1, np.nan, np.inf])
def test_a_scale_that_is_no_length_is_refused(metres):
    with pytest.raises(InvalidValue, match=r"torque_scale\[1\] = .* must be finite and greater than 0 m"):
        as_torque_scale([0.1, metres])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_an_origin_that_is_no_point_is_refused(bad):
    with pytest.raises(InvalidValue, match=r"origin.point\[0, 1\]"):
        as_origin([[0.0, bad], [0.0, 0.0]])


@pytest.mark.parametrize(
    "measure", [lambda: origin_of(SQUARE, "middle"), lambda: torque_scale_of(SQUARE, "width", as_origin([0, 0]))]
)
def test_an_unknown_rule_is_refused_by_name(measure):
    with pytest.raises(ValueError, match="'middle'|'width'"):
        measure()
