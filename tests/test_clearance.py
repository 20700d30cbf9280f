"""Clearance: verdicts against sampled motion and the Flexible Collision Library, scenes of known answer, laws, bad input."""

from dataclasses import replace

import numpy as np
import pytest
import shapely
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from shapely.affinity import rotate, translate

pytest.importorskip("fcl")

from grasp import Clearance, Gripper, InvalidValue, Obstacle, Reason, Surroundings, presets
from grasp.attempts import attempts, first_clear
from grasp.clearance import check
from grasp.frames import pose_top_down, transform_points
from grasp.linkage import advance, greatest_advance
from grasp.spacing import pitch
from grasp.strict import build
from grasp.sweeps import arriving
from tests.prisms import OUTLINES, prism, solid_meets

GET, R85, R140 = (Gripper.preset(name) for name in ("get", "robotiq_2f85", "robotiq_2f140"))
RULES = Clearance.preset()
CLOSE = replace(RULES, obstacle=0.0, table=0.0)
MM = 1e-3


def down(x=0.0, y=0.0, angle=0.0, z=0.01):
    """Return one top-down pose."""
    return pose_top_down([[x, y]], [angle], [z])


def among(*obstacles, forbidden=()):
    return Surroundings(obstacles, forbidden)


def block(name, low_x, high_x, high=0.05, low=0.0):
    """Return an obstacle 200 mm long in y."""
    return Obstacle(name, shapely.box(low_x, -0.1, high_x, 0.1), low, high)


# ---- check against sampled motion -----------------------------------------------------------------------------------


def sampled(gripper, T, opening, closed, solids, stand_off, moments=30):
    """Tell whether the gripper enters the table or a prism at any of so many moments on its way in and while it closes."""
    way_in = [(T @ _along(-back), arriving(gripper, opening), False) for back in np.linspace(stand_off, 0, moments)]
    way_shut = [
        (T @ _along(advance(gripper, now) - advance(gripper, opening)), arriving(gripper, now), True)
        for now in np.linspace(opening, closed, moments)
    ]
    for pose, parts, shuts in way_in + way_shut:
        corners = parts.corners(pose)[parts.closing != 0] if shuts else parts.corners(pose)
        if corners[..., 2].min() < 0 or any(solid_meets(c, solid) for solid in solids for c in corners):
            return True
    return False


def _along(z):
    T = np.eye(4)
    T[2, 3] = z
    return T


@pytest.mark.parametrize("gripper", [GET, R85], ids=lambda g: g.name)
def test_verdicts_against_sampled_motion(gripper):
    """With margins of 0: what the samples meet is not clear; what they do not meet is missed by little between samples."""
    rng, rules, hits = np.random.default_rng(8), replace(CLOSE, stand_off=0.05), []
    for _ in range(40):
        others = []
        for i in range(3):
            angle, away = rng.uniform(-np.pi, np.pi), rng.uniform(0.06, 0.12)
            outline = rotate(list(OUTLINES.values())[rng.integers(4)], rng.uniform(0, 360))
            place = translate(outline, away * np.cos(angle), away * np.sin(angle))
            others.append(Obstacle(f"block {i}", place, 0.0, rng.uniform(0.01, 0.1)))
        variants = attempts(down(angle=rng.uniform(-np.pi, np.pi), z=rng.uniform(0.002, 0.05))[0], rng.uniform(-0.5, 0.5, 1))
        T, opening = variants[rng.choice([0, 4])], rng.uniform(0.05, gripper.max_opening)
        closed = rng.uniform(0.3, 1) * opening
        cleared = check(rules, gripper, T[None], opening, closed, among(*others))
        solids = [prism(other.polygon, other.low, other.high) for other in others]
        hits.append(sampled(gripper, T, opening, closed, solids, rules.stand_off))
        assert not (hits[-1] and cleared.clear[0]), "what the samples meet is not clear"
        assert hits[-1] or cleared.shortfall[0] < 1.5 * MM, cleared.sentence(0)  # samples are up to 1.7 mm apart
    assert 0.2 < np.mean(hits) < 0.9


# ---- known scenes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gripper", [GET, R85, R140], ids=lambda g: g.name)
@pytest.mark.parametrize("height", [0.005, 0.02, 0.05, 0.1])
def test_a_row_at_the_pitch_is_just_clear_and_a_millimetre_less_is_a_millimetre_short(gripper, height):
    width, margin = 0.030, 0.010
    opening, least = width + 2 * margin, float(pitch(gripper, width, margin, height))
    for spacing, short in ((least, 0.0), (least + MM, 0.0), (least - MM, MM)):
        row = [block(f"at {x:g}", x - width / 2, x + width / 2, height) for x in (-spacing, spacing)]
        cleared = check(CLOSE, gripper, down(z=1e-7), opening, opening, among(*row))
        assert cleared.shortfall[0] == pytest.approx(short, abs=1e-9)
        assert cleared.clear[0] == (short == 0)


