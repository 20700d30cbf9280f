"""The pad sweep against clipping every triangle with Shapely, and the cases where sweeps go wrong."""

import numpy as np
import pytest
import trimesh

from get3d.bvh import LEAF, Bvh
from get3d.clip import clip, clip_room
from get3d.close import UNDISPLACED
from get3d.pads import Pads
from get3d.touch import Sweep
from grasp import Gripper
from grasp.solids import closing_sign, pad_corners
from tests import oracle_3d as oracle

GET = Gripper.preset("get")
PATCH = 1e-4
SPECIMENS = oracle.specimens()


def swept(mesh, T, opening, pads=None, patch=PATCH):
    sweep = Sweep(Bvh.of(mesh.vertices, mesh.faces), patch)
    return sweep(pads or Pads.of(GET), np.asarray(T), np.asarray(opening), UNDISPLACED)


def down(x=0.0, y=0.0, z=0.0):
    """Return a pose straight down whose closing axis is the table's x."""
    return np.array([[1, 0, 0, x], [0, -1, 0, y], [0, 0, -1, z], [0, 0, 0, 1]], float)


def trapezoid():
    """Return GET with pads that taper from 14 mm to 6 mm."""
    from grasp import presets

    get = presets.read("gripper", "get")
    tapered = {"width": 0.014, "base_width": 0.006}
    jaws = {side: {"pads": [{**pad, **tapered} for pad in get[side]["pads"]]} for side in ("wide", "narrow")}
    return Gripper.from_dict({**get, **jaws})


# ---- agreement -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gripper", [GET, trapezoid()], ids=["get", "trapezoid"])
@pytest.mark.parametrize("name", SPECIMENS)
def test_every_pad_agrees_with_brute_force(name, gripper):
    mesh, rng = SPECIMENS[name], np.random.default_rng(3)
    n, sign, corners = 16, closing_sign(gripper), pad_corners(gripper, 0.0)[..., 1:]
    T = oracle.random_poses(rng, n, mesh.centroid)
    opening = rng.uniform(0.02, 0.3, n)
    checked = 0
    for i in range(len(sign)):
        found = swept(mesh, T, opening, Pads.of(gripper)[[i]])
        for g in range(n):
            start = -sign[i] * opening[g] / 2
            depth, y, z, normal, overlaps = oracle.first_touch(mesh, T[g], corners[i], start, sign[i], PATCH)
            assert found.overlaps[g, 0] == overlaps
            if overlaps:
                continue
            assert found.depth[g, 0, 0] == pytest.approx(depth, abs=2e-7)  # the outline is 1 nm smaller, slopes are steep
            if np.isfinite(depth):
                point = T[g][:3, :3] @ [start + sign[i] * depth, y, z] + T[g][:3, 3]
                assert np.linalg.norm(found.point[g, 0, 0] - point) < 2e-6
                assert np.abs(found.normal[g, 0, 0] - normal).max() < 1e-4  # slivers of 1e-4 mm2 hang on the last digits
                checked += 1
    assert checked >= 10


def test_the_tree_holds_every_triangle_once_inside_its_boxes():
    mesh = oracle.bumpy(2)
    tree, seen = Bvh.of(mesh.vertices, mesh.faces), []

    def below(node):
        inside = []
        for side in range(2):
            first, count = tree.child[node, side], tree.count[node, side]
            triangles = below(first) if count < 0 else list(range(first, first + count))
            assert count <= LEAF
            seen.extend([] if count < 0 else triangles)
            centre, half = tree.box[node, side]
            assert (np.abs(tree.triangles[triangles] - centre) <= half).all()
            inside += triangles
        return inside

    below(0)
    assert sorted(seen) == list(range(len(mesh.faces)))
    given = mesh.triangles.reshape(-1, 9)
    assert np.array_equal(np.unique(tree.triangles.reshape(-1, 9), axis=0), np.unique(given, axis=0))


def test_clipping_keeps_the_area_of_a_triangle_on_the_two_sides_together():
    rng, (corners, spare) = np.random.default_rng(0), clip_room()

    def area(polygon):
        return 0.5 * abs(sum(np.cross(polygon[i], polygon[i - 1])[2] for i in range(len(polygon))))

    for _ in range(200):
        triangle, angle, c = rng.normal(size=(3, 3)) * [0, 1, 1], rng.uniform(0, 6), rng.normal(0, 0.5)
        both = 0.0
        for side in (1.0, -1.0):
            corners[:3] = triangle
            n = clip(corners, 3, 0.0, side * np.cos(angle), side * np.sin(angle), side * c, spare)
            both += area(corners[:n, [1, 2, 0]])
        assert both == pytest.approx(area(triangle[:, [1, 2, 0]]), abs=1e-12)


# ---- cases with known answers ----------------------------------------------------------------------------------------


def test_flat_pads_touch_a_box_in_the_middle_of_the_common_area():
    met = swept(SPECIMENS["box"], down(z=0.02)[None], [0.08])
    assert np.allclose(met.depth[0, 0], 0.01, atol=1e-12)
    # Fingertips 20 mm up, pads 65 mm long, box 80 mm high: the pads meet it from 20 to 80 mm.
    assert np.allclose(met.point[0, 0], [[-0.03, 0.015, 0.05], [-0.03, -0.015, 0.05], [0.03, 0, 0.05]], atol=1e-8)
    assert np.allclose(met.normal[0, 0], [[1, 0, 0], [1, 0, 0], [-1, 0, 0]])


