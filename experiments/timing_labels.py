"""Labels: how many candidates `experiments.label` labels per second with one worker and with several, warm.

Workers have all cores, unlike everything else that is timed. What a run does once, loading and compiling, is left out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from omegaconf import DictConfig
from tqdm import tqdm

from experiments.label_recipe import recipe
from experiments.label_run import as_in_runs, execute
from grasp import presets
from labels.recipe import Recipe
from wrench.errors import GraspError


def labels(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what whole runs over the same objects took.

    Parameters
    ----------
    options
        `settings` of ``conf/label.yaml``, as on its command line; `workers`, numbers of processes that take turns;
        `rounds`; and `objects` and `cores`, to which the rate is extrapolated.

    Returns
    -------
    dict
        ``objects``, ``labels``, how many there are; ``runs``, of each number of ``workers`` the ``wall_s`` and the
        ``processor_s``, per round; ``extrapolate``, `objects` and `cores`.

    Raises
    ------
    GraspError
        An object could not be labelled.
    """
    made = recipe(_composed(["object_set=timing", *options["settings"]]))
    runs = [{"workers": count, "wall_s": [], "processor_s": []} for count in options["workers"]]
    names, candidates = made.objects.names, 0
    with TemporaryDirectory() as folder, _clusters(options["workers"]) as clusters:
        for cluster, entry in zip(clusters, runs, strict=True):
            _label(made, Path(folder), names[: 2 * entry["workers"]], cluster)  # warm
        for _ in range(options["rounds"]):
            for cluster, entry in zip(clusters, runs, strict=True):
                begin = perf_counter()
                seconds, candidates = _label(made, Path(folder), names, cluster)
                entry["wall_s"].append(perf_counter() - begin)
                entry["processor_s"].append(seconds)
    extrapolate = {key: options[key] for key in ("objects", "cores")}
    return {"objects": len(names), "labels": candidates, "runs": runs, "extrapolate": extrapolate}


def _composed(overrides: list[str]) -> DictConfig:
    """Return ``conf/label.yaml`` with overrides, inside of a command of Hydra or outside."""
    if GlobalHydra.instance().is_initialized():
        return compose("label", overrides)
    with initialize_config_dir(str(presets.CONF), version_base="1.3"):
        return compose("label", overrides)


def _label(made: Recipe, folder: Path, names: Sequence[str], cluster: Any) -> tuple[float, int]:
    """Return the processor seconds and the number of labels of a run."""
    from distributed import Client  # slow to import

    with tqdm(disable=True) as bar:
        done = list(execute(made, folder, names, lambda: Client(cluster), bar))
    if failures := [f"{each.object}: {each.failure['sentence']}" for each in done if each.failure]:
        raise GraspError(f"labels cannot be timed: {failures[0]}")
    return sum(each.seconds for each in done), sum(each.candidates for each in done)


@contextmanager
def _clusters(workers: Sequence[int]) -> Iterator[list[Any]]:
    """Have a cluster of each number of workers, which run on every core though this process is pinned to one."""
    from distributed import LocalCluster  # slow to import

    with _all_cores(), as_in_runs(), ExitStack() as stack:
        yield [
            stack.enter_context(LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=":0"))
            for count in workers
        ]


@contextmanager
def _all_cores() -> Iterator[None]:
    """Let processes that are started in the block run on every core."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    own = os.sched_getaffinity(0)
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    try:
        yield
    finally:
        os.sched_setaffinity(0, own)
