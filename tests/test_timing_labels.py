"""Labels per second: runs take turns and are counted whole; the table says n, the spread and what it comes to."""

import os

import pytest

from experiments import timing_labels
from experiments.label_run import Done
from experiments.timing_labels import _all_cores, labels
from experiments.timing_report import label_table
from grasp import GraspError
from tests.labelled import small

pytestmark = pytest.mark.filterwarnings("ignore")  # of Dask's
FAST = ["debug=fast", "objects=paper10", "objects.names=[arch,gearbox]", "rest.poses=1", "cases=get2d"]
OPTIONS = {"settings": FAST, "workers": [1, 2], "rounds": 2, "objects": 10000, "cores": 64}


def test_every_number_of_workers_is_timed_in_every_round():
    told = labels(OPTIONS)
    assert (told["objects"], told["extrapolate"]) == (2, {"objects": 10000, "cores": 64})
    assert [entry["workers"] for entry in told["runs"]] == [1, 2]
    assert told["labels"] > 100
    for entry in told["runs"]:
        assert len(entry["wall_s"]) == len(entry["processor_s"]) == 2
        assert min(entry["wall_s"] + entry["processor_s"]) > 0
    assert len(label_table(told).splitlines()) == 5


def test_the_table_has_medians_ranges_and_what_it_comes_to():
    runs = [
        {"workers": 1, "wall_s": [10.0, 20.0, 8.0], "processor_s": [10.0, 10.0, 8.0]},
        {"workers": 2, "wall_s": [5.0, 8.0, 8.0], "processor_s": [9.0, 12.0, 18.0]},
    ]
    text = label_table({"objects": 10, "labels": 36000, "runs": runs, "extrapolate": {"objects": 30000, "cores": 100}})
    head, one, two, *rest = text.splitlines()
    assert head.split("  ")[-1] == "times 1 worker (range)"
    assert [part.strip() for part in one.split("  ") if part] == [
        "1",
        "3,600 (1,800-4,500)",
        "3,600 (3,600-4,500)",
        "1.00 (1.00-1.00)",
    ]
    assert two.endswith("3,000 (2,000-4,000)      2.00 (1.00-2.50)")
    assert " ".join(rest) == (
        "n = 3 runs of each over the same 10 objects, 36,000 labels; 30,000 objects on 100 cores "
        "take 0.1 (0.075-0.15) h at the rate per core-second of 2 workers"
    )


def test_what_cannot_be_labelled_is_not_timed(monkeypatch, tmp_path):
    failed = Done("arch", 0, {"reason": "unsound_mesh", "sentence": "It is open."}, 0.1)
    monkeypatch.setattr(timing_labels, "execute", lambda *arguments: iter([failed]))
    with pytest.raises(GraspError, match="labels cannot be timed: arch: It is open"):
        timing_labels._label(small(*FAST[1:]), tmp_path, ["arch"], None)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system cannot pin")
def test_workers_may_use_all_cores_though_this_process_may_not():
    own = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(own)})
        with _all_cores():
            assert os.sched_getaffinity(0) >= own
        assert os.sched_getaffinity(0) == {min(own)}
    finally:
        os.sched_setaffinity(0, own)
