"""Cells: convex bodies that together are exactly a solid of joined and cut parts (`objects.csg`), if its cuts are parallel.

What the cuts leave of space falls into convex cells, prisms like them; a convex body and a convex cell have a convex body in
common. Corners of profiles that stick out less than a small length are left out: a pad that touches two bodies at a seam
is twice as stiff there, and a hole of many sides would make many seams.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import cast

import numpy as np
import shapely
from manifold3d import Manifold
from numpy.typing import NDArray
from shapely import Polygon

from grasp.frames import invert, transform_points
from objects.csg import Part, Prism
from physics.convex import pieces

PARALLEL = 1e-9  # of the entries of rotations
FLAT = 1e-12  # m^3; a body of less volume is rounding error

Corners = NDArray[np.float64]  # (n, 3) metres


def cells(joined: Sequence[Part], cut: Sequence[Part], straighten: float) -> list[Corners] | None:
    """Return the corners (n, 3) of convex bodies whose union is the joined parts less the cut ones, their frame.

    Parameters
    ----------
    joined, cut
        As for `objects.csg.carve`.
    straighten : metres
        Corners of profiles that stick out less are left out.

    Returns
    -------
    list or None
        None where a cut is no prism, or cuts are not parallel.
    """
    bodies = [body for part in joined for body in _bodies(part, straighten)]
    if not cut:
        return bodies
    prisms = [part for part in cut if isinstance(part, Prism)]
    T = prisms[0].T_object_prism if prisms else np.eye(4)
    if len(prisms) < len(cut) or any(np.abs((p.T_object_prism - T)[:3, :3]).max() > PARALLEL for p in prisms):
        return None
    own = [transform_points(invert(T), body) for body in bodies]  # in the frame of the first cut, all cuts run along z
    room = np.concatenate(own)
    free = [Manifold.hull_points(cell) for cell in _free(prisms, T, room.min(0), room.max(0), straighten)]
    common = [Manifold.hull_points(body) ^ cell for body in own for cell in free]
    return [
        transform_points(T, np.array(part.to_mesh64().vert_properties[:, :3])) for part in common if part.volume() > FLAT
    ]


def _bodies(part: Part, straighten: float) -> list[Corners]:
    """Return convex bodies that make up one part."""
    if not isinstance(part, Prism):
        return [np.asarray(part.mesh().vertices)]
    profiles = pieces(cast(Polygon, part.profile.simplify(straighten)))
    return [transform_points(part.T_object_prism, _drawn(profile, 0.0, part.height)) for profile in profiles]


def _free(cut: Sequence[Prism], T: NDArray, low: NDArray, high: NDArray, straighten: float) -> list[Corners]:
    """Return convex cells of what cuts along z leave of a box: layer by layer, between the ends of the cuts."""
    offsets = [transform_points(invert(T), prism.T_object_prism[:3, 3:].T)[0] for prism in cut]
    ends = [offset[2] + z for prism, offset in zip(cut, offsets, strict=True) for z in (0.0, prism.height)]
    levels = np.unique(np.clip([low[2], *ends, high[2]], low[2], high[2]))
    found = []
    for bottom, top in pairwise(levels.tolist()):
        left = shapely.box(*low[:2], *high[:2])
        for prism, offset in zip(cut, offsets, strict=True):
            if offset[2] < (bottom + top) / 2 < offset[2] + prism.height:
                profile = prism.profile.simplify(straighten)
                left = left.difference(shapely.transform(profile, lambda xy, at=offset[:2]: xy + at))
        polygons = [g for g in shapely.get_parts(left) if isinstance(g, Polygon) and not g.is_empty]
        found += [_drawn(piece, bottom, top) for polygon in polygons for piece in pieces(polygon)]
    return found


def _drawn(profile: NDArray[np.float64], bottom: float, top: float) -> Corners:
    """Return the corners of a prism over a convex polygon (n, 2)."""
    return np.concatenate([np.column_stack([profile, np.full(len(profile), z)]) for z in (bottom, top)])
