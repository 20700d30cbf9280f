"""Awkward cases of the simulator, on inputs made here: holes stay open, and what is held does not creep out."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
import trimesh

from grasp import Gripper
from grasp.frames import pose_top_down
from objects.solid import Solid
from physics import measure, parts_of
from physics.motion import wait
from physics.scene import build
from tests.physics_bench import NOMINAL, block, gripped

pytestmark = pytest.mark.physics
OUTER, INNER, HEIGHT, SIDES = 0.03, 0.02, 0.02, 64  # metres
BALL = 0.006  # m
RING_MASS = 1000 * SIDES / 2 * np.sin(2 * np.pi / SIDES) * (OUTER**2 - INNER**2) * HEIGHT  # kg: 31.37 g
CUBE, CUBE_MASS, MU = 0.039, 0.05, 0.75  # m, kg
GRAVITY = NOMINAL.gravity


def ring():
    """Return the ring, standing on the table; its name is none of those whose parts are known."""
    mesh = trimesh.creation.annulus(INNER, OUTER, HEIGHT, sections=SIDES)
    mesh.apply_translation([0, 0, HEIGHT / 2])
    return Solid.from_trimesh("ring", mesh)


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    return parts_of(ring(), NOMINAL.parts, tmp_path_factory.mktemp("parts"))


def touches(bodies, place):
    """Return the number of contacts that the engine finds between convex bodies and a ball of 6 mm at a place."""
    spec = mujoco.MjSpec()
    for i, vertices in enumerate(bodies):
        corners = np.asarray(vertices, np.float32).ravel()
        spec.add_mesh(name=f"part_{i}", uservert=corners, inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX)
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=f"part_{i}")
    ball = spec.worldbody.add_body(pos=place)
    ball.add_freejoint()
    ball.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[BALL, 0, 0])
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return data.ncon


def test_o34_a_ball_in_the_hole_of_a_ring_touches_nothing(parts):
    assert touches(parts.vertices, [0, 0, HEIGHT / 2]) == 0
    assert touches([ring().vertices], [0, 0, HEIGHT / 2]) > 0  # as one mesh, the hole is filled


@pytest.mark.parametrize("turn", np.arange(8) * np.pi / 4)
def test_o34_the_wall_is_there_and_the_hole_is_as_wide_as_it_is(parts, turn):
    ahead = np.array([np.cos(turn), np.sin(turn), 0])
    inside = INNER * np.cos(np.pi / SIDES) - BALL  # where the ball touches the flat of the wall
    for radius, there in (((INNER + OUTER) / 2, True), (inside + 0.001, True), (inside - 0.001, False)):
        assert (touches(parts.vertices, radius * ahead + [0, 0, HEIGHT / 2]) > 0) is there


@pytest.mark.parametrize(("beside", "free"), [(0.0, True), (0.02, False)])
def test_o34_a_finger_stands_in_the_hole(parts, beside, free):
    """Of the open GET gripper, the narrow pad's face so far (m) beside the axis of the hole; the wide jaw is outside."""
    get = Gripper.preset("get")
    place = pose_top_down((beside - get.max_opening / 2, 0), 0.0, 0.004)
    found = measure.touch(build(ring(), parts, get, place, NOMINAL))
    assert bool(found.pads[2] == 0) is free
    assert (found.pads[:2].tolist(), found.body) == ([0, 0], 0)


def test_o34_the_ring_has_its_own_mass_and_inertia(parts):
    settings = replace(NOMINAL, density=1000.0, densities={})
    scene = build(ring(), parts, Gripper.preset("get"), pose_top_down((0, 0), 0.0, 0.05), settings)
    assert RING_MASS == pytest.approx(0.03137, abs=5e-6)
    assert scene.mass == pytest.approx(RING_MASS, rel=1e-6)
    body = scene.model.body("object")
    assert body.mass[0] == pytest.approx(RING_MASS, rel=1e-6)
    # of a tube about its axis, m (R^2 + r^2) / 2; of 64 sides a little less
    assert body.inertia.max() == pytest.approx(RING_MASS * (OUTER**2 + INNER**2) / 2, rel=0.005)


def slid(jaw, hold, force, seconds):
    """Return by how far (m) a cube of 39 mm and 50 g has moved in the jaws after a time under gravity."""
    cube = block((CUBE, CUBE, CUBE), "cube")
    closing = replace(NOMINAL.closing, force=force, hold=hold)
    scene = gripped(jaw, replace(NOMINAL, density=CUBE_MASS / CUBE**3, friction=MU, closing=closing), cube)
    assert scene.mass == pytest.approx(CUBE_MASS)
    np.testing.assert_allclose(measure.jaws(scene, measure.touch(scene)), force, rtol=0.05)
    scene.model.opt.gravity[2] = -GRAVITY
    before = measure.pose(scene)
    wait(scene, seconds)
    return measure.moved(before, measure.pose(scene))[0]


@pytest.mark.parametrize(("force", "ratio"), [(10.0, 30.58), (0.65, 1.99), (0.2, 0.61)])
def test_o35_coulombs_ratio(force, ratio):
    assert 2 * MU * force / (CUBE_MASS * GRAVITY) == pytest.approx(ratio, abs=0.005)


@pytest.mark.parametrize(("jaw", "hold"), [("get", "lock"), ("two_narrow", "force"), ("two_wide", "lock")])
def test_o35_what_is_held_does_not_creep_out_in_ten_seconds(jaw, hold):
    assert slid(jaw, hold, 10.0, 10.0) < 0.002


@pytest.mark.parametrize("jaw", ["get", "two_narrow"])
def test_o35_it_drops_where_friction_cannot_carry_it_and_holds_where_it_can(jaw):
    assert slid(jaw, "lock", 0.2, 0.5) > 0.01
    assert slid(jaw, "lock", 0.65, 2.0) < 0.002
