"""The shared robustness cases O01 to O11 and O13, each with its right value; masks are 1 mm per pixel."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import shapely

from get2d.perceive import perceive
from grasp import Camera, InvalidValue, PerceptionError, Reason, View
from objects.arrays import depth_file, mask_file
from objects.files import read_view
from tests.seen import LARGEST, SETTINGS, SHARED, needs_cases, sides

pytestmark = needs_cases
CASES = SHARED / "cases"
CAMERA = Camera(600, 600, 80, 60, 160, 120)  # that of O13; O10 and O11 show the same kind of scene without one


def seen(name, settings=SETTINGS):
    """Return the footprint of a case's mask; its outline in mm from the centre of the upper left pixel, v down."""
    view = read_view(CASES / name, pixels_per_meter=1000)
    footprint = perceive(view, settings)
    middle = (np.array(view.mask.shape[::-1]) - 1) / 2
    pixels = shapely.transform(footprint.polygon, lambda at: at * [1000, -1000] + middle)
    return footprint, pixels


def refused(name, settings=SETTINGS):
    with pytest.raises(PerceptionError) as error:
        seen(name, settings)
    return error.value


def test_o01_ring_keeps_its_hole():
    _, ring = seen("O01/mask.png")
    assert len(ring.interiors) == 1
    assert abs(ring.area / 3769.9 - 1) < 0.05
    np.testing.assert_allclose(ring.centroid.coords[0], (60, 60), atol=0.5)


def test_o02_outline_is_not_half_a_pixel_small():
    footprint, bar = seen("O02/bar.png")
    np.testing.assert_allclose(sides(footprint.polygon), [0.010, 0.060], atol=0.0005)
    assert abs(bar.area - 600) < 6


def test_o02_hole_keeps_its_side_and_direction():
    _, plate = seen("O02/square_hole.png")
    (hole,) = plate.interiors
    steps = np.diff(shapely.get_coordinates(hole), axis=0)
    assert len(steps) == 4
    np.testing.assert_allclose(np.linalg.norm(steps, axis=1), 12, atol=0.5)
    tilt = np.degrees(np.arctan2(np.abs(steps).min(1), np.abs(steps).max(1)))
    assert tilt.max() < 2


@pytest.mark.parametrize(("name", "areas"), [("two_discs", (1256.6, 452.4)), ("corner_touch", (400, 400))])
def test_o03_several_objects_are_counted_or_one_is_taken(name, areas):
    error = refused(f"O03/{name}.png")
    assert error.reason is Reason.SEVERAL_OBJECTS
    assert "There are 2," in error.detail
    footprint, one = seen(f"O03/{name}.png", LARGEST)
    assert abs(one.area / areas[0] - 1) < 0.06
    assert footprint.notes[0].startswith("The largest of 2 objects was taken")


def test_o04_specks_and_pinholes_are_dropped_and_counted():
    footprint, plate = seen("O04/mask.png")
    assert len(plate.interiors) == 0
    assert abs(plate.area / 2400 - 1) < 0.05
    assert footprint.notes == ("23 specks of 23 px in all were dropped.", "10 holes of 10 px in all were filled.")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("empty", Reason.EMPTY_MASK),
        ("one_pixel", Reason.TOO_SMALL),
        ("two_by_two", Reason.TOO_SMALL),
        ("line", Reason.TOO_SMALL),
        ("full", Reason.TOUCHES_BORDER),
    ],
)
def test_o05_nothing_to_plan_on(name, reason):
    assert refused(f"O05/{name}.png").reason is reason


def test_o05_line_of_any_length_has_no_width():
    assert "nowhere two px wide" in refused("O05/line.png", replace(SETTINGS, least_object=10)).detail


def test_o06_border_is_named():
    assert refused("O06/mask.png").detail == "It touches the left border."


