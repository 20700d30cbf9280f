"""Runs on Dask: the same bytes for any number of workers, a death costs one object, the command says what happened."""

import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from tqdm import tqdm

from experiments import label
from experiments.label import BAD, DONE, INTERRUPTED
from experiments.label_run import DIED, execute
from experiments.lock import only_run
from grasp import InvalidValue
from labels import generate, load
from tests.labelled import Deadly, content, planar, small
from tests.seen import SHARED, needs_cases

pytestmark = pytest.mark.filterwarnings("ignore")  # of Dask's

ROOT = Path(__file__).parents[1]
CASES = SHARED / "cases"
SETTINGS = ("objects.kinds=[ring,comb]", "objects.count=2", "limit=4")


def cluster(workers):
    from distributed import LocalCluster

    return lambda: LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0")


def done(made, folder, workers):
    with tqdm(total=len(made.objects.names), disable=True) as bar:
        return {each.object: each for each in execute(made, folder, made.objects.names, cluster(workers), bar)}


@pytest.mark.parametrize("workers", [2, pytest.param(1, marks=pytest.mark.slow), pytest.param(4, marks=pytest.mark.slow)])
def test_the_same_bytes_for_any_number_of_workers(tmp_path, workers):
    made = small(*SETTINGS)
    for name in made.objects.names:
        generate.label_object(made, tmp_path / "alone", name)
    found = done(made, tmp_path / "workers", workers)
    assert content(tmp_path / "workers") == content(tmp_path / "alone")
    assert all(each.failure is None and each.candidates > 0 for each in found.values())


def test_a_worker_that_dies_costs_its_object_only(tmp_path):
    made = planar(small(*SETTINGS))
    names = made.objects.names
    found = done(replace(made, objects=Deadly(made.objects, names, names[1])), tmp_path, 2)
    assert [name for name in names if found[name].failure] == [names[1]]
    assert found[names[1]].failure["reason"] == DIED
    assert sorted(path.stem for path in (tmp_path / "records").iterdir()) == sorted({*names} - {names[1]})


@pytest.fixture
def command(monkeypatch, tmp_path, capfd):
    """Return a function that runs the command with a thread as its worker, and returns status and what it printed."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        quick = ("debug=fast", "output=out", "workers=1", "+cluster.processes=false")
        monkeypatch.setattr(sys, "argv", ["label", *quick, *arguments])
        status = label.main()
        return status, *capfd.readouterr()

    return run


def test_the_command_labels_tells_the_rate_and_does_nothing_twice(command, tmp_path):
    status, out, err = command("objects.kinds=[ring]", "objects.count=1")
    assert status == DONE
    assert "1 objects, 2 placements" in out
    assert "labels per core-second" in out
    assert "dashboard: http://" in err + out
    before = content(tmp_path / "out")
    assert len(load(tmp_path / "out")) == 2
    assert "data_files: candidates/*.parquet" in (tmp_path / "out/README.md").read_text()
    status, out, _ = command("objects.kinds=[ring]", "objects.count=1")
    assert (status, content(tmp_path / "out")) == (DONE, before)
    assert "this run" not in out


def test_a_folder_in_use_or_of_other_labels_is_refused(command, tmp_path):
    only = ("objects.kinds=[ring]", "objects.count=1")
    with only_run(tmp_path / "out"):
        status, _, err = command(*only)
    assert (status, "is at work in it" in err) == (BAD, True)
    assert command(*only)[0] == DONE
    status, _, err = command(*only, "seed=1")
    assert (status, "labels of other settings" in err) == (BAD, True)


COMMAND = """
import sys
from experiments import label, label_recipe
label_recipe.made_by = label.made_by = lambda config: "tests"
sys.exit(label.main())
"""


def start(folder, *arguments):
    """Start the command with two worker processes; what it prints goes into ``out`` beside the folder."""
    line = [sys.executable, "-c", COMMAND, "debug=fast", f"output={folder}", "workers=2", *SETTINGS, *arguments]
    with folder.with_suffix(".out").open("w") as out:
        return subprocess.Popen(line, cwd=ROOT, stdout=out, stderr=out)


@pytest.mark.slow
def test_the_command_killed_with_its_workers_at_work_ends_as_if_undisturbed_when_given_again(tmp_path):
    more = ("objects.count=12", "limit=24")
    assert start(tmp_path / "undisturbed", *more).wait() == DONE
    kills = 0
    for records in (0, 3, 8):
        run = start(tmp_path / "killed", *more)
        while run.poll() is None and len(list(tmp_path.glob("killed/records/*.json"))) < records:
            time.sleep(0.01)
        run.send_signal(signal.SIGKILL)
        kills += run.wait() == -signal.SIGKILL
    assert kills >= 2
    assert start(tmp_path / "killed", *more).wait() == DONE
    assert content(tmp_path / "killed") == content(tmp_path / "undisturbed")


@pytest.mark.slow
def test_an_interruption_keeps_what_is_done_and_writes_no_manifest(tmp_path):
    run = start(tmp_path / "out", "objects.count=200", "limit=null")
    while len(list(tmp_path.glob("out/records/*.json"))) < 2:
        assert run.poll() is None
        time.sleep(0.01)
    run.send_signal(signal.SIGINT)
    assert run.wait() == INTERRUPTED
    assert "interrupted; what is done is kept" in (tmp_path / "out.out").read_text()
    with pytest.raises(InvalidValue, match="a run writes it at its end"):
        load(tmp_path / "out")


@needs_cases
def test_case_o29_unreadable_meshes_are_told_of_and_the_status_is_not_zero(command, tmp_path):
    meshes = f"objects.folder={CASES / 'O29'}"
    status, out, _ = command("objects=mesh_dir", meshes, "objects.unit=m", "limit=null", "cases=get2d")
    assert status == BAD
    assert out.count("failed: ") == 2
    assert "failed: b_cut.stl: unsound_mesh: " in out
    found = load(tmp_path / "out")
    assert {each.object for each in found} == {"a_box.stl", "d_bar.stl"}
    assert [each["object"] for each in found.failures] == ["b_cut.stl", "c_empty.stl"]
