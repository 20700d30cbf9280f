"""Picks: the graph has no dead ends, steps are pure and keep to it, and the machine picks in the physics engine."""

from dataclasses import replace

import numpy as np
import pytest
from hydra import compose, initialize_config_dir

from experiments.schema import build as build_config
from grasp import Funnel, GripForce, InvalidValue, Plan, Provenance, Reason, Refusal, Seed, presets
from grasp.motion import Move
from grasp.pick import Machine, expected_width
from grasp.pick_states import GRAPH, Close, Look, Observation, Open, Reach, Stage, Stay
from grasp.trace import Trace
from physics.pick import run as pick
from tests.physics_bench import NOMINAL, block, grasp
from wrench import Contacts

MACHINE, ONE_LOOK = Machine.preset(), Machine.preset("one_look")
GET = MACHINE.gripper
BAR = block((0.08, 0.03, 0.05), "bar")
ACROSS = np.pi / 2  # heading of the closing axis over the bar's short side
HAND = Provenance("hand", "get", Seed((1,), ()), {}, {})
REFUSAL = Refusal(Reason.TOO_WIDE, "It is 120.0 mm wide.", {}, {}, HAND)
FINAL = (Stage.DONE, Stage.GIVEN_UP)
SEVEN = ["perceive", "approach", "descend", "close", "verify_grasp", "lift", "verify_hold", "done"]


def across(xy=(0.0, 0.0), width=0.03):
    """Return a grasp over the bar's short side, closing along y, whose contacts are `width` apart."""
    x, y = xy
    points = [[x + 0.015, y - width / 2, 0.03], [x - 0.015, y - width / 2, 0.03], [x, y + width / 2, 0.03]]
    contacts = Contacts.all_made(points, [[0, 1, 0], [0, 1, 0], [0, -1, 0]])
    return replace(grasp(xy, ACROSS, opening=width + 0.02), contacts=contacts)


def planned(*grasps):
    return Plan(grasps, {"hand": Funnel(len(grasps), {}, len(grasps))}, None, HAND)


def told(opening, effort, begin, end):
    """Return a trace of jaws that close for 0.1 s from 50 mm and then stand."""
    time = np.arange(begin, end, 0.01)
    after = time > begin + 0.1
    return Trace(time, np.where(after, opening, 0.05), np.where(after, effort, 0.0), 20.0)


HOLD, SHUT, STUCK = (0.03, 20.0), (0.0, 20.0), (0.045, 20.0)


def run(*stages_and_more, machine=MACHINE, plan=None):
    """Return the states passed through by observations in which all goes well but for what is said of a stage."""
    special, plan = dict(stages_and_more), plan or planned(across(), across((0.01, 0)))
    state, _ = machine.start(0.0)
    states = [state]
    for _ in range(200):
        if state.stage in FINAL:
            break
        time = state.since + 3.0
        traces = {Stage.RELEASE: told(0.05, 0.0, state.since, time)}
        seen = Observation(time, True, False, traces.get(state.stage, told(*HOLD, state.closing, time)))
        seen = replace(seen, plan=plan if state.stage is Stage.PERCEIVE else None)
        change = special.get(state.stage, {})
        state, _ = machine.step(state, change(state, seen) if callable(change) else replace(seen, **change))
        states.append(state)
    return states


def jaws(opening, effort):
    return lambda state, seen: replace(seen, trace=told(opening, effort, state.closing, seen.time))


def names(states):
    return [state.stage.value for state in states]


def test_every_stage_is_reached_and_leads_to_an_end():
    assert set(GRAPH) == set(Stage)
    assert {target for targets in GRAPH.values() for target in targets.values()} | {Stage.PERCEIVE} == set(Stage)
    ends = set(FINAL)
    for _ in Stage:
        ends |= {stage for stage, targets in GRAPH.items() if ends & set(targets.values())}
    assert ends == set(Stage)
    assert [stage for stage, targets in GRAPH.items() if not targets] == list(FINAL)


def test_all_going_well_it_passes_the_seven_stages_and_is_done():
    states = run()
    assert names(states) == SEVEN
    assert states[-1].failures == ()
    assert "held 30.0 mm with 20.0 of 20.0 N" in states[-1].said


