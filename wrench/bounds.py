"""Bounds of a grip: friction asks for enough, the object and the gripper allow only so much. Nothing is ever clamped.

An answer is a value: the force to command, or the bound that cannot be met with both numbers. Lowering the force to a
cap and lifting anyway would turn a clear refusal into a dropped or broken object.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from wrench.checks import refuse_first, require_at_least
from wrench.errors import InvalidValue


class Bound(StrEnum):
    """Which bound a load or a grip force breaks."""

    FRICTION = "friction"  #: no grip force resists the load
    DAMAGE = "damage"  #: the grip that friction needs damages the object
    GRIP_MAX = "grip_max"  #: the gripper cannot press as hard as friction needs
    GRIP_MIN = "grip_min"  #: the gripper cannot press as lightly as the object needs
    FORCE = "force"  #: the external force is too much for the fingers
    MOMENT = "moment"  #: the external moment is too much for the fingers


_SENTENCES = {
    Bound.FRICTION: "the load needs {value} N of grip: no grip force resists it, let alone the {limit} N allowed",
    Bound.DAMAGE: "the load needs {value} N of grip, more than the {limit} N at which the object is damaged",
    Bound.GRIP_MAX: "the load needs {value} N of grip, more than the {limit} N the gripper can give",
    Bound.GRIP_MIN: "the gripper's least grip is {value} N, more than the {limit} N at which the object is damaged",
    Bound.FORCE: "the external force is {value} N, more than the {limit} N the gripper's fingers may carry",
    Bound.MOMENT: "the external moment is {value} N m, more than the {limit} N m the gripper's fingers may carry",
}


@dataclass(frozen=True)
class Shortfall:
    """A bound that cannot be met.

    Parameters
    ----------
    bound
        Which one.
    value, limit : newtons, or newton metres under `Bound.MOMENT`
        What was asked for and what is allowed.
    """

    bound: Bound
    value: float
    limit: float

    @property
    def sentence(self) -> str:
        """What a user should read: both numbers and the bound."""
        return _SENTENCES[self.bound].format(value=f"{self.value:.6g}", limit=f"{self.limit:.6g}")


@dataclass(frozen=True)
class GripForce:
    """A grip force within all bounds: required <= command, grip_min <= command <= damage_cap and grip_max.

    Parameters
    ----------
    command, required, damage_cap, grip_min, grip_max : newtons
        `command` is the least force the gripper can give that is not below `required`.
    """

    command: float
    required: float
    damage_cap: float
    grip_min: float
    grip_max: float


@dataclass(frozen=True)
class LoadWithin:
    """An external load within the gripper's limits, with the share of each limit that it uses, 0 to 1."""

    force_share: float
    moment_share: float


def grip_within(required: float, *, damage_cap: float, grip_min: float, grip_max: float) -> GripForce | Shortfall:
    """Return the force to command, or the bound in the way.

    Parameters
    ----------
    required : newtons
        Grip force that friction asks for, safety included; infinite where no force suffices (`wrench.squeeze`).
    damage_cap : newtons
        Grip force at which the object is damaged; infinite for an object that cannot be.
    grip_min, grip_max : newtons
        Range of the gripper.

    Returns
    -------
    GripForce or Shortfall
        Where `required` exceeds both the damage cap and the gripper's greatest force, the lower of them is named.

    Raises
    ------
    InvalidValue
        A force that is negative or NaN, or grip_max below grip_min.
    """
    for field, value in {"required": required, "damage_cap": damage_cap}.items():
        if not value >= 0:
            raise InvalidValue(field, value, "at least 0 N")
    require_at_least("grip_min", grip_min, 0, "N")
    require_at_least("grip_max", grip_max, grip_min, "N (grip_min)")
    if np.isinf(required):
        return Shortfall(Bound.FRICTION, required, min(damage_cap, grip_max))
    if required > min(damage_cap, grip_max):
        bound = Bound.DAMAGE if damage_cap <= grip_max else Bound.GRIP_MAX
        return Shortfall(bound, required, min(damage_cap, grip_max))
    if grip_min > damage_cap:
        return Shortfall(Bound.GRIP_MIN, grip_min, damage_cap)
    return GripForce(max(required, grip_min), required, damage_cap, grip_min, grip_max)


def load_within(
    force: ArrayLike, moment: ArrayLike, *, force_limit: float, moment_limit: ArrayLike
) -> LoadWithin | Shortfall:
    """Compare what the arm and the world do to a held object with what the gripper's fingers may carry.

    Parameters
    ----------
    force : (3,) newtons
        External force, gripper frame.
    moment : (3,) newton metres
        External moment about the fingertips, gripper frame (z along the tool axis).
    force_limit : newtons
        Greatest force in any direction, greater than 0.
    moment_limit : newton metres, one or (3,)
        Greatest moment about each axis, greater than 0; infinite where the manufacturer states none.

    Returns
    -------
    LoadWithin or Shortfall
        Of several limits broken, the one broken by the greatest share; of equals, the force.

    Raises
    ------
    InvalidValue
        A load that is not finite, or a limit that is not greater than 0.
    """
    size = np.append(np.linalg.norm(force), np.abs(np.asarray(moment, float)))
    limits = np.append(force_limit, np.broadcast_to(moment_limit, (3,)))
    refuse_first("load", size, ~np.isfinite(size), "finite")
    refuse_first("limit", limits, ~(limits > 0), "greater than 0")
    share = size / limits
    worst = int(share.argmax())
    if share[worst] > 1:
        return Shortfall(Bound.MOMENT if worst else Bound.FORCE, float(size[worst]), float(limits[worst]))
    return LoadWithin(float(share[0]), float(share[1:].max()))
