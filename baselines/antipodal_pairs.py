"""Pairs: two points of a cloud, drawn at random, and tested for what two jaws could hold between them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from baselines.antipodal_attitude import Attitude
from baselines.antipodal_candidates import rejected
from baselines.cloud import Cloud, DataQuality
from baselines.cloud_orient import propagated
from grasp.gripper import Gripper
from grasp.reasons import Reason
from wrench.antipodal import antipodal_margin
from wrench.contacts import Contacts


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of points (n,), the end for the wide jaw first.

    Parameters
    ----------
    ends : (n,) of 2 contacts, table frame
        Normals into the object.
    curvature : (n, 2) float
        Surface variation about each end.
    radius : (n, 2) float, metres
        Within which the neighbours of each end lie.
    margin : (n, 2) float, radians
        How far the line between the ends lies inside each friction cone (`wrench.antipodal_margin`).
    reason : (n,) uint8
        Code of a `grasp.Reason`; OK where nothing has rejected the pair.
    """

    ends: Contacts
    curvature: NDArray[np.float64]
    radius: NDArray[np.float64]
    margin: NDArray[np.float64]
    reason: NDArray[np.uint8]

    @property
    def line(self) -> NDArray[np.float64]:
        """From the first end to the second, (n, 3) metres."""
        return self.ends.points[:, 1] - self.ends.points[:, 0]

    def span(self, axes: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how far apart the ends are along the closing axes of (n, 3, 3), in metres (n,); 0 where there is none."""
        return np.abs(np.einsum("ni,ni->n", self.line, axes[:, :, 0]))

    @property
    def slope(self) -> NDArray[np.float64]:
        """Angle (n,) in radians between that line and the level; 0 where the ends coincide."""
        return np.arctan2(np.abs(self.line[:, 2]), np.linalg.norm(self.line[:, :2], axis=1))

    def __len__(self) -> int:
        return len(self.reason)


def draw(cloud: Cloud, count: int, data: DataQuality, friction: float, rng: np.random.Generator) -> Pairs:
    """Return pairs of points drawn with equal chances, those rejected that were poorly measured.

    Planes are fitted at the drawn points only. Which side of them is outside, the cloud says, or else their neighbours do
    (`baselines.cloud_orient`).

    Parameters
    ----------
    count
        Number of pairs.
    data
        What counts as well measured.
    friction
        Coulomb coefficient, for the margins.
    """
    chosen = rng.integers(len(cloud), size=(count, 2))
    drawn, place = np.unique(chosen, return_inverse=True)
    patches = cloud.patches(cloud.points[drawn], data.neighbours)
    if cloud.outward is None:
        patches = replace(patches, normal=propagated(cloud.points[drawn], patches.normal))
    place = place.reshape(chosen.shape)
    reason = np.where(patches.good(data)[place].all(1), Reason.OK.code, Reason.POOR_DATA.code).astype(np.uint8)
    ends = Contacts.all_made(cloud.points[chosen], -patches.normal[place])
    margin = antipodal_margin(ends, friction=friction)
    return Pairs(ends, patches.curvature[place], patches.radius[place], margin, reason)


def tested(pairs: Pairs, least_margin: float, attitude: Attitude, gripper: Gripper) -> Pairs:
    """Return the pairs with those rejected that no gripper could hold, each for the first of these reasons.

    NOT_ANTIPODAL: the line leaves a friction cone, or comes nearer than `least_margin` radians to its edge (Nguyen 1988);
    TOO_TILTED: the line or the approach; TOO_WIDE, TOO_NARROW: along the closing axis, the ends are farther apart than the
    gripper opens, or nearer than it closes.
    """
    axes = attitude.axes(pairs.ends)
    span = pairs.span(axes)
    why = {
        Reason.NOT_ANTIPODAL: (pairs.margin <= least_margin).any(1),
        Reason.TOO_TILTED: (pairs.slope > attitude.slope) | attitude.tilted(axes),
        Reason.TOO_WIDE: span > gripper.max_opening,
        Reason.TOO_NARROW: span < gripper.min_opening,
    }
    return replace(pairs, reason=rejected(pairs.reason, why))
