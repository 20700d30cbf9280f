"""Touch: where each pad meets the surface, when the jaws close along the line of a pair of points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baselines.cloud import Cloud, DataQuality, Patches, facing
from grasp.gripper import Gripper
from grasp.solids import closing_sign
from wrench.contacts import Contacts

ROUNDS = 2  # times the plane under a pad is fitted again where the last one was met; more change nothing on a cylinder
GRAZING = 0.1  # sine of the angle between closing axis and surface below which a pad slides along and does not meet it
EDGE = 0.5  # of the neighbourhood's radius from its middle to the spot; 0.42 on the straight edge of a surface, more beyond


@dataclass(frozen=True, eq=False)
class Touches:
    """What k pads meet, batch (n,).

    Parameters
    ----------
    contacts : (n,) of k contacts, table frame
        Made where the surface was measured well and the fingers comply (`Gripper.tolerance`).
    face : (n, 2) float, metres
        Where the faces of the wide and the narrow jaw stand along the closing axis, from the middle of the pair; at its
        end for a jaw of which no pad touches.
    residual : (n,) float, metres
        Root mean square distance of the surface from the plane, under the worst of the pads that touch; 0 for none.
    """

    contacts: Contacts
    face: NDArray[np.float64]
    residual: NDArray[np.float64]


def touch(cloud: Cloud, ends: Contacts, axes: NDArray[np.float64], gripper: Gripper, data: DataQuality) -> Touches:
    """Return what the pads meet.

    The jaws close along the line between the ends, level with them. The middle of each pad is laid onto the plane of its
    jaw's end, then onto that of the points nearest to there, and again. The narrow pad of the GET gripper so comes to the
    one end, and the pads of its wide jaw to either side of the other.

    Parameters
    ----------
    ends : (n,) of 2 contacts
        The wide jaw's first.
    axes : (n, 3, 3) float
        Gripper axes as columns; x is the direction from the first end to the second.
    data
        What counts as well measured.
    """
    middle, sign = ends.points.mean(1), closing_sign(gripper)
    offset = np.array([pad.offset for pad in gripper.pads])
    base = middle[:, None] + offset[:, None] * axes[:, None, :, 1]  # (n, k, 3)
    closing = np.broadcast_to(axes[:, None, :, 0], base.shape)
    side = np.where(sign > 0, 0, 1)
    x = _meets(base, closing, ends.points[:, side], ends.normals[:, side], data.radius)
    for _ in range(ROUNDS):
        patches = cloud.patches((base + x[..., None] * closing).reshape(-1, 3), data.neighbours)
        x = _meets(base, closing, patches.centre.reshape(base.shape), patches.normal.reshape(base.shape), data.radius)
    spot = base + x[..., None] * closing
    found = _found(spot.reshape(-1, 3), closing.reshape(-1, 3), patches, data).reshape(x.shape)
    made, face = _first(x, found, sign, gripper.tolerance, np.linalg.norm(ends.points[:, 0] - middle, axis=1))
    normal = facing(patches.normal, (sign[:, None] * closing).reshape(-1, 3)).reshape(base.shape)
    residual = np.where(made, patches.residual.reshape(x.shape), 0).max(1)
    return Touches(Contacts(spot, normal, made), face, residual)


def _meets(base: NDArray, closing: NDArray, point: NDArray, normal: NDArray, reach: float) -> NDArray[np.float64]:
    """Return how far (n, k) along lines from `base` planes are met, at the most `reach` from the planes' own points."""
    level, slope = (np.einsum("nki,nki->nk", point - base, a) for a in (closing, normal))
    across = np.einsum("nki,nki->nk", closing, normal)
    met = slope / np.where(np.abs(across) > GRAZING, across, np.inf)
    return np.where(np.abs(across) > GRAZING, np.clip(met, level - reach, level + reach), level)


def _found(spot: NDArray, closing: NDArray, patches: Patches, data: DataQuality) -> NDArray[np.bool_]:
    """Return where a pad's spot (m, 3) lies on a well measured piece of surface that the pad does not slide along."""
    within = np.linalg.norm(spot - patches.centre, axis=1) <= EDGE * patches.radius
    return within & patches.good(data) & (np.abs(np.einsum("mi,mi->m", closing, patches.normal)) > GRAZING)


def _first(x: NDArray, found: NDArray, sign: NDArray, tolerance: float, half: NDArray) -> tuple[NDArray, NDArray]:
    """Return which pads (n, k) touch, at most `tolerance` later than the first of their jaw, and the faces (n, 2)."""
    made, face = np.zeros_like(found), np.empty((len(x), 2))
    for jaw, way in enumerate((1.0, -1.0)):
        own = sign == way
        travel = np.where(found[:, own], way * x[:, own], np.inf)
        first = travel.min(1)
        made[:, own] = travel <= first[:, None] + tolerance if own.any() else False
        made[:, own] &= np.isfinite(travel)
        face[:, jaw] = way * np.where(np.isfinite(first), first, -half)
    return made, face
