"""Surroundings from a file and loads on the command line: read strictly, planned with, and told."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shapely

from baselines import Antipodal, BoundingBox, FootprintPlanner, ProfileRules
from baselines.antipodal import ASSUMED
from experiments import plan
from experiments.plan import BAD_INPUT, NO_GRASP, PLANNED
from experiments.plan_pictures import notes
from experiments.plan_surroundings import read_surroundings
from get2d import Get2D
from grasp import GraspError, Plan, Reason, Refusal, View, from_json
from grasp.load import Load
from tests.turned import BOTTLE

BLOCK = "POLYGON ((-50 -16, 50 -16, 50 16, -50 16, -50 -16))"
NEAR = {"name": "mug", "polygon": [[-0.1, 0.02], [0.1, 0.02], [0.1, 0.05]], "low": 0.0, "high": 0.06, "kind": "obstacle"}
LABEL = {"name": "label", "polygon": [[0, 0], [0.01, 0], [0.01, 0.01]], "low": 0.0, "high": 0.01, "kind": "forbidden"}
LOAD = replace(Load.preset(), mass=None)  # of the preset's density
CUBE = np.stack(np.meshgrid(*[np.arange(-0.02, 0.0201, 0.001)] * 2, np.linspace(0.001, 0.04, 40)), -1).reshape(-1, 3)
BOX = ("input=block.wkt", "unit=mm", "output=run", "planner=bbox")


@pytest.fixture
def command(monkeypatch, tmp_path, capfd):
    """Return a function that runs the command in an empty folder and returns its status and what it printed."""
    monkeypatch.chdir(tmp_path)
    Path("block.wkt").write_text(BLOCK)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["plan", *arguments])
        status = plan.main()
        return status, *capfd.readouterr()

    return run


def written(entries, tmp_path):
    path = tmp_path / "around.json"
    path.write_text(json.dumps(entries))
    return path


def test_entries_are_sorted_by_kind(tmp_path):
    around = read_surroundings(written([NEAR, LABEL], tmp_path))
    assert [one.name for one in around.obstacles] == ["mug"]
    assert [(one.name, one.high, one.polygon.area) for one in around.forbidden] == [("label", 0.01, pytest.approx(5e-5))]
    assert read_surroundings(written([], tmp_path)).obstacles == ()


@pytest.mark.parametrize(
    ("entries", "named"),
    [
        ({"name": "mug"}, r"around.json = dict must be a list"),
        ([NEAR, 3], r"around.json\[1\] = 3 must be a mapping"),
        ([NEAR | {"hight": 1}], r"around.json\[0\]: key = 'hight'"),
        ([{"name": "mug"}], r"around.json\[0\]: missing key = 'polygon', 'low', 'high', 'kind'"),
        ([NEAR | {"kind": "wall"}], r"around.json\[0\].kind = 'wall' must be one of obstacle, forbidden"),
        ([NEAR | {"kind": []}], r"around.json\[0\].kind"),
        ([NEAR | {"polygon": [[0, 0], [1, 1]]}], r"around.json\[0\].polygon = .* must be a ring of at least 3"),
        ([NEAR | {"polygon": [[0, 0], [1, 1], [2]]}], r"around.json\[0\].polygon"),
        ([NEAR | {"polygon": "square"}], r"around.json\[0\].polygon = 'square'"),
        ([NEAR | {"polygon": [[0, 0], [1, 1], [1, 0], [0, 1]]}], r"around.json\[0\]: mug.polygon = .* without crossings"),
        ([NEAR | {"high": 0.0}], r"around.json\[0\]: mug.high = 0.0 must be above low"),
        ([NEAR | {"low": "0"}], r"around.json\[0\]: mug.low = '0' must be a number"),
        ([NEAR | {"name": " "}], r"around.json\[0\]: obstacle.name"),
    ],
)
def test_what_is_no_surroundings_is_refused_by_place(entries, named, tmp_path):
    with pytest.raises(GraspError, match=named):
        read_surroundings(written(entries, tmp_path))


@pytest.mark.parametrize("text", ["", "[", "[NaN]"])
def test_what_is_no_json_is_refused(text, tmp_path):
    path = tmp_path / "around.json"
    path.write_text(text)
    with pytest.raises(GraspError, match=r"not JSON|number = NaN"):
        read_surroundings(path)


def test_command_plans_among_surroundings_or_says_what_is_missing(command):
    Path("around.json").write_text(json.dumps([NEAR]))
    status, out, err = command(*BOX, "surroundings=around.json")
    assert (status, err) == (NO_GRASP, "")
    assert "mm of room" in out and "the mug" in out
    refusal = from_json(Path("run/plan.json").read_text())
    assert refusal.nearest_miss[refusal.reason]["shortfall_mm"] > 0
    status, out, _ = command(*BOX[:2], "output=free", "planner=bbox")
    assert status == PLANNED
    status, out, err = command(*BOX[:2], "output=bad", "surroundings=nothing.json")
    assert (status, out) == (BAD_INPUT, "") and "nothing.json" in err and not Path("bad").exists()


def test_command_prints_the_grip_force_and_its_bounds(command):
    """200 g, S = 2, 2 m/s^2, friction 0.75: 0.2 x 11.81 x 2 / 1.5 = 3.15 N, below the least setting of 20 N."""
    status, out, err = command(*BOX, "load=default", "load.mass=0.2", "load.damage_cap=40")
    assert (status, err) == (PLANNED, "")
    head, row = out.splitlines()[:2]
    assert all(word in head for word in ("grip N", "friction N", "damage N", "gripper N"))
    assert row.split()[-4:] == ["20.0", "3.1", "40.0", "20-235"]
    assert from_json(Path("run/plan.json").read_text()).best.force.friction_bound == pytest.approx(3.149333, abs=1e-6)
    status, out, _ = command(*BOX, "output=fragile", "load=default", "load.mass=0.2", "load.damage_cap=15")
    assert (status, "the object bears 15 N" in out) == (NO_GRASP, True)
    assert from_json(Path("fragile/plan.json").read_text()).reason is Reason.DAMAGE_CAP


def test_an_estimated_mass_is_said_to_be_one(command):
    status, out, err = command("planner=bbox", "load=default", "output=run")
    assert (status, err) == (PLANNED, "")
    assert "note: The mass is a density times a volume estimated" in out


def test_walls_assumed_below_the_rim_are_said_to_be_and_only_for_a_plan_that_holds_them():
    planner, outline = Antipodal.preset(), View.from_polygon(shapely.box(-0.03, -0.016, 0.03, 0.016))
    result = planner.plan(outline, np.random.default_rng(0))
    assert isinstance(result, Plan) and ASSUMED in notes(result, planner, outline)
    without = replace(planner, friction=1e-6)
    refusal = without.plan(outline, np.random.default_rng(0))
    assert isinstance(refusal, Refusal) and ASSUMED not in notes(refusal, without, outline)


def test_notes_of_perception_are_passed_on_by_planners_on_a_footprint():
    cloud = View.from_cloud(np.append(CUBE, [[np.nan, 0, 0]], 0))
    for planner in (Antipodal.preset(), BoundingBox.preset(), FootprintPlanner.preset(), Get2D.preset()):
        result = planner.plan(cloud, np.random.default_rng(0))
        assert "1 points of the cloud were dropped because they were not finite." in notes(result, planner, cloud)


@pytest.mark.parametrize(("matter", "ends"), [("solid", "revolution."), ("vessel", "revolution, too much for a vessel.")])
def test_the_mass_of_a_body_of_revolution_is_that_of_its_solid(matter, ends):
    planner, view = replace(ProfileRules.preset(), matter=matter, load=LOAD), View.from_mask(BOTTLE.side_mask(2000), 2000)
    result = planner.plan(view, np.random.default_rng(0))
    told = notes(result, planner, view)[-1]
    assert told.startswith("The mass is a density times the volume of the solid body") and told.endswith(ends)


@pytest.mark.parametrize("wrong", ["load.mass=-1", "load.mass=heavy", "load.safety=0.5", "load.damage_cap=0"])
def test_a_load_out_of_range_is_named(command, wrong):
    status, out, err = command(*BOX, "load=default", wrong)
    assert (status, out, len(err.splitlines())) == (BAD_INPUT, "", 1)
    assert wrong.partition("=")[0] in err
