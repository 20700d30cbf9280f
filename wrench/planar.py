"""Planar closure and epsilon of a batch, exact for any number of contacts.

The wrenches of one grasp are a handful of points in R^3. They are built about the middle of the contacts with torques
divided by the contacts' own reach, so that what counts as zero does not depend on the caller's units, origin or torque
scale. Every triple of them that has all others on one side is a facet of the hull; a facet's plane is then carried over
to the caller's origin and torque scale, where its distance from zero is measured (Ferrari & Canny 1992).

Grasps go through side by side, one in each lane of a group: the innermost loops run over lanes, have no branches and
read consecutive numbers, so that one instruction serves several grasps. Lanes never mix: an answer does not depend on
how a batch is split.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from wrench.spanning import ZERO, cross, dot

COINCIDENT = 1e-12  # contacts closer than this fraction of their largest coordinate are one point
SLIVER = 1e-16  # squared area below which three wrenches are no facet, dimensionless
SIDE = 1e-14  # height above a facet's plane that counts as on it, times area
ABOVE, BELOW, BOTH = 1, 2, 3  # sides of a plane on which there are wrenches

# Records with one number per lane. A record does not keep its array alive under Numba: pass the array, index it last.
LANES = 64  # enough to make light of entering a loop, few enough for the wrenches of a group to stay in fast memory
_lanes = (np.float64, LANES)
VECTOR = np.dtype([("x", *_lanes), ("y", *_lanes), ("z", *_lanes)])
PLANE = np.dtype([("normal", VECTOR), ("offset", *_lanes), ("slack", *_lanes), ("sides", np.int64, LANES)])
# The contacts' middle (x, y) from the caller's origin and the torque scale, both in reaches; and what is known so far.
HULL = np.dtype([("x", *_lanes), ("y", *_lanes), ("scale", *_lanes), ("least", *_lanes), ("outside", np.int64, LANES)])


@njit(cache=True, forceinline=True, error_model="numpy")
def _middle(points, made):
    """Return the middle (x, y) of the made contacts, 1 / reach, and the index of one of them.

    Middle and reach are those of the bounding box, half its longer side. 1 / reach is 0 for contacts in one place.
    """
    left, right, bottom, top, known = math.inf, -math.inf, math.inf, -math.inf, -1
    for i in range(made.shape[0]):
        if made[i]:
            known = i
            left, right = min(left, points[i, 0]), max(right, points[i, 0])
            bottom, top = min(bottom, points[i, 1]), max(top, points[i, 1])
    if known < 0:
        return 0.0, 0.0, 0.0, 0
    reach, largest = 0.5 * max(right - left, top - bottom), max(-left, right, -bottom, top)
    return 0.5 * (left + right), 0.5 * (bottom + top), 1.0 / reach if reach > COINCIDENT * largest else 0.0, known


@njit(cache=True, forceinline=True, error_model="numpy")
def _cone(mu, fan, along, across):
    """Write a contact's forces: the two edges of unit normal component, or a fan of unit forces."""
    if fan == 0:
        along[:], across[0], across[1] = 1.0, -mu, mu
    else:
        for j in range(fan):
            angle = math.atan(mu) * (2.0 * j / (fan - 1) - 1.0)
            along[j], across[j] = math.cos(angle), math.sin(angle)


@njit(cache=True, forceinline=True, error_model="numpy")
def _fill(points, normals, made, known, along, across, x, y, shrink, w, lane):
    """Write the wrenches ``along n + across t`` about (x, y); contact `known` stands in for those not made."""
    n = 0
    for place in range(made.shape[0]):
        i = place if made[place] else known
        nx, ny = normals[i, 0], normals[i, 1]
        rx, ry = (points[i, 0] - x) * shrink, (points[i, 1] - y) * shrink
        for j in range(along.shape[0]):
            fx, fy = along[j] * nx - across[j] * ny, along[j] * ny + across[j] * nx
            w[n].x[lane], w[n].y[lane], w[n].z[lane] = fx, fy, rx * fy - ry * fx
            n += 1


@njit(cache=True, forceinline=True)
def _at(vector, lane):
    """Return the vector of a lane as a triple."""
    return vector.x[lane], vector.y[lane], vector.z[lane]


