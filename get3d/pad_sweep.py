"""First contact of a flat pad that moves along its normal, exactly.

No ray grid: every triangle that reaches into the prism swept by the pad is clipped to the pad's outline, and the least
depth is kept. What touches first is often an area (a pad flat on a face) or an edge; the contact point is the middle of
all that lies within `patch` of the first touch, so that it does not jump to a corner of the pad, and the contact normal is
that of the face with the largest part in it.

Coordinates are depth, y, z: depth along the pad's motion, y and z of the gripper frame.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

ROOM = 24  # corners of a triangle clipped to a pad outline of up to 20 sides
DEPTH, Y, Z, AREA, SUM_Y, SUM_Z, LARGEST = range(7)  # of a contact
FACE, OVERLAPS = range(2)  # of what was found


@njit(cache=True, inline="always")
def _local(corner, pose, start, sign):
    """Return (depth, y, z) of a point of the table frame, for a pad that starts at x = start and moves along sign * x."""
    x, y, z = corner[0] - pose[0, 3], corner[1] - pose[1, 3], corner[2] - pose[2, 3]
    return (
        sign * (pose[0, 0] * x + pose[1, 0] * y + pose[2, 0] * z - start),
        pose[0, 1] * x + pose[1, 1] * y + pose[2, 1] * z,
        pose[0, 2] * x + pose[1, 2] * y + pose[2, 2] * z,
    )


@njit(cache=True)
def _nearest_depth(low, high, pose, start, sign, bounds, limit):
    """Return the least depth a box of the tree may have; inf when it misses the swept prism up to depth `limit`."""
    middle = (0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2]))
    depth, y, z = _local(middle, pose, start, sign)
    reach = (0.0, 0.0, 0.0)
    for k in range(3):
        half = 0.5 * (high[k] - low[k])
        reach = (
            reach[0] + half * abs(pose[k, 0]),
            reach[1] + half * abs(pose[k, 1]),
            reach[2] + half * abs(pose[k, 2]),
        )
    if depth - reach[0] > limit or depth + reach[0] < 0.0:
        return math.inf
    if y - reach[1] > bounds[0, 1] or y + reach[1] < bounds[0, 0]:
        return math.inf
    if z - reach[2] > bounds[1, 1] or z + reach[2] < bounds[1, 0]:
        return math.inf
    return depth - reach[0]


@njit(cache=True)
def _clip(corners, n, p, a, b, c, clipped):
    """Clip a polygon (n, 3) to the half-space p depth + a y + b z <= c, in place; return its new size."""
    m = 0
    for i in range(n):
        j = i + 1 if i + 1 < n else 0
        here = p * corners[i, 0] + a * corners[i, 1] + b * corners[i, 2] - c
        there = p * corners[j, 0] + a * corners[j, 1] + b * corners[j, 2] - c
        if here <= 0.0:
            for k in range(3):
                clipped[m, k] = corners[i, k]
            m += 1
        if (here < 0.0 and there > 0.0) or (here > 0.0 and there < 0.0):
            share = here / (here - there)
            for k in range(3):
                clipped[m, k] = corners[i, k] + share * (corners[j, k] - corners[i, k])
            m += 1
    for i in range(m):
        for k in range(3):
            corners[i, k] = clipped[i, k]
    return m


@njit(cache=True)
def _before_pad(triangle, pose, start, sign, outline, bounds, limit, corners, clipped):
    """Write the part of a triangle within the pad's outline into `corners`; return its size, 0 beyond depth `limit`."""
    for i in range(3):
        corners[i, 0], corners[i, 1], corners[i, 2] = _local(triangle[i], pose, start, sign)
    if min(corners[0, 0], corners[1, 0], corners[2, 0]) > limit or max(corners[0, 0], corners[1, 0], corners[2, 0]) < 0.0:
        return 0
    for axis in range(2):
        u, v, w = corners[0, axis + 1], corners[1, axis + 1], corners[2, axis + 1]
        if min(u, v, w) > bounds[axis, 1] or max(u, v, w) < bounds[axis, 0]:
            return 0
    n = 3
    for side in range(outline.shape[0]):
        n = _clip(corners, n, 0.0, outline[side, 0], outline[side, 1], outline[side, 2], clipped)
        if n == 0:
            break
    return n


@njit(cache=True)
def _facing(triangle, pose, sign):
    """Return the x component, along the motion, of a triangle's unit outward normal."""
    ax, ay, az = triangle[1, 0] - triangle[0, 0], triangle[1, 1] - triangle[0, 1], triangle[1, 2] - triangle[0, 2]
    bx, by, bz = triangle[2, 0] - triangle[0, 0], triangle[2, 1] - triangle[0, 1], triangle[2, 2] - triangle[0, 2]
    nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    along = nx * pose[0, 0] + ny * pose[1, 0] + nz * pose[2, 0]
    return sign * along / math.sqrt(nx * nx + ny * ny + nz * nz)


