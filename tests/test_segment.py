"""Segmentation: a pixel is background when every channel is near the key, and only then."""

from dataclasses import replace

import numpy as np
import pytest

from get2d.segment import foreground, mask_of
from grasp import PerceptionError, Reason, View
from tests.seen import SETTINGS, looking, masked


@pytest.mark.parametrize("key", [(0, 0, 0), (255, 255, 255), (20, 200, 90)])
@pytest.mark.parametrize("tolerance", [0, 10, 60])
def test_background_is_what_lies_within_the_tolerance_in_every_channel(key, tolerance):
    rgb = np.random.default_rng(3).integers(0, 256, (40, 50, 3), np.uint8)
    rgb[:10] = np.clip(np.array(key) + np.random.default_rng(4).integers(-70, 70, (10, 50, 3)), 0, 255)
    rgb[0, 0] = key
    expected = (np.abs(rgb.astype(int) - key) > tolerance).any(-1)
    got = foreground(rgb, replace(SETTINGS, background=key, background_tolerance=tolerance))
    np.testing.assert_array_equal(got, expected)
    assert not got[0, 0]
    assert got.any()


def test_one_bright_channel_is_enough_on_a_dark_cloth():
    rgb = np.full((1, 3, 3), 40, np.uint8)
    rgb[0, 1, 2] = 200
    assert foreground(rgb, SETTINGS).tolist() == [[False, True, False]]


def test_a_given_mask_wins_over_colours():
    mask = masked((5, 5, 20, 10))
    rgb = np.full((*mask.shape, 3), 255, np.uint8)
    assert (mask_of(View(rgb=rgb, mask=mask, pixels_per_meter=1000), SETTINGS) == mask).all()
    assert mask_of(View(rgb=rgb, pixels_per_meter=1000), SETTINGS).all()


def test_depth_alone_has_no_mask():
    camera = looking()
    with pytest.raises(PerceptionError) as error:
        mask_of(View(depth=np.ones((240, 320)), camera=camera), SETTINGS)
    assert error.value.reason is Reason.VIEW_LACKS_INPUT
