"""The peers: touches, closure and epsilon as one writes them with Shapely, trimesh and SciPy, exact where these are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy.optimize import linprog, nnls
from scipy.spatial import ConvexHull, QhullError

from experiments.timing_closing import cast_ray


def planar_wrenches(
    points: NDArray, normals: NDArray, friction: float, origin: NDArray, scale: float
) -> NDArray[np.float64]:
    """Return the wrenches (2k, 3) of the two cone edges of each of k planar contacts, unit normal component."""
    across = friction * np.stack([-normals[:, 1], normals[:, 0]], -1)
    forces = np.concatenate([normals - across, normals + across])
    arms = np.concatenate([points, points]) - origin
    return np.column_stack([forces, (arms[:, 0] * forces[:, 1] - arms[:, 1] * forces[:, 0]) / scale])


def hull_epsilon(wrenches: NDArray) -> float:
    """Return epsilon: the distance from zero to the nearest facet of the hull, 0 where zero is not inside."""
    try:
        return max(-ConvexHull(wrenches).equations[:, -1].max(), 0.0)
    except QhullError:  # a flat set has no inside
        return 0.0


def closed_by_nnls(wrenches: NDArray, residual: float) -> bool:
    """Tell whether weights >= 1 balance the wrenches and these span their space: zero strictly inside the hull.

    With weights 1 + x the question is whether x >= 0 can undo the sum of the wrenches. Weights >= 0 would also accept
    a zero on the boundary, as with an idle finger.
    """
    left = nnls(wrenches.T, -wrenches.sum(0))[1]
    return bool(left < residual and np.linalg.matrix_rank(wrenches) == wrenches.shape[1])


def closed_by_linprog(wrenches: NDArray) -> bool:
    """Tell the same by feasibility of a linear programme (HiGHS)."""
    count, space = wrenches.shape
    answer = linprog(np.ones(count), A_eq=wrenches.T, b_eq=np.zeros(space), bounds=(1, None), method="highs")
    return bool(answer.status == 0 and np.linalg.matrix_rank(wrenches) == space)


@dataclass(frozen=True, eq=False)
class Outline:
    """A polygon made ready for discs: they touch it where their centres meet `ring`.

    Parameters
    ----------
    polygon, swollen
        As given, and grown by the discs' radius.
    ring
        Boundary of `swollen`.
    radius : metres
    """

    polygon: Any
    swollen: Any
    ring: Any
    radius: float

    @classmethod
    def of(cls, polygon: Any, radius: float, segments: int) -> Outline:
        """Return a polygon made ready; a quarter of a circle about a vertex becomes so many `segments`."""
        swollen = polygon.buffer(radius, quad_segs=segments)
        shapely.prepare(polygon)
        shapely.prepare(swollen)
        return cls(polygon, swollen, swollen.boundary, radius)

    def first_touch(self, start: NDArray, heading: NDArray, reach: float) -> tuple[NDArray, NDArray, NDArray]:
        """Return how far discs (m, 2) move, at most `reach`, and their contact points and normals (m, 2).

        The travel is inf where they meet nothing, NaN where they start inside. The ring is a polygon about vertices, so
        the travel is corrected to the circle about the point that is touched.
        """
        lines = shapely.linestrings(np.stack([start, start + reach * heading], -2))
        meets, disc = shapely.get_coordinates(shapely.intersection(lines, self.ring), return_index=True)
        travel = np.full(len(start), np.inf)
        np.minimum.at(travel, disc, ((meets - start[disc]) * heading[disc]).sum(-1))
        stop = shapely.points(start + np.where(np.isfinite(travel), travel, 0)[:, None] * heading)
        point = shapely.get_coordinates(shapely.shortest_line(self.polygon, stop))[::2]
        ahead = ((point - start) * heading).sum(-1)
        aside2 = ((point - start) ** 2).sum(-1) - ahead**2
        exact = ahead - np.sqrt(np.maximum(self.radius**2 - aside2, 0))
        travel = np.where(np.isfinite(travel), exact, np.inf)
        travel[shapely.contains_xy(self.swollen, start)] = np.nan
        there = start + np.where(np.isfinite(travel), travel, 0)[:, None] * heading
        return travel, point, (point - there) / self.radius


@dataclass(frozen=True, eq=False)
class PadRays:
    """A grid of rays on each of k pads, cast through trimesh and Embree.

    Parameters
    ----------
    solid
        The mesh as trimesh has it.
    places : (k, r, 2) float, metres
        y, z of the rays on each pad, gripper frame.
    sign : (k,) float
        Which way along x each pad moves.
    """

    solid: Any
    places: NDArray[np.float64]
    sign: NDArray[np.float64]

    def first_touch(self, T_table_gripper: NDArray, opening: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """Return the depth (n, k) of each pad's first hit, inf without one, and its point and normal (n, k, 3).

        Poses (n, 4, 4), openings (n,) metres; normals point into the object.
        """
        n, (k, r, _) = len(opening), self.places.shape
        x, yz = T_table_gripper[:, :3, 0], T_table_gripper[:, :3, 1:3]
        face = T_table_gripper[:, None, :3, 3] - (self.sign * opening[:, None] / 2)[..., None] * x[:, None]  # (n, k, 3)
        start = (self.places.reshape(-1, 2) @ np.swapaxes(yz, 1, 2)).reshape(n, k, r, 3) + face[:, :, None]
        heading = np.broadcast_to((self.sign[:, None] * x[:, None])[:, :, None], start.shape)
        travel, point, normal = cast_ray(self.solid, start.reshape(-1, 3), heading.reshape(-1, 3))
        first = np.arange(n * k) * r + travel.reshape(-1, r).argmin(1)
        return travel[first].reshape(n, k), point[first].reshape(n, k, 3), normal[first].reshape(n, k, 3)
