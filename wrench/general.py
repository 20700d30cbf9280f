"""The general route in space: any number of contacts, soft fingers, and the L-infinity hull. Slow, one grasp at a time.

Closure is a second-order cone programme over the exact cones; epsilon is a convex hull of friction pyramids, refined
towards round cones where these are asked for.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wrench.cone import pyramid_angles, tangents
from wrench.contacts import Contacts
from wrench.convention import Cone, ConeKind, Convention, HullNorm
from wrench.errors import InvalidValue
from wrench.form import INDEPENDENT, positive_shares, unit_arms
from wrench.space import primitive_wrenches

CLOSED = 1e-7  # least share of every contact's normal force kept from its cone's border that counts as closure
ROUNDS = 60  # most refinements of the pyramids; reached only when the gap asked for is below rounding


def closed(points: NDArray, normals: NDArray, friction: float, torsion: float, cone: Cone) -> bool:
    """Tell whether one grasp of k contacts is closed.

    A grasp is closed exactly when its grasp matrix has full rank and some balanced contact forces lie strictly inside
    every cone (Murray, Li & Sastry 1994, proposition 5.3).

    Parameters
    ----------
    points, normals : (k, 3) float
    friction : float
    torsion : float, metres
        Soft fingers: |torque about the normal| <= torsion * normal force; 0 for hard contacts.
    cone
        Round, or a pyramid, whose edges must positively span the wrenches.
    """
    arms = unit_arms(points)
    if not arms.any():
        return False
    if friction == 0 and torsion == 0:
        return positive_shares(np.hstack([normals, np.cross(arms, normals)])) > CLOSED
    middle = points.mean(0)
    radius = np.linalg.norm(points - middle, axis=-1).max()
    if cone.kind is not ConeKind.EXACT:
        wrenches = primitive_wrenches(
            Contacts.all_made(points, normals),
            friction=friction,
            origin=middle,
            torque_scale=radius,
            convention=Convention(cone=cone),
            torsion=torsion,
        )
        return positive_shares(wrenches.reshape(-1, 6)) > 0
    matrix = _grasp_matrix(arms, normals, friction, torsion / radius)
    if np.linalg.matrix_rank(matrix, tol=INDEPENDENT) < 6:
        return False
    problem, parameter, margin = _margin_problem(len(points), matrix.shape[1] // len(points))
    parameter.value = matrix
    problem.solve(solver="CLARABEL")
    return margin.value is not None and float(margin.value) > CLOSED


def _grasp_matrix(arms: NDArray, normals: NDArray, friction: float, torsion: float) -> NDArray[np.float64]:
    """Return the wrenches (6, k c) of unit normal force, of friction along two tangents, and of torsion where it exists."""
    columns = [np.hstack([f, np.cross(arms, f)]) for f in (normals, *(friction * t for t in tangents(normals)))]
    if torsion:
        columns.append(np.hstack([np.zeros_like(normals), torsion * normals]))
    return np.stack(columns, 1).reshape(-1, 6).T


@lru_cache
def _margin_problem(k: int, columns: int) -> tuple[Any, Any, Any]:
    """Return the programme that keeps k balanced contacts farthest inside their cones (scaled to friction 1)."""
    import cvxpy as cp  # a second to import, and only needed here

    matrix, force, margin = cp.Parameter((6, k * columns)), cp.Variable((k, columns)), cp.Variable()
    inside: list[Any] = [cp.norm(force[:, 1:3], axis=1) + margin <= force[:, 0]]
    if columns > 3:
        inside.append(cp.abs(force[:, 3]) + margin <= force[:, 0])
    balance = [matrix @ cp.reshape(force, (k * columns,), order="C") == 0, cp.sum(force[:, 0]) == 1]
    return cp.Problem(cp.Maximize(margin), inside + balance), matrix, margin


def hull_offset(wrenches: NDArray) -> tuple[float, NDArray]:
    """Return the least signed distance from zero to a facet of the hull of (n, d) wrenches, and that facet's direction.

    Where many wrenches share a facet, as those of soft fingers do, Qhull may fail; it is then asked again with its input
    joggled, which moves the result by about 1e-10.
    """
    from scipy.spatial import ConvexHull, QhullError  # slow to import, and only needed here

    try:
        facets = ConvexHull(wrenches).equations  # unit outward normal, then minus the offset
    except QhullError:
        facets = ConvexHull(wrenches, qhull_options="QJ").equations
    nearest = facets[facets[:, -1].argmax()]
    return float(-nearest[-1]), nearest[:-1]


def minkowski(wrenches: NDArray) -> NDArray:
    """Return the sums (n, d) of at most one wrench of every contact, from (k, e, d): the corners of the L-infinity set."""
    with_zero = [np.vstack([w, np.zeros(w.shape[-1])]) for w in wrenches]
    return np.array([np.sum(choice, 0) for choice in product(*with_zero)])


def pyramid_offset(wrenches: NDArray, norm: HullNorm) -> float:
    """Return the signed epsilon of (k, e, d) wrenches; no wrenches and the flat hulls of degenerate grasps give 0."""
    from scipy.spatial import QhullError

    if not wrenches.size:
        return 0.0
    try:
        corners = minkowski(wrenches) if norm is HullNorm.LINF else wrenches.reshape(-1, wrenches.shape[-1])
        return hull_offset(corners)[0]
    except QhullError:
        return 0.0


def round_bracket(
    points: NDArray, normals: NDArray, friction: float, torsion: float, origin: NDArray, scale: float, gap: float
) -> tuple[float, float]:
    """Return a bracket of epsilon of one closed grasp with round cones.

    Inscribed pyramids give the lower bound; the cones' support towards the nearest facet gives the upper bound and the
    edges to add.

    Raises
    ------
    InvalidValue
        The bracket cannot be brought below `gap`.
    """
    first, second = tangents(normals)
    arms = (points - origin) / scale
    edges = [list(pyramid_angles(8)) for _ in points]
    upper = np.inf
    for _ in range(ROUNDS):
        frames = zip(arms, normals, first, second, map(np.array, edges), strict=True)
        lower, direction = hull_offset(np.concatenate([_edges(*frame, friction, torsion / scale) for frame in frames]))
        velocities = direction[:3] + np.cross(direction[3:], arms)
        along, across = (np.einsum("ki,ki->k", velocities, t) for t in (first, second))
        twist = torsion / scale * np.abs(normals @ direction[3:])
        power = np.einsum("ki,ki->k", velocities, normals) + friction * np.hypot(along, across) + twist
        upper = min(upper, float(power.max()))
        if lower > 0 and upper <= lower * (1 + gap):
            return lower, upper
        for i, angle in enumerate(np.arctan2(across, along)):
            edges[i].append(angle)
    raise InvalidValue("gap", gap, f"large enough for the general route; it stopped at {upper / lower - 1:.2g}")


def _edges(
    arm: NDArray, normal: NDArray, first: NDArray, second: NDArray, angles: NDArray, mu: float, torsion: float
) -> NDArray[np.float64]:
    """Return the wrenches (e, 6) of one contact's cone edges at `angles`, each with both extremes of torsion."""
    forces = normal + mu * (np.cos(angles)[:, None] * first + np.sin(angles)[:, None] * second)
    torques = np.cross(arm, forces)
    signs = (1, -1) if torsion else (0,)
    return np.concatenate([np.hstack([forces, torques + sign * torsion * normal]) for sign in signs])
