"""A seeded family of outlines: what planar planners meet, and what breaks careless geometry. Shapely, metres."""

import numpy as np
import shapely
from shapely import Polygon, box
from shapely.affinity import rotate, translate

LIMIT = 0.095  # m, opening of the GET gripper (paper, section IV)


def ring_of(radius, corners, turn=0.1):
    """Return the corners (n, 2) of a regular polygon."""
    angle = turn + 2 * np.pi * np.arange(corners) / corners
    return np.asarray(radius)[..., None] * np.stack([np.cos(angle), np.sin(angle)], -1)


def disc(diameter, corners=240):
    """Return a disc as a polygon whose corners lie on its rim."""
    return Polygon(ring_of(np.full(corners, diameter / 2), corners))


def ring(outer, inner, corners=240):
    """Return a ring of two diameters."""
    return disc(outer, corners).difference(disc(inner, corners))


def bar(length, width):
    """Return a bar along x about the origin; its first side is a long one."""
    return Polygon([(-length / 2, -width / 2), (length / 2, -width / 2), (length / 2, width / 2), (-length / 2, width / 2)])


def wedge():
    """Return a wedge of 60 mm base and 8 mm top, 40 mm high, its base on x."""
    return Polygon([(-0.03, 0), (0.03, 0), (0.004, 0.04), (-0.004, 0.04)])


def comb(teeth, gap, tooth=0.006, depth=0.03):
    """Return a comb whose teeth point along y."""
    pitch = gap + tooth
    body = box(0, 0, teeth * pitch - gap, 0.012)
    for i in range(teeth):
        body = body.union(box(i * pitch, 0, i * pitch + tooth, 0.012 + depth))
    return translate(body, -(teeth * pitch - gap) / 2, -0.015)


def u_shape(notch, width=0.07, height=0.05, floor=0.02):
    """Return a U open along y; a disc of its notch's width just fits."""
    return bar(width, height).difference(box(-notch / 2, floor - height / 2, notch / 2, height))


def star(points, outer=0.04, inner=0.018):
    """Return a star."""
    return Polygon(ring_of(np.where(np.arange(2 * points) % 2, inner, outer), 2 * points))


def two_holes():
    """Return a plate with a round and a square hole."""
    plate = bar(0.085, 0.05).difference(translate(disc(0.024, 40), -0.02, 0.003))
    return plate.difference(translate(box(-0.008, -0.008, 0.008, 0.008), 0.021, -0.002))


def notched(rng):
    """Return a U turned at random whose prongs carry random notches and which is closed by an oblique cut."""
    shape = u_shape(0.028, width=0.08).difference(Polygon([(0.03, 0.03), (0.05, 0.03), (0.05, 0.01)]))
    for y in rng.uniform(-0.02, 0.015, 2):
        shape = shape.difference(rotate(box(0.037, y, 0.05, y + 0.004), rng.uniform(-20, 20), origin=(0.04, y)))
    return rotate(shape, rng.uniform(0, 360))


def blob(rng, corners):
    """Return a random star-shaped polygon, a few centimetres across, about a point that is not its centroid."""
    angle = 2 * np.pi * (np.arange(corners) + rng.uniform(-0.35, 0.35, corners)) / corners
    waves = np.cos(np.outer(angle, [2, 3, 5]) + rng.uniform(0, 2 * np.pi, 3)) @ rng.uniform(0, [0.25, 0.2, 0.1])
    radius = rng.uniform(0.02, 0.045) * np.clip(1 + waves + rng.normal(0, 0.03, corners), 0.3, None)
    return translate(Polygon(radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], -1)), *rng.uniform(-0.01, 0.01, 2))


def family(seed=0):
    """Return the family by name."""
    rng = np.random.default_rng(seed)
    shapes = {
        "parallel": bar(0.07, 0.03),
        "parallel_turned": rotate(bar(0.062, 0.023), 31.7),
        "hexagon": disc(0.06, 6),
        "just_fits": rotate(bar(0.15, LIMIT - 1e-5), 12.3),
        "just_does_not_fit": rotate(bar(0.15, LIMIT + 1e-5), 12.3),
        "near_round": Polygon(ring_of(0.04 * (1 + rng.normal(0, 2e-3, 60)), 60)),
        "ring": ring(0.08, 0.05, 48),
        "wide_ring": ring(0.12, 0.09, 48),
        "comb": rotate(comb(4, 0.0115), 8.1),
        "fine_comb": comb(9, 0.0061, tooth=0.0032),
        "sliver": rotate(bar(0.09, 0.0007), -17.9),
        "splinter": Polygon([(-0.04, 0), (0.045, 0.001), (0.01, 0.004)]),
        "u_shape": rotate(u_shape(0.0123), 57.0),
        "tight_u": rotate(u_shape(0.010 + 1e-5), 3.3),
        "too_tight_u": rotate(u_shape(0.010 - 1e-5), 3.3),
        "notched": notched(rng),
        "star": star(5),
        "spiky": star(11, 0.042, 0.03),
        "two_holes": rotate(two_holes(), 71.3),
        "wedge": wedge(),
    }
    shapes |= {f"blob_{n}": blob(rng, n) for n in (6, 9, 14, 24, 40, 80)}
    return {name: shapely.simplify(shape, 1e-9) for name, shape in shapes.items()}  # unions leave edges of no length


FAMILY = family()
