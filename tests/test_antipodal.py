"""Antipodal test, its margin, and gravity's torque about the grasp line."""

import numpy as np
import pytest

from wrench.antipodal import NO_LINE, antipodal, antipodal_margin, line_torque, offset_torque, torsion_budget
from wrench.contacts import Contacts
from wrench.errors import InvalidValue

DOWN = np.array([0.0, 0.0, -9.81])  # m/s^2


def chord(angle: float, radius: float = 0.03) -> Contacts:
    """Contacts of a cylinder at the ends of a chord `angle` radians off the diameter."""
    points = radius * np.array([[-1.0, 0.0], [np.cos(2 * angle), np.sin(2 * angle)]])
    return Contacts.all_made(points, -points / radius)


def random_pairs(rng: np.random.Generator, count: int, dimension: int) -> Contacts:
    normals = rng.normal(size=(count, 2, dimension))
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    return Contacts.all_made(rng.normal(size=(count, 2, dimension)), normals)


def turned(dimension: int, rng: np.random.Generator) -> np.ndarray:
    matrix, _ = np.linalg.qr(rng.normal(size=(dimension, dimension)))
    matrix[:, 0] *= np.linalg.det(matrix)
    return matrix


def test_chord_of_a_cylinder_in_print():
    # "Choosing a grip", section 3.2: across the diameter it passes at any mu; 30 degrees off, at 0.6 and not at 0.3.
    contacts = chord(np.radians(30))
    margin = antipodal_margin(contacts, friction=[0.6, 0.3])
    np.testing.assert_allclose(margin, (np.arctan([0.6, 0.3]) - np.radians(30))[:, None] * [1, 1], atol=1e-14)
    assert antipodal(contacts, friction=[0.6, 0.3]).tolist() == [True, False]
    assert antipodal(chord(0.0), friction=1e-6)
    # "Perfectly antipodal contacts with mu = 0.6 pads enjoy 31 degrees of margin each."
    assert np.degrees(antipodal_margin(chord(0.0), friction=0.6)) == pytest.approx([31, 31], abs=0.05)


def test_margin_is_strict_and_exact_at_its_edge():
    angle = 0.2
    edge = antipodal_margin(chord(angle), friction=np.tan(angle))
    np.testing.assert_allclose(edge, 0, atol=1e-15)
    assert not antipodal(chord(0.0), friction=0.0)  # margin 0 is not inside


@pytest.mark.parametrize("dimension", [2, 3])
def test_agrees_with_the_cone_written_out(dimension):
    # Oracle: along the line, the squeeze's tangential part against mu times its normal part, contact by contact.
    contacts = random_pairs(np.random.default_rng(1), 2000, dimension)
    expected = []
    for points, normals in zip(contacts.points, contacts.normals, strict=True):
        line = points[1] - points[0]
        inside = []
        for push, normal in ((line, normals[0]), (-line, normals[1])):
            along = push @ normal
            inside.append(along > 0 and np.linalg.norm(push - along * normal) < 0.9 * along)
        expected.append(all(inside))
    assert 20 < sum(expected) < 1980
    assert antipodal(contacts, friction=0.9).tolist() == expected


@pytest.mark.parametrize("dimension", [2, 3])
def test_margin_survives_moving_turning_scaling_and_swapping(dimension):
    rng = np.random.default_rng(2)
    contacts = random_pairs(rng, 100, dimension)
    turn = turned(dimension, rng)
    moved = Contacts.all_made(1e-2 * contacts.points @ turn.T + 3.0, contacts.normals @ turn.T)
    swapped = Contacts.all_made(contacts.points[:, ::-1], contacts.normals[:, ::-1])
    margin = antipodal_margin(contacts, friction=0.75)
    np.testing.assert_allclose(antipodal_margin(moved, friction=0.75), margin, atol=1e-11)
    np.testing.assert_allclose(antipodal_margin(swapped, friction=0.75), margin[:, ::-1], atol=1e-14)
    assert (antipodal_margin(contacts, friction=0.8) > margin).all()


