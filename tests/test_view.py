"""View, camera, images: what comes through the door is one thing in one unit, or is refused by name."""

from pathlib import Path

import numpy as np
import pytest
import shapely
from scipy.spatial.transform import Rotation

from grasp import Camera, InvalidValue, View
from grasp.images import read_depth, read_mask

CASES = Path(__file__).parents[2] / "shared" / "cases"
needs_cases = pytest.mark.skipif(not CASES.is_dir(), reason="the shared cases are not there")


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def camera(width=160, height=120, pose=None):
    """Return a camera 0.6 m above the table, looking straight down, unless another pose is given."""
    above = np.diag([1.0, -1, -1, 1])
    above[:3, 3] = [0.02, -0.01, 0.6]
    return Camera(600, 610, 80.5, 59.0, width, height, above if pose is None else pose)


# ---- camera ----------------------------------------------------------------------------------------------------------


def test_project_undoes_deproject_from_any_pose(rng):
    for turn in Rotation.random(10, rng=rng):
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = turn.as_matrix(), rng.normal(size=3)
        cam = camera(pose=pose)
        u, v, depth = rng.uniform(0, 160, (4, 5)), rng.uniform(0, 120, (4, 5)), rng.uniform(0.2, 2, (4, 5))
        points = cam.deproject(u, v, depth)
        assert points.shape == (4, 5, 3)
        for got, expected in zip(cam.project(points), (u, v, depth), strict=True):
            np.testing.assert_allclose(got, expected, atol=1e-9)


def test_camera_looking_down_sees_right_as_x_and_down_as_minus_y():
    cam = camera()
    np.testing.assert_allclose(cam.deproject(80.5, 59, 0.6), [0.02, -0.01, 0], atol=1e-15)
    np.testing.assert_allclose(cam.deproject(140.5, 59, 0.6), [0.02 + 0.06, -0.01, 0], atol=1e-15)
    np.testing.assert_allclose(cam.deproject(80.5, 120, 0.6), [0.02, -0.01 - 0.06, 0], atol=1e-15)


def test_scale_is_focal_length_over_depth():
    # 72 px at f = 600 px and 0.5 m are 60 mm, not the 72 mm of the table at 0.6 m (shared case O13)
    left, right = camera().deproject([0, 72], 59, 0.5)
    assert np.isclose(right[0] - left[0], 0.060, atol=1e-12)


def test_missing_depth_gives_missing_points_and_what_is_behind_has_no_pixel():
    cam = camera()
    assert np.isnan(cam.deproject([1, 2], [3, 4], [np.nan, 0.5])).any(1).tolist() == [True, False]
    u, v, depth = cam.project([[0, 0, 0.7], [0, 0, 0.1]])
    assert np.isnan(u).tolist() == np.isnan(v).tolist() == [True, False]
    np.testing.assert_allclose(depth, [-0.1, 0.5])


def test_camera_without_a_pose_speaks_of_its_own_frame_only():
    cam = Camera(600, 600, 80, 60, 160, 120)
    np.testing.assert_allclose(cam.in_camera(140, 60, 0.5), [0.05, 0, 0.5])
    with pytest.raises(InvalidValue, match="camera.T_table_camera"):
        cam.deproject(0, 0, 1)


@pytest.mark.parametrize("change", [{"fx": 0}, {"fy": "600"}, {"cx": np.nan}, {"width": 0}, {"height": 12.5}])
def test_camera_refuses_by_name(change):
    numbers = {"fx": 600, "fy": 600, "cx": 1, "cy": 1, "width": 16, "height": 12}
    with pytest.raises(InvalidValue, match=f"camera.{next(iter(change))}"):
        Camera(**(numbers | change))


# ---- masks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("on", [True, np.uint8(1), np.uint8(255), np.int32(1), 1.0, 255.0])
def test_masks_of_any_usual_form_are_one(on):
    mask = np.zeros((3, 4), type(on))
    mask[1, 2] = on
    assert np.argwhere(read_mask(mask)).tolist() == [[1, 2]]


@pytest.mark.parametrize("values", [[0, 2], [0, 1, 255], [0, 128, 255], [-1, 0], [0.0, 0.5], [0.0, np.nan]])
def test_masks_of_other_values_are_refused(values):
    mask = np.array([values])
    with pytest.raises(InvalidValue, match="mask"):
        read_mask(mask)


@pytest.mark.parametrize("shape", [(3, 4, 3), (12,), (0, 4)])
def test_masks_of_other_shapes_are_refused(shape):
    with pytest.raises(InvalidValue, match=r"mask.shape"):
        View.from_mask(np.zeros(shape, bool), pixels_per_meter=1000)


def test_empty_and_full_masks_are_views():
    assert not read_mask(np.zeros((2, 2), np.uint8)).any()
    assert read_mask(np.full((2, 2), 255, np.uint8)).all()


# ---- depth -----------------------------------------------------------------------------------------------------------


@needs_cases
@pytest.mark.parametrize("name", ["depth_m_f32.npy", "depth_mm_u16.npy"])
def test_same_scene_in_metres_and_millimetres(name):
    depth, mask = read_depth(np.load(CASES / "O11" / name)), np.load(CASES / "O11" / "depth_mm_u16.npy") == 500
    np.testing.assert_allclose(depth[mask], 0.5, atol=1e-6)
    np.testing.assert_allclose(depth[~mask], 0.6, atol=1e-6)


@needs_cases
def test_float_millimetres_need_a_unit():
    depth = np.load(CASES / "O11" / "depth_mm_f32.npy")
    with pytest.raises(InvalidValue, match="looks like millimetres: give depth_unit"):
        read_depth(depth)
    assert np.nanmin(read_depth(depth, "mm")) == 0.5


