"""Footprint planner: grippers are configurations, Hydra builds what the preset builds, bad settings are named."""

from dataclasses import replace

import pytest
from hydra import compose, initialize_config_dir

from baselines.footprint import FootprintPlanner
from experiments.schema import build
from get2d.footprint import Footprint
from grasp import Gripper, InvalidValue, presets
from tests.footprints import PLANNER, accepted, planned
from tests.polygons import bar


@pytest.mark.parametrize("gripper", presets.names("gripper"))
def test_every_gripper_is_a_configuration_of_one_planner(gripper):
    planner = replace(PLANNER, gripper=Gripper.preset(gripper))
    assert planned(bar(0.06, 0.03), planner).provenance.gripper == planner.gripper.name
    for one in accepted(planner.propose(Footprint(bar(0.06, 0.03)))):
        assert one.contacts >= 2


def test_hydra_builds_what_the_preset_builds():
    with initialize_config_dir(str(presets.CONF), version_base="1.3"):
        built = build(compose("plan", ["planner=footprint"]).planner, "planner")
    assert built == FootprintPlanner.preset()


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("ways", {}, "at least one"),
        ("ways", {"up": 2.0}, "planner.ways.up"),
        ("least_crossing", 1.5, "planner.least_crossing"),
        ("prefer_side", 1, "true or false"),
        ("mask_height", -0.1, "planner.mask_height"),
    ],
)
def test_bad_settings_of_the_planner_are_named(field, value, said):
    with pytest.raises(InvalidValue, match=said):
        replace(PLANNER, **{field: value})


@pytest.mark.parametrize(
    ("field", "value"),
    [("spacing", 0), ("least_thickness", -1), ("slope", 1.6), ("across", 2), ("apart", -1), ("keep", 2.5)],
)
def test_bad_settings_of_the_parts_are_named(field, value):
    with pytest.raises(InvalidValue, match=f"parts.{field}"):
        replace(PLANNER.parts, **{field: value})


@pytest.mark.parametrize(
    ("field", "value"), [("stand_off", -1), ("clearance", -1), ("insertion", "deep"), ("share_of_height", 2), ("slack", 0.1)]
)
def test_bad_settings_of_the_room_are_named(field, value):
    with pytest.raises(InvalidValue, match=f"room.{field}"):
        replace(PLANNER.room, **{field: value})