@pytest.mark.parametrize("tolerance", [0.0, 1.0, 1.5])
def test_o07_simplified_outline_does_not_cross_itself(tolerance):
    footprint, plate = seen("O07/mask.png", replace(SETTINGS, simplify=tolerance))
    assert plate.is_valid
    assert len(plate.interiors) == 0
    assert abs(plate.area / 2455 - 1) < 0.06
    assert footprint.notes == ("The outline was simplified without Teh-Chin.",)


def test_o08_crossing_is_named():
    with pytest.raises(InvalidValue, match=r"O08/polygon\.json: polygon = Self-intersection\[0\.015 0\.03\]"):
        read_view(CASES / "O08" / "polygon.json")


def test_o09_ring_direction_does_not_matter():
    names = [f"poly_{a}_{b}.json" for a, b in product(("ccw", "cw"), repeat=2)]
    found = [perceive(read_view(CASES / "O09" / name), SETTINGS).polygon for name in names]
    assert len({polygon.wkb for polygon in found}) == 1
    assert np.isclose(found[0].area, 0.002)
    for ring in (found[0].exterior, *found[0].interiors):
        points = shapely.get_coordinates(ring)
        steps = np.diff(points, axis=0)
        right = np.stack([steps[:, 1], -steps[:, 0]], -1) / np.linalg.norm(steps, axis=1)[:, None]
        outside = (points[:-1] + points[1:]) / 2 + 1e-5 * right  # the material lies to the left of every edge
        assert not shapely.contains_xy(found[0], *outside.T).any()


def test_o10_missing_depth_is_not_zero():
    mask = mask_file(CASES / "O10" / "mask.png")
    camera = replace(CAMERA, width=mask.shape[1], height=mask.shape[0])
    footprint = perceive(View(mask=mask, depth=depth_file(CASES / "O10" / "depth_30pct_zero.npy"), camera=camera), SETTINGS)
    assert abs(600 * footprint.heights.cell - 0.5) < 1e-4  # cell = z / f
    gone = View(mask=mask, depth=depth_file(CASES / "O10" / "depth_all_zero_on_object.npy"), camera=camera)
    with pytest.raises(PerceptionError, match="No valid depth inside the mask"):
        perceive(gone, SETTINGS)


@pytest.mark.parametrize("name", ["depth_m_f32.npy", "depth_mm_u16.npy", "depth_mm_u16.png"])
def test_o11_same_scene_in_every_container(name):
    view = View(mask=mask_file(CASES / "O11" / "mask.png"), depth=depth_file(CASES / "O11" / name), camera=CAMERA)
    footprint = perceive(view, SETTINGS)
    assert abs(600 * footprint.heights.cell - 0.5) < 1e-4
    assert abs(footprint.heights.percentile(80) - 0.1) < 1e-4  # the table lies at 0.6 m


def test_o11_unknown_unit_and_other_size_are_refused():
    with pytest.raises(InvalidValue, match="depth_mm_f32.npy: depth = 600 m in the median"):
        depth_file(CASES / "O11" / "depth_mm_f32.npy")
    assert depth_file(CASES / "O11" / "depth_mm_f32.npy", "mm").min() == 0.5
    with pytest.raises(InvalidValue, match="120 x 160 .* 240 x 320"):
        View(
            mask=mask_file(CASES / "O11" / "mask.png"),
            depth=depth_file(CASES / "O11" / "depth_other_size.npy"),
            camera=CAMERA,
        )


@pytest.mark.parametrize("scale", [{"camera": CAMERA}, {"pixels_per_meter": 1000}])
@pytest.mark.parametrize("distance", [None, 0.6])
def test_o13_object_above_the_table_is_not_enlarged(scale, distance):
    mask, depth = mask_file(CASES / "O13" / "mask.png"), depth_file(CASES / "O13" / "depth_m_f32.npy")
    footprint = perceive(View(mask=mask, depth=depth, **scale), replace(SETTINGS, table_distance=distance))
    np.testing.assert_allclose(sides(footprint.polygon), [0.040, 0.060], atol=0.001)
    assert abs(1 / footprint.heights.cell - 1200) < 1
