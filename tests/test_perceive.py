"""Perceive: every kind of view of one object gives one footprint, and what cannot be planned on says why."""

import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import shapely
import trimesh

from get2d.perceive import Perception, perceive, tidy
from grasp import InvalidValue, PerceptionError, Reason, View
from objects.files import read_view
from tests.seen import LARGEST, SETTINGS, SHARED, depth_of_box, looking, masked, needs_data, sides

ROOT = Path(__file__).parents[1]
BOX = (0.06, 0.04, 0.05)  # m
RECTANGLE = shapely.box(-0.03, -0.02, 0.03, 0.02)


def refused(view, settings=SETTINGS):
    with pytest.raises(PerceptionError) as error:
        perceive(view, settings)
    return error.value


def off(polygon, expected=RECTANGLE):
    """Return how far the outline lies from the expected one, in mm."""
    return 1e3 * polygon.hausdorff_distance(expected)


# ---- every kind of view ----------------------------------------------------------------------------------------------


def test_scaled_mask():
    footprint = perceive(View.from_mask(masked((40, 30, 60, 40), shape=(100, 140)), 1000), SETTINGS)
    assert off(footprint.polygon) < 1e-9  # the rectangle stands in the middle of the image
    assert footprint.heights is None


def test_mask_up_is_table_up():
    footprint = perceive(View.from_mask(masked((100, 5, 20, 10)), 1000), SETTINGS)
    x, y = footprint.polygon.centroid.coords[0]
    assert x > 0.03
    assert y > 0.03


def test_colours_on_a_dark_cloth():
    rgb = np.full((100, 140, 3), 30, np.uint8)
    rgb[30:70, 40:100] = (30, 30, 180)
    assert off(perceive(View(rgb=rgb, pixels_per_meter=1000), SETTINGS).polygon) < 1e-9


@pytest.mark.parametrize("posed", [True, False])
@pytest.mark.parametrize("coloured", [True, False])
def test_depth_from_straight_above(posed, coloured):
    depth, mask = depth_of_box(looking(), BOX)
    rgb = np.where(mask[..., None], 200, 10).astype(np.uint8).repeat(3, -1)
    seen = {"rgb": rgb} if coloured else {"mask": mask}
    footprint = perceive(View(depth=depth, camera=looking(posed=posed), **seen), SETTINGS)
    assert off(footprint.polygon) < 1
    assert np.isclose(footprint.heights.percentile(80), 0.05, atol=1e-4)
    assert np.isclose(footprint.heights.cell, 0.55 / 600, atol=1e-6)
    assert footprint.notes == ()


def test_heights_lie_under_the_outline():
    depth, mask = depth_of_box(looking(), BOX, centre=(0.05, 0.03))
    footprint = perceive(View(depth=depth, mask=mask, camera=looking()), SETTINGS)
    inside = footprint.heights.top_near(shapely.get_coordinates(footprint.polygon.buffer(-0.003)), 0.001)
    outside = footprint.heights.top_near(shapely.get_coordinates(footprint.polygon.buffer(0.003)), 0.001)
    np.testing.assert_allclose(inside, 0.05, atol=1e-4)
    assert np.isnan(outside).all()


def test_depth_alone():
    depth, _ = depth_of_box(looking(), BOX)
    assert off(perceive(View(depth=depth, camera=looking()), SETTINGS).polygon) < 2


@pytest.mark.parametrize("degrees", [20, 44, 60])
@pytest.mark.parametrize("with_mask", [True, False])
def test_tilted_view_shows_the_same_box(degrees, with_mask):
    camera = looking(np.radians(degrees), yaw=0.5)
    depth, mask = depth_of_box(camera, BOX)
    footprint = perceive(View(depth=depth, camera=camera, mask=mask if with_mask else None), SETTINGS)
    assert off(footprint.polygon) < 2.5
    assert np.isclose(np.nanmax(footprint.heights.height), 0.05, atol=1e-6)
    assert footprint.notes[-1].startswith(f"Seen at {degrees} degrees from straight down: surfaces that face away")


@pytest.mark.parametrize("degrees", [20, 44])
def test_tilted_view_without_a_pose(degrees):
    depth, mask = depth_of_box(looking(np.radians(degrees)), BOX)
    footprint = perceive(View(depth=depth, camera=looking(posed=False), mask=mask), SETTINGS)
    np.testing.assert_allclose(sides(footprint.polygon), [0.04, 0.06], atol=0.0025)
    assert np.isclose(np.nanmax(footprint.heights.height), 0.05, atol=1e-3)


