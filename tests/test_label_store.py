"""The store: files are whole or not there; what is damaged is named and made anew; a kill leaves no trace."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from experiments.lock import only_run
from grasp import InvalidValue
from labels import generate, load, manifest, store
from labels.whole import sweep_up, write_whole
from tests.labelled import content, planar, small
from tests.seen import SHARED, needs_cases

ROOT = Path(__file__).parents[1]
CASES = SHARED / "cases"


@pytest.fixture(scope="module")
def made():
    return planar(small("objects.kinds=[ring,comb]", "objects.count=1"))


def run(made, folder):
    """Do what a run does, in this process; return the names of the objects that were labelled."""
    store.claim(folder, made.address)
    sweep_up(folder)
    missing = [name for name in made.objects.names if store.read_record(folder, made.address, name) is None]
    for name in missing:
        generate.label_object(made, folder, name)
    records = [store.read_record(folder, made.address, name) for name in made.objects.names]
    write_whole(folder / manifest.NAME, store.json_bytes(manifest.manifest(made, records, [])))
    return missing


@pytest.fixture
def whole(made, tmp_path):
    run(made, tmp_path / "whole")
    return tmp_path / "whole"


def test_what_is_done_is_not_done_again(made, whole):
    before = content(whole)
    assert run(made, whole) == []
    assert content(whole) == before


@pytest.mark.parametrize("kind", ["candidates", "views", "meshes"])
@pytest.mark.parametrize(
    ("damage", "named"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[: int(0.6 * path.stat().st_size)]), "it is incomplete"),
        (lambda path: path.write_bytes(b"x" * path.stat().st_size), "SHA-256 has changed"),
        (lambda path: path.unlink(), "it is missing"),
    ],
)
def test_case_o27_a_damaged_file_is_named_and_its_object_alone_made_anew(made, whole, kind, damage, named):
    before = content(whole)
    path = sorted((whole / kind).iterdir())[-1]
    damage(path)
    with pytest.raises(InvalidValue, match=named) as error:
        load(whole)
    assert str(path) in str(error.value)
    assert run(made, whole) == [name for name in made.objects.names if path.name.startswith(name)]
    assert content(whole) == before


@needs_cases
def test_case_o27_a_cut_archive_is_incomplete(tmp_path):
    whole, cut = ((CASES / "O27" / f"{name}.npz").read_bytes() for name in ("whole", "cut_at_60_percent"))
    (tmp_path / "part").write_bytes(cut)
    sums = {"bytes": len(whole), "sha256": "of the whole"}
    with pytest.raises(InvalidValue, match=f"part.* it is incomplete, {len(cut)} of {len(whole)} bytes"):
        store.verified(tmp_path / "part", sums)


@needs_cases
def test_case_o27_two_runs_on_one_folder(tmp_path):
    with only_run(tmp_path), pytest.raises(InvalidValue, match="is at work in it"), only_run(tmp_path):
        pass


def test_a_folder_of_other_labels_is_refused(whole):
    with pytest.raises(InvalidValue, match="other settings"):
        store.claim(whole, "another recipe")


def test_labels_without_a_manifest_or_of_another_version_are_refused(whole):
    path = whole / manifest.NAME
    told = json.loads(path.read_text())
    path.write_text(json.dumps(told | {"schema_version": 99}))
    with pytest.raises(InvalidValue, match="schema_version = 99"):
        load(whole)
    path.write_text(json.dumps(told | {"objects": float("nan")}))
    with pytest.raises(InvalidValue, match="NaN"):
        load(whole)
    path.write_text(path.read_text()[:100])
    with pytest.raises(InvalidValue, match="whole, strict JSON"):
        load(whole)
    path.unlink()
    with pytest.raises(InvalidValue, match="a run writes it at its end"):
        load(whole)


RUN = """
import sys
from pathlib import Path
from tests.test_label_store import run, small, planar
made = planar(small("objects.kinds=[ring,comb]", "objects.count=4", "limit=8"))
print("begun", flush=True)
run(made, Path(sys.argv[1]))
"""


@pytest.mark.parametrize("moments", [3, pytest.param(20, marks=pytest.mark.slow)])
def test_killed_at_random_moments_and_run_again_the_folder_ends_as_if_undisturbed(tmp_path, moments):
    made, rng = planar(small("objects.kinds=[ring,comb]", "objects.count=4", "limit=8")), np.random.default_rng(moments)
    begin = time.monotonic()
    run(made, tmp_path / "undisturbed")
    length, kills = time.monotonic() - begin, 0
    for moment in rng.random(moments) * 2 / moments:  # of the run; those killed go on from one another
        child = subprocess.Popen(
            [sys.executable, "-c", RUN, tmp_path / "killed"], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert child.stdout.readline() == "begun\n"
        time.sleep(moment * length)
        child.send_signal(signal.SIGKILL)
        kills += child.wait() == -signal.SIGKILL
        child.stdout.close()
    assert kills >= 1
    run(made, tmp_path / "killed")
    assert content(tmp_path / "killed") == content(tmp_path / "undisturbed")
    assert len(load(tmp_path / "killed")) == 16
