"""Conventions: what an epsilon means. Each choice has a name, and every result carries its names.

An epsilon is a length in a space of forces and scaled torques, so it depends on how long one force may be, on how the
friction cone is cut into edges, and on how the contacts share the effort. None of these changes force closure except the
cone's polygon; all of them change epsilon and, often, which grasp is best.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from wrench.errors import InvalidValue


class ForceModel(StrEnum):
    """Which forces one contact may exert at unit effort."""

    UNIT_NORMAL = "unit_normal"  #: cone edges n + mu t, whose normal component is 1 (the paper; Dex-Net)
    UNIT_EDGE = "unit_edge"  #: the same edges scaled to length 1: epsilon is 1 / sqrt(1 + mu^2) times the above (frogger)
    UNIT_FAN = "unit_fan"  #: forces of length 1 fanned at equal angles over the planar cone, edges included (`released`)


class HullNorm(StrEnum):
    """How the contacts share the effort."""

    L1 = "l1"  #: total effort 1: convex hull of the union of the contacts' wrenches (Ferrari & Canny 1992, section 4)
    LINF = "linf"  #: effort at most 1 at every contact: Minkowski sum of the contacts' hulls with the zero wrench


class ConeKind(StrEnum):
    """How the round friction cone enters. In the plane all three are the same two edges."""

    EXACT = "exact"  #: the round cone itself; epsilon comes as a certified bracket
    INSCRIBED = "inscribed"  #: m-gon with its vertices on the cone: conservative, never finds too much
    CIRCUMSCRIBED = "circumscribed"  #: m-gon with its sides on the cone: optimistic, never finds too little


@dataclass(frozen=True)
class Cone:
    """A friction cone: exact, or a pyramid of `edges` edges.

    A pyramid is not a property of the grasp: its first edge points along an arbitrary tangent, and turning the
    tangents by half an edge moves an 8-edge epsilon by about 10 %. Inscribed values lie below the exact ones,
    circumscribed values above.

    Parameters
    ----------
    kind
        Exact, inscribed or circumscribed.
    edges
        Number of edges of a pyramid, at least 3; 0 for the exact cone.
    """

    kind: ConeKind = ConeKind.EXACT
    edges: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", ConeKind(self.kind))
        right = self.edges == 0 if self.kind is ConeKind.EXACT else self.edges >= 3
        if not right:
            raise InvalidValue("cone.edges", self.edges, "0 for an exact cone and at least 3 for a pyramid")

    @classmethod
    def of(cls, choice: Cone | str | int) -> Cone:
        """Read ``"exact"``, a number of edges (inscribed), ``"inscribed:8"``, ``"circumscribed:8"`` or a Cone."""
        if isinstance(choice, Cone):
            return choice
        if isinstance(choice, (int, np.integer)) and not isinstance(choice, bool):
            return cls(ConeKind.INSCRIBED, int(choice))
        kind, _, edges = str(choice).partition(":")
        if kind not in list(ConeKind) or (edges and not edges.isdecimal()):
            raise InvalidValue("cone", repr(choice), '"exact", a number of edges, "inscribed:8" or "circumscribed:8"')
        return cls(ConeKind(kind), int(edges or 0))

    def __str__(self) -> str:
        return self.kind.value if self.kind is ConeKind.EXACT else f"{self.kind.value}:{self.edges}"


@dataclass(frozen=True)
class Convention:
    """Everything an epsilon depends on besides the grasp, its friction, its origin and its torque scale.

    Parameters
    ----------
    force
        Force model of one contact.
    fan
        Number of fanned forces per contact; 0 for every model but `unit_fan`, there at least 2.
    cone
        Round cone or pyramid; matters in space only.
    hull
        How the contacts share the effort.
    """

    force: ForceModel = ForceModel.UNIT_NORMAL
    fan: int = 0
    cone: Cone = Cone()
    hull: HullNorm = HullNorm.L1

    def __post_init__(self) -> None:
        object.__setattr__(self, "force", ForceModel(self.force))
        object.__setattr__(self, "hull", HullNorm(self.hull))
        object.__setattr__(self, "cone", Cone.of(self.cone))
        right = self.fan >= 2 if self.force is ForceModel.UNIT_FAN else self.fan == 0
        if not right:
            raise InvalidValue("convention.fan", self.fan, "at least 2 under unit_fan and 0 under every other force model")

    @classmethod
    def of(cls, choice: Convention | str, cone: Cone | str | int | None = None) -> Convention:
        """Return a preset by name, or the convention itself, with another cone where one is given."""
        if isinstance(choice, str) and choice not in PRESETS:
            raise InvalidValue("convention", repr(choice), f"one of {', '.join(map(repr, PRESETS))} or a Convention")
        convention = PRESETS[choice] if isinstance(choice, str) else choice
        return convention if cone is None else replace(convention, cone=Cone.of(cone))

    @property
    def name(self) -> str:
        """Name of the preset with these choices, else the choices spelled out."""
        named = [name for name, preset in PRESETS.items() if preset == self]
        return named[0] if named else str(self)

    def __str__(self) -> str:
        fan = f"({self.fan})" if self.fan else ""
        return f"{self.force.value}{fan}, {self.cone} cone, {self.hull.value} hull"


PRESETS = {
    # The text of arXiv 2604.26212, sections III and V, with the round cone in place of an unstated number of edges.
    "paper": Convention(),
    # Identified from the authors' published planar grasps: eight unit forces fanned over each cone.
    "released": Convention(ForceModel.UNIT_FAN, fan=8),
}
