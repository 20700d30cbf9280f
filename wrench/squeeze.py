"""Squeeze: the least grip force that resists a load, and the largest push that a grip force resists.

One actuator closes both jaws, and a grip force F presses F on **each** of them. A load along the closing axis makes one
jaw press more and the other less, but their sum stays: the wide jaw's force along the axis plus the narrow jaw's force
against it is 2F. Friction cones are exact. Within these rules the contacts share the load as helps most: statics says
that they can, not that they will, so a real grasp needs at least this grip and resists at most this push.

Each question is one small conic programme (`wrench.programme`). Answers hold to about 1e-6 of their size or of the load.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wrench.checks import require_at_least, require_unit_vectors, require_vectors
from wrench.cone import tangents
from wrench.contacts import Contacts
from wrench.errors import InvalidValue
from wrench.programme import solve
from wrench.space import cross


def least_grip(
    contacts: Contacts,
    *,
    friction: ArrayLike,
    closing_axis: ArrayLike,
    wide: ArrayLike,
    wrench: ArrayLike,
    origin: ArrayLike,
    safety: ArrayLike,
    torsion: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Return the least grip force with which the contacts resist a load.

    A greater grip force resists it too, provided that the contacts balance the squeeze alone (as in force closure).

    Parameters
    ----------
    contacts : batch (*b,) of k contacts, planar or spatial
        Those that are not made carry no force.
    friction : (*b) float
        Coulomb coefficient, at least 0.
    closing_axis : (*b, d) float
        Unit vector from the wide jaw to the narrow jaw, in the frame of the contacts.
    wide : (k,) bool
        Which contacts belong to the wide jaw.
    wrench : (*b, 3 or 6) newtons and newton metres
        Load on the object in the same frame: force, then torque about `origin`.
    origin : (*b, d) metres
    safety : (*b) float
        At least 1; multiplies the load.
    torsion : (*b) metres, optional
        Soft fingers, in space only: each contact also carries a torque about its normal of at most `torsion` times
        its normal force.

    Returns
    -------
    (*b) float, newtons
        Infinite where no grip force resists the load. All leading axes broadcast.

    Raises
    ------
    InvalidValue
        A value that cannot be meant; the message names it.
    GraspError
        The solver failed on a grasp; the message names which.
    """
    d = contacts.dimension
    load = require_vectors("wrench", wrench, 3 * d - 3) * require_at_least("safety", safety, 1)[..., None]
    middle, scale = _frame(contacts)
    load = _moved(load, require_vectors("origin", origin, d) - middle) * scale
    size = _or_one(np.linalg.norm(load, axis=-1))
    given = _efforts(contacts, friction, closing_axis, wide, torsion) | {"load": load / size[..., None]}
    return solve("grip", contacts, given) * size


