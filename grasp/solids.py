"""Solids: the gripper in space at a given opening, as pad faces that touch and boxes that must not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grasp.gripper import Gripper
from grasp.jaw import Pad
from wrench.checks import frozen


@dataclass(frozen=True, eq=False)
class Boxes:
    """Boxes aligned with the gripper frame: fingers in contact order, then bodies.

    Parameters
    ----------
    names
        m names for sentences.
    centre : (*b, m, 3) float, metres, gripper frame
    size : (m, 3) float, metres
        Full edge lengths; they do not depend on the opening.
    """

    names: tuple[str, ...]
    centre: NDArray[np.float64]
    size: NDArray[np.float64]

    def __post_init__(self) -> None:
        object.__setattr__(self, "centre", frozen(self.centre))
        object.__setattr__(self, "size", frozen(self.size))


def closing_sign(gripper: Gripper) -> NDArray[np.float64]:
    """Return which way along x each pad (k,) moves when closing: +1 on the wide jaw, -1 on the narrow one."""
    return np.where(gripper.is_wide, 1.0, -1.0)


def pad_corners(gripper: Gripper, opening: ArrayLike) -> NDArray[np.float64]:
    """Return the corners of the pads' faces.

    Parameters
    ----------
    opening : (*b) float, metres
        Distance between the faces of the two jaws.

    Returns
    -------
    (*b, k, 4, 3) float, metres, gripper frame
        In contact order; around each trapezoid, beginning at the fingertip: tip -y, tip +y, base +y, base -y.
    """
    outline = np.array([_outline(pad) for pad in gripper.pads])  # (k, 4, 2): y, z
    x = _face(gripper, opening)[..., None, None]  # (*b, k, 1, 1)
    return np.concatenate(np.broadcast_arrays(x, outline[..., :1], outline[..., 1:]), -1)


def boxes(gripper: Gripper, opening: ArrayLike) -> Boxes:
    """Return one box per finger, from its pad's face outwards, and the bodies.

    Parameters
    ----------
    opening : (*b) float, metres
    """
    x = _face(gripper, opening) - closing_sign(gripper) * gripper.finger_thickness / 2  # (*b, k)
    offset = np.array([pad.offset for pad in gripper.pads])
    fingers = np.stack(np.broadcast_arrays(x, offset, -gripper.finger_length / 2), -1)  # (*b, k, 3)
    bodies = np.array([body.centre for body in gripper.bodies]).reshape(-1, 3)
    bodies = np.broadcast_to(bodies, (*fingers.shape[:-2], *bodies.shape))
    sizes = [(gripper.finger_thickness, pad.widest, gripper.finger_length) for pad in gripper.pads]
    sizes += [body.size for body in gripper.bodies]
    names = [f"{'wide' if wide else 'narrow'} jaw finger" for wide in gripper.is_wide]
    names += [body.name for body in gripper.bodies]
    return Boxes(tuple(names), np.concatenate([fingers, bodies], -2), np.array(sizes))


def _face(gripper: Gripper, opening: ArrayLike) -> NDArray[np.float64]:
    """Return the x of each pad's face, (*b, k)."""
    return -closing_sign(gripper) * np.asarray(opening, float)[..., None] / 2


def _outline(pad: Pad) -> list[tuple[float, float]]:
    """Return the y, z corners of a trapezoid; the base lies above the tip, towards -z."""
    y, tip, base = pad.offset, pad.width / 2, pad.base_width / 2
    return [(y - tip, 0.0), (y + tip, 0.0), (y + base, -pad.height), (y - base, -pad.height)]
