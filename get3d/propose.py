"""Proposals: poses drawn, balanced, checked for room, and closed, one batch after the other until enough are accepted."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

import numpy as np
from numpy.typing import NDArray

from get3d.balance import balance
from get3d.bvh import Bvh
from get3d.candidates import Candidates, concatenate, no_contacts, scattered
from get3d.close import MISSES, OVERLAP, PASSES, close
from get3d.collide import Room, approaching, arriving, blocked, closing, lowest
from get3d.faces import SteepFaces
from get3d.pads import Pads
from get3d.samplers import Poses, Sampling, draw
from get3d.touch import Touch
from grasp.clearance import Clearance, check
from grasp.gripper import Gripper
from grasp.mesh import Mesh
from grasp.reasons import Reason
from grasp.surroundings import Surroundings
from wrench.checks import require_positive

BATCH = 1024  # poses drawn at a time at the most
ROUNDING = 1e-9  # metres by which a height may fall short of the clearance


@dataclass(frozen=True)
class Balance:
    """When to stop balancing.

    Parameters
    ----------
    tolerance : metres
        Difference in travel of the wide jaw's outer pads that is good enough.
    iterations
        Touches of the wide jaw at the most.
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
    touch
        How first touches are found on it.
    gripper, sampling, balance, room, clearance
        As the planner has them.
    surroundings
        What stands around the object; None where nothing is known, and no clearance is looked at.
    """

    mesh: Mesh
    bvh: Bvh
    touch: Touch
    gripper: Gripper
    sampling: Sampling
    balance: Balance
    room: Room
    clearance: Clearance
    surroundings: Surroundings | None

    def until_enough(self, rng: np.random.Generator) -> Candidates:
        """Return all candidates that were drawn until `sampling.candidates` were accepted or the tries ran out.

        Those after the last one wanted are left out, so it does not matter in which batches they were drawn. A mesh
        without a steep face has no candidates.
        """
        faces, wanted = SteepFaces.of(self.mesh, self.sampling.face_tilt), self.sampling.candidates
        parts, accepted, drawn = [self.batch(faces, 0, rng)], 0, 0
        while len(faces) and drawn < wanted * self.sampling.tries and accepted < wanted:
            likely = int(1.1 * (wanted - accepted) * (drawn + 1) / (accepted + 1)) + 32  # enough, from the yield so far
            part = self.batch(faces, min(likely, BATCH, wanted * self.sampling.tries - drawn), rng)
            enough = np.flatnonzero(part.accepted)[: wanted - accepted]
            accepted, drawn = accepted + len(enough), drawn + len(part)
            parts.append(part[: enough[-1] + 1] if accepted == wanted else part)
        return concatenate(parts)

    def batch(self, faces: SteepFaces, n: int, rng: np.random.Generator) -> Candidates:
        """Return n candidates."""
        poses = draw(faces, self.bvh, self.gripper, self.sampling, self.room.table_clearance, n, rng)
        return self.checked(poses)

    def checked(self, poses: Poses) -> Candidates:
        """Return poses balanced, checked and closed, each with the first reason that met it."""
        n = len(poses)
        none, still = no_contacts(n, len(self.gripper.pads)), (np.full(n, np.inf), np.zeros(n, np.int64))
        start = (poses.T_table_gripper, poses.opening, poses.needed, *still, none)
        found = Candidates(*start, Reason.accepted(n), np.zeros(n), np.full(n, ""))
        found = found.reject(~np.isfinite(poses.needed), Reason.ONE_SIDED).reject(poses.opening <= 0, Reason.TOO_WIDE)
        found = self._above_table(self._balanced(self._above_table(found)))
        found, travel = self._closed(found)
        return self._among_surroundings(self._with_room(found, travel), travel)

    def _above_table(self, found: Candidates) -> Candidates:
        """Return the candidates with those rejected whose open gripper comes too near to the table."""
        rows = np.flatnonzero(found.accepted)
        height = lowest(found.T_table_gripper[rows], *arriving(self.gripper, found.opening[rows]))
        return found.reject(rows[height < self.room.table_clearance - ROUNDING], Reason.HITS_TABLE)

    def _balanced(self, found: Candidates) -> Candidates:
        """Return the candidates balanced, with those rejected that cannot be."""
        rows, rule = np.flatnonzero(found.accepted), asdict(self.balance)
        T, imbalance, iterations = np.array(found.T_table_gripper), np.array(found.imbalance), np.array(found.iterations)
        settled = balance(self.touch, Pads.of(self.gripper), T[rows], found.opening[rows], **rule)
        T[rows], imbalance[rows], iterations[rows] = settled.T_table_gripper, settled.imbalance, settled.iterations
        found = replace(found, T_table_gripper=T, imbalance=imbalance, iterations=iterations)
        return found.reject(imbalance >= self.balance.tolerance, Reason.UNBALANCED)

    def _closed(self, found: Candidates) -> tuple[Candidates, NDArray[np.float64]]:
        """Return the candidates closed, with those rejected that do not grip, and the travel of the jaws (n, 2)."""
        rows = np.flatnonzero(found.accepted)
        shut = close(
            self.touch,
            Pads.of(self.gripper),
            found.T_table_gripper[rows],
            found.opening[rows],
            min_opening=self.gripper.min_opening,
            tolerance=self.gripper.tolerance,
        )
        travel, outcome = np.zeros((len(found), 2)), shut.outcome[:, 0]
        travel[rows] = shut.travel[:, 0]
        found = replace(found, contacts=scattered(shut.contacts[:, 0], rows, len(found)))
        for code, reason in ((OVERLAP, Reason.OVERLAPS), (MISSES, Reason.ONE_SIDED), (PASSES, Reason.TOO_NARROW)):
            found = found.reject(rows[outcome == code], reason)
        return found, travel

    def _with_room(self, found: Candidates, travel: NDArray[np.float64]) -> Candidates:
        """Return the candidates with those rejected whose gripper meets the table or the object on its way."""
        rows = np.flatnonzero(found.accepted)
        T, (low, high) = found.T_table_gripper[rows], arriving(self.gripper, found.opening[rows])
        shut = closing(self.gripper, low, high, travel[rows])
        inside = blocked(self.bvh, T, *approaching(low, high, self.room.stand_off), self.room.slack)
        at_rest = np.flatnonzero(inside)  # the boxes of the way in hold those of its end
        at_rest = at_rest[blocked(self.bvh, T[at_rest], low[at_rest], high[at_rest], self.room.slack)]
        found = found.reject(rows[lowest(T, *shut) < self.room.table_clearance - ROUNDING], Reason.HITS_TABLE)
        found = found.reject(rows[at_rest], Reason.GRIPPER_IN_OBJECT).reject(rows[inside], Reason.APPROACH_BLOCKED)
        return found.reject(rows[blocked(self.bvh, T, *shut, self.room.slack)], Reason.CLOSING_BLOCKED)

    def _among_surroundings(self, found: Candidates, travel: NDArray[np.float64]) -> Candidates:
        """Return the candidates with those rejected whose gripper lacks room among what stands around the object."""
        rows = np.flatnonzero(found.accepted)
        if self.surroundings is None or not len(rows):
            return found
        opening = np.clip(found.opening[rows], self.gripper.min_opening, self.gripper.max_opening)  # of rounding
        closed = np.clip(opening - travel[rows].sum(1), self.gripper.min_opening, opening)
        poses = found.T_table_gripper[rows]
        cleared = check(self.clearance, self.gripper, poses, opening, closed, self.surroundings)
        reason, shortfall = np.array(found.reason), np.array(found.shortfall)
        reason[rows], shortfall[rows] = cleared.reason, cleared.shortfall
        i = cleared.nearest
        lacking = np.where(np.arange(len(found)) == rows[i], cleared.sentence(i), "")
        return replace(found, reason=reason, shortfall=shortfall, lacking=lacking)
