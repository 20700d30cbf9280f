"""Cloud: points of a surface, and the plane that fits their neighbours at any place, with how well it fits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grasp.strict import positive
from wrench.checks import frozen
from wrench.errors import InvalidValue

SOLID = 1 / 3  # greatest surface variation there is: neighbours spread alike in all directions
LINE = 0.01  # of the variances in a plane: ten times as long as wide, as one row of a scan, tells no plane


@dataclass(frozen=True)
class DataQuality:
    """Where a surface counts as well measured. The numbers stand in ``conf/planner/antipodal.yaml``.

    Parameters
    ----------
    neighbours
        Points that tell a plane.
    curvature
        Surface variation up to which they lie in one, above 0 and at most 1/3.
    radius : metres
        Within which they must lie.
    """

    neighbours: int
    curvature: float
    radius: float

    def __post_init__(self) -> None:
        if self.neighbours < 3:
            raise InvalidValue("data.neighbours", self.neighbours, "at least 3 points, which a plane takes")
        positive("data.radius", self.radius, "m")
        if positive("data.curvature", self.curvature, "") > SOLID:
            raise InvalidValue("data.curvature", self.curvature, "at most 1/3, the greatest there is")


@dataclass(frozen=True, eq=False)
class Patches:
    """Planes through the neighbours of places (n,).

    Parameters
    ----------
    centre : (n, 3) float, metres
        Mean of the neighbours.
    normal : (n, 3) float
        Unit normal, outward where the cloud knows which side that is.
    curvature : (n,) float
        Surface variation (Pauly, Gross and Kobbelt 2002): least variance over the sum of all three, 0 in a plane, greatest
        at 1/3, which also stands where the neighbours lie on one line or spot and tell no plane.
    residual : (n,) float, metres
        Root mean square distance of the neighbours from the plane.
    radius : (n,) float, metres
        Distance of the farthest of the neighbours.
    """

    centre: NDArray[np.float64]
    normal: NDArray[np.float64]
    curvature: NDArray[np.float64]
    residual: NDArray[np.float64]
    radius: NDArray[np.float64]

    def good(self, data: DataQuality) -> NDArray[np.bool_]:
        """Return where the surface counts as well measured, (n,)."""
        return (self.curvature <= data.curvature) & (self.radius <= data.radius)

    def __getitem__(self, index: Any) -> Patches:
        """Index every field alike."""
        return Patches(*(getattr(self, field)[index] for field in ("centre", "normal", "curvature", "residual", "radius")))


@dataclass(frozen=True, eq=False)
class Cloud:
    """Points of one surface.

    Parameters
    ----------
    points : (n, 3) float, metres, table frame
    outward : (n, 3) float, optional
        Vectors of any length on the outer side of the surface: towards the camera that saw the point, or the normal of
        the face it was taken from. None: not known.
    measured
        Whether anything was measured here; False for a surface that is assumed.
    tree
        Search tree of the points.
    """

    points: NDArray[np.float64]
    outward: NDArray[np.float64] | None
    measured: bool
    tree: Any

    @classmethod
    def of(cls, points: NDArray[np.float64], outward: NDArray[np.float64] | None = None, measured: bool = True) -> Cloud:
        """Return the cloud of points (n, 3) in metres with outward vectors (n, 3), if they are known."""
        if points.ndim != 2 or points.shape[1] != 3:
            raise InvalidValue("points.shape", points.shape, "(n, 3)")
        if outward is not None and outward.shape != points.shape:
            raise InvalidValue("outward.shape", outward.shape, f"that of the points, {points.shape}")
        from scipy.spatial import KDTree  # slow to import

        return cls(frozen(points), None if outward is None else frozen(outward), measured, KDTree(points))

    def patches(self, places: NDArray[np.float64], neighbours: int) -> Patches:
        """Return the planes through the nearest points to some places, by principal component analysis.

        The normal is the direction in which the neighbours vary least (Hoppe et al. 1992, section 3.1).

        Parameters
        ----------
        places : (m, 3) float, metres
            Need not be points of the cloud.
        neighbours
            Number of points, at most that of the cloud.
        """
        if not 3 <= neighbours <= len(self):
            raise InvalidValue("neighbours", neighbours, f"from 3 to the {len(self)} points of the cloud")
        distance, index = self.tree.query(places, neighbours)
        near = self.points[index]  # (m, neighbours, 3)
        centre = near.mean(1)
        spread = near - centre[:, None]
        variance, axes = np.linalg.eigh(np.swapaxes(spread, 1, 2) @ spread / neighbours)  # ascending
        variance = np.maximum(variance, 0)  # rounding
        plane = variance[:, 1] > LINE * variance[:, 2]
        curvature = np.where(plane, variance[:, 0] / np.where(plane, variance.sum(1), 1), SOLID)
        normal = axes[:, :, 0]
        if self.outward is not None:
            normal = facing(normal, self.outward[index[:, 0]])
        return Patches(centre, normal, curvature, np.sqrt(variance[:, 0]), distance[:, -1])

    def __len__(self) -> int:
        return len(self.points)


def facing(normals: NDArray[np.float64], towards: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return normals (n, 3), turned round where they point away from vectors (n, 3)."""
    return np.where(np.einsum("ni,ni->n", normals, towards)[:, None] < 0, -normals, normals)
