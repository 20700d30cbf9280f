"""Slow and obvious second opinions on one grasp at a time: hulls, linear programmes and conic programmes.

Nothing here is shared with the library: primitive wrenches are written out again, epsilon comes from Qhull, closure
from `scipy.optimize.linprog` and from a conic programme over the round cones. A grasp is `points` (k, d) metres and
`normals` (k, d) into the object, made contacts only.
"""

from functools import lru_cache
from itertools import product

import cvxpy as cp
import numpy as np
from scipy.optimize import linprog
from scipy.spatial import ConvexHull


def made_only(contacts, index=()):
    """Return points and normals of the made contacts of one grasp of a batch."""
    made = contacts.made[index]
    return contacts.points[index][made], contacts.normals[index][made]


# ---- primitive wrenches ----------------------------------------------------------------------------------------------


def spatial_frame(normal):
    """Return the tangents the library documents: normal x X, or normal x Y near the X axis; then normal x first."""
    first = np.cross(normal, [1.0, 0, 0] if abs(normal[0]) < 0.9 else [0, 1.0, 0])
    first = first / np.sqrt(first @ first)
    return first, np.cross(normal, first)


def cone_edges(normal, friction, edges, around=False):
    """Return the edges (e, d) of a cone with unit normal component; `around` draws the polygon outside the circle."""
    if len(normal) == 2:
        return np.array([normal + side * friction * np.array([-normal[1], normal[0]]) for side in (-1, 1)])
    radius = friction / np.cos(np.pi / edges) if around else friction
    first, second = spatial_frame(normal)
    angles = [2 * np.pi * j / edges for j in range(edges)]
    return np.array([normal + radius * (np.cos(a) * first + np.sin(a) * second) for a in angles])


def planar_fan(normal, friction, count):
    """Return `count` unit forces at equal angles from one edge of the planar cone to the other."""
    heading, alpha = np.arctan2(normal[1], normal[0]), np.arctan(friction)
    return np.array([[np.cos(heading + a), np.sin(heading + a)] for a in np.linspace(-alpha, alpha, count)])


def wrench(force, point, origin, scale):
    """Return force, then torque about `origin` / `scale`."""
    arm = point - origin
    torque = np.cross(arm, force) if len(arm) == 3 else np.array([arm[0] * force[1] - arm[1] * force[0]])
    return np.concatenate([force, torque / scale])


def primitives(points, normals, friction, origin, scale, *, edges=8, around=False, fan=0, torsion=0.0):
    """Return one list of wrenches per contact."""
    groups = []
    for point, normal in zip(points, normals, strict=True):
        forces = planar_fan(normal, friction, fan) if fan else cone_edges(normal, friction, edges, around)
        group = [wrench(force, point, origin, scale) for force in forces]
        if torsion:
            twist = np.concatenate([np.zeros(3), torsion / scale * normal])
            group = [w + sign * twist for w in group for sign in (-1, 1)]
        groups.append(np.array(group))
    return groups


# ---- epsilon ---------------------------------------------------------------------------------------------------------


def hull_epsilon(wrenches):
    """Return the least offset of a facet from the origin: positive inside; 0 for a flat set, which has no inside."""
    if len(wrenches) == 0 or np.linalg.matrix_rank(wrenches - wrenches[0], tol=1e-9) < wrenches.shape[1]:
        return 0.0
    return (-ConvexHull(wrenches).equations[:, -1]).min()


def epsilon_l1(groups):
    """Return epsilon of the hull of the union (total effort 1)."""
    return hull_epsilon(np.concatenate(groups)) if groups else 0.0


def epsilon_linf(groups):
    """Return epsilon of the Minkowski sum of the contacts' hulls, each with the zero wrench (effort 1 each)."""
    with_zero = [np.vstack([group, np.zeros(group.shape[1])]) for group in groups]
    return hull_epsilon(np.array([sum(choice) for choice in product(*with_zero)]))


def epsilon_bracket(points, normals, friction, origin, scale, *, edges, torsion=0.0):
    """Return L1 epsilon of the pyramids inside and around the round cones: the exact value lies between them."""
    return tuple(
        epsilon_l1(primitives(points, normals, friction, origin, scale, edges=edges, around=around, torsion=torsion))
        for around in (False, True)
    )


def support(directions, points, normals, friction, origin, scale):
    """Return how far the round cones' L1 hull reaches along unit `directions` (n, 6): never below epsilon."""
    reach = []
    for point, normal in zip(points, normals, strict=True):
        force_part = directions[:, :3] + np.cross(directions[:, 3:], point - origin) / scale
        along = force_part @ normal
        reach.append(along + friction * np.linalg.norm(force_part - along[:, None] * normal, axis=1))
    return np.max(reach, axis=0)


