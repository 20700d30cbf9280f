"""Rules from a profile: named objects, refusals, laws, and seeded families held against the true solid by dense sampling."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hydra import compose, initialize_config_dir

from baselines.profile import ProfileRules
from baselines.profile_answer import answer, ranked
from baselines.profile_around import Around
from baselines.profile_draw import draw
from baselines.profile_mass import centre, solid_centre
from baselines.profile_parts import LEVEL, TOP_DOWN
from baselines.profile_read import Seen
from baselines.profile_rules import Forbidden, Rule
from baselines.profile_shape import Band, Profile
from experiments.schema import build
from grasp import Gripper, InvalidValue, Plan, Provenance, Reason, Refusal, Seed, View, from_json, presets, to_json
from grasp.frames import invert, position, transform_points
from grasp.jaw import Box
from grasp.solids import boxes
from tests.turned import BOTTLE, CUP, FAMILIES, GOBLET, NAMED, STROKE, VASE, Turned, objects, sphere

PLANNER = ProfileRules.preset()
GRIPPERS = ("get", "two_narrow", "two_wide")
SCALE = 2000  # pixels per metre of side masks


def planned(turned, planner=PLANNER, **pose):
    return planner.plan(turned.view(**pose), np.random.default_rng(0))


def seen_as(turned):
    return Seen(Profile(turned.heights, 2 * turned.radii), np.zeros(2))


def answers(turned, planner=PLANNER):
    return {found.rule.name: found for found in planner.answers(seen_as(turned))}


def only(name, planner=PLANNER, **changes):
    rules = tuple(replace(rule, **changes) for rule in planner.rules if rule.name == name)
    return replace(planner, rules=rules)


def held_at(found):
    return float(found.held.height[found.chosen])


def cylinder(width, height):
    return Turned.of_mm((0, width), (height, width))


# ---- named objects -----------------------------------------------------------------------------------------------------


def test_a_goblet_is_held_at_its_stem_from_the_side():
    """In the middle of the parallel stem, 12 to 82 mm high and 10 mm across; the flares belong to the band up to 12.9 mm."""
    plan = planned(GOBLET, at=(0.1, 0.2))
    assert plan.best.sampler == "stem"
    np.testing.assert_allclose(plan.best.T_table_gripper[:3, :3], [[1, 0, 0], [0, 0, 1], [0, -1, 0]], atol=1e-12)
    at = plan.best.contacts
    assert at.made.all()
    np.testing.assert_allclose(at.points[:, 0], 0.1 + np.array([-0.005, -0.005, 0.005]), atol=2e-4)
    np.testing.assert_allclose(at.points[:, 1], 0.2, atol=2e-4)
    np.testing.assert_allclose(at.normals, [[1, 0, 0], [1, 0, 0], [-1, 0, 0]], atol=1e-9)
    np.testing.assert_allclose(at.points[:, 2] - at.points[2, 2], [0.015, -0.015, 0], atol=1e-6)
    assert at.points[2, 2] == pytest.approx(0.047, abs=0.002)
    assert plan.best.opening == pytest.approx(0.020, abs=1e-4)


def test_the_bowl_blocks_a_goblets_stem_from_the_top():
    """Fingers that are beside the stem touch the bowl first; the bowl of a tall goblet meets the palm even before."""
    (tall,) = only("stem").answers(seen_as(GOBLET))
    assert tall.held.approach == LEVEL
    assert Reason.GRIPPER_IN_OBJECT in tall.funnel.rejected
    low = Turned.of_mm((0, 50), (3, 50), (8, 10), (45, 10), (52, 50), (75, 60))
    (stem,) = only("stem").answers(seen_as(low))
    assert Reason.CLOSING_BLOCKED in stem.funnel.rejected
    around = Around(seen_as(low).profile, PLANNER.gripper, PLANNER.needs, PLANNER.judge.friction, ())
    assert around.places(TOP_DOWN, np.array([0.02])).patch.height[0, 0] > 0.07


def test_a_wide_jaw_straddles_a_thin_stem_from_the_top_but_not_from_the_side():
    """Its pads begin 10 mm off the middle, so from the top they miss what is 20 mm across or less."""
    for width, hit in ((19.8, False), (20.2, True)):
        around = Around(seen_as(cylinder(width, 60)).profile, PLANNER.gripper, PLANNER.needs, 0.75, ())
        top, side = (around.places(approach, np.array([0.03])) for approach in (TOP_DOWN, LEVEL))
        assert (top.code[0] == Reason.OK.code, side.code[0]) == (hit, Reason.OK.code)
        assert hit or (top.code[0] == Reason.ONE_SIDED.code and top.short[0] == pytest.approx(0.0001))


def test_contacts_of_a_straddling_jaw_lie_on_the_circle():
    plan = planned(sphere(0.035, 0.05), at=(0.02, -0.01))
    at = plan.best.contacts.points - [0.02, -0.01, 0]
    np.testing.assert_allclose(np.hypot(at[:, 0], at[:, 1]), 0.035, atol=3e-4)
    np.testing.assert_allclose(at[:, 1], [0.010, -0.010, 0], atol=2e-5)  # the first pad of a jaw is the left one
    wide = np.sqrt(0.035**2 - 0.01**2)
    assert plan.best.opening == pytest.approx(0.035 + wide + 0.01, abs=5e-4)
    assert position(plan.best.T_table_gripper)[0] - 0.02 == pytest.approx((0.035 - wide) / 2, abs=1e-4)


def test_almost_a_sphere_is_held_at_its_equator():
    ball = sphere(0.035, 0.05)
    found = answers(ball)
    for name in ("flat", "belly", "wall"):
        assert held_at(found[name]) == pytest.approx(ball.heights[ball.radii.argmax()], abs=3e-4)


def test_a_bottle_is_held_in_the_body_from_the_side_and_at_the_neck():
    plan = planned(BOTTLE)
    assert [grasp.sampler for grasp in plan.grasps] == ["flat", "neck"]  # belly and wall say the same as flat
    body, neck = (grasp.contacts.points[:, 2].mean() for grasp in plan.grasps)
    assert body == pytest.approx(BOTTLE.centre + PLANNER.needs.hang, abs=1e-3)
    assert 0.14 < neck < 0.195


def test_a_vase_widest_at_the_bottom_is_held_above_its_centre_from_the_top():
    plan = planned(VASE)
    assert plan.best.T_table_gripper[2, 2] == -1
    at = plan.best.contacts
    assert VASE.centre < at.points[0, 2] < VASE.centre + 0.01
    slope = (37 - 26) / 50  # of the wall from 40 to 90 mm
    np.testing.assert_allclose(np.arctan2(-at.normals[:, 2], np.hypot(*at.normals[:, :2].T)), np.arctan(slope), atol=0.01)


def test_a_cup_held_by_its_rim_alone_is_refused_for_the_rim():
    refusal = planned(CUP)
    assert refusal.reason is Reason.FORBIDDEN_REGION
    assert "It is widest at its top." in refusal.detail
    assert isinstance(planned(CUP, replace(PLANNER, forbidden=())), Plan)


# ---- the stroke, friction, forbidden heights, centre of mass -----------------------------------------------------------


@pytest.mark.parametrize(("width", "fits"), [(92.9, True), (93.1, False)])
def test_the_edge_of_the_stroke_leaves_the_least_margin(width, fits):
    (found,) = only("flat").answers(seen_as(cylinder(width, 120)))
    assert (found.places is not None) == fits
    if fits:
        assert found.held.opening[found.chosen] == pytest.approx(STROKE)
    else:
        assert found.misses[Reason.TOO_WIDE]["short_mm"] == pytest.approx(0.1)


@pytest.mark.parametrize(("opening", "fits"), [(0.0299, True), (0.0301, False)])
def test_the_other_end_of_the_stroke(opening, fits):
    planner = replace(PLANNER, gripper=replace(PLANNER.gripper, min_opening=opening))
    (found,) = only("flat", planner, width=(0.0, 1.0)).answers(seen_as(cylinder(30, 120)))
    assert (found.places is not None) == fits
    assert fits or found.misses[Reason.TOO_NARROW]["short_mm"] == pytest.approx(0.1)


def test_thresholds_of_a_rule_are_those_of_the_gripper():
    """4 and 40 mm of a stroke of 95 mm; twice that where the gripper opens twice as wide."""
    (stem,) = only("stem").rules
    assert np.allclose(stem.widths(PLANNER.gripper), (0.004, 0.040), atol=1e-4)
    assert np.allclose(stem.widths(replace(PLANNER.gripper, max_opening=0.19)), (0.008, 0.080), atol=2e-4)
    thick = Turned.of_mm((0, 70), (3, 70), (10, 42), (100, 42), (120, 80), (160, 70))
    (found,) = only("stem").answers(seen_as(thick))
    assert found.misses[Reason.TOO_WIDE]["short_mm"] == pytest.approx(42 - 0.42 * 95)


@pytest.mark.parametrize(("lean", "holds"), [(31.0, True), (32.5, False)])
def test_walls_must_lie_in_the_friction_cone_by_the_margin(lean, holds):
    """Friction 0.75 is 36.87 degrees, less 5."""
    top = 90 - 2 * 50 * np.tan(np.radians(lean))
    cone = Turned.of_mm((0, 90), (50, top))
    (found,) = only("wall", replace(PLANNER, forbidden=())).answers(seen_as(cone))
    assert (found.places is not None) == holds
    assert holds or found.misses[Reason.NOT_ANTIPODAL]["short_deg"] == pytest.approx(lean - 31.87, abs=0.01)


def test_own_forbidden_heights_are_kept_off():
    label = Forbidden("label", "bottom", 0.05, 0.1)
    (found,) = only("flat", replace(PLANNER, forbidden=(*PLANNER.forbidden, label))).answers(seen_as(cylinder(60, 200)))
    low, high = np.ptp(found.held.patch.height[found.chosen]), held_at(found)
    assert low > 0.02
    assert abs(high - 0.075) >= 0.025 + 0.02 - 1e-6  # half the label, and the outer edge of the wide jaw


def test_held_below_the_centre_of_mass_only_where_it_must_and_then_said_and_last():
    heavy = Turned.of_mm((0, 40), (100, 40), (101, 90), (140, 90))
    region = Forbidden("head", "top", 0.0, 0.04)
    planner = replace(PLANNER, forbidden=(region,))
    found = answers(heavy, planner)["flat"]
    assert found.below
    assert "below the centre of mass" in found.sentence
    assert "tips rather than hangs" in found.sentence
    assert not answers(heavy)["belly"].below
    assert [a.below for a in ranked(answers(heavy).values())] == sorted(a.below for a in answers(heavy).values() if a.places)
    refused = answers(heavy, only("flat", planner, centre="require"))["flat"]
    assert refused.places is None
    assert "below the centre of mass or too far from it" in refused.sentence


def test_a_vessel_has_its_mass_higher_or_lower_than_a_solid():
    notes = replace(PLANNER, matter="vessel").notes(CUP.view())
    profile = seen_as(CUP).profile
    assert centre(profile, "vessel") != pytest.approx(solid_centre(profile), abs=1e-3)
    assert f"{centre(profile, 'vessel') * 1e3:.1f} mm above the table, that of a vessel body" in notes[0]


def test_no_grasp_is_further_from_the_centre_of_mass_than_its_rule_allows():
    tall = Turned.of_mm((0, 40), (130, 40), (131, 120), (200, 120))
    (far,) = only("flat", arm=0.2).answers(seen_as(tall))
    assert far.places is None
    (near,) = only("flat", arm=1.0).answers(seen_as(tall))
    assert abs(held_at(near) - tall.centre) <= 0.095


# ---- laws --------------------------------------------------------------------------------------------------------------


def enlarged(planner, scale):
    """Return the planner with every length of gripper, needs, reading and forbidden heights multiplied."""
    g = planner.gripper
    jaws = {
        side: replace(jaw, pads=tuple(replace(p, **{k: v * scale for k, v in vars(p).items()}) for p in jaw.pads))
        for side, jaw in (("wide", g.wide), ("narrow", g.narrow))
    }
    lengths = ("min_opening", "max_opening", "tolerance", "finger_length", "pad_thickness", "backing_thickness")
    bodies = tuple(Box(b.name, tuple(np.multiply(b.centre, scale)), tuple(np.multiply(b.size, scale))) for b in g.bodies)
    gripper = replace(g, **jaws, bodies=bodies, **{name: getattr(g, name) * scale for name in lengths})
    plain = ("cone_margin", "heading")
    needs = replace(planner.needs, **{k: v * scale for k, v in vars(planner.needs).items() if k not in plain})
    forbidden = tuple(replace(f, start=f.start * scale, stop=f.stop * scale) for f in planner.forbidden)
    return replace(planner, gripper=gripper, needs=needs, forbidden=forbidden)


@pytest.mark.parametrize("scale", [0.5, 3.0])
@pytest.mark.parametrize("name", NAMED)
def test_all_lengths_scale(name, scale):
    turned = NAMED[name]
    larger = Turned(turned.heights * scale, turned.radii * scale)
    for small, large in zip(answers(turned).values(), answers(larger, enlarged(PLANNER, scale)).values(), strict=True):
        assert (small.places is None) == (large.places is None)
        if small.places is not None:
            assert held_at(large) == pytest.approx(scale * held_at(small), abs=1e-6)
            assert large.held.opening[large.chosen] == pytest.approx(scale * small.held.opening[small.chosen], abs=1e-6)


@pytest.mark.parametrize("heading", [0.0, 1.0, np.pi, -2.5])
def test_place_and_heading_move_the_grasp_and_nothing_else(heading):
    planner = replace(PLANNER, needs=replace(PLANNER.needs, heading=heading))
    made_by = Provenance("profile", "get", Seed(0), {}, {})
    for turned in (GOBLET, VASE):
        seen = seen_as(turned)
        moved = replace(seen, axis=np.array([0.3, -0.4]))
        plans = PLANNER.on_profile(seen, made_by), planner.on_profile(moved, made_by)
        for here, there in zip(*(plan.grasps for plan in plans), strict=True):
            turn = np.eye(4)
            turn[:2, :2] = [[np.cos(heading), -np.sin(heading)], [np.sin(heading), np.cos(heading)]]
            turn[:2, 3] = 0.3, -0.4
            np.testing.assert_allclose(there.T_table_gripper, turn @ here.T_table_gripper, atol=1e-12)
            np.testing.assert_allclose(there.contacts.points, transform_points(turn, here.contacts.points), atol=1e-12)


def test_friction_and_fewer_forbidden_heights_never_cost_a_place():
    for turned in NAMED.values():
        kept = []
        for friction in (0.1, 0.3, 0.75, 1.5):
            planner = replace(PLANNER, judge=replace(PLANNER.judge, friction=friction))
            found = planner.answers(seen_as(turned))
            free = replace(planner, forbidden=()).answers(seen_as(turned))
            kept.append([a.funnel.kept for a in found])
            assert all(a.funnel.kept <= b.funnel.kept for a, b in zip(found, free, strict=True))
        assert (np.diff(kept, axis=0) >= 0).all()


# ---- families ----------------------------------------------------------------------------------------------------------


def grid(low, high, spacing=0.002):
    """Return points (n, 3) of a box, its corners among them."""
    axes = [np.linspace(a, b, int(np.ceil((b - a) / spacing)) + 1) for a, b in zip(low, high, strict=True)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3)


def depth(turned, axis, points):
    """Return how deep points (n, 3) of the table frame lie beside the surface of the true solid, metres."""
    return turned.radius(points[:, 2]) - np.linalg.norm(points[:, :2] - axis, axis=1)


def first_touch(turned, axis, grasp, corners):
    """Return, at dense points of upright faces, how far along the closing axis from the solid's axis they touch."""
    low, high = corners
    at = transform_points(grasp.T_table_gripper, grid([0, *low[1:]], [0, *high[1:]], 0.001))
    closing = grasp.T_table_gripper[:2, 0]
    off = at[:, :2] - axis
    aside = off - (off @ closing)[:, None] * closing
    inside = turned.radius(at[:, 2]) ** 2 - (aside**2).sum(1)
    return np.where(inside > 0, np.sqrt(np.maximum(inside, 0)), -np.inf), at[:, 2]


