"""Shapes: sizes of the issue's table, closed forms of volume and centre of mass, holes counted by the Euler number."""

import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
import shapely
import trimesh

from grasp import InvalidValue
from objects import shapes
from objects.csg import SEGMENTS, carve

# millimetres; the spring clamp and the climbing hold are "about" so large; a slot of 30 degrees takes
# 75 / 2 (1 - cos 15 degrees) = 1.278 off the dispenser
SIZES = {
    "arch": (90, 44, 44),
    "bar_clamp": (70, 108, 56),
    "camera_mount": (165, 170, 70),
    "spring_clamp": (145, 100, 12),
    "climbing_hold": (110, 130, 60),
    "gearbox": (146, 95, 108),
    "purple_mount": (88, 102, 80),
    "paper_towel_roll": (122, 122, 280),
    "tape_roll": (105, 105, 48),
    "turbine_housing": (94.5, 53, 26),
    "tape_dispenser": (75 - 1.278, 75, 23),
}
HOLES = {"camera_mount": 4, "spring_clamp": 1, "climbing_hold": 3, "gearbox": 2, "purple_mount": 6}
HOLES |= {"paper_towel_roll": 1, "tape_roll": 1, "turbine_housing": 4}
POLYGON = SEGMENTS / (2 * np.pi) * np.sin(2 * np.pi / SEGMENTS)  # area of the polygon over that of its circle


def digest(mesh):
    """Return a hash of every bit of a mesh."""
    return sha256(mesh.vertices.tobytes() + mesh.faces.tobytes()).hexdigest()


def every_bit():
    """Return the hash of all shapes together."""
    return sha256("".join(digest(shapes.make(name)) for name in shapes.NAMES).encode()).hexdigest()


@pytest.mark.parametrize("name", shapes.NAMES)
def test_closed_one_body_of_the_right_size_on_the_table(name):
    mesh = shapes.make(name)
    assert mesh.is_watertight
    assert mesh.is_winding_consistent
    assert mesh.body_count == 1
    assert mesh.volume > 0
    about = 1.0 if name in ("spring_clamp", "climbing_hold") else 1e-3
    np.testing.assert_allclose(mesh.extents * 1e3, SIZES[name], atol=about)
    np.testing.assert_allclose(mesh.bounds.mean(0)[:2], 0, atol=1e-12)
    assert mesh.bounds[0, 2] == 0


@pytest.mark.parametrize("name", shapes.NAMES)
def test_as_many_holes_as_the_table_says(name):
    # Euler number 2 - 2 g for a closed surface of genus g; the dispenser, the arch and the clamp are open slots
    assert shapes.make(name).euler_number == 2 - 2 * HOLES.get(name, 0)


@pytest.mark.parametrize(
    ("name", "outer", "inner", "height"), [("tape_roll", 52.5, 38, 48), ("paper_towel_roll", 61, 24.5, 280)]
)
def test_rolls_have_the_volume_of_a_hollow_cylinder(name, outer, inner, height):
    exact = np.pi * (outer**2 - inner**2) * height * 1e-9
    np.testing.assert_allclose(shapes.make(name).volume, POLYGON * exact, rtol=1e-9)
    assert POLYGON > 0.999


def test_slot_takes_a_twelfth_of_the_dispenser():
    # corners of both circles lie on the walls of the slot, so that the share is exact
    exact = np.pi * (37.5**2 - 12.5**2) * 23 * 1e-9
    np.testing.assert_allclose(shapes.make("tape_dispenser").volume, POLYGON * exact * 11 / 12, rtol=1e-9)


def test_arch_is_a_block_less_half_a_disc():
    mesh, half = shapes.make("arch"), POLYGON * np.pi * 28**2 / 2
    np.testing.assert_allclose(mesh.volume * 1e9, (90 * 44 - half) * 44, rtol=1e-9)
    centroid = 4 * 28 / (3 * np.pi)  # of half a disc, above its diameter
    expected = (90 * 44 * 22 - half * centroid) / (90 * 44 - half)
    np.testing.assert_allclose(mesh.center_mass * 1e3, [0, 0, expected], atol=0.01)


def test_bar_clamp_tapers_by_five_degrees():
    outer = shapely.convex_hull(shapes.prisms("bar_clamp")[0].profile)
    corners = np.array(outer.exterior.coords)
    sides = np.diff(corners, axis=0)
    long = sides[np.argsort(np.linalg.norm(sides, axis=1))[-2:]]
    np.testing.assert_allclose(np.degrees(np.arctan(np.abs(long[:, 0] / long[:, 1]))), 5, atol=0.2)


def test_tail_takes_the_mass_of_the_turbine_housing_with_it():
    mesh = shapes.make("turbine_housing")
    middle_of_ring = mesh.bounds[0, 0] + 0.0265
    assert mesh.center_mass[0] - middle_of_ring > 0.010
    np.testing.assert_allclose(mesh.center_mass[1], 0, atol=1e-4)


def test_prisms_are_the_shape():
    curved = {name for name in shapes.NAMES if shapes.prisms(name) is None}
    assert curved == {"climbing_hold", "turbine_housing"}
    for name in set(shapes.NAMES) - curved:
        mesh, again = shapes.make(name), carve(shapes.prisms(name))
        np.testing.assert_allclose(again.bounds, mesh.bounds, atol=1e-12)
        np.testing.assert_allclose(again.volume, mesh.volume, rtol=1e-9)
        np.testing.assert_allclose(again.center_mass, mesh.center_mass, atol=1e-9)


def test_same_bytes_in_every_process():
    code = "import test_shapes; print(test_shapes.every_bit())"
    here = Path(__file__).parent
    path = {"PYTHONPATH": f"{here}:{here.parent}", "PYTHONHASHSEED": "7"}
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=path)
    assert out.stdout.strip() == every_bit()


def test_unknown_name_is_refused_with_the_known_ones():
    for ask in (shapes.make, shapes.prisms):
        with pytest.raises(InvalidValue, match=r"shape = 'tape' must be one of arch, .*tape_roll"):
            ask("tape")


def test_prisms_place_their_profile():
    (prism,) = shapes.prisms("arch")
    corners = np.array(prism.profile.exterior.coords)
    flat = np.column_stack([corners, np.zeros(len(corners))])
    placed = trimesh.transform_points(flat, prism.T_object_prism)
    mesh = shapes.make("arch")
    assert trimesh.proximity.closest_point(mesh, placed)[1].max() < 1e-12