def test_mask_keeps_other_things_out_of_a_tilted_view():
    camera = looking(0.6)
    depth, mask = depth_of_box(camera, BOX)
    other, there = depth_of_box(camera, (0.03, 0.03, 0.02), centre=(0.08, 0))
    depth = np.where(there & ~mask, other, depth)
    assert refused(View(depth=depth, camera=camera)).reason is Reason.SEVERAL_OBJECTS
    assert off(perceive(View(depth=depth, camera=camera, mask=mask), SETTINGS).polygon) < 2.5


def test_cloud():
    camera = looking(0.3)
    depth, _ = depth_of_box(camera, BOX)
    v, u = np.indices(depth.shape)
    points = camera.deproject(u, v, depth).reshape(-1, 3)
    points[::1000] = np.nan
    footprint = perceive(View.from_cloud(points), SETTINGS)
    assert off(footprint.polygon) < 2.5
    assert footprint.notes[0] == "77 points of the cloud were dropped because they were not finite."


def test_polygon_and_mesh():
    assert off(perceive(View.from_polygon(RECTANGLE), SETTINGS).polygon) == 0
    solid = trimesh.creation.box(BOX)
    footprint = perceive(View.from_mesh(solid.vertices + [0, 0, 0.025], solid.faces), SETTINGS)
    assert off(footprint.polygon) < 1e-6
    np.testing.assert_allclose(footprint.heights.height, 0.05)


# ---- scale and depth -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pixels_per_meter", [None, 1000])
def test_scale_is_that_of_the_object_not_of_the_table(pixels_per_meter):
    # 72 x 48 px at f = 600 px and 0.5 m are 60 x 40 mm; 72 x 48 mm at the table's scale (shared case O13)
    mask = masked((90, 80, 72, 48), shape=(240, 320))
    depth = np.where(mask, 0.5, 0.6)
    camera = None if pixels_per_meter else looking(posed=False)
    footprint = perceive(View(mask=mask, depth=depth, camera=camera, pixels_per_meter=pixels_per_meter), SETTINGS)
    np.testing.assert_allclose(sides(footprint.polygon), [0.04, 0.06], atol=1e-4)
    assert np.isclose(footprint.heights.percentile(80), 0.1, atol=1e-4)


def test_missing_depth_does_not_move_the_object():
    # 30 % of the object's pixels are missing (shared case O10)
    mask = masked((90, 80, 72, 48), shape=(240, 320))
    depth = np.where(mask, 0.5, 0.6)
    depth[mask & (np.random.default_rng(0).random(mask.shape) < 0.3)] = np.nan
    footprint = perceive(View(mask=mask, depth=depth, camera=looking(posed=False)), SETTINGS)
    np.testing.assert_allclose(sides(footprint.polygon), [0.04, 0.06], atol=1e-4)
    depth[mask] = np.nan
    error = refused(View(mask=mask, depth=depth, camera=looking(posed=False)))
    assert error.reason is Reason.NO_VALID_DEPTH
    assert "3456 pixels" in error.detail


def test_object_below_the_table_means_the_wrong_table():
    depth, mask = depth_of_box(looking(), BOX)
    error = refused(View(depth=depth, mask=mask, camera=looking(posed=False)), replace(SETTINGS, table_distance=0.5))
    assert error.reason is Reason.NO_TABLE_PLANE
    assert "0.05 m below" in error.detail


def test_faults_of_the_mask_come_before_those_of_the_table():
    depth = np.full((240, 320), np.nan)
    assert refused(View(depth=depth, mask=np.zeros(depth.shape, bool), camera=looking())).reason is Reason.EMPTY_MASK


def test_image_of_a_camera_without_depth_has_no_scale():
    error = refused(View(mask=masked((40, 30, 60, 40), shape=(240, 320)), camera=looking()))
    assert error.reason is Reason.VIEW_LACKS_INPUT
    assert "pixels_per_meter" in error.detail


def test_object_cut_by_the_image_in_a_tilted_view():
    depth, _ = depth_of_box(looking(0.5), BOX, centre=(0.15, 0))
    assert refused(View(depth=depth, camera=looking(0.5)), LARGEST).reason is Reason.TOUCHES_BORDER


