"""Silhouette: the footprint of a mesh, seen straight from above."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from get2d.components import choose
from get2d.footprint import Found, HeightMap
from get2d.settings import Perception
from grasp.errors import PerceptionError
from grasp.mesh import Mesh
from grasp.reasons import Reason

FLAT = 1e-14  # square metres: twice the area of a triangle seen edge-on


def silhouette(mesh: Mesh, settings: Perception) -> Found:
    """Return the outline of the triangles' shadows, the top surface, and notes.

    The outline is exact but for `simplify` cells. Pieces and holes are counted in cells.

    Raises
    ------
    PerceptionError
        EMPTY_MASK: every triangle is vertical; TOO_SMALL; SEVERAL_OBJECTS: the shadow falls into pieces.
    """
    corners = mesh.vertices[mesh.faces][..., :2]  # (f, 3, 2)
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    facing = np.abs(first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]) > FLAT
    if not facing.any():
        raise PerceptionError(Reason.EMPTY_MASK, "Every triangle of the mesh is vertical.")
    shadow = shapely.union_all(shapely.polygons(corners[facing]))
    pieces, cell_area = shapely.get_parts(shadow), settings.cell**2
    label, notes = choose(np.round(shapely.area(pieces) / cell_area).astype(int), settings, "cells")
    polygon, more = _without_pinholes(pieces[label - 1], settings.least_hole * cell_area)
    polygon = polygon.simplify(settings.simplify * settings.cell)
    return polygon, _top(mesh, polygon, settings.cell), notes + more


def _without_pinholes(polygon: Any, least: float) -> tuple[Any, tuple[str, ...]]:
    """Return the polygon with the holes of at least that area in square metres, and a note on the others."""
    holes = [hole for hole in polygon.interiors if shapely.Polygon(hole).area >= least]
    filled = len(polygon.interiors) - len(holes)
    notes = (f"{filled} holes of less than {least:g} m2 were filled.",) if filled else ()
    return shapely.Polygon(polygon.exterior, holes), notes


def _top(mesh: Mesh, polygon: Any, cell: float) -> HeightMap:
    """Return the height of the first surface below every cell's centre, by rays cast straight down."""
    import trimesh  # about half a second, and only meshes need it

    left, lower, right, upper = polygon.bounds
    x, y = np.arange(left + cell / 2, right, cell), np.arange(lower + cell / 2, upper, cell)
    solid = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
    start = np.stack([*np.meshgrid(x, y), np.full((len(y), len(x)), mesh.vertices[:, 2].max() + cell)], -1).reshape(-1, 3)
    face = solid.ray.intersects_first(start, np.broadcast_to([0.0, 0, -1], start.shape))
    hit = (face >= 0) & shapely.contains_xy(polygon, start[:, 0], start[:, 1])
    height = np.full(len(start), np.nan)
    height[hit] = _height_below(solid, face[hit], start[hit, :2])
    return HeightMap(height.reshape(len(y), len(x)), np.array([x[0], y[0]]), cell)


def _height_below(solid: Any, face: NDArray, at: NDArray) -> NDArray[np.float64]:
    """Return the heights (n,) of the planes of triangles (n,) at points (n, 2) of the table."""
    normal, corner = solid.face_normals[face], solid.triangles[face, 0]
    return corner[:, 2] - np.einsum("ni,ni->n", normal[:, :2], at - corner[:, :2]) / normal[:, 2]
