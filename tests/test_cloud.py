"""Clouds: planes by principal component analysis, which side is outside, what views become, walls below a rim."""

from dataclasses import replace

import numpy as np
import pytest
import shapely
import trimesh
from scipy.spatial.transform import Rotation

from baselines.antipodal import Antipodal
from baselines.cloud import SOLID, Cloud, DataQuality, facing
from baselines.cloud_orient import propagated
from baselines.cloud_scene import RIM, SURFACE, Sampling, scene
from baselines.cloud_walls import Eye, walls
from get2d import perceive
from get2d.footprint import Footprint, HeightMap
from grasp import InvalidValue, PerceptionError, Reason, View
from tests.seen import SETTINGS, depth_of_box, looking

PRESET = Antipodal.preset()
DATA, SAMPLING, APPROACH = PRESET.data, PRESET.sampling, PRESET.approach
NEIGHBOURS = DATA.neighbours


def ball(count=20_000, radius=0.03, seed=0):
    """Return points evenly at random on a sphere about the origin."""
    out = np.random.default_rng(seed).normal(size=(count, 3))
    return radius * out / np.linalg.norm(out, axis=1, keepdims=True)


def on(mesh, count=20_000, seed=0):
    """Return points at random on a mesh, and the normals of their faces."""
    points, face = trimesh.sample.sample_surface(mesh, count, seed=seed)
    return np.asarray(points), mesh.face_normals[face]


def disc(count, radius, noise, seed=0):
    """Return points at random on a level disc, off it by Gaussian noise."""
    rng = np.random.default_rng(seed)
    r, angle = radius * np.sqrt(rng.random(count)), 2 * np.pi * rng.random(count)
    return np.stack([r * np.cos(angle), r * np.sin(angle), noise * rng.normal(size=count)], 1)


def seen(view, rng=0, sampling=SAMPLING, least=NEIGHBOURS, perception=SETTINGS):
    return scene(view, perception, sampling, APPROACH, least, np.random.default_rng(rng))


# ---- planes ----------------------------------------------------------------------------------------------------------


def test_agrees_with_every_plane_fitted_alone():
    """Against one search and one singular value decomposition per place, points off a ball and places off the points."""
    cloud, places = Cloud.of(ball(800)), 1.05 * ball(60, seed=1)
    found = cloud.patches(places, NEIGHBOURS)
    for i, place in enumerate(places):
        away = np.linalg.norm(cloud.points - place, axis=1)
        near = cloud.points[np.argsort(away)[:NEIGHBOURS]]
        _, spread, axes = np.linalg.svd(near - near.mean(0))
        assert abs(found.normal[i] @ axes[2]) == pytest.approx(1, abs=1e-9)
        assert found.curvature[i] == pytest.approx(spread[2] ** 2 / (spread**2).sum(), rel=1e-6)
        assert found.residual[i] == pytest.approx(spread[2] / np.sqrt(NEIGHBOURS), rel=1e-6)
        assert found.radius[i] == pytest.approx(np.sort(away)[NEIGHBOURS - 1])
        np.testing.assert_allclose(found.centre[i], near.mean(0), atol=1e-12)


def test_normals_of_a_ball_point_along_its_radius_and_to_the_camera():
    eye, points = np.array([0.05, 0.02, 0.5]), ball(50_000)
    points = points[points @ eye > 0.03**2]  # what the camera sees
    found = Cloud.of(points, eye - points).patches(points, NEIGHBOURS)
    inner = points @ eye > 0.003 * np.linalg.norm(eye) + 0.03**2  # the data end at the limb
    along = np.einsum("ni,ni->n", found.normal, points / 0.03)
    assert (np.einsum("ni,ni->n", found.normal, eye - points) >= 0).all()
    assert np.degrees(np.arccos(along[inner].clip(-1, 1))).max() < 3
    assert found.good(DATA)[inner].all()


MIDDLE = (2 / (3 * np.pi)) ** 2  # of two half discs of radius 1 at right angles: their mean's distance from either, squared
RIGHT_EDGE = (1 / 8 - 2 * MIDDLE) / (1 / 8 - 2 * MIDDLE + 1 / 8 + 1 / 4)  # their surface variation, 0.085


def test_normals_of_a_box_are_those_of_its_faces_and_the_score_is_large_at_edges():
    mesh = trimesh.creation.box((0.06, 0.05, 0.04))
    points, normals = on(mesh)
    found = Cloud.of(points, normals).patches(points, NEIGHBOURS)
    to_edge = np.sort(mesh.extents / 2 - np.abs(points), axis=1)[:, 1]  # of the three faces' planes, the second nearest
    inner, edge = to_edge > found.radius, to_edge < 0.1 * found.radius
    assert inner.sum() > 5000 and edge.sum() > 200
    assert np.einsum("ni,ni->n", found.normal, normals)[inner].min() > 1 - 1e-9
    assert found.curvature[inner].max() < 1e-9 and found.good(DATA)[inner].all()
    assert found.curvature[edge].mean() == pytest.approx(RIGHT_EDGE, rel=0.03)
    assert (~found.good(DATA)[edge]).mean() > 0.95


