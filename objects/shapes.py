"""Shapes: stand-ins for the paper's ten objects (arXiv 2604.26212, section VII), as joined and cut prisms and ellipsoids.

The paper gives names and pictures, not sizes: every number here is chosen after them. All of them are **millimetres**;
`_lying`, `_standing` and `_ellipsoid` turn them into metres. A profile lies in the x-y plane and is drawn out along z, or
stands in the x-z plane and is drawn out along y.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import shapely
import trimesh
from shapely import Polygon, affinity, box
from shapely.geometry.base import BaseGeometry

from objects.csg import Ellipsoid, Part, Prism, carve, circle, drawn, foot, grounded
from wrench.errors import InvalidValue

MM = 1e-3  # metres
STANDING = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])  # profile x to x, profile y to z, so height to -y

Parts = tuple[Sequence[Part], Sequence[Part]]  # joined, cut


def _arch() -> Parts:
    """Half a disc cut out of a long side: a bridge that stands on two legs."""
    return [_standing(box(-45, 0, 45, 44) - circle(28), 0, 44)], []


def _bar_clamp() -> Parts:
    """U with a round nose and sides that spread by 5 degrees; the slot widens from the eye to the mouth."""
    sides = shapely.convex_hull(shapely.union_all([circle(28, (0, 28)), box(-35, 107, 35, 108)]))
    slot = Polygon([(-5, 28), (5, 28), (10, 108), (-10, 108)])
    return [_lying(sides - circle(13, (0, 28)) - slot, 0, 56)], []


def _camera_mount() -> Parts:
    """Plate that narrows towards two prongs, with a slot and three triangular windows, on a tall back wall."""
    plate = Polygon([(-82.5, 0), (82.5, 0), (45, 140), (-45, 140)]) | box(-36, 139, -24, 170) | box(24, 139, 36, 170)
    side = Polygon([(-56, 50), (-16, 50), (-50, 80)])
    front = Polygon([(-25, 95), (25, 95), (0, 125)])
    windows = [box(-30, 22, 30, 34), side, affinity.scale(side, -1, 1, origin=(0, 0)), front]
    return [_lying(plate - shapely.union_all(windows), 0, 8), _lying(box(-82.5, 0, 82.5, 8), 0, 70)], []


def _spring_clamp() -> Parts:
    """Two bars, tapered from 12 to 7, that leave a windowed nose at 50 degrees to each other."""
    bar = affinity.rotate(Polygon([(0, -6), (140, -3.5), (140, 3.5), (0, 6)]), 25, origin=(0, 0))
    bar = affinity.translate(bar, 0, -12)  # the bars cross inside the nose
    nose = box(-6.5, -12.5, 38.5, 12.5).buffer(10, quad_segs=12)
    window = box(-6.5, -12.5, 38.5, 12.5)
    upside_down = affinity.scale(bar, 1, -1, origin=(0, 0))
    return [_lying((nose | bar | upside_down) - window, 0, 12)], []


def _climbing_hold() -> Parts:
    """Three ellipsoids cut flat, with two finger holes and a bolt hole."""
    joined = [
        _ellipsoid((-10, -20, 5), (45, 45, 42)),
        _ellipsoid((10, 25, 10), (45, 40, 50)),
        _ellipsoid((22, -18, 0), (32, 36, 38)),
    ]
    holes = [circle(13, (-22, -28)), circle(11, (18, 36)), circle(5.5, (14, -6))]
    return joined, [_lying(box(-80, -80, 80, 80), -80, 0), *(_lying(hole, -1, 80) for hole in holes)]


def _gearbox() -> Parts:
    """Two boxes with bores on a plate, and a quarter of a ring as its foot."""
    quarter = (circle(28, (114, 74)) - circle(12, (114, 74))) & box(114, 46, 146, 74)
    return [
        _standing(box(12, 0, 72, 108) - circle(12, (42, 72)), 0, 95),
        _standing(box(68, 0, 118, 68) - circle(11, (95, 40)), 15, 80),
        _lying(box(0, 15, 146, 35), 0, 20),
        _lying(quarter, 0, 20),
    ], []


def _purple_mount() -> Parts:
    """Plate with a round tube and three screw holes; a wall with a window and a hexagonal tube through it."""
    screws = shapely.union_all([circle(2.5, at) for at in ((-36, 8), (36, 8), (36, 60))])
    plate = box(-44, 0, 44, 80) - circle(9, (-16, 34)) - screws
    window, bore = circle(18, (-20, 50)), circle(10, (22, 50))
    corners = np.radians(np.arange(0, 360, 60))
    hexagon = Polygon(np.array([22, 50]) + 14 / np.cos(np.pi / 6) * np.stack([np.cos(corners), np.sin(corners)], -1))
    return [
        _lying(plate, 0, 8),
        _lying(circle(14, (-16, 34)) - circle(9, (-16, 34)), 0, 45),
        _standing(box(-44, 0, 44, 80) - window - bore, 72, 80),
        _standing(hexagon - bore, 72, 102),
    ], []


def _paper_towel_roll() -> Parts:
    """Wider than the gripper opens: only its core can be grasped."""
    return [_lying(circle(61) - circle(24.5), 0, 280)], []


def _tape_roll() -> Parts:
    return [_lying(circle(52.5) - circle(38), 0, 48)], []


def _tape_dispenser() -> Parts:
    """Ring with a slot of 30 degrees."""
    reach = 60 * np.tan(np.radians(15))
    return [_lying(circle(37.5) - circle(12.5) - Polygon([(0, 0), (60, -reach), (60, reach)]), 0, 23)], []


def _turbine_housing() -> Parts:
    """Ring, hub and four spokes, with a tail to one side that takes the centre of mass with it."""
    spokes = box(-24, -2, 24, 2) | box(-2, -24, 2, 24)
    ring = circle(26.5) - circle(22)
    return [
        _lying(ring, 0, 26),
        _lying(circle(7), 0, 26),
        _lying(spokes, 8, 18),
        _ellipsoid((46, 0, 13), (22, 12, 10)),
    ], []


_RECIPES: dict[str, Callable[[], Parts]] = {
    "arch": _arch,
    "bar_clamp": _bar_clamp,
    "camera_mount": _camera_mount,
    "spring_clamp": _spring_clamp,
    "climbing_hold": _climbing_hold,
    "gearbox": _gearbox,
    "purple_mount": _purple_mount,
    "paper_towel_roll": _paper_towel_roll,
    "tape_roll": _tape_roll,
    "turbine_housing": _turbine_housing,
    "tape_dispenser": _tape_dispenser,
}
NAMES: tuple[str, ...] = tuple(_RECIPES)  #: the paper's ten, then what comes with one of them


def make(name: str) -> trimesh.Trimesh:
    """Return a shape as a closed mesh in metres, the same to the last bit every time.

    Its origin is the middle of the underside of its bounding box: it stands on the table z = 0. Whether it would stay
    there is not looked at.

    Raises
    ------
    InvalidValue
        A name that is not in `NAMES`.
    """
    return grounded(carve(*_parts(name)))


def prisms(name: str) -> tuple[Prism, ...] | None:
    """Return the prisms, overlapping or not, whose union is exactly `make(name)`; None for a shape with curved parts.

    Raises
    ------
    InvalidValue
        A name that is not in `NAMES`.
    """
    joined, cut = _parts(name)
    straight = [part for part in joined if isinstance(part, Prism)]
    if cut or len(straight) < len(joined):
        return None
    origin = foot(carve(joined))
    return tuple(prism.moved(-origin) for prism in straight)


def _parts(name: str) -> Parts:
    if name not in _RECIPES:
        raise InvalidValue("shape", repr(name), f"one of {', '.join(NAMES)}")
    return _RECIPES[name]()


def _lying(profile: BaseGeometry, bottom: float, top: float) -> Prism:
    """Return the prism over a profile in the x-y plane, between two heights."""
    return drawn(_metres(profile), MM * (top - bottom), np.eye(3), (0, 0, MM * bottom))


def _standing(profile: BaseGeometry, front: float, back: float) -> Prism:
    """Return the prism over a profile in the x-z plane, from y = front to y = back."""
    return drawn(_metres(profile), MM * (back - front), STANDING, (0, MM * back, 0))


def _metres(profile: BaseGeometry) -> BaseGeometry:
    return affinity.scale(profile, MM, MM, origin=(0, 0))


def _ellipsoid(centre: tuple[float, float, float], radii: tuple[float, float, float]) -> Ellipsoid:
    return Ellipsoid(np.multiply(MM, centre), np.multiply(MM, radii))