def check_grasp(turned, axis, grasp, gripper, forbidden, blur):
    """Assert of the true solid what a grasp promises; `blur` is what the reading may be off, in metres."""
    T, k = grasp.T_table_gripper, len(gripper.pads)
    found = boxes(gripper, grasp.opening)
    assert gripper.min_opening <= grasp.opening <= gripper.max_opening + 1e-12
    for centre_, size in zip(found.centre, found.size, strict=True):
        box = grid(centre_ - size / 2, centre_ + size / 2, 0.004)
        for back in (0.0, 0.02, 0.05, 0.1):
            points = transform_points(T, box - [0, 0, back])
            assert points[:, 2].min() >= PLANNER.needs.clearance - 1e-9
            assert depth(turned, axis, points).max() <= 0
    shift = (T[:2, 3] - axis) @ T[:2, 0]
    spans = list(zip(found.centre[:k] - found.size[:k] / 2, found.centre[:k] + found.size[:k] / 2, strict=True))
    touches = [first_touch(turned, axis, grasp, span) for span in spans]
    wide = np.array(gripper.is_wide)
    faces = [max(touches[i][0].max() for i in np.flatnonzero(side)) for side in (wide, ~wide)]
    assert abs(faces[0] + shift - (faces[1] - shift)) < 2 * blur  # both jaws touch at once
    for i, (reach, height) in enumerate(touches):
        face = faces[0 if wide[i] else 1]
        banned = np.zeros(len(height), bool)
        for band in forbidden:
            banned |= (height >= band.low) & (height <= band.high)
        assert reach[banned].max(initial=-np.inf) < face
    local = transform_points(invert(T), grasp.contacts.points)
    x = np.where(wide, -faces[0] - shift, faces[1] - shift)
    assert grasp.contacts.made.all()
    assert np.abs(local[:, 0] - x).max() < gripper.tolerance + 2 * blur
    assert np.abs(depth(turned, axis, grasp.contacts.points)).max() < 2 * blur


