"""Programme: the conic problems behind `wrench.squeeze`, compiled once and solved again for every grasp.

One problem per question, dimension, number of contacts and kind of contact serves all grasps with other numbers
(disciplined parametrised programming, Agrawal et al. 2019). A compiled problem holds the numbers of the grasp it is
solving, so two threads must not ask at once.
"""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wrench.contacts import Contacts
from wrench.errors import GraspError

EDGE = ("infeasible_inaccurate",)


@lru_cache
def _programme(seeking: str, k: int, e: int, d: int) -> Any:
    """Return the compiled problem that seeks the least grip, the largest push, or whether a load is held at all."""
    import cvxpy as cp  # half a second, and only these questions need it

    efforts = cp.Variable((k, e))
    grasp, press = cp.Parameter((3 * d - 3, k * e), name="grasp"), cp.Parameter(k * e, name="press")
    load = cp.Parameter(3 * d - 3, name="load")
    grip = cp.Variable(nonneg=True) if seeking == "grip" else cp.Parameter(nonneg=True, name="grip")
    push = cp.Variable(nonneg=True)
    if seeking == "push":
        load = load + push * cp.Parameter(3 * d - 3, name="push")
    flat = cp.vec(efforts, order="C")
    rules = [grasp @ flat + load == 0, press @ flat == 2 * grip, cp.SOC(efforts[:, 0], efforts[:, 1:d], axis=1)]
    rules += [cp.abs(efforts[:, d:]) <= efforts[:, :1]] if e > d else []
    goals = {"grip": cp.Minimize(grip), "push": cp.Maximize(push), "hold": cp.Minimize(0)}
    return cp.Problem(goals[seeking], rules)


def solve(seeking: str, contacts: Contacts, given: dict[str, NDArray]) -> NDArray[np.float64]:
    """Return the optimum for every grasp: infinite where there is no grip or no bound on the push, never negative."""
    from cvxpy import SolverError

    k = contacts.made.shape[-1]
    problem = _programme(seeking, k, given["press"].shape[-1] // k, contacts.dimension)
    slots = problem.param_dict
    batch = np.broadcast_shapes(*(given[name].shape[: given[name].ndim - slot.ndim] for name, slot in slots.items()))
    rows = {name: np.broadcast_to(given[name], batch + slot.shape) for name, slot in slots.items()}
    answer = np.zeros(batch)
    for index in np.ndindex(batch):
        for name, row in rows.items():
            slots[name].value = row[index]
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Solution may be inaccurate")  # the status says so too
                problem.solve(solver="CLARABEL")
        except SolverError as error:
            raise GraspError(f"the conic solver failed at grasp {index}: {error}") from error
        if problem.status in EDGE:  # within the solver's accuracy of having no answer
            answer[index] = 0.0 if seeking == "push" else np.inf
            continue
        if problem.status not in ("optimal", "infeasible", "unbounded"):
            raise GraspError(f"the conic solver stopped at grasp {index} with {problem.status!r}")
        answer[index] = max(problem.value, 0.0)  # an infeasible push is minus infinity: not held at all
    return answer
