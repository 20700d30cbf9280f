"""Stable poses: how an object comes to rest on the table, and how likely each way is.

Put down in a random attitude, on its convex hull, an object comes down on one of the hull's faces and rolls on without
momentum, from face to face downhill, until its centre of mass is above its support (Goldberg, Mirtich, Zhuang, Craig,
Carlisle and Canny 1999, "Part pose statistics"). The height of the centre above the table is then a landscape with one
basin for each resting pose: faces are its valleys, edges the passes between them. Basins parted by a pass of no height
worth mentioning are one: the sides of a finely faceted cylinder are one pose, in which it can roll.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from grasp import presets
from grasp.strict import at_least, build
from objects.solid import Solid
from wrench.checks import frozen

EXACT = 1e-9  # metres; heights that differ by less are equal, so that rounding does not choose between poses
ALIKE = 1e-3  # relative; poses whose numbers differ by less look alike
LEVEL = 1e-4  # radians; faces that differ by less are parts of one, cut in two by the hull's triangles


@dataclass(frozen=True)
class Rest:
    """Which resting poses are taken. The numbers stand in ``conf/rest``.

    Parameters
    ----------
    poses
        Of one object at the most, the most probable; None takes all.
    distinct
        Whether of poses with equal height, margin and probability only one is taken. Those are the poses that a symmetry
        of the object carries into each other; mirror images, such as an L lying on either side, count as well.
    barrier
        Metres; poses between which the centre of mass rises by less are one pose.
    margin
        Metres; the least distance of the projected centre of mass to the border of the support.
    flatness
        Metres; what is no higher than that above the table supports the object.
    """

    poses: int | None
    distinct: bool
    barrier: float
    margin: float
    flatness: float

    def __post_init__(self) -> None:
        if self.poses is not None:
            at_least("rest.poses", self.poses, 1, "pose")
        for name in ("barrier", "margin", "flatness"):
            at_least(f"rest.{name}", getattr(self, name), 0, "m")

    @classmethod
    def preset(cls, name: str) -> Rest:
        """Return the settings in ``conf/rest/<name>.yaml``; an unknown name lists the known ones."""
        return build(cls, presets.read("rest", name), "rest")


@dataclass(frozen=True, eq=False)
class RestingPose:
    """One way to lie on the table.

    Parameters
    ----------
    T_table_object : (4, 4) float
        Pose of the object: lowest vertex at z = 0, centre of mass above the table's origin, and that axis of the object
        which is nearest to level lies over the table's x.
    probability
        Chance of ending here from a random attitude.
    margin
        Metres from the projected centre of mass to the border of the support.
    height
        Metres of the centre of mass above the table.
    """

    T_table_object: NDArray[np.float64]
    probability: float
    margin: float
    height: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "T_table_object", frozen(self.T_table_object))


def resting_poses(solid: Solid, rest: Rest) -> tuple[RestingPose, ...]:
    """Return the poses in which a solid rests on a plane, most probable first.

    All poses together have probability 1, if none was left out for its margin. The cost is that of the convex hull.
    """
    points = solid.vertices - solid.center_mass
    hull = ConvexHull(points)
    order = np.lexsort([*np.round(hull.equations[:, 2::-1], 6).T, np.round(-hull.equations[:, 3], 9)])
    normals, corners = hull.equations[order, :3], points[hull.simplices[order]]  # lowest centre of mass first
    rank = np.empty(len(order), int)
    rank[order] = np.arange(len(order))
    basin = _basins(normals, corners, rank[hull.neighbors[order]], rest.barrier)
    share = np.bincount(basin, solid_angles(corners) / (4 * np.pi), len(order))
    found = [_pose(solid, points[hull.vertices], normals[i], float(share[i]), rest) for i in np.unique(basin)]
    steady = [pose for pose in found if pose.margin > rest.margin]
    steady.sort(key=lambda pose: -round(pose.probability, 9))  # equal ones stay in order of height
    return tuple((_distinct(steady) if rest.distinct else steady)[: rest.poses])


def _distinct(poses: list[RestingPose]) -> list[RestingPose]:
    kept: list[RestingPose] = []
    for pose in poses:
        numbers = np.array([pose.height, pose.margin, pose.probability])
        alike = [np.allclose(numbers, [k.height, k.margin, k.probability], rtol=ALIKE, atol=0) for k in kept]
        if not any(alike):
            kept.append(pose)
    return kept


def solid_angles(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the solid angles (f,), in steradians, of triangles (f, 3, 3) at the origin (Van Oosterom and Strackee 1983)."""
    a, b, c = np.moveaxis(corners, 1, 0)
    la, lb, lc = (np.linalg.norm(corner, axis=1) for corner in (a, b, c))
    triple = np.abs(np.einsum("ni,ni->n", a, np.cross(b, c)))
    dots = [np.einsum("ni,ni->n", *pair) for pair in ((a, b), (b, c), (c, a))]
    return 2 * np.arctan2(triple, la * lb * lc + dots[0] * lc + dots[1] * la + dots[2] * lb)


