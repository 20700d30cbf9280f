"""Held blocks against statics: Coulomb's limit, torsion and pushes of a pressed patch, creep, Hooke's law."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from objects.solid import Solid
from physics import drive, measure
from physics.drive import opening
from physics.motion import step, wait
from physics.slip import place_gauge, push
from tests.physics_bench import BLOCK, JAWS, NOMINAL, PAD, block, gripped, patch, yields_at

pytestmark = pytest.mark.physics
MU, FORCE = NOMINAL.friction, NOMINAL.closing.force


@pytest.fixture(params=JAWS)
def scene(request):
    return gripped(request.param)


def test_heaviest_mass(scene):
    limit = MU * 2 * FORCE  # Coulomb at both jaws: 30 N
    assert yields_at(scene, [0, 0, -1], 0.9 * limit, 5.0, 0.002) == pytest.approx(limit, rel=0.03)


def test_torsion_about_the_closing_axis(scene):
    pressed = patch(scene.gripper, FORCE)
    limit = MU * pressed[:, 2] @ np.hypot(pressed[:, 0], pressed[:, 1])  # sum of mu N_i r_i
    assert yields_at(scene, [1, 0, 0], 0.9 * limit, 0.2, 0.1, about=True) == pytest.approx(limit, rel=0.03)


def test_push_at_a_lever(scene):
    gauge = place_gauge(scene, height=-PAD / 2)
    pressed, arm = patch(scene.gripper, FORCE), gauge.arm
    # upper-bound theorem of plasticity: the least, over centres of rotation on the arm, of dissipation over lever
    centres = np.linspace(-0.3, arm - 1e-3, 1500)
    dissipation = [MU * pressed[:, 2] @ np.hypot(pressed[:, 0] - c, pressed[:, 1]) for c in centres]
    assert push(scene, gauge, 1.0) == pytest.approx((dissipation / (arm - centres)).min(), rel=0.04)


def test_creep_at_half_load(scene):
    down = np.array([0, 0, -MU * FORCE])  # of the limit 2 mu F
    for _ in range(100):
        step(scene, down)
    before = measure.pose(scene).place[2]
    for _ in range(250):
        step(scene, down)
    assert abs(measure.pose(scene).place[2] - before) < 0.05e-3 * 0.5  # 0.05 mm/s for 0.5 s


def test_pads_are_springs(scene):
    scene.model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST  # at this one the contact model is exact
    wait(scene, 0.3)
    forces = zip(measure.jaws(scene, measure.touch(scene)), (scene.gripper.wide, scene.gripper.narrow), strict=True)
    area = [(force, sum(pad.width * pad.height for pad in jaw.pads)) for force, jaw in forces]
    compressed = sum(force / (NOMINAL.pads.stiffness * a) for force, a in area)
    assert BLOCK[0] - opening(scene) == pytest.approx(compressed, rel=1e-4)


def test_the_integrator_makes_pads_5_percent_stiffer(scene):
    found = scene.data.contact
    stiffness = scene.data.efc_force[found.efc_address] / -found.dist
    asked = NOMINAL.pads.stiffness * scene.gripper.pads[0].width * PAD / 13 / round(scene.gripper.pads[0].width / 0.005)
    assert (stiffness > asked).all()
    assert stiffness.mean() == pytest.approx(asked, rel=0.05)


def test_each_pad_carries_its_share(scene):
    found = measure.touch(scene)
    wide = len(scene.gripper.wide.pads)
    np.testing.assert_allclose(found.pads, [FORCE / wide] * wide + [FORCE], rtol=0.02)
    assert (found.body, found.table, found.crash) == (0, 0, 0)
    assert found.height == pytest.approx(-PAD / 2, abs=1e-3)


def test_contacts_carry_the_weight():
    scene = gripped("get")
    scene.model.opt.gravity[2] = -NOMINAL.gravity
    wait(scene, 0.5)
    total, force = np.zeros(3), np.zeros(6)
    for i, contact in enumerate(scene.data.contact):
        mujoco.mj_contactForce(scene.model, scene.data, i, force)
        sign = 1 if scene.role[contact.geom2] == -1 else -1
        total += sign * contact.frame.reshape(3, 3).T @ force[:3]
    np.testing.assert_allclose(total, [0, 0, scene.mass * NOMINAL.gravity], atol=1e-3)


@pytest.mark.parametrize("hold", ["lock", "force"])
def test_both_ways_to_hold_press_with_the_force(hold):
    scene = gripped("get", replace(NOMINAL, closing=replace(NOMINAL.closing, hold=hold)))
    np.testing.assert_allclose(measure.jaws(scene, measure.touch(scene)), FORCE, rtol=0.02)
    assert drive.closing_speed(scene) == pytest.approx(0, abs=1e-4)


def pinched(force):
    """Return the metres that a cube of 39 mm and 50 g slides down in between two jaws that press with a force."""
    cube: Solid = block((0.039, 0.039, 0.039), "cube")
    settings = replace(NOMINAL, density=0.05 / cube.volume, closing=replace(NOMINAL.closing, force=force))
    scene = gripped("two_narrow", settings, cube)
    scene.model.opt.gravity[2] = -settings.gravity
    before = measure.pose(scene).place[2]
    wait(scene, 10.0 if force > 1 else 1.0)
    return before - measure.pose(scene).place[2]


@pytest.mark.parametrize(("force", "slides"), [(10.0, False), (0.65, False), (0.2, True)])
def test_a_pinched_cube_neither_creeps_nor_hangs_on(force, slides):
    # ../shared/cases O35: Coulomb ratio 2 mu F / m g of 30.6, 1.99 and 0.61
    assert (pinched(force) > 0.002) == slides