def largest_push(
    contacts: Contacts,
    *,
    friction: ArrayLike,
    closing_axis: ArrayLike,
    wide: ArrayLike,
    grip: ArrayLike,
    point: ArrayLike,
    direction: ArrayLike,
    weight: ArrayLike | None = None,
    origin: ArrayLike | None = None,
    torsion: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Return the largest push at a point that the contacts resist at a grip force: the slip force.

    Parameters
    ----------
    contacts, friction, closing_axis, wide, torsion
        As for `least_grip`.
    grip : (*b) newtons
        Grip force F: each jaw presses F while nothing pushes along the closing axis. At least 0.
    point : (*b, d) metres
        Where the push acts on the object.
    direction : (*b, d) float
        Unit vector along the push.
    weight : (*b, 3 or 6) newtons and newton metres, optional
        Constant load such as gravity, force and torque about `origin`.
    origin : (*b, d) metres, optional
        Needed with `weight`.

    Returns
    -------
    (*b) float, newtons
        Infinite where geometry alone stops the push (the object wedges). 0 where the object is not held before the
        push begins, even if some push would hold it: the squeeze alone, or squeeze and weight, find no balance.

    Raises
    ------
    InvalidValue, GraspError
        As for `least_grip`; `weight` without `origin` or the reverse.
    """
    if (weight is None) != (origin is None):
        raise InvalidValue("origin", origin, "given with weight, and only then")
    d, grip = contacts.dimension, require_at_least("grip", grip, 0, "N")
    middle, scale = _frame(contacts)
    push = require_unit_vectors("direction", direction, d) @ np.eye(d, 3 * d - 3)  # a force, no torque about its own point
    push = _moved(push, require_vectors("point", point, d) - middle) * scale
    load = require_vectors("weight", np.zeros(3 * d - 3) if weight is None else weight, 3 * d - 3)
    load = _moved(load, require_vectors("origin", np.zeros(d) if origin is None else origin, d) - middle) * scale
    size, reach = _or_one(np.linalg.norm(load, axis=-1) + grip), _or_one(np.linalg.norm(push, axis=-1))
    given = _efforts(contacts, friction, closing_axis, wide, torsion)
    given |= {"load": load / size[..., None], "grip": grip / size}
    held = np.isfinite(solve("hold", contacts, given))
    limit = solve("push", contacts, given | {"push": push / reach[..., None]})
    return np.where(held, limit * size / reach, 0.0)


def _or_one(size: NDArray) -> NDArray[np.float64]:
    """Return sizes with 1 in place of 0, so that one may divide by them."""
    return np.where(size > 0, size, 1.0)


def _frame(contacts: Contacts) -> tuple[NDArray, NDArray]:
    """Return the middle of the contacts (*b, d) and the scale of a wrench (*b, 3 or 6): torques over the longest arm.

    The programmes are written in this frame. Their answers do not depend on it; the solver's accuracy does.
    """
    d = contacts.dimension
    middle = contacts.points.sum(-2) / _or_one(contacts.count)[..., None]  # points that are not made are stored as zero
    arms = np.where(contacts.made, np.linalg.norm(contacts.points - middle[..., None, :], axis=-1), 0)
    return middle, np.where(np.arange(3 * d - 3) < d, 1, 1 / _or_one(arms.max(-1, initial=0))[..., None])


def _moved(wrench: NDArray, arm: NDArray) -> NDArray[np.float64]:
    """Return a wrench about the tip of `arm` as one about its foot."""
    d = arm.shape[-1]
    return wrench + cross(arm, wrench[..., :d]) @ np.eye(2 * d - 3, 3 * d - 3, k=d)


def _efforts(
    contacts: Contacts, friction: ArrayLike, closing_axis: ArrayLike, wide: ArrayLike, torsion: ArrayLike | None
) -> dict[str, NDArray]:
    """Return what the efforts of the contacts do to the object and to the jaws.

    The e efforts of a contact are its normal force, its tangential forces over mu and, if it is soft, its torsion
    over gamma: their cones are then the same for every grasp. Those of contacts that are not made do nothing.
    Per unit effort, `grasp` (*b, 3 or 6, k e) is the scaled wrench, and `press` (*b, k e) the force along the closing
    axis from the wide jaw and against it from the narrow one.
    """
    d, places, wide = contacts.dimension, contacts.made.shape[-1:], np.asarray(wide)
    if places == (0,) or wide.shape != places or wide.dtype != np.bool_:
        raise InvalidValue("wide", f"{wide.dtype}{wide.shape}", f"bool{places}, one flag per contact, at least one")
    if torsion is not None and d == 2:
        raise InvalidValue("torsion", torsion, "None for planar contacts: they cannot turn about their normals")
    normals = np.where(contacts.made[..., None], contacts.normals, np.eye(d)[0])  # any unit vector has tangents
    around = tangents(normals) if d == 3 else [np.stack([-normals[..., 1], normals[..., 0]], -1)]
    mu = require_at_least("friction", friction, 0)[..., None, None]
    middle, scale = _frame(contacts)
    arms = contacts.points - middle[..., None, :]
    efforts = [_moved(force @ np.eye(d, 3 * d - 3), arms) for force in (normals, *(mu * tangent for tangent in around))]
    if torsion is not None:
        efforts.append(require_at_least("torsion", torsion, 0, "m")[..., None, None] * normals @ np.eye(3, 6, k=3))
    grasp = np.stack(np.broadcast_arrays(*efforts), -2)  # (*b, k, e, 3 or 6)
    grasp = np.where(contacts.made[..., None, None], grasp * scale[..., None, None, :], 0)
    axis = require_unit_vectors("closing_axis", closing_axis, d)
    press = np.einsum("...kei,...i->...ke", grasp[..., :d], axis) * np.where(wide, 1, -1)[:, None]
    columns = places[0] * len(efforts)
    flat = grasp.reshape(*grasp.shape[:-3], columns, 3 * d - 3)
    return {"grasp": np.swapaxes(flat, -1, -2), "press": press.reshape(*press.shape[:-2], columns)}