def _basins(
    normals: NDArray[np.float64], corners: NDArray[np.float64], neighbours: NDArray[np.int64], barrier: float
) -> NDArray[np.int64]:
    """Return for each face (f,) the lowest face of its basin; faces come in order of height.

    Passes are opened from the lowest up. Where a face's centre is beyond several of its edges, they are passes of the same
    height, and the one it is furthest beyond comes first.
    """
    low, edge = np.nonzero(neighbours > np.arange(len(normals))[:, None])  # from the upper of two faces to the lower
    high = neighbours[low, edge]
    start, end = corners[low, (edge + 1) % 3], corners[low, (edge + 2) % 3]
    beyond, radius = _edge(normals[high], corners[high].mean(1), start, end)
    beyond[np.linalg.norm(normals[high] - normals[low], axis=1) < LEVEL] = np.inf  # two parts of one face
    top = np.einsum("ni,ni->n", normals[high], start)  # height of the centre when it lies on the upper face
    height = np.round(np.where(beyond >= 0, top, np.maximum(radius, top)) / EXACT) * EXACT
    floor, parent = np.einsum("ni,ni->n", normals, corners[:, 0]), list(range(len(normals)))
    order = np.lexsort((-beyond, height))
    for i, j, pass_height in zip(high[order].tolist(), low[order].tolist(), height[order], strict=True):
        lower, upper = sorted((_root(parent, i), _root(parent, j)))
        if pass_height - floor[upper] <= barrier + EXACT:
            parent[upper] = lower
    return np.array([_root(parent, i) for i in range(len(parent))])


def _edge(
    normal: NDArray[np.float64], inside: NDArray[np.float64], start: NDArray[np.float64], end: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how far the projected centre of mass is beyond edges of faces, and its distance from their lines (n,)."""
    along = (end - start) / np.linalg.norm(end - start, axis=1, keepdims=True)
    across = np.cross(along, normal)
    across *= np.sign(np.einsum("ni,ni->n", across, start - inside))[:, None]  # away from the face
    return -np.einsum("ni,ni->n", across, start), np.linalg.norm(np.cross(start, along), axis=1)


def _root(parent: list[int], i: int) -> int:
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


def _pose(solid: Solid, hull: NDArray[np.float64], down: NDArray[np.float64], share: float, rest: Rest) -> RestingPose:
    """Return the pose with the unit vector `down`, in the object frame, towards the table."""
    axis = np.eye(3)[np.argmin(np.round(np.abs(down), 6))]
    right = axis - (axis @ down) * down
    right /= np.linalg.norm(right)
    R = np.stack([right, np.cross(right, down), -down])  # rows: the table's axes in the object frame
    T, turned = np.eye(4), np.asarray(hull @ R.T, float)
    T[:3, :3], T[:3, 3] = R, -R @ solid.center_mass
    lowest = (solid.vertices @ R.T + T[:3, 3])[:, 2].min()
    T[2, 3] -= lowest
    support = turned[turned[:, 2] <= lowest + rest.flatness, :2]
    return RestingPose(T, share, _margin(support), float(-lowest))


def _margin(support: NDArray[np.float64]) -> float:
    """Return how far the origin is inside the convex hull of points (n, 2); negative outside."""
    from shapely import MultiPoint, Point  # slow to import

    region, centre = MultiPoint(support).convex_hull, Point(0, 0)
    inside = region.geom_type == "Polygon" and region.contains(centre)
    return region.boundary.distance(centre) if inside else -region.distance(centre)
