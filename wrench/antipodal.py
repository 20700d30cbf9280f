"""Two contacts: Nguyen's antipodal test with its margin, and the twist that gravity puts on the grasp line."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wrench.checks import refuse_first, require_at_least, require_finite, require_positive
from wrench.contacts import Contacts
from wrench.errors import InvalidValue
from wrench.space import cross

COINCIDENT = 1e-9  # metres: two points closer than this are one, and the line through them is rounding error
NO_LINE = -np.pi  # radians: the margin where no line can be drawn; no line has a smaller one


def antipodal_margin(contacts: Contacts, *, friction: ArrayLike) -> NDArray[np.float64]:
    """Return how far the grasp line lies inside each friction cone: arctan(mu) - angle(line, normal).

    Both margins positive is Nguyen's condition: the segment that joins the contacts lies strictly inside both cones
    (Nguyen 1988, "Constructing force-closure grasps"). It is force closure in the plane, and in space for soft
    fingers only: hard ones leave the turn about the line free. A margin of x absorbs a normal or line wrong by x.

    Parameters
    ----------
    contacts : batch (*b,) of 2 contacts, planar or spatial
    friction : (*b) float
        Coulomb coefficient, at least 0.

    Returns
    -------
    (*b, 2) float, radians
        Between -pi and pi/2. Both are -pi where a contact is not made or the two points coincide (within 1e-9 m).

    Raises
    ------
    InvalidValue
        Another number of contacts than two, or friction that is negative or not finite.
    """
    half_angle = np.arctan(require_at_least("friction", friction, 0))[..., None]
    line = _line(contacts)
    towards = np.stack([line, -line], -2)  # (*b, 2, d): from each contact to the other one
    along = np.einsum("...i,...i", towards, contacts.normals)
    across = np.linalg.norm(cross(towards, contacts.normals), axis=-1)
    drawn = contacts.made.all(-1) & (np.linalg.norm(line, axis=-1) > COINCIDENT)
    return np.where(drawn[..., None], half_angle - np.arctan2(across, along), NO_LINE)


def antipodal(contacts: Contacts, *, friction: ArrayLike) -> NDArray[np.bool_]:
    """Return whether both margins of `antipodal_margin` are positive, (*b,) bool."""
    return np.all(antipodal_margin(contacts, friction=friction) > 0, axis=-1)


def torsion_budget(torsion: ArrayLike, normal_force: ArrayLike) -> NDArray[np.float64]:
    """Return the torque about its normal that one soft contact resists, gamma f_n.

    Parameters
    ----------
    torsion : (*b) metres
        gamma of |tau_n| <= gamma f_n, at least 0.
    normal_force : (*b) newtons
        Of that contact, at least 0. Two pads on one line add their budgets.

    Returns
    -------
    (*b) float, newton metres
    """
    return require_at_least("torsion", torsion, 0, "m") * require_at_least("normal_force", normal_force, 0, "N")


def offset_torque(mass: ArrayLike, offset: ArrayLike, *, gravity: ArrayLike) -> NDArray[np.float64]:
    """Return the size of gravity's whole torque about the middle of the grasp, m g d.

    This is what a sensor in the wrist sees. How much of it twists the object about the grasp line depends on where
    the offset points: see `line_torque`.

    Parameters
    ----------
    mass : (*b) kg
    offset : (*b) metres
        Horizontal distance d between the centre of mass and the middle of the grasp, at least 0.
    gravity : (*b) m/s^2

    Returns
    -------
    (*b) float, newton metres
    """
    force = require_positive("mass", mass, "kg") * require_at_least("gravity", gravity, 0, "m/s^2")
    return force * require_at_least("offset", offset, 0, "m")


def line_torque(
    contacts: Contacts, *, mass: ArrayLike, centre_of_mass: ArrayLike, gravity: ArrayLike
) -> NDArray[np.float64]:
    """Return the part of gravity's torque that turns the object about the grasp line.

    Only torsion at soft contacts resists this part; the remainder of the torque is resisted by unequal forces at the
    two contacts. It is m g d for a level line and an offset d square to it, and zero for an offset along the line.

    Parameters
    ----------
    contacts : batch (*b,) of 2 spatial contacts
    mass : (*b) kg
    centre_of_mass : (*b, 3) metres
        In the frame of the contacts.
    gravity : (*b, 3) m/s^2
        Acceleration of free fall as a vector in that frame.

    Returns
    -------
    (*b) float, newton metres
        Right-handed about the direction from contact 0 to contact 1.

    Raises
    ------
    InvalidValue
        Contacts that are planar, not two, not made or coincident (no line), or a number that is not finite.
    """
    if contacts.dimension != 3:
        raise InvalidValue("contacts.dimension", contacts.dimension, "3: a planar grasp cannot turn about its line")
    line = _line(contacts)
    length = np.linalg.norm(line, axis=-1)
    refuse_first("contacts.made", contacts.made, ~contacts.made, "True: a grasp line needs both contacts")
    refuse_first("contact distance", length, length <= COINCIDENT, "greater than 1e-9 m: one point gives no line")
    centre, fall = np.asarray(centre_of_mass, float), np.asarray(gravity, float)
    require_finite("centre_of_mass", centre)
    require_finite("gravity", fall)
    torque = cross(centre - contacts.points[..., 0, :], require_positive("mass", mass, "kg")[..., None] * fall)
    return np.einsum("...i,...i", torque, line) / length


def _line(contacts: Contacts) -> NDArray[np.float64]:
    """Return the vector (*b, d) from contact 0 to contact 1."""
    if contacts.made.shape[-1] != 2:
        raise InvalidValue("contacts per grasp", contacts.made.shape[-1], "2 for a test of two contacts")
    return contacts.points[..., 1, :] - contacts.points[..., 0, :]
