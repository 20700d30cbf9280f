"""Example: an RGB-D picture of one flat part on a dark cloth, seen straight from above, made from a few numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import affinity

from get2d.table import straight_down
from grasp.camera import Camera
from grasp.view import View

LAYERS = 40  # slices of which the part is painted, lowest first; walls come out in steps of its height over this
SUBPIXEL = 4  # bits of a pixel to which OpenCV fills polygons
WALL = 0.5  # brightness at the foot of a wall, of that of the top


@dataclass(frozen=True)
class Scene:
    """A prism on a table and the camera above it. The numbers stand in ``conf/plan.yaml``.

    Parameters
    ----------
    outline : metres
        Corners x, y of the part.
    holes : metres
        Centre x, y and radius of each hole through it.
    thickness, angle
        Metres from the table to its top; radians by which it is turned about the table's origin.
    colour, cloth : red, green, blue
        Of its top, and of the ground.
    distance, focal_length, width, height
        Metres from the camera to the table; pixels.
    depth_noise, colour_noise, missing
        Standard deviations in metres and in brightness (0 to 255); share of the pixels without depth.
    seed
        Of the noise.
    """

    outline: tuple[tuple[float, float], ...]
    holes: tuple[tuple[float, float, float], ...]
    thickness: float
    angle: float
    colour: tuple[int, int, int]
    cloth: tuple[int, int, int]
    distance: float
    focal_length: float
    width: int
    height: int
    depth_noise: float
    colour_noise: float
    missing: float
    seed: int

    def view(self) -> View:
        """Return what the camera sees."""
        middle = ((self.width - 1) / 2, (self.height - 1) / 2)
        pose = straight_down(self.distance)
        camera = Camera(self.focal_length, self.focal_length, *middle, self.width, self.height, pose)
        rgb, depth = self._painted(camera)
        rng = np.random.default_rng(self.seed)
        depth += rng.normal(0, self.depth_noise, depth.shape)
        depth[rng.random(depth.shape) < self.missing] = np.nan
        rgb = np.clip(rgb + rng.normal(0, self.colour_noise, rgb.shape), 0, 255)
        return View.from_rgbd(rgb.astype(np.uint8), depth, camera)

    def polygon(self) -> Any:
        """Return the part's outline as a Shapely polygon, metres, table frame."""
        holes = [shapely.Point(x, y).buffer(radius) for x, y, radius in self.holes]
        part = shapely.Polygon(self.outline).difference(shapely.union_all(holes))
        return affinity.rotate(part, self.angle, origin=(0, 0), use_radians=True)

    def _painted(self, camera: Camera) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return colours and depth without noise: slices of the part, each painted over those below it."""
        polygon, share = self.polygon(), np.linspace(0, 1, LAYERS)
        rings = (polygon.exterior, *polygon.interiors)
        seen = np.zeros((self.height, self.width), np.uint8)  # 0 is the ground, then the slices
        for i, z in enumerate(share * self.thickness, start=1):
            cv2.fillPoly(seen, [_pixels(ring, z, camera) for ring in rings], i, shift=SUBPIXEL)
        shades = np.outer(WALL + (1 - WALL) * share, self.colour)
        depths = np.append(self.distance, self.distance - share * self.thickness)
        return np.vstack([self.cloth, shades])[seen], depths[seen]


def _pixels(ring: Any, z: float, camera: Camera) -> NDArray[np.int32]:
    """Return the corners of a ring at height z, in the fractions of a pixel that OpenCV takes."""
    corners = np.asarray(ring.coords)
    u, v, _ = camera.project(np.column_stack([corners, np.full(len(corners), z)]))
    return np.round(np.stack([u, v], -1) * 2**SUBPIXEL).astype(np.int32)
