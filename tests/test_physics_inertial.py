"""Inertial forces: a free body seen from a turning frame moves as one that nothing touches."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from grasp import Gripper
from grasp.frames import pose_top_down
from physics import parts_of
from physics.inertial import Axis, attitude, skew, turning
from physics.motion import step
from physics.scene import build
from tests.physics_bench import NOMINAL, block

pytestmark = pytest.mark.physics
TIMESTEP, STEPS, PUSH = 0.0005, 400, 14.137  # s; 0.2 s in all; rad/s^2
AXIS = Axis(np.array([0, 1.0, 0]), np.array([-0.42, 0, 0.28]))
SPEED, SPIN = np.array([0.1, -0.05, 0.2]), np.array([1, 2, -1.5])


def free():
    """Return a scene whose block flies, with nothing to hit."""
    solid = block()
    settings = replace(NOMINAL, solver=replace(NOMINAL.solver, timestep=TIMESTEP))
    T = pose_top_down((0, 0), 0.0, 0.01)
    scene = build(solid, parts_of(solid, settings.parts, None), Gripper.preset("get"), T, settings)
    scene.model.geom_contype[:] = scene.model.geom_conaffinity[:] = 0
    scene.data.qvel[3:6], scene.data.qvel[6:9] = SPEED, SPIN
    return scene


def test_a_free_body_keeps_to_its_parabola_and_its_spin():
    seen, resting = free(), free()
    begin = seen.data.qpos[3:6].copy()
    for k in range(STEPS):
        t = k * TIMESTEP
        step(seen, *turning(seen, AXIS, PUSH * t**2 / 2, PUSH * t, PUSH))
        step(resting)
    T = STEPS * TIMESTEP
    back = Rotation.from_rotvec(PUSH * T**2 / 2 * AXIS.direction).as_matrix()
    place = AXIS.centre + back @ (seen.data.qpos[3:6] - AXIS.centre)
    parabola = begin + SPEED * T + [0, 0, -NOMINAL.gravity * T**2 / 2]
    assert np.linalg.norm(parabola - begin) > 0.1
    np.testing.assert_allclose(place, parabola, atol=0.5e-3)
    off = Rotation.from_matrix(back @ attitude(seen) @ attitude(resting).T).magnitude()
    assert np.degrees(off) < 0.1


def test_a_frame_at_rest_adds_nothing():
    force, torque = turning(free(), AXIS, 0.0, 0.0, 0.0)
    np.testing.assert_allclose([force, torque], 0, atol=1e-15)


def test_a_steady_turn_pulls_outwards():
    scene = free()
    scene.data.qvel[3:9] = 0
    scene.model.opt.gravity[:] = 0
    force, _ = turning(scene, AXIS, 0.3, 2.0, 0.0)
    arm = (scene.data.qpos[3:6] - AXIS.centre) * [1, 0, 1]
    np.testing.assert_allclose(force, scene.mass * 4 * arm, rtol=1e-12)


def test_skew_is_the_cross_product():
    v, w = np.random.default_rng(0).normal(size=(2, 3))
    np.testing.assert_allclose(skew(v) @ w, np.cross(v, w), rtol=1e-15)
