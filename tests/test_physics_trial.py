"""Whole trials: what holds, what fails and in which phase, to the last bit the same; and the noise they are given."""

import json
from dataclasses import replace

import numpy as np
import pytest
import trimesh

from grasp import Gripper, InvalidValue, Seed
from objects import shapes
from objects.solid import Solid
from physics import Grip, Phase, noisy, score, trial
from physics.draw import filmstrip, picture
from physics.phases import classify
from tests.physics_bench import NOMINAL, block, grasp

pytestmark = pytest.mark.physics
GET = Gripper.preset("get")
BAR = block((0.08, 0.03, 0.05), "bar")
NOISE = NOMINAL.noise
ACROSS = np.pi / 2  # heading of the closing axis over the bar's short side


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("parts")


@pytest.fixture(scope="module")
def held(cache):
    return trial(grasp(angle=ACROSS), BAR, GET, NOMINAL, cache)


def standing(mesh, name):
    mesh.apply_translation([0, 0, -mesh.bounds[0, 2]])
    return Solid.from_trimesh(name, mesh)


def test_a_bar_is_held_through_everything(held):
    assert (held.grip, held.failed_in, held.contacts) == (Grip.HOLDING, None, 3)
    assert held.lifted and held.shaken
    assert held.push_N < 1e-6
    np.testing.assert_allclose(held.pad_force_N, [10, 10, 20], rtol=0.05)
    assert 0.029 < held.width_m < 0.03
    assert abs(held.rise_error_m) < 1e-4
    assert held.drift_m < 1e-4 and held.drift_rad < 1e-3
    assert held.mass_kg == pytest.approx(600 * 0.08 * 0.03 * 0.05)
    assert held.mass_margin == pytest.approx(0.75 * 40 / held.mass_kg / (9.81 + 0.902), rel=0.01)
    assert 7 < held.slip_force_N <= held.slip_other_N < 12
    assert not held.slip_censored
    assert [frame.phase for frame in held.frames] == list(Phase)


def test_a_trial_is_bitwise_repeatable(held, cache):
    assert trial(grasp(angle=ACROSS), BAR, GET, NOMINAL, cache).record() == held.record()


def test_a_record_is_strict_json_with_all_that_replays_it(held):
    record = json.loads(json.dumps(held.record(), allow_nan=False))
    assert record["settings_used"]["solver"]["timestep"] == NOMINAL.solver.timestep
    assert {"mujoco", "coacd", "numpy"} <= record["versions"].keys()
    np.testing.assert_array_equal(record["T_table_gripper"], held.T_table_gripper)
    assert "frames" not in record


def test_more_contacts_resist_more_turning(held, cache):
    narrow = trial(grasp(angle=ACROSS), BAR, Gripper.preset("two_narrow"), NOMINAL, cache)
    assert held.slip_force_N > 1.1 * narrow.slip_force_N


def test_what_is_wider_than_the_gripper_is_a_collision(cache):
    roll = standing(trimesh.creation.cylinder(0.05, 0.08, sections=48), "roll")
    found = trial(grasp(), roll, GET, NOMINAL, cache)
    assert (found.grip, found.failed_in) == (Grip.COLLISION, Phase.DESCEND)
    assert found.push_N > NOMINAL.travel.stop_force
    assert not found.lifted and found.width_m is None


def test_fingers_driven_into_the_table_are_a_collision(cache):
    found = trial(grasp(angle=ACROSS, height=-0.01), BAR, GET, NOMINAL, cache)
    assert (found.grip, found.failed_in) == (Grip.COLLISION, Phase.DESCEND)


def test_jaws_beside_the_object_close_on_air(cache):
    found = trial(grasp((0.2, 0)), BAR, GET, NOMINAL, cache)
    assert (found.grip, found.failed_in, found.contacts) == (Grip.AIR, Phase.CLOSE, 0)
    assert found.width_m == pytest.approx(0, abs=1e-3)


def test_what_is_too_heavy_stays_on_the_table(cache):
    heavy = replace(NOMINAL, density=3.2 / BAR.volume)  # 3.06 kg is the limit
    found = trial(grasp(angle=ACROSS), BAR, GET, heavy, cache)
    assert found.mass_margin < 1
    assert found.grip is Grip.HOLDING and not found.lifted and found.failed_in in (Phase.LIFT, Phase.HOLD)


def test_the_cone_ratio_decides_the_lift(cache):
    # 1 at the peak of the lift: above it nothing slides
    for ratio, lifted in ((1.1, True), (0.9, False)):
        settings = replace(NOMINAL, density=0.75 * 40 / (9.81 + 0.902) / ratio / BAR.volume)
        found = trial(grasp(angle=ACROSS), BAR, GET, settings, cache)
        assert found.mass_margin == pytest.approx(ratio, rel=0.02)
        assert found.lifted == lifted


