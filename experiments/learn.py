"""Do labels teach something? ``python -m experiments.learn labels=folder``; settings and usage in ``conf/learn.yaml``."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from hydra.utils import to_absolute_path
from omegaconf import DictConfig, OmegaConf
from tqdm import tqdm

from experiments import learn_report, schema
from experiments.entry import DONE, command
from experiments.learn_data import Examples, examples, split
from experiments.learn_models import constant, geometric, network
from experiments.output import run_folder, write_settings
from labels import load
from labels.store import json_bytes
from labels.whole import write_whole


@dataclass(frozen=True)
class Options:
    """Keys of ``conf/learn.yaml``, explained there."""

    labels: str
    sampling: dict
    network: dict
    statistics: dict
    seed: int
    output: str


def run(config: DictConfig) -> int:
    """Learn, test on unseen objects, print and write the result; return the exit status."""
    schema.check_block(OmegaConf.to_container(config, resolve=True), Options, "config")
    sampling, settings, statistics = (schema.build(config[key], key) for key in ("sampling", "network", "statistics"))
    data = load(to_absolute_path(config.labels))
    with tqdm(total=len(data), unit="view") as bar:
        train, test = split(examples(data, sampling, lambda views: _ticking(views, bar)), sampling)
    told = {
        "constant": constant(train, test),
        "geometric": geometric(train, test),
        "network": network(train, test, settings),
    }
    scores = learn_report.score(test.good, told, test.object, statistics)
    text = f"{counted(train, test, sampling.bar)}\n\n{learn_report.table(scores)}\n"
    with run_folder(Path(to_absolute_path(config.output))) as folder:
        write_settings(folder, config)
        write_whole(folder / "table.md", text.encode())
        result = {"train": _counts(train), "test": _counts(test), "scores": learn_report.plain(scores)}
        write_whole(folder / "learn.json", json_bytes(result))
        learn_report.draw(folder / "learn.png", test.good, told)
    print(f"{text}\nwritten to {config.output}")
    return DONE


def _ticking(views, bar: tqdm):
    for view in views:
        yield view
        bar.update()


def _counts(found: Examples) -> dict[str, Any]:
    return {"objects": len(np.unique(found.object)), "examples": len(found), "good": int(found.good.sum())}


def counted(train: Examples, test: Examples, bar: float) -> str:
    """Return in words what was learned from and tested on."""
    a, b = _counts(train), _counts(test)
    return (
        f"Learned from {a['examples']} candidates of {a['objects']} objects, tested on {b['examples']} of {b['objects']} "
        f"others, of which {b['good'] / b['examples']:.1%} are good (closed in at least {bar:.0%} of their draws). "
        "In brackets: bootstrap intervals over the objects."
    )


if __name__ == "__main__":
    sys.exit(command("learn", run))