@pytest.mark.parametrize(
    ("trouble", "event", "way"),
    [
        ((Stage.APPROACH, {"blocked": True}), "blocked", ["retry"]),
        ((Stage.DESCEND, {"blocked": True}), "blocked", ["retreat", "retry"]),
        ((Stage.VERIFY_GRASP, jaws(*SHUT)), "air", ["release", "retreat", "retry"]),
        ((Stage.VERIFY_GRASP, jaws(*STUCK)), "jammed", ["release", "retreat", "retry"]),
        ((Stage.VERIFY_GRASP, {"trace": None}), "undecided", ["release", "retreat", "retry"]),
        ((Stage.LIFT, {"blocked": True}), "blocked", ["lower", "release", "retreat", "retry"]),
        ((Stage.VERIFY_HOLD, {"trace": None}), "undecided", ["lower", "release", "retreat", "retry"]),
    ],
)
@pytest.mark.parametrize("machine", [MACHINE, ONE_LOOK], ids=["default", "one_look"])
def test_each_failure_leads_out_and_to_what_follows_it(trouble, event, way, machine):
    stage = trouble[0]
    states = run(trouble, machine=machine)
    i = names(states).index(stage)
    then = {"next": "approach", "look": "perceive"}[machine.after[event]]
    assert names(states)[i + 1 : i + 2 + len(way)] == [*way, then]
    first = states[-1].failures[0]
    assert (first.stage, first.event, first.look, first.index) == (stage, event, 1, 0)
    assert states[-1].stage is Stage.GIVEN_UP
    tries = machine.looks if then == "perceive" else 2
    assert [failure.event for failure in states[-1].failures] == [event] * tries
    spent = "There is no look left, of 3." if then == "perceive" else "The plan has no grasp left, of 2."
    assert spent in states[-1].said and first.sentence[:20] in states[-1].said


def falling(*later):
    """Return a change by which what was held while closing is at other openings (m) and efforts (N) from the lift on."""

    def change(state, seen):
        held = told(*HOLD, state.closing, seen.time)
        opening, effort = np.where(held.time > state.since - 2.0, np.array([later]).T, [held.opening, held.effort])
        return replace(seen, trace=replace(held, opening=opening, effort=effort))

    return change


@pytest.mark.parametrize(("later", "event", "way"), [((0.0, 20.0), "lost", []), ((0.027, 18.0), "slipping", ["lower"])])
def test_what_slips_in_the_air_is_set_down_and_what_is_lost_is_looked_for(later, event, way):
    states = run((Stage.VERIFY_HOLD, falling(*later)))
    i = names(states).index("verify_hold")
    assert names(states)[i + 1 : i + 5 + len(way)] == [*way, "release", "retreat", "retry", "perceive"]
    assert states[-1].failures[0].event == event


def test_a_failure_in_the_air_is_seen_before_the_hold_time_is_over():
    states = run()
    hold = next(state for state in states if state.stage is Stage.VERIFY_HOLD)
    early = Observation(hold.since + 0.01, arrived=True, trace=told(*HOLD, hold.closing, hold.since + 0.01))
    assert MACHINE.step(hold, early)[0] is MACHINE.step(hold, replace(early, trace=None))[0] is hold
    assert MACHINE.step(hold, falling(0.0, 20.0)(hold, early))[0].stage is Stage.RELEASE


def test_another_look_begins_with_the_first_grasp_of_a_new_plan():
    def unlucky(state, seen):
        return jaws(*(SHUT if state.index else STUCK))(state, seen)

    states = run((Stage.VERIFY_GRASP, unlucky))
    tried = [(failure.event, failure.look, failure.index) for failure in states[-1].failures]
    assert tried == [(event, look, i) for look in (1, 2, 3) for i, event in enumerate(("jammed", "air"))]
    assert all(state.plan is None for state in states if state.stage is Stage.PERCEIVE)


def test_what_the_jaws_told_before_they_were_to_close_is_not_judged():
    close = next(state for state in run() if state.stage is Stage.CLOSE)
    old = told(*SHUT, 0.0, close.closing)
    assert MACHINE.step(close, Observation(close.since + 0.1, trace=old))[0] is close
    later = told(*HOLD, close.closing, close.closing + 1.0)
    both = Trace(*(np.append(getattr(old, name), getattr(later, name)) for name in ("time", "opening", "effort")), 20.0)
    following, _ = MACHINE.step(close, Observation(close.since + 1.0, trace=both))
    assert following.stage is Stage.VERIFY_GRASP and "held 30.0 mm" in following.said