def test_a_finger_in_a_hole_touches_nothing_until_it_closes(cache):
    roll = Solid.from_trimesh("tape_roll", shapes.make("tape_roll"))  # hole of 76 mm, wall of 14.5 mm
    at_wall = grasp((-0.045, 0), 0.0, 0.004, 0.06)  # the narrow finger stands in the hole
    found = trial(at_wall, roll, GET, NOMINAL, cache)
    assert found.push_N < 1e-6
    assert found.grip is Grip.HOLDING and found.lifted
    # the wide pads touch at their inner edges, 12.5 mm off the middle at the nearest spheres: 1.5 mm further in
    assert found.width_m == pytest.approx(0.0145 - 0.0015 - 0.0004, abs=3e-4)


def test_a_tilted_grasp_comes_in_along_its_approach(cache):
    c, s = np.cos(0.35), np.sin(0.35)
    given = grasp(angle=ACROSS)
    T = np.array(given.T_table_gripper)
    T[:3, :3] = T[:3, :3] @ np.array([[1, 0, 0], [0, c, -s], [0, s, c]])  # about the closing axis
    T[2, 3] = 0.012
    found = trial(replace(given, T_table_gripper=T), BAR, GET, NOMINAL, cache)
    assert found.lifted and found.push_N < 1e-6


def test_a_level_grasp_comes_in_from_beside(cache):
    T = np.eye(4)
    T[:3, :3] = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]  # approach along x, closing along y, the wide pads one above the other
    T[:3, 3] = [0.01, 0, 0.026]
    found = trial(replace(grasp(), T_table_gripper=T), BAR, GET, NOMINAL, cache)
    assert (found.grip, found.contacts, found.lifted) == (Grip.HOLDING, 3, True) and found.push_N < 1e-6
    assert found.frames[0].table[0] == pytest.approx(0.05 + NOMINAL.travel.room, abs=1e-4)  # the fingertips short of the bar


@pytest.mark.parametrize(
    ("forces", "opening", "grip"),
    [
        ((20, 20), 0.03, Grip.HOLDING),
        ((0, 0), 0.0, Grip.AIR),
        ((20, 0), 0.03, Grip.JAMMED),
        ((0, 20), 0.002, Grip.AIR),
        ((20, 0.1), 0.03, Grip.JAMMED),
    ],
)
def test_closed_jaws_are_classified(forces, opening, grip):
    assert classify(*forces, opening, 0.2, 0.003) is grip


@pytest.mark.parametrize(("change", "message"), [({"opening": 0.12}, r"grasp\.opening = 0\.12"), ({}, "grasp tilt")])
def test_impossible_grasps_are_refused(change, message):
    given = grasp(**change)
    if not change:
        T = np.array(given.T_table_gripper)
        T[:3, :3] = np.eye(3)  # approach from below
        given = replace(given, T_table_gripper=T)
    with pytest.raises(InvalidValue, match=message):
        trial(given, BAR, GET, NOMINAL, None)


def test_noise_is_paired_and_has_its_size():
    first, second = (noisy(grasp(xy), np.random.default_rng(1), NOISE) for xy in ((0, 0), (0.1, 0)))
    np.testing.assert_allclose(second.T_table_gripper[:2, 3] - first.T_table_gripper[:2, 3], [0.1, 0], atol=1e-15)
    np.testing.assert_array_equal(first.T_table_gripper[:3, :3], second.T_table_gripper[:3, :3])
    rng = np.random.default_rng(2)
    T = np.array([noisy(grasp(), rng, NOISE).T_table_gripper for _ in range(4000)])
    np.testing.assert_allclose(T[:, :2, 3].std(0), NOISE.sigma, rtol=0.05)
    assert np.arctan2(T[:, 1, 0], T[:, 0, 0]).std() == pytest.approx(NOISE.yaw, rel=0.05)
    np.testing.assert_array_equal(T[:, 2, 3], 0.004)


def test_a_score_says_which_noise_it_had(cache):
    record = score(grasp(angle=ACROSS), BAR, GET, NOMINAL, Seed((3, 4), (5,)), cache)
    assert record["seed"] == {"entropy": [3, 4], "spawn_key": [5]}
    displaced = noisy(grasp(angle=ACROSS), Seed((3, 4), (5,)).rng(), NOISE)
    np.testing.assert_array_equal(record["T_table_gripper"], displaced.T_table_gripper)
    json.dumps(record, allow_nan=False)


def test_a_filmstrip_shows_every_phase(held, tmp_path):
    filmstrip(held, BAR, GET, tmp_path / "film.png")
    assert (tmp_path / "film.png").read_bytes().startswith(b"\x89PNG")
    figure = picture(held, BAR, GET)
    assert [axes.get_title() for axes in figure.axes[: len(Phase)]] == [phase.value for phase in Phase]
    assert "slips at" in figure.get_suptitle()
