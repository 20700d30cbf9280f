"""Profiles: closed forms, exact queries against dense sampling, touches, and reading them from masks and meshes."""

from dataclasses import replace

import numpy as np
import pytest
import shapely
import trimesh

from baselines.profile_mass import centre, solid_centre, vessel_area, vessel_centre, volume
from baselines.profile_places import Needs
from baselines.profile_read import Reading, of_outline, read
from baselines.profile_shape import Band, Profile
from baselines.profile_touch import reach, touch
from grasp import InvalidValue, PerceptionError, Reason, View, presets
from tests.seen import SETTINGS
from tests.turned import BOTTLE, GOBLET, NAMED, Turned, sphere

CONFIG = presets.read("planner", "profile")
READING = Reading(**CONFIG["reading"])
CYLINDER = Profile([0.0, 0.1], [0.04, 0.04])
CONE = Profile([0.0, 0.12], [0.06, 0.0])


def profile_of(turned):
    return Profile(turned.heights, 2 * turned.radii)


def random_profiles(count, seed=0, corners=9):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield Profile(np.cumsum(rng.uniform(0.001, 0.03, corners)), rng.uniform(0, 0.1, corners))


# ---- closed forms ------------------------------------------------------------------------------------------------------


def test_cylinder():
    assert volume(CYLINDER) == pytest.approx(np.pi * 0.02**2 * 0.1)
    assert solid_centre(CYLINDER) == pytest.approx(0.05)
    assert CYLINDER.widest() == (Band(0.0, 0.1), 0.04)
    assert CYLINDER.narrowest_below_widest() is None
    assert CYLINDER.longest_run(0.001) == Band(0.0, 0.1)


def test_cone():
    assert volume(CONE) == pytest.approx(np.pi * 0.03**2 * 0.12 / 3)
    assert solid_centre(CONE) == pytest.approx(0.12 / 4)
    np.testing.assert_allclose(CONE.width([0, 0.03, 0.12, -0.01, 0.13]), [0.06, 0.045, 0, 0, 0])
    run = CONE.longest_run(0.01)
    assert run.height == pytest.approx(0.01 * 0.12 / 0.06)  # the width falls by half the height


def test_sphere():
    ball = profile_of(sphere(0.03, corners=801))
    assert volume(ball) == pytest.approx(4 / 3 * np.pi * 0.03**3, rel=1e-5)
    assert solid_centre(ball) == pytest.approx(0.03, abs=1e-7)
    assert ball.widest()[0].middle == pytest.approx(0.03, abs=1e-7)
    assert ball.width(0.03 + 0.018) == pytest.approx(2 * 0.024, abs=1e-6)  # 18, 24, 30
    assert ball.longest_run(0.01).height == pytest.approx(2 * np.sqrt(0.03**2 - 0.025**2), abs=1e-4)


def test_thin_vessels():
    """Walls and bottom of a can: each has its own centre; an open cone's walls have theirs two thirds of the way up."""
    walls, bottom = np.pi * 0.04 * 0.1, np.pi * 0.02**2
    assert vessel_area(CYLINDER) == pytest.approx(walls + bottom)
    assert vessel_centre(CYLINDER) == pytest.approx(walls * 0.05 / (walls + bottom))
    assert vessel_centre(Profile([0.0, 0.09], [0.0, 0.05])) == pytest.approx(0.06)


@pytest.mark.parametrize("name", NAMED)
def test_mass_is_that_of_the_turned_mesh(name):
    solid, profile = NAMED[name].mesh(), profile_of(NAMED[name])
    facets = np.sin(2 * np.pi / 96) * 96 / (2 * np.pi)  # area of a regular 96-gon over that of its circle
    assert volume(profile) * facets == pytest.approx(solid.volume, rel=1e-9)
    assert solid_centre(profile) == pytest.approx(solid.center_mass[2], abs=1e-9)


@pytest.mark.parametrize("scale", [0.1, 3.0])
@pytest.mark.parametrize("matter", ["solid", "vessel"])
def test_scale_lift_and_cutting(scale, matter):
    for profile in random_profiles(5):
        larger = Profile(profile.heights * scale, profile.widths * scale)
        lifted = Profile(profile.heights + 0.5, profile.widths)
        assert volume(larger) == pytest.approx(scale**3 * volume(profile))
        assert centre(larger, matter) == pytest.approx(scale * centre(profile, matter))
        assert centre(lifted, matter) == pytest.approx(centre(profile, matter) + 0.5)
        parts = [profile.part(band) for band in (Band(-1.0, 0.06), Band(0.06, 1.0))]
        assert sum(map(volume, parts)) == pytest.approx(volume(profile))


