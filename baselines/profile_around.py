"""Around: what becomes of the gripper at heights along a body of revolution.

From the top the fingers are upright and touch the widest part beside them, wherever that is. From the side they lie flat and
touch at their own height.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from baselines.profile_parts import LEVEL, Parts, bodies, fingers, pads
from baselines.profile_places import Needs, Places
from baselines.profile_shape import Band, Profile
from baselines.profile_touch import reach, touch
from grasp.gripper import Gripper
from grasp.reasons import Reason

Gate = tuple[Reason, NDArray[np.float64]]  # and by how much each place (n,) falls short, positive where it does


@dataclass(frozen=True, eq=False)
class Around:
    """What all places on one object share.

    Parameters
    ----------
    profile
        Of the object.
    gripper, needs
        As the planner has them.
    friction
        Coulomb coefficient.
    forbidden
        Heights that no finger may touch or come nearer to than the clearance, not even one that yields by the tolerance.
    """

    profile: Profile
    gripper: Gripper
    needs: Needs
    friction: float
    forbidden: tuple[Band, ...]

    def places(self, approach: str, at: NDArray[np.float64]) -> Places:
        """Return what comes of an approach with the gripper's origin at heights (n,)."""
        faces = pads(self.gripper)
        patch = touch(self.profile, *faces.heights(approach, at), self.needs.give)
        lateral = np.zeros(len(faces.low)) if approach == LEVEL else faces.lateral(approach)
        distance = chord(patch.radius, lateral)
        wide, narrow = (distance[:, side].max(1) for side in self._sides)
        made = np.isfinite(distance) & (distance >= self._of_jaw(wide, narrow) - self.gripper.tolerance)
        opening = np.clip(wide + narrow + 2 * self.needs.margin, self.gripper.min_opening, self.gripper.max_opening)
        start = (approach, at, np.zeros(len(at)), patch, lateral, made, wide, narrow, opening)
        found = Places(*start, Reason.accepted(len(at)), np.zeros(len(at)))
        own, body = fingers(self.gripper, opening), bodies(self.gripper, opening)
        if approach == LEVEL:
            found = replace(found, past=self._past(found, body))
        with np.errstate(invalid="ignore"):  # a pad that misses is infinitely far away, and so is its jaw
            found = found.gated(*self._reach_gates(found, own, body, distance), *self._room_gates(found, own, body))
            return found.gated(*self._hold_gates(found, own))

    @property
    def _sides(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        wide = np.array(self.gripper.is_wide)
        return wide, ~wide

    def _of_jaw(self, wide: NDArray, narrow: NDArray) -> NDArray[np.float64]:
        """Return the value of each pad's jaw, (n, k)."""
        return np.where(self.gripper.is_wide, wide[:, None], narrow[:, None])

    def _outer(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the greatest of values (n, k) over the first and last pad of each jaw: those between lean on them."""
        ends = np.concatenate([np.flatnonzero(side)[[0, -1]] for side in self._sides])
        return values[:, ends].max(1)

    def _reach_gates(self, found: Places, own: Parts, body: Parts, distance: NDArray) -> list[Gate]:
        """Return whether the pads get to the object at all, and how far they must open."""
        low, high = pads(self.gripper).heights(found.approach, found.at)
        lowest = np.concatenate([part.heights(found.approach, found.at)[0] for part in (own, body)], 1).min(1)
        span = self.profile.span
        beside = np.minimum(high, span.high) - np.maximum(low, span.low)
        return [
            (Reason.HITS_TABLE, self.needs.clearance - lowest),
            (Reason.MISSES_HEIGHT, self._outer(self.needs.overlap - beside)),
            (Reason.ONE_SIDED, self._outer(np.abs(found.lateral) - found.patch.radius)),
            (Reason.TOO_WIDE, found.closed + 2 * self.needs.least_margin - self.gripper.max_opening),
            (Reason.TOO_NARROW, self.gripper.min_opening - found.closed),
            (Reason.UNBALANCED, self._outer(self._of_jaw(found.wide, found.narrow) - distance) - self.gripper.tolerance),
        ]

    def _room_gates(self, found: Places, own: Parts, body: Parts) -> list[Gate]:
        """Return whether body and fingers find room beside the object, on arrival and while they close."""
        clearance = self.needs.clearance
        low, high = own.heights(found.approach, found.at)
        faces = self._of_jaw(found.wide, found.narrow)
        start = faces + (found.opening - found.closed)[:, None] / 2
        near = self._beside(own, found, low - clearance, high + clearance)
        lack = self.needs.overlap - found.past if found.approach == LEVEL else self._body_lack(found, body)
        return [
            (Reason.GRIPPER_IN_OBJECT, lack),
            (Reason.APPROACH_BLOCKED, (near - start).max(1)),
            (Reason.CLOSING_BLOCKED, (self._beside(own, found, low, high) - faces).max(1)),
        ]

    def _hold_gates(self, found: Places, own: Parts) -> list[Gate]:
        """Return whether the fingers keep off forbidden heights, and whether the walls lie in the friction cones."""
        low, high = own.heights(found.approach, found.at)
        clearance, least = self.needs.clearance, self._of_jaw(found.wide, found.narrow) - self.gripper.tolerance
        touching = [np.full(len(found), -np.inf)]
        for band in self.forbidden:
            bottom, top = np.maximum(low, band.low - clearance), np.minimum(high, band.high + clearance)
            near = np.where(bottom <= top, self._beside(own, found, bottom, np.maximum(bottom, top)), -np.inf)
            touching.append((near - least).max(1))
        return [
            (Reason.FORBIDDEN_REGION, np.max(touching, axis=0)),
            (Reason.NOT_ANTIPODAL, np.arctan(found.slope) + self.needs.cone_margin - np.arctan(self.friction)),
        ]

    def _beside(self, own: Parts, found: Places, low: NDArray, high: NDArray) -> NDArray[np.float64]:
        """Return how far from the axis, along the closing axis, the object reaches beside each finger, (n, k) metres."""
        return chord(reach(self.profile, low, high), own.lateral(found.approach, found.past[:, None]))

    def _past(self, found: Places, body: Parts) -> NDArray[np.float64]:
        """Return how far fingertips from the side reach past the axis: to the middle of a pad, as far as bodies let them."""
        need = reach(self.profile, *body.heights(LEVEL, found.at)) + self.needs.clearance  # from the axis to the body
        aside = _aside(body, found.shift)
        beside = np.sqrt(np.where(need > aside, need**2 - aside**2, 0))
        most = min(pad.height for pad in self.gripper.pads) / 2
        return np.minimum((-body.high[..., 2] - beside).min(1, initial=np.inf), most)

    def _body_lack(self, found: Places, body: Parts) -> NDArray[np.float64]:
        """Return by how much a body from the top is too low, or too near to the axis where that is less, (n,) metres."""
        low = body.heights(found.approach, found.at)[0] - self.needs.clearance
        near = np.hypot(_aside(body, found.shift), body.lateral(found.approach))
        wider = reach(self.profile, low, np.full_like(low, np.inf)) + self.needs.clearance - near
        return np.minimum(wider, self.profile.span.high - low).max(1, initial=-np.inf)


def chord(radius: NDArray[np.float64], lateral: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return half the chord (*b) of circles at a distance from their middle; -inf where the line passes them by."""
    inside = radius > np.abs(lateral)
    return np.where(inside, np.sqrt(np.where(inside, radius**2 - lateral**2, 0)), -np.inf)


def _aside(body: Parts, shift: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far bodies (n, m) are from the axis along the closing axis, metres; 0 where they span it."""
    offset = shift[:, None]
    return np.maximum(np.maximum(body.low[..., 0] + offset, -body.high[..., 0] - offset), 0)
