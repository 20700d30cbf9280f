"""Epsilon and closure against numbers worked out by hand, and against cases O21 to O23 where they are at hand."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.specimens import hopeless, judge
from wrench import Contacts, Convention, force_closure, form_closure, quality

CASES = Path(__file__).resolve().parents[2] / "shared" / "cases"
TOLERANCE = 1e-9
R = 0.03  # m


def ring(*degrees):
    """Return contacts at the given angles on a disc of radius R."""
    angle = np.deg2rad(degrees)
    out = np.stack([np.cos(angle), np.sin(angle)], -1)
    return Contacts.all_made(R * out, -out)


def bar(unit=1.0):
    """Return two contacts below and one above a bar 20 mm high; `unit` is the number of length units in a metre."""
    points = unit * np.array([[-0.015, -0.01], [0.015, -0.01], [0.0, 0.01]])
    return Contacts.all_made(points, [[0, 1], [0, 1], [0, -1]])


def lifted(contacts):
    """Return planar contacts as spatial ones in the plane z = 0."""
    points, normals = (
        np.concatenate([a, np.zeros((*a.shape[:-1], 1))], -1) for a in (contacts.points, contacts.normals)
    )
    return Contacts.all_made(points, normals)


@pytest.mark.parametrize("friction", [0.1, 0.25, 0.5, 0.75, 1.0, 3.0])
@pytest.mark.parametrize("scale", [0.01, 0.03, 0.1])
def test_two_opposed_planar_contacts(friction, scale):
    """The hull is a tetrahedron: epsilon is 1 / sqrt(1 + 1/mu^2 + s^2 / (mu r)^2)."""
    expected = 1 / np.sqrt(1 + 1 / friction**2 + scale**2 / (friction * R) ** 2)
    found = judge(ring(0, 180), friction, torque_scale=scale)
    assert found.epsilon == pytest.approx(expected, abs=TOLERANCE)
    assert found.epsilon_upper == found.epsilon


def test_two_opposed_planar_contacts_at_the_papers_friction():
    assert judge(ring(0, 180), 0.75, torque_scale=R).epsilon == pytest.approx(0.468521, abs=5e-7)


@pytest.mark.parametrize("friction", [0.05, 0.25, 0.5, 0.75])
def test_three_contacts_120_degrees_apart(friction):
    """With torque scale r the nearest facets are those of pure torque, at height mu."""
    assert judge(ring(90, 210, 330), friction, torque_scale=R).epsilon == pytest.approx(friction, abs=TOLERANCE)


@pytest.mark.parametrize(("friction", "expected"), [(0.25, 0.25), (0.5, 0.367607), (0.75, 3 / 7)])
def test_two_against_one_on_a_bar(friction, expected):
    """Case O22: the first and last by hand, the middle by hull and by direct search."""
    assert judge(bar(), friction, torque_scale=0.03).epsilon == pytest.approx(expected, abs=1e-6)


def test_length_unit_does_not_matter():
    """Case O23: 3/7 in metres and in millimetres, and the scale used comes with the value."""
    metres = quality(bar(), friction=0.75, origin=[0, 0], torque_scale=0.03)
    millimetres = quality(bar(1000), friction=0.75, origin=[0, 0], torque_scale=30.0)
    assert metres.epsilon == pytest.approx(3 / 7, abs=TOLERANCE)
    assert millimetres.epsilon == pytest.approx(3 / 7, abs=TOLERANCE)
    assert (metres.torque_scale.metres, millimetres.torque_scale.metres) == (0.03, 30.0)


@pytest.mark.parametrize("degrees", [(80, 210, 330), (0, 120, 240), (0, 90, 200)])
def test_a_flat_grasp_closes_in_space_when_it_closes_in_the_plane(degrees):
    contacts = ring(*degrees)
    for friction in (0.0, 0.05, 0.2, 0.5, 0.75, 1.0):
        assert bool(force_closure(lifted(contacts), friction=friction)) == bool(
            force_closure(contacts, friction=friction)
        )


def test_spatial_closure_turns_at_the_cone_that_just_reaches_the_plane():
    """Contacts 120 degrees apart, every normal tilted by b out of their plane: closed exactly when mu > tan b."""
    flat = lifted(ring(90, 210, 330))
    for tilt in (0.1, 0.3, 0.6):
        normals = np.cos(tilt) * flat.normals + np.sin(tilt) * np.array([0, 0, 1.0])
        contacts = Contacts.all_made(flat.points, normals)
        just = np.tan(tilt)
        assert force_closure(contacts, friction=just * (1 + 1e-6))
        assert not force_closure(contacts, friction=just * (1 - 1e-6))


def test_frictionless_and_one_sided_sets_of_case_o21():
    sets = [ring(90, 210, 330), bar(), ring(0, 180)]
    sided = Contacts.all_made(bar().points[:2], bar().normals[:2])
    single = Contacts.all_made([[0, 0.01]], [[0, -1.0]])
    none = Contacts.all_made(np.zeros((0, 2)), np.zeros((0, 2)))
    for contacts, friction in [*((c, 0.0) for c in sets), (sided, 0.75), (single, 0.75), (none, 0.75)]:
        found = judge(contacts, friction)
        assert (bool(found.closure), float(found.epsilon)) == (False, 0.0)
        assert not force_closure(contacts, friction=friction)


@pytest.mark.parametrize(("dimension", "name"), [(d, name) for d in (2, 3) for name in hopeless(d)])
@pytest.mark.parametrize("friction", [0.0, 0.75])
def test_hopeless_sets_are_an_answer(dimension, name, friction):
    contacts = hopeless(dimension)[name]
    assert not force_closure(contacts, friction=friction)
    assert not form_closure(contacts)
    for cone in ("exact", 8):
        found = judge(contacts, friction, cone=cone)
        assert (bool(found.closure), float(found.epsilon)) == (False, 0.0)
        assert found.contacts == contacts.made.sum()
        if dimension == 2 or cone != "exact":  # signed values of round cones in space are refused
            assert judge(contacts, friction, cone=cone, signed=True).epsilon <= 0


# ---- the same from the files of the cases ------------------------------------------------------------------------


def stored(name):
    """Return the JSON of a case, or skip where the cases are not at hand."""
    path = CASES / name
    if not path.exists():
        pytest.skip(f"{path.parent.name} is not at hand")
    return json.loads(path.read_text())


def stored_contacts(record):
    shape = (len(record["points"]), 2)
    return Contacts.all_made(np.reshape(record["points"], shape), np.reshape(record["inward_normals"], shape))


def test_case_o21_no_closure_is_an_answer():
    case = stored("O21/contact_sets.json")
    assert len(case["sets"]) == 6
    for record in case["sets"].values():
        found = judge(stored_contacts(record), record["mu"], origin=case["com_m"], torque_scale=case["rho_m"])
        assert (bool(found.closure), float(found.epsilon)) == (False, 0.0)


def test_case_o22_closed_forms():
    case = stored("O22/contact_sets.json")
    friction = np.array(case["mu"])
    expected = {
        "disc3": friction,
        "antipodal": friction / np.sqrt(2 + friction**2),
        "bar": np.array([0.25, 0.367607, 3 / 7]),
    }
    assert set(expected) == set(case["sets"])
    for name, record in case["sets"].items():
        contacts = stored_contacts(record)
        batch = Contacts.all_made(np.stack([contacts.points] * 3), np.stack([contacts.normals] * 3))
        found = judge(batch, friction, origin=case["com_m"], torque_scale=case["rho_m"])
        np.testing.assert_allclose(found.epsilon, expected[name], atol=1e-6)


@pytest.mark.parametrize("name", ["bar_m", "bar_mm"])
def test_case_o23_length_unit(name):
    case = stored(f"O23/{name}.json")
    found = judge(stored_contacts(case), case["mu"], torque_scale=case["rho"])
    assert found.epsilon == pytest.approx(3 / 7, abs=1e-9)
    assert found.torque_scale.metres == case["rho"]


def test_a_fan_of_two_is_the_pair_of_unit_edges():
    rng = np.random.default_rng(8)
    angle = rng.uniform(0, 2 * np.pi, (50, 3))
    points = 0.03 * np.stack([np.cos(angle), np.sin(angle)], -1)
    contacts = Contacts.all_made(points, -points / 0.03)
    known = {"friction": 0.6, "origin": [0.0, 0.0], "torque_scale": 0.03}
    fan = quality(contacts, **known, convention=Convention("unit_fan", fan=2))
    edge = quality(contacts, **known, convention=Convention("unit_edge"))
    assert fan.closure.sum() > 10
    np.testing.assert_allclose(fan.epsilon, edge.epsilon, atol=1e-12)
