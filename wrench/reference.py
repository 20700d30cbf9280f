"""Origin and torque scale: the point torques are taken about, and the length that turns newton-metres into newtons.

Both are part of what an epsilon means, so both keep the rule that made them. The rules live here once, for a planar
outline (a Shapely polygon) and for a solid (a watertight mesh with ``vertices`` and ``center_mass``).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wrench.checks import frozen, require_finite, require_positive
from wrench.errors import InvalidValue


class OriginRule(StrEnum):
    """Which point torques are taken about."""

    CENTROID = "centroid"  #: centroid of the polygon with its holes, or centre of mass of the solid (`paper`)
    FILLED = "filled"  #: centroid of the outer outline with its holes filled; planar only (`released`)
    GIVEN = "given"  #: a point the caller knows


class ScaleRule(StrEnum):
    """Which length torques are divided by."""

    OBJECT_LENGTH = "object_length"  #: twice the greatest distance from the origin to the outline (`paper`, `released`)
    MAX_RADIUS = "max_radius"  #: the greatest distance from the origin to the outline
    GIVEN = "given"  #: metres the caller chose


@dataclass(frozen=True, eq=False)
class Origin:
    """Point about which torques are taken, with the rule that chose it.

    Parameters
    ----------
    point : (*b, d) float, metres
        In the frame of the contacts; broadcast against their batch.
    rule
        How it was chosen.
    """

    point: NDArray[np.float64]
    rule: OriginRule = OriginRule.GIVEN

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", frozen(self.point))
        require_finite("origin.point", self.point)


@dataclass(frozen=True, eq=False)
class TorqueScale:
    """Length that divides torques, with the rule that chose it.

    Parameters
    ----------
    metres : (*b) float, metres
        Greater than zero; broadcast against the batch of the contacts.
    rule
        How it was chosen. Under a rule that measures the object the metres may differ between objects and their
        results may still be compared; given metres must be equal.
    """

    metres: NDArray[np.float64]
    rule: ScaleRule = ScaleRule.GIVEN

    def __post_init__(self) -> None:
        object.__setattr__(self, "metres", frozen(require_positive("torque_scale", self.metres, "m")))


def as_origin(value: Origin | ArrayLike) -> Origin:
    """Return `value`, or a given point (*b, d) in metres, as an Origin."""
    return value if isinstance(value, Origin) else Origin(np.asarray(value, float))


def as_torque_scale(value: TorqueScale | ArrayLike) -> TorqueScale:
    """Return `value`, or given metres, as a TorqueScale."""
    return value if isinstance(value, TorqueScale) else TorqueScale(np.asarray(value, float))


def origin_of(shape: Any, rule: OriginRule | str) -> Origin:
    """Return the origin of an outline or a solid under a rule.

    Parameters
    ----------
    shape
        Shapely polygon (coordinates in metres), or a mesh with ``vertices`` (v, 3) metres and ``center_mass`` (3,) metres.
    rule
        ``"centroid"`` or, for a polygon, ``"filled"``.

    Raises
    ------
    InvalidValue
        ``"given"`` (pass the point itself), or ``"filled"`` for a solid.
    """
    rule = OriginRule(rule)
    planar = hasattr(shape, "exterior")
    if rule is OriginRule.CENTROID:
        point = np.asarray(shape.centroid.coords[0]) if planar else np.asarray(shape.center_mass)
    elif rule is OriginRule.FILLED and planar:
        from shapely import Polygon  # only polygons need it

        point = np.asarray(Polygon(shape.exterior).centroid.coords[0])
    else:
        expected = '"centroid", or "filled" for a planar outline; a given origin is passed as a point'
        raise InvalidValue("origin rule", rule.value, expected)
    return Origin(point, rule)


def torque_scale_of(shape: Any, rule: ScaleRule | str, origin: Origin) -> TorqueScale:
    """Return the torque scale of an outline or a solid, measured from `origin`.

    Parameters
    ----------
    shape
        As for `origin_of`; holes do not matter, only the outer outline or the vertices.
    rule
        ``"object_length"`` or ``"max_radius"``.
    origin
        Where distances are measured from.
    """
    rule = ScaleRule(rule)
    if rule is ScaleRule.GIVEN:
        expected = '"object_length" or "max_radius"; given metres are passed as a number'
        raise InvalidValue("torque scale rule", rule.value, expected)
    outline = np.asarray(shape.exterior.coords if hasattr(shape, "exterior") else shape.vertices)
    radius = np.linalg.norm(outline[:, : origin.point.shape[-1]] - origin.point, axis=-1).max()
    return TorqueScale(radius * (2 if rule is ScaleRule.OBJECT_LENGTH else 1), rule)