@pytest.mark.parametrize("noise", [0.0, 0.0005, 0.001, 0.002])
def test_score_and_residual_of_a_noisy_disc(noise):
    """Of a disc of radius r each direction has the variance r^2 / 4, and the noise has its own: s^2 / (s^2 + r^2 / 2)."""
    found = Cloud.of(disc(20_000, 0.01, noise)).patches(np.zeros((1, 3)), 20_000)
    assert found.curvature[0] == pytest.approx(noise**2 / (noise**2 + 0.01**2 / 2), rel=0.05, abs=1e-12)
    assert found.residual[0] == pytest.approx(noise, rel=0.03, abs=1e-9)


@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_neighbours_on_a_line_or_a_spot_tell_no_plane(spread):
    row = spread * np.outer(np.linspace(0, 0.02, 40), [1.0, 2, 3])
    found = Cloud.of(row).patches(row, NEIGHBOURS)
    assert (found.curvature == SOLID).all() and not found.good(DATA).any()


def test_neighbours_too_far_apart_are_poor_data():
    found = Cloud.of(disc(30, 0.05, 0)).patches(np.zeros((1, 3)), NEIGHBOURS)
    assert found.curvature[0] < 1e-9 and not found.good(DATA)[0]
    assert found.good(replace(DATA, radius=0.06))[0]


def test_planes_move_with_the_cloud():
    points = ball(3000) + 0.001 * np.random.default_rng(1).normal(size=(3000, 3))
    turn, shift = Rotation.from_euler("xyz", [0.3, -1.0, 2.0]).as_matrix(), np.array([0.4, -0.3, 0.1])
    here = Cloud.of(points, points).patches(points, NEIGHBOURS)
    there = Cloud.of(points @ turn.T + shift, points @ turn.T).patches(points @ turn.T + shift, NEIGHBOURS)
    np.testing.assert_allclose(there.normal, here.normal @ turn.T, atol=1e-8)
    np.testing.assert_allclose(there.curvature, here.curvature, atol=1e-9)
    np.testing.assert_allclose(there.centre, here.centre @ turn.T + shift, atol=1e-12)


# ---- outside ---------------------------------------------------------------------------------------------------------


def solids():
    ring = trimesh.creation.annulus(0.02, 0.03, 0.03)
    slab, pillar = trimesh.creation.box((0.06, 0.03, 0.02)), trimesh.creation.box((0.02, 0.03, 0.05))
    pillar.apply_translation([-0.02, 0, 0.015])
    apart = trimesh.creation.icosphere(3, 0.015)
    apart.apply_translation([0.1, 0, 0])
    return {
        "ball": trimesh.creation.icosphere(3, 0.03),
        "torus": trimesh.creation.torus(0.03, 0.01),
        "ring": ring,
        "corner": trimesh.boolean.union([slab, pillar]),
        "two pieces": trimesh.util.concatenate([trimesh.creation.icosphere(3, 0.02), apart]),
    }


@pytest.mark.parametrize("name", solids())
def test_without_a_camera_normals_point_out_of_the_surface(name):
    """None of these but the ball has its outside away from its middle everywhere: a bore, a notch, a second piece."""
    points, normals = on(solids()[name], 10_000)
    found = Cloud.of(points).patches(points, NEIGHBOURS)
    outward = np.einsum("ni,ni->n", propagated(points, found.normal), normals)
    assert (outward > 0).mean() > 0.995
    assert (outward[found.good(DATA)] > 0.5).all()


def test_outside_does_not_depend_on_the_signs_it_begins_with():
    points, normals = on(solids()["torus"], 3000)
    signs = np.random.default_rng(1).choice([-1.0, 1.0], (3000, 1))
    np.testing.assert_array_equal(propagated(points, normals), propagated(points, signs * normals))


def test_a_single_point_faces_up():
    np.testing.assert_array_equal(propagated(np.zeros((1, 3)), np.array([[0.0, 0, -1]])), [[0, 0, 1]])


def test_facing_turns_round_only_what_faces_away():
    normals = np.array([[1.0, 0, 0], [0, 0, 1], [0, 1, 0]])
    towards = np.array([[-2.0, 1, 0], [0, 0, 3], [1, 0, 0]])
    np.testing.assert_array_equal(facing(normals, towards), normals * [[-1], [1], [1]])