LONG = ("widest_at_the_bottom", "almost_a_sphere")  # of forty objects, some 6 s each
SHORT_AND_LONG = [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in FAMILIES]


@pytest.mark.parametrize("family", SHORT_AND_LONG)
def test_every_object_of_a_family_is_held_as_promised_or_refused_with_a_reason(family):
    held, made_by = 0, Provenance("profile", "get", Seed(0), {}, {})
    for turned in objects(family):
        seen = PLANNER.see(View.from_mask(turned.side_mask(SCALE), SCALE))
        result = PLANNER.on_profile(seen, made_by)
        assert set(result.funnels) == {rule.name for rule in PLANNER.rules}
        if isinstance(result, Refusal):
            assert result.reason is not Reason.OK
            assert all(f"{rule.name}: " in result.detail for rule in PLANNER.rules)
            continue
        held += 1
        profile = seen_as(turned).profile
        forbidden = [region.band(profile) for region in PLANNER.forbidden]
        for grasp in result.grasps:
            check_grasp(turned, np.zeros(2), grasp, PLANNER.gripper, forbidden, blur=2 / SCALE)
            (rule,) = (rule for rule in PLANNER.rules if rule.name == grasp.sampler)
            above = grasp.contacts.points[:, 2].mean() - turned.centre
            assert abs(above) <= rule.arm * STROKE + 2 / SCALE
            if above < -PLANNER.needs.give - 2 / SCALE:  # then that was said
                (found,) = (found for found in PLANNER.answers(seen) if found.rule is rule)
                assert "below the centre of mass" in found.sentence
    assert held >= 20  # the law must have been looked at


