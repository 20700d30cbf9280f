"""Render: pinhole closed forms, a brute-force ray oracle, and holes that are open."""

from dataclasses import replace

import numpy as np
import pytest
import trimesh
from scipy import ndimage
from scipy.spatial.transform import Rotation

from grasp import Camera, InvalidValue, presets
from grasp.mesh import Mesh
from objects import family, shapes
from objects.render import sight

CONF = presets.read("camera", "overhead")
TOP = Camera(**CONF["camera"])
BELOW = 0.65  # metres from the camera to the table


def box(x=0.08, y=0.05, z=0.06, at=(0.0, 0.0)):
    """Return a box on the table."""
    mesh = trimesh.creation.box((x, y, z))
    return mesh.apply_translation((*at, z / 2))


def tilted(degrees=35.0, distance=0.5, **size):
    """Return a camera that looks at the origin from the side."""
    turn = Rotation.from_euler("zx", [40, 180 - degrees], degrees=True).as_matrix()
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = turn, -distance * turn[:, 2]
    return Camera(**{**CONF["camera"], "T_table_camera": T, **size})


SMALL = {"fx": 105.0, "fy": 108.0, "cx": 23.3, "cy": 18.2, "width": 48, "height": 36}
GROUND = trimesh.Trimesh([(-9, -9, 0), (9, -9, 0), (9, 9, 0), (-9, 9, 0)], [(0, 1, 2), (0, 2, 3)])


def test_box_from_above_has_the_size_and_depth_of_a_pinhole():
    seen = sight(box(at=(0.02, -0.03)), TOP)
    top = BELOW - 0.06
    rows, columns = (np.flatnonzero(seen.mask.any(axis)) for axis in (1, 0))
    # sides of the top face, and of the foot where a wall is seen; u = cx + f x / z, v = cy - f y / z
    assert abs(columns[0] - 0.5 - (639.5 + 700 * -0.02 / top)) <= 0.5
    assert abs(columns[-1] + 0.5 - (639.5 + 700 * 0.06 / top)) <= 0.5
    assert abs(rows[0] - 0.5 - (359.5 + 700 * 0.005 / BELOW)) <= 0.5
    assert abs(rows[-1] + 0.5 - (359.5 + 700 * 0.055 / top)) <= 0.5
    middle = seen.depth[385:420, 620:705]
    np.testing.assert_allclose(middle, top, rtol=0, atol=1e-12)
    np.testing.assert_allclose(seen.depth[~seen.mask], BELOW, rtol=0, atol=1e-12)


def test_depth_deprojects_onto_the_surface():
    camera = tilted()
    seen = sight(box(), camera)
    v, u = np.nonzero(seen.mask)
    points = camera.deproject(u, v, seen.depth[seen.mask])
    half = np.array([0.04, 0.025, 0.03])
    outside = np.abs(points - [0, 0, 0.03]) - half
    np.testing.assert_allclose(outside.max(1), 0, atol=1e-6)  # on a face, and beyond none
    v, u = np.nonzero(~seen.mask)
    np.testing.assert_allclose(camera.deproject(u, v, seen.depth[~seen.mask])[:, 2], 0, atol=1e-12)


def first_hits(mesh, camera):
    """Return the depth (h, w) of every ray against every triangle (Moller and Trumbore 1997), infinite where it misses."""
    u, v = np.meshgrid(np.arange(camera.width), np.arange(camera.height))
    rays = camera.in_camera(u, v, 1.0).reshape(-1, 1, 3) @ camera.pose[:3, :3].T
    a, b, c = np.moveaxis(mesh.triangles, 1, 0)
    p = np.cross(rays, c - a)
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = 1 / np.einsum("...i,...i", p, b - a)
        s = camera.pose[:3, 3] - a
        first = np.einsum("...i,...i", p, s) * scale
        q = np.cross(s, b - a)
        second = np.einsum("...i,...i", rays, q) * scale
        depth = np.einsum("...i,...i", c - a, q) * scale
        depth[~((first >= 0) & (second >= 0) & (first + second <= 1) & (depth > 0))] = np.inf
    return depth.min(1).reshape(u.shape)


