"""Spatial closure of three point contacts, as a planar problem.

Three forces at three points that are not on one line balance only inside the plane of the points (their torques about each
pair's line vanish). So a grasp of three hard contacts is closed exactly when each friction cone reaches to both sides of
that plane and the six forces in which the plane cuts the cones positively span the planar wrenches. The cut of a round
cone is exact: an edge pair with in-plane friction sqrt(mu^2 - s^2 (1 + mu^2)), s = normal . plane normal.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from wrench.spanning import ZERO, cross, dot, positively_spans, row

COLLINEAR = 1e-16  # squared sine below which three contacts lie on one line
COINCIDENT = 1e-18  # squared distance, over the largest squared coordinate, below which contacts are one point


@njit(cache=True, inline="always")
def minus(a, b):
    """Return a - b of two triples."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@njit(cache=True, inline="always")
def scaled(a, s):
    """Return s a of a triple."""
    return a[0] * s, a[1] * s, a[2] * s


@njit(cache=True)
def unit_tangents(normal):
    """Return the two unit tangents of a normal, as in `wrench.cone.tangents`."""
    first = cross(normal, (1.0, 0.0, 0.0) if abs(normal[0]) < 0.9 else (0.0, 1.0, 0.0))
    first = scaled(first, 1.0 / math.sqrt(dot(first, first)))
    return first, cross(normal, first)


@njit(cache=True)
def contact_plane(points):
    """Return whether three points span a plane, its unit axes (e, f, normal), and the length of the first side."""
    a, b = minus(row(points, 1), row(points, 0)), minus(row(points, 2), row(points, 0))
    normal = cross(a, b)
    area, length = dot(normal, normal), math.sqrt(dot(a, a))
    if area <= COLLINEAR * dot(a, a) * dot(b, b) or min(dot(a, a), dot(b, b)) <= COINCIDENT * np.max(points * points):
        return False, a, b, normal, length
    normal = scaled(normal, 1.0 / math.sqrt(area))
    e = scaled(a, 1.0 / length)
    return True, e, cross(normal, e), normal, length


@njit(cache=True)
def _cut_round(normal, mu, e, f, s, cut):
    """Write the two directions (2, 2) in which the contact plane cuts a round cone; False where it only touches it."""
    height = dot(normal, s)
    friction2 = mu * mu - height * height * (1.0 + mu * mu)
    if friction2 <= ZERO:
        return False
    t, u, v = math.sqrt(friction2), dot(normal, e), dot(normal, f)
    cut[0, 0], cut[0, 1], cut[1, 0], cut[1, 1] = u - t * v, v + t * u, u + t * v, v - t * u
    return True


@njit(cache=True)
def _cut_pyramid(normal, mu, e, f, s, cosines, sines, cut):
    """Write the two directions (2, 2) in which the contact plane cuts a pyramid; False where it does not."""
    first, second = unit_tangents(normal)
    found, m = 0, cosines.shape[0]
    for k in range(m):
        nxt = (k + 1) % m
        c0, s0, c1, s1 = mu * cosines[k], mu * sines[k], mu * cosines[nxt], mu * sines[nxt]
        h0 = dot(normal, s) + c0 * dot(first, s) + s0 * dot(second, s)
        h1 = dot(normal, s) + c1 * dot(first, s) + s1 * dot(second, s)
        if (h0 > 0.0) != (h1 > 0.0) and found < 2:
            t = h0 / (h0 - h1)
            c, d = c0 + t * (c1 - c0), s0 + t * (s1 - s0)
            cut[found, 0] = dot(normal, e) + c * dot(first, e) + d * dot(second, e)
            cut[found, 1] = dot(normal, f) + c * dot(first, f) + d * dot(second, f)
            found += 1
    return found == 2


@njit(cache=True)
def spatial_closure(points, normals, friction, cosines, sines, closed):
    """Write the closure of every grasp of three contacts into `closed`.

    Parameters
    ----------
    points, normals : (n, 3, 3) float
    friction : (n,) float
    cosines, sines : (m,) float
        Angles of the pyramid's edges from the first tangent; empty for round cones.
    """
    w, cut = np.empty((6, 3)), np.empty((2, 2))
    for g in range(points.shape[0]):
        plane, e, f, s, length = contact_plane(points[g])
        for i in range(3):
            if not plane:
                break
            normal, arm = row(normals[g], i), minus(row(points[g], i), row(points[g], 0))
            if cosines.shape[0]:
                plane = _cut_pyramid(normal, friction[g], e, f, s, cosines, sines, cut)
            else:
                plane = _cut_round(normal, friction[g], e, f, s, cut)
            rx, ry = dot(arm, e) / length, dot(arm, f) / length
            for j in range(2):
                w[2 * i + j, 0], w[2 * i + j, 1] = cut[j, 0], cut[j, 1]
                w[2 * i + j, 2] = rx * cut[j, 1] - ry * cut[j, 0]
        closed[g] = plane and positively_spans(w, 6)
