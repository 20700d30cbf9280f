"""Slurm: the job script is what was asked for, jobs that end are replaced, and a missing package is named."""

import os
import sys
import time

import pytest
from omegaconf import OmegaConf

from experiments import label_slurm, schema
from grasp import GraspError
from tests.labelled import config

FAKE = {  # a job is a process that `timeout` ends, its number that of the process
    "sbatch": 'cp "$1" "$0.$$"; setsid timeout --signal=KILL 6 bash "$0.$$" >/dev/null 2>&1 & echo "Submitted batch job $!"',
    "scancel": 'kill -KILL -- "-$1" 2>/dev/null || true',
}


def slurm(*overrides):
    """Return the cluster that the settings describe."""
    block = config("cluster=slurm", *overrides).cluster
    return schema.build(OmegaConf.create(OmegaConf.to_container(block, resolve=True)), "cluster")


def test_the_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "dask_jobqueue", None)
    with pytest.raises(GraspError, match=r'needs dask-jobqueue: pip install -e "\.\[slurm\]"'):
        slurm()


@pytest.fixture
def jobs(monkeypatch, tmp_path):
    pytest.importorskip("dask_jobqueue")
    for name, line in FAKE.items():
        (tmp_path / name).write_text(f"#!/usr/bin/env bash\n{line}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path


@pytest.mark.filterwarnings("ignore")  # of Dask's
def test_the_job_script_says_what_the_settings_say(jobs):
    more = ("cluster.queue=cpu", "cluster.account=lab", "cluster.prologue=[module load python]", "workers=1")
    with slurm(*more, "cluster.job_extra_directives=['--constraint=fast']") as made:
        lines = made.job_script().splitlines()
    assert lines[0] == "#!/usr/bin/env bash"
    asked = {line.removeprefix("#SBATCH ") for line in lines if line.startswith("#SBATCH ")}
    assert asked >= {"-p cpu", "-A lab", "-n 1", "--cpus-per-task=1", "--mem=2G", "-t 04:00:00", "--constraint=fast"}
    begin = lines.index("module load python")
    assert lines[begin + 1 : begin + 5] == [f"export {name}=1" for name in label_slurm.THREADS]
    (command,) = [line for line in lines if "dask_worker" in line]
    assert command.startswith(f"{sys.executable} -m distributed.cli.dask_worker tcp://")
    assert "--nthreads 1 " in command and "--nworkers" not in command
    assert command.endswith("--lifetime 225m --lifetime-stagger 10m")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of Dask's
def test_a_job_that_ends_is_replaced(jobs):
    from dask import config as dask_config

    with dask_config.set({"distributed.deploy.lost-worker-timeout": "1s"}), slurm("workers=1"):
        end = time.monotonic() + 60
        while len(list(jobs.glob("sbatch.*"))) < 3 and time.monotonic() < end:
            time.sleep(0.2)
    assert len(list(jobs.glob("sbatch.*"))) >= 3
