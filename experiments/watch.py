"""Trials in simulation, done again to be looked at: ``python -m experiments.watch``; usage in ``conf/watch.yaml``."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hydra.utils import to_absolute_path
from omegaconf import DictConfig, OmegaConf
from tqdm import tqdm

from experiments import schema
from experiments.entry import BAD, DONE, command
from experiments.layout import placed_solids
from experiments.physics_columns import require_engine
from experiments.rows import RECORDS
from experiments.runner import PARTS
from grasp import Gripper
from grasp.strict import at_least, positive
from wrench.errors import InvalidValue


@dataclass(frozen=True)
class Choice:
    """Columns of a row by which trials are chosen; None chooses all, and of `unit` the beginning will do."""

    unit: str | None
    object: str | None
    pose: str | None
    planner: str | None
    gripper: str | None
    seed: int | None
    setting_label: str | int | float | None


@dataclass(frozen=True)
class Options:
    """Keys of ``conf/watch.yaml``, explained there."""

    run: str
    choose: dict
    most: int
    gif: bool
    rate: float
    viewer: bool
    output: str | None


def run(config: DictConfig) -> int:
    """Do the chosen trials again, write their pictures, and return the exit status."""
    schema.check_block(OmegaConf.to_container(config, resolve=True), Options, "config")
    schema.check_block(OmegaConf.to_container(config.choose), Choice, "choose")
    at_least("most", config.most, 1, "trial")
    positive("rate", config.rate, "1/s")
    require_engine()
    if config.viewer and config.gif:
        raise InvalidValue("gif", True, "false together with viewer: one or the other watches")
    if config.viewer and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or sys.platform != "linux"):
        raise InvalidValue("viewer", True, "false where there is no display")
    folder = Path(to_absolute_path(config.run))
    records, given = chosen(folder, config), OmegaConf.load(folder / "config.yaml")
    assert isinstance(given, DictConfig)
    solids = placed_solids(given)
    output = folder / "films" if config.output is None else Path(to_absolute_path(config.output))
    output.mkdir(parents=True, exist_ok=True)
    same = 0
    for record in tqdm(records, unit="trial"):
        row = record["row"]
        gripper = Gripper.from_dict(record["result"]["provenance"]["config"]["gripper"])  # a setting may have varied it
        trial = (record["physics"], solids[row["object"], row["pose"]], gripper)
        same += show(*trial, output / _name(row), folder / PARTS, config)
    print(f"{len(records)} trials done again, {same} ended bit for bit as recorded; pictures in {output}")
    return DONE if same == len(records) else BAD


def chosen(folder: Path, config: DictConfig) -> list[dict[str, Any]]:
    """Return the records of the chosen trials, in the order of the run."""
    from pyarrow import parquet  # slow to import

    if not (folder / "rows.parquet").is_file():
        raise InvalidValue("run", folder, "a folder that experiments.compare wrote")
    rows = [row for row in parquet.read_table(folder / "rows.parquet").to_pylist() if row["physics"] is not None]
    wanted = {str(key): str(value) for key, value in config.choose.items() if value is not None}
    begin = wanted.pop("unit", "")
    found = [row["unit"] for row in rows if all(str(row[key]) == value for key, value in wanted.items())]
    found = [unit for unit in found if unit.startswith(begin)]
    if not found:
        raise InvalidValue("choose", dict(config.choose), f"what one of the {len(rows)} trials in simulation has")
    return [json.loads((folder / RECORDS / f"{unit}.json").read_text(encoding="utf-8")) for unit in found[: config.most]]


def show(record: Mapping[str, Any], solid: Any, gripper: Any, path: Path, cache: Path, config: DictConfig) -> bool:
    """Do one trial again and write its pictures; return whether it ended as recorded."""
    from physics.draw import filmstrip
    from physics.film import Reel, animate
    from physics.replay import replay

    reel = Reel(config.rate)
    watch: Callable | None = _viewer() if config.viewer else reel.take if config.gif else None
    result = replay(record, solid, gripper, cache, watch)
    filmstrip(result, solid, gripper, path.with_suffix(".png"))
    if reel.frames:
        animate(reel, result, solid, gripper, path.with_suffix(".gif"))
    return result.record() == {key: value for key, value in record.items() if key != "seed"}


def _name(row: Mapping[str, Any]) -> str:
    parts = (row["object"], row["pose"], row["planner"], row["gripper"], f"seed{row['seed']}", row["setting_label"])
    return "-".join(part.replace(" ", "_").replace(".", "_") for part in parts if part)


def _viewer() -> Callable:
    """Return what shows every step in MuJoCo's own viewer, at the speed of the trial."""
    from time import perf_counter, sleep

    from mujoco import viewer

    windows: list[Any] = []
    due = [0.0]

    def watch(scene: Any) -> None:
        if not windows:
            windows.append(viewer.launch_passive(scene.model, scene.data))
            due[0] = perf_counter()
        due[0] += scene.settings.solver.timestep  # the scene's own time goes back to saved states
        sleep(max(0.0, due[0] - perf_counter()))
        windows[0].sync()

    return watch


def main() -> int:
    """Run the command; return the exit status."""
    return command("watch", run)


if __name__ == "__main__":
    sys.exit(main())
