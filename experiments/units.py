"""Units of work: one object in one pose, planned on by one planner with one gripper, once, under one setting.

A unit's result is a function of the unit alone: its random numbers come from the run's seed and a hash of its names, never
from its place in the run. So it has a content address, by which its record is found again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from experiments.provenance import ROOT, config_hash
from grasp.provenance import versions
from objects.placed import Failure, Placed

CODE = ("wrench", "grasp", "objects", "get2d", "get3d", "baselines", "physics")  # packages whose text a record depends on
CODE += tuple(f"experiments/{name}.py" for name in ("schema_rows", "units", "trial", "physics_columns", "ranks", "rescore"))


@dataclass(frozen=True)
class Case:
    """A column of the comparison.

    Parameters
    ----------
    planner, gripper
        Names under ``planners`` and ``grippers`` of the configuration.
    sees
        ``"camera"``, a rendered picture, or ``"mesh"``, the true mesh in its pose.
    """

    planner: str
    gripper: str
    sees: str


@dataclass(frozen=True)
class Setting:
    """One value of what an experiment varies; all empty where nothing is.

    Parameters
    ----------
    name, label, number
        As in `experiments.schema_rows.Row`.
    """

    name: str = ""
    label: str = ""
    number: float | None = None


@dataclass(frozen=True, eq=False)
class Unit:
    """What a worker needs in order to make one row.

    Parameters
    ----------
    object_set
        Name of the set.
    placed
        The object on the table, or why it cannot be used; then `case` is None.
    case, setting
        See there.
    index
        Which repetition, from 0.
    seed
        Root seed of the run.
    blocks
        Resolved configuration, as plain values: ``planner``, ``camera``, ``judge``, ``physics``, the settings of trials in
        simulation or None, and ``first``, the planner under the first setting where rankings are to be compared, else None.
    made_by
        Hash of code and libraries (`maker`) as the run found them.
    """

    object_set: str
    placed: Placed | Failure
    case: Case | None
    setting: Setting
    index: int
    seed: int
    blocks: Mapping[str, Any]
    made_by: str

    @property
    def names(self) -> dict[str, Any]:
        """The columns of a row that say which unit it is."""
        case = self.case or Case("", "", "")
        return {
            "object_set": self.object_set,
            "object": self.placed.object,
            "pose": self.placed.pose if isinstance(self.placed, Placed) else "",
            "planner": case.planner,
            "gripper": case.gripper,
            "seed": self.index,
            "setting": self.setting.name,
            "setting_label": self.setting.label,
            "setting_number": self.setting.number,
        }

    @property
    def address(self) -> str:
        """Hash of all that the record depends on: names, seed, settings, geometry, and the code and its libraries."""
        parts = [self.names, self.seed, self.case and self.case.sees, self.blocks, _geometry(self.placed), self.made_by]
        return config_hash({"unit": parts})[:24]

    def rng(self, purpose: str) -> np.random.Generator:
        """Return a fresh generator.

        Parameters
        ----------
        purpose
            ``"planner"`` has a stream of its own for each planner and gripper. What all planners share, the noise of
            the ``"camera"``, the displacements of the ``"judge"`` and the noise of the ``"physics"``, depends on object,
            pose and repetition only, so that planners are compared on the same draws. No stream depends on the setting.
        """
        mine = ("object_set", "object", "pose", "seed", *(("planner", "gripper") if purpose == "planner" else ()))
        text = json.dumps([purpose, *(self.names[name] for name in mine)])
        words = np.frombuffer(hashlib.sha256(text.encode()).digest(), "<u4")[:4]
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=tuple(map(int, words))))


def _geometry(placed: Placed | Failure) -> str:
    if isinstance(placed, Failure):
        return placed.detail
    digest = hashlib.sha256(placed.solid.vertices.tobytes())
    digest.update(placed.solid.faces.tobytes())
    return digest.hexdigest()


@cache
def maker() -> str:
    """Return the SHA-256 of the source text and of the versions of the libraries that a record depends on."""
    digest = hashlib.sha256(json.dumps(versions()).encode())
    for part in CODE:
        path = ROOT / part
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            digest.update(file.relative_to(ROOT).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()
