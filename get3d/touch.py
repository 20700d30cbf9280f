"""First touch of pads: what every pad of every pose meets under every draw, and the two ways of finding out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numba import njit
from numpy.typing import NDArray

from get3d.bvh import Bvh
from get3d.clip import frame_of
from get3d.pad_sweep import sweep, sweep_room
from get3d.pads import Pads
from wrench.checks import require_positive
from wrench.spanning import dot


@dataclass(frozen=True, eq=False)
class Touches:
    """First touches of k pads, batch (n, s) of poses and draws.

    Parameters
    ----------
    depth : (n, s, k) float, metres
        That each pad alone could move; inf where it meets nothing, NaN where the pads overlap the object.
    point, normal : (n, s, k, 3) float, metres, table frame
        Of the contact; the unit normal points into the object. Zero where there is none.
    overlaps : (n, s) bool
        Whether a pad starts inside the object.
    """

    depth: NDArray[np.float64]
    point: NDArray[np.float64]
    normal: NDArray[np.float64]
    overlaps: NDArray[np.bool_]


class Touch(Protocol):
    """A way of finding first touches on one object."""

    def __call__(
        self,
        pads: Pads,
        T_table_gripper: NDArray[np.float64],
        opening: NDArray[np.float64],
        translation: NDArray[np.float64],
    ) -> Touches:
        """Return the first touches of `pads`.

        Parameters
        ----------
        pads : k pads
        T_table_gripper : (n, 4, 4) float
        opening : (n,) metres
            Between the pad faces before they close.
        translation : (s, 3) metres, table frame
            By which each draw displaces the gripper.
        """
        ...


@dataclass(frozen=True, eq=False)
class Sweep:
    """Exact first touches; see `get3d.pad_sweep`.

    Parameters
    ----------
    bvh
        Of the object, table frame.
    patch : metres
        Depth of a contact patch.
    """

    bvh: Bvh
    patch: float

    def __post_init__(self) -> None:
        require_positive("patch", self.patch, "m")

    def __call__(self, pads: Pads, T_table_gripper: NDArray, opening: NDArray, translation: NDArray) -> Touches:
        """Return the first touches; see `Touch`."""
        shape = (len(opening), len(translation), len(pads))
        depth, point, normal = np.full(shape, np.nan), np.zeros((*shape, 3)), np.zeros((*shape, 3))
        overlaps = np.zeros(shape[:2], bool)
        how = (pads.outline, pads.bounds, pads.sign, self.patch)
        where = (np.ascontiguousarray(T_table_gripper), np.asarray(opening, float), np.asarray(translation, float))
        _sweep_all(self.bvh, how, where, depth, point, normal, overlaps)
        return Touches(depth, point, normal, overlaps)


@njit(cache=True)
def _sweep_all(tree, how, where, depth, point, normal, overlaps):
    (outline, bounds, sign, patch), (poses, opening, translation) = how, where
    room = sweep_room(tree.triangles.shape[0])
    for g in range(opening.shape[0]):
        pose = poses[g]
        for s in range(translation.shape[0]):
            for i in range(sign.shape[0]):
                start = -0.5 * sign[i] * opening[g]
                frame = frame_of(pose, translation[s], start, sign[i])
                deep, y, z, mean, inside = sweep(tree, frame, outline[i], bounds[i], patch, room)
                if inside:
                    overlaps[g, s], depth[g, s, :] = True, np.nan
                    break
                depth[g, s, i] = deep
                length = math.sqrt(dot(mean, mean))
                if length > 0.0:
                    x = start + sign[i] * deep
                    for axis in range(3):
                        place = pose[axis, 0] * x + pose[axis, 1] * y + pose[axis, 2] * z
                        point[g, s, i, axis] = place + pose[axis, 3] + translation[s, axis]
                        normal[g, s, i, axis] = mean[axis] / length