def test_a_quarter_turn_takes_the_gripper_out_of_a_row_and_is_tried_first():
    row = [Obstacle(name, shapely.box(x - 0.02, -0.02, x + 0.02, 0.02), 0, 0.06) for name, x in (("a", -0.06), ("b", 0.06))]
    found, cleared = first_clear(RULES, R85, down(z=0.01)[0], 0.06, 0.04, among(*row))
    assert not cleared.clear[0] and cleared.nearest == 1
    np.testing.assert_allclose(found, down(angle=-np.pi / 2, z=0.01)[0], atol=1e-15)  # z points down: clockwise from above
    across = [replace(item, polygon=rotate(item.polygon, 90, origin=(0, 0))) for item in row]
    nothing, cleared = first_clear(RULES, R85, down(z=0.01)[0], 0.06, 0.04, among(*row, *across))
    assert nothing is None and len(cleared.reason) == 20


def test_a_tilt_takes_the_base_past_a_tall_wall():
    wall = Obstacle("wall", shapely.box(-0.2, 0.030, 0.2, 0.034), 0.0, 0.25)  # 30 mm to the side of the finger plane
    found, cleared = first_clear(replace(RULES, table=0.0), R85, down(z=0.02)[0], 0.05, 0.03, among(wall))
    assert cleared.part[0] == "base" and found is not None
    assert found[2, 2] > -0.99 and found[1, 2] > 0  # it comes in leaning away, so its base stands off the wall


def test_closing_drives_the_fingertips_of_a_2f85_into_the_table():
    """Robotiq's manual: 149.3 mm long when open, 162.8 mm when closed; arriving 5 mm above the table is not enough."""
    cleared = check(RULES, R85, down(z=0.005), 0.085, 0.0, among())
    deepest = float(greatest_advance(R85, 0.085, 0.0))
    assert deepest == pytest.approx(0.0135, abs=3e-4) and deepest >= 0.0135
    assert cleared.reason[0] == Reason.HITS_TABLE.code and cleared.closes[0]
    assert cleared.shortfall[0] == pytest.approx(0.002 + deepest - 0.005)
    said = "jaw finger would enter the table by 8.7 mm while it closes; 2 mm of room are asked for."
    assert cleared.sentence(0).endswith(said)
    enough = check(RULES, R85, down(z=0.002 + deepest), 0.085, 0.0, among())
    assert enough.clear[0]
    assert check(RULES, GET, down(z=0.005), 0.095, 0.0, among()).clear[0]  # straight jaws do not advance


def test_opening_no_wider_than_needed_spares_most_of_the_advance():
    wide, narrow = check(RULES, R85, down(z=0.005).repeat(2, 0), [0.085, 0.040], 0.020, among()).shortfall
    assert wide > 8 * MM and narrow == 0


def test_what_is_told_and_which_is_worst():
    neighbour = block("mug", 0.060, 0.1)
    said = "The narrow jaw finger would come 3.5 mm closer than 5 mm to the mug on its way in."
    assert check(RULES, GET, down(), 0.095, 0.04, among(neighbour)).sentence(0) == said
    deeper = check(RULES, GET, down(), 0.095, 0.04, among(block("mug", 0.056, 0.1), block("box", -0.1, -0.0565)))
    said = "The narrow jaw finger would enter the mug by 2.5 mm on its way in; 5 mm of room are asked for."
    assert deeper.sentence(0) == said
    assert deeper.reason[0] == Reason.APPROACH_BLOCKED.code
    assert deeper.nearest_miss == {Reason.APPROACH_BLOCKED: {"shortfall_mm": pytest.approx(7.5)}}
    assert check(RULES, GET, down(), 0.095, 0.04, among()).sentence(0) == ""


def test_a_finger_is_stopped_by_what_stands_between_the_jaws():
    post = Obstacle("post", shapely.box(0.028, -0.003, 0.034, 0.003), 0.0, 0.02)
    cleared = check(RULES, GET, down(), 0.095, 0.02, among(post))
    assert cleared.reason[0] == Reason.CLOSING_BLOCKED.code and cleared.closes[0]
    assert check(RULES, GET, down(), 0.095, 0.08, among(post)).clear[0]  # the fingers stop before they reach it