@needs_cases
def test_depth_of_another_size_is_refused_with_both_sizes():
    depth = np.load(CASES / "O11" / "depth_other_size.npy")
    with pytest.raises(InvalidValue) as error:
        View.from_mask(np.zeros((120, 160), bool), camera=camera(), depth=depth)
    assert "240 x 320" in str(error.value)
    assert "120 x 160" in str(error.value)


def test_missing_depth_is_nan_whatever_it_was():
    depth = read_depth(np.array([[0.0, -0.5, np.nan, np.inf, -np.inf, 0.5]]))
    np.testing.assert_array_equal(depth, [[np.nan] * 5 + [0.5]])
    np.testing.assert_array_equal(read_depth(np.array([[0, 500]], np.uint16)), [[np.nan, 0.5]])


def test_missing_depth_does_not_hide_the_unit():
    depth = np.zeros((10, 10))
    depth[0] = 500.0  # a tenth is valid: the median of what is valid counts
    with pytest.raises(InvalidValue, match="500 m in the median"):
        read_depth(depth)
    assert np.isnan(read_depth(np.zeros((2, 2)))).all()


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.int64, bool, complex])
def test_depth_types_of_unknown_unit_are_refused(dtype):
    with pytest.raises(InvalidValue, match="depth"):
        read_depth(np.ones((2, 2), dtype))


def test_given_unit_wins():
    assert read_depth(np.full((1, 1), 500, np.int32), "mm")[0, 0] == 0.5
    assert read_depth(np.full((1, 1), 30.0), "m")[0, 0] == 30.0
    with pytest.raises(InvalidValue, match="depth_unit = 'cm'"):
        read_depth(np.ones((1, 1)), "cm")


# ---- views -----------------------------------------------------------------------------------------------------------


def test_images_have_exactly_one_scale():
    mask = np.ones((120, 160), bool)
    with pytest.raises(InvalidValue, match="neither"):
        View.from_mask(mask)
    with pytest.raises(InvalidValue, match="both"):
        View.from_mask(mask, pixels_per_meter=1000, camera=camera())
    assert View.from_mask(mask, pixels_per_meter=1000).pixels_per_meter == 1000
    with pytest.raises(InvalidValue, match="pixels_per_meter"):
        View.from_mask(mask, pixels_per_meter=-1)


def test_image_sizes_agree_with_each_other_and_the_camera():
    rgb, depth = np.zeros((120, 160, 3), np.uint8), np.ones((120, 160))
    assert View.from_rgbd(rgb, depth, camera(), mask=depth > 0).mask.all()
    with pytest.raises(InvalidValue, match="size of depth = 119 x 160"):
        View.from_rgbd(rgb, depth[1:], camera())
    with pytest.raises(InvalidValue, match=r"size of camera = 160 x 120 .* rgb, 120 x 160"):
        View.from_rgbd(rgb, depth, camera(width=120, height=160))
    with pytest.raises(InvalidValue, match="rgb = float64"):
        View.from_rgbd(rgb / 255, depth, camera())


def test_view_keeps_read_only_copies():
    mask, points = np.ones((4, 4), np.uint8), np.ones((5, 3))
    view, cloud = View.from_mask(mask, pixels_per_meter=1000), View.from_cloud(points)
    mask[:], points[:] = 0, 0
    assert view.mask.all()
    assert cloud.points.all()
    for array in (view.mask, cloud.points):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_constructor_takes_depth_in_its_final_form_only():
    for depth in (np.ones((2, 2), np.uint16), np.zeros((2, 2)), np.full((2, 2), np.inf)):
        with pytest.raises(InvalidValue, match="depth"):
            View(depth=depth, pixels_per_meter=1000)


def test_cloud_rows_that_are_not_finite_are_dropped_and_counted(rng):
    points = rng.normal(size=(100, 3))
    points[::10, 1], points[5, 0] = np.nan, np.inf
    view = View.from_cloud(points)
    assert view.dropped == 11
    np.testing.assert_array_equal(view.points, points[np.isfinite(points).all(1)])
    with pytest.raises(InvalidValue, match="points.shape"):
        View.from_cloud(points[:, :2])


def test_polygon_that_crosses_itself_is_refused_with_the_place():
    # shared case O08: the edges cross at (15, 30) mm
    crossing = shapely.Polygon([(0, 0), (0.06, 0), (0, 0.04), (0.02, 0.04)])
    with pytest.raises(InvalidValue, match=r"0\.015\d* 0\.0(3|29)"):
        View.from_polygon(crossing)
    for other in (shapely.Polygon(), shapely.Point(0, 0), [(0, 0), (1, 0), (0, 1)]):
        with pytest.raises(InvalidValue, match="polygon"):
            View.from_polygon(other)
    assert View.from_polygon(shapely.box(0, 0, 0.1, 0.1)).polygon.area > 0


def test_mesh_indices_must_have_vertices():
    vertices, faces = np.eye(3), np.array([[0, 1, 2]])
    assert View.from_mesh(vertices, faces).mesh.faces.dtype == np.int64
    for bad in ([[0, 1, 3]], [[0, 1, -1]], [[0.0, 1, 2]], [[0, 1]], np.zeros((0, 3), int)):
        with pytest.raises(InvalidValue, match="mesh.faces"):
            View.from_mesh(vertices, bad)
    with pytest.raises(InvalidValue, match=r"mesh.vertices\[1, 1\]"):
        View.from_mesh(np.where(np.eye(3) * [0, 1, 0] == 1, np.nan, vertices), faces)


def test_nothing_is_not_a_view():
    with pytest.raises(InvalidValue, match="view = nothing"):
        View()
