"""Plan on one view: ``python -m experiments.plan``; settings and usage in ``conf/plan.yaml``."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import hydra
import numpy as np
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from hydra.utils import to_absolute_path
from omegaconf import DictConfig, OmegaConf

from experiments import schema
from experiments.output import require_free, run_folder, write_settings
from experiments.plan_input import look
from experiments.plan_pictures import notes, pictures, wants_mesh
from experiments.plan_report import report
from grasp import GraspError, Plan, presets, to_json
from grasp.strict import at_least

PLANNED, BAD_INPUT, NO_GRASP = 0, 1, 3  # exit status; 2 is the shell's for a command used wrongly


@dataclass(frozen=True)
class Options:
    """Keys of ``conf/plan.yaml``, explained there."""

    gripper: dict
    quality: dict
    perception: dict
    clearance: dict
    load: dict | None
    mesh: dict
    rest: dict
    planner: dict
    example: dict
    shape: str
    seed: int
    input: str | None
    pixels_per_meter: float | None
    unit: str | float | None
    pose: int
    registration: dict
    cloud: str | None
    cloud_unit: str | None
    mask: str | None
    table_z: float | None
    surroundings: str | None
    output: str


def run(config: DictConfig, folder: Path) -> int:
    """Plan, print, write the folder; return the exit status.

    Raises
    ------
    GraspError
        Bad input. Nothing has been written then.
    """
    schema.check_block(OmegaConf.to_container(config, resolve=True), Options, "config")
    at_least("seed", config.seed, 0, "")
    require_free(folder)
    planner = schema.build(config.planner, "planner")
    seen = look(config, wants_mesh=wants_mesh(planner))
    result = planner.plan(seen.view, np.random.default_rng(config.seed))
    print(report(result, (*seen.notes, *notes(result, planner, seen.view))))
    with run_folder(folder) as beside:
        (beside / "plan.json").write_text(to_json(result, indent=1) + "\n", encoding="utf-8")
        write_settings(beside, config)
        pictures(result, seen.view, planner, beside)
    print(f"written to {folder}")
    return PLANNED if isinstance(result, Plan) else NO_GRASP


def main() -> int:
    """Run one job, or those of a sweep, and return the gravest exit status."""
    statuses: list[int] = []

    @hydra.main(version_base="1.3", config_path=str(presets.CONF), config_name="plan")
    def job(config: DictConfig) -> None:
        own, folder = HydraConfig.get(), Path(to_absolute_path(config.output))
        try:
            statuses.append(run(config, folder / str(own.job.num) if own.mode is RunMode.MULTIRUN else folder))
        except (GraspError, OSError) as error:
            print(error, file=sys.stderr)
            statuses.append(BAD_INPUT)

    job()
    return BAD_INPUT if BAD_INPUT in statuses else max(statuses, default=PLANNED)


if __name__ == "__main__":
    sys.exit(main())