def test_an_overhang_is_met_on_the_way_in_though_the_place_is_free():
    beam = block("beam", 0.03, 0.10, low=0.13, high=0.15)  # the palm's top arrives at 115 mm
    cleared = check(RULES, GET, down(z=0.01), 0.08, 0.04, among(beam))
    assert (cleared.reason[0], cleared.part[0]) == (Reason.APPROACH_BLOCKED.code, "palm")
    assert check(replace(RULES, stand_off=1e-3), GET, down(z=0.01), 0.08, 0.04, among(beam)).clear[0]


def test_forbidden_regions_may_not_even_be_touched():
    region = Obstacle("label", shapely.box(0.0585, -0.1, 0.1, 0.1), 0.0, 0.05)  # flush with the back of the narrow finger
    touching = replace(CLOSE, forbidden=0.0)
    assert check(touching, GET, down(), 0.095, 0.04, among(region)).clear[0]  # as an obstacle it may be
    cleared = check(touching, GET, down(), 0.095, 0.04, among(forbidden=(region,)))
    assert cleared.reason[0] == Reason.FORBIDDEN_REGION.code and cleared.shortfall[0] == pytest.approx(0, abs=1e-12)
    on_object = Obstacle("label", shapely.box(0.0, -0.004, 0.019, 0.004), 0.0, 0.05)
    cleared = check(RULES, GET, down(), 0.06, 0.04, among(forbidden=(on_object,)))
    assert cleared.closes[0]
    assert cleared.sentence(0).startswith("The narrow jaw finger would come 4.0 mm closer than 5 mm to the label while")


# ---- laws -----------------------------------------------------------------------------------------------------------


def scene(rng, n=60):
    """Return poses, upright and tilted, and four things around them of which two are forbidden."""
    poses = attempts(pose_top_down(rng.normal(0, 0.01, (n, 2)), rng.uniform(-3, 3, n), rng.uniform(0, 0.05, n)), [0.3])
    around = [translate(OUTLINES[name], *at) for name, at in (("square", (0.08, 0)), ("ell", (0, 0.1)), ("disc", (-0.1, 0)))]
    others = [Obstacle(f"block {i}", place, 0.0, 0.03 + 0.02 * i) for i, place in enumerate(around)]
    label = Obstacle("label", translate(OUTLINES["sliver"], 0, -0.08), 0.0, 0.02)
    return poses[np.arange(n), rng.integers(0, 8, n)], among(*others[:2], forbidden=(others[2], label))


