"""Proposals: poses drawn, balanced, checked for room, and closed, one batch after the other until enough are accepted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from get3d.balance import balance
from get3d.bvh import Bvh
from get3d.candidates import Candidates, concatenate
from get3d.close import MISSES, OVERLAP, PASSES, close, jaws_travel
from get3d.collide import Room, approaching, arriving, blocked, closing, lowest
from get3d.faces import SteepFaces
from get3d.pads import Pads
from get3d.samplers import Poses, Sampling, draw
from grasp.gripper import Gripper
from grasp.mesh import Mesh
from grasp.reasons import Reason
from wrench.checks import require_positive

BATCH = 1024  # poses drawn at a time; part of what a seed means
NO_DRAW = np.zeros((1, 3))


@dataclass(frozen=True)
class Balance:
    """When to stop balancing.

    Parameters
    ----------
    tolerance : metres
        Difference in travel of the wide jaw's outer pads that is good enough.
    iterations
        Sweeps of the wide jaw at the most.
    """

    tolerance: float
    iterations: int

    def __post_init__(self) -> None:
        require_positive("balance.tolerance", self.tolerance, "m")
        require_positive("balance.iterations", self.iterations)


@dataclass(frozen=True, eq=False)
class Proposer:
    """What poses are proposed with: the object, the gripper and the rules.

    Parameters
    ----------
    mesh
        In its pose on the table.
    bvh
        Of the mesh.
    gripper, sampling, balance, room
        As the planner has them.
    patch : metres
        Depth of a contact patch.
    """

    mesh: Mesh
    bvh: Bvh
    gripper: Gripper
    sampling: Sampling
    balance: Balance
    room: Room
    patch: float

    def until_enough(self, rng: np.random.Generator) -> Candidates:
        """Return all candidates that were drawn until `sampling.candidates` were accepted or the tries ran out.

        Of the last batch, those after the last one wanted are left out; a mesh without a steep face has no candidates.
        """
        faces = SteepFaces.of(self.mesh, self.sampling.face_tilt)
        parts, accepted, left = [self.batch(faces, 0, rng)], 0, self.sampling.candidates * self.sampling.tries
        while len(faces) and left > 0 and accepted < self.sampling.candidates:
            part = self.batch(faces, min(BATCH, left), rng)
            enough = np.flatnonzero(part.accepted)[: self.sampling.candidates - accepted]
            accepted, left = accepted + len(enough), left - len(part)
            parts.append(part[: enough[-1] + 1] if accepted == self.sampling.candidates else part)
        return concatenate(parts)

    def batch(self, faces: SteepFaces, n: int, rng: np.random.Generator) -> Candidates:
        """Return n candidates."""
        poses = draw(faces, self.bvh, self.gripper, self.sampling, self.room.table_clearance, n, rng)
        return self.checked(poses)

    def checked(self, poses: Poses) -> Candidates:
        """Return poses balanced, checked and closed, each with the first reason that met it."""
        pads = Pads.of(self.gripper)
        fits = poses.opening > 0
        settled = balance(
            self.bvh,
            pads,
            poses.T_table_gripper,
            poses.opening,
            tolerance=self.balance.tolerance,
            iterations=self.balance.iterations,
            patch=self.patch,
            skip=~fits,
        )
        T, opening = settled.T_table_gripper, poses.opening
        shut = close(
            self.bvh,
            pads,
            T,
            opening,
            min_opening=self.gripper.min_opening,
            tolerance=self.gripper.tolerance,
            patch=self.patch,
            translation=NO_DRAW,
            skip=~fits,
        )
        outcome = shut.outcome[:, 0]
        found = Candidates(
            T, opening, poses.needed, settled.imbalance, settled.iterations, shut.contacts[:, 0], Reason.accepted(len(poses))
        )
        found = found.reject(~np.isfinite(poses.needed), Reason.ONE_SIDED).reject(~fits, Reason.TOO_WIDE)
        found = found.reject(~(settled.imbalance < self.balance.tolerance), Reason.UNBALANCED)
        for code, reason in ((OVERLAP, Reason.OVERLAPS), (MISSES, Reason.ONE_SIDED), (PASSES, Reason.TOO_NARROW)):
            found = found.reject(outcome == code, reason)
        return self._with_room(found, jaws_travel(shut.travel[:, 0], pads.wide))

    def _with_room(self, found: Candidates, travel: np.ndarray) -> Candidates:
        """Return the candidates with those rejected whose gripper meets the table or the object."""
        rows = np.flatnonzero(found.accepted)
        T = found.T_table_gripper[rows]
        low, high = arriving(self.gripper, found.opening[rows])
        shut = closing(self.gripper, low, high, travel[rows])
        checks = {
            Reason.HITS_TABLE: np.minimum(lowest(T, low, high), lowest(T, *shut)) < self.room.table_clearance - 1e-9,
            Reason.GRIPPER_IN_OBJECT: blocked(self.bvh, T, low, high, self.room.slack),
            Reason.APPROACH_BLOCKED: blocked(self.bvh, T, *approaching(low, high, self.room.stand_off), self.room.slack),
            Reason.CLOSING_BLOCKED: blocked(self.bvh, T, *shut, self.room.slack),
        }
        for reason, hit in checks.items():
            where = np.zeros(len(found), bool)
            where[rows] = hit
            found = found.reject(where, reason)
        return found
