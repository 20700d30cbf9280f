"""Labels in the formats of others: ``python -m experiments.export``; settings and usage in ``conf/export.yaml``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from hydra.utils import to_absolute_path
from omegaconf import DictConfig, OmegaConf

from experiments import schema
from experiments.entry import DONE, command
from experiments.output import require_free, run_folder
from experiments.provenance import provenance
from grasp.strict import build, require_keys
from labels import LabelSet, load
from labels.exporters import acronym, dexnet, graspgen, jacquard
from labels.exporters.select import friction_of, gripper_of
from labels.store import json_bytes
from labels.whole import write_whole
from wrench.errors import GraspError, InvalidValue

OF_LABELS = ("object_set", "schema_version", "seed", "config_sha256", "made_by_sha256")  # what tells a set of labels


@dataclass(frozen=True)
class Options:
    """Keys of ``conf/export.yaml``, explained there."""

    labels: str
    format: str
    planner_name: str | None
    output: str
    dexnet: dict
    graspgen: dict
    acronym: dict
    jacquard: dict


@dataclass(frozen=True)
class Format:
    """One format.

    Parameters
    ----------
    sees
        What its planner has seen: ``"camera"`` or ``"mesh"``.
    counts
        What `write` counts.
    loses
        What it cannot hold.
    keys
        Of its numbers, in ``conf/export``.
    write
        From labels, folder, planner and numbers to the count.
    """

    sees: str
    counts: str
    loses: str
    keys: tuple[str, ...]
    write: Callable[[LabelSet, Path, str, Mapping[str, Any]], int]


def _dexnet(data: LabelSet, folder: Path, planner: str, numbers: Mapping[str, Any]) -> int:
    return dexnet.write_dexnet(data, folder, planner, build(dexnet.DexNet, numbers, "dexnet"))


def _graspgen(data: LabelSet, folder: Path, planner: str, numbers: Mapping[str, Any]) -> int:
    return graspgen.write_graspgen(data, folder, planner, gripper_of(data, planner), numbers["bar"], numbers["valid"])


def _acronym(data: LabelSet, folder: Path, planner: str, numbers: Mapping[str, Any]) -> int:
    gripper, friction = gripper_of(data, planner), friction_of(data, planner)
    return acronym.write_acronym(data, folder, planner, gripper, numbers["bar"], friction)


def _jacquard(data: LabelSet, folder: Path, planner: str, numbers: Mapping[str, Any]) -> int:
    return jacquard.write_jacquard(data, folder, planner, gripper_of(data, planner), numbers["bar"])


FORMATS = {
    "dexnet": Format("camera", "datapoints", dexnet.LOSES, ("window", "positive"), _dexnet),
    "graspgen": Format("mesh", "objects", graspgen.LOSES, ("bar", "valid"), _graspgen),
    "acronym": Format("mesh", "objects", acronym.LOSES, ("bar",), _acronym),
    "jacquard": Format("camera", "grasps", jacquard.LOSES, ("bar",), _jacquard),
}


def run(config: DictConfig) -> str:
    """Export, and return what was written and what the format loses.

    Raises
    ------
    GraspError
        Bad input, labels without a candidate for the format, or an output that exists.
    """
    for key in ("labels", "format", "output"):
        if OmegaConf.is_missing(config, key):
            raise InvalidValue(key, "???", "given")
    given = cast(dict[str, Any], OmegaConf.to_container(config, resolve=True))
    schema.check_block(given, Options, "config")
    name, output = given["format"], Path(to_absolute_path(given["output"]))
    if name not in FORMATS:
        raise InvalidValue("format", repr(name), f"one of {', '.join(FORMATS)}")
    form, numbers = FORMATS[name], given[name]
    require_keys(name, numbers, form.keys)
    require_free(output)
    data = load(to_absolute_path(given["labels"]))
    planner = chosen(data, given["planner_name"], form.sees)
    with run_folder(output) as folder:
        count = form.write(data, folder, planner, numbers)
        if count == 0:
            raise GraspError(f"{planner} has no candidate in {given['labels']} that {name} can hold under {numbers}")
        told = {"format": name, "planner": planner, form.counts: count, "loses": form.loses, "numbers": numbers}
        told["labels"] = {key: data.manifest[key] for key in OF_LABELS}
        write_whole(folder / "export.json", json_bytes(told | {"provenance": provenance(told, data.manifest["seed"])}))
    return f"{name}: {count} {form.counts} of {planner}\nit loses {form.loses}\nwritten to {given['output']}"


def chosen(data: LabelSet, planner: str | None, sees: str) -> str:
    """Return the planner asked for, or the first with metrics of its own that saw a ``"camera"`` view or the ``"mesh"``."""
    known = data.manifest["planners"]
    if planner is not None:
        return planner
    for name, told in known.items():
        if told["sees"] == sees and told["metrics"] == "its own":  # others give the few grasps of their plan
            return name
    raise InvalidValue("planner_name", "null", f"one of {', '.join(known)}: none saw the {sees} and has metrics of its own")


def job(config: DictConfig) -> int:
    """Export, print what was written, and return the exit status."""
    print(run(config))
    return DONE


if __name__ == "__main__":
    sys.exit(command("export", job))
