"""Verdicts from opening and effort: one specimen or more of each, the laws they obey, and what is refused."""

from dataclasses import fields, replace

import numpy as np
import pytest
from hydra import compose, initialize_config_dir

from experiments.schema import build
from grasp import Gripper, InvalidValue, presets
from grasp.trace import Trace, lasting, span
from grasp.verify import Kind, Rules, verdict

GET, RULES = Gripper.preset("get"), Rules.preset()
WIDTH = 0.030  # m, of the object that is expected
CLOSING = [(0, 95, 0), (0.1, 95, 0), (0.75, 30, 1), (0.78, 30, 20)]  # s, mm, N
HELD = [*CLOSING, (1.5, 30, 20)]
SPECIMENS = {
    "firm": (Kind.HOLDING, HELD),
    "a little off": (Kind.HOLDING, [(0, 95, 0), (0.7, 33, 20), (1.5, 33, 20)]),
    "foam that gives": (Kind.HOLDING, [*HELD, (3.0, 29.3, 20)]),
    "wedged apart": (Kind.HOLDING, [*HELD, (1.7, 32, 26), (2.2, 32, 26)]),
    "weak but enough": (Kind.HOLDING, [(0, 95, 0), (0.75, 30, 15), (1.5, 30, 15)]),
    "stuck on the way": (Kind.HOLDING, [(0, 95, 0), (0.3, 60, 20), (0.8, 60, 20), (1.1, 30, 20), (1.6, 30, 20)]),
    "shut under force": (Kind.AIR, [(0, 95, 0), (0.95, 0, 0), (0.97, 0, 20), (1.3, 0, 20)]),
    "shut and limp": (Kind.AIR, [(0, 95, 0), (0.95, 0.2, 0), (1.3, 0.2, 0)]),
    "shot out while closing": (Kind.AIR, [(0, 95, 0), (0.7, 30, 20), (0.75, 30, 20), (0.9, 0, 20), (1.2, 0, 20)]),
    "pushed through what jammed": (Kind.AIR, [(0, 95, 0), (0.3, 60, 20), (0.8, 60, 20), (1.2, 0, 20), (1.5, 0, 20)]),
    "too wide": (Kind.JAMMED, [(0, 95, 0), (0.3, 70, 20), (0.8, 70, 20)]),
    "too narrow": (Kind.JAMMED, [(0, 95, 0), (0.9, 15, 20), (1.4, 15, 20)]),
    "never moved": (Kind.JAMMED, [(0, 95, 0), (0.1, 95, 20), (0.6, 95, 20)]),
    "stalled without effort": (Kind.JAMMED, [(0, 95, 0), (0.65, 30, 3), (2.0, 30, 3)]),
    "dead": (Kind.JAMMED, [(0, 95, 0), (1.5, 95, 0)]),
    "creeping": (Kind.SLIPPING, [*HELD, (2.5, 25, 20)]),
    "easing": (Kind.SLIPPING, [*HELD, (2.0, 29.2, 14), (2.5, 29.2, 14)]),
    "caught again": (Kind.SLIPPING, [*HELD, (1.7, 28, 19), (2.5, 28, 20)]),
    "shut after a hold": (Kind.LOST, [*HELD, (1.7, 0, 5), (1.72, 0, 20), (2.0, 0, 20)]),
    "limp after a hold": (Kind.LOST, [*HELD, (1.55, 26, 0), (2.0, 26, 0)]),
    "gone without moving": (Kind.LOST, [*HELD, (1.52, 30, 0), (2.0, 30, 0)]),
    "on its way": (Kind.UNDECIDED, [(0, 95, 0), (0.4, 55, 0)]),
    "just arrived": (Kind.UNDECIDED, [*CLOSING, (0.9, 30, 20)]),
    "only begun": (Kind.UNDECIDED, [(0, 95, 0), (0.05, 95, 0)]),
    "slow to start": (Kind.UNDECIDED, [(0, 95, 0), (0.8, 95, 0)]),
}
EVERY = pytest.mark.parametrize("name", SPECIMENS)


def sampled(knots, time, force=20.0):
    """Return the trace of straight lines between (s, mm, N), at given times."""
    t, opening, effort = np.array(knots, float).T
    return Trace(time, np.interp(time, t, opening) / 1e3, np.interp(time, t, effort), force)


def specimen(name, rate=500):
    knots = SPECIMENS[name][1]
    return sampled(knots, np.arange(round(knots[-1][0] * rate) + 1) / rate)


def judge(trace, expected_width=WIDTH):
    return verdict(trace, RULES, GET, expected_width)


@EVERY
def test_every_specimen_gets_its_verdict(name):
    found = judge(specimen(name))
    assert found.kind is SPECIMENS[name][0], found.signature
    assert 0 < found.at <= SPECIMENS[name][1][-1][0] + 1e-9
    assert " mm" in found.signature and found.signature.endswith(".")