# ---- queries -----------------------------------------------------------------------------------------------------------


def test_queries_on_a_goblet_and_a_bottle():
    goblet, bottle = profile_of(GOBLET), profile_of(BOTTLE)
    assert goblet.widest() == (Band(0.13, 0.13), pytest.approx(0.076))
    plateau, width = goblet.narrowest_below_widest()
    assert (plateau, width) == (Band(0.012, 0.082), pytest.approx(0.01))
    assert goblet.first_wider(0.06) == pytest.approx(0.1)
    assert goblet.first_wider(0.05) == 0.0
    assert goblet.first_wider(0.08) is None
    assert goblet.fraction_below(0.033) == pytest.approx(0.2)
    np.testing.assert_array_equal(goblet.fraction_below([-1.0, 1.0]), [0, 1])
    assert bottle.widest()[0] == Band(0.0, 0.11)
    assert bottle.below_widest() is None
    assert bottle.above_widest().narrowest() == (Band(0.14, 0.2), pytest.approx(0.028))


def test_first_wider_is_the_first_crossing_of_dense_samples():
    for profile in random_profiles(30, seed=1):
        z = np.linspace(profile.span.low, profile.span.high, 20_001)
        wider = profile.width(z) > 0.05
        found = profile.first_wider(0.05)
        assert (found is None) == (profile.widths.max() <= 0.05)
        if wider.any():
            assert found == pytest.approx(z[wider.argmax()], abs=2 * (z[1] - z[0]))


@pytest.mark.parametrize("flatness", [0.002, 0.01, 0.04])
def test_longest_run_is_the_longest_of_all_dense_intervals(flatness):
    """The oracle tries every pair of samples."""
    for profile in random_profiles(12, seed=2):
        run = profile.longest_run(flatness)
        assert np.ptp(profile.part(run).widths) <= flatness + 1e-8
        z = np.union1d(np.linspace(profile.span.low, profile.span.high, 401), profile.heights)
        w = profile.width(z)
        longest = 0.0
        for i in range(len(z)):
            flat = np.maximum.accumulate(w[i:]) - np.minimum.accumulate(w[i:]) <= flatness
            longest = max(longest, z[i + np.flatnonzero(flat)[-1]] - z[i])
        assert longest - 1e-9 <= run.height <= longest + 2 * np.diff(z).max()


def test_a_stretch_ends_where_the_width_leaves_its_bounds():
    band = CONE.stretch(0.06, 0.02, 0.04)
    assert (band.low, band.high) == pytest.approx((0.04, 0.08))
    assert CYLINDER.stretch(0.05, 0, 1) == CYLINDER.span


def test_a_part_that_is_nothing_is_none():
    needle = Profile([0.0, 0.1, 0.2], [0.04, 0.0, 0.0])
    assert needle.part(Band(0.1, 0.2)) is None
    assert needle.part(Band(0.3, 0.4)) is None
    assert needle.part(Band(0.05, 0.05)) is None


@pytest.mark.parametrize(
    ("heights", "widths", "named"),
    [
        ([0.0], [0.1], "shapes"),
        ([0.0, 0.1], [0.1], "shapes"),
        ([0.0, 0.0], [0.1, 0.1], r"heights\[1\]"),
        ([0.0, np.nan], [0.1, 0.1], r"heights\[1\]"),
        ([0.0, 0.1], [0.1, -0.1], r"widths\[1\]"),
        ([0.0, 0.1], [0.0, 0.0], "greater than 0 m somewhere"),
    ],
)
def test_what_is_no_profile_is_named(heights, widths, named):
    with pytest.raises(InvalidValue, match=named):
        Profile(heights, widths)


def test_unknown_matter_is_named():
    with pytest.raises(InvalidValue, match="'hollow'"):
        centre(CYLINDER, "hollow")


# ---- touch -------------------------------------------------------------------------------------------------------------


def test_touch_of_the_closed_forms():
    """A wall is touched in its middle, a belly at its ridge, and a cone at the lower edge of the face with its own slope."""
    ball, give = profile_of(sphere(0.03, corners=801)), 0.0005
    low, high = np.array([0.02, 0.01, 0.03]), np.array([0.2, 0.06, 0.06])
    wall, belly, cone = (touch(profile, low, high, give) for profile in (CYLINDER, ball, CONE))
    np.testing.assert_allclose(wall.height, [0.06, 0.035, 0.045])
    np.testing.assert_allclose(wall.slope, 0, atol=1e-12)
    np.testing.assert_allclose(belly.height[:2], 0.03, atol=1e-5)
    np.testing.assert_allclose(belly.slope[:2], 0, atol=1e-6)
    np.testing.assert_allclose(belly.radius, 0.03, atol=1e-8)
    np.testing.assert_allclose(cone.slope, -0.25)
    np.testing.assert_allclose(cone.height, low + give / 0.25 / 2)
    np.testing.assert_allclose(cone.radius, CONE.width(low) / 2)


