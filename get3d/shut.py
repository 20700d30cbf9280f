"""Shut: the gripper where it has closed on an object, and the cones at its contacts, as triangles to draw."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from grasp.frames import invert, transform_points
from grasp.gripper import Gripper
from grasp.plan import Grasp
from grasp.solids import boxes, closing_sign, pad_corners
from wrench.cone import tangents

CORNERS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
QUADS = np.array([(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])  # outward
BOX_FACES = np.concatenate([QUADS[:, [0, 1, 2]], QUADS[:, [0, 2, 3]]])
AROUND = 48  # corners of a drawn cone's rim

Triangles = tuple[NDArray[np.float64], NDArray[np.int64]]  # vertices (v, 3) in metres, faces (f, 3)


def travel(grasp: Grasp, gripper: Gripper) -> NDArray[np.float64]:
    """Return how far (k,) in metres along x the finger of each pad has moved: its jaw stops at its first contact."""
    own = transform_points(invert(grasp.T_table_gripper), grasp.contacts.points)[:, 0]
    sign, moved = closing_sign(gripper), np.zeros(len(gripper.pads))
    for jaw in (sign > 0, sign < 0):
        made = jaw & grasp.contacts.made
        if made.any():
            side = sign[jaw][0]
            moved[jaw] = side * (grasp.opening / 2 + (side * own[made]).min())
    return moved


def pads(grasp: Grasp, gripper: Gripper) -> NDArray[np.float64]:
    """Return the corners of the pads' faces (k, 4, 3), metres, table frame, where the jaws have stopped."""
    corners = pad_corners(gripper, grasp.opening) + travel(grasp, gripper)[:, None, None] * [1.0, 0, 0]
    return transform_points(grasp.T_table_gripper, corners)


def body(grasp: Grasp, gripper: Gripper) -> Triangles:
    """Return fingers and bodies as triangles, table frame, where the jaws have stopped."""
    found = boxes(gripper, grasp.opening)
    centre = found.centre.copy()
    centre[: len(gripper.pads), 0] += travel(grasp, gripper)
    vertices = centre[:, None] + CORNERS * found.size[:, None]  # (m, 8, 3)
    faces = BOX_FACES + 8 * np.arange(len(centre))[:, None, None]
    return transform_points(grasp.T_table_gripper, vertices.reshape(-1, 3)), faces.reshape(-1, 3)


def cone(point: NDArray[np.float64], normal: NDArray[np.float64], friction: float, length: float) -> Triangles:
    """Return the friction cone at a contact, `length` metres along its normal."""
    turn = np.linspace(0, 2 * np.pi, AROUND, endpoint=False)[:, None]
    first, second = tangents(normal)
    rim = point + length * (normal + friction * (np.cos(turn) * first + np.sin(turn) * second))
    here = np.arange(AROUND)
    return np.vstack([point, rim]), np.stack([np.zeros(AROUND, int), here + 1, (here + 1) % AROUND + 1], -1)
