"""Surroundings: what stands around the object, and where no finger may go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from grasp.strict import number
from wrench.errors import InvalidValue


def require_polygon(field: str, polygon: Any) -> None:
    """Raise `InvalidValue` unless `polygon` is one Shapely polygon that is neither empty nor crosses itself."""
    if getattr(polygon, "geom_type", None) != "Polygon" or polygon.is_empty:
        raise InvalidValue(field, str(polygon)[:60], "one Shapely Polygon that is not empty")
    if not polygon.is_valid:
        from shapely import is_valid_reason

        raise InvalidValue(field, is_valid_reason(polygon), "without crossings; repair it first")


@dataclass(frozen=True)
class Obstacle:
    """An upright prism: a neighbour, a wall, a fixture, or a region that is to be left alone.

    Parameters
    ----------
    name
        What to call it in a sentence, after "the": ``"mug"``, ``"tote wall"``.
    polygon
        Shapely polygon with its holes, metres, table frame seen from above.
    low, high
        Metres above the table between which it stands.

    Raises
    ------
    InvalidValue
        An empty name; anything but one valid polygon that is not empty (names the place); numbers out of order.
    """

    name: str
    polygon: Any
    low: float
    high: float

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InvalidValue("obstacle.name", repr(self.name), "a word or two for sentences")
        require_polygon(f"{self.name}.polygon", self.polygon)
        if self.polygon.has_z:
            raise InvalidValue(f"{self.name}.polygon", str(self.polygon)[:60], "flat: its heights are low and high")
        for field in ("low", "high"):
            object.__setattr__(self, field, number(f"{self.name}.{field}", getattr(self, field)))
        if self.high <= self.low:
            raise InvalidValue(f"{self.name}.high", self.high, f"above low, {self.low:g} m")


@dataclass(frozen=True)
class Surroundings:
    """Everything known around the object besides the table, which is always there at z = 0.

    Parameters
    ----------
    obstacles
        Neighbours and walls; the object itself is none of them.
    forbidden
        Regions that no part of the gripper may touch or enter; they may cover a part of the object.

    Raises
    ------
    InvalidValue
        Anything but obstacles.
    """

    obstacles: tuple[Obstacle, ...] = ()
    forbidden: tuple[Obstacle, ...] = ()

    def __post_init__(self) -> None:
        for field in ("obstacles", "forbidden"):
            given = tuple(getattr(self, field))
            for i, item in enumerate(given):
                if not isinstance(item, Obstacle):
                    raise InvalidValue(f"surroundings.{field}[{i}]", repr(item)[:60], "an Obstacle")
            object.__setattr__(self, field, given)