def test_a_refusal_is_the_end_and_its_sentence_is_told():
    states = run((Stage.PERCEIVE, {"plan": REFUSAL}))
    assert names(states) == ["perceive", "given_up"]
    assert states[-1].said == REFUSAL.sentence


def test_jaws_that_never_settle_or_never_open_run_out_of_time():
    def loose(state, seen):
        return replace(seen, trace=told(0.03, 2.0, state.closing, state.since + 0.9), time=state.since + 2.1)

    states = run((Stage.CLOSE, loose), (Stage.VERIFY_GRASP, loose), (Stage.RELEASE, loose))
    assert names(states)[3:] == ["close", "verify_grasp", "release", "given_up"]
    assert states[-1].said == "The jaws were not 50.0 mm open after 2.10 s."


def test_a_jammed_retreat_is_the_end():
    states = run((Stage.VERIFY_GRASP, jaws(*SHUT)), (Stage.RETREAT, {"blocked": True}))
    assert names(states)[-2:] == ["retreat", "given_up"]
    assert "blocked" in states[-1].said


def test_setting_down_may_end_early():
    states = run((Stage.LIFT, {"blocked": True}), (Stage.LOWER, {"blocked": True}))
    assert "lower" in names(states)
    assert {failure.stage for failure in states[-1].failures} == {Stage.LIFT}


def test_a_step_is_pure_and_nothing_to_see_changes_nothing():
    for state in run((Stage.VERIFY_GRASP, jaws(*STUCK))):
        for seen in (Observation(state.since), Observation(state.since + 3, True, False, None, planned(across()))):
            (one, first), (two, second) = MACHINE.step(state, seen), MACHINE.step(state, seen)
            assert (one.stage, one.since, one.said, type(first)) == (two.stage, two.since, two.said, type(second))
        if state.stage not in (Stage.RETRY, Stage.VERIFY_GRASP):  # these wait for nothing
            assert MACHINE.step(state, Observation(state.since))[0] is state


@pytest.mark.parametrize("stage", FINAL)
def test_the_end_is_the_end(stage):
    state = replace(run()[-1], stage=stage)
    seen = Observation(state.since + 9, True, True, told(*SHUT, state.closing, state.since + 9), planned(across()))
    assert MACHINE.step(state, seen)[0] is state
    assert MACHINE.command(state) == (Close(20.0) if stage is Stage.DONE else Stay())


def test_the_jaws_press_with_the_grip_force_of_the_grasp_or_else_the_machines_own():
    sized = replace(across(), force=GripForce(35.0, 12.0, 60.0, 20.0, 235.0))
    for plan, force in ((planned(sized), 35.0), (planned(across()), 20.0)):
        pressing = [state for state in run(plan=plan) if isinstance(MACHINE.command(state), Close)]
        assert names(pressing) == ["close", "verify_grasp", "verify_hold", "done"]
        assert {MACHINE.command(state) for state in pressing} == {Close(force)}


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("machine", [MACHINE, ONE_LOOK], ids=["default", "one_look"])
def test_whatever_is_seen_it_keeps_to_the_graph_and_ends(machine, seed):
    rng = np.random.default_rng(seed)

    def choice(things):
        return things[rng.integers(len(things))]

    plan, (state, _) = planned(across(), across(), across()), machine.start(0.0)
    for _ in range(1000):
        time, heard = state.since + choice([0.0, 0.4, 3.0]), None
        if state.stage in (Stage.CLOSE, Stage.VERIFY_GRASP, Stage.VERIFY_HOLD, Stage.RELEASE):
            stand = choice([HOLD, SHUT, STUCK, (0.03, 1.0), (0.05, 0.0)])
            heard = choice([None, told(*stand, state.closing, max(time, state.closing + 0.02))])
        seen = Observation(time, rng.random() < 0.8, rng.random() < 0.1, heard, choice([None, plan]))
        following, _ = machine.step(state, seen)
        assert following is state or following.stage in GRAPH[state.stage].values()
        assert following.failures[: len(state.failures)] == state.failures
        assert following.look <= machine.looks and following.index <= 2
        if following.stage in FINAL:
            break
        state = following
    assert following.stage in FINAL
    assert (following.stage is Stage.DONE) == following.said.startswith("The jaws held")
    assert len(following.failures) <= 3 * machine.looks


