"""Squeeze: closed forms, laws, and a linear programme with cones drawn inside and around the exact ones."""

from dataclasses import replace
from unittest.mock import Mock

import cvxpy
import numpy as np
import pytest
from scipy.optimize import linprog

from wrench.cone import tangents
from wrench.contacts import Contacts
from wrench.errors import GraspError, InvalidValue
from wrench.programme import _programme
from wrench.sizing import pad_force
from wrench.squeeze import largest_push, least_grip

MU = 0.75  # the paper, section VII-A
SHAPES = [(2, False), (3, False), (3, True)]  # dimension, soft fingers
EDGES = 64  # of the oracle's cones: inside and around differ by 1 / cos(pi / 64), 0.12 %


def least(case: dict, **changed) -> float:
    return float(least_grip(**(case | changed)))


def push(case: dict, grip, point, direction, **weight) -> np.ndarray:
    hold = {name: case[name] for name in ("contacts", "friction", "closing_axis", "wide", "torsion")}
    return largest_push(**hold, grip=grip, point=point, direction=direction, **weight)


def jaws(dimension: int, wide_pads: int, load=(), **changed) -> dict:
    """Ideal jaws on a plate 40 mm thick: pads of the wide jaw 30 mm apart, one pad on the narrow jaw."""
    across = [0.0] if wide_pads == 1 else [0.015, -0.015]
    points = np.array([[-0.02, y, 0.0] for y in across] + [[0.02, 0.0, 0.0]])[:, :dimension]
    normals = np.array([[1.0, 0, 0]] * wide_pads + [[-1.0, 0, 0]])[:, :dimension]
    wrench = np.r_[load, np.zeros(3 * dimension - 3 - len(load))]
    given = {"contacts": Contacts.all_made(points, normals), "friction": MU, "closing_axis": np.eye(dimension)[0]}
    given |= {"wide": np.arange(wide_pads + 1) < wide_pads, "wrench": wrench, "origin": np.zeros(dimension)}
    return given | {"safety": 1.0, "torsion": None} | changed


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def random_case(rng: np.random.Generator, dimension: int, soft: bool, count: int) -> dict:
    """A grasp of `count` pads that roughly oppose, the last one on the narrow jaw, loaded in a random way."""
    axis, wide = unit(rng.normal(size=dimension)), np.arange(count) < count - 1
    facing = np.where(wide[:, None], axis, -axis)
    normals = unit(facing + 0.25 * rng.normal(size=(count, dimension)))
    points = -0.02 * facing + 0.015 * rng.normal(size=(count, dimension))
    wrench = rng.normal(size=3 * dimension - 3) * np.r_[np.ones(dimension), np.full(2 * dimension - 3, 0.01)]
    given = {"contacts": Contacts.all_made(points, normals), "friction": rng.uniform(0.3, 1.0), "closing_axis": axis}
    given |= {"wide": wide, "wrench": wrench, "origin": 0.01 * rng.normal(size=dimension)}
    return given | {"safety": 1.0, "torsion": 0.004 if soft else None}


def oracle(case: dict, around: bool) -> float:
    """Least grip by `linprog`, from contact to contact, with polygons inside the cones or drawn around them."""
    contacts, mu, torsion = case["contacts"], case["friction"], case["torsion"]
    reach = mu / np.cos(np.pi / EDGES) if around and contacts.dimension == 3 else mu
    turns = 2 * np.pi * np.arange(EDGES) / EDGES
    columns, press = [], []
    for point, normal, is_wide in zip(contacts.points, contacts.normals, case["wide"], strict=True):
        if contacts.dimension == 2:
            sides = [np.array([-normal[1], normal[0]]), np.array([normal[1], -normal[0]])]
        else:
            first, second = tangents(normal)
            sides = [np.cos(turn) * first + np.sin(turn) * second for turn in turns]
        arm, twists = point - case["origin"], [0.0] if torsion is None else [-torsion * normal, torsion * normal]
        for force in (normal + reach * side for side in sides):
            torque = np.cross(arm, force) if len(arm) == 3 else arm[0] * force[1] - arm[1] * force[0]
            columns += [np.r_[force, torque + twist] for twist in twists]
            press += [force @ case["closing_axis"] * (1 if is_wide else -1)] * len(twists)
    rows = np.vstack([np.c_[np.array(columns).T, np.zeros(len(case["wrench"]))], np.r_[press, -2.0]])
    answer = linprog(np.r_[np.zeros(len(press)), 1.0], A_eq=rows, b_eq=np.r_[-case["wrench"], 0.0], bounds=(0, None))
    assert answer.status in (0, 2)  # solved, or infeasible
    return answer.fun if answer.status == 0 else np.inf


