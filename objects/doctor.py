"""Mesh doctor: from a file of triangles to a solid, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grasp import presets
from grasp.errors import PerceptionError
from grasp.mesh import Mesh
from grasp.reasons import Reason
from grasp.strict import build, positive
from objects.arrays import naming
from objects.bodies import outward, unite
from objects.edges import bodies_of, open_edges
from objects.load import read_triangles
from objects.repair import align_winding, drop_degenerate, drop_duplicates, weld
from objects.solid import Solid, signed_volume
from objects.units import to_metres

FLAT = 1e-9  # share of the greatest extent's cube below which a closed surface encloses nothing


@dataclass(frozen=True)
class Doctor:
    """Repairs what is safe, says what it did, refuses the rest. Its numbers stand in ``conf/mesh``.

    Safe are: equal vertices merged, faces without area and duplicates dropped, winding made consistent, closed surfaces
    turned outwards, and bodies that touch or overlap united. No hole is filled and no face is moved, so poses in the
    frame of the file keep their meaning. A single body that crosses itself is not noticed.

    Parameters
    ----------
    least_extent, greatest_extent
        Metres; the greatest edge of the bounding box of anything that is meant to be grasped lies between them.
    """

    least_extent: float
    greatest_extent: float

    def __post_init__(self) -> None:
        for name in ("least_extent", "greatest_extent"):
            positive(f"mesh.{name}", getattr(self, name), "m")

    @classmethod
    def from_dict(cls, mapping: Mapping[str, Any]) -> Doctor:
        """Return the settings in a mapping of exactly these fields, as a config file holds them."""
        return build(cls, mapping, "mesh")

    @classmethod
    def preset(cls, name: str) -> Doctor:
        """Return the settings in ``conf/mesh/<name>.yaml``; an unknown name lists the known ones."""
        return cls.from_dict(presets.read("mesh", name))

    def load(self, path: str | Path, unit: str | float | None = None) -> Solid:
        """Return the solid in a mesh file, in the file's own frame.

        Parameters
        ----------
        path
            .stl, .obj, .ply, .glb, .gltf or .off, with any number of parts and materials.
        unit
            ``"m"``, ``"mm"``, ``"cm"``, ``"inch"`` or the metres in one unit of the file. None takes metres, if the
            extent allows, and notes it.

        Raises
        ------
        InvalidValue
            No such file, an ending that is no mesh's, or an extent out of bounds; the last asks for the unit.
        PerceptionError
            UNSOUND_MESH: unreadable, empty, or not the surface of a solid; with the numbers.
        """
        path = Path(path)
        vertices, faces = read_triangles(path)
        with naming(path):
            return self.examine(path.stem, vertices, faces, unit)

    def examine(self, name: str, vertices: ArrayLike, faces: ArrayLike, unit: str | float | None = None) -> Solid:
        """Return the solid within triangles, as `load` does with those of a file.

        Parameters
        ----------
        name
            For sentences.
        vertices : (v, 3) float, in `unit`
        faces : (f, 3) int
        """
        given = Mesh(np.asarray(vertices, float), np.asarray(faces))
        used, corners = np.unique(given.faces, return_inverse=True)  # loose vertices would add to the extent
        metres, notes = to_metres(given.vertices[used], unit, self.least_extent, self.greatest_extent)
        points, triangles, mended = repaired(name, metres, corners.reshape(-1, 3))
        return Solid(name, points, triangles, (*notes, *mended))


def repaired(
    name: str, vertices: NDArray[np.float64], faces: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64], list[str]]:
    """Return the closed surface, in metres, that the triangles come to, and what was done to them."""
    vertices, faces = weld(vertices, faces)
    notes: list[str] = []
    for step in (drop_degenerate, drop_duplicates, align_winding):
        faces, said = step(faces)
        notes += said
        if len(faces) == 0:
            raise PerceptionError(Reason.UNSOUND_MESH, f"{name} has no faces left: {'; '.join(notes)}.")
    if loose := open_edges(faces):
        found = f"{loose} open edges in {len(faces)} faces of {bodies_of(vertices, faces).max() + 1} components"
        raise PerceptionError(Reason.UNSOUND_MESH, f"{name} is not watertight: {found}.")
    faces, turned = outward(vertices, faces)
    vertices, faces, united = unite(vertices, faces)
    volume = signed_volume(vertices, faces) if len(faces) else 0.0
    if volume <= FLAT * np.ptp(vertices, axis=0).max(initial=0) ** 3:
        raise PerceptionError(Reason.UNSOUND_MESH, f"{name} encloses nothing: its volume is {volume:.3g} m^3.")
    return vertices, faces, notes + turned + united
