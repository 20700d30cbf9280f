"""Phases: what is done in each. Each returns the fields of the result that it found, and whether to go on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from physics import drive, measure, motion
from physics.result import Grip
from physics.scene import Scene
from wrench.sizing import cone_ratio

Found = tuple[dict[str, Any], bool]
STEEP = 0.5  # cosine of the tilt from straight down, 60 degrees, up to which the gripper comes in from above the object


def stand_off(scene: Scene) -> NDArray[np.float64]:
    """Return the way (3,) in metres on which the gripper comes in along its approach axis, from beyond the object."""
    approach, tip, room = scene.T_world_gripper[:3, 2], scene.T_world_gripper[:3, 3], scene.settings.travel.room
    if -approach[2] >= STEEP:
        above = scene.solid.vertices[:, 2].max() + room - tip[2]
        return approach * max(above, room) / -approach[2]
    return approach * (max(float(((tip - scene.solid.vertices) @ approach).max()), 0.0) + room)


def start(scene: Scene, opening: float) -> None:
    """Put the table, with the object on it, where the gripper stands off, and the jaws at an opening."""
    place = stand_off(scene)  # the gripper stays, so the table begins further along the approach axis
    drive.open_to(scene, opening)
    drive.steady_table(scene, place)
    scene.data.joint(scene.model.body("object").jntadr[0]).qpos[:3] += place


def settle(scene: Scene) -> Found:
    """Let the object come to rest on the table."""
    motion.wait(scene, scene.settings.travel.settle_time)
    return {}, True


def descend(scene: Scene) -> Found:
    """Bring the gripper down, unless it presses on something."""
    travel, worst, count = scene.settings.travel, [0.0], [0]

    def goes_on() -> bool:
        count[0] += 1
        if count[0] % travel.watch_every == 0:
            found = measure.touch(scene)
            worst[0] = max(worst[0], found.pads.sum() + found.body, found.crash)
        return worst[0] <= travel.stop_force

    way = stand_off(scene)
    arrived = motion.carry(scene, way, max(travel.least_time, float(np.linalg.norm(way)) / travel.speed), goes_on)
    return {"push_N": worst[0]} | ({} if arrived else {"grip": Grip.COLLISION}), arrived


def close(scene: Scene) -> Found:
    """Close until the jaws come to rest, hold, and look what they have."""
    closing, dt = scene.settings.closing, scene.settings.solver.timestep
    drive.press(scene)
    still = 0
    for k in range(scene.settings.steps(closing.timeout)):
        motion.step(scene)
        slow = abs(drive.closing_speed(scene)) < closing.still_speed and k * dt > closing.least_time
        still = still + 1 if slow else 0
        if still * dt > closing.still_time:
            break
    motion.require_stable(scene)
    drive.keep(scene)
    found, width = measure.touch(scene), drive.opening(scene)
    grip = classify(*measure.jaws(scene, found), width, closing.touch, closing.jammed_opening)
    told = {"grip": grip, "width_m": width, "pad_force_N": tuple(found.pads.tolist())}
    told |= {"contacts": int((found.pads > closing.touch).sum()), "mass_margin": mass_margin(scene, found.pads.sum())}
    return told, grip is Grip.HOLDING


def classify(wide: float, narrow: float, opening: float, least: float, jammed: float) -> Grip:
    """Return what closed jaws have, from the force at each (N), the opening (m), and the bounds of both."""
    touching = (wide > least) + (narrow > least)
    if touching == 2:
        return Grip.HOLDING
    return Grip.JAMMED if touching and opening > jammed else Grip.AIR


def mass_margin(scene: Scene, normal: float) -> float:
    """Return friction times normal force over mass times gravity and the lift's peak acceleration: the cone ratio."""
    lift = scene.settings.lift
    peak = 10 / np.sqrt(3) * lift.height / lift.time**2  # of the least jerk
    given = {"mass": scene.mass, "friction": scene.settings.friction, "gravity": scene.settings.gravity}
    return float(cone_ratio([normal], **given, acceleration=peak))


def lift(scene: Scene) -> Found:
    """Raise the gripper."""
    motion.carry(scene, np.array([0, 0, scene.settings.lift.height]), scene.settings.lift.time)
    return {}, held(scene)


def hold(scene: Scene) -> Found:
    """Wait, and look whether the object came along."""
    rules, start = scene.settings.lift, scene.solid.center_mass[2]
    motion.wait(scene, rules.hold_time)
    rise = float(measure.pose(scene).place[2] - drive.table_place(scene)[2] - start)
    lifted = held(scene) and rise > rules.least * rules.height
    drive.steady_table(scene, np.array([0, 0, -rules.height - scene.settings.shake.behind]))  # out of the way of a swing
    return {"lifted": lifted, "rise_error_m": rules.height - rise}, lifted


def held(scene: Scene) -> bool:
    """Return whether both jaws press the object, and the table does not."""
    found = measure.touch(scene)
    return min(measure.jaws(scene, found)) > scene.settings.closing.touch and found.table == 0
