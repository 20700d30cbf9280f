"""Grip force: worked numbers in print, closed forms of off-centre weights, bounds and refusals, funnels, JSON."""

from dataclasses import replace

import numpy as np
import pytest

from baselines import BoundingBox
from get2d import Get2D
from get3d.planner import Get3D
from grasp import (
    Funnel,
    Grasp,
    GripForce,
    Gripper,
    InvalidValue,
    Load,
    Metrics,
    Plan,
    Provenance,
    Reason,
    Refusal,
    Seed,
    View,
    from_json,
    presets,
    sized,
    to_json,
)
from grasp.frames import pose_top_down
from grasp.strict import build
from objects.solid import Solid
from tests.polygons import bar
from wrench.contacts import Contacts
from wrench.sizing import pad_force

GET = Gripper.preset("get")
SOFT = replace(GET, min_force=1.0)  # so that what friction asks for is what is commanded
HARD = replace(SOFT, pad_torsion=0.0)  # hard points, for the closed forms of statics
NARROW = replace(Gripper.preset("two_narrow"), min_force=1.0)
LOAD = Load(mass=0.2, density=None, friction=0.4, gravity=9.81, acceleration=2.0, safety=1.0, damage_cap=None)
HALF = replace(LOAD, mass=0.5, friction=0.75, acceleration=0.0)
LEVEL = np.array([[0.0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0.05], [0, 0, 0, 1]])  # closes along y, comes in along x


def held(dimension, wide_pads=2, T=None, width=0.04):
    """Return a grasp of a plate by hard points, in the plane or in space, at the table's origin."""
    across = [0.0] if wide_pads == 1 else [-0.015, 0.015]
    own = np.array([[-width / 2, y, 0] for y in across] + [[width / 2, 0, 0]])
    facing = np.array([[1.0, 0, 0]] * wide_pads + [[-1.0, 0, 0]])
    T = pose_top_down([0.0, 0.0], 0.0, 0.01) if T is None else T
    points, normals = own @ T[:3, :3].T + T[:3, 3], facing @ T[:3, :3].T
    return Grasp(T, 0.06, Contacts.all_made(points[:, :dimension], normals[:, :dimension]), "edge", Metrics())


def plan_of(*grasps, sampled=9):
    funnels = {"edge": Funnel(sampled, {Reason.TOO_WIDE: sampled - len(grasps)}, len(grasps))}
    return Plan(grasps, funnels, None, Provenance("any", "get", Seed(0), {}, {}))


def force(grasp, load=LOAD, gripper=SOFT, centre=(0.0, 0.0)):
    return sized(plan_of(grasp), gripper, load, None, centre).best.force


def untouched(T=None):
    """Return a grasp whose planner has looked for no contact."""
    nothing = Contacts(np.zeros((3, 2)), np.zeros((3, 2)), np.zeros(3, bool))
    return Grasp(pose_top_down([0.0, 0.0], 0.0, 0.01) if T is None else T, 0.06, nothing, "edge", Metrics())


# ---- least force -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("grasp", [untouched(), held(2), held(3), held(3, T=LEVEL)], ids=["none", "plane", "space", "side"])
def test_two_hundred_grams_in_print(grasp):
    """200 g at friction 0.4, lifted at 2 m/s^2: 2.95 N per pad, and 8.85 N with S = 3; unrounded 2.9525 and 8.8575."""
    assert force(grasp).friction_bound == pytest.approx(2.9525, rel=1e-5)
    assert force(grasp, replace(LOAD, safety=3.0)).friction_bound == pytest.approx(8.8575, rel=1e-5)


@pytest.mark.parametrize("dimension", [2, 3])
def test_an_off_centre_weight_is_held_by_the_span_of_the_wide_jaw(dimension):
    """500 g, 30 mm off: 0.147 N m about the closing axis. Pads b = 15 mm off it resist mu F b, so F = 0.147 / (mu b).

    With the centre of mass above the narrow contact that one carries the weight, F = m g / mu, and the others only the turn.
    """
    for d in (0.0, 0.01, 0.015, 0.02, 0.03):
        expected = 0.5 * 9.81 / 0.75 * max(1, d / 0.015)
        assert force(held(dimension), HALF, HARD, (0.02, d)).friction_bound == pytest.approx(expected, rel=1e-5)
    assert 0.5 * 9.81 / 0.75 * 2 == pytest.approx(0.147 / (0.75 * 0.015), rel=2e-3)
    centred = force(held(dimension), HALF, HARD).friction_bound
    assert centred == pytest.approx(0.5 * 9.81 / (2 * 0.75), rel=1e-5)  # shared by both jaws