# ---- closure ---------------------------------------------------------------------------------------------------------


def weight_margin(wrenches):
    """Return the greatest least weight of a balance of all wrenches: positive exactly in (strict) closure.

    Maximise t with sum w_j W_j = 0, sum w_j = 1, w_j >= t. A balance that uses every wrench keeps the origin off the
    boundary of the hull only when the wrenches span the space, so a set of lower rank answers 0.
    """
    if len(wrenches) == 0 or np.linalg.matrix_rank(wrenches, tol=1e-9) < wrenches.shape[1]:
        return 0.0
    count, dimension = wrenches.shape
    balance = np.zeros((dimension + 1, count + 1))
    balance[:dimension, :count], balance[dimension, :count] = wrenches.T, 1
    at_least_t = np.hstack([-np.eye(count), np.ones((count, 1))])
    result = linprog(
        np.eye(count + 1)[-1] * -1,
        A_ub=at_least_t,
        b_ub=np.zeros(count),
        A_eq=balance,
        b_eq=np.eye(dimension + 1)[-1],
        bounds=(None, None),
    )
    return -result.fun if result.status == 0 else -np.inf  # no balance at all


def pyramid_margin(points, normals, friction, *, edges=8, around=False, torsion=0.0):
    """Return `weight_margin` of pyramids (planar: of the exact cones), about the mean point at its own scale."""
    if len(points) == 0:
        return 0.0
    origin, scale = own_frame(points)
    groups = primitives(points, normals, friction, origin, scale, edges=edges, around=around, torsion=torsion)
    return weight_margin(np.concatenate(groups))


def own_frame(points):
    """Return the mean point and the greatest distance from it: closure depends on neither, conditioning does."""
    centre = points.mean(0)
    return centre, np.linalg.norm(points - centre, axis=1).max() or 1.0


@lru_cache
def cone_programme(count, dimension, soft):
    """Return (problem, parameters, margin) of the programme `cone_margin` documents, compiled once per size."""
    columns = dimension + soft
    force = cp.Variable((count, columns))  # normal, tangential, and torsion where soft
    margin = cp.Variable()
    space = 6 if dimension == 3 else 3
    maps = [cp.Parameter((space, columns)) for _ in range(count)]
    friction, torsion = cp.Parameter(nonneg=True), cp.Parameter(nonneg=True)
    rules = [sum(maps[i] @ force[i] for i in range(count)) == 0, cp.sum(force[:, 0]) == 1]
    for i in range(count):
        rules.append(cp.norm(force[i, 1:dimension]) <= friction * force[i, 0] - margin)
        if soft:
            rules.append(cp.abs(force[i, -1]) <= torsion * force[i, 0] - margin)
    return cp.Problem(cp.Maximize(margin), rules), (maps, friction, torsion), margin


def cone_margin(points, normals, friction, torsion=0.0):
    """Return how far inside all round cones a balance of unit total normal force can stay: positive in closure.

    Maximise t with sum G_i f_i = 0, sum f_n = 1, |f_t| <= mu f_n - t (and |torque_n| <= gamma f_n - t). Closure is
    t > 0 with maps G of full rank (Murray, Li & Sastry 1994, proposition 5.3); a lower rank answers 0.
    """
    if len(points) == 0:
        return 0.0
    dimension, soft = points.shape[1], int(torsion > 0)
    origin, scale = own_frame(points)
    maps = []
    for point, normal in zip(points, normals, strict=True):
        frame = [normal, *spatial_frame(normal)] if dimension == 3 else [normal, np.array([-normal[1], normal[0]])]
        columns = [wrench(axis, point, origin, scale) for axis in frame]
        if soft:
            columns.append(np.concatenate([np.zeros(3), normal]))  # a torque of one torque scale
        maps.append(np.array(columns).T)
    if np.linalg.matrix_rank(np.hstack(maps), tol=1e-9) < len(maps[0]):
        return 0.0
    problem, (map_parameters, mu, gamma), margin = cone_programme(len(points), dimension, soft)
    for parameter, value in zip(map_parameters, maps, strict=True):
        parameter.value = value
    mu.value, gamma.value = friction, torsion / scale
    problem.solve(solver=cp.CLARABEL)
    return margin.value if problem.status == cp.OPTIMAL else -np.inf


def form_margin(points, normals):
    """Return `weight_margin` of the frictionless normals: positive in first-order form closure."""
    if len(points) == 0:
        return 0.0
    origin, scale = own_frame(points)
    return weight_margin(np.array([wrench(n, p, origin, scale) for p, n in zip(points, normals, strict=True)]))
