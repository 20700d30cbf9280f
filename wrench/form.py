"""Form closure: contacts that hold an object without friction."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wrench.batch import flat_contacts
from wrench.contacts import Contacts
from wrench.space import cross

INDEPENDENT = 1e-9  # smallest singular value of wrenches of length about 1 that counts as full rank
SPANS = 1e-9  # smallest share of every contact, of a total of 1, that counts as positive


def unit_arms(points: NDArray) -> NDArray:
    """Return the arms (k, d) from the middle of the points, divided by their greatest length; zero if they coincide."""
    arms = points - points.mean(0)
    radius = np.linalg.norm(arms, axis=-1).max()
    return arms / radius if radius > 1e-12 * np.abs(points).max() else np.zeros_like(arms)


def form_closure(contacts: Contacts) -> NDArray[np.bool_]:
    """Tell which grasps are held by the normals of their contacts alone (first-order form closure).

    The normals' wrenches must positively span the wrench space, which takes at least d + 1 contacts for d dimensions of
    wrench: four in the plane, seven in space (Reuleaux 1876; Murray, Li & Sastry 1994, section 5.4). Second-order
    effects of curvature are not counted.

    Returns
    -------
    (*b,) bool
    """
    rows = flat_contacts(contacts)
    grasps = zip(rows.points, rows.normals, rows.made, strict=True)
    return np.array([_held(p[m], n[m]) for p, n, m in grasps], bool).reshape(contacts.batch)


def _held(points: NDArray, normals: NDArray) -> bool:
    size = 3 if points.shape[-1] == 2 else 6
    if len(points) <= size:
        return False
    wrenches = np.concatenate([normals, cross(unit_arms(points), normals)], -1)
    return positive_shares(wrenches) > SPANS


def positive_shares(wrenches: NDArray) -> float:
    """Return the greatest t for which the rows of `wrenches`, weighted by at least t of a total of 1, sum to zero.

    Positive exactly when they positively span the space, given full rank; -1 when they lack rank or cannot balance.
    """
    from scipy.optimize import linprog  # slow to import, and only needed here

    k, size = wrenches.shape
    if np.linalg.matrix_rank(wrenches, tol=INDEPENDENT) < size:
        return -1.0
    balance = np.vstack([np.column_stack([wrenches.T, wrenches.sum(0)]), np.append(np.ones(k), float(k))])
    result = linprog(np.append(np.zeros(k), -1.0), A_eq=balance, b_eq=np.append(np.zeros(size), 1.0), bounds=(0, None))
    return float(-result.fun) if result.status == 0 else -1.0