# ---- views -----------------------------------------------------------------------------------------------------------

SIZE = (0.08, 0.05, 0.04)


def off_box(points, size=SIZE, centre=(0.0, 0.0)):
    """Return how far points are from the surface of a box on the table."""
    middle = np.array([*centre, size[2] / 2])
    outside = np.abs(points - middle) - np.array(size) / 2
    return np.abs(outside.max(1)) + np.where((outside > 0).sum(1) > 1, np.linalg.norm(outside.clip(0), axis=1), 0)


@pytest.mark.parametrize("tilt", [0.0, 0.6])
@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("posed", [True, False])
def test_depth_becomes_points_of_the_object_and_of_nothing_else(tilt, masked, posed):
    depth, mask = depth_of_box(looking(tilt), SIZE)
    view = View(depth=depth, mask=mask if masked else None, camera=looking(tilt, posed=posed))
    found = seen(view).clouds[SURFACE]
    assert len(found) > 0.9 * (mask & np.isfinite(depth)).sum()
    assert off_box(found.points).max() < 5e-4 if posed else np.ptp(found.points[:, 2]) <= 0.0405
    assert (np.einsum("ni,ni->n", found.outward, found.outward) > 0.3).all()  # the camera is more than half a metre away


def test_colours_tell_the_object_as_a_mask_does():
    camera = looking()
    depth, mask = depth_of_box(camera, SIZE)
    rgb = np.where(mask[..., None], np.uint8(200), np.uint8(0)) * np.ones(3, np.uint8)
    by_colour, by_mask = (seen(View.from_rgbd(rgb, depth, camera, m)).clouds[SURFACE] for m in (None, mask))
    np.testing.assert_array_equal(by_colour.points, by_mask.points)


def test_a_cloud_loses_its_table_and_its_specks():
    box = trimesh.creation.box(SIZE)
    box.apply_translation([0, 0, SIZE[2] / 2])
    points, _ = on(box)
    table = np.column_stack([np.random.default_rng(1).uniform(-0.2, 0.2, (5000, 2)), np.zeros(5000)])
    speck = np.array([[0.15, 0.1, 0.02], [0.151, 0.1, 0.02]])
    found = seen(View.from_cloud(np.concatenate([points, table, speck])))
    assert off_box(found.clouds[SURFACE].points).max() < 1e-9
    assert found.clouds[SURFACE].outward is None and len(found.footprint.notes) > 0


def test_a_cloud_with_a_camera_was_seen_from_there():
    points = ball() + [0, 0, 0.05]
    found = seen(View(points=points, camera=looking())).clouds[SURFACE]
    np.testing.assert_allclose(found.outward, looking().pose[:3, 3] - found.points)


def test_a_large_cloud_is_thinned_at_random_and_by_the_seed():
    points = ball() + [0, 0, 0.05]
    few = replace(SAMPLING, points=500)
    one, same, other = (seen(View.from_cloud(points), rng, few).clouds[SURFACE].points for rng in (0, 0, 1))
    assert len(one) == 500 and np.isin(one, points).all()
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_a_mesh_is_sampled_on_its_surface_by_area_and_nothing_is_assumed_of_it():
    box = trimesh.creation.box(SIZE)
    box.apply_translation([0, 0, SIZE[2] / 2])
    found = seen(View.from_mesh(box.vertices, box.faces)).clouds
    assert set(found) == {SURFACE}
    cloud = found[SURFACE]
    assert len(cloud) == pytest.approx(box.area / SAMPLING.spacing**2, abs=1)
    assert off_box(cloud.points).max() < 1e-9
    low = cloud.points[:, 2] < 1e-9
    assert low.mean() == pytest.approx(SIZE[0] * SIZE[1] / box.area, abs=0.02)
    np.testing.assert_allclose(cloud.outward[low], [[0, 0, -1]] * low.sum(), atol=1e-12)


def test_of_an_outline_alone_only_the_rim_is_known():
    view = View.from_polygon(shapely.box(0, 0, 0.05, 0.03))
    assert set(seen(view).clouds) == {RIM} and not seen(view).clouds[RIM].measured
    with pytest.raises(PerceptionError) as error:
        seen(view, sampling=replace(SAMPLING, rim=False))
    assert error.value.reason is Reason.VIEW_LACKS_INPUT


def test_too_few_points_are_told_with_their_numbers():
    with pytest.raises(PerceptionError, match="Of the 30000 points that are needed it has 20000 on its surface"):
        seen(View.from_cloud(ball() + [0, 0, 0.05]), sampling=replace(SAMPLING, rim=False), least=30_000)


# ---- walls -----------------------------------------------------------------------------------------------------------