def test_a_pad_half_beside_the_box_touches_only_what_is_before_it():
    box = oracle.on_table(trimesh.creation.box((0.06, 0.03, 0.08)))
    met = swept(box, down(y=0.0, z=0.02)[None], [0.08])
    assert np.allclose(np.abs(met.point[0, 0, :2, 1]), 0.0125, atol=1e-8)  # pads from 10 to 20 mm, box to 15 mm


def test_a_pad_that_starts_inside_or_across_a_wall_overlaps():
    ring = oracle.slender_ring()
    inside_material = swept(ring, down(x=-0.0425, z=0.01)[None], [0.01])  # the ring's wall reaches from 24.5 to 61 mm
    cut = swept(SPECIMENS["box"], down(x=0, z=0.02)[None], [0.059])
    across = swept(SPECIMENS["plate"], down(y=0.0, z=0.02)[None], [0.03])  # 2 mm plate along x, edge-on to the pads
    assert inside_material.overlaps.all() and np.isnan(inside_material.depth).all()
    assert cut.overlaps.all() and across.overlaps.all()


def test_a_flush_pad_touches_at_once_and_one_sliding_along_a_wall_is_free():
    flush = swept(SPECIMENS["box"], down(z=0.02)[None], [0.06])
    assert not flush.overlaps.any()
    assert np.allclose(flush.depth, 0.0, atol=1e-12)
    beside = swept(SPECIMENS["box"], down(y=0.04, z=0.02)[None], [0.08], Pads.of(GET)[[0]])  # pad from 20 mm, box to 20 mm
    assert np.isinf(beside.depth).all() and not beside.overlaps.any()


def test_a_thin_plate_edge_on_is_met_on_its_edge():
    met = swept(SPECIMENS["plate"], down(z=0.02)[None], [0.095], Pads.of(GET)[[2]])
    assert met.depth[0, 0, 0] == pytest.approx(0.0075, abs=1e-12)
    assert np.allclose(met.point[0, 0, 0], [0.04, 0, 0.04], atol=1e-8)
    assert np.allclose(met.normal[0, 0, 0], [-1, 0, 0])


def test_a_wedge_tip_between_the_rays_of_any_grid_is_met_exactly():
    base = [[0, y, z] for y in (-0.02, 0.02) for z in (0.0, 0.06)]
    wedge = trimesh.convex.convex_hull(np.array([[0.04, 0, 0.03], *base]))
    met = swept(wedge, down(y=0.0012, z=0.001)[None], [0.095], Pads.of(GET)[[2]])
    assert met.depth[0, 0, 0] == pytest.approx(0.0075, abs=1e-12)
    assert np.linalg.norm(met.point[0, 0, 0] - [0.04, 0, 0.03]) < PATCH


def test_pads_that_meet_nothing():
    met = swept(SPECIMENS["box"], down(y=0.2, z=0.02)[None], [0.08])
    assert np.isinf(met.depth).all() and not met.overlaps.any() and not met.normal.any()


@pytest.mark.parametrize("far", [np.array([100.0, 50.0, 20.0])])
def test_a_far_mesh_is_met_as_a_near_one(far):
    mesh = SPECIMENS["lumps"]
    T = oracle.random_poses(np.random.default_rng(5), 40, mesh.centroid)
    there, at = mesh.copy(), T.copy()
    there.apply_translation(far)
    at[:, :3, 3] += far
    near, away = swept(mesh, T, np.full(40, 0.2)), swept(there, at, np.full(40, 0.2))
    assert np.array_equal(near.overlaps, away.overlaps)
    assert np.allclose(near.depth, away.depth, atol=1e-9, equal_nan=True)
    assert np.allclose(near.point, np.where(away.normal.any(-1, keepdims=True), away.point - far, 0), atol=1e-6)


def test_a_finer_mesh_of_the_same_shape_changes_nothing():
    mesh, T = SPECIMENS["star"], oracle.random_poses(np.random.default_rng(6), 40, SPECIMENS["star"].centroid)
    fine = trimesh.Trimesh(*trimesh.remesh.subdivide_loop(mesh.vertices, mesh.faces, 0)[:2])
    for _ in range(3):
        fine = fine.subdivide()
    one, other = swept(mesh, T, np.full(40, 0.2)), swept(fine, T, np.full(40, 0.2))
    assert len(fine.faces) == 64 * len(mesh.faces)
    assert np.allclose(one.depth, other.depth, atol=1e-9, equal_nan=True)
    assert np.allclose(one.point, other.point, atol=1e-7)


def test_batches_may_be_split_anywhere():
    mesh, rng = SPECIMENS["torus"], np.random.default_rng(7)
    T, opening = oracle.random_poses(rng, 30, mesh.centroid), rng.uniform(0.05, 0.2, 30)
    whole = swept(mesh, T, opening)
    for part in (slice(0, 1), slice(1, 17), slice(17, 30)):
        some = swept(mesh, T[part], opening[part])
        for field in ("depth", "point", "normal", "overlaps"):
            assert np.array_equal(getattr(some, field), getattr(whole, field)[part], equal_nan=field == "depth")
