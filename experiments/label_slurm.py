"""Slurm: a Dask cluster of jobs, each a worker, that asks for another job in place of one that has ended."""

from __future__ import annotations

from typing import Any

from experiments.one_core import THREADS
from wrench.errors import GraspError


def cluster(workers: int, prologue: list[str], **job: Any) -> Any:
    """Return a cluster that keeps so many jobs queued or running; keys as in ``conf/cluster/slurm.yaml``.

    Parameters
    ----------
    workers
        Jobs.
    prologue
        Lines of shell that each job begins with.
    **job
        As for ``dask_jobqueue.SLURMCluster``.

    Raises
    ------
    GraspError
        dask-jobqueue is not installed.
    """
    try:
        from dask_jobqueue import SLURMCluster  # type: ignore[import-not-found]
    except ImportError as error:
        raise GraspError('cluster=slurm needs dask-jobqueue: pip install -e ".[slurm]"') from error
    threads = [f"export {name}=1" for name in THREADS]  # NumPy reads it as a worker loads it
    made = SLURMCluster(job_script_prologue=[*prologue, *threads], **job)
    made.adapt(minimum=workers, maximum=workers)  # `scale` never replaces a job that ended: a run would wait for ever
    return made
