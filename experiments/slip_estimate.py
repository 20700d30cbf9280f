"""The slip force by statics: what the force gauge of the simulation would read if the contacts were hard points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labels.record import Labels
from wrench.squeeze import largest_push

SAME = 1e-6  # metres: vertices that differ by less are equally far, and of those the one nearest to the wide jaw is pushed


def slip_estimate(
    labels: Labels, *, vertices: NDArray[np.float64], friction: float, grip: float, gravity: float
) -> NDArray[np.float64]:
    """Return the largest push (n,) in newtons, of the weaker direction, that the contacts of each grasp resist.

    The gauge pushes at the vertex furthest from the closing axis through the middle of the contacts, square to both, as in
    `physics.slip`, while the object's weight hangs from the contacts (`wrench.squeeze.largest_push`).

    Parameters
    ----------
    labels
        Candidates (n,) that were carried out, of one placement and one planner; their contacts are in space.
    vertices : (v, 3) float, metres
        Of the object, table frame.
    friction, grip, gravity
        Of the trials: coefficient, newtons at each jaw, m/s^2; the first two where the labels do not tell.
    """
    return np.array([_one(labels[i : i + 1], vertices, friction, grip, gravity) for i in range(len(labels))])


def _told(own: float, otherwise: float) -> float:
    return otherwise if np.isnan(own) else float(own)


def _one(labels: Labels, vertices: NDArray[np.float64], friction: float, grip: float, gravity: float) -> float:
    contacts, axis = labels.contacts[0], labels.T_table_gripper[0, :3, 0]
    if not contacts.made.any():
        return 0.0
    middle = contacts.points[contacts.made].mean(0)
    lever = vertices - middle
    lever = lever - np.outer(lever @ axis, axis)
    distance = np.linalg.norm(lever, axis=1)
    far = np.flatnonzero(distance > distance.max() - SAME)
    furthest = int(far[np.round(vertices[far] @ axis / SAME).argmin()])
    tangent = np.cross(axis, lever[furthest])
    weight = np.array([0, 0, -gravity * labels.mass_kg[0], 0, 0, 0])
    wide = contacts.normals @ axis > 0  # the wide jaw presses along the closing axis, the narrow one against it
    found = largest_push(
        contacts,
        friction=_told(labels.trial_friction[0], friction),
        closing_axis=axis,
        wide=wide,
        grip=_told(labels.trial_force_n[0], grip),
        point=vertices[furthest],
        direction=np.array([tangent, -tangent]) / np.linalg.norm(tangent),
        weight=weight,
        origin=labels.origin_m[0],
    )
    return float(found.min())
