"""Clipping: the part of a triangle that lies before a pad, seen along the pad's motion.

A place is (depth, y, z): depth along the motion from the pad's face, y and z of the gripper frame.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

GRAZE = 1e-9  # metres: what a pad meets or leaves by less than this it touches, and sliding along a wall is free
ROOM = 24  # corners of a triangle clipped by up to 20 lines
# Of kernels that make no arrays: a * b + c in one instruction, and no counting of references, which took half of the time.
FAST = {"cache": True, "fastmath": {"contract"}, "error_model": "numpy", "_nrt": False}


@njit(forceinline=True, **FAST)
def frame_of(pose, draw, start, sign):
    """Return the map from the table frame to (depth, y, z) as twelve numbers: three rows of an axis and an offset.

    Parameters
    ----------
    pose : (4, 4) float
        `T_table_gripper`.
    draw : (3,) float, metres
        Displacement of the gripper.
    start, sign : metres, +1 or -1
        x of the pad's face in the gripper frame, and which way along x it moves.
    """
    x, y, z = pose[0, 3] + draw[0], pose[1, 3] + draw[1], pose[2, 3] + draw[2]
    return (
        *(sign * pose[0, 0], sign * pose[1, 0], sign * pose[2, 0]),
        -sign * (pose[0, 0] * x + pose[1, 0] * y + pose[2, 0] * z + start),
        *(pose[0, 1], pose[1, 1], pose[2, 1], -(pose[0, 1] * x + pose[1, 1] * y + pose[2, 1] * z)),
        *(pose[0, 2], pose[1, 2], pose[2, 2], -(pose[0, 2] * x + pose[1, 2] * y + pose[2, 2] * z)),
    )


@njit(forceinline=True, **FAST)
def local(frame, x, y, z):
    """Return (depth, y, z) of a point of the table frame."""
    return (
        frame[0] * x + frame[1] * y + frame[2] * z + frame[3],
        frame[4] * x + frame[5] * y + frame[6] * z + frame[7],
        frame[8] * x + frame[9] * y + frame[10] * z + frame[11],
    )


@njit(forceinline=True, **FAST)
def extent(frame, x, y, z):
    """Return how far a box of half size (x, y, z) along the table's axes reaches along depth, y and z."""
    return (
        abs(frame[0]) * x + abs(frame[1]) * y + abs(frame[2]) * z,
        abs(frame[4]) * x + abs(frame[5]) * y + abs(frame[6]) * z,
        abs(frame[8]) * x + abs(frame[9]) * y + abs(frame[10]) * z,
    )


@njit(forceinline=True, **FAST)
def before_pad(triangles, t, frame, outline, bounds, limit, corners, spare):
    """Write the part of a triangle within the pad's outline into `corners`; return its size, 0 beyond depth `limit`."""
    a = local(frame, triangles[t, 0, 0], triangles[t, 0, 1], triangles[t, 0, 2])
    b = local(frame, triangles[t, 1, 0], triangles[t, 1, 1], triangles[t, 1, 2])
    c = local(frame, triangles[t, 2, 0], triangles[t, 2, 1], triangles[t, 2, 2])
    if min(a[1], b[1], c[1]) > bounds[0, 1] or max(a[1], b[1], c[1]) < bounds[0, 0]:
        return 0
    if min(a[0], b[0], c[0]) > limit or max(a[0], b[0], c[0]) < -GRAZE:
        return 0
    if min(a[2], b[2], c[2]) > bounds[1, 1] or max(a[2], b[2], c[2]) < bounds[1, 0]:
        return 0
    corners[0, 0], corners[0, 1], corners[0, 2] = a
    corners[1, 0], corners[1, 1], corners[1, 2] = b
    corners[2, 0], corners[2, 1], corners[2, 2] = c
    n = 3
    for side in range(outline.shape[0]):
        n = clip(corners, n, 0.0, outline[side, 0], outline[side, 1], outline[side, 2], spare)
        if n == 0:
            break
    return n


@njit(**FAST)
def clip(corners, n, p, a, b, c, spare):
    """Clip a polygon (n, 3) to the half-space p depth + a y + b z <= c, in place; return its new size."""
    most = -math.inf
    for i in range(n):
        spare[i, 3] = p * corners[i, 0] + a * corners[i, 1] + b * corners[i, 2] - c
        most = max(most, spare[i, 3])
    if most <= 0.0:
        return n
    m = 0
    for i in range(n):
        j = i + 1 if i + 1 < n else 0
        here, there = spare[i, 3], spare[j, 3]
        if here <= 0.0:
            for k in range(3):
                spare[m, k] = corners[i, k]
            m += 1
        if (here < 0.0 and there > 0.0) or (here > 0.0 and there < 0.0):
            share = here / (here - there)
            for k in range(3):
                spare[m, k] = corners[i, k] + share * (corners[j, k] - corners[i, k])
            m += 1
    for i in range(m):
        for k in range(3):
            corners[i, k] = spare[i, k]
    return m


@njit(cache=True)
def clip_room():
    """Return uninitialised working arrays for `before_pad` and `clip`."""
    return np.empty((ROOM, 3)), np.empty((ROOM, 4))
