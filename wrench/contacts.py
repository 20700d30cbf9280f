"""Contacts of a grasp: where each pad touches, which way the surface faces, and whether it touches at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wrench.checks import UNIT_TOLERANCE, frozen, refuse_first
from wrench.errors import InvalidValue


@dataclass(frozen=True, eq=False)
class Contacts:
    """Point contacts of a batch of grasps, planar (d = 2) or spatial (d = 3).

    Fixed size with a mask: every grasp of a batch has the same k places, and `made` says which of them touch. What stands
    in a place that is not made is never read and is stored as zero.

    Parameters
    ----------
    points : (*b, k, d) float, metres
        Contact points, in any one frame.
    normals : (*b, k, d) float
        Unit surface normals, pointing **into the object**, in the same frame.
    made : (*b, k) bool
        Which contacts exist.

    Raises
    ------
    InvalidValue
        Shapes that do not fit, d other than 2 or 3, a point or normal of a made contact that is not finite, or a
        normal whose length differs from 1 by more than 1e-6.
    """

    points: NDArray[np.float64]
    normals: NDArray[np.float64]
    made: NDArray[np.bool_]

    def __post_init__(self) -> None:
        points, normals, made = np.asarray(self.points, float), np.asarray(self.normals, float), np.asarray(self.made)
        if points.ndim < 2 or points.shape[-1] not in (2, 3):
            raise InvalidValue("points.shape", points.shape, "(*batch, k, 2) or (*batch, k, 3)")
        if normals.shape != points.shape:
            raise InvalidValue("normals.shape", normals.shape, f"that of points, {points.shape}")
        if made.shape != points.shape[:-1] or made.dtype != np.bool_:
            raise InvalidValue("made", f"{made.dtype}{made.shape}", f"bool{points.shape[:-1]}, one flag per contact")
        refuse_first("points", points, made & ~np.isfinite(points).all(-1), "finite where the contact is made")
        length2 = np.einsum("...i,...i", normals, normals)
        off = made & ~(np.abs(length2 - 1) <= 2 * UNIT_TOLERANCE)
        refuse_first("normals", normals, off, "a unit vector (length 1 within 1e-6) where the contact is made")
        everywhere = bool(made.all())
        object.__setattr__(self, "points", frozen(points if everywhere else np.where(made[..., None], points, 0)))
        object.__setattr__(self, "normals", frozen(normals if everywhere else np.where(made[..., None], normals, 0)))
        object.__setattr__(self, "made", frozen(made, np.bool_))

    @classmethod
    def all_made(cls, points: ArrayLike, normals: ArrayLike) -> Contacts:
        """Return contacts that all exist."""
        array = np.asarray(points, float)
        return cls(array, np.asarray(normals, float), np.ones(array.shape[:-1], bool))

    @property
    def dimension(self) -> int:
        """2 in the plane, 3 in space."""
        return self.points.shape[-1]

    @property
    def batch(self) -> tuple[int, ...]:
        """Leading batch axes ``*b``."""
        return self.made.shape[:-1]

    @property
    def count(self) -> NDArray[np.int64]:
        """Return the number of made contacts, (*b,)."""
        return self.made.sum(-1)

    def __len__(self) -> int:
        return self.batch[0]

    def __getitem__(self, index: Any) -> Contacts:
        """Index the batch axes of every field alike."""
        return self.unchecked(self.points[index], self.normals[index], self.made[index])

    def reshape(self, *batch: int) -> Contacts:
        """Return the same contacts with other batch axes."""
        k, d = self.points.shape[-2:]
        return self.unchecked(
            self.points.reshape(*batch, k, d), self.normals.reshape(*batch, k, d), self.made.reshape(*batch, k)
        )

    @classmethod
    def unchecked(cls, points: NDArray[np.float64], normals: NDArray[np.float64], made: NDArray[np.bool_]) -> Contacts:
        """Return contacts from arrays that are right by construction and that nobody else will write to.

        For kernels and parts of contacts: no check, no copy, and zeros must stand already where nothing is made.
        """
        contacts = object.__new__(cls)
        for field, array in (("points", points), ("normals", normals), ("made", made)):
            own = np.ascontiguousarray(array)
            own.setflags(write=False)
            object.__setattr__(contacts, field, own)
        return contacts
