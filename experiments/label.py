"""Labels of whole object sets: ``python -m experiments.label``; settings and usage in ``conf/label.yaml``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from hydra.utils import to_absolute_path
from omegaconf import DictConfig
from tqdm import tqdm

from experiments import schema
from experiments.entry import BAD, DONE, command
from experiments.label_recipe import made_by, recipe, settings
from experiments.label_run import Done, execute
from experiments.lock import only_run
from experiments.output import write_settings
from experiments.provenance import config_hash
from labels import card, manifest, store
from labels.recipe import Recipe
from labels.whole import sweep_up, write_whole

INTERRUPTED = 130  # exit status beside those of `entry`


def run(config: DictConfig) -> int:
    """Label what is missing, write the manifest, print the summary; return the exit status.

    Raises
    ------
    GraspError
        Bad input, a folder in which another run is at work, or one with other labels.
    """
    wanted, folder = recipe(config), output_folder(config)
    with only_run(folder):
        store.claim(folder, wanted.address)
        sweep_up(folder)
        write_settings(folder, config)
        begin, done = perf_counter(), _label(config, wanted, folder)
        if done is None:
            print(f"interrupted; what is done is kept in {folder}: give the command again")
            return INTERRUPTED
        wall = perf_counter() - begin
        told = _finish(wanted, folder, done)
    print(summary(told, done, wall, config))
    print(f"written to {folder}")
    return BAD if told["failures"] else DONE


def output_folder(config: DictConfig) -> Path:
    """Return where a run goes: the same settings and the same code find the same folder again."""
    if config.output is not None:
        return Path(to_absolute_path(config.output))
    address = config_hash({"settings": settings(config), "made_by": made_by(config)})
    return Path(to_absolute_path(f"runs/label/{config.object_set}-{address[:10]}"))


def _label(config: DictConfig, wanted: Recipe, folder: Path) -> list[Done] | None:
    """Return what came of the objects that had no labels; None after an interruption from the keyboard."""
    names = wanted.objects.names
    missing = [name for name in names if store.read_record(folder, wanted.address, name) is None]
    found, rows = [], 0
    with tqdm(total=len(names), initial=len(names) - len(missing), unit="object") as bar:
        try:
            for done in execute(wanted, folder, missing, lambda: schema.build(config.cluster, "cluster"), bar):
                found, rows = [*found, done], rows + done.candidates
                bar.set_postfix_str(f"{rows / bar.format_dict['elapsed']:.0f} labels/s")
                bar.update()
        except KeyboardInterrupt:
            return None
    return found


def _finish(wanted: Recipe, folder: Path, done: Sequence[Done]) -> dict[str, Any]:
    """Write the card and the manifest of what is there, and return the latter."""
    records = [store.read_record(folder, wanted.address, name) for name in wanted.objects.names]
    failures = {each.object: each.failure for each in done if each.failure}
    told = manifest.manifest(
        wanted,
        [record for record in records if record is not None],
        [{"object": name, **failures[name]} for name in wanted.objects.names if name in failures],
    )
    write_whole(folder / card.NAME, card.card(told).encode())
    write_whole(folder / manifest.NAME, store.json_bytes(told))
    return told


def summary(told: dict[str, Any], done: Sequence[Done], wall: float, config: DictConfig) -> str:
    """Return what is there, how fast it was made, and a line for each object that failed."""
    rows, busy = sum(each.candidates for each in done), sum(each.seconds for each in done)
    lines = [f"{told['objects']} objects, {len(told['placements'])} placements, {told['candidates']} labels"]
    for planner, counts in told["counts"].items():
        lines.append(f"{planner}: " + ", ".join(f"{count} {reason.replace('_', ' ')}" for reason, count in counts.items()))
    for planner, count in told["trials"].items():
        failed = f", {count['failed']} without an outcome" if count["failed"] else ""
        lines.append(f"{planner}: {count['drawn']} tried, {count['lifted']} lifted{failed}")
    if rows:
        hours = busy / len(done) * config.extrapolate.objects / config.extrapolate.cores / 3600
        lines.append(
            f"this run: {len(done)} objects, {rows} labels in {wall:.0f} s, {rows / wall:.0f} labels/s; "
            f"{rows / busy:.0f} labels per core-second; at that rate {config.extrapolate.objects} objects "
            f"on {config.extrapolate.cores} cores take {hours:.2g} h"
        )
    lines += [f"failed: {each['object']}: {each['reason']}: {each['sentence']}" for each in told["failures"]]
    return "\n".join(lines)


def main() -> int:
    """Run the command; return the exit status."""
    return command("label", run)


if __name__ == "__main__":
    sys.exit(main())