def test_touch_against_dense_samples():
    rng, give = np.random.default_rng(3), 0.002
    for profile in random_profiles(20, seed=4):
        low = rng.uniform(profile.span.low, profile.span.high, 8)
        high = low + rng.uniform(0.001, 0.05, 8)
        patch, far = touch(profile, low, high, give), reach(profile, low, high)
        np.testing.assert_array_equal(patch.radius, far)
        for i in range(8):
            z = np.linspace(low[i], min(high[i], profile.span.high), 20_001)
            r = profile.width(z) / 2
            assert patch.radius[i] == pytest.approx(r.max(), abs=1e-5)
            near, first = r >= r.max() - give, int(r.argmax())
            start = first - int(np.argmin(np.append(near[first::-1], False))) + 1
            end = first + int(np.argmin(np.append(near[first:], False))) - 1
            assert patch.height[i] == pytest.approx((z[start] + z[end]) / 2, abs=2e-5)


def test_faces_beside_the_object_reach_nothing():
    far = reach(CYLINDER, np.array([-0.05, 0.11, 0.02]), np.array([-0.01, 0.2, np.inf]))
    np.testing.assert_array_equal(far, [-np.inf, -np.inf, 0.02])


# ---- reading -----------------------------------------------------------------------------------------------------------


def worst_radius(seen, turned, above=0.004):
    """Return the greatest error in radius in metres where walls are steeper than 45 degrees, away from the ends."""
    z = np.linspace(above, turned.height - above, 500)
    steep = np.abs(turned.radius(z + 0.001) - turned.radius(z - 0.001)) < 0.002
    return np.abs(seen.profile.width(z) / 2 - turned.radius(z))[steep].max()


@pytest.mark.parametrize("name", NAMED)
def test_a_mesh_gives_its_profile_axis_and_mass_wherever_it_stands(name):
    turned = NAMED[name]
    for at, turn in (((0.0, 0.0), 0.0), ((0.07, -0.2), 0.4)):
        seen = read(turned.view(at=at, turn=turn), READING, SETTINGS)
        np.testing.assert_allclose(seen.axis, at, atol=2e-5)
        assert worst_radius(seen, turned) < np.sqrt(2) * (READING.detail + 3e-5)  # and a facet inside its circle
        assert solid_centre(seen.profile) == pytest.approx(turned.centre, abs=1e-4)


@pytest.mark.parametrize("scale", [1000, 3000])
@pytest.mark.parametrize("name", NAMED)
def test_a_side_mask_gives_the_same_to_a_pixel(name, scale):
    turned = NAMED[name]
    seen = read(View.from_mask(turned.side_mask(scale), scale), READING, SETTINGS)
    assert np.abs(seen.axis).max() < 0.5 / scale
    assert seen.profile.span.low == 0
    assert seen.profile.span.high == pytest.approx(turned.height, abs=1.5 / scale)
    assert worst_radius(seen, turned) < np.sqrt(2) * 1.5 / scale  # half a pixel, and one of simplification, at 45 degrees
    assert solid_centre(seen.profile) == pytest.approx(turned.centre, abs=1.0 / scale)


def test_off_centre_in_the_image_is_off_centre_on_the_table():
    mask = np.pad(BOTTLE.side_mask(1000), ((0, 0), (0, 60)))
    seen = read(View.from_mask(mask, 1000), READING, SETTINGS)
    np.testing.assert_allclose(seen.axis, [-0.03, 0], atol=5e-4)


def extruded(polygon, height=0.08):
    return trimesh.creation.extrude_polygon(polygon, height, engine="manifold")


def mug():
    body = Turned.of_mm((0, 80), (95, 80)).mesh()
    handle = trimesh.creation.box((0.03, 0.012, 0.06))
    handle.apply_translation([0.05, 0, 0.05])
    return trimesh.util.concatenate([body, handle])


def lying():
    solid = trimesh.creation.cylinder(0.03, 0.1)
    solid.apply_transform(trimesh.transformations.rotation_matrix(np.pi / 2, [1, 0, 0]))
    return solid


