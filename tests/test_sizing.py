"""Sizing: worked numbers in print, and the formulas as each other's inverses."""

import numpy as np
import pytest

from wrench.errors import InvalidValue
from wrench.sizing import cone_ratio, heaviest_mass, pad_force, squeeze_from_torque

GRAVITY = 9.81  # m/s^2


def test_two_hundred_grams_in_print():
    # "Sizing a grasp for a 200 g object": worst-case friction 0.4, lifted at 2 m/s^2: 2.95 N, and 8.85 N with S = 3.
    force = pad_force(0.2, friction=0.4, gravity=GRAVITY, acceleration=2.0, safety=[1, 3])
    assert force == pytest.approx([2.9525, 8.8575], abs=1e-12)


def test_robotiq_manual_example():
    # Robotiq 2F-85 manual: 200 N of grip, coefficient 0.3, safety factor 2.4 hold 50 N, "about 5 kg".
    mass = heaviest_mass([200, 200], friction=0.3, gravity=GRAVITY, acceleration=0, safety=2.4)
    assert mass * GRAVITY == pytest.approx(50, abs=1e-12)
    # At 2 g that object alone pulls with 98 N more, and it drops.
    assert cone_ratio([200, 200], mass=5, friction=0.3, gravity=GRAVITY, acceleration=2 * GRAVITY) < 1


def test_torque_cap_in_print():
    # SO-101 hinged jaw on a 3 cm cube, column "2 tau / r"; the levers are printed to 0.07 %.
    squeeze = squeeze_from_torque([1.00, 0.50, 0.30], [0.0737, 0.0742, 0.0744])
    assert squeeze == pytest.approx([27.13, 13.47, 8.07], rel=1e-3)


def test_torque_cap_obeys_virtual_work():
    # One pinion of radius 10 mm drives both racks: 2 F r = tau at the pinion, and the opening closes 20 mm per radian.
    pinion, each = 0.010, 40.0
    assert squeeze_from_torque(2 * each * pinion, 2 * pinion) == pytest.approx(2 * each)


def test_formulas_invert_each_other():
    rng = np.random.default_rng(0)
    mass, friction, safety = rng.uniform(0.1, 5, 50), rng.uniform(0.1, 1, 50), rng.uniform(1, 3, 50)
    load = {"gravity": GRAVITY, "acceleration": rng.uniform(0, 20, 50), "friction": friction}
    pads = np.repeat(pad_force(mass, safety=safety, **load)[:, None], 2, axis=1)
    np.testing.assert_allclose(heaviest_mass(pads, safety=safety, **load), mass, rtol=1e-12)
    np.testing.assert_allclose(cone_ratio(pads, mass=mass, **load), safety, rtol=1e-12)


def test_how_a_squeeze_is_shared_does_not_matter():
    # PHYSICS section 5: the heaviest mass is mu (N1 + N2) / g for all three jaws; 20 N per jaw at 0.75 carry 30 N.
    shares = np.array([[20, 20, 0], [10, 10, 20], [4, 16, 20]])
    held = heaviest_mass(shares, friction=0.75, gravity=GRAVITY, acceleration=0) * GRAVITY
    np.testing.assert_allclose(held, 30, rtol=1e-12)


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"mass": 0}, "mass"),
        ({"friction": 0}, "friction"),
        ({"gravity": -9.81}, "gravity"),
        ({"gravity": 0}, "gravity + acceleration"),
        ({"acceleration": np.nan}, "acceleration"),
        ({"safety": 0.5}, "safety"),
    ],
)
def test_refuses_by_name(changed, field):
    given = {"mass": 0.2, "friction": 0.4, "gravity": GRAVITY, "acceleration": 0.0, "safety": 2.0} | changed
    with pytest.raises(InvalidValue) as caught:
        pad_force(given.pop("mass"), **given)
    assert caught.value.field == field


def test_refuses_a_pulling_contact():
    with pytest.raises(InvalidValue, match=r"normal_forces\[1\] = -1.0 must be finite and at least 0 N"):
        heaviest_mass([2, -1], friction=0.5, gravity=GRAVITY, acceleration=0)
    with pytest.raises(InvalidValue, match="lever"):
        squeeze_from_torque(1.0, 0.0)