@njit(cache=True, error_model="numpy")
def _span(a, b, c, lanes, plane):
    """Write the plane through three wrenches; the length of its normal is twice their triangle's area."""
    normals = plane.normal
    for lane in range(lanes):
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = _at(a, lane), _at(b, lane), _at(c, lane)
        normal = cross((bx - ax, by - ay, bz - az), (cx - ax, cy - ay, cz - az))
        normals.x[lane], normals.y[lane], normals.z[lane] = normal
        plane.offset[lane], plane.slack[lane] = dot(normal, (ax, ay, az)), SIDE * (1.0 + dot(normal, normal))
        plane.sides[lane] = 0


@njit(cache=True, error_model="numpy")
def _compare(wrench, lanes, plane):
    """Note on which side of the plane a wrench lies; return in how many lanes all wrenches so far lie on one side."""
    one_sided = 0
    for lane in range(lanes):
        height, slack = dot(_at(plane.normal, lane), _at(wrench, lane)) - plane.offset[lane], plane.slack[lane]
        sides = plane.sides[lane] | (ABOVE if height > slack else 0) | (BELOW if height < -slack else 0)
        plane.sides[lane] = sides
        one_sided += sides != BOTH
    return one_sided


@njit(cache=True, error_model="numpy")
def _measure(plane, lanes, hull):
    """Where the plane bears a facet, note whether zero lies outside of it, and the distance if it is the least so far.

    A plane (normal, offset) of the wrenches about the contacts' middle is, about the caller's origin,
    ``(nx + nz y, ny - nz x, nz scale) . w = offset``. Distances are squared with their sign; minus infinity marks a
    flat hull.
    """
    for lane in range(lanes):
        nx, ny, nz = _at(plane.normal, lane)
        sides = plane.sides[lane]
        facet = (sides != BOTH) & (nx * nx + ny * ny + nz * nz >= SLIVER)
        offset = plane.offset[lane] if sides == BELOW else -plane.offset[lane]
        offset = offset if sides else -math.inf
        mx, my, mz = nx + nz * hull.y[lane], ny - nz * hull.x[lane], nz * hull.scale[lane]
        distance = offset * abs(offset) / (mx * mx + my * my + mz * mz)
        hull.outside[lane] += facet & (offset <= ZERO)
        # `np.minimum`: of `min` the compiler makes a store under a mask, which is slow.
        hull.least[lane] = np.minimum(hull.least[lane], distance if facet else math.inf)


@njit(cache=True, error_model="numpy")
def _facets(w, lanes, plane, hull):
    """Measure every facet of the hulls of the wrenches w (n,)."""
    for a in range(len(w) - 2):
        for b in range(a + 1, len(w) - 1):
            for c in range(b + 1, len(w)):
                _span(w[a], w[b], w[c], lanes, plane[0])
                for k in range(len(w)):
                    if k not in (a, b, c) and not _compare(w[k], lanes, plane[0]):
                        break
                else:
                    _measure(plane[0], lanes, hull[0])


@njit(cache=True, error_model="numpy")
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
    along, across, w = np.empty(forces), np.empty(forces), np.empty(forces * made.shape[1], VECTOR)
    plane, hull = np.empty(1, PLANE), np.empty(1, HULL)
    for first in range(0, made.shape[0], LANES):
        lanes = min(LANES, made.shape[0] - first)
        for lane in range(lanes):
            g, h = first + lane, hull[0]
            x, y, shrink, known = _middle(points[g], made[g])
            _cone(friction[g], fan, along, across)
            _fill(points[g], normals[g], made[g], known, along, across, x, y, shrink, w, lane)
            h.x[lane], h.y[lane] = (x - origin[g, 0]) * shrink, (y - origin[g, 1]) * shrink
            h.scale[lane], h.least[lane], h.outside[lane] = scale[g] * shrink, math.inf, 0
        _facets(w, lanes, plane, hull)
        for lane in range(lanes):
            g, least = first + lane, hull[0].least[lane]
            distance = math.copysign(math.sqrt(abs(least)), least) if math.isfinite(least) else 0.0
            closed[g] = math.isfinite(least) and hull[0].outside[lane] == 0
            epsilon[g] = distance if closed[g] else (min(distance, 0.0) if signed else 0.0)