def test_the_further_off_the_more():
    forces = [force(held(3), HALF, HARD, (0, d)).friction_bound for d in (0, 0.005, 0.01, 0.015, 0.02, 0.03)]
    assert (np.diff(forces) >= -1e-6).all() and forces[-1] > 4 * forces[0]


def test_two_hard_points_hold_against_no_turn():
    hard = replace(NARROW, pad_torsion=0.0)
    answer = sized(plan_of(held(3, 1)), hard, HALF, None, (0, 0.03))
    assert isinstance(answer, Refusal) and answer.reason is Reason.NO_CLOSURE
    assert "However hard the jaws press, the weight turns the object about the line between the contacts" in answer.sentence
    assert sized(plan_of(held(3, 1)), hard, HALF, None, (0.01, 0)).best.force.friction_bound > 0


@pytest.mark.parametrize("grasp", [held(2, 1), held(3, 1), untouched()], ids=["plane", "space", "none"])
def test_two_pads_hold_a_turn_by_their_torsion(grasp):
    """Each of two pads carries half of the weight W and of its moment W d: F = W / 2 max(1 / mu, d / gamma)."""
    for d in (0.0, 0.001, 0.002, 0.005, 0.03):
        expected = 0.5 * 9.81 / 2 * max(1 / 0.75, d / NARROW.pad_torsion)
        assert force(grasp, HALF, NARROW, (0, d)).friction_bound == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("d", [0.0, 0.01, 0.03])
def test_torsion_helps_three_pads_as_well(d):
    """The wide pads press half of F each: with what they resist by their distance, F (mu b + 2 gamma) at the most."""
    soft, hard = (force(held(3), HALF, gripper, (0.02, d)).friction_bound for gripper in (SOFT, HARD))
    assert hard >= soft * (1 - 1e-6) and soft >= hard * 0.75 * 0.015 / (0.75 * 0.015 + 2 * SOFT.pad_torsion) * (1 - 1e-6)


@pytest.mark.parametrize("T", [pose_top_down([0.02, -0.01], 0.7, 0.01), LEVEL], ids=["down", "side"])
def test_where_no_contact_is_sought_the_pads_faces_carry_the_weight_and_its_moment(T):
    width = replace(untouched(T), opening=0.04)
    for centre in (T[:2, 3], T[:2, 3] + [0.004, 0.0], T[:2, 3] + [0.01, 0.02]):
        by_hand = force(held(3, T=T), HALF, SOFT, centre).friction_bound
        assert force(width, HALF, SOFT, centre).friction_bound == pytest.approx(by_hand, rel=1e-6)
    assert by_hand > 1.5 * force(width, HALF, SOFT, T[:2, 3]).friction_bound


def test_height_of_the_centre_of_mass_does_not_matter_and_more_load_takes_more():
    for z in (-0.1, 0.0, 0.3):
        assert force(held(3), centre=(0.003, 0.004, z)) == force(held(3), centre=(0.003, 0.004))
    base = force(held(3)).friction_bound
    for heavier in ({"mass": 0.3}, {"acceleration": 4.0}, {"safety": 1.5}, {"friction": 0.3}):
        assert force(held(3), replace(LOAD, **heavier)).friction_bound > base


def test_mass_is_density_times_volume_where_it_is_not_given():
    light = replace(LOAD, mass=None, density=500.0)
    answer = sized(plan_of(untouched()), SOFT, light, 0.2 / 500, (0, 0))
    assert answer.best.force == force(untouched())
    both = sized(plan_of(untouched()), SOFT, replace(light, mass=0.2), 17.0, (0, 0))
    assert both.best.force == force(untouched()), "a given mass comes first"
    unknown = sized(plan_of(untouched()), SOFT, light, None, (0, 0))
    assert unknown.reason is Reason.VIEW_LACKS_INPUT
    assert "The mass is not given" in unknown.sentence


# ---- bounds ----------------------------------------------------------------------------------------------------------


