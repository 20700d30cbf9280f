"""What might predict a trial: the metrics of each candidate that was carried out in simulation, beside its outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.slip_estimate import slip_estimate
from grasp.frames import transform_points
from labels.load import Placement
from labels.record import Labels
from wrench.contacts import Contacts
from wrench.convention import Convention, ForceModel
from wrench.quality import quality

GIVEN_LENGTH = 0.1  # metres, a torque scale that is the same for all objects: chosen
EDGES = 8  # of the pyramids: usual
FIELDS = ("placement", "object", "planner", "lifted", "shaken", "shake_margin", "slip_force")  # of `Tried`, but metrics
OWN = {
    "closure rate": lambda labels: labels.closure_rate,
    "mean contacts": lambda labels: labels.mean_contacts,
    "mean epsilon": lambda labels: labels.mean_epsilon,
    "epsilon": lambda labels: labels.epsilon_lower,
}


@dataclass(frozen=True, eq=False)
class Tried:
    """Candidates (n,) that were carried out.

    Parameters
    ----------
    placement : (n,) text
        Object and pose, within which grasps are chosen.
    object, planner : (n,) text
    metrics
        By name, (n,) float each, the more the better; NaN where it is not defined.
    lifted, shaken : (n,) bool
    shake_margin, slip_force : (n,) float
        Multiples, and newtons; 0 where the trial did not come to the test.
    """

    placement: NDArray[np.str_]
    object: NDArray[np.str_]
    planner: NDArray[np.str_]
    metrics: dict[str, NDArray[np.float64]]
    lifted: NDArray[np.bool_]
    shaken: NDArray[np.bool_]
    shake_margin: NDArray[np.float64]
    slip_force: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.lifted)

    def of(self, planner: str) -> Tried:
        """Return those of one planner."""
        return self[self.planner == planner]

    def __getitem__(self, index: NDArray) -> Tried:
        """Index every field alike."""
        metrics = {name: values[index] for name, values in self.metrics.items()}
        fields: dict[str, Any] = {name: getattr(self, name)[index] for name in FIELDS}
        return Tried(metrics=metrics, **fields)


def tried(placements: Iterable[Placement], friction: float, grip: float, gravity: float) -> Tried:
    """Return the candidates of a label set that have an outcome, with all metrics.

    Parameters
    ----------
    placements
        Of `labels.load`.
    friction, grip, gravity
        Of the trials: coefficient, newtons at each jaw, m/s^2.
    """
    parts = [part for each in placements for part in _of_placement(each, friction, grip, gravity)]
    names = parts[0].metrics if parts else {}
    metrics = {name: np.concatenate([part.metrics[name] for part in parts]) for name in names}
    columns = {name: [getattr(part, name) for part in parts] or [np.zeros(0)] for name in FIELDS}
    joined: dict[str, Any] = {name: np.concatenate(values) for name, values in columns.items()}
    return Tried(metrics=metrics, **joined)


def _of_placement(placement: Placement, friction: float, grip: float, gravity: float) -> list[Tried]:
    labels = placement.labels
    if labels is None:
        return []
    import trimesh

    there = labels[labels.grip != ""]
    mesh = trimesh.load_mesh(placement.mesh, process=False)
    vertices = transform_points(placement.T_table_object, mesh.vertices)
    push = partial(slip_estimate, vertices=vertices, friction=friction, grip=grip, gravity=gravity)
    names = np.unique(there.planner)
    return [_of_planner(placement, there[there.planner == name], push) for name in names]


def _of_planner(placement: Placement, labels: Labels, push: Callable[[Labels], NDArray]) -> Tried:
    n = len(labels)
    away = np.linalg.norm(_middle(labels.contacts) - labels.origin_m[:, :2], axis=1)
    metrics = {name: np.asarray(read(labels), float) for name, read in OWN.items()}
    looked = labels.contacts.made.any(-1)  # rules that look for no contacts have nothing to score here
    more = epsilons(labels) | {"slip force by statics": push(labels), "nearness to the centre of mass": -away}
    metrics |= {name: np.where(looked, values, np.nan) for name, values in more.items()}
    where = np.full(n, f"{placement.object} {placement.pose}")
    margin, force = (np.nan_to_num(getattr(labels, name)) for name in ("shake_margin", "slip_force_n"))
    return Tried(where, labels.object, labels.planner, metrics, labels.lifted == 1, labels.shaken == 1, margin, force)


def epsilons(labels: Labels) -> dict[str, NDArray[np.float64]]:
    """Return epsilon of the undisplaced contacts (n,) of one planner under other conventions; 0 without closure.

    The torque scale of the planner is the object's length. Cones of a planar planner are exact whatever the edges.
    """
    planar = bool((labels.dimension == 2).all())
    contacts, origin = (_level(labels.contacts), labels.origin_m[:, :2]) if planar else (labels.contacts, labels.origin_m)
    edges = None if planar else EDGES
    fan = Convention.of("released") if planar else None
    ways = {
        f"epsilon, torque scale {GIVEN_LENGTH * 1e3:.0f} mm": (GIVEN_LENGTH, Convention(), None),
        f"epsilon, {EDGES} edges": (labels.torque_scale_m, Convention(), edges),
        f"epsilon, {EDGES} edges of unit length": (labels.torque_scale_m, Convention(ForceModel.UNIT_EDGE), edges),
        "epsilon, fan of 8 unit forces": (labels.torque_scale_m, fan, None),
    }
    found = {}
    for name, (scale, convention, cone) in ways.items():
        if convention is None:  # does not exist in space
            found[name] = np.full(len(labels), np.nan)
            continue
        given = {"friction": labels.friction, "origin": origin, "torque_scale": scale, "convention": convention}
        found[name] = np.asarray(quality(contacts, **given, cone=cone).epsilon)
    return found


def _level(contacts: Contacts) -> Contacts:
    return Contacts(contacts.points[..., :2], contacts.normals[..., :2], contacts.made)


def _middle(contacts: Contacts) -> NDArray[np.float64]:
    """Return the mean of the contacts made, seen from above, (n, 2); of the points of none, zero."""
    count = np.maximum(contacts.made.sum(-1), 1)
    return np.where(contacts.made[..., None], contacts.points, 0).sum(-2)[:, :2] / count[:, None]
