"""The peers: closure and epsilon of one grasp as one writes them with SciPy, exact where SciPy is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog, nnls
from scipy.spatial import ConvexHull, QhullError


def planar_wrenches(
    points: NDArray, normals: NDArray, friction: float, origin: NDArray, scale: float
) -> NDArray[np.float64]:
    """Return the wrenches (2k, 3) of the two cone edges of each of k planar contacts, unit normal component."""
    across = friction * np.stack([-normals[:, 1], normals[:, 0]], -1)
    forces = np.concatenate([normals - across, normals + across])
    arms = np.concatenate([points, points]) - origin
    return np.column_stack([forces, (arms[:, 0] * forces[:, 1] - arms[:, 1] * forces[:, 0]) / scale])


def hull_epsilon(wrenches: NDArray) -> float:
    """Return epsilon: the distance from zero to the nearest facet of the hull, 0 where zero is not inside."""
    try:
        return max(-ConvexHull(wrenches).equations[:, -1].max(), 0.0)
    except QhullError:  # a flat set has no inside
        return 0.0


def closed_by_nnls(wrenches: NDArray, residual: float) -> bool:
    """Tell whether weights >= 1 balance the wrenches and these span their space: zero strictly inside the hull.

    With weights 1 + x the question is whether x >= 0 can undo the sum of the wrenches. Weights >= 0 would also accept
    a zero on the boundary, as with an idle finger.
    """
    left = nnls(wrenches.T, -wrenches.sum(0))[1]
    return bool(left < residual and np.linalg.matrix_rank(wrenches) == wrenches.shape[1])


def closed_by_linprog(wrenches: NDArray) -> bool:
    """Tell the same by feasibility of a linear programme (HiGHS)."""
    count, space = wrenches.shape
    answer = linprog(np.ones(count), A_eq=wrenches.T, b_eq=np.zeros(space), bounds=(1, None), method="highs")
    return bool(answer.status == 0 and np.linalg.matrix_rank(wrenches) == space)
