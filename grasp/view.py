"""View: what a planner may see, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grasp.camera import Camera
from grasp.images import read_depth, read_mask, read_rgb
from grasp.mesh import Mesh
from grasp.strict import positive
from grasp.surroundings import Surroundings, require_polygon
from wrench.checks import frozen, refuse_first, require_finite
from wrench.errors import InvalidValue


@dataclass(frozen=True, eq=False)
class View:
    """One look at one object. Every part is optional; a planner says which parts it needs.

    Make one with ``from_mask``, ``from_rgbd``, ``from_cloud``, ``from_polygon`` or ``from_mesh``, which convert what
    they are given; the constructor takes the final form only.

    Parameters
    ----------
    rgb : (h, w, 3) uint8
        Red first.
    depth : (h, w) float, metres
        Along the optical axis; NaN where missing.
    mask : (h, w) bool
        The object's pixels.
    camera
        Pinhole camera of the images.
    pixels_per_meter
        Scale of images without a camera, seen straight from above: u along the table's x, v against its y, the middle
        of the image at the table's origin.
    points : (n, 3) float, metres, table frame
        Point cloud.
    polygon
        Shapely polygon with its holes, metres, table frame seen from above.
    mesh
        Triangles, metres, table frame.
    dropped
        Points of the given cloud that were left out because they were not finite.
    surroundings
        What stands around the object; None where nothing is known. Given by ``view.among(surroundings)``.

    Raises
    ------
    InvalidValue
        Nothing at all; images whose sizes differ (names both); images with neither or both of camera and scale; a
        polygon that is empty or crosses itself (names the place).
    """

    rgb: NDArray[np.uint8] | None = None
    depth: NDArray[np.float64] | None = None
    mask: NDArray[np.bool_] | None = None
    camera: Camera | None = None
    pixels_per_meter: float | None = None
    points: NDArray[np.float64] | None = None
    polygon: Any = None
    mesh: Mesh | None = None
    dropped: int = 0
    surroundings: Surroundings | None = None

    def __post_init__(self) -> None:
        readers = {"rgb": read_rgb, "mask": read_mask, "depth": _final_depth, "points": _cloud}
        for name, reader in readers.items():
            if getattr(self, name) is not None:
                array = reader(getattr(self, name))
                object.__setattr__(self, name, frozen(array, array.dtype.type))
        if self.pixels_per_meter is not None:
            scale = positive("pixels_per_meter", self.pixels_per_meter, "px/m")
            object.__setattr__(self, "pixels_per_meter", scale)
        if self.polygon is not None:
            require_polygon("polygon", self.polygon)
        if self.surroundings is not None and not isinstance(self.surroundings, Surroundings):
            raise InvalidValue("surroundings", repr(self.surroundings)[:60], "a Surroundings, or None if nothing is known")
        self._check_images()

    def among(self, surroundings: Surroundings | None) -> View:
        """Return the same view with what stands around the object; None to know nothing."""
        return replace(self, surroundings=surroundings)

    def _check_images(self) -> None:
        parts = {"rgb": self.rgb, "depth": self.depth, "mask": self.mask}
        images = [(name, part.shape[:2]) for name, part in parts.items() if part is not None]
        if not images and self.points is None and self.polygon is None and self.mesh is None:
            raise InvalidValue("view", "nothing", "an image, a point cloud, a polygon or a mesh")
        if self.camera is not None:
            images.append(("camera", (self.camera.height, self.camera.width)))
        for name, size in images[1:]:
            if size != images[0][1]:
                raise InvalidValue(f"size of {name}", _size(size), f"that of {images[0][0]}, {_size(images[0][1])}")
        if images and (self.camera is None) == (self.pixels_per_meter is None):
            given = "neither" if self.camera is None else "both"
            raise InvalidValue("scale of the image", given, "given by exactly one of camera and pixels_per_meter")

    @classmethod
    def from_mask(
        cls,
        mask: ArrayLike,
        pixels_per_meter: float | None = None,
        depth: ArrayLike | None = None,
        camera: Camera | None = None,
        depth_unit: str | None = None,
    ) -> View:
        """Return a view of a segmented object.

        Parameters
        ----------
        mask : (h, w) bool, or all 0 or 1, or all 0 or 255
        pixels_per_meter
            Scale, unless a camera is given.
        depth : (h, w) number, optional
            In `depth_unit`: ``"m"``, ``"mm"``, or None to go by the type (uint16 is millimetres, float is metres).
        camera
            Pinhole camera, unless a scale is given.
        """
        metres = None if depth is None else read_depth(depth, depth_unit)
        return cls(mask=read_mask(mask), depth=metres, camera=camera, pixels_per_meter=pixels_per_meter)

    @classmethod
    def from_rgbd(
        cls,
        rgb: ArrayLike,
        depth: ArrayLike,
        camera: Camera,
        mask: ArrayLike | None = None,
        depth_unit: str | None = None,
    ) -> View:
        """Return a view of colour (h, w, 3) uint8 and depth (h, w), as in `from_mask`."""
        seen = None if mask is None else read_mask(mask)
        return cls(rgb=read_rgb(rgb), depth=read_depth(depth, depth_unit), camera=camera, mask=seen)

    @classmethod
    def from_cloud(cls, points: ArrayLike) -> View:
        """Return a view of points (n, 3) in metres, table frame. Rows that are not finite are dropped and counted."""
        array = np.asarray(points, float)
        if array.ndim != 2 or array.shape[1] != 3:
            raise InvalidValue("points.shape", array.shape, "(n, 3)")
        good = np.isfinite(array).all(1)
        return cls(points=array[good], dropped=int((~good).sum()))

    @classmethod
    def from_polygon(cls, polygon: Any) -> View:
        """Return a view of a Shapely polygon with its holes, in metres, table frame seen from above."""
        return cls(polygon=polygon)

    @classmethod
    def from_mesh(cls, vertices: ArrayLike, faces: ArrayLike) -> View:
        """Return a view of a mesh: vertices (v, 3) in metres, table frame, and faces (f, 3) of indices."""
        return cls(mesh=Mesh(np.asarray(vertices, float), np.asarray(faces)))


def _final_depth(depth: NDArray[np.float64]) -> NDArray[np.float64]:
    if getattr(depth, "dtype", None) != np.float64 or depth.ndim != 2:
        raise InvalidValue("depth", type(depth).__name__, "float64(height, width) in metres; see View.from_rgbd")
    refuse_first("depth", depth, (depth <= 0) | np.isinf(depth), "greater than 0 m, or NaN where missing")
    return depth


def _cloud(points: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(points, float)
    require_finite("points", array)
    return array


def _size(size: tuple[int, int]) -> str:
    return f"{size[0]} x {size[1]} px (height x width)"
