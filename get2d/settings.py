"""Perception: every number between what was seen and a footprint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grasp import presets
from grasp.strict import at_least, build, positive
from wrench.errors import InvalidValue

AT_LEAST_ZERO = {"background_tolerance": "", "simplify": "px", "least_height": "m", "greatest_tilt": "rad"}
POSITIVE = {"least_object": "px", "least_hole": "px", "plane_distance": "m", "plane_iterations": "", "cell": "m"}
UP_TO = {"object_percentile": 100, "area_share": 1, "plane_share": 1}


@dataclass(frozen=True)
class Perception:
    """How a view becomes a footprint. There are no default values: they stand with their sources in ``conf/perception``.

    Pixels (px) mean pixels of the image, or cells of the grid onto which points are projected.

    Parameters
    ----------
    background, background_tolerance
        A pixel is background when each of its channels (red, green, blue, 0 to 255) lies within the tolerance of it.
    least_object, least_hole
        Pixels; smaller pieces are dropped, smaller holes filled, and both counted in the notes.
    simplify
        Pixels, tolerance of Ramer-Douglas-Peucker.
    teh_chin
        Whether Teh and Chin's dominant points are taken first.
    area_share
        Share of its pixel count by which the area of a simplified ring may differ from it.
    on_several
        ``"refuse"`` several objects, or take the ``"largest"`` and say so.
    object_percentile
        Percent; of the depth inside the mask, it is the distance at which the outline is measured.
    table_distance
        Metres from the camera to the table along the optical axis, for a camera without a pose that looks straight down.
        None: the table is found in the depth.
    plane_distance, plane_iterations, plane_share
        Metres from the table plane that count as in it, number of RANSAC's trials, and the least share of the points that
        must lie in the plane found.
    cell
        Metres; side of the cells onto which points and meshes are projected.
    least_height
        Metres above the table that count as object.
    greatest_tilt
        Radians between the optical axis and straight down; beyond, the outline comes from the points, not the image.

    Raises
    ------
    InvalidValue
        A number that is no number or out of range.
    """

    background: tuple[int, int, int]
    background_tolerance: float
    least_object: int
    least_hole: int
    simplify: float
    teh_chin: bool
    area_share: float
    on_several: str
    object_percentile: float
    table_distance: float | None
    plane_distance: float
    plane_iterations: int
    plane_share: float
    cell: float
    least_height: float
    greatest_tilt: float

    def __post_init__(self) -> None:
        for name, unit in AT_LEAST_ZERO.items():
            at_least(f"perception.{name}", getattr(self, name), 0, unit)
        for name, unit in POSITIVE.items():
            positive(f"perception.{name}", getattr(self, name), unit)
        for name, most in UP_TO.items():
            if at_least(f"perception.{name}", getattr(self, name), 0, "") > most:
                raise InvalidValue(f"perception.{name}", getattr(self, name), f"from 0 to {most}")
        if self.table_distance is not None:
            positive("perception.table_distance", self.table_distance, "m")
        self._check_choices()

    def _check_choices(self) -> None:
        channels = tuple(self.background)
        if len(channels) != 3 or not all(isinstance(c, int) and 0 <= c <= 255 for c in channels):
            raise InvalidValue("perception.background", self.background, "three whole numbers from 0 to 255")
        object.__setattr__(self, "background", channels)
        if self.on_several not in ("refuse", "largest"):
            raise InvalidValue("perception.on_several", repr(self.on_several), '"refuse" or "largest"')
        if not isinstance(self.teh_chin, bool):
            raise InvalidValue("perception.teh_chin", repr(self.teh_chin), "true or false")

    @classmethod
    def preset(cls, name: str) -> Perception:
        """Return the settings in ``conf/perception/<name>.yaml``; an unknown name lists the known ones."""
        return cls.from_dict(presets.read("perception", name))

    @classmethod
    def from_dict(cls, mapping: Mapping[str, Any]) -> Perception:
        """Return the settings in a mapping of exactly these fields, as a config file holds them."""
        return build(cls, mapping, "perception")
