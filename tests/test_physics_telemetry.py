"""Telemetry of trials: it disturbs nothing, has every step, and its verdicts are what the engine knows to be true."""

from dataclasses import replace

import numpy as np
import pytest
import trimesh

from grasp import Gripper
from grasp.verify import Kind, Rules, verdict
from objects.solid import Solid
from physics import Grip, Phase, trial
from physics.measure import pose
from physics.motion import step
from physics.parts import parts_of
from physics.phases import descend, settle, start
from physics.scene import build
from physics.state import restore, save
from physics.telemetry import recorder, trace, trace_of
from tests.physics_bench import NOMINAL, block, grasp

pytestmark = pytest.mark.physics
GET, RULES = Gripper.preset("get"), Rules.preset()
BAR = block((0.08, 0.03, 0.05), "bar")
ACROSS = np.pi / 2  # heading of the closing axis over the bar's short side
FORCE = replace(NOMINAL, closing=replace(NOMINAL.closing, hold="force"))
DT = NOMINAL.solver.timestep


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("parts")


@pytest.fixture(scope="module")
def held(cache):
    return trace_of(grasp(angle=ACROSS), BAR, GET, NOMINAL, cache)


def rod():
    """Return a round bar that lies on the table along x."""
    mesh = trimesh.creation.cylinder(0.02, 0.1, sections=48)
    mesh.apply_transform(trimesh.transformations.rotation_matrix(np.pi / 2, [0, 1, 0]))
    mesh.apply_translation([0, 0, -mesh.bounds[0, 2]])
    return Solid.from_trimesh("rod", mesh)


def heavy(settings, solid, mass):
    return replace(settings, density=mass / solid.volume)


def kinds(told, width):
    """Return the verdicts in the order in which they came, once each in a row, without those that came of waiting."""
    found = [verdict(told.between(0, end), RULES, GET, width).kind for end in np.arange(1.0, told.time[-1] + 0.01, 0.01)]
    changes = [kind for i, kind in enumerate(found) if not i or kind is not found[i - 1]]
    return [kind for kind in changes if kind is not Kind.UNDECIDED]


def test_whoever_watches_changes_nothing(held, cache):
    assert trial(grasp(angle=ACROSS), BAR, GET, NOMINAL, cache).record() == held[0].record()


def test_a_trace_has_every_step_that_led_to_the_end(held):
    result, told = held
    np.testing.assert_allclose(np.diff(told.time, prepend=0), DT)
    assert told.force == NOMINAL.closing.force
    assert told.opening[0] == pytest.approx(result.opening_m, abs=1e-6)
    shaken = told.time < told.time[-1] - NOMINAL.slip.timeout
    firm = shaken & (told.time > told.time[np.flatnonzero(told.opening < 0.03)[0]] + 0.2)
    np.testing.assert_allclose(told.opening[firm], result.width_m, atol=1e-4)
    np.testing.assert_allclose(told.effort[firm], 20, atol=0.5)


def test_a_bar_is_held_through_lift_and_shake(held):
    result, told = held
    assert (result.grip, result.failed_in) == (Grip.HOLDING, None)
    assert kinds(told, 0.03) == [Kind.HOLDING]
    bins = told.averaged(RULES.bin_time)
    since = bins.time > verdict(told, RULES, GET, 0.03).at
    assert np.ptp(bins.opening[since]) < RULES.creep / 2
    assert np.ptp(bins.effort[since]) < RULES.sag * told.force / 2


def test_jaws_beside_the_object_close_on_air(cache):
    result, told = trace_of(grasp((0.2, 0)), BAR, GET, NOMINAL, cache)
    found = verdict(told, RULES, GET, 0.03)
    assert (result.grip, found.kind) == (Grip.AIR, Kind.AIR)
    assert told.effort[-1] == pytest.approx(20)  # the jaws press on the end of their travel: effort alone would look held


def test_the_long_side_instead_of_the_short_one_is_a_jam(cache):
    short = replace(NOMINAL, shake=replace(NOMINAL.shake, cycles=1, multiples=(1.0,)))
    result, told = trace_of(grasp(), BAR, GET, short, cache)
    assert (result.grip, result.lifted) == (Grip.HOLDING, True)  # it would do, but it is not what was meant
    found = verdict(told, RULES, GET, 0.03)
    assert found.kind is Kind.JAMMED and "30.0 mm were expected" in found.signature
    assert verdict(told, RULES, GET, 0.08).kind is verdict(told, RULES, GET).kind is Kind.HOLDING


@pytest.mark.parametrize("settings", [NOMINAL, FORCE], ids=["lock", "force"])
@pytest.mark.parametrize(("solid", "width", "mass"), [(BAR, 0.03, 6.0), (rod(), 0.04, 4.0)], ids=["bar", "rod"])
def test_what_is_too_heavy_slips_and_is_lost(settings, solid, width, mass, cache):
    result, told = trace_of(grasp(angle=ACROSS), solid, GET, heavy(settings, solid, mass), cache)
    assert result.failed_in is Phase.LIFT
    assert kinds(told, width) == [Kind.HOLDING, Kind.SLIPPING, Kind.LOST]
    found = verdict(told, RULES, GET, width)
    # locked jaws stay open with nothing to press on, others run to the end of their travel and press on that
    shut = told.opening[-1] < RULES.stop_margin
    assert shut == (settings is FORCE)
    assert (told.effort[-1] > 19) == shut
    lift_began = told.time[-1] - settings.lift.time
    assert lift_began < found.at < told.time[-1]


def test_what_the_shake_pulls_out_slips(cache):
    solid = rod()
    result, told = trace_of(grasp(angle=ACROSS), solid, GET, heavy(NOMINAL, solid, 2.0), cache)
    assert (result.lifted, result.failed_in) == (True, Phase.SHAKE)
    found = verdict(told, RULES, GET, 0.04)
    assert found.kind in (Kind.SLIPPING, Kind.LOST)
    assert told.time[-1] - found.at < 0.2  # it says so as the trial ends


def test_what_slides_along_equal_faces_looks_held(cache):
    """The limit of two numbers: the bar is 5 mm down in the jaws, and neither opening nor effort knows."""
    rows, samples = [], []
    record = recorder(samples)

    def watch(scene):
        record(scene)
        rows.append((scene.data.time, pose(scene).place[2]))

    trial(grasp(angle=ACROSS), BAR, GET, heavy(NOMINAL, BAR, 3.2), cache, watch)
    time, height = np.array(rows).T
    told = trace(samples, 20.0)
    lifting = time > time[-1] - NOMINAL.lift.time
    slid = time[lifting & (height < 0.025 - 0.005)]  # the gripper stays and the table goes down: the bar goes down with it
    assert verdict(told.between(0, slid[0]), RULES, GET, 0.03).kind is Kind.HOLDING


def test_a_recorder_strikes_out_what_was_taken_back(cache):
    samples = []
    parts = parts_of(BAR, NOMINAL.parts, cache)
    scene = build(BAR, parts, GET, grasp(angle=ACROSS).T_table_gripper, NOMINAL, recorder(samples))
    start(scene, 0.095)
    settle(scene)
    state, before = save(scene), list(samples)
    descend(scene)
    assert len(samples) > len(before)
    restore(scene, state)
    step(scene)
    assert samples[:-1] == before
    assert samples[-1][0] == pytest.approx(before[-1][0] + DT)
