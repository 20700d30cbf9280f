"""Sensor: errors of the size that was asked for, each from its own stream, and colours that a threshold tells apart."""

from dataclasses import replace

import numpy as np
import pytest
import trimesh
from scipy import ndimage

from grasp import Camera, InvalidValue, presets
from objects import shapes
from objects.render import photograph, render, sight
from objects.sensor import Sensor, segmented

CONF = presets.read("camera", "overhead")
TOP = Camera(**CONF["camera"])
PLAIN = Sensor.from_dict(CONF["sensor"])
NOISY = Sensor.from_dict(presets.read("camera", "overhead_noisy")["sensor"])
TABLE, HEIGHT = 0.65, 0.06  # metres from the camera to the table, and of the box


@pytest.fixture
def rng():
    return np.random.default_rng(31)


def box(x=0.08, y=0.05, z=HEIGHT, at=(0.0, 0.0)):
    """Return a box on the table."""
    return trimesh.creation.box((x, y, z)).apply_translation((*at, z / 2))


def test_a_sensor_without_errors_shows_the_truth(rng):
    seen, view = sight(box(), TOP), render(box(), TOP, PLAIN, rng)
    np.testing.assert_array_equal(view.depth, seen.depth)
    np.testing.assert_array_equal(view.mask, seen.mask)
    assert view.camera is TOP
    assert render(box(), TOP, replace(PLAIN, with_mask=False), rng).mask is None


@pytest.mark.parametrize("name", ["camera_mount", "climbing_hold", "paper_towel_roll"])
def test_colours_tell_object_from_cloth(name, rng):
    key = presets.read("perception", "default")
    seen = sight(shapes.make(name), TOP)
    for sensor in (PLAIN, NOISY):
        rgb = photograph(seen, TOP, sensor, rng).rgb.astype(int)
        found = (np.abs(rgb - key["background"]) > key["background_tolerance"]).any(-1)
        np.testing.assert_array_equal(found, seen.mask)


def test_noise_has_the_deviation_asked_for(rng):
    seen = sight(box(), TOP)
    error = photograph(seen, TOP, replace(PLAIN, depth_sigma=0.002), rng).depth - seen.depth
    np.testing.assert_allclose([error.mean(), error.std()], [0, 0.002], atol=1e-5)
    rgb = photograph(seen, TOP, replace(PLAIN, cloth_rgb=(100, 100, 100), ambient=1, rgb_sigma=5), rng).rgb
    np.testing.assert_allclose(rgb[~seen.mask].std(), np.sqrt(25 + 1 / 12), rtol=0.01)  # and rounding


def test_depth_is_rounded_to_the_step(rng):
    depth = photograph(sight(box(), TOP), TOP, replace(PLAIN, depth_sigma=0.002, depth_step=0.001), rng).depth
    np.testing.assert_allclose(depth * 1e3, np.rint(depth * 1e3), atol=1e-9)


def test_missing_depth_is_the_share_asked_for(rng):
    depth = photograph(sight(box(), TOP), TOP, replace(PLAIN, missing=0.1), rng).depth
    np.testing.assert_allclose(np.isnan(depth).mean(), 0.1, atol=0.002)


def test_grazing_rays_have_no_depth(rng):
    # the walls of the box are seen at under 10 degrees from above, its top and the table at over 45
    seen = sight(box(at=(0.05, 0.0)), TOP)
    view = photograph(seen, TOP, replace(PLAIN, grazing=np.radians(10)), rng)
    wall = seen.mask & (seen.depth > TABLE - HEIGHT + 1e-9)
    assert wall.sum() > 50
    np.testing.assert_array_equal(np.isnan(view.depth), wall)


@pytest.mark.parametrize("grain", [0.0, 4.0])
def test_mask_edge_moves_by_the_pixels_asked_for(rng, grain):
    seen = sight(box(0.3, 0.3, 0.01), TOP)
    sensor = replace(PLAIN, mask_jitter=1.5, mask_grain=grain)
    masks = [segmented(seen.mask, sensor, rng) for _ in range(20)]
    rows, columns = (np.flatnonzero(seen.mask.any(axis)) for axis in (1, 0))
    inner = slice(columns[0] + 20, columns[-1] - 20)
    depth = rows[0] + np.arange(-12, 13)
    # share of pixels still in the mask falls off with depth like the normal distribution; its spread is the jitter
    share = np.mean([mask[depth][:, inner] for mask in masks], axis=(0, 2))
    spread = np.sqrt(np.sum(np.diff(share) * (depth[1:] - 0.5 - np.sum(np.diff(share) * (depth[1:] - 0.5))) ** 2))
    np.testing.assert_allclose(spread, 1.5, atol=0.1)
    assert all(mask[ndimage.binary_erosion(seen.mask, iterations=9)].all() for mask in masks[:3])
    assert not any(mask[~ndimage.binary_dilation(seen.mask, iterations=9)].any() for mask in masks[:3])


def test_same_seed_same_view_and_errors_do_not_disturb_each_other():
    seen = sight(box(), TOP)

    def look(sensor):
        return photograph(seen, TOP, sensor, np.random.default_rng(8))

    first, again = look(NOISY), look(NOISY)
    np.testing.assert_array_equal(first.rgb, again.rgb)
    np.testing.assert_array_equal(first.depth, again.depth)
    steady = look(replace(NOISY, missing=0.0, rgb_sigma=0.0))
    kept = np.isfinite(first.depth)
    np.testing.assert_array_equal(steady.depth[kept], first.depth[kept])


def test_bad_numbers_are_refused_by_name():
    for name, bad in {"ambient": 1.5, "missing": -0.1, "depth_sigma": -1, "mask_jitter": "a", "with_mask": 1}.items():
        with pytest.raises(InvalidValue, match=f"sensor.{name}"):
            replace(PLAIN, **{name: bad})
    with pytest.raises(InvalidValue, match=r"sensor\.object_rgb"):
        replace(PLAIN, object_rgb=(300, 0, 0))
    with pytest.raises(InvalidValue, match="unknown|key"):
        Sensor.from_dict({**CONF["sensor"], "sigma": 1})