def test_command_is_the_least_force_or_the_least_setting():
    weak = force(untouched(), gripper=GET)
    assert (weak.command, weak.damage_bound, weak.gripper_min, weak.gripper_max, weak.most) == (20, None, 20, 235, 235)
    strong = force(untouched(), replace(LOAD, safety=8.0, damage_cap=40.0), GET)
    assert strong.command == strong.friction_bound == pytest.approx(23.62)
    assert (strong.damage_bound, strong.most) == (40.0, 40.0)


@pytest.mark.parametrize(
    ("changes", "reason", "said", "numbers"),
    [
        ({"damage_cap": 15.0}, Reason.DAMAGE_CAP, "the gripper's least; the object bears 15 N", {"limit_n": 15.0}),
        ({"safety": 50.0, "damage_cap": 60.0}, Reason.DAMAGE_CAP, "takes 147.6 N", {"needed_n": 147.625}),
        ({"safety": 90.0}, Reason.GRIP_SHORTFALL, "takes 265.7 N at each jaw; the gripper has 235 N", {"needed_n": 265.725}),
        ({"mass": 5.0}, Reason.LOAD_LIMIT, "The weight is 59.1 N with 0.000 N m", {"weight_n": 59.05, "limit_n": 50.0}),
    ],
)
def test_what_cannot_be_sized_is_refused_with_the_numbers(changes, reason, said, numbers):
    answer = sized(plan_of(untouched()), GET, replace(LOAD, **changes), None, (0, 0))
    assert isinstance(answer, Refusal) and answer.reason is reason
    assert said in answer.sentence
    assert answer.funnel == Funnel(9, {Reason.TOO_WIDE: 8, reason: 1}, 0)
    for name, value in numbers.items():
        assert answer.nearest_miss[reason][name] == pytest.approx(value, rel=1e-6)


def test_half_a_kilogram_30_mm_off_carries_0_147_newton_metres():
    """In print. About the approach axis of a level gripper they count against what the fingers may carry."""
    limits = {bound: replace(GET, external_moment_limit=bound) for bound in (0.1471, 0.1472)}
    answers = [sized(plan_of(untouched(LEVEL)), gripper, HALF, None, (0, 0.03)) for gripper in limits.values()]
    assert answers[0].reason is Reason.LOAD_LIMIT
    assert answers[0].nearest_miss[Reason.LOAD_LIMIT]["moment_nm"] == pytest.approx(0.14715)
    assert isinstance(answers[1], Plan)
    above = sized(plan_of(untouched()), limits[0.1471], HALF, None, (0, 0.03))
    assert isinstance(above, Plan), "from straight above, a weight has no torque about the approach"


def test_grasps_that_cannot_be_sized_leave_the_list_and_the_funnel_adds_up():
    far = pose_top_down([0.0, 0.4], 0.0, 0.01)
    plan = plan_of(held(3), held(3, T=far), held(2))
    answer = sized(plan, SOFT, replace(HALF, damage_cap=30.0), None, (0, 0))
    assert [grasp.contacts.dimension for grasp in answer.grasps] == [3, 2]
    assert answer.funnel == Funnel(9, {Reason.TOO_WIDE: 6, Reason.DAMAGE_CAP: 1}, 2)
    assert all(grasp.force.friction_bound <= grasp.force.command <= 30 for grasp in answer.grasps)


def test_grasps_are_sized_in_their_order_until_enough_are_kept():
    far = pose_top_down([0.0, 0.4], 0.0, 0.01)
    plan, load = plan_of(held(3, T=far), held(3), held(2), held(3, T=far)), replace(HALF, damage_cap=30.0)
    answer = sized(plan, SOFT, load, None, (0, 0), keep=1)
    assert [grasp.contacts.dimension for grasp in answer.grasps] == [3]
    assert answer.funnel.rejected[Reason.DAMAGE_CAP] == 1, "those after it are not looked at"
    assert answer.best.force == sized(plan, SOFT, load, None, (0, 0)).best.force


def test_a_refusal_keeps_nothing_whatever_was_not_in_the_list():
    plan = plan_of(untouched())
    plan = replace(plan, funnels={"edge": Funnel(9, {Reason.TOO_WIDE: 2}, 7)})
    answer = sized(plan, GET, replace(LOAD, damage_cap=15.0), None, (0, 0))
    assert answer.funnel == Funnel(9, {Reason.TOO_WIDE: 2, Reason.DAMAGE_CAP: 7}, 0)
    unknown = sized(plan, GET, replace(LOAD, mass=None, density=500.0), None, (0, 0))
    assert unknown.funnel.kept == 0