def test_commands_say_where_to_go():
    states = {state.stage: state for state in reversed(run((Stage.VERIFY_HOLD, falling(0.027, 18.0))))}
    commands = {stage: MACHINE.command(state) for stage, state in states.items()}
    T = across().T_table_gripper
    above, lifted = T[:3, 3] + [0, 0, MACHINE.stand_off], T[:3, 3] + [0, 0, MACHINE.lift_height]
    assert commands[Stage.PERCEIVE] == Look()
    assert commands[Stage.CLOSE] == commands[Stage.VERIFY_GRASP] == commands[Stage.VERIFY_HOLD] == Close(20.0)
    assert commands[Stage.RELEASE] == Open(pytest.approx(0.05))
    reach = commands[Stage.APPROACH]
    assert isinstance(reach, Reach) and reach.opening == pytest.approx(0.05)
    np.testing.assert_allclose(reach.T_table_gripper[:3, 3], above, atol=1e-12)
    ways = {Stage.DESCEND: (above, T[:3, 3]), Stage.LIFT: (T[:3, 3], lifted)}
    ways |= {Stage.LOWER: (lifted, T[:3, 3]), Stage.RETREAT: (T[:3, 3], above)}
    for stage, (begin, end) in ways.items():
        move, limits = commands[stage], MACHINE.lift if stage is Stage.LIFT else MACHINE.approach
        assert isinstance(move, Move) and move.begin == states[stage].since
        np.testing.assert_allclose(move.at([move.begin, move.end])[0][:, :3, 3], [begin, end], atol=1e-12)
        assert move.duration == pytest.approx(limits.duration(0.1))


def test_a_blocked_arm_goes_back_from_where_it_stopped():
    descend = next(state for state in run() if state.stage is Stage.DESCEND)
    move = MACHINE.move(descend)
    time = move.begin + 0.4 * move.duration
    back, command = MACHINE.step(descend, Observation(time, blocked=True))
    assert back.stage is Stage.RETREAT and isinstance(command, Move)
    np.testing.assert_allclose(command.at(time)[0], move.at(time)[0], atol=1e-12)
    np.testing.assert_allclose(command.at(command.end)[0], move.T_begin, atol=1e-12)


def test_the_expected_width_is_the_distance_of_first_touches():
    assert expected_width(across()) == pytest.approx(0.03)
    flat = across()
    planar = Contacts.all_made(flat.contacts.points[:, :2], flat.contacts.normals[:, :2])
    assert expected_width(replace(flat, contacts=planar)) == pytest.approx(0.03)
    late = np.array(flat.contacts.points)
    late[1, 1] += 0.003  # one wide pad touches 3 mm later
    assert expected_width(replace(flat, contacts=replace(flat.contacts, points=late))) == pytest.approx(0.03)
    one_sided = replace(flat.contacts, made=np.array([True, True, False]))
    assert expected_width(replace(flat, contacts=one_sided)) is None


def test_what_is_too_thin_to_tell_from_air_is_air():
    states = run((Stage.VERIFY_GRASP, jaws(0.002, 20.0)), plan=planned(across(width=0.002)))
    assert states[-1].failures[0].event == "air"


@pytest.mark.parametrize("name", presets.names("pick"))
def test_the_configuration_builds_what_the_preset_builds(name):
    with initialize_config_dir(str(presets.CONF), version_base="1.3"):
        config = compose("base", ["+verify=default", f"+pick={name}"])
    assert build_config(config.pick, "pick") == Machine.preset(name)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"force": 0}, r"pick\.force = 0"),
        ({"stand_off": "far"}, r"pick\.stand_off = 'far'"),
        ({"looks": 0}, r"pick\.looks = 0"),
        ({"after": {"air": "look"}}, r"pick\.after: missing key"),
        ({"after": MACHINE.after | {"holding": "next"}}, r"pick\.after: key = 'holding'"),
        ({"after": MACHINE.after | {"air": "pray"}}, r"pick\.after\.air = 'pray' must be \"next\" or \"look\""),
    ],
)
def test_what_cannot_be_is_named(change, message):
    with pytest.raises(InvalidValue, match=message):
        replace(MACHINE, **change)


