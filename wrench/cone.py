"""Friction cones as forces: tangents of a normal, and the edges of a planar or spatial cone."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wrench.convention import ConeKind, Convention, ForceModel
from wrench.errors import InvalidValue


def tangents(normals: NDArray[np.float64]) -> tuple[NDArray, NDArray]:
    """Return two unit tangents per normal.

    Parameters
    ----------
    normals : (*b, 3) float
        Unit vectors.

    Returns
    -------
    first, second : (*b, 3) float
        Right-handed with the normal: first x second = normal. The choice of the first is arbitrary but fixed:
        normal x (1, 0, 0), or normal x (0, 1, 0) where the normal lies within 26 degrees of the x axis.
    """
    normals = np.asarray(normals, float)
    helper = np.where(np.abs(normals[..., :1]) < 0.9, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    first = np.cross(normals, helper)
    first /= np.linalg.norm(first, axis=-1, keepdims=True)
    return first, np.cross(normals, first)


def pyramid_angles(edges: int) -> NDArray[np.float64]:
    """Return the angles (edges,) of a regular pyramid's edges about the normal, in radians from the first tangent."""
    return 2 * np.pi * np.arange(edges) / edges


def pyramid_friction(friction: ArrayLike, convention: Convention) -> NDArray[np.float64]:
    """Return the friction at the edges of the pyramid: above the given one when it is drawn around the cone."""
    cone = convention.cone
    widen = 1 / np.cos(np.pi / cone.edges) if cone.kind is ConeKind.CIRCUMSCRIBED else 1.0
    return np.asarray(friction, float) * widen


def force_scale(friction: ArrayLike, convention: Convention) -> NDArray[np.float64]:
    """Return the length of the forces relative to unit normal component: 1, or 1 / sqrt(1 + mu^2) under `unit_edge`."""
    friction = np.asarray(friction, float)
    return 1 / np.hypot(1, friction) if convention.force is ForceModel.UNIT_EDGE else np.ones_like(friction)


def planar_forces(normals: NDArray, friction: ArrayLike, convention: Convention) -> NDArray[np.float64]:
    """Return the generating forces of planar contacts.

    Parameters
    ----------
    normals : (*b, k, 2) float
        Unit normals into the object.
    friction : (*b) float
        Coulomb coefficient, broadcast against the batch.

    Returns
    -------
    (*b, k, e, 2) float
        Two cone edges per contact, or the fan's forces; per unit effort.
    """
    alpha = np.arctan(np.asarray(friction, float))[..., None, None]  # (*b, 1, 1)
    angle = alpha * np.linspace(-1, 1, convention.fan or 2)  # (*b, 1, e)
    length = 1.0 if convention.force is not ForceModel.UNIT_NORMAL else 1 / np.cos(angle)
    turned = np.stack([-normals[..., 1], normals[..., 0]], -1)
    along, across = (length * np.cos(angle))[..., None], (length * np.sin(angle))[..., None]
    return along * normals[..., None, :] + across * turned[..., None, :]


def spatial_forces(normals: NDArray, friction: ArrayLike, convention: Convention) -> NDArray[np.float64]:
    """Return the edges of the friction pyramids of spatial contacts.

    Parameters
    ----------
    normals : (*b, k, 3) float
        Unit normals into the object.
    friction : (*b) float
        Coulomb coefficient, broadcast against the batch.

    Returns
    -------
    (*b, k, m, 3) float
        One force per edge, per unit effort.

    Raises
    ------
    InvalidValue
        The convention's cone is exact: a round cone has no edges.
    """
    if convention.cone.kind is ConeKind.EXACT:
        raise InvalidValue("cone", "exact", "a pyramid where edges are listed; a round cone has none")
    angles = pyramid_angles(convention.cone.edges)
    first, second = tangents(normals)
    mu = pyramid_friction(friction, convention)[..., None, None, None]
    around = np.cos(angles)[:, None] * first[..., None, :] + np.sin(angles)[:, None] * second[..., None, :]
    return (normals[..., None, :] + mu * around) * force_scale(friction, convention)[..., None, None, None]
