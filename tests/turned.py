"""Solids of revolution: turned on a lathe from heights and radii, named ones and seeded families, with their side masks."""

from dataclasses import dataclass

import numpy as np
import trimesh

from grasp import View

SECTIONS = 96  # of a turned mesh
STROKE = 0.095  # metres, the GET gripper's greatest opening


@dataclass(frozen=True, eq=False)
class Turned:
    """Heights (n,) and radii (n,) in metres, the first height 0, and the true centre of mass."""

    heights: np.ndarray
    radii: np.ndarray

    @classmethod
    def of_mm(cls, *corners):
        heights, widths = np.array(corners, float).T / 1e3
        return cls(heights, widths / 2)

    @property
    def height(self):
        return self.heights[-1]

    def radius(self, z):
        return np.interp(z, self.heights, self.radii, left=0.0, right=0.0)

    def mesh(self, at=(0.0, 0.0), turn=0.0):
        line = np.column_stack([np.r_[0, self.radii, 0], np.r_[self.heights[0], self.heights, self.heights[-1]]])
        line = line[np.r_[True, np.abs(np.diff(line, axis=0)).max(1) > 0]]
        solid = trimesh.creation.revolve(line, sections=SECTIONS)
        solid.apply_transform(trimesh.transformations.rotation_matrix(turn, [0, 0, 1]))
        return solid.apply_translation([*at, 0])

    def view(self, **pose):
        solid = self.mesh(**pose)
        return View.from_mesh(solid.vertices, solid.faces)

    @property
    def centre(self):
        """Height of the true centre of mass, by quadrature that knows nothing of frusta."""
        z = np.linspace(0, self.height, 20_001)
        area = self.radius(z) ** 2
        return np.trapezoid(area * z, z) / np.trapezoid(area, z)

    def side_mask(self, pixels_per_meter=2000, border=20, foot=7):
        """Return the mask of the pixels whose centres it covers, seen from the side, `foot` rows above the lower border."""
        rows = int(np.ceil(self.height * pixels_per_meter)) + border + foot
        columns = int(np.ceil(2 * self.radii.max() * pixels_per_meter)) + 2 * border
        z = (rows - foot - np.arange(rows) - 0.5) / pixels_per_meter
        x = (np.arange(columns) - (columns - 1) / 2) / pixels_per_meter
        return np.abs(x) < np.where((z > 0) & (z < self.height), self.radius(z), 0)[:, None]


def sphere(radius, lift=0.0, corners=61):
    """Return a ball that stands on a flat, cut off at most `lift` of its radius above its lowest point."""
    angle = np.linspace(-np.pi / 2, np.pi / 2, corners)
    z, r = radius * np.sin(angle), radius * np.cos(angle)
    keep = z >= -radius * (1 - lift) - 1e-12
    return Turned(z[keep] - z[keep][0], np.maximum(r[keep], 0))


GOBLET = Turned.of_mm((0, 60), (3, 60), (12, 10), (82, 10), (100, 60), (130, 76), (165, 66))
BOTTLE = Turned.of_mm((0, 70), (110, 70), (140, 28), (200, 28))
VASE = Turned.of_mm((0, 86), (40, 74), (90, 52), (130, 44))
CUP = Turned.of_mm((0, 50), (90, 80))
NAMED = {"goblet": GOBLET, "bottle": BOTTLE, "vase": VASE, "cup": CUP, "almost a sphere": sphere(0.035, 0.05)}


def parallel(rng):
    """A cylinder, often with a bevel or a lid."""
    width, height = rng.uniform(8, 110), rng.uniform(15, 220)
    bevel = rng.uniform(0.5, 0.2 * min(width, height))
    lid = (width - 2 * bevel) * rng.uniform(0.5, 1)
    return Turned.of_mm((0, width - bevel), (bevel, width), (height - bevel, width), (height, lid))


def edge_of_stroke(rng):
    """Something whose widest part is within a few millimetres of the greatest opening, narrower above or below."""
    width, height = STROKE * 1e3 + rng.uniform(-6, 1), rng.uniform(40, 160)
    middle, foot, top = rng.uniform(0.2, 0.8), rng.uniform(0.3, 1), rng.uniform(0.3, 1)
    return Turned.of_mm((0, foot * width), (middle * height, width), (height, top * width))


def widest_at_the_bottom(rng):
    """A cone or a vase that only narrows."""
    height, widths = rng.uniform(30, 180), np.sort(rng.uniform(15, 110, 4))[::-1]
    heights = np.sort(rng.uniform(0.1, 0.9, 2)) * height
    return Turned.of_mm(*zip([0, *heights, height], widths, strict=True))


def almost_a_sphere(rng):
    """An ellipsoid with axes that differ by a few per cent, standing on a small flat."""
    ball = sphere(rng.uniform(8, 55) / 1e3, rng.uniform(0.01, 0.1))
    return Turned(ball.heights * rng.uniform(0.95, 1.05), ball.radii)


FAMILIES = {family.__name__: family for family in (parallel, edge_of_stroke, widest_at_the_bottom, almost_a_sphere)}
SIZE = 40  # objects per family


def objects(family):
    """Return the seeded objects of a family."""
    seeds = np.random.SeedSequence(20).spawn(len(FAMILIES))[list(FAMILIES).index(family)]
    return [FAMILIES[family](np.random.default_rng(seed)) for seed in seeds.spawn(SIZE)]