@njit(cache=True)
def _touch(corners, n, t, contact, found):
    """Keep a clipped triangle when it comes before the first touch so far; note when the face of the pad cuts it."""
    deepest, nearest = corners[0, 0], 0
    for i in range(1, n):
        deepest = max(deepest, corners[i, 0])
        nearest = i if corners[i, 0] < corners[nearest, 0] else nearest
    if deepest >= 0.0 and corners[nearest, 0] < contact[DEPTH]:
        found[OVERLAPS] |= corners[nearest, 0] < 0.0
        contact[DEPTH], contact[Y], contact[Z] = max(corners[nearest, 0], 0.0), corners[nearest, 1], corners[nearest, 2]
        found[FACE] = t


@njit(cache=True)
def _gather(corners, n, t, faces_pad, contact, found):
    """Add the area and first moments of a clipped triangle to the patch, and keep the largest that faces the pad."""
    part = 0.0
    for i in range(1, n - 1):
        uy, uz = corners[i, 1] - corners[0, 1], corners[i, 2] - corners[0, 2]
        vy, vz = corners[i + 1, 1] - corners[0, 1], corners[i + 1, 2] - corners[0, 2]
        piece = 0.5 * abs(uy * vz - uz * vy)
        part += piece
        contact[SUM_Y] += piece * (corners[0, 1] + (uy + vy) / 3.0)
        contact[SUM_Z] += piece * (corners[0, 2] + (uz + vz) / 3.0)
    contact[AREA] += part
    if faces_pad and part > contact[LARGEST]:
        contact[LARGEST] = part
        found[FACE] = t


@njit(cache=True)
def _walk(triangles, low, high, first, second, pose, outline, bounds, start, sign, patch, gathering, room, contact, found):
    """Visit the triangles before the pad, nearest boxes first: look for the first touch, or gather the patch behind it."""
    corners, clipped, stack, reach = room
    waiting, stack[0], reach[0] = 1, 0, 0.0
    while waiting:
        waiting -= 1
        node, limit = stack[waiting], contact[DEPTH] + patch if gathering else contact[DEPTH]
        if reach[waiting] > limit:
            continue
        if second[node] > 0:
            near = _nearest_depth(low[first[node]], high[first[node]], pose, start, sign, bounds, limit)
            far = _nearest_depth(low[second[node]], high[second[node]], pose, start, sign, bounds, limit)
            swap = far < near
            for last in (False, True):  # the nearer child goes on top
                depth, child = (near, first[node]) if last != swap else (far, second[node])
                if depth < math.inf:
                    stack[waiting], reach[waiting] = child, depth
                    waiting += 1
            continue
        for t in range(first[node], first[node] - second[node]):
            n = _before_pad(triangles[t], pose, start, sign, outline, bounds, limit, corners, clipped)
            if n and gathering:
                n = _clip(corners, n, 1.0, 0.0, 0.0, limit, clipped)
                _gather(corners, n, t, _facing(triangles[t], pose, sign) < 0.0, contact, found)
            elif n:
                _touch(corners, n, t, contact, found)


@njit(cache=True)
def sweep(triangles, low, high, first, second, pose, outline, bounds, start, sign, patch, room, contact, found):
    """Sweep one pad and write its first contact.

    Parameters
    ----------
    triangles, low, high, first, second
        A `Bvh`.
    pose : (4, 4) float
        `T_table_gripper`.
    outline : (s, 3) float
        Half-planes a y + b z <= c of the pad's face, gripper frame, metres.
    bounds : (2, 2) float, metres
        Least and greatest y, and z, of the pad's face.
    start, sign : metres, +1 or -1
        x of the face in the gripper frame, and which way along x it moves.
    patch : metres
        Depth beyond the first touch that belongs to the contact.
    room
        From `sweep_room`.
    contact : (7,) float
        Written at DEPTH (inf when the pad meets nothing), Y and Z (middle of the patch, gripper frame).
    found : (2,) int
        Written at FACE (triangle of the tree with the largest part in the patch, -1 for none) and OVERLAPS (1 when the
        face cuts or lies in the material before it moves).
    """
    contact[:], found[:] = 0.0, 0
    contact[DEPTH], contact[LARGEST], found[FACE] = math.inf, -1.0, -1
    tree = (triangles, low, high, first, second)
    _walk(*tree, pose, outline, bounds, start, sign, patch, False, room, contact, found)
    if found[FACE] < 0 or found[OVERLAPS]:
        return
    _walk(*tree, pose, outline, bounds, start, sign, patch, True, room, contact, found)
    found[OVERLAPS] = contact[LARGEST] < 0.0  # met from behind only: the pad started inside
    if contact[AREA] > 0.0:
        contact[Y], contact[Z] = contact[SUM_Y] / contact[AREA], contact[SUM_Z] / contact[AREA]


@njit(cache=True)
def sweep_room():
    """Return uninitialised working arrays for `sweep`."""
    return np.empty((ROOM, 3)), np.empty((ROOM, 3)), np.empty(256, np.int64), np.empty(256)
