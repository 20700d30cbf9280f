"""Does the metric predict the physics? ``python -m experiments.predict``; settings and usage in ``conf/predict.yaml``."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from hydra.utils import to_absolute_path
from omegaconf import DictConfig, OmegaConf
from tqdm import tqdm

from experiments import predict_report, schema
from experiments.entry import DONE, command
from experiments.output import run_folder, write_settings
from experiments.predict_metrics import Tried, tried
from experiments.predict_score import OUTCOMES, pooled, scores, within
from experiments.report_table import markdown
from labels import load
from labels.store import json_bytes
from labels.whole import write_whole
from wrench.errors import InvalidValue


@dataclass(frozen=True)
class Options:
    """Keys of ``conf/predict.yaml``, explained there."""

    labels: str
    statistics: dict
    seed: int
    output: str


def run(config: DictConfig) -> int:
    """Score every metric against every outcome, print and write the result; return the exit status."""
    schema.check_block(OmegaConf.to_container(config, resolve=True), Options, "config")
    statistics, folder = schema.build(config.statistics, "statistics"), Path(to_absolute_path(config.labels))
    found = read(folder)
    groups = {str(name): found.of(name) for name in np.unique(found.planner)}
    over_all = {name: scores(each, pooled, statistics) for name, each in groups.items()}
    inside = {name: scores(each, within, statistics) for name, each in groups.items()}
    given = [(name, groups[name], over_all[name], inside[name], statistics) for name in groups]
    text = "\n".join(markdown(predict_report.table(*each)) for each in given)
    with run_folder(Path(to_absolute_path(config.output))) as output:
        write_settings(output, config)
        write_whole(output / "table.md", text.encode())
        write_whole(output / "metrics.png", predict_report.figure(over_all))
        write_whole(output / "within.png", predict_report.figure(inside))
        write_whole(output / "outcomes.png", predict_report.outcomes(groups, statistics))
        write_whole(output / "predict.json", json_bytes({"over_all": _plain(over_all), "within": _plain(inside)}))
    for name in groups:
        print(f"{name}, best within placements: " + "; ".join(predict_report.best(inside[name], o) for o in OUTCOMES))
    print(f"\n{text}\nwritten to {config.output}")
    return DONE


def read(folder: Path) -> Tried:
    """Return the candidates of a label run that were carried out in simulation.

    Raises
    ------
    InvalidValue
        Labels without trials.
    """
    data = load(folder)
    settings: Any = OmegaConf.load(folder / "config.yaml")
    if settings.get("physics") is None:
        raise InvalidValue("labels", folder, "labels with trials: python -m experiments.label physics=nominal")
    physics = settings.physics
    with tqdm(data, unit="placement") as bar:
        found = tried(bar, physics.friction, physics.closing.force, physics.gravity)
    if not len(found):
        raise InvalidValue("labels", folder, "labels of which at least one candidate was carried out in simulation")
    return found


def _plain(each: Any) -> Any:
    """Return scores as JSON can hold them: null for what does not exist."""
    if isinstance(each, dict):
        return {name: _plain(value) for name, value in each.items()}
    return {key: value if np.isfinite(value) else None for key, value in asdict(each).items()}


if __name__ == "__main__":
    sys.exit(command("predict", run))