HOLE = [(0.03, 0.02), (0.03, 0.03), (0.05, 0.03), (0.05, 0.02)]
HOLED = shapely.Polygon([(0, 0), (0.08, 0), (0.08, 0.05), (0, 0.05)], [HOLE])


def flat_map(polygon, height, cell=0.001):
    """Return the height map of a prism."""
    left, lower, right, upper = polygon.bounds
    x, y = np.meshgrid(np.arange(left, right + cell, cell), np.arange(lower, upper + cell, cell))
    inside = shapely.contains_xy(polygon.buffer(1e-9), x, y)
    return HeightMap(np.where(inside, height, np.nan), np.array([left, lower]), cell)


@pytest.mark.parametrize("height", [None, 0.015, 0.06, 0.2])
def test_walls_stand_on_the_outline_face_outwards_and_end_below_the_top(height):
    footprint = Footprint(HOLED, None if height is None else flat_map(HOLED, height))
    found = walls(footprint, None, APPROACH, SAMPLING.spacing, SAMPLING.band)
    xy, z = found.points[:, :2], found.points[:, 2]
    assert shapely.distance(HOLED.boundary, shapely.points(xy)).max() < 1e-12
    assert (found.outward[:, 2] == 0).all()
    step = 1e-5 * found.outward[:, :2] / np.linalg.norm(found.outward, axis=1, keepdims=True)
    assert shapely.contains_xy(HOLED, *(xy - step).T).all() and not shapely.contains_xy(HOLED, *(xy + step).T).any()
    assert np.ptp(z) <= SAMPLING.band and z.min() > 0
    if height is not None:
        tip = APPROACH.fingertip_height(footprint.heights)
        assert z.mean() == pytest.approx((tip + height) / 2, abs=1e-3)


def test_walls_are_as_dense_as_asked():
    found = walls(Footprint(HOLED), None, APPROACH, 0.001, 0.01)
    assert len(found) == pytest.approx(HOLED.length / 0.001 * 10, rel=0.01)
    assert found.tree.query(found.points, 2)[0][:, 1].max() <= 0.001 + 1e-9


def test_a_rim_seen_in_perspective_is_moved_to_where_it_is():
    """A step 10 mm high around a block of 80 mm: by the height of the block's top the image shows the step too small."""
    camera = looking(distance=0.5)
    (low, mask), (high, _) = depth_of_box(camera, (0.1, 0.08, 0.01)), depth_of_box(camera, (0.04, 0.03, 0.08))
    view = View.from_mask(mask, depth=np.minimum(low, high), camera=camera)
    settings = replace(SETTINGS, object_percentile=1)  # the block's top
    outline = np.ptp(np.reshape(perceive(view, settings).polygon.bounds, (2, 2)), axis=0)
    rim = np.ptp(seen(view, perception=settings).clouds[RIM].points[:, :2], axis=0)
    np.testing.assert_allclose(outline, np.array([0.1, 0.08]) * 42 / 49, atol=2e-3)
    np.testing.assert_allclose(rim, (0.1, 0.08), atol=2e-3)


def test_moving_along_the_ray_is_that_of_the_camera():
    camera = looking(distance=0.5)
    points = np.random.default_rng(0).uniform(-0.1, 0.1, (50, 2))
    z = np.random.default_rng(1).uniform(0, 0.1, 50)
    u, v, _ = camera.project(np.column_stack([points, z]))
    flat = camera.deproject(u, v, np.full(50, 0.45))
    np.testing.assert_allclose(Eye(camera.pose[:3, 3], 0.05).moved(flat[:, :2], z), points, atol=1e-12)


# ---- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "name"),
    [
        (lambda: DataQuality(2, 0.03, 0.01), "neighbours = 2"),
        (lambda: DataQuality(30, 0.0, 0.01), "curvature = 0"),
        (lambda: DataQuality(30, 0.5, 0.01), "at most 1/3"),
        (lambda: DataQuality(30, 0.03, -1), "radius = -1"),
        (lambda: Sampling(0, 5000, 0.001, True, 0.01), "points = 0"),
        (lambda: Sampling(100, 5000, 0.001, "yes", 0.01), "rim = 'yes'"),
        (lambda: Cloud.of(np.zeros((5, 2))), r"points.shape = \(5, 2\)"),
        (lambda: Cloud.of(np.zeros((5, 3)), np.zeros((4, 3))), "outward.shape"),
        (lambda: Cloud.of(np.zeros((5, 3))).patches(np.zeros((1, 3)), 6), "neighbours = 6 must be from 3 to the 5 points"),
    ],
)
def test_bad_input_is_named(what, name):
    with pytest.raises(InvalidValue, match=name):
        what()
