"""Place: from pairs of points to a gripper that closes on each, with its contacts, or to the reason why not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baselines.antipodal_attitude import Attitude
from baselines.antipodal_candidates import Candidates, rejected
from baselines.antipodal_pairs import Pairs
from baselines.antipodal_room import Room
from baselines.antipodal_touch import touch
from baselines.cloud import Cloud, DataQuality
from baselines.cloud_scene import SAMPLERS
from get2d.height import Approach
from grasp.clearance import Clearance, check
from grasp.gripper import Gripper
from grasp.reasons import Reason
from grasp.surroundings import Surroundings
from wrench.antipodal import antipodal_margin
from wrench.closure import force_closure
from wrench.contacts import Contacts


@dataclass(frozen=True)
class Placer:
    """How grippers are placed. Its parts are those of `baselines.antipodal.Antipodal`."""

    gripper: Gripper
    friction: float
    margin: float
    data: DataQuality
    attitude: Attitude
    approach: Approach
    room: Room
    clearance: Clearance
    surroundings: Surroundings | None

    def place(self, pairs: Pairs, cloud: Cloud, sampler: str, seen: NDArray[np.float64], tip: float) -> Candidates:
        """Return the candidates of the pairs (n,) of a cloud.

        Pairs that were not rejected are closed on. Then they are, for the first of these reasons: ONE_SIDED: no pad of a jaw
        meets surface that was measured well; NO_CLOSURE: what the pads touch does not hold; TOO_WIDE, TOO_NARROW: the faces
        of the jaws as they touch; HITS_TABLE: less than `overlap` of pad would stand below the contacts; APPROACH_BLOCKED,
        CLOSING_BLOCKED: points are in the way (`Room`); last, those of `grasp.clearance.check`, among known surroundings.

        Parameters
        ----------
        sampler
            Of the pairs.
        seen : (p, 3) float, metres
            All points that may be in the way.
        tip : metres
            Height above the table where fingertips would best be.
        """
        rows = np.flatnonzero(pairs.reason == Reason.OK.code)
        axes, middle = self.attitude.axes(pairs.ends), pairs.ends.points.mean(1)
        met = touch(cloud, pairs.ends[rows], axes[rows], self.gripper, self.data)
        needed = met.face[:, 1] - met.face[:, 0]
        opening = np.clip(needed + 2 * self.approach.margin, 0, self.gripper.max_opening)
        centre = middle[rows] + met.face.mean(1)[:, None] * axes[rows, :, 0]
        depth = self._depth(centre, axes[rows], opening, tip)
        T = _poses(axes[rows], centre + depth[:, None] * axes[rows, :, 2])
        why = {
            Reason.ONE_SIDED: ~self._on_both_sides(met.contacts.made),
            Reason.NO_CLOSURE: ~self._closed(met.contacts),
            Reason.TOO_WIDE: needed > self.gripper.max_opening,
            Reason.TOO_NARROW: (needed < self.gripper.min_opening) | (needed <= 0),
            Reason.HITS_TABLE: depth < self.approach.overlap,
        }
        reason = rejected(np.full(len(rows), Reason.OK.code, np.uint8), why)
        own = self._among(self._clear(reason, seen, T, opening, needed), T, opening, needed)
        return self._spread(pairs, axes, middle, sampler, rows, (T, opening, needed, met.contacts, met.residual, *own))

    def _on_both_sides(self, made: NDArray[np.bool_]) -> NDArray[np.bool_]:
        wide = np.array(self.gripper.is_wide)
        return np.asarray(made[:, wide].any(1) & made[:, ~wide].any(1))

    def _closed(self, contacts: Contacts) -> NDArray[np.bool_]:
        """Return where contacts (n,) hold: two by Nguyen's test, which is closure for soft fingers, more as hard points."""
        wide, row = np.array(self.gripper.is_wide), np.arange(len(contacts))[:, None]
        first = np.stack([(contacts.made & jaw).argmax(1) for jaw in (wide, ~wide)], 1)  # (n, 2), of each jaw
        pair = Contacts(contacts.points[row, first], contacts.normals[row, first], contacts.made[row, first])
        margin = antipodal_margin(pair, friction=self.friction)
        two = contacts.count == 2
        return np.where(two, (margin > self.margin).all(1), force_closure(contacts, friction=self.friction))

    def _depth(self, centre: NDArray, axes: NDArray, opening: NDArray, tip: float) -> NDArray[np.float64]:
        """Return how far (n,) beyond the contacts, along the approach, the fingertips are, metres.

        As deep as would best be, but no less than `overlap` and no more than leaves it, and never below the table clearance.
        """
        gripper, approach = self.gripper, self.approach
        out, down = np.abs(axes[:, 2, :2]), -axes[:, 2, 2]
        across = max(abs(pad.offset) + pad.width / 2 for pad in gripper.pads)
        lower = out[:, 0] * (opening / 2 + gripper.finger_thickness) + out[:, 1] * across  # than the origin is a tip's edge
        best, least = ((centre[:, 2] - height) / down for height in (tip, approach.table_clearance + lower))
        most = min(pad.height for pad in gripper.pads) - approach.overlap
        return np.minimum(np.clip(best, approach.overlap, most), least)

    def _clear(self, reason: NDArray, seen: NDArray, T: NDArray, opening: NDArray, needed: NDArray) -> NDArray[np.uint8]:
        rows = np.flatnonzero(reason == Reason.OK.code)
        arriving, closing = np.zeros(len(reason), bool), np.zeros(len(reason), bool)
        arriving[rows], closing[rows] = self.room.blocked(seen, T[rows], opening[rows], needed[rows], self.gripper)
        return rejected(reason, {Reason.APPROACH_BLOCKED: arriving, Reason.CLOSING_BLOCKED: closing})

    def _among(self, reason: NDArray, T: NDArray, opening: NDArray, needed: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """Return the reasons (n,) among what stands around the object, by how much each clearance is missed, and which."""
        rows, shortfall = np.flatnonzero(reason == Reason.OK.code), np.zeros(len(reason))
        if self.surroundings is None or not len(rows):
            return reason, shortfall, np.full(len(reason), "")
        open_, closed = np.maximum(opening[rows], self.gripper.min_opening), needed[rows]
        cleared = check(self.clearance, self.gripper, T[rows], open_, np.minimum(closed, open_), self.surroundings)
        reason, shortfall[rows] = reason.copy(), cleared.shortfall
        reason[rows] = cleared.reason
        i = cleared.nearest
        return reason, shortfall, np.where(np.arange(len(reason)) == rows[i], cleared.sentence(i), "")

    def _spread(self, pairs: Pairs, axes: NDArray, middle: NDArray, sampler: str, rows: NDArray, own: tuple) -> Candidates:
        """Return candidates of all pairs (n,), those that were closed on in their rows."""
        count, k = len(pairs), len(self.gripper.pads)
        T, opening, needed = _poses(axes, middle), np.zeros(count), pairs.span(axes)
        points, normals, made = np.zeros((count, k, 3)), np.zeros((count, k, 3)), np.zeros((count, k), bool)
        residual, reason, shortfall = np.zeros(count), pairs.reason.copy(), np.zeros(count)
        T[rows], opening[rows], needed[rows], contacts, residual[rows], reason[rows], shortfall[rows], said = own
        lacking = np.full(count, "", said.dtype)
        lacking[rows] = said
        points[rows], normals[rows], made[rows] = contacts.points, contacts.normals, contacts.made
        worst = pairs.curvature.max(1), pairs.radius.max(1)
        told = shortfall, lacking, np.full(count, SAMPLERS.index(sampler)), reason
        contacts = Contacts(points, normals, made)
        return Candidates(T, opening, needed, contacts, pairs.margin, pairs.slope, *worst, residual, *told)


def _poses(axes: NDArray[np.float64], origin: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return poses (n, 4, 4) of axes as columns (n, 3, 3) at origins (n, 3)."""
    T = np.zeros((len(axes), 4, 4))
    T[:, :3, :3], T[:, :3, 3], T[:, 3, 3] = axes, origin, 1
    return T
