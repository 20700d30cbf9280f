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


@njit(cache=True, inline="always")
def unit(a):
    """Return a triple over its length."""
    return scaled(a, 1.0 / math.sqrt(dot(a, a)))


@njit(cache=True, forceinline=True)
def unit_tangents(normal):
    """Return the two unit tangents of a normal, as in `wrench.cone.tangents`."""
    first = unit(cross(normal, (1.0, 0.0, 0.0) if abs(normal[0]) < 0.9 else (0.0, 1.0, 0.0)))
    return first, cross(normal, first)


@njit(cache=True)
def on_axes(axes, i, v):
    """Return the components of a triple along the axes (3, 3, 3) of contact i: normal, first and second tangent."""
    return dot(row(axes[i], 0), v), dot(row(axes[i], 1), v), dot(row(axes[i], 2), v)


@njit(cache=True, forceinline=True)
def contact_plane(points):
    """Return whether three points span a plane, its unit axes (e, f, normal), and the length of the first side."""
    a, b = minus(row(points, 1), row(points, 0)), minus(row(points, 2), row(points, 0))
    normal = cross(a, b)
    area, a2, b2, largest = dot(normal, normal), dot(a, a), dot(b, b), 0.0
    for i in range(3):
        for c in range(3):
            largest = max(largest, points[i, c] * points[i, c])
    length = math.sqrt(a2)
    if area <= COLLINEAR * a2 * b2 or min(a2, b2) <= COINCIDENT * largest:
        return False, a, b, normal, length
    normal, e = scaled(normal, 1.0 / math.sqrt(area)), scaled(a, 1.0 / length)
    return True, e, cross(normal, e), normal, length


@njit(cache=True, forceinline=True)
def _cut_round(normal, mu, e, f, s, w, j):
    """Write the forces in which the contact plane cuts a round cone to rows j and j + 1 of w; False if it only touches."""
    height = dot(normal, s)
    friction2 = mu * mu - height * height * (1.0 + mu * mu)
    if friction2 <= ZERO:
        return False
    t, u, v = math.sqrt(friction2), dot(normal, e), dot(normal, f)
    w[j, 0], w[j, 1], w[j + 1, 0], w[j + 1, 1] = u - t * v, v + t * u, u + t * v, v - t * u
    return True


@njit(cache=True, forceinline=True)
def _cut_pyramid(normal, mu, e, f, s, cosines, sines, w, j):
    """Write the forces in which the contact plane cuts a pyramid to rows j and j + 1 of w; False where it does not."""
    first, second = unit_tangents(normal)
    h, h1, h2 = dot(normal, s), mu * dot(first, s), mu * dot(second, s)
    found, last = 0, len(cosines) - 1
    before = h + cosines[last] * h1 + sines[last] * h2
    for k in range(len(cosines)):
        height = h + cosines[k] * h1 + sines[k] * h2
        if (before > 0.0) != (height > 0.0):
            t = before / (before - height)
            c = mu * (cosines[last] + t * (cosines[k] - cosines[last]))
            d = mu * (sines[last] + t * (sines[k] - sines[last]))
            w[j + found, 0] = dot(normal, e) + c * dot(first, e) + d * dot(second, e)
            w[j + found, 1] = dot(normal, f) + c * dot(first, f) + d * dot(second, f)
            found += 1
            if found == 2:
                return True
        last, before = k, height
    return False


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
    w = np.empty((6, 3))
    for g in range(len(points)):
        p, n = points[g], normals[g]
        plane, e, f, s, length = contact_plane(p)
        for i in range(3):
            if not plane:
                break
            normal, arm = row(n, i), minus(row(p, i), row(p, 0))
            if len(cosines):
                plane = _cut_pyramid(normal, friction[g], e, f, s, cosines, sines, w, 2 * i)
            else:
                plane = _cut_round(normal, friction[g], e, f, s, w, 2 * i)
            rx, ry = dot(arm, e) / length, dot(arm, f) / length
            for j in (2 * i, 2 * i + 1):
                w[j, 2] = rx * w[j, 1] - ry * w[j, 0]
        closed[g] = plane and positively_spans(w, 6)
