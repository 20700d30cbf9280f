"""Registration: every yaw is found, symmetry is told from ambiguity, and what cannot be used is refused with a reason."""

import time
from dataclasses import replace

import numpy as np
import pytest
import trimesh
from trimesh.transformations import translation_matrix as at

from get3d.planner import Get3D
from get3d.register import register, register_view
from get3d.register_fit import on_table, settle
from get3d.register_settings import Registering
from get3d.register_surface import Surface
from grasp import Camera, InvalidValue, PerceptionError, Plan, Reason, View, presets
from grasp.frames import transform_points
from objects.open3d_loader import open3d
from objects.render import sight
from objects.solid import Solid
from objects.stable import Rest, resting_poses

SETTINGS = Registering.preset("default")
CAMERA = Camera(**presets.read("camera", "overhead")["camera"])
HERE = np.eye(4)
NOISE = 0.001  # m
TURN = on_table(2.0, np.array([0.03, -0.05]))


def box(x, y, z, *place):
    return trimesh.creation.box((x, y, z), at(place))


def bracket():
    post = trimesh.creation.cylinder(0.010, 0.025, transform=at([0, 0.005, 0.0295]))
    parts = [box(0.08, 0.03, 0.02, 0, 0, 0.01), box(0.02, 0.06, 0.02, 0.03, 0.03, 0.01)]
    return trimesh.boolean.union([*parts, box(0.015, 0.015, 0.03, -0.03, 0, 0.03), post])


def plate():
    """An L with unequal arms and a bore: what is seen of it has vertical normals only."""
    whole = trimesh.boolean.union([box(0.09, 0.03, 0.02, 0.03, 0, 0.01), box(0.03, 0.07, 0.02, 0, 0.03, 0.01)])
    return trimesh.boolean.difference([whole, trimesh.creation.cylinder(0.008, 0.1, transform=at([0.05, 0, 0]))])


def housing():
    drum = trimesh.creation.cylinder(0.03, 0.05, transform=at([0, 0, 0.025]))
    return trimesh.boolean.union([drum, box(0.05, 0.02, 0.03, 0.04, 0.01, 0.015), box(0.02, 0.02, 0.02, 0, -0.035, 0.01)])


def block(pocket=None):
    """A box of 80 x 50 x 40 mm, whole or with a pocket at one end, in its top or in its bottom."""
    whole = box(0.08, 0.05, 0.04, 0, 0, 0.02)
    depth = {"top": 0.04, "bottom": 0.0}
    return trimesh.boolean.difference([whole, box(0.03, 0.03, 0.04, 0.02, 0, depth[pocket])]) if pocket else whole


PARTS = {"bracket": bracket, "plate": plate, "housing": housing}
SOLIDS = {name: Solid.from_trimesh(name, make()) for name, make in PARTS.items()}


def seen(solid, T=HERE, seed=0):
    """Return what the camera sees of a solid placed by T, with noise."""
    view = sight(solid.posed(T).mesh, CAMERA)
    v, u = np.nonzero(view.mask)
    points = CAMERA.deproject(u, v, view.depth[v, u])
    return points + np.random.default_rng(seed).normal(0, NOISE, points.shape)


def error(solid, found, true):
    """Return by how many metres the worst vertex is off, and by how many degrees the yaw."""
    places = (transform_points(T, solid.vertices) for T in (found, true))
    turn = found[:2, :2] @ true[:2, :2].T
    return np.linalg.norm(np.subtract(*places), axis=1).max(), np.degrees(abs(np.arctan2(turn[1, 0], turn[0, 0])))


def placements(count, seed=11):
    rng = np.random.default_rng(seed)
    return [on_table(rng.uniform(-np.pi, np.pi), rng.uniform(-0.02, 0.02, 2)) for _ in range(count)]


def refusal(solid, cloud, poses=(HERE,), **settings):
    with pytest.raises(PerceptionError) as caught:
        register(solid, poses, cloud, replace(SETTINGS, **settings))
    return caught.value


# ---- placements found ------------------------------------------------------------------------------------------------


def require_found(name, count):
    solid = SOLIDS[name]
    for seed, T in enumerate(placements(count)):
        found = register(solid, [HERE], seen(solid, T, seed), SETTINGS)
        metres, degrees = error(solid, found.T_table_object, T)
        assert metres < 0.002 and degrees < 1.0
        assert found.runner_up > 1.5 * found.misfit and found.symmetric == ()
        assert found.rmse == pytest.approx(NOISE, rel=0.15)  # the distance from a plane takes one component of the noise