@pytest.mark.parametrize("dimension", [2, 3])
def test_two_pads_under_gravity(dimension):
    # F = m (g + a) S / (2 mu), gravity across the closing axis; 200 g at friction 0.4: 2.95 N and 8.85 N with S = 3.
    expected = pad_force(0.2, friction=0.4, gravity=9.81, acceleration=2.0, safety=[1, 3])
    case = jaws(dimension, 1, load=[0, -0.2 * 11.81], friction=0.4)
    np.testing.assert_allclose([least(case), least(case, safety=3)], expected, rtol=1e-6)


def test_torque_about_the_closing_axis():
    # PHYSICS section 1, ideal point contacts at 20 N per jaw: 0 for two narrow jaws, mu N span / 2 = 0.225 N m for GET.
    twist = [0, 0, 0, 1.0]
    assert 20 / least(jaws(3, 2, twist)) == pytest.approx(0.225, rel=1e-6)
    assert least(jaws(3, 1, twist)) == np.inf
    # Soft fingers: gamma N at each of the two pads.
    assert 20 / least(jaws(3, 1, twist, torsion=0.003)) == pytest.approx(2 * 0.003 * 20, rel=1e-6)


@pytest.mark.parametrize("friction", [0.1, 0.9])
def test_axial_load_shifts_force_between_the_jaws(friction):
    # Along the closing axis N1 - N2 = p while N1 + N2 = 2F: a jaw comes free at p = 2F, whatever the friction.
    case = jaws(2, 2, load=[1.0], friction=friction)
    np.testing.assert_allclose(push(case, 20, [0, 0], [[1, 0], [-1, 0]]), 40, rtol=1e-6)
    assert least(case) == pytest.approx(0.5, rel=1e-6)


def test_weight_takes_its_share_of_the_friction():
    # 2 mu F = 30 N of friction and 10 N of weight: 20 N more downwards, 40 N upwards; 31 N of weight is not held.
    pads, ways = jaws(2, 1), [[0, -1], [0, 1]]
    np.testing.assert_allclose(push(pads, 20, [0, 0], ways, weight=[0, -10, 0], origin=[0, 0]), [20, 40], rtol=1e-6)
    assert (push(pads, 20, [0, 0], ways, weight=[0, -31, 0], origin=[0, 0]) == 0).all()
    # The same weight hung 10 mm beside the origin and named by its torque.
    hung = push(pads, 20, [0.01, 0], ways, weight=[0, -10, 0], origin=[0.01, 0])
    np.testing.assert_allclose(hung, push(pads, 20, [0.01, 0], ways, weight=[0, -10, -0.1], origin=[0, 0]), rtol=1e-6)


def test_push_at_a_lever():
    # A push p at lever R turns the object about the closing axis: p R <= mu N span / 2, less what carries p itself.
    torque = push(jaws(3, 2), 20, [[0, 0.075, 0], [0, 0.75, 0]], [0, 0, 1]) * [0.075, 0.75]
    assert (torque < 0.225).all()
    assert torque == pytest.approx([0.225, 0.225], rel=2e-3)
    assert push(jaws(3, 1), 20, [0, 0.075, 0], [0, 0, 1]) == pytest.approx(0, abs=1e-6)


