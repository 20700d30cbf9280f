"""The predictive study: measures against scikit-learn and SciPy, within placements and over all, and what a run writes."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hydra import compose, initialize_config_dir
from scipy.stats import spearmanr

from experiments import predict, predict_report
from experiments.predict_metrics import FIELDS, Tried
from experiments.predict_score import FEW, OUTCOMES, auc, correlation, pooled, scores, within
from experiments.stats import Statistics
from grasp import InvalidValue, presets

metrics = pytest.importorskip("sklearn.metrics")
STATISTICS = Statistics(confidence=0.95, resamples=100, seed=0)
INCREASING = (np.exp, np.cbrt, lambda x: 3 * x - 7)


def values(rng, n):
    """Return metrics and outcomes of n candidates, with ties in half of the cases."""
    told, size = rng.normal(size=n), rng.normal(size=n)
    return (np.round(told, 0), np.round(size, 0)) if rng.random() < 0.5 else (told, told + size)


def test_auc_is_that_of_scikit_learn():
    rng, different = np.random.default_rng(0), set()
    for _ in range(200):
        told, size = values(rng, int(rng.integers(2, 30)))
        happened = size > rng.normal()
        if 0 < happened.sum() < len(told):
            assert auc(told, happened) == pytest.approx(metrics.roc_auc_score(happened, told), abs=1e-12)
            different.add(auc(told, happened))
    assert len(different) > 50


def test_correlation_is_scipys():
    rng = np.random.default_rng(1)
    for _ in range(200):
        told, size = values(rng, int(rng.integers(4, 30)))
        if np.ptp(told) > 0 and np.ptp(size) > 0:
            assert correlation(told, size) == pytest.approx(spearmanr(told, size).statistic, abs=1e-12)


def test_where_nothing_differs_there_is_no_measure():
    for happened in ([True] * 3, [False] * 3, []):
        assert np.isnan(auc(np.arange(len(happened), dtype=float), np.array(happened, bool)))
    assert np.isnan(correlation(np.array([1.0, 2, 3]), np.zeros(3)))
    assert correlation(np.ones(3), np.array([1.0, 2, 3])) == 0  # guessing, as an AUC of 0.5 is


def test_known_orders():
    told, happened = np.array([0.1, 0.2, 0.3, 0.4]), np.array([False, False, True, True])
    assert (auc(told, happened), auc(-told, happened), auc(np.zeros(4), happened)) == (1, 0, 0.5)
    assert (correlation(told, told**2), correlation(told, -told)) == (1, -1)


@pytest.mark.parametrize("change", INCREASING)
def test_only_the_order_counts(change):
    rng = np.random.default_rng(2)
    told, size = rng.normal(size=(2, 40))
    told[::3] = 0.5
    assert auc(change(told), size > 0) == auc(told, size > 0)
    assert correlation(change(told), size) == correlation(told, change(size)) == correlation(told, size)
    assert auc(-told, size > 0) == pytest.approx(1 - auc(told, size > 0))
    assert correlation(-told, size) == pytest.approx(-correlation(told, size))


def made_up(n=120, objects=6, seed=3):
    """Return candidates in two poses of each object: `good` tells what comes, `noise` nothing, `half` is often unknown."""
    rng = np.random.default_rng(seed)
    good, number = rng.normal(size=n), np.arange(n) % objects
    size = good + rng.normal(size=n)
    known = {"good": good, "noise": rng.normal(size=n), "half": np.where(np.arange(n) % 4 < 2, good, np.nan)}
    name = np.array([f"o{k}" for k in number])
    where = np.array([f"o{k} pose{(i // objects) % 2}" for i, k in enumerate(number)])
    up, strength = size > -0.5, np.where(size > -0.5, np.maximum(size, 0), 0)
    return Tried(where, name, np.full(n, "get2d"), known, up, size > 0, np.round(strength), strength)


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_over_all_is_the_measure_of_all_candidates_with_its_interval(outcome):
    found = made_up()
    measure = auc if outcome in ("lifted", "shaken") else correlation
    told = pooled(found, "good", outcome, STATISTICS)
    assert told.value == measure(found.metrics["good"], getattr(found, outcome))
    assert told.low < told.value < told.high
    assert told.n == len(found)
    assert told.value > pooled(found, "noise", outcome, STATISTICS).high


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_within_is_the_mean_over_placements(outcome):
    found = made_up()
    measure = auc if outcome in ("lifted", "shaken") else correlation
    each = [found[found.placement == name] for name in np.unique(found.placement)]
    own = [measure(part.metrics["good"], getattr(part, outcome)) for part in each]
    told = within(found, "good", outcome, STATISTICS)
    assert told.value == pytest.approx(np.nanmean(own), abs=1e-12)
    assert told.n == np.isfinite(own).sum() > 6
    assert told.low < told.value < told.high


def test_placements_that_cannot_tell_are_left_out():
    """Of four placements one has too few candidates, and in one all were lifted."""
    where = np.repeat(["few", "alike", "good", "bad"], [FEW - 1, FEW, FEW, FEW])
    told, up = np.arange(len(where), dtype=float), np.arange(len(where)) % 2 == 0
    up |= where == "alike"
    up[-2 * FEW :] = np.arange(2 * FEW) >= FEW // 2
    up[-FEW:] = np.arange(FEW) < FEW // 2
    plain = np.zeros(len(where))
    found = Tried(where, where, where, {"told": told}, up, up, plain, plain)
    both_ways = within(found, "told", "lifted", STATISTICS)
    assert (both_ways.value, both_ways.low, both_ways.high, both_ways.n) == (0.5, 0, 1, 2)
    assert within(found[np.isin(where, ["few", "alike"])], "told", "lifted", STATISTICS).n == 0


def test_a_metric_that_tells_objects_apart_only_predicts_over_all_and_not_within():
    found, rng = made_up(2000, objects=4), np.random.default_rng(4)
    light = np.isin(found.object, ["o0", "o1"])
    up, told = rng.random(2000) < np.where(light, 0.8, 0.2), light + 1e-9 * rng.normal(size=2000)
    known = replace(found, metrics={"lightness": told}, lifted=up)
    assert pooled(known, "lightness", "lifted", STATISTICS).value == pytest.approx(0.8, abs=0.03)
    assert within(known, "lightness", "lifted", STATISTICS).value == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("way", [pooled, within])
def test_candidates_without_the_metric_are_left_out(way):
    found = made_up()
    known = found[np.isfinite(found.metrics["half"])]
    for outcome in OUTCOMES:
        told, same = way(found, "half", outcome, STATISTICS), way(known, "good", outcome, STATISTICS)
        assert (told.value, told.n) == (same.value, same.n)
    assert way(replace(found, metrics={"good": np.full(len(found), np.nan)}), "good", "lifted", STATISTICS).n == 0


def test_draws_of_objects_that_all_ended_alike_leave_a_number():
    found = made_up(objects=2)
    told = pooled(replace(found, lifted=found.object == "o0"), "good", "lifted", STATISTICS)
    assert 0 <= told.low <= told.value <= told.high <= 1


def test_scores_are_of_every_metric_that_exists():
    found = made_up()
    found = replace(found, metrics=found.metrics | {"never": np.full(len(found), np.nan)})
    told = scores(found, within, STATISTICS)
    assert list(told) == ["good", "noise", "half"]
    assert told["good"]["lifted"] == within(found, "good", "lifted", STATISTICS)


@pytest.fixture
def config():
    with initialize_config_dir(str(presets.CONF), version_base="1.3"):
        yield lambda *more: compose("predict", ["labels=labels", "output=out", "statistics.resamples=20", *more])


def both():
    """Return candidates of two planners, of which the second does not have one of the metrics."""
    twice = [made_up(), made_up(seed=5)]
    known = {name: np.concatenate([each.metrics[name] for each in twice]) for name in twice[0].metrics}
    known |= {"closure rate": np.linspace(0, 1, 240), "slip force by statics": np.abs(known["good"])}
    known["half"][120:] = np.nan
    joined = {name: np.concatenate([getattr(each, name) for each in twice]) for name in FIELDS}
    return Tried(metrics=known, **joined | {"planner": np.repeat(["get2d", "get3d"], 120)})


def test_a_run_writes_tables_pictures_and_numbers(config, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(predict, "read", lambda folder: both())
    assert predict.run(config()) == predict.DONE
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        *("table.md", "metrics.png", "within.png", "outcomes.png", "predict.json", "config.yaml", "provenance.json")
    }
    told = json.loads((tmp_path / "out/predict.json").read_text())
    mine = both().of("get2d")
    again = pooled(mine, "good", "slip_force", replace(STATISTICS, resamples=20))
    assert told["over_all"]["get2d"]["good"]["slip_force"] == dict(value=again.value, low=again.low, high=again.high, n=120)
    assert "half" in told["within"]["get2d"] and "half" not in told["within"]["get3d"]
    text = (tmp_path / "out/table.md").read_text()
    counts = f"{mine.lifted.sum()} lifted, {mine.shaken.sum()} shaken"
    assert f"get2d: 120 candidates on 6 objects in 12 placements; {counts}" in text
    assert text.count("| good |") == 2
    assert "get2d, best within placements: lifted (ROC-AUC): " in capsys.readouterr().out
    with pytest.raises(InvalidValue, match="output"):
        predict.run(config())


def test_what_was_not_decided_is_null_and_said():
    found = made_up()
    same = replace(found, lifted=np.ones(len(found), bool))
    told = scores(same, within, STATISTICS)
    assert predict._plain(told)["good"]["lifted"] == {"value": None, "low": None, "high": None, "n": 0}
    assert predict_report.best(told, "lifted") == "lifted (ROC-AUC): the same for all"
    cells = predict_report.table("get2d", same, scores(same, pooled, STATISTICS), told, STATISTICS).rows[0]
    assert cells[:3] == ("good", "–", "–")


def test_labels_without_trials_are_refused(config, monkeypatch, tmp_path):
    monkeypatch.setattr(predict, "load", lambda folder: [])
    (tmp_path / "config.yaml").write_text("physics: null\n")
    with pytest.raises(InvalidValue, match="labels with trials: python -m experiments.label physics=nominal"):
        predict.read(tmp_path)
    (tmp_path / "config.yaml").write_text("physics: {friction: 0.75, gravity: 9.81, closing: {force: 20.0}}\n")
    with pytest.raises(InvalidValue, match="at least one candidate was carried out"):
        predict.read(tmp_path)