@pytest.mark.parametrize("name", ["camera_mount", "gearbox", "tape_dispenser"])
@pytest.mark.parametrize("camera", [tilted(**SMALL), Camera(**{**CONF["camera"], **SMALL})], ids=["tilted", "above"])
def test_every_pixel_agrees_with_every_triangle(name, camera):
    mesh = shapes.make(name)
    seen, oracle = sight(mesh, camera), first_hits(mesh, camera)
    table = first_hits(GROUND, camera)
    same = seen.mask == (oracle <= table)
    close = np.abs(seen.depth - np.minimum(oracle, table)) < 1e-9
    assert seen.mask.sum() > 100
    assert (same & close).mean() > 0.999  # a ray that meets an edge may go to either side


@pytest.mark.parametrize("name", shapes.NAMES)
def test_no_cracks_and_no_missing_depth(name):
    seen = sight(shapes.make(name), TOP)
    assert np.isfinite(seen.depth).all()
    assert not seen.mask[[0, -1]].any()
    pinholes, count = ndimage.label(~seen.mask)
    sizes = np.bincount(pinholes.ravel())[1 : count + 1]
    assert sizes.min() >= 9  # the smallest true hole is a screw's, 5 mm or about 5 px


def test_holes_show_the_table():
    seen = sight(shapes.make("tape_roll"), TOP)
    assert not seen.mask[360, 640]
    assert seen.depth[360, 640] == pytest.approx(BELOW, abs=1e-12)
    windows = {"camera_mount": 4, "spring_clamp": 1, "tape_dispenser": 0}
    for name, expected in windows.items():
        regions = ndimage.label(~sight(shapes.make(name), TOP).mask)[1]
        assert regions == expected + 1  # and the surroundings


def test_sphere_has_the_outline_and_shade_of_a_sphere():
    radius, distance = 0.03, BELOW - 0.03
    ball = trimesh.creation.icosphere(5, radius).apply_translation((0, 0, radius))
    seen = sight(Mesh(ball.vertices, ball.faces), TOP)
    outline = 700 * radius / np.sqrt(distance**2 - radius**2)  # the cone that touches a sphere on the axis
    np.testing.assert_allclose(np.sqrt(seen.mask.sum() / np.pi), outline, atol=0.1)
    assert seen.facing[360, 640] > 0.999
    assert seen.facing[seen.mask].min() < 0.2


def test_below_the_table_and_beside_the_picture_nothing_is_seen():
    sunk = box().apply_translation((0, 0, -0.07))
    assert not sight(sunk, TOP).mask.any()
    for at in ((2, 0), (-2, 0), (0, 2), (0, -2)):
        assert not sight(box(at=at), TOP).mask.any()
    cut = sight(box(at=(0.58, 0)), TOP).mask
    assert cut[:, -1].any()


def test_moving_scene_and_camera_together_changes_nothing():
    mesh = family.make("comb", 4)
    T = np.eye(4)
    T[:3, :3] = Rotation.from_euler("z", 1.234).as_matrix()
    T[:2, 3] = 0.3, -0.2
    camera = tilted(**SMALL)
    moved = replace(camera, T_table_camera=T @ camera.pose)
    here, there = sight(mesh, camera), sight(mesh.copy().apply_transform(T), moved)
    assert (here.mask == there.mask).mean() > 0.999
    both = here.mask & there.mask
    np.testing.assert_allclose(here.depth[both], there.depth[both], atol=1e-6)


def test_impossible_cameras_are_refused():
    for height in (0.0, -0.1):
        low = TOP.pose.copy()
        low[2, 3] = height
        with pytest.raises(InvalidValue, match="camera height"):
            sight(box(), replace(TOP, T_table_camera=low))
    with pytest.raises(InvalidValue, match="every pixel sees the table"):
        sight(box(), tilted(80))
    with pytest.raises(InvalidValue, match="in front of the camera"):
        sight(box(z=0.7), TOP)
    with pytest.raises(InvalidValue, match="known before"):
        sight(box(), replace(TOP, T_table_camera=None))
