"""Planar closure and epsilon of a batch, exact for any number of contacts.

The wrenches of one grasp are a handful of points in R^3. They are built about the middle of the contacts with torques
divided by the contacts' own reach, so that what counts as zero does not depend on the caller's units, origin or torque
scale. Every triple of them that has all others on one side is a facet of the hull; a facet's plane is then carried over to
the caller's origin and torque scale, where its distance from zero is measured (Ferrari & Canny 1992).
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from wrench.spanning import ZERO, cross, dot, row

COINCIDENT = 1e-12  # contacts closer than this fraction of their largest coordinate are one point
SLIVER = 1e-16  # squared area below which three wrenches are no facet, dimensionless
SIDE = 1e-14  # height above a facet's plane that counts as on it, times area


@njit(cache=True, inline="always")
def _middle(points, made):
    """Return the mean (x, y) of the made contacts and their reach: the greatest |dx| or |dy| from it, 0 for one place."""
    n, x, y, reach, largest = 0, 0.0, 0.0, 0.0, 0.0
    for i in range(made.shape[0]):
        if made[i]:
            n += 1
            x += points[i, 0]
            y += points[i, 1]
    x, y = x / max(n, 1), y / max(n, 1)
    for i in range(made.shape[0]):
        if made[i]:
            reach = max(reach, abs(points[i, 0] - x), abs(points[i, 1] - y))
            largest = max(largest, abs(points[i, 0]), abs(points[i, 1]))
    return x, y, reach if reach > COINCIDENT * largest else 0.0


@njit(cache=True, inline="always")
def _fill(points, normals, made, along, across, x, y, reach, w):
    """Write the wrenches ``along n + across t`` of the made contacts about (x, y) into w (n, 3); return n."""
    n, shrink = 0, 1.0 / reach
    for i in range(made.shape[0]):
        if made[i]:
            nx, ny = normals[i, 0], normals[i, 1]
            rx, ry = (points[i, 0] - x) * shrink, (points[i, 1] - y) * shrink
            for j in range(along.shape[0]):
                fx, fy = along[j] * nx - across[j] * ny, along[j] * ny + across[j] * nx
                w[n, 0], w[n, 1], w[n, 2] = fx, fy, rx * fy - ry * fx
                n += 1
    return n


@njit(cache=True, inline="always")
def _cone(mu, along, across):
    """Write a contact's forces: two edges of unit normal component, or (more than two) unit forces fanned over the cone."""
    if along.shape[0] == 2:
        along[:], across[0], across[1] = 1.0, -mu, mu
    else:
        for j in range(along.shape[0]):
            angle = math.atan(mu) * (2.0 * j / (along.shape[0] - 1) - 1.0)
            along[j], across[j] = math.cos(angle), math.sin(angle)


@njit(cache=True, inline="always")
def _spread(w, n, normal):
    """Return the least and the greatest coordinate of the wrenches along a normal."""
    low, high = math.inf, -math.inf
    for k in range(n):  # no early exit: at six wrenches a mispredicted branch costs more than the sums it saves
        along = dot(normal, row(w, k))
        low = along if along < low else low
        high = along if along > high else high
    return low, high


@njit(cache=True)
def _hull_distance(w, n, to_x, to_y, to_scale):
    """Return whether zero lies strictly inside the hull, and its least signed distance to a facet (0 for a flat hull).

    A plane (normal, offset) of the wrenches about the contacts' middle is, about the caller's origin,
    ``(nx + nz to_y, ny - nz to_x, nz to_scale) . w = offset``.
    """
    inside, least = True, math.inf
    for a in range(n - 2):
        pa = row(w, a)
        for b in range(a + 1, n - 1):
            ab = (w[b, 0] - pa[0], w[b, 1] - pa[1], w[b, 2] - pa[2])
            for c in range(b + 1, n):
                normal = cross(ab, (w[c, 0] - pa[0], w[c, 1] - pa[1], w[c, 2] - pa[2]))
                area = dot(normal, normal)
                if area < SLIVER:
                    continue
                offset, slack = dot(normal, pa), SIDE * (1 + area)
                low, high = _spread(w, n, normal)
                outward, inward = high <= offset + slack, low >= offset - slack
                if outward and inward:
                    return False, 0.0
                if outward or inward:
                    offset = offset if outward else -offset
                    inside &= offset > ZERO
                    mx, my = normal[0] + normal[2] * to_y, normal[1] - normal[2] * to_x
                    least = min(least, offset / math.sqrt(mx * mx + my * my + (normal[2] * to_scale) ** 2))
    return (inside, least) if least < math.inf else (False, 0.0)


@njit(cache=True)
def planar_quality(points, normals, made, friction, fan, origin, scale, signed, closed, epsilon):
    """Write closure and epsilon of every grasp into `closed` and `epsilon`.

    Parameters
    ----------
    points, normals : (n, k, 2) float, made : (n, k) bool
        Contacts; those not made are skipped.
    friction : (n,) float
    fan : int
        0 for cone edges of unit normal component, else the number of unit forces fanned over each cone.
    origin : (n, 2) metres, scale : (n,) metres
    signed : bool
        Write the (negative) least facet offset where there is no closure, in place of 0.
    """
    forces = fan if fan else 2
    along, across, w = np.empty(forces), np.empty(forces), np.empty((forces * made.shape[1] + 1, 3))
    for g in range(made.shape[0]):
        closed[g], epsilon[g] = False, 0.0
        x, y, reach = _middle(points[g], made[g])
        if reach > 0:
            _cone(friction[g], along, across)
            n = _fill(points[g], normals[g], made[g], along, across, x, y, reach, w)
            to_x, to_y = (x - origin[g, 0]) / reach, (y - origin[g, 1]) / reach
            closed[g], offset = _hull_distance(w, n, to_x, to_y, scale[g] / reach)
            epsilon[g] = offset if closed[g] else (min(offset, 0.0) if signed else 0.0)
