"""From masks to polygons: sizes in whole pixels, holes kept, nothing invalid, a named reason where there is no object."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
import shapely

from get2d.components import one_piece
from get2d.outline import outline, pixel_outline
from grasp import PerceptionError, Reason
from tests.seen import LARGEST, SETTINGS, disc, masked

CHAINS = [replace(SETTINGS, teh_chin=chin, simplify=px) for chin in (True, False) for px in (0.0, 1.0, 1.5)]


def traced(mask, settings=SETTINGS):
    """Return the outline of a mask and all notes."""
    piece, notes = one_piece(mask, settings)
    polygon, more = outline(piece, settings)
    return polygon, notes + more


def reason(mask, settings=SETTINGS):
    """Return the error that a mask raises."""
    with pytest.raises(PerceptionError) as error:
        one_piece(mask, settings)
    return error.value


# ---- sizes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", CHAINS)
@pytest.mark.parametrize("box", [(10, 10, 60, 10), (3, 20, 9, 40), (30, 30, 26, 26), (1, 1, 138, 98)])
def test_rectangle_is_as_large_as_its_pixels(box, settings):
    # OpenCV's own outline of the 10 px bar is 9 px wide (shared case O02)
    u, v, width, height = box
    polygon, notes = traced(masked(box), settings)
    assert polygon.equals(shapely.box(u - 0.5, v - 0.5, u + width - 0.5, v + height - 0.5))
    assert notes == ()


@pytest.mark.parametrize("settings", CHAINS)
def test_square_hole_keeps_its_size_and_its_direction(settings):
    # traced as the inner border, the hole's corners are cut and Teh-Chin turns it by 4.8 degrees (shared case O02)
    polygon, _ = traced(masked((40, 26, 26, 26), (47, 33, -12, 12)), settings)
    (hole,) = polygon.interiors
    assert shapely.Polygon(hole).equals(shapely.box(46.5, 32.5, 58.5, 44.5))


@pytest.mark.parametrize("settings", CHAINS)
def test_ring_keeps_its_hole(settings):
    mask = disc(40) & ~disc(20)
    polygon, _ = traced(mask, settings)
    assert len(polygon.interiors) == 1
    assert abs(polygon.area / (np.pi * (40**2 - 20**2)) - 1) < 0.05
    np.testing.assert_allclose(polygon.centroid.coords[0], (60, 60), atol=0.5)


# ---- laws over random shapes -----------------------------------------------------------------------------------------


def blobs(seed, coarse, level=0.0):
    """Return a mask of thresholded smooth noise: ragged, with holes, spurs and pinches where `coarse` is small."""
    noise = cv2.GaussianBlur(np.random.default_rng(seed).normal(size=(120, 160)), (0, 0), coarse)
    mask = noise > level * noise.std()
    mask[[0, -1]], mask[:, [0, -1]] = False, False
    return mask


@pytest.mark.parametrize("settings", CHAINS)
@pytest.mark.parametrize("coarse", [1.0, 2.0, 4.0, 9.0])
def test_every_outline_is_valid_and_covers_its_pixels(coarse, settings):
    loose = replace(settings, on_several="largest")
    fallen_back = 0
    for seed in range(4):
        mask = np.pad(blobs(seed, coarse), 1)
        piece, _ = one_piece(mask, loose)
        polygon, notes = outline(piece, loose)
        fallen_back += bool(notes)
        own = pixel_outline(piece.pixels)
        own = shapely.transform(own, lambda at, by=piece.corner: at + np.array(by))
        assert polygon.is_valid
        assert polygon.geom_type == "Polygon"
        # shell and holes may each be off by their share, in opposite directions
        allowed = settings.area_share * (piece.shell.sum() + piece.holes.sum())
        assert abs(polygon.area - piece.pixels.sum()) <= allowed
        assert polygon.symmetric_difference(own).area <= 1.5 * (own.length / 2)  # on the whole within about a pixel
    assert fallen_back or coarse > 1  # else the hard cases were not met


@pytest.mark.parametrize("seed", range(5))
def test_pixel_outline_is_exact(seed):
    mask = blobs(seed, 1.5)
    exact = pixel_outline(mask)
    v, u = np.indices(mask.shape)
    assert exact.is_valid
    assert exact.area == mask.sum()
    np.testing.assert_array_equal(shapely.contains_xy(exact, u.ravel(), v.ravel()), mask.ravel())


def test_outline_moves_with_the_object():
    mask = np.pad(blobs(7, 9.0), 40)
    polygon, _ = traced(mask, LARGEST)
    moved, _ = traced(np.roll(mask, (11, -17), (0, 1)), LARGEST)
    assert shapely.transform(polygon, lambda at: at + [-17, 11]).equals_exact(moved, 1e-9)


def test_a_hook_that_the_usual_chain_ties_into_a_knot_comes_out_whole():
    # narrowest feature 3 px, one 4-connected piece (as in shared case O07)
    found = []
    for seed in range(40):
        mask = masked((20, 20, 60, 40))
        u = 30 + np.cumsum(np.random.default_rng(seed).integers(-2, 3, 12))
        for i, left in enumerate(u):
            mask[8 + i, left : left + 3] = True
        piece, _ = one_piece(mask, LARGEST)
        polygon, notes = outline(piece, LARGEST)
        assert polygon.is_valid
        assert abs(polygon.area - piece.pixels.sum()) <= LARGEST.area_share * piece.pixels.sum()
        found += notes
    assert any("without Teh-Chin" in note for note in found)


def test_walls_thinner_than_the_tolerance_fall_back_to_the_pixels():
    mask = disc(50) & ~disc(20, centre=(73.7, 85.0))  # one or two pixels are left between hole and rim
    polygon, notes = traced(mask, replace(SETTINGS, simplify=3.0))
    assert polygon.area == mask.sum()
    assert len(polygon.interiors) == 1
    assert notes == ("The outline follows the pixels: simplified, it crossed a hole.",)


# ---- which piece is the object ---------------------------------------------------------------------------------------


def test_two_squares_that_touch_at_a_corner_are_two_objects():
    mask = masked((10, 10, 20, 20), (30, 30, 20, 20))
    error = reason(mask)
    assert error.reason is Reason.SEVERAL_OBJECTS
    assert "2, of 400, 400 px" in error.detail
    polygon, notes = traced(mask, LARGEST)
    assert polygon.area == 400
    assert notes == ("The largest of 2 objects was taken; they have 400, 400 px.",)


def test_largest_object_is_taken_where_asked():
    polygon, _ = traced(disc(12, centre=(20, 20)) | disc(20, centre=(80, 80)), LARGEST)
    assert abs(polygon.area / (np.pi * 400) - 1) < 0.06
    np.testing.assert_allclose(polygon.centroid.coords[0], (80, 80), atol=0.5)


def test_specks_and_pinholes_are_dropped_and_counted():
    mask = masked((50, 40, 60, 40))
    mask[5:35:5, 5], mask[45:75:5, 60] = True, False
    polygon, notes = traced(mask)
    assert polygon.equals(shapely.box(49.5, 39.5, 109.5, 79.5))
    assert notes == ("6 specks of 6 px in all were dropped.", "6 holes of 6 px in all were filled.")


def test_size_limits_are_the_least_that_is_kept():
    settings = replace(SETTINGS, least_object=100, least_hole=9)
    assert reason(masked((5, 5, 11, 9)), settings).reason is Reason.TOO_SMALL
    kept, notes = traced(masked((5, 5, 10, 10), (7, 7, -3, 3)), replace(settings, least_object=91))
    assert (len(kept.interiors), notes) == (1, ())
    filled, notes = traced(masked((5, 5, 10, 10), (7, 7, -2, 4)), replace(settings, least_object=91))
    assert (len(filled.interiors), notes) == (0, ("1 holes of 8 px in all were filled.",))


def test_hole_of_two_parts_that_touch_at_a_corner_is_one():
    piece, _ = one_piece(masked((10, 10, 60, 40), (20, 15, -10, 10), (30, 25, -10, 10)), SETTINGS)
    assert piece.holes.sum((1, 2)).tolist() == [200]
    (hole,) = outline(piece, SETTINGS)[0].interiors
    assert abs(shapely.Polygon(hole).area - 200) <= SETTINGS.area_share * 200


def test_object_inside_a_hole_is_another_object():
    mask = masked((10, 10, 80, 60), (20, 20, -60, 40), (35, 30, 20, 20))
    assert reason(mask).reason is Reason.SEVERAL_OBJECTS
    polygon, _ = traced(mask, LARGEST)
    assert polygon.area == 80 * 60 - 60 * 40


# ---- nothing to plan on ----------------------------------------------------------------------------------------------


def test_empty_mask():
    assert reason(np.zeros((60, 80), bool)).reason is Reason.EMPTY_MASK


@pytest.mark.parametrize("box", [(30, 30, 1, 1), (30, 30, 2, 2)])
def test_too_small_says_how_small(box):
    error = reason(masked(box))
    assert error.reason is Reason.TOO_SMALL
    assert f"{box[2] * box[3]} px" in error.detail


@pytest.mark.parametrize("box", [(10, 10, 1, 80), (10, 10, 120, 1)])
def test_a_line_has_no_width(box):
    error = reason(masked(box))
    assert error.reason is Reason.TOO_SMALL
    assert "nowhere two px wide" in error.detail


def test_a_staircase_of_single_pixels_has_no_width():
    mask = np.zeros((100, 100), bool)
    for i in range(10, 80):
        mask[i, i : i + 2] = True  # 4-connected, one pixel thick
    assert "nowhere two px wide" in reason(mask).detail


@pytest.mark.parametrize(
    ("box", "side"),
    [((0, 20, 60, 40), "left"), ((80, 20, 60, 40), "right"), ((20, 0, 60, 40), "upper"), ((20, 60, 60, 40), "lower")],
)
def test_object_cut_by_the_border_names_the_side(box, side):
    error = reason(masked(box))
    assert error.reason is Reason.TOUCHES_BORDER
    assert error.detail == f"It touches the {side} border."


def test_full_mask_touches_every_border():
    assert reason(np.ones((60, 80), bool)).detail == "It touches the left and upper and right and lower border."


def test_speck_at_the_border_does_no_harm():
    assert traced(masked((20, 20, 60, 40), (0, 0, 3, 3)))[0].area == 2400
