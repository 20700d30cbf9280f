"""Spatial epsilon of three point contacts, by way of the twists they can resist.

The hull's polar body is easier than the hull. It holds the twists u (wrench coordinates) along which no contact can do
more than unit power; its farthest point lies at 1 / epsilon. A twist moves contact i with a velocity v_i, and the contact
does at most unit power when v_i lies in a pyramid with its apex at the normal n_i and one ray per side of the friction
pyramid. Three velocities belong to one rigid twist when they do not change the three distances between the contacts.
So a vertex of the polar body is a choice of pyramid faces of total dimension three, solved for those three conditions: one
ray at each contact, or the two rays of a face at one contact and one ray at another. Every facet of the six-dimensional
hull is found by a 3 x 3 solve, and a sparse one: a contact changes only the two distances that end at it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from wrench.plane_cut import minus, scaled, unit, unit_tangents
from wrench.spanning import cross, dot, row

SINGULAR = 1e-14  # determinant below which three rays leave the distances undetermined, dimensionless

# What each contact does alone when it moves along an axis: its normal, or one of its two tangents, those over mu.
RESPONSE = np.dtype(
    [
        ("axes", np.float64, (3, 3, 3)),  # per contact and axis: the unit vector
        ("rate", np.float64, (3, 3, 3)),  # per contact and axis: rates at which it approaches contacts 0, 1 and 2
        ("twist", np.float64, (3, 3, 6)),  # per contact and axis: its part of the rigid twist
        ("apex", np.float64, 6),  # twist, all three moving along their normals
        ("need", np.float64, (3, 3)),  # per pair: rate of approach that makes up for what the normals do
    ]
)


class Rays(NamedTuple):
    """Rays of three pyramids: at each contact the first `sizes` (3,) of m, each between two edges of the friction pyramid.

    `after` (3, m) is the ray beyond the second edge; `start` and `width` (3, m) radians are the first edge's angle from
    the first tangent and the turn to the second edge; `corner` (3, m, 3) is the direction on the contact's axes; `rate`
    (3, m, 3) and `twist` (3, m, 6) are the response to it, as in `RESPONSE`.
    """

    sizes: NDArray[np.int64]
    after: NDArray[np.int64]
    start: NDArray[np.float64]
    width: NDArray[np.float64]
    corner: NDArray[np.float64]
    rate: NDArray[np.float64]
    twist: NDArray[np.float64]


@njit(cache=True)
def room(m):
    """Return uninitialised `Rays`, up to m at each contact."""
    sizes, after, start, width = np.zeros(3, np.int64), np.empty((3, m), np.int64), np.empty((3, m)), np.empty((3, m))
    return Rays(sizes, after, start, width, np.empty((3, m, 3)), np.empty((3, m, 3)), np.empty((3, m, 6)))


@njit(cache=True)
def respond(points, normals, origin, scale, mu, response):
    """Write the `RESPONSE` of three contacts.

    Twists have their force part first, so that ``twist . wrench`` is the power of a wrench with its torque over `scale`.
    """
    a, b = minus(row(points, 1), row(points, 0)), minus(row(points, 2), row(points, 0))
    s, arm = cross(a, b), minus(row(points, 0), row(origin, 0))
    s = scaled(s, 1.0 / dot(s, s))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        to_j, to_k, normal = minus(row(points, j), row(points, i)), minus(row(points, k), row(points, i)), row(normals, i)
        hinge, to_j, to_k = minus(to_k, to_j), unit(to_j), unit(to_k)
        first, second = unit_tangents(normal)
        for d in range(3):
            axis = normal if d == 0 else (first if d == 1 else second)
            v = scaled(axis, 1.0 if d == 0 else 1.0 / mu)
            response.rate[i, d, i], response.rate[i, d, j], response.rate[i, d, k] = 0.0, dot(v, to_j), dot(v, to_k)
            # Out of the contacts' plane a contact turns the body about the opposite side; in it, 1 moving from 0 does.
            lift, turn = dot(v, s), dot(v, b) * (-1.0 if i == 0 else (1.0 if i == 1 else 0.0))
            spin = lift * hinge[0] + turn * s[0], lift * hinge[1] + turn * s[1], lift * hinge[2] + turn * s[2]
            carried = cross(spin, arm)
            for c in range(3):
                response.axes[i, d, c], response.twist[i, d, 3 + c] = axis[c], spin[c] * scale
                response.twist[i, d, c] = (v[c] if i == 0 else 0.0) - carried[c]
    for c in range(6):
        response.apex[c] = response.twist[0, 0, c] + response.twist[1, 0, c] + response.twist[2, 0, c]
    for i in range(3):
        for k in range(3):
            response.need[i, k] = -response.rate[i, 0, k] - response.rate[k, 0, i]


@njit(cache=True)
def aim(rays, i, k):
    """Write the direction of ray k of contact i, which does no power on the two edges beside it."""
    half = 0.5 * rays.width[i, k]
    middle = rays.start[i, k] + half
    rays.corner[i, k, 0], rays.corner[i, k, 1], rays.corner[i, k, 2] = -math.cos(half), math.cos(middle), math.sin(middle)


@njit(cache=True)
def move(rays, i, k, response):
    """Write rate and twist of ray k of contact i."""
    x, y, z = rays.corner[i, k, 0], rays.corner[i, k, 1], rays.corner[i, k, 2]
    for c in range(3):
        rays.rate[i, k, c] = x * response.rate[i, 0, c] + y * response.rate[i, 1, c] + z * response.rate[i, 2, c]
    for c in range(6):
        rays.twist[i, k, c] = x * response.twist[i, 0, c] + y * response.twist[i, 1, c] + z * response.twist[i, 2, c]


@njit(cache=True)
def farthest(rays, response, twist):
    """Write the farthest vertex of the polar body into `twist` (6,); return its squared distance, 0 if there is none."""
    return _face_and_ray(rays, response, _ray_each(rays, response, 0.0, twist), twist)


@njit(cache=True, error_model="numpy")
def _ray_each(rays, response, best, twist):
    """Try one ray of each contact: a of 0, b of 1, c of 2, in shares that meet the need of pairs 01, 02 and 12."""
    sizes, rate, need = rays.sizes, rays.rate, response.need
    need01, need02, need12 = need[0, 1], need[0, 2], need[1, 2]
    for a in range(sizes[0]):
        a1, a2 = rate[0, a, 1], rate[0, a, 2]
        for b in range(sizes[1]):
            b0, b2 = rate[1, b, 0], rate[1, b, 2]
            # Cramer's rule, turned to make own >= 0: all determinants but own are linear in the rates (c0, c1) of c.
            own = a1 * b2 * need02 + a2 * b0 * need12 - a2 * b2 * need01
            sign = math.copysign(1.0, own)
            p0, p1 = sign * a1 * b2, sign * a2 * b0
            q0, q1 = sign * (b2 * need01 - b0 * need12), sign * b0 * need02
            r0, r1 = sign * a1 * need12, sign * (a2 * need01 - a1 * need02)
            for c in range(sizes[2]):
                c0, c1 = rate[2, c, 0], rate[2, c, 1]
                whole, of_a, of_b = p0 * c0 + p1 * c1, q0 * c0 + q1 * c1, r0 * c0 + r1 * c1
                if (whole >= SINGULAR) & (of_a >= 0.0) & (of_b >= 0.0):  # in one branch: each alone is a toss-up
                    over = 1.0 / whole
                    shares = of_a * over, of_b * over, sign * own * over
                    best = _farther(rays.twist, response.apex, (0, 1, 2), (a, b, c), shares, best, twist)
    return best


@njit(cache=True, error_model="numpy")
def _face_and_ray(rays, response, best, twist):
    """Try two rays a, b of a face of contact i and one ray c of contact k; contact j stays at its apex.

    The need of pair jk sets the share of c. What is left of the needs of ik and ij is a point of the plane, and lies
    between the rates of a and b or does not.
    """
    sizes, after, rate, need = rays.sizes, rays.after, rays.rate, response.need
    for case in range(6):
        i, step = case // 2, 1 + case % 2
        j, k = (i + step) % 3, (i + 2 * step) % 3
        for c in range(sizes[k]):
            share = need[j, k] / rate[k, c, j]
            if not 0.0 <= share < math.inf:
                continue
            x, y, a = need[i, k] - share * rate[k, c, i], need[i, j], 0
            side_a = rate[i, 0, k] * y - rate[i, 0, j] * x
            for _ in range(sizes[i]):
                b = after[i, a]
                side_b = rate[i, b, k] * y - rate[i, b, j] * x
                if side_a * side_b <= 0.0:
                    whole = rate[i, a, k] * rate[i, b, j] - rate[i, a, j] * rate[i, b, k]
                    if abs(whole * rate[k, c, j]) >= SINGULAR and side_a * whole >= 0.0 and side_b * whole <= 0.0:
                        shares = -side_b / whole, side_a / whole, share
                        best = _farther(rays.twist, response.apex, (i, i, k), (a, b, c), shares, best, twist)
                a, side_a = b, side_b
    return best


@njit(cache=True, forceinline=True)
def _farther(twists, apex, contacts, rays, shares, best, twist):
    """Write the vertex with these shares of three rays, where it is farther than `best`; return the greater."""
    (i, j, k), (a, b, c), (r, s, t) = contacts, rays, shares
    length = 0.0
    for d in range(6):
        x = apex[d] + r * twists[i, a, d] + s * twists[j, b, d] + t * twists[k, c, d]
        length += x * x
    if length <= best:
        return best
    for d in range(6):
        twist[d] = apex[d] + r * twists[i, a, d] + s * twists[j, b, d] + t * twists[k, c, d]
    return length
