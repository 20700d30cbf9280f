"""One core, one thread: what a timing must ask for before NumPy is loaded."""

from __future__ import annotations

import os

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def one_core() -> int | None:
    """Pin this process and its children to one core and one thread.

    The thread counts are read when NumPy and Numba are loaded, so call this before.

    Returns
    -------
    int or None
        The core; None where the system cannot pin (then only the threads are limited).
    """
    os.environ.update(dict.fromkeys(THREADS, "1"))
    if not hasattr(os, "sched_setaffinity"):
        return None
    core = max(os.sched_getaffinity(0))  # the first one tends to serve the interrupts
    os.sched_setaffinity(0, {core})
    return core