@pytest.mark.parametrize("name", PARTS)
def test_a_few_yaws_are_found(name):
    require_found(name, 3)


@pytest.mark.slow
@pytest.mark.parametrize("name", PARTS)
def test_fifty_yaws_of_fifty_are_found(name):
    require_found(name, 50)


@pytest.mark.slow
def test_it_takes_a_third_of_the_time_of_plain_point_to_plane_with_the_same_starts():
    """Open3D's own ICP, whole cloud against 20,000 samples, as a user would first write it."""
    solid, icp = SOLIDS["bracket"], open3d().pipelines.registration
    cloud = np.concatenate([seen(solid, TURN, seed) for seed in range(3)])  # 12,000 points
    mesh, points = solid.to_trimesh(), lambda array: open3d().utility.Vector3dVector(np.array(array))
    samples, face = trimesh.sample.sample_surface(mesh, 20_000, seed=0)
    source, target = open3d().geometry.PointCloud(points(cloud)), open3d().geometry.PointCloud(points(samples))
    target.normals = points(mesh.face_normals[face])

    def plain():
        for yaw in 2 * np.pi * np.arange(SETTINGS.starts) / SETTINGS.starts:
            start = on_table(yaw, np.zeros(2))
            start[:2, 3] = samples.mean(0)[:2] - start[:2, :2] @ cloud.mean(0)[:2]
            criteria = icp.ICPConvergenceCriteria(1e-6, 1e-6, 50)
            icp.registration_icp(source, target, 0.02, start, icp.TransformationEstimationPointToPlane(), criteria)

    def seconds(run):
        begin = time.perf_counter()
        run()
        return time.perf_counter() - begin

    own = min(seconds(lambda: register(solid, [HERE], cloud, SETTINGS)) for _ in range(3))
    assert own < min(seconds(plain) for _ in range(2)) / 3


def test_moving_the_cloud_moves_the_placement():
    solid = SOLIDS["bracket"]
    cloud = seen(solid)
    before = register(solid, [HERE], cloud, SETTINGS).T_table_object
    after = register(solid, [HERE], transform_points(TURN, cloud), SETTINGS).T_table_object
    assert error(solid, after, TURN @ before)[0] < 0.0003


def test_without_noise_a_small_displacement_is_undone():
    """Exact points on the surface leave nothing but the rounding of single precision."""
    solid = SOLIDS["housing"]
    surface = Surface.of(solid, 2000)
    found = settle(surface, on_table(0.05, np.array([0.002, -0.003])), surface.points, 0.02, 30)
    assert error(solid, found, HERE)[0] < 2e-5


def test_the_pose_it_lies_in_is_found_and_the_object_rests_on_the_table():
    solid = SOLIDS["housing"]
    poses = [pose.T_table_object for pose in resting_poses(solid, replace(Rest.preset("default"), poses=3))]
    for i, pose in enumerate(poses):
        found = register(solid, poses, seen(solid, TURN @ pose), SETTINGS)
        assert found.pose == i and error(solid, found.T_table_object, TURN @ pose)[0] < 0.002
        assert found.runner_up > 1.5 * found.misfit
        assert abs(transform_points(found.T_table_object, solid.vertices)[:, 2].min()) < 1e-6
        np.testing.assert_allclose(found.T_table_object[2, :3], pose[2, :3], atol=1e-12)


# ---- symmetry and ambiguity ------------------------------------------------------------------------------------------


def test_a_symmetry_of_the_shape_is_no_ambiguity_and_is_said():
    solid = Solid.from_trimesh("block", block())
    found = register(solid, [HERE], seen(solid, TURN), SETTINGS)
    (turn,) = np.abs(found.symmetric)
    assert turn == pytest.approx(np.pi, abs=np.radians(1)) and found.runner_up == np.inf
    assert min(error(solid, found.T_table_object, TURN @ on_table(yaw, np.zeros(2)))[0] for yaw in (0, np.pi)) < 0.002


def test_a_round_object_is_found_at_any_yaw():
    solid = Solid.from_trimesh("can", trimesh.creation.cylinder(0.03, 0.05, sections=96, transform=at([0, 0, 0.025])))
    found = register(solid, [HERE], seen(solid, TURN), SETTINGS)
    np.testing.assert_allclose(found.T_table_object[:2, 3], TURN[:2, 3], atol=0.0005)
    assert len(found.symmetric) == SETTINGS.refined - 1


