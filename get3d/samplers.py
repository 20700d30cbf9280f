"""Samplers: poses whose wide jaw lies square on a random face (paper, section VI)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from get3d.bvh import Bvh
from get3d.crossings import crossings
from get3d.faces import SteepFaces
from grasp.gripper import Gripper
from wrench.checks import frozen, require_at_least
from wrench.errors import InvalidValue

SURFACE = 1e-6  # metres: a line that leaves the sampled point crosses its own face within this distance


@dataclass(frozen=True)
class Sampling:
    """How poses are drawn.

    Parameters
    ----------
    candidates
        Accepted poses to reach.
    tries
        Poses drawn at the most, as a multiple of `candidates`.
    face_tilt : radians
        Greatest angle between a sampled face and the vertical.
    roll : radians
        Greatest rotation about the closing axis.
    margin : metres
        That each jaw starts off its contact, as far as opening and free space allow.
    """

    candidates: int
    tries: int
    face_tilt: float
    roll: float
    margin: float

    def __post_init__(self) -> None:
        for field in ("candidates", "tries"):
            if int(getattr(self, field)) < 1:
                raise InvalidValue(f"sampling.{field}", getattr(self, field), "at least 1")
        for field, unit in (("face_tilt", "rad"), ("roll", "rad"), ("margin", "m")):
            require_at_least(f"sampling.{field}", getattr(self, field), 0, unit)


@dataclass(frozen=True, eq=False)
class Poses:
    """Poses as they were drawn.

    Parameters
    ----------
    T_table_gripper : (n, 4, 4) float
    opening : (n,) float, metres
        Between the pad faces as the gripper arrives; 0 where it does not fit.
    needed : (n,) float, metres
        Thickness of the material between the jaws along the line through the sampled point; inf where there is none.
    """

    T_table_gripper: NDArray[np.float64]
    opening: NDArray[np.float64]
    needed: NDArray[np.float64]

    def __post_init__(self) -> None:
        for field in ("T_table_gripper", "opening", "needed"):
            object.__setattr__(self, field, frozen(getattr(self, field)))

    def __len__(self) -> int:
        return len(self.opening)


def draw(
    faces: SteepFaces, bvh: Bvh, gripper: Gripper, sampling: Sampling, lowest: float, n: int, rng: np.random.Generator
) -> Poses:
    """Draw n poses.

    A face by area and a point on it; the wide jaw square to the face with its middle at the point; the approach axis as
    far down as that allows, then rolled about the closing axis; the fingertips at a height between the table and the point,
    no further below it than the pads are long.
    The narrow jaw stands in the free space behind a wall of material that a line through the point passes: the outer side
    of the object, a notch, or a hole. Where several are within the opening, one is drawn.

    Parameters
    ----------
    lowest : metres
        Least height of the fingertips above the table.
    """
    u = rng.random((n, 6))  # three for the point, roll, height, wall
    point, normal = faces.at(u[:, :3])
    x = -normal
    z = _roll(_down(x), x, (2 * u[:, 3] - 1) * sampling.roll)
    deepest = np.maximum(lowest, point[:, 2] - min(pad.height for pad in gripper.pads))  # or the pads miss the point
    height = deepest + u[:, 4] * np.maximum(point[:, 2] - deepest, 0)
    along = (point[:, 2] - height) / np.maximum(-z[:, 2], 1e-9)  # of the approach axis, from the point to the fingertips
    wide_gap, wall, narrow_gap = _walls(crossings(bvh, point, x), gripper, u[:, 5])
    fits = np.isfinite(wall)
    thick = np.where(fits, wall, 0.0)
    back_wide = np.minimum(sampling.margin, np.maximum((wide_gap - gripper.finger_thickness) / 2, 0))
    back_narrow = np.minimum(sampling.margin, np.maximum((narrow_gap - gripper.finger_thickness) / 2, 0))
    spare = np.maximum(gripper.max_opening - thick, 0)
    back_wide = np.minimum(back_wide, np.maximum(spare / 2, spare - back_narrow))
    back_narrow = np.minimum(back_narrow, spare - back_wide)
    T = np.tile(np.eye(4), (n, 1, 1))
    T[:, :3, 0], T[:, :3, 1], T[:, :3, 2] = x, np.cross(z, x), z
    T[:, :3, 3] = point + along[:, None] * z + ((thick + back_narrow - back_wide) / 2)[:, None] * x
    room = fits & (thick <= gripper.max_opening)
    return Poses(T, np.where(room, thick + back_wide + back_narrow, 0.0), wall)


def _down(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the unit vectors (n, 3) square to x that point down the most."""
    down = np.array([0.0, 0.0, -1.0]) + x[:, 2:] * x
    return down / np.linalg.norm(down, axis=-1, keepdims=True)


def _roll(z: NDArray[np.float64], x: NDArray[np.float64], angle: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return z (n, 3) turned about the unit vectors x square to it."""
    return np.cos(angle)[:, None] * z + np.sin(angle)[:, None] * np.cross(x, z)


def _walls(
    crossing: NDArray[np.float64], gripper: Gripper, choice: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the free space before the point, the wall behind it that was chosen, and the free space behind that.

    Walls end where a line that entered the material at the point leaves it: at its first crossing, its third, and so on.
    Those within the opening, with room for a finger behind them, are chosen from by `choice` (n,) in [0, 1); where there are
    none, the thinnest wall with room stands for them, inf where no wall has any.
    """
    ahead = np.where(crossing > SURFACE, crossing, np.inf)
    ahead.sort(axis=1)
    before = np.where(crossing < -SURFACE, -crossing, np.inf).min(1)
    leave, enter = ahead[:, 0::2], ahead[:, 1::2]
    with np.errstate(invalid="ignore"):  # inf - inf beyond the last crossing
        gap = enter - leave
    roomy = np.isfinite(leave) & (gap > gripper.finger_thickness)
    within = roomy & (leave <= gripper.max_opening)
    rank = np.cumsum(within, 1) - 1
    chosen = within & (rank == np.floor(choice * within.sum(1))[:, None])
    pick = np.where(within.any(1), chosen.argmax(1), roomy.argmax(1))
    rows = np.arange(len(crossing))
    found = roomy[rows, pick]
    return before, np.where(found, leave[rows, pick], np.inf), np.where(found, gap[rows, pick], 0.0)