@pytest.mark.parametrize("gripper", GRIPPERS)
def test_meshes_are_held_as_promised_by_every_jaw(gripper):
    planner = ProfileRules.preset(gripper=gripper)
    for turned in (GOBLET, BOTTLE, VASE, objects("parallel")[0], objects("almost_a_sphere")[0]):
        result = planned(turned, planner, at=(0.05, 0.1))
        if isinstance(result, Plan):
            forbidden = [region.band(seen_as(turned).profile) for region in planner.forbidden]
            for grasp in result.grasps:
                check_grasp(turned, np.array([0.05, 0.1]), grasp, planner.gripper, forbidden, blur=0.0005)
    assert isinstance(planned(GOBLET, planner), Plan)


# ---- results and configuration -----------------------------------------------------------------------------------------


def test_plans_are_the_same_every_time_and_can_be_written():
    view = GOBLET.view()
    first, second = (to_json(PLANNER.plan(view, np.random.default_rng(3))) for _ in range(2))
    assert first == second
    assert to_json(from_json(first)) == first
    assert json.loads(first)["provenance"]["config"]["rules"][0]["name"] == "stem"
    assert isinstance(from_json(to_json(planned(CUP))), Refusal)


def test_what_is_no_body_of_revolution_is_a_refusal():
    refusal = PLANNER.plan(View.from_cloud(np.zeros((4, 3))), np.random.default_rng(0))
    assert (refusal.reason, refusal.funnels) == (Reason.VIEW_LACKS_INPUT, {})
    assert PLANNER.notes(View.from_cloud(np.zeros((4, 3)))) == ()


