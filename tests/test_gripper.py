"""Gripper presets, strict reading, and the two views of a gripper: circles and solids."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate

from grasp import Box, Gripper, InvalidValue, Jaw, Pad, UnknownPreset, presets
from grasp.circles import circles
from grasp.solids import boxes, closing_sign, pad_corners

PRESETS = ["get", "two_narrow", "two_wide"]
ALL = ["get", "robotiq_2f140", "robotiq_2f85", "two_narrow", "two_wide"]
PUBLISHED = {"two_narrow": [0.0], "two_wide": [0.0], "get": [-0.015, 0.015]}  # arXiv 2604.26212, section VII-A


@pytest.fixture
def get():
    return Gripper.preset("get")


def mapping():
    return presets.read("gripper", "get")


@pytest.mark.parametrize("name", PRESETS)
def test_preset_has_the_published_numbers(name):
    gripper = Gripper.preset(name)
    assert gripper.name == name
    assert list(gripper.wide.offsets) == PUBLISHED[name]
    assert gripper.narrow.offsets == (0.0,)
    assert (gripper.max_opening, gripper.circle_diameter, gripper.tolerance) == (0.095, 0.010, 0.004)
    assert {pad.height for pad in gripper.pads} == {0.065}


def test_every_file_is_a_preset_and_is_known():
    assert presets.names("gripper") == ALL


@pytest.mark.parametrize(
    ("name", "opening", "thickness", "forces"),
    [("robotiq_2f85", 0.085, 0.0065, (20, 235)), ("robotiq_2f140", 0.140, 0.00635, (10, 125))],
)
def test_robotiq_grippers_have_the_manufacturers_numbers(name, opening, thickness, forces):
    gripper = Gripper.preset(name)
    assert (gripper.name, gripper.min_opening, gripper.max_opening) == (name, 0, opening)
    assert gripper.finger_thickness == thickness
    assert (gripper.min_force, gripper.max_force) == forces
    assert gripper.wide == gripper.narrow


@pytest.mark.parametrize("name", ["robotiq_2f85", "robotiq_2f140"])
def test_both_jaws_of_a_robotiq_are_mirror_images(name):
    gripper = Gripper.preset(name)
    for bodies in (gripper.jaw_bodies, gripper.bodies):
        boxes = {(*body.centre, *body.size) for body in bodies}
        assert {(0.0 - x, *rest) for x, *rest in boxes} == boxes


@pytest.mark.parametrize("name", ALL)
def test_hydra_reads_the_same_gripper(name):
    with initialize_config_dir(str(presets.CONF), version_base=None):
        composed = compose(overrides=[f"+gripper={name}"]).gripper
    assert instantiate(composed, _convert_="all") == Gripper.preset(name)


@pytest.mark.parametrize("name", ["two_narrow", "two_wide"])
def test_variants_hold_only_what_differs(name):
    own = yaml.safe_load((presets.CONF / "gripper" / f"{name}.yaml").read_text())
    assert set(own) <= {"defaults", "name", "wide", "narrow"}
    varied = Gripper.preset(name)
    base = Gripper.preset("get")
    assert replace(varied, name=base.name, wide=base.wide, narrow=base.narrow) == base


def test_defaults_merge_in_order_with_self_last_or_where_listed(tmp_path: Path, monkeypatch):
    files = {
        "a": "x: {p: 1, q: 2}\nlist: [1, 2]",
        "late": "defaults: [a]\nx: {q: 3}\nlist: [9]",
        "early": "defaults: [_self_, a]\nx: {q: 3, r: 4}",
    }
    (tmp_path / "made").mkdir()
    for name, text in files.items():
        (tmp_path / "made" / f"{name}.yaml").write_text(text)
    monkeypatch.setattr(presets, "CONF", tmp_path)
    assert presets.read("made", "late") == {"x": {"p": 1, "q": 3}, "list": [9]}
    assert presets.read("made", "early") == {"x": {"p": 1, "q": 2, "r": 4}, "list": [1, 2]}


def test_unknown_preset_lists_the_known_ones():
    known = f"known are {', '.join(map(repr, ALL))}"
    with pytest.raises(UnknownPreset, match=f"gripper preset 'gte' does not exist; {known}"):
        Gripper.preset("gte")


def test_unknown_and_missing_keys_are_named_with_their_place():
    with pytest.raises(InvalidValue, match="gripper: key = 'max_openning'"):
        Gripper.from_dict({**mapping(), "max_openning": 0.1})
    short = mapping()
    del short["tolerance"]
    with pytest.raises(InvalidValue, match="gripper: missing key = 'tolerance'"):
        Gripper.from_dict(short)
    nested = mapping()
    nested["wide"]["pads"][1] = {**nested["wide"]["pads"][1], "witdh": 0.01}
    with pytest.raises(InvalidValue, match=r"gripper.wide.pads\[1\]: key = 'witdh'"):
        Gripper.from_dict(nested)
    with pytest.raises(InvalidValue, match=r"gripper.jaw_bodies\[0\]: missing key = 'size'"):
        Gripper.from_dict({**mapping(), "jaw_bodies": [{"name": "stub", "centre": [0, 0, 0]}]})


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"max_opening": 0.0}, "max_opening"),
        ({"min_opening": 0.095}, "max_opening"),
        ({"min_opening": -0.001}, "min_opening"),
        ({"tolerance": "4e-3"}, "tolerance = '4e-3'"),
        ({"tolerance": True}, "tolerance"),
        ({"max_force": 10.0}, "max_force"),
        ({"circle_diameter": float("nan")}, "circle_diameter = nan"),
        ({"finger_length": 0.05}, "pad.height"),
        ({"external_moment_limit": float("inf")}, "external_moment_limit"),
        ({"fingertip_advance": -0.001}, "fingertip_advance"),
        ({"pad_torsion": -0.001}, "gripper.pad_torsion = -0.001"),
        ({"linkage_radius": 0.01}, "linkage_radius = 0.01 must be at least 0.02375 m, or 0"),
        ({"min_encompassed": 0.0}, "min_encompassed"),
        ({"min_encompassed": "thin"}, "min_encompassed = 'thin'"),
        ({"jaw_bodies": (Box("stub", (0.004, 0, -0.05), (0.01, 0.01, 0.01)),)}, r"jaw_bodies\[0\].centre\[0\] = 0.004"),
    ],
)
def test_values_out_of_range_are_refused_by_name(get, change, named):
    with pytest.raises(InvalidValue, match=named):
        replace(get, **change)


def test_pads_must_be_there_in_order_and_apart():
    pad = Pad(0.0, 0.01, 0.01, 0.065)
    beside = replace(pad, offset=0.01)
    assert Jaw((pad, beside)).offsets == (0.0, 0.01)  # touching is apart
    for pads in [(), (beside, pad), (pad, replace(pad, offset=0.009)), (replace(pad, base_width=0.012), beside)]:
        with pytest.raises(InvalidValue, match="jaw.pads"):
            Jaw(pads)


def test_box_must_have_a_volume():
    with pytest.raises(InvalidValue, match=r"palm.size\[1\]"):
        Box("palm", (0, 0, 0), (0.1, 0, 0.1))


def test_wide_circles_come_first_and_two_narrow_is_two_circles(get):
    seen = circles(get)
    np.testing.assert_array_equal(seen.offset, [-0.015, 0.015, 0.0])
    np.testing.assert_array_equal(seen.wide, [True, True, False])
    assert seen.radius == 0.005
    assert len(circles(Gripper.preset("two_narrow"))) == 2


def test_flat_pad_is_a_row_of_circles():
    seen = circles(Gripper.preset("two_wide"))
    np.testing.assert_allclose(seen.offset, [-0.015, -0.005, 0.005, 0.015] * 2, atol=1e-15)
    np.testing.assert_array_equal(seen.wide, [True] * 4 + [False] * 4)


@pytest.mark.parametrize("width", [0.004, 0.010, 0.0101, 0.020, 0.025, 0.0333, 0.060])
def test_row_is_flush_dense_and_no_longer_than_needed(get, width):
    jaw = Jaw((Pad(0.002, width, width, 0.065),))
    seen = circles(replace(get, wide=jaw))
    offset, diameter = seen.offset[seen.wide], 2 * seen.radius
    if width <= diameter:
        np.testing.assert_array_equal(offset, [0.002])
    else:
        assert np.isclose(offset[-1] - offset[0] + diameter, width, atol=1e-15)
        assert np.isclose(offset.mean(), 0.002, atol=1e-15)
        assert (np.diff(offset) <= diameter + 1e-12).all()
        assert (len(offset) - 1) * diameter < width


@pytest.mark.parametrize("name", PRESETS)
def test_pad_faces_are_the_opening_apart_and_close_towards_each_other(name):
    gripper = Gripper.preset(name)
    opening = np.array([[0.0, 0.03], [0.06, 0.095]])
    corners, sign = pad_corners(gripper, opening), closing_sign(gripper)
    assert corners.shape == (2, 2, len(gripper.pads), 4, 3)
    wide, x = np.array(gripper.is_wide), corners[..., 0]
    np.testing.assert_array_equal(x[..., ~wide, :].min((-1, -2)) - x[..., wide, :].max((-1, -2)), opening)
    closed = x + sign[:, None] * opening[..., None, None] / 2
    np.testing.assert_allclose(closed, 0, atol=1e-18)


def test_trapezoid_stands_on_its_tip_above_the_table(get):
    pad = Pad(0.004, 0.010, 0.016, 0.065)
    corners = pad_corners(replace(get, narrow=Jaw((pad,))), 0.05)[-1]
    expected = [[0.025, -0.001, 0], [0.025, 0.009, 0], [0.025, 0.012, -0.065], [0.025, -0.004, -0.065]]
    np.testing.assert_allclose(corners, expected, atol=1e-15)


def test_fingers_lie_behind_their_pads_and_end_at_the_palm(get):
    solid = boxes(get, np.array([0.02, 0.095]))
    low, high = solid.centre - solid.size / 2, solid.centre + solid.size / 2
    assert solid.names == ("wide jaw finger", "wide jaw finger", "narrow jaw finger", "palm")
    np.testing.assert_allclose(high[:, :2, 0], [[-0.01] * 2, [-0.0475] * 2], atol=1e-15)
    np.testing.assert_allclose(low[:, 2, 0], [0.01, 0.0475], atol=1e-15)
    np.testing.assert_allclose(high[:, :3, 2], 0, atol=1e-15)
    np.testing.assert_allclose(low[:, :3, 2], -get.finger_length, atol=1e-15)
    np.testing.assert_allclose(high[:, 3, 2], -0.075, atol=1e-15)  # palm 75 mm above the fingertips
    np.testing.assert_array_equal(solid.centre[0, 3], solid.centre[1, 3])


def test_solids_do_not_depend_on_the_batch(get):
    opening = np.linspace(0, 0.095, 6).reshape(2, 3)
    assert np.array_equal(boxes(get, opening).centre[1, 2], boxes(get, opening[1, 2]).centre)
    assert np.array_equal(pad_corners(get, opening)[1, 2], pad_corners(get, opening[1, 2]))
    assert boxes(replace(get, bodies=()), opening).centre.shape == (2, 3, 3, 3)
