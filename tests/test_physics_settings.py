"""Settings: presets, the configuration, and what is refused by name."""

from dataclasses import replace

import numpy as np
import pytest
from hydra import compose, initialize_config_dir

from experiments.schema import build
from grasp import Gripper, InvalidValue, presets
from grasp.jaw import Pad
from physics import Settings
from physics.pads import bed_of
from tests.physics_bench import JAWS, NOMINAL


@pytest.mark.parametrize("name", presets.names("physics"))
def test_the_configuration_builds_what_the_preset_builds(name):
    with initialize_config_dir(str(presets.CONF), version_base="1.3"):
        config = compose("base", [f"+physics={name}"])
    assert build(config.physics, "physics") == Settings.preset(name)


def test_low_friction_is_nominal_but_for_friction():
    low = Settings.preset("low_friction")
    assert low.friction < NOMINAL.friction
    assert replace(low, name=NOMINAL.name, friction=NOMINAL.friction) == NOMINAL


def test_objects_have_their_own_density():
    rho = NOMINAL.densities["tape_roll"]
    assert NOMINAL.mass("tape_roll", 2.0) == 2 * rho
    assert NOMINAL.mass("anything", 2.0) == 2 * NOMINAL.density


@pytest.mark.parametrize(
    ("block", "change", "message"),
    [
        (None, {"friction": 0}, r"physics\.friction = 0"),
        (None, {"densities": {"arch": -1}}, r"physics\.densities\.arch = -1"),
        ("pads", {"impedance": 1.0}, r"PadBed\.impedance = 1\.0"),
        ("pads", {"pitch": "5 mm"}, r"PadBed\.pitch = '5 mm'"),
        ("closing", {"hold": "glue"}, r"Closing\.hold = 'glue'"),
        ("shake", {"multiples": (2, 1)}, r"Shake\.multiples"),
        ("shake", {"cycles": 0}, r"Shake\.cycles = 0"),
    ],
)
def test_what_cannot_be_is_named(block, change, message):
    with pytest.raises(InvalidValue, match=message):
        replace(NOMINAL if block is None else getattr(NOMINAL, block), **change)


def test_a_misspelt_key_is_named_with_its_place():
    mapping = presets.read("physics", "nominal")
    with pytest.raises(InvalidValue, match=r"physics\.pads: key = 'ptich'"):
        Settings.from_dict(mapping | {"pads": mapping["pads"] | {"ptich": 1}})


@pytest.mark.parametrize("jaw", JAWS)
def test_beds_cover_their_pads(jaw):
    for pad in Gripper.preset(jaw).pads:
        bed = bed_of(pad, 1, NOMINAL.pads.pitch)
        assert bed.area.sum() == pytest.approx((pad.width + pad.base_width) / 2 * pad.height)
        np.testing.assert_allclose(bed.centre[:, 0], -bed.radius)  # tangent to the face
        assert len(bed.centre) == round(pad.width / 0.005) * 13


def test_a_trapezoid_has_shorter_rows_at_its_narrow_end():
    bed = bed_of(Pad(0.01, 0.02, 0.01, 0.05), -1, 0.005)
    assert bed.area.sum() == pytest.approx(0.015 * 0.05)
    half = 0.5 * (0.02 + 0.01 * bed.centre[:, 2] / 0.05)  # half the width at each height; z is up from the tip, negative
    assert (np.abs(bed.centre[:, 1] - 0.01) < half).all()
    assert (bed.centre[:, 0] == bed.radius).all()
    rows = np.unique(bed.centre[:, 2], return_counts=True)[1]
    assert rows[0] == 2 and rows[-1] == 4
