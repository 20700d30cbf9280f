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
from experiments.plan_report import report
from get2d import Get2D, draw, perceive
from grasp import GraspError, PerceptionError, Plan, View, presets, to_json
from grasp.strict import at_least
from objects.files import read_view

PLANNED, BAD_INPUT, NO_GRASP = 0, 1, 3  # exit status; 2 is the shell's for a command used wrongly


@dataclass(frozen=True)
class Options:
    """Keys of ``conf/plan.yaml``, explained there."""

    gripper: dict
    quality: dict
    perception: dict
    planner: dict
    example: dict
    seed: int
    input: str | None
    pixels_per_meter: float | None
    unit: str | None
    mask: str | None
    table_z: float | None
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
    planner, view = schema.build(config.planner, "planner"), look(config)
    result = planner.plan(view, np.random.default_rng(config.seed))
    print(report(result, notes(planner, view)))
    with run_folder(folder) as beside:
        (beside / "plan.json").write_text(to_json(result, indent=1) + "\n", encoding="utf-8")
        write_settings(beside, config)
        draw(result, view, planner, beside / "plan.png")
    print(f"written to {folder}")
    return PLANNED if isinstance(result, Plan) else NO_GRASP


def look(config: DictConfig) -> View:
    """Return the view that the configuration asks for."""
    if config.input is None:
        return schema.build(config.example, "example").view()
    options = {name: config[name] for name in ("pixels_per_meter", "unit", "mask", "table_z")}
    return read_view(to_absolute_path(config.input), **options)


def notes(planner: Get2D, view: View) -> tuple[str, ...]:
    """Return what was dropped, corrected or not seen on the way to the footprint."""
    try:
        return perceive(view, planner.perception).notes
    except PerceptionError:
        return ()


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
