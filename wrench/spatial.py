"""Epsilon of batches of three spatial point contacts: friction pyramids, and round cones with a certified bracket."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from wrench.plane_cut import contact_plane, unit_tangents
from wrench.polar import farthest, rays, responses, velocity
from wrench.spanning import dot, row

EDGES = 64  # most edges per cone while a round cone is refined
SAME = 1e-9  # edges closer than this are one edge, radians
TURN = 2 * math.pi


@njit(cache=True)
def _nearest_facet(rates, twists, angles, sizes, rate, twist, best):
    """Return the distance of the nearest facet of the pyramids' hull, and write its direction (6,) into `best`.

    `rates` and `twists` come from `responses`; `rate` and `twist` are room for the rays.
    """
    rays(rates, angles, sizes, rate)
    rays(twists, angles, sizes, twist)
    apex_rate, apex_twist = rates[0, 0] + rates[1, 0] + rates[2, 0], twists[0, 0] + twists[1, 0] + twists[2, 0]
    return 1.0 / math.sqrt(farthest(sizes, rate, twist, apex_rate, apex_twist, best))


@njit(cache=True)
def _room(edges):
    """Return uninitialised arrays for `responses` and for `_nearest_facet` with up to `edges` edges per cone."""
    return np.empty((3, 3, 3)), np.empty((3, 3, 6)), np.empty((3, edges, 3)), np.empty((3, edges, 6)), np.empty(6)


@njit(cache=True)
def pyramid_epsilon(points, normals, friction, origin, scale, angles, closed, epsilon):
    """Write epsilon of every grasp with `closed` set into `epsilon`, 0 elsewhere.

    Parameters
    ----------
    points, normals : (n, 3, 3) float, friction : (n,), origin : (n, 3) metres, scale : (n,) metres
    angles : (m,) float
        Of the pyramids' edges, increasing, radians from the first tangent.
    closed : (n,) bool
        Closure of the same pyramids, from `spatial_closure`.
    """
    m = angles.shape[0]
    rates, twists, rate, twist, best = _room(m)
    sizes, around = np.full(3, m), np.empty((3, m))
    around[:] = angles
    for g in range(points.shape[0]):
        epsilon[g] = 0.0
        if closed[g]:
            responses(points[g], normals[g], origin[g : g + 1], scale[g], friction[g], rates, twists)
            epsilon[g] = _nearest_facet(rates, twists, around, sizes, rate, twist, best)


@njit(cache=True)
def _insert(angles, sizes, i, angle):
    """Insert an edge of cone i at `angle`, in order; False when it is there already or there is no room."""
    angle, n = angle % TURN, sizes[i]
    k = 0
    while k < n and angles[i, k] < angle:
        k += 1
    if n:
        before = angles[i, k - 1] if k else angles[i, n - 1] - TURN
        after = angles[i, k] if k < n else angles[i, 0] + TURN
        if angle - before < SAME or after - angle < SAME or n == angles.shape[1]:
            return False
    for j in range(n, k, -1):
        angles[i, j] = angles[i, j - 1]
    angles[i, k] = angle
    sizes[i] = n + 1
    return True


@njit(cache=True)
def _first_edges(points, normals, mu, angles, sizes):
    """Start every cone with its two edges in the contact plane and the highest edge on each side of it.

    The first two make the pyramids closed exactly when the cones are; without the other two the plane would only graze
    the pyramids, and zero would lie on the border of their hull.
    """
    s = contact_plane(points)[3]
    for i in range(3):
        normal = row(normals, i)
        first, second = unit_tangents(normal)
        h0, h1, h2 = dot(normal, s), mu * dot(first, s), mu * dot(second, s)
        highest, half = math.atan2(h2, h1), math.acos(max(-1.0, min(1.0, -h0 / math.hypot(h1, h2))))
        sizes[i] = 0
        for angle in (highest - half, highest, highest + half, highest + math.pi):
            _insert(angles, sizes, i, angle)


@njit(cache=True)
def _support(points, normals, origin, scale, mu, twist, toward):
    """Return the greatest power of the round cones along a twist, and write each cone's edge angle towards it."""
    most = -math.inf
    for i in range(3):
        normal = row(normals, i)
        first, second = unit_tangents(normal)
        v = velocity(points, origin, scale, twist, i)
        along, across = dot(v, first), dot(v, second)
        most = max(most, dot(v, normal) + mu * math.hypot(along, across))
        toward[i] = math.atan2(across, along)
    return most


@njit(cache=True)
def round_epsilon(points, normals, friction, origin, scale, gap, closed, lower, upper):
    """Write a bracket of epsilon of the round cones for every grasp with `closed` set, 0 elsewhere.

    The lower bound is epsilon of inscribed pyramids; the upper bound is the round cones' support towards the pyramids'
    nearest facet. Each round adds to every cone the edge that supports that facet's direction, until
    ``upper <= lower (1 + gap)``.

    Parameters
    ----------
    points, normals : (n, 3, 3) float, friction : (n,), origin : (n, 3) metres, scale : (n,) metres
    gap : float
        Relative gap asked for.
    closed : (n,) bool
        Closure of the round cones, from `spatial_closure`.
    lower, upper : (n,) float
        Written.
    """
    rates, twists, rate, twist, best = _room(EDGES)
    angles, sizes, toward = np.empty((3, EDGES)), np.empty(3, np.int64), np.empty(3)
    for g in range(points.shape[0]):
        lower[g], upper[g] = 0.0, 0.0
        if not closed[g]:
            continue
        p, n, o, s, mu = points[g], normals[g], origin[g : g + 1], scale[g], friction[g]
        upper[g], grown = math.inf, True
        _first_edges(p, n, mu, angles, sizes)
        responses(p, n, o, s, mu, rates, twists)
        while grown and upper[g] > lower[g] * (1.0 + gap):
            lower[g] = _nearest_facet(rates, twists, angles, sizes, rate, twist, best)
            upper[g] = min(upper[g], lower[g] * _support(p, n, o, s, mu, best, toward))
            grown = False
            for i in range(3):
                grown |= _insert(angles, sizes, i, toward[i])
        upper[g] = max(upper[g], lower[g])  # they may cross by rounding