@pytest.mark.parametrize(
    ("name", "at", "said"),
    [
        ("firm", 0.98, "held 30.0 mm with 20.0 of 20.0 N"),
        ("shut under force", 0.93, "closed to 0.0 mm with 20.0 of 20.0 N, within 3 mm of the end"),
        ("too wide", 0.8, "stand at 70.0 mm with 20.0 of 20.0 N, but 30.0 mm were expected"),
        ("stalled without effort", 2.0, "stood for 1 s at 30.0 mm with 3.0 of 20.0 N"),
        ("creeping", 1.72, "they were at 28.9 mm with 20.0 of 20.0 N"),
        ("limp after a hold", 1.6, "they were at 26.0 mm with 0.0 of 20.0 N"),
    ],
)
def test_a_signature_has_the_numbers_and_the_time(name, at, said):
    found = judge(specimen(name))
    assert found.at == pytest.approx(at, abs=RULES.bin_time)
    assert said in found.signature


@EVERY
@pytest.mark.parametrize("shift", [-7.3, 1e3, 1.7e9])  # the last is a clock that counts from 1970
def test_the_clock_does_not_matter(name, shift):
    trace = specimen(name)
    found, moved = judge(trace), judge(replace(trace, time=trace.time + shift))
    assert moved.kind is found.kind
    assert moved.at - shift == pytest.approx(found.at, abs=1e-5)


@EVERY
def test_more_samples_on_the_same_lines_change_nothing(name):
    knots, trace = SPECIMENS[name][1], specimen(name)
    rng = np.random.default_rng(3)
    instants = np.array([knot[0] for knot in knots])
    own = np.unique(np.concatenate([instants, np.arange(0, knots[-1][0], 0.01)]))
    finer = np.unique(np.concatenate([own, rng.uniform(0, knots[-1][0], 400)]))
    coarse, fine = judge(sampled(knots, own)), judge(sampled(knots, finer))
    assert coarse.kind is fine.kind is judge(trace).kind
    assert coarse.at == pytest.approx(fine.at, abs=1e-9)
    assert coarse.signature == fine.signature


@EVERY
@pytest.mark.parametrize("rate", [50, 125, 1000])
def test_the_rate_of_sampling_does_not_matter(name, rate):
    assert judge(specimen(name, rate)).kind is SPECIMENS[name][0]


@EVERY
@pytest.mark.parametrize("seed", range(5))
def test_noise_does_not_matter(name, seed):
    rng, trace = np.random.default_rng(seed), specimen(name)
    opening = trace.opening + rng.normal(0, 0.1e-3, len(trace.time))
    effort = trace.effort + rng.normal(0, 1.0, len(trace.time))
    assert judge(replace(trace, opening=opening, effort=effort)).kind is SPECIMENS[name][0]


@EVERY
def test_eight_bits_are_enough(name):
    trace, step = specimen(name), GET.max_opening / 255
    effort = np.round(trace.effort / 20 * 255) / 255 * 20
    rounded = replace(trace, opening=np.round(trace.opening / step) * step, effort=effort)
    assert judge(rounded).kind is SPECIMENS[name][0]


@EVERY
def test_only_the_share_of_the_force_matters(name):
    trace = specimen(name)
    assert judge(replace(trace, effort=6 * trace.effort, force=120.0)).kind is SPECIMENS[name][0]


@EVERY
def test_a_verdict_is_there_from_when_it_says_on(name):
    trace, found = specimen(name), judge(specimen(name))
    if found.kind in (Kind.JAMMED, Kind.UNDECIDED):  # these are said of the end
        return
    assert judge(trace.between(0, found.at + 1e-9)).kind is found.kind
    assert judge(trace.between(0, found.at - RULES.bin_time)).kind is not found.kind


@EVERY
def test_verdicts_after_a_hold_only_get_worse(name):
    trace, order = specimen(name), [Kind.HOLDING, Kind.SLIPPING, Kind.LOST]
    kinds = [judge(trace.between(0, end)).kind for end in np.arange(0.02, trace.time[-1], 0.02)]
    after = [order.index(kind) for kind in kinds[next((i for i, k in enumerate(kinds) if k in order), len(kinds)) :]]
    assert after == sorted(after)


def test_without_an_expected_width_what_stands_is_held():
    for name, (kind, _) in SPECIMENS.items():
        found = judge(specimen(name), None).kind
        stands_elsewhere = name in ("too wide", "too narrow")
        passed = {"stuck on the way": Kind.SLIPPING, "pushed through what jammed": Kind.LOST}
        assert found is (Kind.HOLDING if stands_elsewhere else passed.get(name, kind)), name


@pytest.mark.parametrize("offset", [-0.0039, 0.0039, -0.0041, 0.0041])
def test_the_width_may_be_off_by_the_margin(offset):
    assert judge(specimen("firm"), WIDTH + offset).kind is (Kind.HOLDING if abs(offset) < 0.004 else Kind.JAMMED)


def test_what_looks_like_air_cannot_be_expected():
    for width in (0.0, 0.002, 0.003, 0.0951, float("nan")):
        with pytest.raises(InvalidValue, match="expected_width"):
            judge(specimen("firm"), width)
    thin = [(0, 95, 0), (0.95, 2, 20), (1.5, 2, 20)]
    assert judge(sampled(thin, np.arange(0, 1.5, 0.01)), None).kind is Kind.AIR


