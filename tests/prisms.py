"""Upright prisms: a shelf of outlines, and whether a box meets one, by the Flexible Collision Library."""

import fcl
import numpy as np
import shapely
import trimesh

OUTLINES = {
    "square": shapely.box(-0.02, -0.02, 0.02, 0.02),
    "sliver": shapely.Polygon([(-0.05, 0), (0.05, 0.001), (0.05, 0.002)]),
    "disc": shapely.Point(0, 0).buffer(0.025, quad_segs=6),
    "ell": shapely.Polygon([(0, 0), (0.06, 0), (0.06, 0.012), (0.012, 0.012), (0.012, 0.06), (0, 0.06)]),
    "tote": shapely.box(-0.06, -0.05, 0.06, 0.05).exterior.buffer(0.004, join_style="mitre"),
}


def prism(outline, low, high):
    """Return an upright prism as an object of the Flexible Collision Library (Pan, Chitta & Manocha 2012), and itself."""
    mesh = trimesh.creation.extrude_polygon(outline, high - low)
    mesh.apply_translation([0, 0, low])
    model = fcl.BVHModel()
    model.beginModel(len(mesh.vertices), len(mesh.faces))
    model.addSubModel(np.asarray(mesh.vertices, float), np.asarray(mesh.faces))
    model.endModel()
    return fcl.CollisionObject(model, fcl.Transform()), outline, low, high


def solid_meets(corners, solid):
    """Tell whether a box and an upright prism share a point: their surfaces meet, or one holds the other."""
    surface, outline, low, high = solid
    if (corners.max(0) < [*outline.bounds[:2], low]).any() or (corners.min(0) > [*outline.bounds[2:], high]).any():
        return False
    edges = corners[[4, 2, 1]] - corners[0]  # along x, y, z
    size = np.linalg.norm(edges, axis=1)
    turn, middle = (edges / size[:, None]).T, corners.mean(0)
    box = fcl.CollisionObject(fcl.Box(*size), fcl.Transform(turn, middle))
    if fcl.collide(surface, box, fcl.CollisionRequest(), fcl.CollisionResult()):
        return True
    held = bool(outline.contains(shapely.Point(middle[:2]))) and low < middle[2] < high
    corner = np.array([*outline.exterior.coords[0], low])
    return held or bool((np.abs((corner - middle) @ turn) < size / 2).all())
