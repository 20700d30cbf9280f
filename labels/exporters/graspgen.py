"""GraspGen JSON (Murali et al. 2025): one file per object with grasp poses in its frame and which of them succeed.

What is lost stands in `LOSES`; success here is force closure, not a simulated lift. The asymmetry is kept by the poses,
whose x runs from the wide jaw to the narrow one, as long as the reader does not turn grasps by half a turn: the gripper's
file therefore says ``symmetric_antipodal: false``. The raw epsilon, the closure rate, the reason, the opening and the lift
of a trial (null: no trial) stay in the key ``labels`` of each file, which readers pass over, in the order of the grasps.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grasp.gripper import Gripper
from labels.exporters.select import by_object, from_base, share, success
from labels.load import LabelSet, Placement
from labels.record import Labels

LOSES = (
    "the table (grasps of all poses are mixed, in the frame of the object), contacts, pictures; for readers also opening,"
    " metrics and lifts in trials, which stay in a key they pass over; and which jaw is wide, where one turns grasps by "
    "half a turn"
)


def write_graspgen(data: LabelSet, folder: Path, planner: str, gripper: Gripper, bar: float, valid: float) -> int:
    """Write ``grasps/<object>.json``, ``objects/``, ``splits/`` and the gripper's YAML; return the number of objects.

    Parameters
    ----------
    data
        Labels of a planner in space.
    folder
        A new one.
    planner
        Its name in the labels.
    gripper
        The one they are for.
    bar
        Closure rate from which an accepted candidate is a success.
    valid
        Share of the objects, the last ones, that go into ``splits/valid.txt``.
    """
    share("valid", valid)
    for name in ("grasps", "objects", "splits"):
        (folder / name).mkdir(parents=True)
    names = []
    for placement, labels, poses in by_object(data, planner):
        names.append(placement.mesh.name)
        shutil.copyfile(placement.mesh, folder / "objects" / names[-1])
        text = json.dumps(_told(placement, labels, from_base(poses, gripper), bar), allow_nan=False)
        (folder / "grasps" / f"{placement.object}.json").write_text(text, encoding="utf-8")
    train = round(len(names) * (1 - valid))
    for split, own in (("train", names[:train]), ("valid", names[train:])):
        (folder / "splits" / f"{split}.txt").write_text("".join(f"{name}\n" for name in own), encoding="utf-8")
    (folder / f"{gripper.name}.yaml").write_text(gripper_yaml(gripper), encoding="utf-8")
    return len(names)


def _told(placement: Placement, labels: Labels, poses: NDArray[np.float64], bar: float) -> dict[str, Any]:
    return {
        "object": {"file": placement.mesh.name, "scale": 1.0},
        "grasps": {"transforms": poses.tolist(), "object_in_gripper": success(labels, bar).tolist()},
        "labels": {
            "pose": labels.pose.tolist(),
            "reason": labels.reason.tolist(),
            "closure_rate": _nullable(labels.closure_rate),
            "mean_epsilon": _nullable(labels.mean_epsilon),
            "opening_m": labels.opening_m.tolist(),
            "lifted": [None if value is None else value == 1 for value in _nullable(labels.lifted)],
        },
    }


def _nullable(values: NDArray[np.float64]) -> list[float | None]:
    return [value if np.isfinite(value) else None for value in values.tolist()]


def gripper_yaml(gripper: Gripper) -> str:
    """Return a gripper as GraspGen's configuration has it, metres; our frame is theirs: x closes, z approaches."""
    import yaml  # only this needs it

    told = {
        "name": gripper.name,
        "width": gripper.max_opening,
        "depth": gripper.finger_length,
        "transform_offset_from_asset_to_graspgen_convention": [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]],
        "symmetric_antipodal": False,
    }
    return yaml.safe_dump(told, sort_keys=False)
