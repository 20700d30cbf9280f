"""Files: what users have on disk becomes a view in metres, or an error that names the file."""

import json
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
import shapely
import trimesh

from grasp import InvalidValue
from objects import open3d_loader
from objects.arrays import colour_file, depth_file, mask_file
from objects.files import read_view
from objects.outlines import polygon_file
from tests.seen import SHARED, masked, needs_data

MASK = masked((40, 30, 60, 40))
PLATE = shapely.Polygon([(0, 0), (60, 0), (60, 40), (0, 40)], [[(20, 10), (40, 10), (40, 30), (20, 30)]])  # mm
CAMERA = {"fx": 600, "fy": 610, "cx": 70, "cy": 50, "width": 140, "height": 100}


def refused(pattern, call, *args, **options):
    with pytest.raises(InvalidValue, match=pattern) as error:
        call(*args, **options)
    return str(error.value)


# ---- masks, depth, colours -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("on", [1, 255])
def test_mask_in_png_and_npy(tmp_path, on):
    cv2.imwrite(str(tmp_path / "m.png"), (MASK * on).astype(np.uint8))
    np.save(tmp_path / "m.npy", MASK)
    for name in ("m.png", "m.npy"):
        np.testing.assert_array_equal(mask_file(tmp_path / name), MASK)
        assert read_view(tmp_path / name, pixels_per_meter=1000).mask.sum() == MASK.sum()


def test_mask_without_a_scale_and_with_grey_values_names_the_file(tmp_path):
    cv2.imwrite(str(tmp_path / "m.png"), (MASK * 128).astype(np.uint8))
    assert "m.png" in refused("value 128", mask_file, tmp_path / "m.png")
    np.save(tmp_path / "m.npy", MASK)
    assert "m.npy" in refused("pixels_per_meter", read_view, tmp_path / "m.npy")


@pytest.mark.parametrize(
    ("counts", "unit"),
    [
        (np.full((4, 5), 500, np.uint16), None),
        (np.full((4, 5), 5000, np.uint16), 1e-4),
        (np.full((4, 5), 0.5, np.float32), None),
        (np.full((4, 5), 500.0, np.float32), "mm"),
        (np.full((4, 5), 500, np.int32), "mm"),
    ],
)
def test_depth_of_any_container_is_metres(tmp_path, counts, unit):
    np.save(tmp_path / "d.npy", counts)
    np.testing.assert_allclose(depth_file(tmp_path / "d.npy", unit), 0.5)
    if counts.dtype == np.uint16:
        cv2.imwrite(str(tmp_path / "d.png"), counts)
        np.testing.assert_allclose(depth_file(tmp_path / "d.png", unit), 0.5)


def test_depth_of_unknown_unit_is_refused_with_the_file(tmp_path):
    cv2.imwrite(str(tmp_path / "eight.png"), np.full((4, 5), 50, np.uint8))
    assert "eight.png" in refused("8-bit depth", depth_file, tmp_path / "eight.png")
    np.save(tmp_path / "mm.npy", np.full((4, 5), 500.0))
    assert "mm.npy" in refused("looks like millimetres", depth_file, tmp_path / "mm.npy")
    for unit in ("cm", 0, -1e-3, np.nan, True):
        refused("depth_unit", depth_file, tmp_path / "mm.npy", unit)


def test_colours_come_red_first(tmp_path):
    rgb = np.zeros((4, 5, 3), np.uint8)
    rgb[...] = 250, 120, 10
    cv2.imwrite(str(tmp_path / "c.png"), rgb[..., ::-1])
    cv2.imwrite(str(tmp_path / "alpha.png"), np.dstack([rgb[..., ::-1], np.full((4, 5), 255, np.uint8)]))
    for name in ("c.png", "alpha.png"):
        np.testing.assert_array_equal(colour_file(tmp_path / name), rgb)
    np.testing.assert_array_equal(read_view(tmp_path / "c.png", pixels_per_meter=1000).rgb, rgb)


@pytest.mark.parametrize("name", ["absent.png", "absent.npy", "absent.json", "absent.ply", "absent"])
def test_missing_file_is_named(tmp_path, name):
    assert refused("existing file", read_view, tmp_path / name).count(name) == 1


