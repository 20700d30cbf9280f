"""Wrench space: the wrenches of the cone edges about an origin, torques divided by the torque scale."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wrench.cone import planar_forces, spatial_forces
from wrench.contacts import Contacts
from wrench.convention import Convention
from wrench.reference import Origin, TorqueScale, as_origin, as_torque_scale


def cross(a: NDArray, b: NDArray) -> NDArray:
    """Return a x b: (*b, 3) for vectors in space, (*b, 1) for vectors in the plane."""
    if a.shape[-1] == 3:
        return np.cross(a, b)
    return (a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])[..., None]


def primitive_wrenches(
    contacts: Contacts,
    *,
    friction: ArrayLike,
    origin: Origin | ArrayLike,
    torque_scale: TorqueScale | ArrayLike,
    convention: Convention | str = "paper",
    torsion: float | None = None,
) -> NDArray[np.float64]:
    """Return the generating wrenches of every contact per unit effort.

    Parameters
    ----------
    contacts : batch (*b,) of k contacts
    friction : (*b) float
        Coulomb coefficient.
    origin : (*b, d) metres
    torque_scale : (*b) metres
    convention
        Force model and cone; in space the cone must be a pyramid.
    torsion : metres, optional
        Soft fingers in space: each edge comes twice, with torsion +torsion and -torsion per unit normal force.

    Returns
    -------
    (*b, k, e, 3 or 6) float
        Force first, then torque / torque scale. Those of contacts that are not made are NaN, so that using them shows.
    """
    convention = Convention.of(convention)
    forces = (planar_forces if contacts.dimension == 2 else spatial_forces)(contacts.normals, friction, convention)
    arms = contacts.points - as_origin(origin).point[..., None, :]
    torques = cross(np.broadcast_to(arms[..., None, :], forces.shape), forces)
    if torsion:
        normal_force = np.einsum("...ei,...i->...e", forces, contacts.normals)[..., None]
        twist = torsion * normal_force * contacts.normals[..., None, :]
        forces, torques = np.concatenate([forces] * 2, -2), np.concatenate([torques + twist, torques - twist], -2)
    scale = as_torque_scale(torque_scale).metres[..., None, None, None]
    wrenches = np.concatenate([forces, torques / scale], -1)
    return np.where(contacts.made[..., None, None], wrenches, np.nan)
