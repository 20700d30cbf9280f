"""Selections that the exporters share: which candidates a format can hold, and in which frame it wants them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from grasp.frames import invert
from grasp.gripper import Gripper
from grasp.strict import number
from labels.load import LabelSet, Placement
from labels.pictures import Picture
from labels.record import Labels, concatenate
from wrench.errors import InvalidValue


def of_planner(data: LabelSet, planner: str) -> Iterator[tuple[Placement, Labels]]:
    """Yield the placements on which a planner has candidates, with these.

    Raises
    ------
    InvalidValue
        The labels know no such planner.
    """
    known = data.manifest["planners"]
    if planner not in known:
        raise InvalidValue("planner", repr(planner), f"one of {', '.join(known)}")
    for placement in data:
        if placement.labels is not None:
            own = placement.labels[placement.labels.planner == planner]
            if len(own):
                yield placement, own


def by_object(data: LabelSet, planner: str) -> Iterator[tuple[Placement, Labels, NDArray[np.float64]]]:
    """Yield each object once: a placement of it, the candidates of all its poses, and their poses (n, 4, 4) in its frame."""
    held: list[tuple[Placement, Labels, NDArray[np.float64]]] = []
    for placement, own in of_planner(data, planner):
        if held and held[0][0].object != placement.object:
            yield _joined(held)
            held = []
        held.append((placement, own, invert(placement.T_table_object) @ own.T_table_gripper))
    if held:
        yield _joined(held)


def _joined(held: list[tuple[Placement, Labels, NDArray]]) -> tuple[Placement, Labels, NDArray[np.float64]]:
    return held[0][0], concatenate([labels for _, labels, _ in held]), np.concatenate([poses for _, _, poses in held])


def by_view(data: LabelSet, planner: str) -> Iterator[tuple[Placement, Picture, Labels]]:
    """Yield the candidates of a planner view by view.

    Raises
    ------
    InvalidValue
        The planner saw no view.
    """
    for placement, own in of_planner(data, planner):
        if (own.view == "").any():
            raise InvalidValue("planner", repr(planner), "one that saw a camera's view: this format needs its picture")
        for name in dict.fromkeys(own.view.tolist()):
            yield placement, placement.picture(name), own[own.view == name]


def from_base(T: NDArray[np.float64], gripper: Gripper) -> NDArray[np.float64]:
    """Return poses (n, 4, 4) of the gripper's base, a finger's length behind the fingertips, from those of the latter."""
    back = np.eye(4)
    back[2, 3] = -gripper.finger_length
    return T @ back


def success(labels: Labels, bar: float) -> NDArray[np.bool_]:
    """Return which candidates (n,) were accepted and closed in at least a share `bar` of their draws.

    Raises
    ------
    InvalidValue
        A bar that is not from 0 to 1.
    """
    share("bar", bar)
    return labels.accepted & (labels.draws > 0) & (labels.closed >= bar * labels.draws)


def share(field: str, value: float) -> float:
    """Return a share; an error unless it is a number from 0 to 1."""
    if not 0 <= number(field, value) <= 1:
        raise InvalidValue(field, value, "from 0 to 1")
    return float(value)


def gripper_of(data: LabelSet, planner: str) -> Gripper:
    """Return the gripper that the labels of a planner are for, as their manifest has it."""
    return Gripper.from_dict(data.manifest["planners"][planner]["settings"]["gripper"])


def friction_of(data: LabelSet, planner: str) -> float:
    """Return the friction of the metrics of a planner, as the manifest has it."""
    judge = data.manifest["planners"][planner]["judge"]
    return judge.get("quality", judge)["friction"]  # a common judge has it in its conventions


def in_image(picture: Picture, labels: Labels) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return where gripper origins are seen.

    Returns
    -------
    pixel : (n, 2) float
        u right, v down.
    angle : (n,) float, radians
        From u towards v, of the closing axis, wide jaw to narrow jaw: a full turn's worth.
    depth : (n,) float, metres
        Along the optical axis.
    """
    origin, closing = labels.T_table_gripper[:, :3, 3], labels.T_table_gripper[:, :3, 0]
    step = 1e-3  # metres along the closing axis: short beside a view, long beside rounding
    u, v, depth = picture.camera.project(origin)
    ahead_u, ahead_v, _ = picture.camera.project(origin + step * closing)
    return np.stack([u, v], -1), np.arctan2(ahead_v - v, ahead_u - u), depth
