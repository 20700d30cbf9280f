"""Spatial epsilon of three point contacts, by way of the twists they can resist.

The hull's polar body is easier than the hull. It holds the twists u (wrench coordinates) along which no contact can do
more than unit power; its farthest point lies at 1 / epsilon. A twist moves contact i with a velocity v_i, and the contact
does at most unit power when v_i lies in a pyramid with its apex at the normal n_i and one ray per side of the friction
pyramid. Three velocities belong to one rigid twist when they do not change the three distances between the contacts.
So a vertex of the polar body is a choice of pyramid faces of total dimension three, solved for those three conditions: one
ray at each contact, or the two rays of a face at one contact and one ray at another. Every facet of the six-dimensional
hull is found by a 3 x 3 solve.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from wrench.plane_cut import minus, scaled, unit_tangents
from wrench.spanning import cross, dot, row

SINGULAR = 1e-14  # determinant below which three rays leave the distances undetermined, dimensionless


@njit(cache=True)
def rigid_twist(points, origin, scale, v0, v1, v2, twist):
    """Write the twist (6,) that moves three points with velocities v0, v1, v2; linear in them.

    Force part first, so that ``twist . wrench`` is the power of a wrench whose torque is divided by `scale`.
    """
    a, b = minus(row(points, 1), row(points, 0)), minus(row(points, 2), row(points, 0))
    s, va, vb = cross(a, b), minus(v1, v0), minus(v2, v0)
    shrink = 1.0 / dot(s, s)
    along_b, along_a, along_s = -dot(va, s) * shrink, dot(vb, s) * shrink, dot(va, b) * shrink
    spin = (
        along_b * b[0] + along_a * a[0] + along_s * s[0],
        along_b * b[1] + along_a * a[1] + along_s * s[1],
        along_b * b[2] + along_a * a[2] + along_s * s[2],
    )
    carried = cross(spin, minus(row(points, 0), row(origin, 0)))
    for c in range(3):
        twist[c], twist[3 + c] = v0[c] - carried[c], spin[c] * scale


@njit(cache=True)
def velocity(points, origin, scale, twist, i):
    """Return the velocity of contact i under a twist (6,)."""
    spin = (twist[3] / scale, twist[4] / scale, twist[5] / scale)
    carried = cross(spin, minus(row(points, i), row(origin, 0)))
    return twist[0] + carried[0], twist[1] + carried[1], twist[2] + carried[2]


@njit(cache=True)
def responses(points, normals, origin, scale, mu, rate, twist):
    """Write what each contact does alone when it moves along its normal and along its two tangents over mu.

    Parameters
    ----------
    rate : (3, 3, 3) float
        Written: per contact and direction, the rates at which the distances 0-1, 0-2 and 1-2 shrink.
    twist : (3, 3, 6) float
        Written: per contact and direction, the contribution to the rigid twist.
    """
    rest = (0.0, 0.0, 0.0)
    for i in range(3):
        normal = row(normals, i)
        first, second = unit_tangents(normal)
        for d in range(3):
            v = normal if d == 0 else scaled(first if d == 1 else second, 1.0 / mu)
            v0, v1, v2 = v if i == 0 else rest, v if i == 1 else rest, v if i == 2 else rest
            rigid_twist(points, origin, scale, v0, v1, v2, twist[i, d])
            for pair in range(3):
                p, q = (0, 1) if pair == 0 else ((0, 2) if pair == 1 else (1, 2))
                side = minus(row(points, q), row(points, p))
                sign = 1.0 if i == p else (-1.0 if i == q else 0.0)
                rate[i, d, pair] = sign * dot(side, v) / math.sqrt(dot(side, side))


@njit(cache=True)
def rays(response, angles, sizes, ray):
    """Write every contact's response along the rays of its pyramid: ray k stands between edge k and the next.

    Parameters
    ----------
    response : (3, 3, c) float
        From `responses`: rates (c = 3) or twists (c = 6) along normal and tangents.
    angles : (3, >= m) float, sizes : (3,) int
        Increasing angles of the friction pyramid's edges about each normal, of which the first `sizes` count.
    ray : (3, >= m, c) float
        Written.
    """
    for i in range(3):
        for k in range(sizes[i]):
            after = angles[i, k + 1] if k + 1 < sizes[i] else angles[i, 0] + 2 * math.pi
            middle, half = 0.5 * (angles[i, k] + after), 0.5 * (after - angles[i, k])
            inward, along, across = math.cos(half), math.cos(middle), math.sin(middle)
            for c in range(ray.shape[2]):
                ray[i, k, c] = along * response[i, 1, c] + across * response[i, 2, c] - inward * response[i, 0, c]


@njit(cache=True)
def farthest(sizes, rate, twist, apex_rate, apex_twist, best_twist):
    """Write the farthest vertex of the polar body into `best_twist`; return its squared distance from zero.

    Parameters
    ----------
    rate : (3, m, 3), twist : (3, m, 6) float
        Rays from `rays`.
    apex_rate : (3,), apex_twist : (6,) float
        Response of all three contacts moving along their normals.
    """
    x, best, need = np.empty(6), 0.0, (-apex_rate[0], -apex_rate[1], -apex_rate[2])
    for case in range(7):  # 0: a ray of each contact; 1..6: two neighbouring rays of contact i and one of contact k
        i = 0 if case == 0 else (case - 1) // 2
        j = 1 if case == 0 else i
        k = 2 if case == 0 else (i + 1 + (case - 1) % 2) % 3
        for a in range(sizes[i]):
            ra = row(rate[i], a)
            xa = cross(ra, need)
            neighbour = (a + 1) % sizes[i]
            for b in range(0 if case == 0 else neighbour, sizes[1] if case == 0 else neighbour + 1):
                rb = row(rate[j], b)
                xb = cross(need, rb)
                plane = cross(ra, rb)
                volume_c = dot(plane, need)
                for c in range(sizes[k]):
                    rc = row(rate[k], c)
                    volume = dot(plane, rc)
                    if abs(volume) < SINGULAR or volume * volume_c < 0:
                        continue
                    volume_a, volume_b = dot(xb, rc), dot(xa, rc)
                    if volume * volume_a < 0 or volume * volume_b < 0:  # signs first: a division costs more than all this
                        continue
                    share_a, share_b, share_c = volume_a / volume, volume_b / volume, volume_c / volume
                    length = 0.0
                    for d in range(6):
                        x[d] = apex_twist[d] + share_a * twist[i, a, d] + share_b * twist[j, b, d] + share_c * twist[k, c, d]
                        length += x[d] * x[d]
                    if length > best:
                        best = length
                        best_twist[:] = x
    return best
