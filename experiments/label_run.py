"""Runs on Dask: each object a task, each task's files written by its worker; what is missing is done and nothing else."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import process_time
from typing import Any

from tqdm import tqdm

from experiments.one_core import THREADS
from labels.generate import failed, label_object
from labels.recipe import Recipe
from wrench.errors import GraspError

WINDOW = 1000  # tasks handed to the scheduler at a time, so that memory does not grow with the number of objects
DIED = "worker_died"
DASK = {
    "distributed.scheduler.worker-saturation": 1.0,  # one task per worker, so that a death has one suspect
    "distributed.scheduler.allowed-failures": 2,  # deaths of a worker that an object may cause
    "distributed.worker.daemon": True,
}


@dataclass(frozen=True)
class Done:
    """What a task sends back.

    Parameters
    ----------
    object
        Its name.
    candidates
        Rows written.
    failure
        Reason and sentence where it could not be labelled, else None.
    seconds
        Of processor time.
    """

    object: str
    candidates: int
    failure: dict[str, str] | None
    seconds: float


def work(recipe: Recipe, folder: Path, name: str) -> Done:
    """Label one object: the task of a worker."""
    begin = process_time()
    record = label_object(recipe, folder, name)
    rows = sum(answer["rows"] for each in record.get("placements", ()) for answer in each["answers"])
    return Done(name, rows, record.get("failure"), process_time() - begin)


def execute(recipe: Recipe, folder: Path, names: Sequence[str], cluster: Callable[[], Any], bar: tqdm) -> Iterator[Done]:
    """Yield what comes of objects, in the order in which they are done.

    Parameters
    ----------
    recipe, folder, names
        What to label, and into what; the workers must see the same folder.
    cluster
        Makes a Dask cluster, or a client of one.
    bar
        Progress, and where the address of the dashboard is written.

    Raises
    ------
    GraspError
        The scheduler was lost. What had been done is saved.
    """
    if not names:
        return
    with _client(cluster) as client:
        if not bar.disable:
            bar.write(f"dashboard: {client.dashboard_link}")
        from distributed import as_completed

        waiting = iter(names)
        begun = as_completed([_submit(client, recipe, folder, name) for name in islice(waiting, WINDOW)])
        for future in begun:
            yield _result(future)
            begun.update([_submit(client, recipe, folder, name) for name in islice(waiting, 1)])


@contextmanager
def as_in_runs() -> Iterator[None]:
    """Have Dask set as a run wants it, for clusters that are made in the block."""
    from dask import config  # slow to import

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what goes wrong is told in our own words
    os.environ.update(dict.fromkeys(THREADS, "1"))  # workers read it as they load NumPy
    with config.set(DASK):
        yield


@contextmanager
def _client(cluster: Callable[[], Any]) -> Iterator[Any]:
    from distributed import Client  # slow to import

    with as_in_runs(), cluster() as made:
        if isinstance(made, Client):
            yield made
            return
        with Client(made) as client:
            yield client


def _submit(client: Any, recipe: Recipe, folder: Path, name: str) -> Any:
    return client.submit(work, recipe, folder, name, key=f"label-{name}", pure=False)


def _result(future: Any) -> Done:
    from distributed import KilledWorker

    name = future.key.removeprefix("label-")
    try:
        return future.result()
    except KilledWorker:
        sentence = "Every worker process that was at work on this object died, perhaps for want of memory."
        return Done(name, 0, failed(name, DIED, sentence)["failure"], 0.0)
    except CancelledError as error:
        raise GraspError(f"the scheduler was lost; given again, the command goes on from here ({error})") from error
    finally:
        future.release()
