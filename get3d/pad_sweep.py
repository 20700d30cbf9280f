"""First contact of a flat pad that moves along its normal, exactly.

No ray grid: every triangle that reaches into the prism swept by the pad is clipped to the pad's outline, and the least
depth is kept. What touches first is often an area (a pad flat on a face) or an edge; the contact point is the middle of
all that lies within `patch` of the first touch, so that it does not jump to a corner of the pad. The contact normal is the
mean over the same area: on a face that face's, at an edge or a corner between those of its faces. A pad that meets two bumps
at once has its contact between them.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from get3d.bvh import INNER
from get3d.clip import FAST, GRAZE, before_pad, clip, clip_room, extent, local

TOUCH = 1e-18  # square metres added to every part of a patch, so that a bare line or point has a middle
PARALLEL = 1e-9  # cosine to the motion below which a normal is square to it and its face does not face the pad


@njit(**FAST)
def sweep(tree, frame, outline, bounds, patch, room):
    """Sweep one pad to its first touch.

    Parameters
    ----------
    tree
        A `Bvh`.
    frame
        From `frame_of`.
    outline : (s, 3) float
        Half-planes a y + b z <= c of the pad's face, gripper frame, metres.
    bounds : (2, 2) float, metres
        Least and greatest y, and z, of the pad's face.
    patch : metres
        Depth beyond the first touch that belongs to the contact.
    room
        From `sweep_room`.

    Returns
    -------
    depth, y, z : metres
        First touch, inf when the pad meets nothing; middle of the patch, gripper frame.
    normal : three floats
        Mean over the patch, into the solid, table frame, of any length; zero when nothing is known.
    overlaps : bool
        Whether the face cuts or lies in the material before it moves; nothing else is then known.
    """
    depth, n = _first(tree, frame, outline, bounds, patch, room)
    if depth == math.inf or depth < 0.0:
        return depth, 0.0, 0.0, (0.0, 0.0, 0.0), depth < 0.0
    return _middle(tree.triangles, tree.inward, frame, outline, bounds, depth, depth + patch, n, room)


@njit(**FAST)
def _first(tree, frame, outline, bounds, patch, room):
    """Return the depth of the first touch (-1 when the pad's face cuts a triangle), and how many `near` triangles it left.

    Nearest boxes come first. Triangles that lie within `patch` of the first touch so far are kept for later.
    """
    triangles, _, box, child, count = tree
    corners, spare, stack, reach, near, near_depth = room
    depth, n = math.inf, 0
    waiting, stack[0], reach[0] = 1, 0, 0.0
    while waiting:
        waiting -= 1
        entry = stack[waiting]
        if reach[waiting] > depth + patch:
            continue
        if entry >= 0:
            waiting = _open(box, child, count, frame, bounds, depth + patch, entry, stack, reach, waiting)
            continue
        node, side = (-1 - entry) >> 1, (-1 - entry) & 1
        first = child[node, side]
        for t in range(first, first + count[node, side]):
            size = before_pad(triangles, t, frame, outline, bounds, depth + patch, corners, spare)
            if size == 0:
                continue
            nearest, deepest = corners[0, 0], corners[0, 0]
            for i in range(1, size):
                nearest, deepest = min(nearest, corners[i, 0]), max(deepest, corners[i, 0])
            if nearest < -GRAZE:
                if deepest > GRAZE:
                    return -1.0, 0
            elif nearest <= depth + patch:
                near[n], near_depth[n], n = t, nearest, n + 1
                depth = min(depth, max(nearest, 0.0))
    return depth, n


@njit(forceinline=True, **FAST)
def _open(box, child, count, frame, bounds, limit, node, stack, reach, waiting):
    """Put those children of a node on the stack that the pad may meet before `limit`, the nearer on top."""
    near = _least_depth(box, node, 0, frame, bounds, limit)
    far = _least_depth(box, node, 1, frame, bounds, limit)
    side = 0
    if far < near:
        near, far, side = far, near, 1
    if far < math.inf:
        stack[waiting], reach[waiting] = _entry(child, count, node, 1 - side), far
        waiting += 1
    if near < math.inf:
        stack[waiting], reach[waiting] = _entry(child, count, node, side), near
        waiting += 1
    return waiting


@njit(forceinline=True, **FAST)
def _entry(child, count, node, side):
    """Return what stands for a child on the stack: a node, or a negative number for a leaf."""
    return child[node, side] if count[node, side] == INNER else -1 - (2 * node + side)


@njit(forceinline=True, **FAST)
def _least_depth(box, node, side, frame, bounds, limit):
    """Return the least depth in a child's box; inf when it lies outside of the prism that the pad sweeps up to `limit`."""
    x, y, z = local(frame, box[node, side, 0, 0], box[node, side, 0, 1], box[node, side, 0, 2])
    u, v, w = extent(frame, box[node, side, 1, 0], box[node, side, 1, 1], box[node, side, 1, 2])
    out = (x - u > limit) | (x + u < -GRAZE) | (y - v > bounds[0, 1]) | (y + v < bounds[0, 0])
    out |= (z - w > bounds[1, 1]) | (z + w < bounds[1, 0])
    return math.inf if out else x - u


@njit(**FAST)
def _middle(triangles, inward, frame, outline, bounds, depth, limit, n, room):
    """Return what `sweep` does, from the `near` triangles: the mean over the parts that face the pad before `limit`."""
    corners, spare, _, _, near, near_depth = room
    area, y, z, nx, ny, nz, overlaps = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, True  # met from behind only: the pad started inside
    for i in range(n):
        t = near[i]
        along = inward[t, 0] * frame[0] + inward[t, 1] * frame[1] + inward[t, 2] * frame[2]
        if near_depth[i] > limit or along < PARALLEL:
            continue
        overlaps = False
        size = before_pad(triangles, t, frame, outline, bounds, limit, corners, spare)
        size = clip(corners, size, 1.0, 0.0, 0.0, limit, spare)
        part = TOUCH
        for k in range(size):
            y += TOUCH * corners[k, 1] / size
            z += TOUCH * corners[k, 2] / size
        for k in range(1, size - 1):
            uy, uz = corners[k, 1] - corners[0, 1], corners[k, 2] - corners[0, 2]
            vy, vz = corners[k + 1, 1] - corners[0, 1], corners[k + 1, 2] - corners[0, 2]
            piece = 0.5 * abs(uy * vz - uz * vy)
            part += piece
            y += piece * (corners[0, 1] + (uy + vy) / 3.0)
            z += piece * (corners[0, 2] + (uz + vz) / 3.0)
        area += part
        nx, ny, nz = nx + part * inward[t, 0], ny + part * inward[t, 1], nz + part * inward[t, 2]
    if overlaps:
        return depth, 0.0, 0.0, (0.0, 0.0, 0.0), True
    return depth, y / area, z / area, (nx, ny, nz), False


@njit(cache=True)
def sweep_room(triangles):
    """Return uninitialised working arrays for `sweep`, for a number of triangles."""
    return (*clip_room(), np.empty(256, np.int64), np.empty(256), np.empty(triangles, np.int64), np.empty(triangles))