def test_a_wedge_stops_any_push_but_one():
    # Two pads of the wide jaw pinch the object across the closing axis: their force costs the actuator nothing. Only a
    # push back against the wide jaw opens the jaws, at 2F, when the narrow pad comes free.
    contacts = Contacts.all_made([[0, 0.02], [0, -0.02], [0.02, 0]], [[0, -1], [0, 1], [-1, 0]])
    wedge = jaws(2, 2, load=[3.0, 5.0, 0.1], contacts=contacts)
    assert least(wedge) == pytest.approx(0, abs=1e-6)
    assert push(wedge, 20, [0, 0], [[0, 1], [1, 0], [-1, 0]]) == pytest.approx([np.inf, np.inf, 40], rel=1e-6)


def test_what_is_not_held_resists_no_push():
    # Without its narrow jaw the gripper throws the object away, though a push of 40 N against the wide jaw balances it.
    get = jaws(2, 2, load=[-40.0])
    case = get | {"contacts": replace(get["contacts"], made=np.array([True, True, False]))}
    assert least(case) == pytest.approx(20, rel=1e-6)
    assert push(case, 20, [0, 0], [-1, 0]) == 0
    assert least(case, wrench=-case["wrench"]) == np.inf


def test_no_load_and_no_contacts():
    assert least(jaws(3, 2)) == pytest.approx(0, abs=1e-6)
    nothing = Contacts(np.full((3, 3), np.nan), np.full((3, 3), np.nan), np.zeros(3, bool))
    assert least(jaws(3, 2, load=[1.0], contacts=nothing)) == np.inf


@pytest.mark.parametrize(("dimension", "soft"), SHAPES)
def test_between_cones_drawn_inside_and_around(dimension, soft):
    rng = np.random.default_rng(10 + dimension + soft)
    finite = 0
    for _ in range(60):
        case = random_case(rng, dimension, soft, count=int(rng.integers(3, 5)))
        inside, around, exact = oracle(case, around=False), oracle(case, around=True), least(case)
        assert around * (1 - 1e-6) <= exact <= inside * (1 + 1e-6)
        finite += np.isfinite(exact)
    assert 15 < finite  # the sandwich is about numbers, not about infinities


@pytest.mark.parametrize(("dimension", "soft"), SHAPES)
def test_push_and_grip_are_inverse(dimension, soft):
    rng = np.random.default_rng(20 + dimension + soft)
    checked = 0
    for _ in range(40):
        case = random_case(rng, dimension, soft, count=int(rng.integers(3, 5)))
        point, direction = 0.03 * rng.normal(size=dimension), unit(rng.normal(size=dimension))
        grip = least(case, wrench=np.r_[7.0 * direction, np.zeros(2 * dimension - 3)], origin=point)
        if np.isfinite(grip) and push(case, grip, point, direction) > 0:  # held before the push begins
            assert push(case, grip, point, direction) == pytest.approx(7.0, rel=1e-5)
            assert push(case, 2 * grip, point, direction) == pytest.approx(14.0, rel=1e-5)
            checked += 1
    assert checked >= 10


@pytest.mark.parametrize(("dimension", "soft"), SHAPES)
def test_scales_moves_and_grows_as_mechanics_says(dimension, soft):
    rng = np.random.default_rng(30 + dimension + soft)
    lever = np.r_[np.ones(dimension), np.full(2 * dimension - 3, 10.0)]
    for _ in range(15):
        grip = least(case := random_case(rng, dimension, soft, count=int(rng.integers(3, 5))))
        assert least(case, safety=2.5) == pytest.approx(2.5 * grip, rel=1e-5)
        assert least(case, wrench=100 * case["wrench"]) == pytest.approx(100 * grip, rel=1e-5)
        longer = {"contacts": Contacts.all_made(10 * case["contacts"].points, case["contacts"].normals)}
        longer |= {"wrench": lever * case["wrench"], "origin": 10 * case["origin"]}
        assert least(case | longer, torsion=0.04 if soft else None) == pytest.approx(grip, rel=1e-5)
        assert least(moved(case, rng)) == pytest.approx(grip, rel=1e-5)
        assert least(case, friction=1.2 * case["friction"]) <= grip * (1 + 1e-6)


