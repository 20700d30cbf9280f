"""Measure: who touches the object and how hard, and where it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from physics.inertial import PLACE, attitude
from physics.scene import OBJECT_ROLE, TABLE_ROLE, Scene


@dataclass(frozen=True, eq=False)
class Touch:
    """Normal forces at one instant, newtons.

    Parameters
    ----------
    pads : (k,) float
        On the object by each finger, in contact order.
    body : float
        On the object by the gripper's bodies.
    table : float
        On the object by the table.
    crash : float
        On the table by the gripper.
    height : float, metres
        Mean gripper z of the contacts with fingers, weighted by their forces; nan without any.
    """

    pads: NDArray[np.float64]
    body: float
    table: float
    crash: float
    height: float


@dataclass(frozen=True, eq=False)
class Pose:
    """Of the object, world frame: centre of mass (3,) in metres and rotation (3, 3) from how it stood on the table."""

    place: NDArray[np.float64]
    turn: NDArray[np.float64]


def touch(scene: Scene) -> Touch:
    """Return the forces as of the last step."""
    contact, data, k = scene.data.contact, scene.data, len(scene.gripper.pads)
    role = np.sort(scene.role[contact.geom], axis=1)  # table, object, hand
    active = contact.efc_address >= 0
    normal = np.where(active, data.efc_force[np.where(active, contact.efc_address, 0)], 0) if len(role) else np.zeros(0)
    first, second = role.reshape(-1, 2).T
    held = (first == OBJECT_ROLE) & (second < k)
    pads = np.bincount(second[held], normal[held], k).astype(float)
    z = (contact.pos.reshape(-1, 3)[held] - scene.T_world_gripper[:3, 3]) @ scene.T_world_gripper[:3, 2]
    total = pads.sum()
    return Touch(
        pads,
        float(normal[(first == OBJECT_ROLE) & (second >= k)].sum()),
        float(normal[(first == TABLE_ROLE) & (second == OBJECT_ROLE)].sum()),
        float(normal[(first == TABLE_ROLE) & (second >= 0)].sum()),
        float(z @ normal[held] / total) if total > 0 else float("nan"),
    )


def jaws(scene: Scene, found: Touch) -> tuple[float, float]:
    """Return the normal force of the wide and of the narrow jaw, newtons."""
    wide = np.array(scene.gripper.is_wide)
    return float(found.pads[wide].sum()), float(found.pads[~wide].sum())


def pose(scene: Scene) -> Pose:
    """Return where the object is now."""
    return Pose(scene.data.qpos[PLACE].copy(), attitude(scene))


def moved(start: Pose, end: Pose) -> tuple[float, float]:
    """Return how far the centre of mass has moved (m) and the object has turned (rad) between two poses."""
    cosine = (np.trace(end.turn @ start.turn.T) - 1) / 2
    return float(np.linalg.norm(end.place - start.place)), float(np.arccos(np.clip(cosine, -1, 1)))