def test_notes_state_every_assumption():
    notes = PLANNER.notes(GOBLET.view())
    for rule in PLANNER.rules:
        (own,) = (note for note in notes if note.startswith(f"{rule.name}: "))
        assert (rule.assumption in own) == ("Assumed" in own)


def test_notes_say_where_it_gets_too_wide():
    funnel = Turned.of_mm((0, 20), (80, 20), (120, 115))
    assert "It is wider than the gripper opens from 111.6 mm above the table." in PLANNER.notes(funnel.view())


def test_a_rule_about_heights_without_an_object_refuses():
    needle = Seen(Profile([0.0, 0.06, 0.1], [0.04, 0.0, 0.0]), np.zeros(2))
    (found,) = only("flat", within=(0.8, 1.0)).answers(needle)
    assert found.sentence == "There is nothing between the heights that are meant."


def test_a_gripper_without_a_body_goes_deeper():
    free, tall = replace(PLANNER, forbidden=()), cylinder(60, 71)
    bare = replace(free, gripper=replace(free.gripper, bodies=()))
    (with_palm,), (without,) = (only("flat", planner).answers(seen_as(tall)) for planner in (free, bare))
    assert without.funnel.kept > with_palm.funnel.kept


def test_the_configuration_builds_the_preset():
    with initialize_config_dir(str(presets.CONF), version_base="1.3"):
        assert build(compose("plan", ["planner=profile"]).planner, "planner") == PLANNER


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"rules": ()}, "planner.rules"),
        ({"rules": PLANNER.rules[:1] * 2}, "planner.rules"),
        ({"matter": "jelly"}, "'jelly'"),
        ({"forbidden": ({"name": "rim"},)}, r"planner.forbidden\[0\]: missing key"),
    ],
)
def test_a_planner_that_cannot_be_is_named(change, named):
    with pytest.raises(InvalidValue, match=named):
        replace(PLANNER, **change)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"part": "handle"}, "rule stem: part"),
        ({"within": (0.5, 0.2)}, "rule stem: within"),
        ({"width": (0.5,)}, "rule stem: width"),
        ({"width": (0.5, "all")}, "rule stem: width"),
        ({"arm": -1}, "rule stem: arm"),
        ({"centre": "sometimes"}, "rule stem: centre"),
    ],
)
def test_a_rule_that_cannot_be_is_named(change, named):
    with pytest.raises(InvalidValue, match=named):
        replace(PLANNER.rules[0], **change)