def test_a_difference_that_is_seen_decides():
    solid = Solid.from_trimesh("pocket", block("top"))
    assert error(solid, register(solid, [HERE], seen(solid, TURN), SETTINGS).T_table_object, TURN)[1] < 1


def test_a_difference_that_is_hidden_is_an_ambiguity_with_both_yaws():
    solid = Solid.from_trimesh("pocket", block("bottom"))
    error = refusal(solid, seen(solid))
    assert error.reason is Reason.NOT_REGISTERED and "Two placements" in error.detail
    yaws = sorted(abs(float(part.split(" deg")[0])) for part in error.detail.split("a yaw of ")[1:])
    np.testing.assert_allclose(yaws, [0, 180], atol=1)


# ---- what cannot be used ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cloud", [np.zeros((0, 3)), np.full((500, 3), np.nan), np.zeros((500, 3))])
def test_a_cloud_without_the_object_is_empty(cloud):
    assert refusal(SOLIDS["plate"], cloud).reason is Reason.EMPTY_CLOUD


@pytest.mark.parametrize("scale", [1000.0, 0.001])
def test_another_unit_is_refused_and_named(scale):
    solid = SOLIDS["plate"]
    error = refusal(Solid("plate", solid.vertices / scale, solid.faces), seen(solid)) if scale < 1 else None
    error = error or refusal(solid, seen(solid) * scale)
    assert error.reason is Reason.NOT_REGISTERED and "millimetres" in error.detail


def test_no_overlap_another_object_and_half_a_view_are_refused():
    solid, cloud = SOLIDS["bracket"], seen(SOLIDS["bracket"])
    assert "No point" in refusal(solid, cloud + [0, 0, 0.3]).detail
    assert "95% needed" in refusal(solid, seen(SOLIDS["plate"])).detail
    assert "70% needed" in refusal(solid, cloud[cloud[:, 0] < 0]).detail


def test_missing_points_and_the_table_are_left_out_and_counted():
    solid, rng = SOLIDS["bracket"], np.random.default_rng(0)
    cloud = seen(solid, TURN)
    cloud[rng.random(len(cloud)) < 0.3] = np.nan
    table = np.column_stack([rng.uniform(-0.2, 0.2, (5000, 2)), rng.normal(0, NOISE, 5000)])
    found = register(solid, [HERE], np.concatenate([table, cloud]), SETTINGS)
    assert found.dropped == np.isnan(cloud[:, 0]).sum() and found.on_table >= 5000
    assert error(solid, found.T_table_object, TURN)[0] < 0.002


def test_a_mesh_that_does_not_rest_on_the_table_is_bad_input():
    solid = SOLIDS["bracket"]
    with pytest.raises(InvalidValue, match="rests on the table"):
        register(solid, [at([0, 0, 0.01])], seen(solid), SETTINGS)
    with pytest.raises(InvalidValue, match="at least one way"):
        register(solid, [], seen(solid), SETTINGS)


@pytest.mark.parametrize(("field", "value"), [("starts", 0), ("alike", 0.9), ("least_fitness", 1.1), ("reach", np.nan)])
def test_settings_that_cannot_be_meant(field, value):
    with pytest.raises(InvalidValue, match=field):
        replace(SETTINGS, **{field: value})


# ---- views -----------------------------------------------------------------------------------------------------------


def test_the_planner_runs_on_depth_and_a_mesh_from_elsewhere():
    solid = SOLIDS["bracket"]
    true = sight(solid.posed(TURN).mesh, CAMERA)
    view = register_view(View.from_mask(true.mask, depth=true.depth, camera=CAMERA), solid, [HERE], SETTINGS)
    np.testing.assert_allclose(view.mesh.vertices, transform_points(TURN, solid.vertices), atol=0.001)
    assert isinstance(Get3D.preset().plan(view, np.random.default_rng(0)), Plan)
    cloud = register_view(View.from_cloud(seen(solid, TURN)), solid, [HERE], SETTINGS)
    np.testing.assert_allclose(cloud.mesh.vertices, view.mesh.vertices, atol=0.001)


def test_a_view_without_points_lacks_input():
    with pytest.raises(PerceptionError) as caught:
        register_view(View.from_mask(np.ones((9, 9), bool), pixels_per_meter=1000), SOLIDS["plate"], [HERE], SETTINGS)
    assert caught.value.reason is Reason.VIEW_LACKS_INPUT
