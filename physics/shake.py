"""Shake: swings about an elbow, back and forth, in two directions; and how much harder ones the grasp survives."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from grasp.frames import heading
from physics import measure, motion
from physics.inertial import Axis
from physics.measure import Pose
from physics.phases import Found
from physics.scene import Scene
from physics.state import restore, save


def elbow(scene: Scene, turned: bool) -> Axis:
    """Return the level axis of the swings: the plane of the swing holds the closing axis, or is square to it once turned."""
    angle, rules = float(heading(scene.T_world_gripper)) + (np.pi / 2 if turned else 0), scene.settings.shake
    ahead = np.array([np.cos(angle), np.sin(angle), 0])
    centre = scene.T_world_gripper[:3, 3] - rules.behind * ahead + [0, 0, rules.above]
    return Axis(np.array([-ahead[1], ahead[0], 0]), centre)


def shake(scene: Scene) -> Found:
    """Shake in both directions at each acceleration in turn."""
    rules, begin = scene.settings.shake, measure.pose(scene)
    survived = all(
        _back_and_forth(scene, elbow(scene, turned), begin, acceleration, rules.top_speed, rules.edge)
        for turned in (False, True)
        for acceleration in rules.accelerations
    )
    if survived:
        motion.wait(scene, rules.rest_time)
        survived = _there(scene, begin)
    drift, turn = measure.moved(begin, measure.pose(scene))
    return {"shaken": survived, "drift_m": drift, "drift_rad": turn}, survived


def margin(scene: Scene) -> Found:
    """Shake ever harder, square to the closing axis, each time from the state found, which is left as it was."""
    rules, begin, state, best = scene.settings.shake, measure.pose(scene), save(scene), 0.0
    axis = elbow(scene, turned=True)
    for multiple in rules.multiples:
        push = multiple * rules.accelerations[-1]
        survived = _back_and_forth(scene, axis, begin, push, rules.margin_top_speed, rules.margin_edge)
        if survived:
            motion.wait(scene, rules.rest_time)
        drift, turn = measure.moved(begin, measure.pose(scene))
        kept = survived and _there(scene, begin) and drift < rules.margin_drift and turn < rules.margin_turn
        restore(scene, state)
        if not kept:
            break
        best = multiple
    return {"shake_margin": best}, True


def _back_and_forth(
    scene: Scene, axis: Axis, begin: Pose, acceleration: float, top_speed: float, edge: float
) -> bool:
    """Raise and lower the arm by the angle, as often as asked for; return whether the object is still there."""
    rules, dt = scene.settings.shake, scene.settings.solver.timestep
    up: NDArray[np.float64] = motion.bang_bang(-rules.angle, acceleration, top_speed, edge, dt)
    return all(
        motion.swing(scene, axis, start, profile, lambda: _there(scene, begin))
        for _ in range(rules.cycles)
        for start, profile in ((0.0, up), (-rules.angle, -up))
    )


def _there(scene: Scene, begin: Pose) -> bool:
    """Return whether both jaws touch the object and it is not far away."""
    away = np.linalg.norm(measure.pose(scene).place - begin.place)
    return bool(away < scene.settings.shake.far and min(measure.jaws(scene, measure.touch(scene))) > 0)
