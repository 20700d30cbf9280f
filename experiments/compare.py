"""Planners side by side on object sets: ``python -m experiments.compare``; settings and usage in ``conf/compare.yaml``."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.utils import to_absolute_path
from omegaconf import DictConfig, OmegaConf

from experiments import report, schema
from experiments.layout import check, units
from experiments.lock import only_run
from experiments.output import write_settings
from experiments.provenance import config_hash
from experiments.rows import write_tables
from experiments.runner import execute
from experiments.schema_rows import Outcome, Row
from experiments.units import Unit
from grasp import presets
from labels.whole import sweep_up
from objects.placed import Placed
from wrench.errors import GraspError

DONE, BAD, INTERRUPTED = 0, 1, 130  # exit status
ELSEWHERE = ("output", "workers")  # no part of what results depend on


@dataclass(frozen=True)
class Options:
    """Keys of ``conf/compare.yaml``, explained there."""

    quality: dict
    perception: dict
    clearance: dict
    load: dict | None
    mesh: dict
    rest: dict
    objects: dict
    camera: dict
    grippers: dict
    planners: dict
    judge: dict
    physics: dict | None
    cases: dict
    name: str
    object_set: str
    seed: int
    seeds: int
    limit: int | None
    vary: dict | None
    planner: dict
    gripper: dict
    statistics: dict
    workers: int
    output: str | None


def run(config: DictConfig) -> int:
    """Do what is missing of a comparison, write its tables and report, print the summary; return the exit status.

    Raises
    ------
    GraspError
        Bad input, or a folder in which another run is at work.
    """
    check(config, Options)
    work, statistics = units(config), schema.build(config.statistics, "statistics")
    grippers = {name: schema.build(block, f"grippers.{name}") for name, block in config.grippers.items()}
    folder = output_folder(config)
    with only_run(folder):
        sweep_up(folder)
        write_settings(folder, config)
        finished = execute(work, folder, config.workers)
        rows = write_tables(folder, [unit.address for unit in work])
        report.write(folder, statistics, solids(work), grippers, len(work) - len(rows))
    print(summary(rows, len(work)))
    print(f"written to {folder}")
    if not finished:
        return INTERRUPTED
    return BAD if any(row.outcome == Outcome.FAILURE for row in rows) else DONE


def output_folder(config: DictConfig) -> Path:
    """Return where a run goes: the same settings find the same folder again."""
    if config.output is not None:
        return Path(to_absolute_path(config.output))
    whole = cast(dict[str, Any], OmegaConf.to_container(config, resolve=True))
    settings = {key: value for key, value in whole.items() if key not in ELSEWHERE}
    return Path(to_absolute_path(f"runs/compare/{config.name}-{config_hash(settings)[:10]}"))


def solids(work: Sequence[Unit]) -> report.Solids:
    """Return where the report finds the solids for its pictures."""
    known = {(u.placed.object, u.placed.pose): u.placed.solid for u in work if isinstance(u.placed, Placed)}
    return lambda name, pose: known.get((name, pose))


def summary(rows: Sequence[Row], wanted: int) -> str:
    """Return how many rows there are of each outcome, and one line for each that failed."""
    counts = Counter(row.outcome for row in rows)
    told = ", ".join(f"{counts[outcome]} {outcome}s" for outcome in Outcome)
    lines = [f"{len(rows)} of {wanted} rows: {told}"]
    for row in rows:
        if row.outcome == Outcome.FAILURE:
            names = (row.object, row.pose, row.planner, row.gripper, f"seed {row.seed}", row.setting, row.setting_label)
            lines.append(f"failed: {' '.join(name for name in names if name)}: {row.sentence}")
    return "\n".join(lines)


def main() -> int:
    """Run one job, or those of a sweep, say which failed, and return the gravest exit status."""
    statuses: list[int] = []
    failed: list[str] = []
    here = os.getpid()

    @hydra.main(version_base="1.3", config_path=str(presets.CONF), config_name="compare")
    def job(config: DictConfig) -> None:
        try:
            status = run(config)
        except (GraspError, OSError) as error:
            print(error, file=sys.stderr)
            status = BAD
        statuses.append(status)
        if status == INTERRUPTED:
            raise KeyboardInterrupt  # no further job of a sweep
        if status != DONE:
            overrides = " ".join(HydraConfig.get().overrides.task)
            failed.append(f"job {len(statuses) - 1}: {overrides}")
            if os.getpid() != here:  # the process of another launcher: only an exception gets out of it
                raise GraspError(f"failed: {overrides}")

    try:
        job()
    except KeyboardInterrupt:
        return INTERRUPTED
    if len(statuses) > 1 and failed:
        print("\n".join([f"{len(failed)} of {len(statuses)} jobs failed:", *failed]), file=sys.stderr)
    return max(statuses, default=DONE)


if __name__ == "__main__":
    sys.exit(main())