def moved(case: dict, rng: np.random.Generator) -> dict:
    """The same grasp and load, turned and shifted together."""
    contacts, dimension = case["contacts"], case["contacts"].dimension
    turn, _ = np.linalg.qr(rng.normal(size=(dimension, dimension)))
    turn[:, 0] *= np.linalg.det(turn)
    shift, (force, torque) = rng.normal(size=dimension), np.split(case["wrench"], [dimension])
    contacts = Contacts.all_made(contacts.points @ turn.T + shift, contacts.normals @ turn.T)
    wrench = np.r_[turn @ force, turn @ torque if dimension == 3 else torque]
    turned = {"contacts": contacts, "closing_axis": turn @ case["closing_axis"], "wrench": wrench}
    return case | turned | {"origin": turn @ case["origin"] + shift}


def test_a_contact_not_made_is_a_contact_left_out_and_more_contacts_never_harm():
    rng = np.random.default_rng(40)
    keep = np.array([True, False, True, True])
    for _ in range(10):
        case = random_case(rng, 3, soft=True, count=4)
        points, normals = case["contacts"].points, case["contacts"].normals
        fewer = least(case, contacts=Contacts(points, normals, keep))
        left = {"contacts": Contacts.all_made(points[keep], normals[keep]), "wide": case["wide"][keep]}
        assert fewer == pytest.approx(least(case | left), rel=1e-5)
        assert least(case) <= fewer * (1 + 1e-6)


def test_a_batch_is_its_grasps_one_by_one_and_compiles_nothing_new():
    rng = np.random.default_rng(50)
    case, friction = random_case(rng, 3, soft=False, count=3), np.array([0.5, 0.6, 0.7, 0.8])
    points = case["contacts"].points + 0.002 * rng.normal(size=(4, 3, 3))
    contacts = Contacts.all_made(points, np.broadcast_to(case["contacts"].normals, points.shape))
    loads = case["wrench"] * np.array([[[1.0]], [[-1.0]]])  # (2, 1, 6) against four grasps
    rows = [{"contacts": contacts[i], "friction": friction[i]} for i in range(4)]
    alone = [[least(case | row, wrench=load[0]) for row in rows] for load in loads]
    compiled = _programme.cache_info().misses
    together = least_grip(**(case | {"contacts": contacts, "friction": friction, "wrench": loads}))
    np.testing.assert_allclose(together, alone, rtol=1e-12)
    assert _programme.cache_info().misses == compiled


def test_refuses_by_name():
    wrong = {"friction": -0.1, "closing_axis": [1, 1, 0], "wide": [1, 1, 0], "safety": 0.5, "torsion": -0.01}
    wrong |= {"wrench": [0, 0, np.nan, 0, 0, 0], "origin": [0, 0]}
    for field, value in wrong.items():
        with pytest.raises(InvalidValue, match=f"^{field}.* must be"):
            least(jaws(3, 2), **{field: value})


def test_refuses_what_has_no_meaning():
    planar = jaws(2, 2)
    with pytest.raises(InvalidValue, match="torsion = 0.003 must be None for planar contacts"):
        least(planar, torsion=0.003)
    with pytest.raises(InvalidValue, match="origin = None must be given with weight"):
        push(planar, 20, [0, 0], [0, 1], weight=[0, -1, 0])
    for field, grip, direction in [("grip", -1, [0, 1]), ("direction", 1, [0, 2])]:
        with pytest.raises(InvalidValue, match=field):
            push(planar, grip, [0, 0], direction)


def test_a_solver_that_fails_says_at_which_grasp(monkeypatch):
    monkeypatch.setattr(cvxpy.Problem, "solve", Mock(side_effect=cvxpy.SolverError("numerical trouble")))
    with pytest.raises(GraspError, match=r"failed at grasp \(\): numerical trouble"):
        least(jaws(2, 2, load=[1.0]))
