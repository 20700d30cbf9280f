"""Edges: a polygon with holes as arrays, the form in which samplers and kernels read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wrench.checks import frozen

SHORTEST = 1e-9  # metres: a shorter edge is rounding


@dataclass(frozen=True, eq=False)
class Edges:
    """Directed edges of a polygon. The material lies to the left of every edge.

    Parameters
    ----------
    start, end : (e, 2) float, metres
    ring : (e,) int
        0 on the outer outline, 1, 2, ... on the holes.
    """

    start: NDArray[np.float64]
    end: NDArray[np.float64]
    ring: NDArray[np.int64]

    def __post_init__(self) -> None:
        for field in ("start", "end"):
            object.__setattr__(self, field, frozen(getattr(self, field)))
        object.__setattr__(self, "ring", frozen(self.ring, np.int64))

    @classmethod
    def of(cls, polygon: Any) -> Edges:
        """Return the edges of a Shapely polygon, whichever way its rings run; edges without length are left out."""
        from shapely.geometry.polygon import orient

        polygon = orient(polygon)
        rings = [np.asarray(ring.coords)[:, :2] for ring in (polygon.exterior, *polygon.interiors)]
        start, end = np.concatenate([r[:-1] for r in rings]), np.concatenate([r[1:] for r in rings])
        ring = np.repeat(np.arange(len(rings)), [len(r) - 1 for r in rings])
        real = np.linalg.norm(end - start, axis=-1) > SHORTEST
        return cls(start[real], end[real], ring[real])

    @property
    def length(self) -> NDArray[np.float64]:
        """Metres, (e,)."""
        return np.linalg.norm(self.end - self.start, axis=-1)

    @property
    def inward(self) -> NDArray[np.float64]:
        """Unit normals into the material, (e, 2)."""
        along = (self.end - self.start) / self.length[:, None]
        return np.stack([-along[:, 1], along[:, 0]], -1)

    def __len__(self) -> int:
        return len(self.ring)

    def __getitem__(self, index: Any) -> Edges:
        """Select edges."""
        return Edges(self.start[index], self.end[index], self.ring[index])
