"""Slow second opinions on GET-3D: pads swept over every triangle by half-plane clipping, collisions by another library.

Nothing here is shared with the kernels but the gripper's description. A grasp is closed one pad at a time: all triangles
are carried into the pad's frame, Shapely cuts their shadows to the pad's outline, and depths are read off their planes.
Metres, table frame.
"""

import fcl
import numpy as np
import shapely
import trimesh

from grasp.solids import boxes, closing_sign, pad_corners
from tests.oracles import cone_margin

GRIPS, OVERLAPS, MISSES, PASSES = range(4)
FLAT = 1e-12  # square metres: shadow of a triangle seen edge-on
SURE = 1e-7  # metres: nothing thinner is decided here


# ---- first touch -----------------------------------------------------------------------------------------------------


def in_frame(mesh, pose, start, sign):
    """Return the triangles (f, 3, 3) as depth, y, z of a pad that starts at x = start and moves along sign * x."""
    local = (np.asarray(mesh.vertices) - pose[:3, 3]) @ pose[:3, :3]
    return np.stack([sign * (local[:, 0] - start), local[:, 1], local[:, 2]], -1)[mesh.faces]


def parts(triangles, outline, sign):
    """Return, per triangle that reaches before the outline, its index, corners (c, 3) of the cut, and whether it faces.

    With `sign` -1 the frame is a mirror image, in which normals point the other way. Triangles
    seen edge-on have no shadow; their neighbours share their edges, so none is missed.
    """
    low, high = triangles[..., 1:].min(1), triangles[..., 1:].max(1)
    left, bottom, right, top = outline.bounds
    near = (low <= [right, top]).all(1) & (high >= [left, bottom]).all(1) & (triangles[..., 0].max(1) >= 0)
    found = []
    for t in np.flatnonzero(near):
        a, b, c = triangles[t]
        normal = np.cross(b - a, c - a)
        if abs(normal[0]) < FLAT:
            continue
        cut = shapely.intersection(shapely.polygons(triangles[t][:, 1:]), outline)
        if shapely.area(cut) < FLAT:
            continue
        yz = shapely.get_coordinates(cut)[:-1]
        depth = a[0] - ((yz - a[1:]) @ normal[1:]) / normal[0]
        found.append((t, np.column_stack([depth, yz]), sign * normal[0] < 0))
    return found


def first_touch(mesh, pose, corners, start, sign, patch):
    """Return (depth, y, z, normal, overlaps) of one pad with corners (4, 2) in y, z."""
    outline = shapely.Polygon(corners)
    found = parts(in_frame(mesh, pose, start, sign), outline, sign)
    if any(p[:, 0].min() < -SURE and p[:, 0].max() > SURE for _, p, _ in found):
        return 0.0, 0.0, 0.0, np.zeros(3), True
    ahead = [(t, p, faces) for t, p, faces in found if p[:, 0].min() >= -SURE]
    if not ahead:
        return np.inf, 0.0, 0.0, np.zeros(3), False
    depth = min(p[:, 0].min() for _, p, _ in ahead)
    moment, area, normal = np.zeros(2), 0.0, np.zeros(3)
    for t, p, faces in ahead:
        shadow = _up_to(p, depth + patch)
        if faces and shadow.area > 0:
            moment += shadow.area * np.array(shadow.centroid.coords[0])
            area += shadow.area
            normal += shadow.area * inward(mesh, t)
    if area == 0:
        return depth, 0.0, 0.0, np.zeros(3), True  # met from behind
    return depth, *(moment / area), normal / np.linalg.norm(normal), False


def _up_to(part, limit):
    """Return the shadow of the part of a flat polygon (c, 3) no deeper than `limit`."""
    kept = []
    for here, there in zip(part, np.roll(part, -1, axis=0), strict=True):
        if here[0] <= limit:
            kept.append(here)
        if (here[0] - limit) * (there[0] - limit) < 0:
            kept.append(here + (limit - here[0]) / (there[0] - here[0]) * (there - here))
    return shapely.Polygon([p[1:] for p in kept]) if len(kept) > 2 else shapely.Polygon()


def close(mesh, gripper, pose, opening, patch):
    """Return outcome, points and normals (k, 3), made (k,) and depths (k,) of one closing."""
    sign, k = closing_sign(gripper), len(gripper.pads)
    corners = pad_corners(gripper, 0.0)[..., 1:]
    met = [first_touch(mesh, pose, corners[i], -sign[i] * opening / 2, sign[i], patch) for i in range(k)]
    depth = np.array([m[0] for m in met])
    wide, narrow = depth[sign > 0].min(), depth[sign < 0].min()
    x = sign * (np.where(np.isfinite(depth), depth, 0) - opening / 2)
    local = np.column_stack([x, [m[1] for m in met], [m[2] for m in met]])
    points = local @ pose[:3, :3].T + pose[:3, 3]
    if any(m[4] for m in met):
        outcome = OVERLAPS
    elif np.isinf(max(wide, narrow)):
        outcome = MISSES
    else:
        outcome = PASSES if opening - wide - narrow < gripper.min_opening else GRIPS
    made = (depth - np.where(sign > 0, wide, narrow) <= gripper.tolerance) if outcome == GRIPS else np.zeros(k, bool)
    return outcome, points, np.array([m[3] for m in met]), made, depth


