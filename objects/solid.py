"""Solid: a closed surface with its volume, centre of mass and inertia."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grasp.frames import require_pose, transform_points
from grasp.mesh import Mesh
from wrench.checks import frozen
from wrench.errors import InvalidValue

if TYPE_CHECKING:
    from trimesh import Trimesh


@dataclass(frozen=True, eq=False)
class Solid:
    """What an object is made of: uniform matter within a closed surface. `objects.doctor` makes sure that it is closed.

    `wrench.origin_of` and `wrench.torque_scale_of` accept it.

    Parameters
    ----------
    name
        Of the object.
    vertices : (v, 3) float, metres
        In any one frame.
    faces : (f, 3) int
        Counter-clockwise seen from outside.
    notes
        Sentences: what was assumed and repaired on the way here.

    Attributes
    ----------
    volume : float, m^3
    center_mass : (3,) float, metres
        In the frame of the vertices.
    inertia : (3, 3) float, m^5
        About the centre of mass, axes of that frame, for unit density: times kg/m^3 it is in kg m^2.

    Raises
    ------
    InvalidValue
        As `grasp.Mesh`, or a volume that is not positive.
    """

    name: str
    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]
    notes: tuple[str, ...] = ()
    volume: float = field(init=False)
    center_mass: NDArray[np.float64] = field(init=False)
    inertia: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        mesh = Mesh(self.vertices, self.faces)
        volume = signed_volume(mesh.vertices, mesh.faces)
        if not volume > 0:
            raise InvalidValue(f"volume of {self.name}", f"{volume:g} m^3", "greater than 0; see objects.doctor")
        center_mass, inertia = moments(mesh.vertices, mesh.faces)
        values = {"vertices": mesh.vertices, "faces": mesh.faces, "notes": tuple(self.notes), "volume": volume}
        values |= {"center_mass": frozen(center_mass), "inertia": frozen(inertia)}
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_trimesh(cls, name: str, mesh: Trimesh) -> Solid:
        """Return the solid within a mesh in metres that is known to be closed, such as a shape made by this project."""
        return cls(name, np.asarray(mesh.vertices, float), np.asarray(mesh.faces, np.int64))

    @property
    def mesh(self) -> Mesh:
        """The surface, for a view."""
        return Mesh(self.vertices, self.faces)

    def to_trimesh(self) -> Trimesh:
        """Return the surface as a trimesh, with these very vertices and faces."""
        from trimesh import Trimesh  # slow to import

        return Trimesh(np.array(self.vertices), np.array(self.faces), process=False)

    def posed(self, T: ArrayLike) -> Solid:
        """Return the solid moved by a pose (4, 4), which maps its frame to another."""
        return Solid(self.name, transform_points(require_pose("T", T), self.vertices), self.faces, self.notes)


def signed_volume(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> float:
    """Return the volume in m^3 within a closed surface; negative when its faces look inwards."""
    a, b, c = np.moveaxis((vertices - _middle(vertices))[faces], 1, 0)
    return float(np.einsum("ni,ni->", a, np.cross(b, c)) / 6)


def moments(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the centre of mass (3,) and the inertia (3, 3) about it, of unit density, within a closed surface.

    Integrals over the surface (Eberly 2002, "Polyhedral mass properties").
    """
    from trimesh.triangles import mass_properties  # slow to import

    middle = _middle(vertices)
    mass = mass_properties((vertices - middle)[faces], density=1.0)
    return np.asarray(mass.center_mass) + middle, np.asarray(mass.inertia)


def _middle(vertices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the middle of the bounding box: about a far origin, moments are small differences of large numbers."""
    return (vertices.min(0) + vertices.max(0)) / 2
