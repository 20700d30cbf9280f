"""Linkage: how much further the fingertips reach the more the gripper is closed.

A finger on the links of a parallelogram keeps its direction, and its tip moves on an arc of the links' radius. With x the
distance a jaw has closed and z that by which its tip has advanced along the approach, the arc runs from (0, 0), fully open,
to (stroke, fingertip_advance), fully closed, and bulges towards +z: most of the advance comes first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grasp.gripper import Gripper


def advance(gripper: Gripper, opening: ArrayLike) -> NDArray[np.float64]:
    """Return by how much (*b) in metres the fingertips are further from the bodies at an opening (*b) than fully open."""
    return _height(gripper, _closed(gripper, opening))


def greatest_advance(gripper: Gripper, opening: ArrayLike, closed_opening: ArrayLike) -> NDArray[np.float64]:
    """Return how far (*b) in metres the fingertips reach at the most beyond where they are at `opening` while they close.

    An arc may rise to its top before the fingers meet and come back a little, so this may be more than the advance between
    the two openings.
    """
    start, end = _closed(gripper, opening), _closed(gripper, closed_opening)
    top = np.clip(_middle(gripper)[0], start, end) if gripper.linkage_radius else end
    return np.maximum(_height(gripper, top) - _height(gripper, start), 0)


def _closed(gripper: Gripper, opening: ArrayLike) -> NDArray[np.float64]:
    return (gripper.max_opening - np.asarray(opening, float)) / 2


def _height(gripper: Gripper, x: NDArray[np.float64]) -> NDArray[np.float64]:
    if not gripper.linkage_radius:
        return x * gripper.fingertip_advance / gripper.stroke
    middle_x, middle_z = _middle(gripper)
    return middle_z + np.sqrt(gripper.linkage_radius**2 - (x - middle_x) ** 2)


def _middle(gripper: Gripper) -> NDArray[np.float64]:
    """Return the x, z of the arc's middle: below the chord, at the radius from both its ends."""
    chord = np.array([gripper.stroke, gripper.fingertip_advance])
    length = np.linalg.norm(chord)
    below = np.array([chord[1], -chord[0]]) / length
    return chord / 2 + below * np.sqrt(gripper.linkage_radius**2 - length**2 / 4)