@pytest.mark.parametrize("change", [{"end": "side"}, {"start": -0.1}, {"start": 0.2}])
def test_a_forbidden_region_that_cannot_be_is_named(change):
    with pytest.raises(InvalidValue, match="forbidden"):
        replace(Forbidden("rim", "top", 0.0, 0.005), **change)


def test_a_refusing_answer_has_no_places():
    (stem,) = only("stem").answers(seen_as(VASE))
    assert stem.sentence == "It is widest at its foot."
    with pytest.raises(InvalidValue, match="stem refuses"):
        _ = stem.held


def test_a_rule_of_ones_own():
    rule = Rule("mine", "It is hard.", "run", (0.5, 1.0), (0.0, 1.0), 0.1, 0.02, 1.0, "any")
    around = Around(seen_as(BOTTLE).profile, Gripper.preset("get"), PLANNER.needs, 0.75, (Band(0.19, 0.2),))
    found = answer(rule, around, BOTTLE.centre)
    assert held_at(found) == pytest.approx(0.17, abs=0.005)


@pytest.mark.parametrize("view", [GOBLET.view(), VASE.view(), CUP.view(), View.from_cloud(np.zeros((4, 3)))])
def test_every_answer_has_a_picture(view, tmp_path):
    draw(PLANNER.plan(view, np.random.default_rng(0)), view, PLANNER, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
