"""Pads as the kernels read them: faces of the fingers, in the gripper frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from get3d.clip import GRAZE
from grasp.gripper import Gripper
from grasp.solids import closing_sign, pad_corners
from wrench.checks import frozen


@dataclass(frozen=True, eq=False)
class Pads:
    """Faces of k pads in contact order.

    Parameters
    ----------
    corners : (k, 4, 2) float, metres
        y, z around each trapezoid, beginning at the fingertip: tip -y, tip +y, base +y, base -y.
    sign : (k,) float
        Which way along x each pad moves: +1 on the wide jaw, -1 on the narrow one.
    """

    corners: NDArray[np.float64]
    sign: NDArray[np.float64]

    def __post_init__(self) -> None:
        for field in ("corners", "sign"):
            object.__setattr__(self, field, frozen(getattr(self, field)))

    @classmethod
    def of(cls, gripper: Gripper) -> Pads:
        """Return the pads of a gripper."""
        return cls(pad_corners(gripper, 0.0)[..., 1:], closing_sign(gripper))

    @property
    def outline(self) -> NDArray[np.float64]:
        """Half-planes a y + b z <= c around each pad, (a, b) of length 1, c in metres, less `GRAZE`: (k, 4, 3)."""
        along = np.roll(self.corners, -1, axis=1) - self.corners
        outward = np.stack([along[..., 1], -along[..., 0]], -1) / np.linalg.norm(along, axis=-1, keepdims=True)
        middle = self.corners.mean(1, keepdims=True)
        outward *= np.sign(np.einsum("kij,kij->ki", outward, self.corners - middle))[..., None]
        offset = np.einsum("kij,kij->ki", outward, self.corners) - GRAZE
        return np.concatenate([outward, offset[..., None]], -1)

    @property
    def bounds(self) -> NDArray[np.float64]:
        """Least and greatest y, and z, of each pad, metres: (k, 2, 2)."""
        return np.stack([self.corners.min(1), self.corners.max(1)], -1)

    @property
    def wide(self) -> NDArray[np.bool_]:
        """Whether each pad belongs to the wide jaw, (k,)."""
        return self.sign > 0

    def __len__(self) -> int:
        return len(self.sign)

    def __getitem__(self, index: Any) -> Pads:
        """Return some of the pads."""
        return Pads(self.corners[index], self.sign[index])
