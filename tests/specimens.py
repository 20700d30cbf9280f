"""A shelf of grasps: seeded random families in the plane and in space, and the sets that break careless code.

Points in metres, a few centimetres across; normals point into the object.
"""

import numpy as np
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from wrench import Contacts, quality

SIZE = 0.03  # radius of the objects, m


def unit(vectors):
    """Return the vectors scaled to length 1."""
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


# ---- planar ----------------------------------------------------------------------------------------------------------


def on_disc(rng, n, k):
    """Return contacts at random angles on a disc."""
    angle = rng.uniform(0, 2 * np.pi, (n, k))
    out = np.stack([np.cos(angle), np.sin(angle)], -1)
    return SIZE * out, -out


def on_polygon(rng, n, k):
    """Return contacts at random places on the edges of random convex polygons."""
    points, normals = np.empty((n, k, 2)), np.empty((n, k, 2))
    for i in range(n):
        hull = ConvexHull(SIZE * rng.uniform(-1, 1, (12, 2)))
        edge = rng.integers(len(hull.simplices), size=k)
        start, end = np.moveaxis(hull.points[hull.simplices[edge]], 1, 0)
        points[i] = start + rng.uniform(0, 1, (k, 1)) * (end - start)
        normals[i] = -hull.equations[edge, :2]
    return points, normals


def two_against_one(rng, n, k):
    """Return the asymmetric grasp: two contacts below, the others above, places and normals jittered."""
    base = SIZE * np.array([[-0.5, -0.4], [0.5, -0.4]] + [[0.0, 0.4]] * (k - 2))
    heading = np.array([np.pi / 2] * 2 + [-np.pi / 2] * (k - 2)) + rng.normal(0, 0.4, (n, k))
    return base + rng.normal(0, 0.2 * SIZE, (n, k, 2)), np.stack([np.cos(heading), np.sin(heading)], -1)


def anywhere(rng, n, k, dimension):
    """Return random points with random normals."""
    return rng.uniform(-SIZE, SIZE, (n, k, dimension)), unit(rng.normal(size=(n, k, dimension)))


def planar(rng, n, k=3):
    """Return n planar grasps of k contacts, a quarter from each family."""
    return mixed([on_disc, on_polygon, two_against_one, lambda *a: anywhere(*a, 2)], rng, n, k)


# ---- spatial ---------------------------------------------------------------------------------------------------------


def on_sphere(rng, n, k):
    """Return contacts spread over a sphere."""
    out = unit(rng.normal(size=(n, k, 3)))
    return SIZE * out, -out


def on_box(rng, n, k):
    """Return contacts on the faces of a box of unequal sides."""
    half = SIZE * np.array([1.0, 0.7, 0.5])
    points, normals = half * rng.uniform(-1, 1, (n, k, 3)), np.zeros((n, k, 3))
    axis, side = rng.integers(3, size=(n, k, 1)), rng.choice([-1.0, 1.0], (n, k, 1))
    np.put_along_axis(points, axis, side * half[axis], -1)
    np.put_along_axis(normals, axis, -side, -1)
    return points, normals


def on_torus(rng, n, k):
    """Return contacts on a torus, the inside of its hole included."""
    around, across = rng.uniform(0, 2 * np.pi, (2, n, k))
    radial = np.stack([np.cos(around), np.sin(around), np.zeros_like(around)], -1)
    out = np.cos(across)[..., None] * radial + np.sin(across)[..., None] * [0, 0, 1.0]
    return SIZE * (radial + 0.4 * out), -out


def two_against_one_in_space(rng, n, k):
    """Return the planar asymmetric grasp lifted into space, with heights and slopes, each turned at random."""
    flat, heading = two_against_one(rng, n, k)
    points = np.concatenate([flat, rng.normal(0, 0.1 * SIZE, (n, k, 1))], -1)
    normals = unit(np.concatenate([heading, rng.normal(0, 0.25, (n, k, 1))], -1))
    turns = Rotation.random(n, rng=rng).as_matrix()
    return np.einsum("nij,nkj->nki", turns, points), np.einsum("nij,nkj->nki", turns, normals)