def inward(mesh, face):
    """Return the unit normal of a face, into the solid."""
    a, b, c = np.asarray(mesh.vertices)[mesh.faces[face]]
    normal = np.cross(c - a, b - a)
    return normal / np.linalg.norm(normal)


def closed(points, normals, friction):
    """Return the closure margin of made contacts (k, 3); `tests.oracles` works it out by conic programming."""
    return cone_margin(points, normals, friction) if len(points) > 2 else 0.0


# ---- collisions ------------------------------------------------------------------------------------------------------


def collision_world(mesh):
    """Return the mesh as an object of the Flexible Collision Library (Pan, Chitta & Manocha 2012)."""
    model = fcl.BVHModel()
    model.beginModel(len(mesh.vertices), len(mesh.faces))
    model.addSubModel(np.asarray(mesh.vertices, float), np.asarray(mesh.faces))
    model.endModel()
    return fcl.CollisionObject(model, fcl.Transform())


def surface_meets(world, pose, low, high, grow):
    """Tell whether the mesh's surface meets any box (m, 3) of the gripper frame grown by `grow` metres on every side."""
    for a, b in zip(low - grow, high + grow, strict=True):
        if (b <= a).any():
            continue
        centre = pose[:3, :3] @ ((a + b) / 2) + pose[:3, 3]
        box = fcl.CollisionObject(fcl.Box(*(b - a)), fcl.Transform(pose[:3, :3], centre))
        if fcl.collide(world, box, fcl.CollisionRequest(), fcl.CollisionResult()):
            return True
    return False


def gripper_boxes(gripper, opening):
    """Return the corners (m, 3) of all boxes of the gripper at one opening, gripper frame."""
    found = boxes(gripper, opening)
    return found.centre - found.size / 2, found.centre + found.size / 2


# ---- specimens -------------------------------------------------------------------------------------------------------


def on_table(mesh):
    """Return a mesh resting on z = 0."""
    mesh = mesh.copy()
    mesh.apply_translation([0, 0, -mesh.bounds[0, 2]])
    return mesh


def slender_ring(outer=0.122, bore=0.049, height=0.06):
    """Return a thick ring, wider than the gripper opens."""
    return on_table(trimesh.creation.annulus(bore / 2, outer / 2, height, sections=48))


def prism(polygon, height):
    """Return a polygon extruded upwards from the table."""
    return on_table(trimesh.creation.extrude_polygon(polygon, height))


def bumpy(seed, bumps=0.12, subdivisions=3, radius=0.035):
    """Return a seeded lumpy ball."""
    rng, mesh = np.random.default_rng(seed), trimesh.creation.icosphere(subdivisions, radius)
    waves = rng.normal(0, 90, (4, 3))
    scale = 1 + bumps * np.sin(mesh.vertices @ waves.T + rng.uniform(0, 6, 4)).mean(1)
    return on_table(trimesh.Trimesh(mesh.vertices * scale[:, None], mesh.faces))


def specimens():
    """Return watertight meshes by name, all on the table."""
    star = shapely.Polygon([((0.03 if i % 2 else 0.014) * np.cos(a), (0.03 if i % 2 else 0.014) * np.sin(a))
                            for i, a in enumerate(np.linspace(0, 2 * np.pi, 10, endpoint=False))])  # fmt: skip
    return {
        "box": on_table(trimesh.creation.box((0.06, 0.04, 0.08))),
        "plate": on_table(trimesh.creation.box((0.08, 0.002, 0.06))),
        "cylinder": on_table(trimesh.creation.cylinder(0.03, 0.08, sections=40)),
        "cone": on_table(trimesh.creation.cone(0.04, 0.09, sections=30)),
        "torus": on_table(trimesh.creation.torus(0.034, 0.014, 40, 20)),
        "ring": slender_ring(),
        "star": prism(star, 0.05),
        "ball": bumpy(0),
        "lumps": bumpy(1, bumps=0.35),
    }


def random_poses(rng, n, middle, spread=0.02):
    """Return poses (n, 4, 4) about a place: half straight down, half turned anyhow."""
    from scipy.spatial.transform import Rotation

    turn = Rotation.random(n, rng=rng)
    down = Rotation.from_euler("z", rng.uniform(0, 2 * np.pi, (n, 1))) * Rotation.from_euler("x", np.pi)
    T = np.tile(np.eye(4), (n, 1, 1))
    T[:, :3, :3] = np.where((np.arange(n) % 2 == 0)[:, None, None], down.as_matrix(), turn.as_matrix())
    T[:, :3, 3] = middle + rng.normal(0, spread, (n, 3))
    return T


def moved(T, mesh):
    """Return a mesh moved rigidly by T (4, 4)."""
    mesh = mesh.copy()
    mesh.apply_transform(T)
    return mesh
