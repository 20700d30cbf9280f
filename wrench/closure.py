"""Force closure of a batch: which of the routes decides."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wrench import general
from wrench.batch import flat, flat_contacts, made_rows
from wrench.checks import require_at_least
from wrench.cone import pyramid_angles, pyramid_friction
from wrench.contacts import Contacts
from wrench.convention import Cone, ConeKind, Convention
from wrench.errors import InvalidValue
from wrench.planar import planar_quality
from wrench.plane_cut import spatial_closure


def require_torsion(contacts: Contacts, torsion: float | None) -> float:
    """Return torsion in metres, 0 for hard contacts; soft fingers exist in space only."""
    if torsion is None:
        return 0.0
    if contacts.dimension == 2:
        raise InvalidValue("torsion", torsion, "None for planar contacts: torsion acts about the normal, out of the plane")
    return float(require_at_least("torsion", torsion, 0, "m"))


def force_closure(contacts: Contacts, *, friction: ArrayLike, torsion: float | None = None) -> NDArray[np.bool_]:
    """Tell which grasps are in force closure: zero lies strictly inside the grasp wrench space.

    Exact cones in the plane and in space. Closure depends on neither origin nor torque scale, and not on the force model.
    Contacts that are not made do not count; no contact, one contact, contacts on one line and two hard contacts in space
    are never closed; a finger that no balance of the others can use does not make a closure.

    Parameters
    ----------
    contacts : batch (*b,)
    friction : (*b) float
        Coulomb coefficient, at least 0.
    torsion : metres, optional
        Soft fingers (space only): |torque about the normal| <= torsion * normal force.

    Returns
    -------
    (*b,) bool

    Raises
    ------
    InvalidValue
        Negative or non-finite friction or torsion; torsion in the plane.
    """
    mu = flat("friction", require_at_least("friction", friction, 0), contacts.batch)
    torsion, rows = require_torsion(contacts, torsion), flat_contacts(contacts)
    if contacts.dimension == 2:
        closed = in_plane(rows, mu, fan=0)[0]
    else:
        closed = in_space(rows, mu, torsion, Cone())
    return closed.reshape(contacts.batch)


def in_plane(
    contacts: Contacts,
    friction: NDArray,
    fan: int,
    origin: ArrayLike = (0.0, 0.0),
    scale: ArrayLike = 1.0,
    signed: bool = False,
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return closure and epsilon (n,) of planar contacts (n,); arguments as for `planar_quality`."""
    batch = (len(contacts),)
    closed, epsilon = np.empty(batch, bool), np.empty(batch)
    origin, scale = flat("origin", origin, batch, (2,)), flat("torque_scale", scale, batch)
    planar_quality(
        contacts.points, contacts.normals, contacts.made, friction, fan, origin, scale, signed, closed, epsilon
    )
    return closed, epsilon


def in_space(contacts: Contacts, friction: NDArray, torsion: float, cone: Cone) -> NDArray[np.bool_]:
    """Return closure (n,) of spatial contacts (n,), with round cones or the pyramids of `cone`."""
    closed, count = np.zeros(len(contacts), bool), contacts.count
    three = np.flatnonzero((count == 3) & (torsion == 0))
    if len(three):
        angles = np.empty(0) if cone.kind is ConeKind.EXACT else pyramid_angles(cone.edges)
        mu = flat("friction", pyramid_friction(friction[three], Convention(cone=cone)), three.shape)
        verdict = np.empty(len(three), bool)
        spatial_closure(*made_rows(contacts, three, 3), mu, np.cos(angles), np.sin(angles), verdict)
        closed[three] = verdict
    for g in np.flatnonzero((count > 3) | ((count > 1) & (torsion > 0))):
        made = contacts.made[g]
        closed[g] = general.closed(contacts.points[g, made], contacts.normals[g, made], float(friction[g]), torsion, cone)
    return closed
