"""Pads as the sweep kernel reads them: outlines as half-planes, in the gripper frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grasp.gripper import Gripper
from grasp.solids import closing_sign, pad_corners
from wrench.checks import frozen


@dataclass(frozen=True, eq=False)
class Pads:
    """Faces of k pads in contact order.

    Parameters
    ----------
    outline : (k, 4, 3) float
        Half-planes a y + b z <= c with (a, b) of length 1, metres.
    bounds : (k, 2, 2) float, metres
        Least and greatest y, and z.
    sign : (k,) float
        Which way along x each pad moves: +1 on the wide jaw, -1 on the narrow one.
    """

    outline: NDArray[np.float64]
    bounds: NDArray[np.float64]
    sign: NDArray[np.float64]

    def __post_init__(self) -> None:
        for field in ("outline", "bounds", "sign"):
            object.__setattr__(self, field, frozen(getattr(self, field)))

    @classmethod
    def of(cls, gripper: Gripper) -> Pads:
        """Return the pads of a gripper."""
        corners = pad_corners(gripper, 0.0)[..., 1:]  # (k, 4, 2): y, z, around each trapezoid
        along = np.roll(corners, -1, axis=1) - corners
        outward = np.stack([along[..., 1], -along[..., 0]], -1) / np.linalg.norm(along, axis=-1, keepdims=True)
        middle = corners.mean(1, keepdims=True)
        outward *= np.sign(np.einsum("kij,kij->ki", outward, corners - middle))[..., None]
        offset = np.einsum("kij,kij->ki", outward, corners)
        bounds = np.stack([corners.min(1), corners.max(1)], -1)
        return cls(np.concatenate([outward, offset[..., None]], -1), bounds, closing_sign(gripper))

    @property
    def wide(self) -> NDArray[np.bool_]:
        """Whether each pad belongs to the wide jaw, (k,)."""
        return self.sign > 0

    def __len__(self) -> int:
        return len(self.sign)