def test_a_gap_is_no_evidence():
    trace = specimen("creeping")
    kept = (trace.time < 1.6) | (trace.time > 1.9)
    gapped = Trace(trace.time[kept], trace.opening[kept], trace.effort[kept], 20.0)
    with pytest.raises(InvalidValue, match=r"trace\.time\[800\] = 1\.902 must be at most 0\.2 s after the one before"):
        judge(gapped)


def test_millimetres_are_no_metres():
    trace = specimen("firm")
    with pytest.raises(InvalidValue, match=r"trace\.opening\[0\] = 95\.0 must be an opening of the get gripper, 0 to"):
        judge(replace(trace, opening=trace.opening * 1e3))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"opening": [0.1, float("nan"), 0.1]}, r"trace\.opening\[1\] = nan must be finite"),
        ({"effort": [0, 0, float("inf")]}, r"trace\.effort\[2\] = inf"),
        ({"effort": [0, 0]}, r"trace\.effort\.shape = \(2,\) must be \(n,\) with n = 3"),
        ({"time": [0, 2, 1]}, r"trace\.time\[2\] = 1\.0 must be later than the one before"),
        ({"time": [0, 1, 1]}, r"trace\.time\[2\] = 1\.0"),
        ({"time": [], "opening": [], "effort": []}, r"trace\.time\.shape = \(0,\)"),
        ({"time": 0.0}, r"trace\.time\.shape = \(\)"),
        ({"force": 0}, r"trace\.force = 0"),
    ],
)
def test_what_is_no_trace_is_named(change, message):
    whole = Trace(np.arange(3.0), np.full(3, 0.1), np.zeros(3), 20.0)
    with pytest.raises(InvalidValue, match=message):
        replace(whole, **change)


def test_a_trace_keeps_its_own_numbers():
    opening = np.full(3, 0.05)
    trace = Trace(np.arange(3.0), opening, np.zeros(3), 20.0)
    opening[:] = 0
    assert (trace.opening == 0.05).all()
    with pytest.raises(ValueError, match="read-only"):
        trace.opening[0] = 1


def test_one_sample_is_undecided():
    assert judge(Trace(np.array([1.0]), np.array([0.05]), np.array([20.0]), 20.0)).kind is Kind.UNDECIDED


def test_averages_are_those_of_the_lines_between_samples():
    rng = np.random.default_rng(4)
    time = np.cumsum(rng.uniform(0.001, 0.05, 80))
    trace = Trace(time, rng.uniform(0, 0.09, 80), rng.uniform(0, 20, 80), 20.0)
    found = trace.averaged(0.02)
    fine = time[0] + (np.arange(20 * 500 * len(found.time)) + 0.5) * 0.02 / 10000  # 10,000 points in each bin
    for name in ("opening", "effort"):
        slow = np.interp(fine, time, getattr(trace, name)).reshape(len(found.time), -1).mean(1)
        np.testing.assert_allclose(getattr(found, name), slow, rtol=1e-6)
    np.testing.assert_allclose(np.diff(found.time, prepend=time[0]), 0.02)
    assert time[-1] - 0.02 < found.time[-1] <= time[-1]


@pytest.mark.parametrize("count", [1, 3, 10, 31])
def test_windows_agree_with_loops(count):
    rng = np.random.default_rng(5)
    values, flags = rng.normal(size=30), rng.uniform(size=30) < 0.8
    windows = [values[max(0, i + 1 - count) : i + 1] for i in range(30)]
    slow = [np.ptp(window) if len(window) == count else np.inf for window in windows]
    np.testing.assert_array_equal(span(values, count), slow)
    slow = [i + 1 >= count and bool(flags[i + 1 - count : i + 1].all()) for i in range(30)]
    np.testing.assert_array_equal(lasting(flags, count), slow)


@pytest.mark.parametrize("name", presets.names("verify"))
def test_the_configuration_builds_what_the_preset_builds(name):
    with initialize_config_dir(str(presets.CONF), version_base="1.3"):
        config = compose("base", [f"+verify={name}"])
    assert build(config.verify, "verify") == Rules.preset(name)


@pytest.mark.parametrize("name", [field.name for field in fields(Rules)])
@pytest.mark.parametrize("value", [0, -1, float("nan"), "much"])
def test_rules_are_positive_numbers(name, value):
    with pytest.raises(InvalidValue, match=rf"rules\.{name}"):
        replace(RULES, **{name: value})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"vanish": 0.8}, r"rules\.vanish = 0\.8 must be below press, 0\.7"),
        ({"still": 0.001}, r"rules\.still = 0\.001 must be below creep, 0\.001"),
        ({"bin_time": 0.3}, r"rules\.bin_time = 0\.3 must be below settle_time"),
        ({"settle_time": 2.0}, r"rules\.settle_time = 2\.0 must be below patience"),
        ({"press": 1.1}, r"rules\.press = 1\.1 must be a share"),
        ({"sag": 20.0}, r"rules\.sag = 20\.0 must be a share"),
    ],
)
def test_rules_that_cannot_be_are_named(change, message):
    with pytest.raises(InvalidValue, match=message):
        replace(RULES, **change)
