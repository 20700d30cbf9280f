"""Quality of a batch of grasps: closure, epsilon with its bracket, contact count, and the conventions they stand under."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wrench.batch import flat, flat_contacts
from wrench.checks import frozen, require_at_least, require_positive
from wrench.closure import require_torsion
from wrench.contacts import Contacts
from wrench.convention import Cone, ConeKind, Convention, ForceModel, HullNorm
from wrench.epsilon import bracket
from wrench.errors import ConventionMismatch, InvalidValue
from wrench.reference import Origin, ScaleRule, TorqueScale, as_origin, as_torque_scale


@dataclass(frozen=True, eq=False)
class Quality:
    """What a batch (*b,) of grasps is worth, and under which conventions.

    Parameters
    ----------
    closure : (*b,) bool
        Zero lies strictly inside the grasp wrench space.
    epsilon : (*b,) float
        Ferrari-Canny epsilon, certified from below; exactly 0 without closure (negative if asked for signed values).
        Dimensionless: the largest wrench, torque divided by the torque scale, resisted in every direction per unit effort.
    epsilon_upper : (*b,) float
        Certified from above; equal to `epsilon` wherever that is exact.
    contacts : (*b,) int
        Number of made contacts.
    friction : (*b,) float
    torque_scale : metres broadcast to (*b,), and its rule
    origin : points broadcast to (*b, d) metres, and its rule
    convention
        Force model, cone and hull.
    """

    closure: NDArray[np.bool_]
    epsilon: NDArray[np.float64]
    epsilon_upper: NDArray[np.float64]
    contacts: NDArray[np.int64]
    friction: NDArray[np.float64]
    torque_scale: TorqueScale
    origin: Origin
    convention: Convention

    def __len__(self) -> int:
        return len(self.closure)

    def __getitem__(self, index: Any) -> Quality:
        """Index the batch axes of every field alike."""
        return Quality(
            self.closure[index],
            self.epsilon[index],
            self.epsilon_upper[index],
            self.contacts[index],
            self.friction[index],
            TorqueScale(self.torque_scale.metres[index], self.torque_scale.rule),
            Origin(self.origin.point[index], self.origin.rule),
            self.convention,
        )

    def mean_epsilon(self, axis: int = -1) -> NDArray[np.float64]:
        """Return the mean of `epsilon` over one batch axis; grasps without closure count 0.

        Raises
        ------
        ConventionMismatch
            The torque scale was given in metres and differs along the axis.
        """
        metres = self.torque_scale.metres
        low, high = metres.min(axis, initial=np.inf), metres.max(axis, initial=0)
        if np.any(high > low) and self.torque_scale.rule is ScaleRule.GIVEN:
            raise ConventionMismatch("torque scale", f"{np.min(low):g} m", f"{np.max(high):g} m")
        return np.where(self.closure, self.epsilon, 0.0).mean(axis)


def quality(
    contacts: Contacts,
    *,
    friction: ArrayLike,
    origin: Origin | ArrayLike,
    torque_scale: TorqueScale | ArrayLike,
    convention: Convention | str = "paper",
    cone: Cone | str | int | None = None,
    gap: float = 1e-3,
    torsion: float | None = None,
    signed: bool = False,
) -> Quality:
    """Return closure and Ferrari-Canny epsilon of a batch of grasps.

    Three hard contacts in space and any number in the plane go through exact kernels; other numbers of contacts, soft
    fingers and the L-infinity hull go through convex hulls and conic programmes, one grasp at a time.

    Parameters
    ----------
    contacts : batch (*b,)
    friction : (*b) float
        Coulomb coefficient, at least 0.
    origin : (*b, d) metres
        Point torques are taken about; the object's centre of mass under ``"paper"``. See `wrench.reference`.
    torque_scale : (*b) metres
        Length torques are divided by. See `wrench.reference`.
    convention
        ``"paper"``, ``"released"`` (planar only) or a Convention.
    cone
        Overrides the convention's cone: ``"exact"``, a number of edges (inscribed pyramid), ``"circumscribed:8"``.
        Under a pyramid, closure is that of the pyramid. In the plane every cone is exact.
    gap
        Relative width of the bracket asked for with round cones in space: ``epsilon_upper <= epsilon (1 + gap)``.
    torsion : metres, optional
        Soft fingers (space only): |torque about the normal| <= torsion * normal force.
    signed
        Without closure, return the least facet offset (at most 0; its size is not a distance) in place of 0. In space
        this needs a pyramid.

    Returns
    -------
    Quality

    Raises
    ------
    InvalidValue
        A value out of range, or a choice that does not exist for these contacts; the message says which does.
    """
    choice, batch, d = Convention.of(convention, cone), contacts.batch, contacts.dimension
    _refuse_impossible(choice, d, signed)
    require_positive("gap", gap)
    origin, scale = as_origin(origin), as_torque_scale(torque_scale)
    mu = flat("friction", require_at_least("friction", friction, 0), batch)
    about, length = flat("origin", origin.point, batch, (d,)), flat("torque_scale", scale.metres, batch)
    soft = require_torsion(contacts, torsion)
    closed, lower, upper = bracket(flat_contacts(contacts), mu, about, length, soft, choice, gap, signed)
    return Quality(
        frozen(closed.reshape(batch), np.bool_),
        frozen(lower.reshape(batch)),
        frozen(upper.reshape(batch)),
        frozen(contacts.count, np.int64),
        frozen(mu.reshape(batch)),
        TorqueScale(length.reshape(batch), scale.rule),
        Origin(about.reshape(*batch, d), origin.rule),
        choice,
    )


def _refuse_impossible(convention: Convention, dimension: int, signed: bool) -> None:
    if dimension == 2:
        return
    if convention.force is ForceModel.UNIT_FAN:
        raise InvalidValue(
            "convention", str(convention), "one that exists in space: the fan of `released` is known for planar grasps only"
        )
    exact = convention.cone.kind is ConeKind.EXACT
    if exact and convention.hull is HullNorm.LINF:
        raise InvalidValue("cone", "exact", "a pyramid under the linf hull in space, such as cone=8")
    if exact and signed:
        raise InvalidValue("cone", "exact", "a pyramid when signed values are asked for in space, such as cone=8")