SQUARE = shapely.box(-0.03, -0.03, 0.03, 0.03)
NOT_TURNED = {
    "box": lambda: extruded(SQUARE),
    "hexagon": lambda: trimesh.creation.cylinder(0.04, 0.08, sections=6),
    "reuleaux": lambda: extruded(shapely.intersection_all([shapely.Point(c).buffer(0.06, 32) for c in TRIANGLE])),
    "mug": mug,
    "lying cylinder": lying,
}
TRIANGLE = 0.06 / np.sqrt(3) * np.array([[1, 0], [-0.5, np.sqrt(0.75)], [-0.5, -np.sqrt(0.75)]])


@pytest.mark.parametrize("name", NOT_TURNED)
def test_a_mesh_that_is_no_body_of_revolution_is_refused(name):
    """A Reuleaux triangle is as wide from every side, but not about one axis."""
    solid = NOT_TURNED[name]()
    with pytest.raises(PerceptionError, match="from that of a body of revolution") as error:
        read(View.from_mesh(solid.vertices, solid.faces), READING, SETTINGS)
    assert error.value.reason is Reason.RULE_DOES_NOT_APPLY


@pytest.mark.parametrize("name", ["handle", "hole", "prongs"])
def test_a_mask_that_is_no_side_of_a_body_of_revolution_is_refused(name):
    mask = Turned.of_mm((0, 80), (95, 80)).side_mask(1000)
    rows, columns = np.indices(mask.shape)
    middle, v = columns - (mask.shape[1] - 1) / 2, rows
    changed = {
        "handle": mask | ((middle > 0) & (middle < 55) & (abs(v - 60) < 20)),
        "hole": mask & ~(np.hypot(middle, v - 60) < 15),
        "prongs": mask & ~((abs(middle) < 20) & (v < 60)),
    }[name]
    with pytest.raises(PerceptionError) as error:
        read(View.from_mask(changed, 1000), READING, SETTINGS)
    assert error.value.reason is Reason.RULE_DOES_NOT_APPLY


def test_how_far_from_round_is_measured():
    """A square of 60 mm has the mean support 60 (2 / pi): its corners stick out, its sides lie inside."""
    solid = extruded(SQUARE)
    with pytest.raises(PerceptionError) as error:
        read(View.from_mesh(solid.vertices, solid.faces), replace(READING, directions=90), SETTINGS)
    corner = 30 * np.sqrt(2) - 60 * 2 / np.pi
    stated = float(error.value.detail.split("up to ")[1].split(" mm")[0])
    assert stated == pytest.approx(max(corner, 60 * 2 / np.pi - 30), abs=0.15)


@pytest.mark.parametrize(
    ("view", "reason"),
    [
        (View.from_polygon(SQUARE), Reason.VIEW_LACKS_INPUT),
        (View.from_cloud(np.zeros((3, 3))), Reason.VIEW_LACKS_INPUT),
        (View.from_mask(np.zeros((40, 40), bool), 1000), Reason.EMPTY_MASK),
        (View.from_mask(np.ones((40, 40), bool), 1000), Reason.TOUCHES_BORDER),
        (View.from_mask(BOTTLE.side_mask(400), 400), Reason.POOR_DATA),
        (View.from_mesh([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0]], [[0, 1, 2]]), Reason.TOO_SMALL),
    ],
)
def test_what_cannot_be_read_has_its_own_reason(view, reason):
    with pytest.raises(PerceptionError) as error:
        read(view, READING, SETTINGS)
    assert error.value.reason is reason


def test_two_bodies_one_above_the_other_are_several():
    parts = [trimesh.creation.cylinder(0.02, 0.03) for _ in range(2)]
    parts[1].apply_translation([0, 0, 0.06])
    both = trimesh.util.concatenate(parts)
    with pytest.raises(PerceptionError) as error:
        read(View.from_mesh(both.vertices, both.faces), READING, SETTINGS)
    assert error.value.reason is Reason.SEVERAL_OBJECTS


def test_an_outline_is_read_as_its_mask_is():
    outline = shapely.Polygon(np.concatenate([np.column_stack([s * BOTTLE.radii, BOTTLE.heights])[::s] for s in (1, -1)]))
    seen = of_outline(outline, READING)
    assert worst_radius(seen, BOTTLE) < np.sqrt(2) * READING.detail


@pytest.mark.parametrize(
    ("part", "field", "value"),
    [
        (Reading, "tolerance", 0),
        (Reading, "directions", 2),
        (Reading, "directions", 2.5),
        (Needs, "give", 0),
        (Needs, "margin", 0.0001),
        (Needs, "clearance", -1),
        (Needs, "heading", "north"),
    ],
)
def test_a_setting_out_of_range_is_named(part, field, value):
    own = CONFIG["reading" if part is Reading else "needs"]
    with pytest.raises(InvalidValue, match=field):
        part(**{**own, field: value})