def test_time_does_not_run_backwards():
    with pytest.raises(InvalidValue, match=r"observation\.time = 1\.0 must be at least 2 s"):
        MACHINE.step(MACHINE.start(2.0)[0], Observation(1.0))


@pytest.mark.physics
def test_a_bar_is_picked_in_the_engine():
    found = pick(MACHINE, [planned(across())], BAR, NOMINAL, None)
    assert names(found.states) == SEVEN
    assert found.rise == pytest.approx(MACHINE.lift_height, abs=1e-3)
    assert found.press == pytest.approx(20, rel=0.02)
    assert "held 29." in found.states[-1].said  # the pads give by half a millimetre
    assert [verdict.kind for verdict in found.verdicts] == ["holding", "holding"]
    (told,) = found.traces
    assert told.time[0] < found.states[1].since < found.states[-1].since == pytest.approx(told.time[-1])


@pytest.mark.physics
def test_the_engine_presses_with_the_grip_force_of_the_grasp():
    sized = replace(across(), force=GripForce(35.0, 2.0, None, 20.0, 235.0))
    found = pick(MACHINE, [planned(sized)], BAR, NOMINAL, None)
    assert names(found.states) == SEVEN
    assert found.press == pytest.approx(35, rel=0.02)
    assert found.traces[0].force == 35.0
    assert "of 35.0 N" in found.states[-1].said


@pytest.mark.physics
def test_a_refused_look_moves_nothing_in_the_engine():
    found = pick(MACHINE, [REFUSAL], BAR, NOMINAL, None)
    assert names(found.states) == ["perceive", "given_up"]
    assert (found.verdicts, found.traces, found.rise, found.press) == ((), (), 0.0, 0.0)
    with pytest.raises(InvalidValue, match=r"plans = \(\) must be at least one"):
        pick(MACHINE, [], BAR, NOMINAL, None)


@pytest.mark.physics
@pytest.mark.parametrize(
    ("machine", "plans", "retry"),
    [
        (ONE_LOOK, [planned(across((0.2, 0)), across())], "approach"),
        (MACHINE, [planned(across((0.2, 0))), planned(across())], "perceive"),
    ],
    ids=["next grasp", "another look"],
)
def test_a_miss_is_tried_again_in_the_engine(machine, plans, retry):
    found = pick(machine, plans, BAR, NOMINAL, None)
    again = SEVEN if retry == "perceive" else SEVEN[1:]
    assert names(found.states) == [*SEVEN[:5], "release", "retreat", "retry", *again]
    assert [verdict.kind for verdict in found.verdicts] == ["air", "holding", "holding"]
    assert len(found.traces) == 2 and found.traces[0].time[-1] >= found.states[7].since
    (failure,) = found.states[-1].failures
    assert (failure.stage, failure.event, failure.index) == (Stage.VERIFY_GRASP, "air", 0)
    assert found.rise == pytest.approx(machine.lift_height, abs=1e-3)


@pytest.mark.physics
def test_what_is_too_heavy_is_given_up_in_the_engine():
    heavy = replace(NOMINAL, density=4.0 / BAR.volume)  # 3.06 kg is the limit
    found = pick(ONE_LOOK, [planned(across())], BAR, heavy, None)
    assert names(found.states) == [*SEVEN[:7], "release", "retreat", "retry", "given_up"]
    assert found.states[-1].failures[0].event == "lost"
    assert "The plan has no grasp left, of 1." in found.states[-1].said
    assert found.rise < 0.01


@pytest.mark.physics
def test_a_crash_on_the_way_down_goes_back_up_in_the_engine():
    wide = block((0.08, 0.06, 0.05), "wide")  # the grasp is for 30 mm
    states = pick(ONE_LOOK, [planned(across(), across((0.005, 0)))], wide, NOMINAL, None).states
    attempt = ["approach", "descend", "retreat", "retry"]
    assert names(states) == ["perceive", *attempt, *attempt, "given_up"]
    assert [failure.event for failure in states[-1].failures] == ["blocked", "blocked"]
