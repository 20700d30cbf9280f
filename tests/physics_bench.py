"""What the physics tests share: a block held in mid-air, grasps by hand, and loads that grow until it gives way."""

from dataclasses import replace

import numpy as np
import trimesh

from grasp import Grasp, Gripper, Metrics
from grasp.frames import pose_top_down
from objects.solid import Solid
from physics import Settings, parts_of
from physics.drive import open_to, steady_table
from physics.inertial import attitude, spin
from physics.motion import step, wait
from physics.phases import close
from physics.scene import build
from wrench import Contacts

NOMINAL = Settings.preset("nominal")
JAWS = ("two_narrow", "get", "two_wide")
BLOCK = (0.03, 0.12, 0.08)  # m, thin along x; its faces cover the pads
PAD = 0.065  # m, their height


def block(size=BLOCK, name="block"):
    """Return a box that stands on the table about the origin."""
    mesh = trimesh.creation.box(size)
    mesh.apply_translation([0, 0, size[2] / 2])
    return Solid.from_trimesh(name, mesh)


def grasp(xy=(0, 0), angle=0.0, height=0.004, opening=0.095):
    """Return a top-down grasp."""
    none = Contacts(np.zeros((3, 3)), np.zeros((3, 3)), np.zeros(3, bool))
    return Grasp(pose_top_down(xy, angle, height), opening, none, "hand", Metrics())


def gripped(jaw, settings=NOMINAL, solid=None):
    """Return the scene of a block gripped across its thin side, weightless, the table gone, by jaws without a palm."""
    solid = block() if solid is None else solid
    height = (solid.vertices[:, 2].max() - PAD) / 2
    gripper = replace(Gripper.preset(jaw), bodies=())
    scene = build(solid, parts_of(solid, settings.parts, None), gripper, pose_top_down((0, 0), 0.0, height), settings)
    scene.model.opt.gravity[:] = 0
    open_to(scene, gripper.max_opening)
    steady_table(scene, np.array([0, 0, -1.0]))
    close(scene)
    wait(scene, 0.3)
    return scene


def yields_at(scene, direction, begin, rate, speed, about=False):
    """Return the force along, or torque about, a direction at which the block has moved faster than `speed` for 20 ms."""
    direction, load, fast = np.asarray(direction, float), begin, 0
    zero, dt = np.zeros(3), scene.settings.solver.timestep
    while fast * dt < 0.02:
        load += rate * dt
        assert load < 10 * begin, "it never gives way"
        step(scene, *((zero, load * direction) if about else (load * direction, zero)))
        velocity = spin(scene, attitude(scene)) if about else scene.data.qvel[3:6]
        fast = fast + 1 if abs(velocity @ direction) > speed else 0
    return load


def patch(gripper, force):
    """Return y, z (m, from the middle of the pads) and normal force (N) of uniform pressure on straight pads, (n, 3)."""
    points = []
    for jaw in (gripper.wide, gripper.narrow):
        for pad in jaw.pads:
            y = pad.offset + pad.width * ((np.arange(40) + 0.5) / 40 - 0.5)
            z = PAD * ((np.arange(120) + 0.5) / 120 - 0.5)
            grid = np.stack(np.meshgrid(y, z), -1).reshape(-1, 2)
            points.append(np.column_stack([grid, np.full(len(grid), force / len(jaw.pads) / len(grid))]))
    return np.concatenate(points)