@pytest.mark.parametrize("name", ["x.png", "x.npy", "x.json", "x.wkt", "x.geojson", "x.dxf", "x.ply", "x.pcd", "x.foo"])
def test_rubbish_is_named(tmp_path, name):
    (tmp_path / name).write_text("rubbish")
    assert name in refused("must be", read_view, tmp_path / name, unit="mm", pixels_per_meter=1000)


# ---- polygons --------------------------------------------------------------------------------------------------------


def write_polygon(folder, name):
    """Write the plate in millimetres in the form that the ending asks for."""
    path = folder / name
    rings = {"exterior_mm": shapely.get_coordinates(PLATE.exterior).tolist()}
    rings["holes_mm"] = [shapely.get_coordinates(hole).tolist() for hole in PLATE.interiors]
    geometry = json.loads(shapely.to_geojson(PLATE))
    feature = {"type": "Feature", "properties": {}, "geometry": geometry}
    text = {
        "own.json": json.dumps(rings),
        "plate.wkt": PLATE.wkt,
        "plate.geojson": json.dumps(geometry),
        "feature.json": json.dumps(feature),
        "features.geojson": json.dumps({"type": "FeatureCollection", "features": [feature]}),
    }
    if name.endswith(".dxf"):
        trimesh.load_path(PLATE).export(str(path))
    else:
        path.write_text(text[name])
    return path


FORMS = ["plate.wkt", "plate.geojson", "feature.json", "features.geojson", "plate.dxf"]


@pytest.mark.parametrize("name", ["own.json", *FORMS])
def test_polygon_of_any_form_is_metres_with_its_hole(tmp_path, name):
    path = write_polygon(tmp_path, name)
    polygon = read_view(path, unit=None if name == "own.json" else "mm").polygon
    expected = shapely.transform(PLATE, lambda at: at / 1000)
    assert polygon.symmetric_difference(expected).area < 1e-12
    assert len(polygon.interiors) == 1


@pytest.mark.parametrize("name", FORMS)
def test_unit_is_asked_for_where_the_file_does_not_say(tmp_path, name):
    path = write_polygon(tmp_path, name)
    for unit in (None, "inch"):
        assert name in refused("unit = .* 'm', 'mm'", read_view, path, unit=unit)


def test_unit_in_the_keys_stands(tmp_path):
    path = write_polygon(tmp_path, "own.json")
    refused("left out: the file says mm", polygon_file, path, "m")
    assert polygon_file(path, "mm").bounds[2] == 0.06
    path.write_text(path.read_text().replace("_mm", "_m"))
    assert polygon_file(path).bounds[2] == 60


@pytest.mark.parametrize(
    "content",
    [
        {"exterior": [[0, 0], [1, 0], [0, 1]]},
        {"exterior_mm": [[0, 0], [1, 0], [0, 1]], "holes_m": []},
        {"exterior_mm": [[0, 0], [1, 0], [0, 1]], "hole_mm": []},
        {"exterior_mm": [[0, 0], [1, 0]]},
        {"exterior_mm": [[0, 0], [1, 0], [0, "a"]]},
        {"exterior_mm": None},
        [1, 2],
        {"type": "Point", "coordinates": [0, 0]},
        {"type": "FeatureCollection", "features": []},
    ],
)
def test_other_json_is_refused_by_name(tmp_path, content):
    path = tmp_path / "p.json"
    path.write_text(json.dumps(content))
    unit = "mm" if isinstance(content, dict) and "type" in content else None
    assert "p.json" in refused("p.json: ", read_view, path, unit=unit)


def test_crossing_is_named_with_file_and_place(tmp_path):
    # shared case O08: the edges cross at (15, 30) mm
    path = tmp_path / "cross.json"
    path.write_text(json.dumps({"exterior_mm": [[0, 0], [60, 0], [0, 40], [20, 40]], "holes_mm": []}))
    refused(r"cross\.json: polygon = Self-intersection\[0\.015 0\.03\]", read_view, path)


# ---- clouds ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["c.npy", "c.ply", "c.pcd"])
def test_cloud_in_millimetres(tmp_path, name):
    points = np.random.default_rng(0).uniform(-50, 50, (30, 3))
    path = tmp_path / name
    if name == "c.npy":
        np.save(path, points)
    else:
        library = open3d_loader.open3d()
        library.io.write_point_cloud(str(path), library.geometry.PointCloud(library.utility.Vector3dVector(points)))
    np.testing.assert_allclose(read_view(path, unit="mm").points, points / 1000, atol=1e-8)
    assert name in refused("unit", read_view, path)


