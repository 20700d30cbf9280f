"""The common judge: one scale for the grasps of every planner, on the true mesh, with GET-3D's contacts and collisions.

The gripper closes at the planned pose from the planned opening, then again displaced, by the same draws for every planner.
Contacts are hard points: two of them never close in space (they let the object turn about the line through them), so two
narrow jaws never do. A pad wider than a fingertip is judged as a row of strips, as the planar planners see it.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from get3d.bvh import Bvh
from get3d.close import MISSES, OVERLAP, PASSES, Closing, close
from get3d.collide import Room, approaching, arriving, blocked, closing, lowest
from get3d.pads import Pads
from get3d.touch import Sweep
from grasp.gripper import Gripper
from grasp.jaw import Jaw, Pad
from grasp.judge import Judge
from grasp.plan import Grasp
from grasp.reasons import Reason
from grasp.strict import number
from objects.solid import Solid
from wrench.contacts import Contacts
from wrench.convention import Convention
from wrench.errors import InvalidValue
from wrench.reference import Origin, TorqueScale
from wrench.robust import Perturbation, wilson

WHY = {MISSES: Reason.ONE_SIDED, PASSES: Reason.TOO_NARROW}
ROUNDING = 1e-9  # metres by which a height may fall short of the clearance


@dataclass(frozen=True)
class CommonJudge:
    """How every planner's grasps are judged. The numbers stand in ``conf/judge``.

    Parameters
    ----------
    quality
        Friction and conventions; a round cone.
    perturbation
        Translations of the gripper.
    room
        Free space the gripper needs.
    patch : metres
        Depth of a contact patch.
    edges
        Of the pyramids within and around the round cones, for more than three contacts.
    """

    quality: Judge
    perturbation: Perturbation
    room: Room
    patch: float
    edges: int

    def __post_init__(self) -> None:
        draws = asdict(self.perturbation)
        for name in ("rotation", "friction", "origin"):
            if number(f"judge.perturbation.{name}", draws[name]):
                raise InvalidValue(f"judge.perturbation.{name}", draws[name], "0: this judge displaces the gripper only")
        if self.quality.cone != "exact":
            raise InvalidValue("judge.quality.cone", self.quality.cone, '"exact"')
        Convention.of(self.quality.convention, self.edges)

    def score(self, grasp: Grasp, gripper: Gripper, solid: Solid, rng: np.random.Generator) -> dict[str, Any]:
        """Return the `judge_` columns of a row (`experiments.schema_rows`).

        Parameters
        ----------
        grasp
            Of which only pose and opening are looked at.
        gripper
            That it is for.
        solid
            The true object, table frame.
        rng
            Fresh generator, the same for all that is to be compared.
        """
        bvh, draws = Bvh.of(solid.vertices, solid.faces), self.perturbation.draws(rng, dimension=3)
        shut = self._closed(bvh, grasp, gripper, np.concatenate([np.zeros((1, 3)), draws.translation]))
        origin, scale = self.quality.reference(solid)
        closed, low, high = self._worth(shut.contacts[0], origin, scale)
        reason, count = self._reason(bvh, grasp, gripper, shut), int(closed[1:].sum())
        interval = wilson(count, len(draws), self.quality.confidence)
        return {
            "judge_reason": reason.value,
            "judge_holds": bool(reason is Reason.OK and closed[0]),
            "judge_closed": count,
            "judge_draws": len(draws),
            "judge_closure_rate": count / len(draws),
            "judge_closure_rate_lower": float(interval[0]),
            "judge_closure_rate_upper": float(interval[1]),
            "judge_mean_contacts": float(shut.contacts.count[0, 1:].mean()),
            "judge_mean_epsilon": float(low[1:].mean()),
            "judge_contacts": int(shut.contacts.count[0, 0]),
            "judge_epsilon": float(low[0]),
            "judge_epsilon_upper": high,
            "judge_convention": Convention.of(self.quality.convention, self.quality.cone).name,
            "judge_friction": self.quality.friction,
            "judge_torque_scale_m": float(scale.metres),
            "judge_sigma_m": float(self.perturbation.sigma),
        }

    def _closed(self, bvh: Bvh, grasp: Grasp, gripper: Gripper, translation: NDArray[np.float64]) -> Closing:
        """Return the closing of the grasp, batch (1, s), undisplaced first."""
        return close(
            Sweep(bvh, self.patch),
            Pads.of(stripes(gripper)),
            grasp.T_table_gripper[None],
            np.array([grasp.opening]),
            min_opening=gripper.min_opening,
            tolerance=gripper.tolerance,
            translation=translation,
        )

    def _worth(self, contacts: Contacts, origin: Origin, scale: TorqueScale) -> tuple[NDArray, NDArray, float]:
        """Return closure (s,), epsilon from below (s,), and from above for the first; of many contacts, by pyramids."""
        few = contacts.count <= 3
        closed, low = np.zeros(len(contacts), bool), np.zeros(len(contacts))
        exact, within = self.quality.quality(contacts[few], origin, scale), self._pyramids("inscribed")
        closed[few], low[few] = exact.closure, exact.epsilon
        many = within.quality(contacts[~few], origin, scale)
        closed[~few], low[~few] = many.closure, many.epsilon
        around = self.quality if few[0] else self._pyramids("circumscribed")
        return closed, low, float(around.quality(contacts[:1], origin, scale).epsilon_upper[0])

    def _pyramids(self, kind: str) -> Judge:
        return replace(self.quality, cone=f"{kind}:{self.edges}")

    def _reason(self, bvh: Bvh, grasp: Grasp, gripper: Gripper, shut: Closing) -> Reason:
        """Return why the undisplaced grasp cannot be carried out, or OK: the first that would happen."""
        T, (low, high) = grasp.T_table_gripper[None], arriving(gripper, np.array([grasp.opening]))
        slack, outcome = self.room.slack, int(shut.outcome[0, 0])
        if lowest(T, low, high)[0] < self.room.table_clearance - ROUNDING:
            return Reason.HITS_TABLE
        if outcome == OVERLAP:
            return Reason.OVERLAPS
        if blocked(bvh, T, low, high, slack)[0]:
            return Reason.GRIPPER_IN_OBJECT
        if blocked(bvh, T, *approaching(low, high, self.room.stand_off), slack)[0]:
            return Reason.APPROACH_BLOCKED
        if outcome in WHY:
            return WHY[outcome]
        swept = closing(gripper, low, high, shut.travel[:, 0])
        if lowest(T, *swept)[0] < self.room.table_clearance - ROUNDING:
            return Reason.HITS_TABLE
        return Reason.CLOSING_BLOCKED if blocked(bvh, T, *swept, slack)[0] else Reason.OK


def stripes(gripper: Gripper) -> Gripper:
    """Return a gripper whose pads wider than a fingertip are cut into equal strips no wider than one.

    One contact per pad would let a wide flat jaw touch at one point. Strips are straight, as wide as their share of the
    fingertip (`grasp.circles` does the same in the plane).
    """
    return replace(gripper, wide=_cut(gripper.wide, gripper), narrow=_cut(gripper.narrow, gripper))


def _cut(jaw: Jaw, gripper: Gripper) -> Jaw:
    strips: list[Pad] = []
    for pad in jaw.pads:
        n = math.ceil(pad.width / gripper.circle_diameter - 1e-9)  # rounding must not add a strip to a whole multiple
        if n <= 1:
            strips.append(pad)
            continue
        places, width = pad.offset + (np.arange(n) - (n - 1) / 2) * pad.width / n, pad.width / n
        strips += [replace(pad, offset=float(y), width=width, base_width=width) for y in places]
    return Jaw(tuple(strips))
