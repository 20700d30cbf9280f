"""Sweeps: what a gripper occupies as it arrives, on its way in, and while it closes, as boxes of the gripper frame.

It comes straight along its approach axis and its jaws close along its closing axis, so what a box sweeps is a longer box and
no motion is sampled. Where the fingertips advance as they close, the box that encloses their arc stands for it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grasp.frames import transform_points
from grasp.gripper import Gripper
from grasp.linkage import advance, greatest_advance
from grasp.solids import boxes, closing_sign
from wrench.checks import frozen


@dataclass(frozen=True, eq=False)
class Sweep:
    """Boxes aligned with the gripper frame, whose origin is where the fingertips are as the gripper arrives.

    Parameters
    ----------
    names
        m names for sentences.
    low, high : (*b, m, 3) float, metres, gripper frame
        Corners.
    closing : (m,) float
        Which way along x the part moves when the gripper closes: +1, -1, or 0 for what stands still.
    """

    names: tuple[str, ...]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    closing: NDArray[np.float64]

    def __post_init__(self) -> None:
        for name in ("low", "high", "closing"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    def corners(self, T_table_gripper: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the corners (*b, m, 8, 3), metres, table frame, of boxes at poses (*b, 4, 4); x varies slowest."""
        own = np.stack([np.where(pick, self.high, self.low) for pick in np.ndindex(2, 2, 2)], -2)
        flat = own.reshape(*own.shape[:-3], 8 * len(self.names), 3)
        return transform_points(T_table_gripper, flat).reshape(own.shape)


def arriving(gripper: Gripper, opening: ArrayLike) -> Sweep:
    """Return what the gripper occupies at an opening (*b) in metres: fingers, what else moves with the jaws, bodies."""
    opening = np.asarray(opening, float)
    found, k = boxes(gripper, opening), len(gripper.pads)
    side = np.sign([body.centre[0] for body in gripper.jaw_bodies])  # -1 with the wide jaw
    jaw_bodies = _centres(gripper.jaw_bodies) + opening[..., None, None] / 2 * side[:, None] * [1.0, 0, 0]
    bodies = found.centre[..., k:, :] - advance(gripper, opening)[..., None, None] * [0, 0, 1.0]
    centre = np.concatenate([found.centre[..., :k, :], jaw_bodies, bodies], -2)
    size = np.concatenate([found.size[:k], _sizes(gripper.jaw_bodies), found.size[k:]])
    names = (*found.names[:k], *(body.name for body in gripper.jaw_bodies), *found.names[k:])
    moves = np.concatenate([closing_sign(gripper), -side, np.zeros(len(gripper.bodies))])
    return Sweep(names, centre - size / 2, centre + size / 2, moves)


def approaching(gripper: Gripper, opening: ArrayLike, stand_off: float) -> Sweep:
    """Return what the gripper sweeps on its way in at an opening (*b), from `stand_off` metres back along the approach."""
    arrived = arriving(gripper, opening)
    return Sweep(arrived.names, arrived.low - [0, 0, stand_off], arrived.high, arrived.closing)


def closing(gripper: Gripper, opening: ArrayLike, closed_opening: ArrayLike) -> Sweep:
    """Return what its moving parts sweep from an opening (*b) to the one (*b) at which they hold the object, in metres.

    The pads advance along the approach as `grasp.linkage` says; each jaw moves by half of the difference.
    """
    opening, closed_opening = np.asarray(opening, float), np.asarray(closed_opening, float)
    arrived = arriving(gripper, opening)
    moves = arrived.closing != 0
    sign = arrived.closing[moves]
    along = (opening - closed_opening)[..., None] / 2 * sign  # (*b, m)
    deepest = greatest_advance(gripper, opening, closed_opening)[..., None]
    back = np.minimum(advance(gripper, closed_opening) - advance(gripper, opening), 0)[..., None]  # beyond the top of an arc
    low = arrived.low[..., moves, :] + np.stack(np.broadcast_arrays(np.minimum(along, 0), 0.0, back), -1)
    high = arrived.high[..., moves, :] + np.stack(np.broadcast_arrays(np.maximum(along, 0), 0.0, deepest), -1)
    names = tuple(name for name, moving in zip(arrived.names, moves, strict=True) if moving)
    return Sweep(names, low, high, sign)


def _centres(parts: tuple) -> NDArray[np.float64]:
    return np.array([part.centre for part in parts]).reshape(-1, 3)


def _sizes(parts: tuple) -> NDArray[np.float64]:
    return np.array([part.size for part in parts]).reshape(-1, 3)
