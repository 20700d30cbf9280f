"""GET-2D on pictures and meshes that nobody here made: it plans, or refuses for the reason that is true.

The data lies in ``../shared/data`` with its licences; without it these tests are skipped.
"""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from get2d import Get2D
from grasp import Plan, Reason, View
from objects.doctor import Doctor
from objects.files import read_view
from objects.stable import Rest, resting_poses

DATA = Path(__file__).parents[2] / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not here")

PICTURES = {  # options of the reader, objects in the mask, what may be measured on the object in mm: least and greatest
    "arcbin_0": ({"mask": "mask_flashlight.png", "table_z": -0.265}, 1, (20, 130)),
    "cleargrasp_080": ({}, 4, (40, 250)),
    "cleargrasp_123": ({}, 3, (20, 100)),
    "graspnet6d_green_bowl": ({}, 1, (80, 200)),
    "graspnet6d_mustard": ({}, 1, (30, 130)),
    "graspnet6d_red_mug": ({}, 1, (70, 150)),
}
SILHOUETTES = {  # verdict in the most probable pose: None for a plan
    "wrs_bracketR1.stl": Reason.MISSES_HEIGHT,  # a sheet of 1 mm flat on the table, below the fingertips' clearance
    "wrs_airgun_host.stl": None,
    "wrs_housing.stl": None,
    "wrs_star1.stl": None,
    "tm_featuretype.stl": None,
    "tm_idler_riser.stl": None,
    "rgb_y5.stl": None,
    "rgb_m2.stl": None,
    "pb_blob042.obj": None,
    "ariac_pump_base.stl": None,  # 110 mm outside: only with one jaw in the bore
    "ariac_pipe_1.stl": None,
    "rav_disk2.obj": None,
    "fb_lamp_hood.obj": None,
    "ige_industreal_gear_small.obj": None,
    "drake_evo_bowl_col.obj": Reason.TOO_WIDE,  # 147 mm, and from above its rim is no hole
}


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_planned_on(name):
    options, objects, (least, most) = PICTURES[name]
    view, planner = read_view(DATA / "images" / name, **options), Get2D.preset()
    if objects > 1:
        refusal = planner.plan(view, np.random.default_rng(0))
        assert refusal.reason is Reason.SEVERAL_OBJECTS
        assert f"There are {objects}" in refusal.detail
        planner = replace(planner, perception=replace(planner.perception, on_several="largest"))
    plan = planner.plan(view, np.random.default_rng(0))
    assert isinstance(plan, Plan)
    for grasp in plan.grasps:
        assert 0 < grasp.opening <= planner.gripper.max_opening
    outline = planner.candidates(view, np.random.default_rng(0)).footprint
    sides = np.ptp(np.asarray(outline.polygon.minimum_rotated_rectangle.exterior.coords), axis=0) * 1e3
    assert least < sides.min() <= sides.max() < 2 * most
    assert any("degrees" in note for note in outline.notes)  # all were taken at a tilt: what was not seen is said


@pytest.mark.parametrize("name", SILHOUETTES)
def test_silhouettes_are_planned_on_or_refused_for_the_true_reason(name):
    index = {entry["file"]: entry for entry in json.loads((DATA / "index.json").read_text())["meshes"]}
    solid = Doctor.preset("default").load(DATA / "meshes" / name, index[f"meshes/{name}"]["scale_to_m"])
    rest = resting_poses(solid, Rest.preset("default"))[0]
    placed, planner = solid.posed(rest.T_table_object), Get2D.preset()
    answer = planner.plan(View.from_mesh(placed.vertices, placed.faces), np.random.default_rng(0))
    if SILHOUETTES[name] is None:
        assert isinstance(answer, Plan)
        assert answer.best.metrics.closure_rate == 1
    else:
        assert answer.reason is SILHOUETTES[name]