def test_moving_and_turning_everything_changes_nothing():
    T, around = scene(np.random.default_rng(9))
    turn, move = 0.7, (0.3, -0.2)
    M = np.eye(4)
    M[:2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
    M[:2, 3] = move
    placed = [
        tuple(replace(o, polygon=translate(rotate(o.polygon, turn, origin=(0, 0), use_radians=True), *move)) for o in group)
        for group in (around.obstacles, around.forbidden)
    ]
    here = check(RULES, R85, T, 0.06, 0.03, around)
    there = check(RULES, R85, M @ T, 0.06, 0.03, Surroundings(*placed))
    np.testing.assert_allclose(there.shortfall, here.shortfall, atol=1e-9)
    np.testing.assert_array_equal(there.reason, here.reason)
    assert len(np.unique(here.reason)) >= 4


def test_a_batch_is_its_poses_one_by_one():
    T, around = scene(np.random.default_rng(10), 12)
    whole = check(RULES, R85, T, np.linspace(0.04, 0.085, 12), 0.03, around)
    for i in range(12):
        one = check(RULES, R85, T[i : i + 1], np.linspace(0.04, 0.085, 12)[i], 0.03, around)
        assert (one.reason[0], one.shortfall[0], one.sentence(0)) == (whole.reason[i], whole.shortfall[i], whole.sentence(i))
    assert len(check(RULES, R85, T[:0], 0.06, 0.03, around).reason) == 0


def test_more_room_asked_for_or_more_around_never_clears():
    T, around = scene(np.random.default_rng(11), 200)
    base = check(RULES, R85, T, 0.06, 0.03, around)
    for stricter in ({"obstacle": 0.008}, {"table": 0.01}, {"forbidden": 0.009}, {"stand_off": 0.2}):
        assert (check(replace(RULES, **stricter), R85, T, 0.06, 0.03, around).shortfall >= base.shortfall - 1e-9).all()
    fewer = check(RULES, R85, T, 0.06, 0.03, Surroundings(around.obstacles))
    assert (fewer.shortfall <= base.shortfall + 1e-12).all() and (fewer.clear | ~base.clear).all()
    assert 0.05 < base.clear.mean() < 0.95


def test_equal_jaws_do_not_mind_half_a_turn_and_others_do():
    T, around = scene(np.random.default_rng(12), 100)
    turned = attempts(T, [])[:, 2]
    same = check(RULES, R85, T, 0.06, 0.03, around).shortfall, check(RULES, R85, turned, 0.06, 0.03, around).shortfall
    np.testing.assert_allclose(*same, atol=1e-9)
    other = check(RULES, GET, T, 0.06, 0.03, around).shortfall, check(RULES, GET, turned, 0.06, 0.03, around).shortfall
    assert np.abs(other[0] - other[1]).max() > MM


def test_attempts_keep_the_fingertips_and_come_in_the_order_asked_for():
    T = down(0.1, 0.2, 0.3, 0.04)[0]
    tried = attempts(T, [0.2, -0.2])
    assert tried.shape == (12, 4, 4)
    np.testing.assert_array_equal(tried[0], T)
    np.testing.assert_allclose(tried[:, :3, 3], np.tile(T[:3, 3], (12, 1)), atol=1e-15)
    approach = np.degrees(np.arccos(-tried[:, 2, 2]))
    np.testing.assert_allclose(approach, np.repeat([0, np.degrees(0.2), np.degrees(0.2)], 4), atol=1e-6)
    np.testing.assert_allclose(tried[:4, :3, 0] @ T[:3, 0], [1, 0, -1, 0], atol=1e-15)
    np.testing.assert_allclose(tried[4:8, :3, 0], tried[:4, :3, 0], atol=1e-15)  # a tilt keeps the closing axis
    above = transform_points(tried[:4], [[0, 0, -1.0]])
    np.testing.assert_allclose(above, np.broadcast_to(T[:3, 3] + [0, 0, 1], above.shape), atol=1e-12)
    np.testing.assert_array_equal(attempts(np.stack([T, T]), [0.2]), np.stack([attempts(T, [0.2])] * 2))


# ---- input ----------------------------------------------------------------------------------------------------------


def test_there_is_one_preset_and_its_keys_are_checked():
    assert presets.names("clearance") == ["default"]
    np.testing.assert_allclose(np.degrees(RULES.tilts), [15, -15, 30, -30], atol=1e-4)
    with initialize_config_dir(str(presets.CONF), version_base=None):
        composed = compose(overrides=["+clearance=default"]).clearance
    assert instantiate(composed, _convert_="all") == RULES
    with pytest.raises(InvalidValue, match="clearance: key = 'tabel'"):
        _built({"tabel": 0.1})


def _built(change):
    return build(Clearance, presets.read("clearance", "default") | change, "clearance")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"obstacle": -1e-3}, "clearance.obstacle = -0.001"),
        ({"stand_off": 0.0}, "clearance.stand_off = 0.0"),
        ({"table": "low"}, "clearance.table = 'low'"),
        ({"tilts": [0.1, np.nan]}, r"clearance.tilts\[1\] = nan"),
    ],
)
def test_rules_out_of_range_are_refused_by_name(change, named):
    with pytest.raises(InvalidValue, match=named):
        _built(change)


def test_poses_and_openings_that_are_none_are_refused_by_name():
    with pytest.raises(InvalidValue, match=r"opening\[1\] = 0.1 must be between 0 and 0.095 m, the range of get"):
        check(RULES, GET, down().repeat(2, 0), [0.05, 0.1], 0.02, among())
    with pytest.raises(InvalidValue, match=r"closed_opening\[0\] = 0.06"):
        check(RULES, GET, down(), 0.05, 0.06, among())
    with pytest.raises(InvalidValue, match="opening"):
        check(RULES, GET, down(), np.nan, 0.0, among())
    with pytest.raises(InvalidValue, match=r"T_table_gripper\[0"):
        check(RULES, GET, 2 * np.eye(4)[None], 0.05, 0.02, among())
    with pytest.raises(InvalidValue, match=r"T_table_gripper.shape = \(4, 4\) must be \(n, 4, 4\)"):
        check(RULES, GET, np.eye(4), 0.05, 0.02, among())
    with pytest.raises(InvalidValue, match=r"closed_opening.shape = \(2,\) must be \(\) or \(1,\)"):
        check(RULES, GET, down(), 0.05, [0.02, 0.03], among())
