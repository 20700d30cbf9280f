"""Sensor: what a camera makes of a scene, its colours and its errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from grasp.strict import at_least, build
from wrench.errors import InvalidValue

AT_LEAST_ZERO = {"rgb_sigma": "", "depth_sigma": "m", "depth_step": "m", "grazing": "rad"}
AT_LEAST_ZERO |= {"mask_jitter": "px", "mask_grain": "px"}
SHARES = ("ambient", "missing")
REACH = 5  # standard deviations that a mask's edge may move


@dataclass(frozen=True)
class Sensor:
    """Colours and errors of a camera. There are no default values: they stand with their sources in ``conf/camera``.

    Parameters
    ----------
    object_rgb, cloth_rgb
        Red, green, blue, 0 to 255.
    ambient
        Share of its colour that a surface shows edge-on; the rest comes with the cosine of a lamp at the camera.
    rgb_sigma
        Standard deviation of each channel, of 255.
    depth_sigma, depth_step
        Metres: standard deviation of the depth, and the step to which it is rounded (0: not at all).
    missing
        Share of the pixels without depth, at random.
    grazing
        Radians; a ray that meets a surface at a smaller angle to it has no depth.
    with_mask
        Whether a view brings a mask.
    mask_jitter, mask_grain
        Pixels: standard deviation of the place of the mask's edge, and the distance over which it varies.

    Raises
    ------
    InvalidValue
        A number that is no number or out of range.
    """

    object_rgb: tuple[int, int, int]
    cloth_rgb: tuple[int, int, int]
    ambient: float
    rgb_sigma: float
    depth_sigma: float
    depth_step: float
    missing: float
    grazing: float
    with_mask: bool
    mask_jitter: float
    mask_grain: float

    def __post_init__(self) -> None:
        for name, unit in AT_LEAST_ZERO.items():
            at_least(f"sensor.{name}", getattr(self, name), 0, unit)
        for name in SHARES:
            if at_least(f"sensor.{name}", getattr(self, name), 0, "") > 1:
                raise InvalidValue(f"sensor.{name}", getattr(self, name), "from 0 to 1")
        for name in ("object_rgb", "cloth_rgb"):
            channels = tuple(getattr(self, name))
            if len(channels) != 3 or not all(isinstance(c, int) and 0 <= c <= 255 for c in channels):
                raise InvalidValue(f"sensor.{name}", channels, "three whole numbers from 0 to 255")
            object.__setattr__(self, name, channels)
        if not isinstance(self.with_mask, bool):
            raise InvalidValue("sensor.with_mask", repr(self.with_mask), "true or false")

    @classmethod
    def from_dict(cls, mapping: Mapping[str, Any]) -> Sensor:
        """Return the sensor in a mapping of exactly these fields, as a config file holds them."""
        return build(cls, mapping, "sensor")


def colours(
    mask: NDArray[np.bool_], facing: NDArray[np.float64], sensor: Sensor, rng: np.random.Generator
) -> NDArray[np.uint8]:
    """Return the picture (h, w, 3), red first, of object and cloth.

    Parameters
    ----------
    mask : (h, w) bool
        The object's pixels.
    facing : (h, w) float
        Cosine between ray and surface normal, 0 edge-on to 1.
    """
    paint = np.array([sensor.cloth_rgb, sensor.object_rgb], np.float32)[mask.astype(np.intp)]
    light = sensor.ambient + (1 - sensor.ambient) * facing.astype(np.float32)
    rgb = paint * light[..., None]
    if sensor.rgb_sigma:
        rgb += np.float32(sensor.rgb_sigma) * rng.standard_normal(rgb.shape, np.float32)
    return np.clip(np.rint(rgb), 0, 255).astype(np.uint8)


def depths(
    depth: NDArray[np.float64], facing: NDArray[np.float64], sensor: Sensor, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the depth (h, w) in metres as measured, NaN where missing; `facing` as in `colours`."""
    noise, holes = rng.spawn(2)  # so that one error switched on leaves the other as it was
    measured = depth.copy()
    if sensor.depth_sigma:
        measured += sensor.depth_sigma * noise.standard_normal(depth.shape)
    if sensor.depth_step:
        measured = np.rint(measured / sensor.depth_step) * sensor.depth_step
    if sensor.grazing:
        measured[facing < np.sin(sensor.grazing)] = np.nan
    if sensor.missing:
        measured[holes.random(depth.shape) < sensor.missing] = np.nan
    return measured


def segmented(mask: NDArray[np.bool_], sensor: Sensor, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return the mask (h, w) as a segmentation would: its edge moved in and out by a smooth random distance."""
    if not sensor.mask_jitter or not mask.any():
        return mask.copy()
    margin = int(np.ceil(REACH * sensor.mask_jitter)) + 1
    rows, columns = (np.flatnonzero(mask.any(axis)) for axis in (1, 0))
    window = tuple(slice(max(i[0] - margin, 0), i[-1] + margin + 1) for i in (rows, columns))
    inside = mask[window]
    # distance to the edge, which runs half a pixel beyond the last pixel
    within, beyond = (np.asarray(ndimage.distance_transform_edt(side)) for side in (inside, ~inside))
    depth = within - beyond - np.sign(within - beyond) / 2
    shift = ndimage.gaussian_filter(rng.standard_normal(inside.shape), sensor.mask_grain)
    moved = np.zeros_like(mask)
    moved[window] = depth > shift * sensor.mask_jitter / shift.std()
    return moved
