"""Runner: does what is missing of a list of units, in worker processes, and keeps each result as soon as it is there."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context, parent_process
from pathlib import Path

from tqdm import tqdm

from experiments.one_core import THREADS
from experiments.rows import load, save
from experiments.trial import Done, run
from experiments.units import Unit
from wrench.errors import GraspError

PARTS = "parts"  # folder, in that of a run, of the objects' convex parts


def execute(units: Sequence[Unit], folder: Path, workers: int) -> bool:
    """Do the units that have no record in a folder, and save their records.

    Parameters
    ----------
    units
        In the order in which they are begun; results do not depend on it.
    folder
        Held by `lock.only_run`.
    workers
        Processes, each with one thread; 1 for none besides this one.

    Returns
    -------
    bool
        Whether all is done; False after an interruption from the keyboard.

    Raises
    ------
    GraspError
        A worker died. What had been done is saved.
    """
    waiting = {unit.address: unit for unit in units}
    for address in [address for address in waiting if load(folder, address) is not None]:
        del waiting[address]
    with tqdm(total=len(units), initial=len(units) - len(waiting), unit="trial") as bar:
        bar.set_description(_current(waiting))
        try:
            for done in _results(list(waiting.values()), workers, folder / PARTS):
                save(folder, done)
                del waiting[done.timing.unit]
                bar.set_description(_current(waiting))
                bar.update()
        except KeyboardInterrupt:
            return False
    return True


def _current(waiting: dict[str, Unit]) -> str:
    """Return the object of the first unit that is not done."""
    return next((unit.placed.object for unit in waiting.values()), "done")


def _results(units: list[Unit], workers: int, cache: Path) -> Iterator[Done]:
    do = partial(run, cache=cache)
    if workers == 1 or not units:
        yield from map(do, units)
        return
    os.environ.update(dict.fromkeys(THREADS, "1"))  # workers read it as they load NumPy
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _start)
    try:
        for future in as_completed([pool.submit(do, unit) for unit in units]):
            yield future.result()
    except BrokenProcessPool:
        raise GraspError(
            "a worker process died, perhaps for want of memory; given again, the command goes on from here, "
            "and with workers=1 it dies at the object that is at fault"
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _start() -> None:
    """Make a worker leave interruptions to its parent, and end when its parent does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
