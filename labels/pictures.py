"""Pictures: what a camera saw, as PNG images that give back every bit of what the planners were shown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grasp.camera import Camera
from grasp.view import View
from wrench.errors import InvalidValue

MOST = np.iinfo(np.uint16).max


@dataclass(frozen=True, eq=False)
class Picture:
    """One view as it is stored.

    Parameters
    ----------
    name
        Of the view.
    rgb : PNG, 8 bits, three channels
    depth : PNG, 16 bits
        Counts of `depth_step` along the optical axis; 0 where depth is missing.
    mask : PNG, 8 bits, 0 or 255; None where the camera brings none
    depth_step
        Metres per count.
    camera
        Intrinsics and pose.
    """

    name: str
    rgb: bytes
    depth: bytes
    mask: bytes | None
    depth_step: float
    camera: Camera

    @classmethod
    def of(cls, name: str, view: View, depth_step: float) -> Picture:
        """Return a view of RGB-D with its depth rounded to whole steps.

        Raises
        ------
        InvalidValue
            A view without colour, depth or camera, or a depth that 16 bits of that step cannot hold.
        """
        if view.rgb is None or view.depth is None or view.camera is None:
            raise InvalidValue("view", "without colour, depth or camera", "one of an RGB-D camera")
        counts = np.nan_to_num(np.rint(view.depth / depth_step), nan=0.0)
        if counts.max() > MOST:
            raise InvalidValue("depth", counts.max() * depth_step, f"at most {MOST * depth_step:g} m with this depth_step")
        mask = None if view.mask is None else _png(view.mask.astype(np.uint8) * 255)
        depth = _png(counts.astype(np.uint16))
        return cls(name, _png(np.ascontiguousarray(view.rgb[..., ::-1])), depth, mask, depth_step, view.camera)

    def view(self) -> View:
        """Return the view: what is stored, and therefore what was planned on."""
        counts = _pixels(self.depth).astype(float)
        depth = np.where(counts > 0, counts * self.depth_step, np.nan)
        mask = None if self.mask is None else _pixels(self.mask)
        return View.from_rgbd(_pixels(self.rgb)[..., ::-1], depth, self.camera, mask, depth_unit="m")

    def depth_image(self) -> NDArray[np.float32]:
        """Return the depth (h, w) in metres with 0 where it is missing, as other formats have it."""
        return (_pixels(self.depth) * self.depth_step).astype(np.float32)


def _png(image: NDArray) -> bytes:
    import cv2  # only images need it

    return cv2.imencode(".png", image)[1].tobytes()


def _pixels(png: bytes) -> NDArray:
    import cv2

    return np.asarray(cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_UNCHANGED))
