"""Epsilon of batches of three spatial point contacts: friction pyramids, and round cones with a certified bracket."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from wrench.plane_cut import contact_plane, minus, on_axes
from wrench.polar import RESPONSE, aim, farthest, move, respond, room
from wrench.spanning import cross, row

EDGES = 64  # most edges per cone while a round cone is refined
SAME = 1e-9  # edges closer than this are one edge, radians
TURN = 2 * math.pi


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
    m, response, twist = len(angles), np.empty(1, RESPONSE), np.empty(6)
    rays = room(m)
    rays.sizes[:] = m
    for i in range(3):
        for k in range(m):
            rays.start[i, k], rays.after[i, k] = angles[k], (k + 1) % m
            rays.width[i, k] = angles[k + 1] - angles[k] if k + 1 < m else angles[0] + TURN - angles[k]
            aim(rays, i, k)
    for g in range(len(points)):
        epsilon[g] = 0.0
        if closed[g]:
            respond(points[g], normals[g], origin[g : g + 1], scale[g], friction[g], response[0])
            for i in range(3):
                for k in range(m):
                    move(rays, i, k, response[0])
            epsilon[g] = 1.0 / math.sqrt(farthest(rays, response[0], twist))


@njit(cache=True)
def _find(rays, i, angle):
    """Return the ray of contact i between whose edges an angle in [-pi, pi] lies, and the turn to it from the first edge."""
    for k in range(rays.sizes[i]):
        turn = angle - rays.start[i, k]
        turn = turn if turn >= 0.0 else turn + TURN
        if turn < rays.width[i, k]:
            return k, turn
    return 0, 0.0


@njit(cache=True)
def _split(rays, i, angle, response):
    """Insert an edge of cone i at an angle in [-pi, pi]; the second half of the ray it splits becomes the last ray.

    False when the edge is there already or there is no room.
    """
    n, (k, turn) = rays.sizes[i], _find(rays, i, angle)
    if turn < SAME or rays.width[i, k] - turn < SAME or n == rays.start.shape[1]:
        return False
    rays.start[i, n], rays.width[i, n], rays.after[i, n] = angle, rays.width[i, k] - turn, rays.after[i, k]
    rays.width[i, k], rays.after[i, k], rays.sizes[i] = turn, n, n + 1
    for half in (k, n):
        aim(rays, i, half)
        move(rays, i, half, response)
    return True


@njit(cache=True)
def _first_edges(points, mu, response, rays):
    """Start every cone with its two edges in the contact plane and the highest edge on each side of it.

    The first two make the pyramids closed exactly when the cones are; without the other two the plane would only graze
    the pyramids, and zero would lie on the border of their hull.
    """
    s = contact_plane(points)[3]
    for i in range(3):
        h0, h1, h2 = on_axes(response.axes, i, s)
        highest, half = math.atan2(h2, h1), math.acos(max(-1.0, min(1.0, -h0 / (mu * math.hypot(h1, h2)))))
        rays.sizes[i], rays.after[i, 0], rays.start[i, 0], rays.width[i, 0] = 1, 0, highest, TURN
        for turn in (half, math.pi, TURN - half):
            angle = highest + turn
            _split(rays, i, angle if angle <= math.pi else angle - TURN, response)


@njit(cache=True)
def _support(points, origin, scale, mu, response, twist, power, toward):
    """Return the greatest power of the round cones along a twist (6,); write each cone's, and the angle of its edge."""
    spin = (twist[3] / scale, twist[4] / scale, twist[5] / scale)
    for i in range(3):
        carried = cross(spin, minus(row(points, i), row(origin, 0)))
        v0, v1, v2 = on_axes(response.axes, i, (twist[0] + carried[0], twist[1] + carried[1], twist[2] + carried[2]))
        power[i], toward[i] = v0 + mu * math.hypot(v1, v2), math.atan2(v2, v1)
    return max(power[0], power[1], power[2])


@njit(cache=True)
def _cut(rays, response, power, toward, gap, near):
    """Give every cone that does more than ``1 + gap`` its edge towards the twist; return whether any was new.

    The rays beside these edges are copied into `near`; of the other cones, the ray that holds the twist's edge.
    """
    grown = False
    for i in range(3):
        k, split = _find(rays, i, toward[i])[0], power[i] > 1.0 + gap and _split(rays, i, toward[i], response)
        near.sizes[i], near.after[i, 0], near.after[i, 1] = (2, 1, 0) if split else (1, 0, 0)
        for new in range(near.sizes[i]):
            old = rays.sizes[i] - 1 if new else k
            near.rate[i, new], near.twist[i, new] = rays.rate[i, old], rays.twist[i, old]
        grown |= split
    return grown


@njit(cache=True)
def round_epsilon(points, normals, friction, origin, scale, gap, closed, lower, upper):
    """Write a bracket of epsilon of the round cones for every grasp with `closed` set, 0 elsewhere.

    The lower bound is epsilon of inscribed pyramids; the upper bound is the round cones' support towards the pyramids'
    nearest facet. Each round adds, to the cones that fall short, the edges that support that facet's direction. It goes on
    among the rays beside the new edges, where a facet costs little to find, until the gap is met there; the next round
    looks everywhere. A grasp whose nearest facets form a ring may use up all `EDGES` before a gap far below 1e-3 is met.

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
    response, twist, power, toward = np.empty(1, RESPONSE), np.empty(6), np.empty(3), np.empty(3)
    rays, near = room(EDGES), room(2)
    for g in range(len(points)):
        lower[g], upper[g] = 0.0, 0.0
        if not closed[g]:
            continue
        p, o, s, mu = points[g], origin[g : g + 1], scale[g], friction[g]
        respond(p, normals[g], o, s, mu, response[0])
        _first_edges(p, mu, response[0], rays)
        upper[g], grown = math.inf, True
        while grown and upper[g] > lower[g] * (1.0 + gap):
            lower[g], grown = 1.0 / math.sqrt(farthest(rays, response[0], twist)), False
            distance = lower[g]
            while distance < math.inf:
                upper[g] = min(upper[g], distance * _support(p, o, s, mu, response[0], twist, power, toward))
                if upper[g] <= distance * (1.0 + gap) or not _cut(rays, response[0], power, toward, gap, near):
                    break
                reach = farthest(near, response[0], twist)
                distance, grown = 1.0 / math.sqrt(reach) if reach else math.inf, True
        upper[g] = max(upper[g], lower[g])  # they may cross by rounding
