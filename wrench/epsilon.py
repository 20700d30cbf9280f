"""Epsilon of flat batches: which of the routes computes it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from wrench import general
from wrench.batch import flat, made_rows
from wrench.closure import in_plane, in_space
from wrench.cone import force_scale, pyramid_angles, pyramid_friction
from wrench.contacts import Contacts
from wrench.convention import ConeKind, Convention, ForceModel, HullNorm
from wrench.space import primitive_wrenches
from wrench.spatial import pyramid_epsilon, round_epsilon

Bracket = tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.float64]]  # closure, lower and upper epsilon, (n,)


def bracket(
    contacts: Contacts,
    friction: NDArray,
    origin: NDArray,
    scale: NDArray,
    torsion: float,
    convention: Convention,
    gap: float,
    signed: bool,
) -> Bracket:
    """Return closure and a bracket of epsilon of contacts (n,).

    Parameters
    ----------
    contacts : batch (n,)
    friction : (n,), origin : (n, d) metres, scale : (n,) metres
    torsion : metres, 0 for hard contacts
    convention, gap, signed
        As for `wrench.quality.quality`, already checked.
    """
    # Edges of unit length are edges of unit normal component, shrunk; every route below knows the latter only.
    shrink = force_scale(friction, convention)
    if convention.force is ForceModel.UNIT_EDGE:
        convention = replace(convention, force=ForceModel.UNIT_NORMAL)
    if contacts.dimension == 2:
        closed, lower = in_plane(contacts, friction, convention.fan, origin, scale, signed)
        upper, done = lower, np.full(len(contacts), convention.hull is HullNorm.L1)
    else:
        closed = in_space(contacts, friction, torsion, convention.cone)
        done = (contacts.count == 3) & closed & (torsion == 0) & (convention.hull is HullNorm.L1)
        lower, upper = _three_contacts(contacts, friction, origin, scale, convention, gap, np.flatnonzero(done))
    for g in np.flatnonzero(~done & (closed | signed)):
        one, mu = contacts[g], float(friction[g])
        lower[g], upper[g] = _one(one, mu, origin[g], float(scale[g]), torsion, convention, gap, bool(closed[g]))
    return closed, lower * shrink, upper * shrink


def _three_contacts(
    contacts: Contacts,
    friction: NDArray,
    origin: NDArray,
    scale: NDArray,
    convention: Convention,
    gap: float,
    rows: NDArray[np.intp],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return lower and upper epsilon (n,) with `rows`, closed and of three hard contacts each, filled in by kernel."""
    lower, upper = np.zeros(len(contacts)), np.zeros(len(contacts))
    if len(rows):
        points, normals = made_rows(contacts, rows, 3)
        mu = flat("friction", pyramid_friction(friction[rows], convention), rows.shape)
        about, length = flat("origin", origin[rows], rows.shape, (3,)), flat("torque_scale", scale[rows], rows.shape)
        low, high, closed = np.empty(len(rows)), np.empty(len(rows)), np.ones(len(rows), bool)
        if convention.cone.kind is ConeKind.EXACT:
            round_epsilon(points, normals, mu, about, length, gap, closed, low, high)
        else:
            pyramid_epsilon(points, normals, mu, about, length, pyramid_angles(convention.cone.edges), closed, low)
            high = low
        lower[rows], upper[rows] = low, high
    return lower, upper


def _one(
    contacts: Contacts,
    friction: float,
    origin: NDArray,
    scale: float,
    torsion: float,
    convention: Convention,
    gap: float,
    closed: bool,
) -> tuple[float, float]:
    """Return the bracket of one grasp by the general route: a convex hull, or refined hulls for round cones."""
    contacts = Contacts.all_made(contacts.points[contacts.made], contacts.normals[contacts.made])
    if contacts.dimension == 3 and convention.cone.kind is ConeKind.EXACT:
        return general.round_bracket(contacts.points, contacts.normals, friction, torsion, origin, scale, gap)
    wrenches = primitive_wrenches(
        contacts, friction=friction, origin=origin, torque_scale=scale, convention=convention, torsion=torsion
    )
    offset = general.pyramid_offset(wrenches, convention.hull)
    return (offset, offset) if closed else (min(offset, 0.0), min(offset, 0.0))
