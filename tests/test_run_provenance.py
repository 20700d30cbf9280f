"""What stands beside every output of a run: told apart by what matters, never by where it was written."""

import json
import platform
import subprocess

import numpy as np
import pytest

from experiments.provenance import ROOT, commit, config_hash, machine, provenance
from wrench.errors import InvalidValue

CONFIG = {"seed": 3, "friction": 0.75, "rows": {"a": [1, 2.5], "b": None}}


def test_hash_ignores_the_order_of_keys_and_sees_every_value():
    assert config_hash(CONFIG) == config_hash(dict(reversed(CONFIG.items())))
    assert config_hash(CONFIG) == config_hash(CONFIG | {"rows": {"b": None, "a": (1, np.float64(2.5))}})
    changes = [{"seed": 4}, {"friction": 0.7500001}, {"rows": {"a": [2.5, 1], "b": None}}, {"more": 0}]
    assert len({config_hash(CONFIG | change) for change in [{}, *changes]}) == 5


def test_hash_is_sha256_of_compact_json():
    """As `printf '{"a":1}' | sha256sum` prints it."""
    assert config_hash({"a": 1}) == "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"


def test_a_setting_json_cannot_hold_is_refused_by_its_place():
    with pytest.raises(InvalidValue, match=r"config\.rows\.a"):
        config_hash({"rows": {"a": float("nan")}})


def test_record_is_strict_json_and_names_what_made_it():
    record = provenance(CONFIG, 3)
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert record["seed"] == 3
    assert record["config_sha256"] == config_hash(CONFIG)
    assert record["versions"]["numpy"] == np.__version__


def test_commit_is_the_checkouts():
    found = commit()
    if not (ROOT / ".git").exists():
        pytest.skip("not in a checkout")
    head = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=ROOT, text=True).strip()
    assert found["commit"] == head
    assert isinstance(found["modified"], bool)


def test_outside_of_a_checkout_the_commit_is_unknown(monkeypatch, tmp_path):
    monkeypatch.setattr("experiments.provenance.ROOT", tmp_path)
    assert commit() == {"commit": None, "modified": None}


def test_without_git_the_commit_is_unknown(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert commit() == {"commit": None, "modified": None}


def test_machine_is_described_without_its_name():
    found = machine()
    assert set(found) == {"system", "processor", "cores"}
    assert found["cores"] >= 1
    assert platform.node() not in found.values()
