"""Solids made of prisms and ellipsoids, joined and cut by manifold3d (constructive solid geometry)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
import shapely
import trimesh
from numpy.typing import ArrayLike, NDArray
from shapely.geometry.base import BaseGeometry

from grasp.frames import require_pose
from grasp.strict import positive
from wrench.checks import frozen, require_positive, require_vectors
from wrench.errors import GraspError, InvalidValue

if TYPE_CHECKING:
    from manifold3d import Manifold

SEGMENTS = 96  # corners on a circle, so its sides lie at most 0.05 % of the radius inside: 0.03 mm on a roll of 122 mm
COINCIDENT = 1e-9  # metres: corners closer than this are one, and the edge between them is rounding error
SUBDIVISIONS = 4  # of an icosahedron, 2,562 corners on an ellipsoid


@dataclass(frozen=True, eq=False)
class Prism:
    """A polygon drawn out along z.

    Parameters
    ----------
    profile
        Valid Shapely polygon with its holes, metres, in the x-y plane of the prism's own frame.
    height
        Metres along the prism's z, from 0.
    T_object_prism : (4, 4) float, metres
        Pose of the prism's frame in that of the object.

    Raises
    ------
    InvalidValue
        A profile that is no valid polygon, a height that is not positive, or a pose that is not rigid.
    """

    profile: shapely.Polygon
    height: float
    T_object_prism: NDArray[np.float64]

    def __post_init__(self) -> None:
        if self.profile.geom_type != "Polygon" or self.profile.is_empty or not self.profile.is_valid:
            raise InvalidValue("prism.profile", self.profile.wkt[:60], "one valid polygon that is not empty")
        object.__setattr__(self, "profile", shapely.remove_repeated_points(self.profile, COINCIDENT))
        object.__setattr__(self, "height", positive("prism.height", self.height, "m"))
        object.__setattr__(self, "T_object_prism", require_pose("prism.T_object_prism", self.T_object_prism))

    def mesh(self) -> trimesh.Trimesh:
        """Return its surface, object frame."""
        # mapbox_earcut drops corners that lie in line with others, and the solid then leaks
        return trimesh.creation.extrude_polygon(self.profile, self.height, self.T_object_prism, engine="manifold")

    def moved(self, offset: NDArray[np.float64]) -> Prism:
        """Return the prism moved by `offset` (3,) metres, object frame."""
        T = self.T_object_prism.copy()
        T[:3, 3] += offset
        return Prism(self.profile, self.height, T)


@dataclass(frozen=True, eq=False)
class Ellipsoid:
    """An ellipsoid along the axes of the object frame.

    Parameters
    ----------
    centre, radii : (3,) float, metres
    """

    centre: NDArray[np.float64]
    radii: NDArray[np.float64]

    def __post_init__(self) -> None:
        object.__setattr__(self, "centre", frozen(require_vectors("ellipsoid.centre", self.centre, 3)))
        object.__setattr__(self, "radii", frozen(require_positive("ellipsoid.radii", self.radii, "m")))

    def mesh(self) -> trimesh.Trimesh:
        """Return its surface, a subdivided icosahedron with its corners on the ellipsoid, object frame."""
        ball = trimesh.creation.icosphere(SUBDIVISIONS)
        return trimesh.Trimesh(self.centre + self.radii * ball.vertices, ball.faces, process=False)


Part = Prism | Ellipsoid


def circle(radius: float, centre: tuple[float, float] = (0, 0)) -> shapely.Polygon:
    """Return a regular polygon of `SEGMENTS` corners on a circle, four of them on the axes; any unit of length."""
    return shapely.Point(centre).buffer(radius, quad_segs=SEGMENTS // 4)


def drawn(profile: BaseGeometry, length: float, R: ArrayLike, origin: ArrayLike = (0, 0, 0)) -> Prism:
    """Return the prism of a profile, turned by R (3, 3) and then moved to `origin` (3,) metres."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, origin
    return Prism(cast(shapely.Polygon, profile), length, T)  # which refuses what is no polygon


def grounded(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    """Return a copy on the table: the origin is the middle of the underside of its bounding box."""
    return mesh.copy().apply_translation(-foot(mesh))


def foot(mesh: trimesh.Trimesh) -> NDArray[np.float64]:
    """Return the middle of the underside of the bounding box, (3,) metres."""
    low, high = mesh.bounds
    return np.array([*(low[:2] + high[:2]) / 2, low[2]])


def carve(joined: Sequence[Part], cut: Sequence[Part] = ()) -> trimesh.Trimesh:
    """Return the union of the `joined` parts less the `cut` ones, closed and wound outwards, in double precision.

    Raises
    ------
    GraspError
        Nothing is left, or manifold3d cannot read a part.
    """
    if len(joined) == 1 and not cut:
        return joined[0].mesh()
    from manifold3d import Manifold, OpType

    solids = [Manifold.batch_boolean([_manifold(part) for part in parts], OpType.Add) for parts in (joined, cut) if parts]
    result = Manifold.batch_boolean(solids, OpType.Subtract).to_mesh64()
    if len(result.tri_verts) == 0:
        raise GraspError(f"nothing is left of {len(joined)} joined parts less {len(cut)} cut ones")
    return trimesh.Trimesh(result.vert_properties[:, :3], result.tri_verts.astype(np.int64), process=True)


def _manifold(part: Part) -> Manifold:
    from manifold3d import Error, Manifold, Mesh64

    # trimesh's own way to manifold3d rounds to single precision
    mesh = part.mesh()
    solid = Manifold(Mesh64(np.array(mesh.vertices), np.array(mesh.faces, np.uint64)))
    if solid.status() != Error.NoError:
        raise GraspError(f"manifold3d cannot read a {type(part).__name__}: {solid.status()}")
    return solid
