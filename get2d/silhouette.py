"""Silhouette: the footprint of a mesh, seen straight from above."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from get2d.footprint import HeightMap
from get2d.settings import Perception
from grasp.errors import PerceptionError
from grasp.mesh import Mesh
from grasp.reasons import Reason

FLAT = 1e-14  # square metres: a triangle seen so narrow is seen edge-on
GRID = 1e-8  # metres: coordinates are rounded to it, so that nearly equal edges of a scan are equal


def silhouette(mesh: Mesh, settings: Perception) -> tuple[Any, HeightMap, tuple[str, ...]]:
    """Return the union of the triangles' shadows, simplified by `simplify` cells, the top surface, and notes.

    Raises
    ------
    PerceptionError
        EMPTY_MASK: all triangles are vertical; SEVERAL_OBJECTS: the shadow falls into pieces.
    """
    corners = mesh.vertices[mesh.faces]  # (f, 3, 3)
    first, second = np.moveaxis(corners[:, 1:, :2] - corners[:, :1, :2], 1, 0)
    flat = np.abs(first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]) < FLAT
    if flat.all():
        raise PerceptionError(Reason.EMPTY_MASK, "Seen from above, none of the mesh's triangles has an area.")
    shadows = shapely.union_all(shapely.polygons(corners[~flat][..., :2]), grid_size=GRID)
    shape = shadows.simplify(settings.simplify * settings.cell)
    polygon, notes = _one(shape, settings)
    return polygon, _top(mesh, polygon, settings.cell), notes