def test_no_line_no_grasp():
    good = chord(0.0)
    missing = Contacts(good.points, good.normals, np.array([True, False]))
    coincident = Contacts.all_made(np.full((2, 2), 0.1), good.normals)
    for contacts in (missing, coincident):
        assert (antipodal_margin(contacts, friction=0.75) == NO_LINE).all()
        assert not antipodal(contacts, friction=0.75)
    inside_out = Contacts.all_made(good.points, -good.normals)
    assert (antipodal_margin(inside_out, friction=0.75) > NO_LINE).all()


def test_torques_in_print():
    assert offset_torque(0.5, 0.030, gravity=9.81) == pytest.approx(0.147, abs=2e-4)  # "Choosing a grip", section 5
    assert offset_torque(0.2, 0.030, gravity=9.81) == pytest.approx(0.059, abs=2e-4)  # "59 mN m twist"
    # Section 5: a 20 mm pad at 20 N resists of the order of 0.05 N m, an effective radius of 2.5 mm: the object turns.
    assert torsion_budget(0.0025, 20) == pytest.approx(0.05)
    assert torsion_budget(0.0025, 20) < offset_torque(0.5, 0.030, gravity=9.81)


def test_which_part_of_gravity_turns_about_the_line():
    pads = Contacts.all_made([[-0.02, 0, 0], [0.02, 0, 0]], [[1, 0, 0], [-1, 0, 0]])
    centres = [[0, 0.03, 0], [0, -0.03, 0], [0.03, 0, 0], [0, 0, -0.03], [0.03, 0.03, 0]]
    torque = line_torque(pads, mass=0.5, centre_of_mass=centres, gravity=DOWN)
    whole = offset_torque(0.5, 0.03, gravity=9.81)
    # Square to the line: all of m g d. Along it, or straight below: none. At 45 degrees: one component of it.
    np.testing.assert_allclose(torque, np.array([-1, 1, 0, 0, -1]) * whole, atol=1e-15)


def test_line_torque_is_the_component_of_the_whole_torque():
    rng = np.random.default_rng(3)
    contacts, centre = random_pairs(rng, 100, 3), rng.normal(size=(100, 3))
    torque = line_torque(contacts, mass=0.2, centre_of_mass=centre, gravity=DOWN)
    arm = centre - contacts.points.mean(-2)
    whole = np.cross(arm, 0.2 * DOWN)
    size = offset_torque(0.2, np.linalg.norm(arm[:, :2], axis=-1), gravity=9.81)
    np.testing.assert_allclose(np.linalg.norm(whole, axis=-1), size, rtol=1e-12)
    line = contacts.points[:, 1] - contacts.points[:, 0]
    line /= np.linalg.norm(line, axis=-1, keepdims=True)
    np.testing.assert_allclose(torque, np.einsum("bi,bi->b", whole, line), atol=1e-12)


def test_refuses_by_name():
    three = Contacts.all_made(np.eye(3), np.eye(3))
    with pytest.raises(InvalidValue, match="contacts per grasp = 3 must be 2"):
        antipodal_margin(three, friction=0.5)
    with pytest.raises(InvalidValue, match="friction"):
        antipodal_margin(chord(0.0), friction=-0.1)
    load = {"mass": 0.5, "centre_of_mass": [0, 0, 0], "gravity": DOWN}
    with pytest.raises(InvalidValue, match=r"contacts\.dimension"):
        line_torque(chord(0.0), **load)
    pads = Contacts([[0, 0, 0], [1, 0, 0]], [[1, 0, 0], [-1, 0, 0]], np.array([True, False]))
    with pytest.raises(InvalidValue, match=r"contacts\.made\[1\]"):
        line_torque(pads, **load)
    with pytest.raises(InvalidValue, match="contact distance"):
        line_torque(Contacts.all_made(np.zeros((2, 3)), pads.normals + [[0, 0, 0], [-1, 0, 0]]), **load)