def spatial(rng, n, k=3):
    """Return n spatial grasps of k contacts, a fifth from each family."""
    families = [on_sphere, on_box, on_torus, two_against_one_in_space, lambda *a: anywhere(*a, 3)]
    return mixed(families, rng, n, k)


def mixed(families, rng, n, k):
    """Return n grasps in all, as evenly from the families as n allows."""
    sizes = [len(part) for part in np.array_split(np.arange(n), len(families))]
    points, normals = zip(*(family(rng, size, k) for family, size in zip(families, sizes, strict=True)), strict=True)
    return Contacts.all_made(np.concatenate(points), np.concatenate(normals))


def some(rng, n, dimension, k=3):
    """Return n grasps of either dimension."""
    return (planar if dimension == 2 else spatial)(rng, n, k)


def idle_third(rng, n, friction):
    """Return spatial grasps in which two contacts balance alone and the third cannot press in their common plane.

    The line between the first two lies inside both cones by a fifth of the cone's angle or more. The third cone misses
    the plane of the contacts by a tenth of its angle to it or more, so that contact can carry nothing: the origin is on
    the boundary of the hull, and that is not closure.
    """
    alpha = np.arctan(friction)
    tilt = rng.uniform(0, 0.8 * alpha, (n, 2, 1))
    sideways = rng.uniform(0, 2 * np.pi, (n, 2, 1))
    inward = np.array([[1.0], [-1.0]])
    pair = np.concatenate([inward * np.cos(tilt), np.sin(tilt) * np.cos(sideways), np.sin(tilt) * np.sin(sideways)], -1)
    steep = rng.uniform(0, 0.9 * (np.pi / 2 - alpha), n)  # angle of the third normal to the plane's normal
    spin = rng.uniform(0, 2 * np.pi, n)
    up = rng.choice([-1.0, 1.0], n) * np.cos(steep)
    third = np.stack([np.sin(steep) * np.cos(spin), np.sin(steep) * np.sin(spin), up], -1)
    points = np.zeros((n, 3, 3))
    points[:, 0, 0], points[:, 1, 0] = -SIZE, SIZE
    points[:, 2, :2] = rng.uniform([-0.5, 0.3], [0.5, 1.0], (n, 2)) * SIZE
    normals = np.concatenate([pair, third[:, None]], 1)
    turns = Rotation.random(n, rng=rng).as_matrix()
    return Contacts.all_made(
        np.einsum("nij,nkj->nki", turns, points) + rng.normal(0, SIZE, (n, 1, 3)),
        np.einsum("nij,nkj->nki", turns, normals),
    )


# ---- sets that are not closed, whatever the friction -----------------------------------------------------------------


def hopeless(dimension):
    """Return single grasps of hard contacts by name that no friction closes."""
    axis, up = np.eye(dimension)[0], np.eye(dimension)[1]
    sets = {
        "one sided": ([-axis, 0 * axis, axis], [up, up, up]),
        "coincident": ([axis, axis, axis], [-axis, -axis, -axis]),
        "single": ([axis], [-axis]),
        "two on one side": ([-axis, axis], [up, up]),
        "empty": (np.zeros((0, dimension)), np.zeros((0, dimension))),
    }
    if dimension == 3:
        sets["collinear"] = ([-axis, 0 * axis, axis], [axis, up, -axis])
        sets["antipodal pair"] = ([-axis, axis], [axis, -axis])
        sets["two coincide, third opposes"] = ([-axis, -axis, axis], [axis, axis, -axis])
    grasps = {name: Contacts.all_made(SIZE * np.array(p), np.array(n)) for name, (p, n) in sets.items()}
    spread = grasps["one sided"]
    return grasps | {"none made": Contacts(spread.points, spread.normals, np.zeros(3, bool))}


def judge(contacts, friction, **choices):
    """Return the quality about the frame's origin at torque scale SIZE, unless `choices` say otherwise."""
    reference = {"origin": np.zeros(contacts.dimension), "torque_scale": SIZE}
    return quality(contacts, friction=friction, **(reference | choices))
