"""Family: seeded random solids of simple kinds, for tests over many shapes and for labels.

All ranges are chosen, so that most solids fit into an opening of 95 mm and some do not. With a small chance a solid is one
of those that break careless code: a section with parallel sides, a width within half a millimetre of the opening, an
almost perfect sphere, a block widest at its foot.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import shapely
import trimesh
from shapely.geometry.base import BaseGeometry

from objects.csg import SUBDIVISIONS, circle, drawn, grounded
from wrench.errors import InvalidValue

OPENING = 0.095  # metres, the width about which it becomes hard: paper (arXiv 2604.26212), section IV
EDGE = 0.0005  # metres either side of it
RARE = 0.05  # chance of each special case
WIDTH = (0.015, 0.120)  # metres across, of most kinds
WALL = (0.004, 0.015)  # metres of wall, web or tooth
HEIGHT = (0.015, 0.080)  # metres above the table
LENGTH = (0.060, 0.200)  # metres along a tube
LEAN = np.radians(30)  # of a tapered block's walls, either way
ALONG_X = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])  # turns a prism's axis from z to x


def _prism(rng: np.random.Generator) -> trimesh.Trimesh:
    """Star-shaped polygon, therefore simple; rarely a parallelogram."""
    radius = _width(rng) / 2
    if rng.random() < RARE:
        lean, depth = rng.uniform(-1, 1) * radius, rng.uniform(*WIDTH)
        corners = np.array([(-radius, 0), (radius, 0), (radius + lean, depth), (-radius + lean, depth)])
    else:
        n = rng.integers(4, 13)
        angle = 2 * np.pi * (np.arange(n) + rng.uniform(0.1, 0.9, n)) / n  # gaps below half a turn
        corners = radius * rng.uniform(0.4, 1, (n, 1)) * np.stack([np.cos(angle), np.sin(angle)], -1)
    return _upright(shapely.Polygon(corners), rng.uniform(*HEIGHT))


def _ring(rng: np.random.Generator) -> trimesh.Trimesh:
    return _upright(_annulus(rng), rng.uniform(*HEIGHT))


def _tube(rng: np.random.Generator) -> trimesh.Trimesh:
    """Ring drawn out along x, lying on its side."""
    return drawn(_annulus(rng), rng.uniform(*LENGTH), ALONG_X).mesh()


def _bracket(rng: np.random.Generator) -> trimesh.Trimesh:
    """L or U in plan."""
    wall, width, depth = rng.uniform(*WALL), _width(rng), _width(rng)
    wall = min(wall, width / 3, depth / 3)
    right = rng.choice([width - wall, width + wall])  # with a second leg, or open
    inside = shapely.box(wall, wall, right, depth + wall)
    return _upright(shapely.box(0, 0, width, depth) - inside, rng.uniform(*HEIGHT))


def _comb(rng: np.random.Generator) -> trimesh.Trimesh:
    """Teeth on a spine: many narrow gaps that fingers do or do not enter."""
    teeth, gap, tooth, depth = rng.integers(3, 8), rng.uniform(*WALL), rng.uniform(*WALL), _width(rng)
    pitch, spine = gap + tooth, depth / 3
    width = teeth * pitch - gap
    gaps = [shapely.box(i * pitch + tooth, spine, (i + 1) * pitch, depth + spine) for i in range(teeth - 1)]
    return _upright(shapely.box(0, 0, width, depth) - shapely.union_all(gaps), rng.uniform(*HEIGHT))


def _superquadric(rng: np.random.Generator) -> trimesh.Trimesh:
    """Barr (1981), "Superquadrics and angle-preserving transformations": from boxes to octahedra; rarely almost a sphere.

    The corners lie on the surface in the directions of a subdivided icosahedron.
    """
    radii, (east, north) = np.array([_width(rng) for _ in range(3)]) / 2, rng.uniform(0.3, 1.7, 2)
    if rng.random() < RARE:
        radii, (east, north) = radii[0] * rng.uniform(0.995, 1.005, 3), rng.uniform(0.99, 1.01, 2)
    ball = trimesh.creation.icosphere(SUBDIVISIONS)
    x, y, z = np.abs(ball.vertices / radii).T
    inside_out = (x ** (2 / east) + y ** (2 / east)) ** (east / north) + z ** (2 / north)
    return trimesh.Trimesh(ball.vertices * inside_out[:, None] ** (-north / 2), ball.faces, process=False)


def _tapered(rng: np.random.Generator) -> trimesh.Trimesh:
    """Block whose four walls lean each by its own angle, so that none faces another; rarely all inwards."""
    half, height = np.array([_width(rng), _width(rng)]) / 2, rng.uniform(*HEIGHT)
    lean = np.tan(rng.uniform(-LEAN, LEAN, (2, 2)))  # (low or high side, axis), outwards
    if rng.random() < RARE:
        lean = -np.abs(lean)
    out = np.maximum(height * lean, -0.8 * half)  # a fifth of the width stays at the top
    foot, top = np.array([-half, half]), np.array([-half - out[0], half + out[1]])
    corners = [(box[i, 0], box[j, 1], z) for box, z in ((foot, 0), (top, height)) for i in (0, 1) for j in (0, 1)]
    return trimesh.convex.convex_hull(np.array(corners))


_MAKERS: dict[str, Callable[[np.random.Generator], trimesh.Trimesh]] = {
    "prism": _prism,
    "ring": _ring,
    "bracket": _bracket,
    "tube": _tube,
    "comb": _comb,
    "superquadric": _superquadric,
    "tapered": _tapered,
}
KINDS: tuple[str, ...] = tuple(_MAKERS)  #: of solids


def make(kind: str, rng: np.random.Generator | int) -> trimesh.Trimesh:
    """Return a random solid as a closed mesh of one body, in metres.

    Its origin is the middle of the underside of its bounding box: it stands on the table z = 0.

    Parameters
    ----------
    kind
        One of `KINDS`.
    rng
        Generator, or the seed of one.

    Raises
    ------
    InvalidValue
        A kind that is not in `KINDS`.
    """
    if kind not in _MAKERS:
        raise InvalidValue("kind", repr(kind), f"one of {', '.join(KINDS)}")
    return grounded(_MAKERS[kind](np.random.default_rng(rng)))


def _width(rng: np.random.Generator) -> float:
    """Return a width in metres, rarely right at the opening."""
    if rng.random() < RARE:
        return OPENING + rng.uniform(-EDGE, EDGE)
    return rng.uniform(*WIDTH)


def _annulus(rng: np.random.Generator) -> BaseGeometry:
    outer = _width(rng) / 2
    return circle(outer) - circle(outer - min(rng.uniform(*WALL), outer / 2))


def _upright(profile: BaseGeometry, height: float) -> trimesh.Trimesh:
    return drawn(profile, height, np.eye(3)).mesh()