# ---- polygons --------------------------------------------------------------------------------------------------------


def test_ring_direction_does_not_matter():
    exterior, hole = [(0, 0), (0.06, 0), (0.06, 0.04), (0, 0.04)], [(0.02, 0.01), (0.04, 0.01), (0.04, 0.03), (0.02, 0.03)]
    found = [
        perceive(View.from_polygon(shapely.Polygon(exterior[::a], [hole[::b]])), SETTINGS).polygon
        for a, b in product((1, -1), repeat=2)
    ]
    assert len({polygon.wkb for polygon in found}) == 1
    assert found[0].exterior.is_ccw
    assert not found[0].interiors[0].is_ccw
    assert np.isclose(found[0].area, 0.002)


def test_repeated_and_collinear_vertices_are_dropped_wherever_the_ring_begins():
    corners = np.array([(0, 0), (0.03, 0), (0.06, 0), (0.06, 0), (0.06, 0.04), (0.02, 0.04), (0, 0.04), (0, 0.01)])
    for start in range(len(corners)):
        polygon = tidy(shapely.Polygon(np.roll(corners, start, axis=0)))
        assert len(polygon.exterior.coords) - 1 == 4
        assert np.isclose(polygon.area, 0.0024)


# ---- settings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"simplify": -1},
        {"least_object": 0},
        {"cell": np.nan},
        {"object_percentile": 101},
        {"area_share": 2},
        {"on_several": "all"},
        {"background": [0, 0]},
        {"background": [0, 0, 256]},
        {"teh_chin": 1},
        {"table_distance": 0},
        {"plane_distance": "5 mm"},
    ],
)
def test_settings_are_refused_by_name(change):
    with pytest.raises(InvalidValue, match=f"perception.{next(iter(change))}"):
        replace(SETTINGS, **change)


def test_misspelt_setting_is_named():
    with pytest.raises(InvalidValue, match="'simplifi'"):
        Perception.from_dict({"simplifi": 1.0})


def test_perception_imports_nothing_heavy():
    heavy = "[m for m in ('open3d', 'matplotlib', 'trimesh', 'cvxpy') if m in sys.modules]"
    code = f"import sys, get2d.perceive, objects.files; sys.exit(repr(x) if (x := {heavy}) else 0)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


# ---- pictures and meshes that nobody here made -----------------------------------------------------------------------


@needs_data
@pytest.mark.parametrize(
    ("name", "shortest", "longest", "height"),
    [
        ("graspnet6d_mustard", (0.030, 0.060), (0.090, 0.102), (0.185, 0.200)),  # YCB 006: 58 x 95 x 190 mm, upright
        ("graspnet6d_red_mug", (0.075, 0.095), (0.105, 0.130), (0.090, 0.110)),  # a mug 81 mm across, with its handle
        ("graspnet6d_green_bowl", (0.145, 0.165), (0.150, 0.165), (0.075, 0.090)),  # round
    ],
)
def test_real_objects_have_their_size(name, shortest, longest, height):
    footprint = perceive(read_view(SHARED / "data" / "images" / name), SETTINGS)
    short, long = sides(footprint.polygon)
    assert shortest[0] < short < shortest[1]
    assert longest[0] < long < longest[1]
    assert height[0] < np.nanmax(footprint.heights.height) < height[1]
    assert footprint.notes[-1].startswith("Seen at 62 degrees")


@needs_data
@pytest.mark.parametrize(("name", "count"), [("cleargrasp_080", 4), ("cleargrasp_123", 3)])
def test_real_mask_of_several_objects(name, count):
    view = read_view(SHARED / "data" / "images" / name)
    assert f"There are {count}" in refused(view).detail
    footprint = perceive(view, LARGEST)
    assert footprint.notes[0].startswith(f"The largest of {count} objects was taken")
    assert 0.03 < sides(footprint.polygon)[1] < 0.2


@needs_data
def test_real_camera_pose_gives_a_torch_in_a_tray():
    # the tray's floor under the torch is at -0.265 m of the world in the picture of the empty tray
    footprint = perceive(read_view(SHARED / "data" / "images" / "arcbin_0", table_z=-0.265), LARGEST)
    short, long = sides(footprint.polygon)
    assert 0.015 < short < 0.04
    assert 0.08 < long < 0.11
    assert np.hypot(*(np.array(footprint.polygon.centroid.coords[0]) - [1.016, 0.19])) < 0.01
