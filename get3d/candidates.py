"""Candidates in space: poses drawn, balanced and checked, each accepted so far or rejected with a reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grasp.funnel import Funnel
from grasp.reasons import Reason
from wrench.checks import frozen
from wrench.contacts import Contacts


@dataclass(frozen=True, eq=False)
class Candidates:
    """A batch of spatial grasps before they are judged.

    Parameters
    ----------
    T_table_gripper : (n, 4, 4) float
        After balancing.
    opening : (n,) float, metres
        Between the pad faces as the gripper arrives; 0 where it does not fit.
    needed : (n,) float, metres
        Opening needed: the wall between the jaws; inf where there is none.
    imbalance : (n,) float, metres
        Difference in travel of the wide jaw's outer pads; inf where one meets nothing.
    iterations : (n,) int
        Sweeps it took to balance.
    contacts : (n,) of k contacts
        Without displacement, table frame; none made where the gripper was not closed.
    reason : (n,) uint8
        Code of a `grasp.Reason`.
    shortfall : (n,) float, metres
        By which a clearance from the surroundings is missed; 0 where all are kept, or were not looked at.
    lacking : (n,) text
        Which clearance that is (`grasp.cleared.Cleared.sentence`), for the nearest miss of each batch; else empty.
    """

    T_table_gripper: NDArray[np.float64]
    opening: NDArray[np.float64]
    needed: NDArray[np.float64]
    imbalance: NDArray[np.float64]
    iterations: NDArray[np.int64]
    contacts: Contacts
    reason: NDArray[np.uint8]
    shortfall: NDArray[np.float64]
    lacking: NDArray[np.str_]

    def __post_init__(self) -> None:
        for field in ("T_table_gripper", "opening", "needed", "imbalance", "shortfall"):
            object.__setattr__(self, field, frozen(getattr(self, field)))
        object.__setattr__(self, "iterations", frozen(self.iterations, np.int64))
        object.__setattr__(self, "reason", frozen(self.reason, np.uint8))

    @property
    def accepted(self) -> NDArray[np.bool_]:
        """Which candidates nothing has rejected, (n,)."""
        return self.reason == Reason.OK.code

    def reject(self, where: NDArray, reason: Reason) -> Candidates:
        """Return the same candidates with those still accepted `where` (n,) bool, or indices, rejected for a reason."""
        hit = np.zeros(len(self), bool)
        hit[where] = True
        return replace(self, reason=np.where(self.accepted & hit, reason.code, self.reason))

    def funnels(self) -> dict[str, Funnel]:
        """Return what became of the candidates of the one sampler there is."""
        return {"face": Funnel.of(self.reason)}

    def __len__(self) -> int:
        return len(self.reason)

    def __getitem__(self, index: Any) -> Candidates:
        """Index every field alike."""
        return Candidates(**{field.name: getattr(self, field.name)[index] for field in fields(self)})


def concatenate(parts: Sequence[Candidates]) -> Candidates:
    """Join batches."""
    names = [field.name for field in fields(Candidates) if field.name != "contacts"]
    joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    contacts = Contacts(*(np.concatenate([getattr(p.contacts, f) for p in parts]) for f in ("points", "normals", "made")))
    return Candidates(**joined, contacts=contacts)


def no_contacts(n: int, k: int) -> Contacts:
    """Return a batch (n,) of k contacts of which none is made."""
    return Contacts(np.zeros((n, k, 3)), np.zeros((n, k, 3)), np.zeros((n, k), bool))


def scattered(contacts: Contacts, rows: NDArray[np.intp], n: int) -> Contacts:
    """Return a batch (n,) with contacts (m,) at `rows` (m,), and none made elsewhere."""
    blank = no_contacts(n, contacts.made.shape[-1])
    points, normals, made = np.array(blank.points), np.array(blank.normals), np.array(blank.made)
    points[rows], normals[rows], made[rows] = contacts.points, contacts.normals, contacts.made
    return Contacts(points, normals, made)