def test_cloud_rows_that_are_not_finite_are_counted(tmp_path):
    points = np.ones((10, 3))
    points[3, 1] = np.nan
    np.save(tmp_path / "c.npy", points)
    assert read_view(tmp_path / "c.npy", unit="m").dropped == 1


def test_without_open3d_the_error_says_how_to_install_it(monkeypatch):
    open3d_loader.open3d.cache_clear()
    monkeypatch.setitem(sys.modules, "libusb_package", None)
    with pytest.raises(Exception, match="pip install open3d libusb-package"):
        open3d_loader.open3d()


# ---- RGB-D folders ---------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path) -> Path:
    cv2.imwrite(str(tmp_path / "color.png"), np.full((*MASK.shape, 3), 90, np.uint8))
    cv2.imwrite(str(tmp_path / "depth.png"), np.where(MASK, 5000, 6000).astype(np.uint16))
    cv2.imwrite(str(tmp_path / "mask.png"), (MASK * 255).astype(np.uint8))
    tell(tmp_path, depth_unit_m=1e-4)
    return tmp_path


def tell(folder, **more):
    (folder / "camera.json").write_text(json.dumps(CAMERA | more))


def test_folder(folder):
    view = read_view(folder)
    assert view.rgb.shape == (100, 140, 3)
    np.testing.assert_allclose(view.depth[MASK], 0.5)
    np.testing.assert_array_equal(view.mask, MASK)
    assert (view.camera.fy, view.camera.width, view.camera.T_table_camera) == (610, 140, None)


def test_folder_needs_depth_and_camera_only(folder):
    for name in ("color.png", "mask.png"):
        (folder / name).unlink()
    view = read_view(folder)
    assert (view.rgb, view.mask) == (None, None)
    (folder / "depth.png").unlink()
    refused("depth.png or depth.npy", read_view, folder)
    (folder / "camera.json").unlink()
    refused("camera.json", read_view, folder)


def test_several_masks_are_chosen_by_name(folder):
    cv2.imwrite(str(folder / "mask_other.png"), (~MASK * 255).astype(np.uint8))
    refused("mask.png, mask_other.png", read_view, folder)
    np.testing.assert_array_equal(read_view(folder, mask="mask_other.png").mask, ~MASK)
    refused("mask_third.png", read_view, folder, mask="mask_third.png")


def test_depth_unit_by_name_or_by_type(folder):
    tell(folder, depth_unit="mm")
    np.testing.assert_allclose(read_view(folder).depth[MASK], 5.0)
    tell(folder)
    np.testing.assert_allclose(read_view(folder).depth[MASK], 5.0)  # uint16 is millimetres
    tell(folder, depth_unit="cm")
    assert "depth.png" in refused("'cm'", read_view, folder)


def test_pose_is_used_where_the_height_of_the_table_is_known(folder):
    pose = np.diag([1.0, -1, -1, 1])
    pose[:3, 3] = 0.1, 0.2, 0.7
    tell(folder, T_table_camera=pose.tolist())
    np.testing.assert_array_equal(read_view(folder).camera.pose, pose)
    tell(folder, camera_to_world=pose.tolist())
    assert read_view(folder).camera.T_table_camera is None
    np.testing.assert_allclose(read_view(folder, table_z=0.1).camera.pose[:3, 3], [0.1, 0.2, 0.6])


@pytest.mark.parametrize("change", [{"fx": None}, {"width": 139}, {"distortion": [0.1, 0, 0, 0, 0]}, {"fy": "600"}])
def test_wrong_camera_is_named(folder, change):
    tell(folder, **change)
    assert str(folder) in refused("fx|160|139|distortion|fy", read_view, folder)


def test_missing_intrinsics_are_listed(folder):
    (folder / "camera.json").write_text(json.dumps({"fx": 600, "cx": 1}))
    refused("camera.json: missing key = fy, cy, width, height", read_view, folder)
    (folder / "camera.json").write_text("{")
    refused("camera.json: content", read_view, folder)


@needs_data
def test_all_real_folders_are_read():
    for folder in sorted((SHARED / "data" / "images").iterdir()):
        view = read_view(folder)
        assert 0.4 < np.nanmedian(view.depth) < 0.9
        assert view.mask.any()