def test_refusal_names_what_befell_most_and_how_near_the_nearest_came():
    away = [pose_top_down([0.0, y], 0.0, 0.01) for y in (0.1, 0.2)]
    gripper = replace(GET, pad_torsion=0.0)
    answer = sized(plan_of(*(held(3, T=T) for T in away)), gripper, replace(HALF, damage_cap=25.0), None, (0.02, 0))
    needed = pytest.approx(0.5 * 9.81 * 0.1 / (0.75 * 0.015), rel=1e-5)
    assert answer.nearest_miss == {Reason.DAMAGE_CAP: {"needed_n": needed, "least_n": 20, "limit_n": 25}}


def test_of_several_reasons_that_of_the_grasp_which_comes_nearest_is_told():
    """Two points hold against no turn, the third grasp is too strong a squeeze: nearly there, and what a user can change."""
    two = held(3, 1)
    alone = replace(two, contacts=Contacts(*(np.insert(part, 1, part[0] * 0, 0) for part in vars(two.contacts).values())))
    plan = plan_of(alone, alone, held(3))
    answer = sized(plan, HARD, replace(HALF, damage_cap=5.0), None, (0.02, 0.01))
    assert answer.reason is Reason.DAMAGE_CAP
    assert "2 no closure, 1 damage cap" in answer.sentence
    assert set(answer.nearest_miss) == {Reason.DAMAGE_CAP}


def test_newtons_and_newton_metres_are_compared_as_shares_of_their_limits():
    """100 mm off, the moment about a level approach is 4.9 times its limit; from above, the force is 1.2 times its own."""
    weak = replace(HARD, external_moment_limit=0.1, max_force=36.0)
    answer = sized(plan_of(held(3, T=LEVEL), held(3)), weak, HALF, None, (0.02, 0.1))
    needed = 0.5 * 9.81 * 0.1 / (0.75 * 0.015)
    assert answer.nearest_miss[Reason.GRIP_SHORTFALL]["needed_n"] == pytest.approx(needed, rel=1e-5)
    assert answer.nearest_miss[Reason.LOAD_LIMIT]["moment_nm"] == pytest.approx(0.4905)
    assert answer.reason is Reason.GRIP_SHORTFALL, "though 43.6 N is a greater number than 0.49 N m"


def test_a_plan_without_friction_asks_for_it():
    with pytest.raises(InvalidValue, match="load.friction = None must be a number: this planner has no friction"):
        sized(plan_of(untouched()), GET, replace(LOAD, friction=None), None, (0, 0))


# ---- values ----------------------------------------------------------------------------------------------------------


def test_preset_has_the_friction_of_the_quality():
    assert Load.preset() == build(Load, presets.read("load", "default") | {"friction": 0.75}, "load")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"mass": 0.0}, "load.mass = 0.0"),
        ({"mass": "heavy"}, "load.mass = 'heavy'"),
        ({"mass": None}, "load.mass = None must be a mass in kg where no density is given"),
        ({"friction": 0.0}, "load.friction = 0.0"),
        ({"safety": 0.9}, "load.safety = 0.9"),
        ({"damage_cap": -1.0}, "load.damage_cap = -1.0"),
        ({"gravity": 0.0, "acceleration": 0.0}, r"load.gravity \+ load.acceleration = 0.0"),
        ({"acceleration": np.nan}, "load.acceleration = nan"),
    ],
)
def test_loads_that_cannot_be_are_refused_by_name(change, named):
    with pytest.raises(InvalidValue, match=named):
        replace(LOAD, **change)


@pytest.mark.parametrize(
    "values", [(10, 20, None, 5, 100), (10, 5, 8, 5, 100), (4, 2, None, 5, 100), (101, 2, None, 5, 100)]
)
def test_a_command_outside_of_its_bounds_is_refused(values):
    with pytest.raises(InvalidValue, match="force.command"):
        GripForce(*values)


def test_a_force_survives_json_and_plans_without_read_as_before():
    plan = sized(plan_of(held(3), held(2)), GET, replace(LOAD, damage_cap=40.0), None, (0.002, 0.003))
    text = to_json(plan)
    back = from_json(text)
    assert [grasp.force for grasp in back.grasps] == [grasp.force for grasp in plan.grasps]
    assert to_json(back) == text
    assert "grip_force_n" not in to_json(plan_of(held(3)))
    with pytest.raises(InvalidValue, match="grip_force_n: key = 'comand'"):
        from_json(text.replace('"command"', '"comand"'))


# ---- planners --------------------------------------------------------------------------------------------------------


def box_view(size=(0.06, 0.03, 0.04)):
    import trimesh

    block = trimesh.creation.box(size)
    block.apply_translation((0, 0, size[2] / 2))
    return View.from_mesh(block.vertices, block.faces)


def test_a_planner_without_contacts_agrees_with_the_closed_form_on_a_centred_box():
    planner = replace(BoundingBox.preset(gripper="get"), gripper=SOFT, load=Load.preset())
    plan = planner.plan(box_view(), np.random.default_rng(0))
    expected = pad_force(1000 * 0.06 * 0.03 * 0.04, friction=0.75, gravity=9.81, acceleration=2.0, safety=2.0)
    assert plan.best.force.friction_bound == pytest.approx(float(expected), rel=1e-6)


@pytest.mark.parametrize("planner", [Get2D.preset(), Get3D.preset()], ids=["get2d", "get3d"])
def test_planners_with_contacts_size_them_all_and_change_nothing_else(planner):
    if isinstance(planner, Get3D):
        planner = replace(planner, sampling=replace(planner.sampling, candidates=40))
    view = box_view()
    solid, load = Solid("box", view.mesh.vertices, view.mesh.faces), Load.preset()
    bare, forced = (replace(planner, load=own).plan(view, np.random.default_rng(0)) for own in (None, load))
    assert all(grasp.force is None for grasp in bare.grasps)
    least = float(pad_force(load.mass_of(solid.volume), friction=0.75, gravity=9.81, acceleration=2.0, safety=2.0))
    assert all(grasp.force.friction_bound >= least * (1 - 1e-6) for grasp in forced.grasps)
    before, after = ([g.T_table_gripper.tobytes() for g in plan.grasps] for plan in (bare, forced))
    ranks = [before.index(pose) for pose in after if pose in before]
    assert ranks[0] == 0 and ranks == sorted(ranks), "in the same order"
    assert len(after) == min(planner.keep, forced.funnel.kept)


def test_a_rule_on_a_profile_sizes_by_the_solid_of_revolution():
    from baselines.profile import ProfileRules
    from tests.turned import BOTTLE

    planner = replace(ProfileRules.preset(), load=replace(Load.preset(), friction=None), gripper=SOFT)
    bottle = planner.plan(BOTTLE.view(), np.random.default_rng(0))
    weight = 1000 * Solid.from_trimesh("bottle", BOTTLE.mesh()).volume * (9.81 + 2.0) * 2.0
    assert bottle.best.force.friction_bound == pytest.approx(weight / (2 * 0.75), rel=0.05)  # three pads, nearly level
    side = planner.plan(View.from_mask(BOTTLE.side_mask(), 2000), np.random.default_rng(0))
    assert side.best.force.friction_bound == pytest.approx(bottle.best.force.friction_bound, rel=0.02)


def test_without_a_mesh_the_volume_is_that_of_the_prism_over_the_footprint():
    from get2d.footprint import Footprint, HeightMap, volume_of

    shape = bar(0.06, 0.03)
    tall = Footprint(shape, HeightMap(np.full((10, 10), 0.04), np.zeros(2), 0.002))
    view = View.from_polygon(shape)
    assert volume_of(view, tall, 80.0) == pytest.approx(0.06 * 0.03 * 0.04)
    assert volume_of(view, Footprint(shape), 80.0) is None
    inside_out = box_view().mesh
    open_view = View.from_mesh(inside_out.vertices, inside_out.faces[:, ::-1])
    assert volume_of(open_view, tall, 80.0) == pytest.approx(0.06 * 0.03 * 0.04)
    refusal = replace(Get2D.preset(), load=Load.preset()).plan(view, np.random.default_rng(0))
    assert refusal.reason is Reason.VIEW_LACKS_INPUT
    planner = replace(Get2D.preset(), load=replace(Load.preset(), mass=0.2))
    assert planner.plan(view, np.random.default_rng(0)).best.force.command == 20.0
