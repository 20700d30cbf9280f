"""Properties of whole plans over forty seeded objects of a kind: each is gripped as asked, or refused with a reason."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import shapely

from baselines import BoundingBox
from baselines.footprint import FootprintPlanner
from get2d import Get2D
from get2d.perceive import perceive
from grasp import Gripper, Load, Obstacle, Plan, Reason, Surroundings, View
from grasp.frames import transform_points
from grasp.sizing import pressing
from grasp.solids import boxes
from objects import family
from objects.solid import Solid
from wrench.squeeze import largest_push

DENSITY, CAP = 1000.0, 60.0  # kg/m^3, N
LOAD = replace(Load.preset(), damage_cap=CAP)
FOOTPRINT, GET2D = FootprintPlanner.preset(), Get2D.preset()
PLANNERS = {
    "bbox": BoundingBox.preset(),
    "footprint": replace(FOOTPRINT, perception=replace(FOOTPRINT.perception, cell=0.002)),  # coarse, for time
    "get2d": replace(GET2D, density=replace(GET2D.density, edge_spacing=0.005, hole_spacing=0.005, vertex_lines=3)),
}
SLOW = ("bracket", "ring", "tapered", "superquadric")
KINDS = ("prism", *(pytest.param(kind, marks=pytest.mark.slow) for kind in SLOW))
LEVER = {"bbox": 0.15, "footprint": 0.2, "get2d": 0.35}  # of the object's length, by which the best line passes its centre
either = pytest.mark.parametrize("planner", PLANNERS)


@cache
def solids(kind):
    return tuple(Solid.from_trimesh(f"{kind} {i}", family.make(kind, i)) for i in range(40))


def answer(solid, planner, surroundings=None):
    """Return the plan on a true mesh, its mass known to the load alone."""
    view = View.from_mesh(solid.vertices, solid.faces).among(surroundings)
    loaded = replace(PLANNERS[planner], load=replace(LOAD, mass=DENSITY * solid.volume))
    return loaded.plan(view, np.random.default_rng(0))


def holds(plan, solid, planner):
    """Tell whether the bound of the best grasp holds the true mass at the centre that was seen, by the push it resists."""
    grasp, gripper = plan.best, planner.gripper
    weight = DENSITY * solid.volume * (LOAD.gravity + LOAD.acceleration) * LOAD.safety
    contacts, wide = pressing(grasp, gripper)
    given = {"friction": LOAD.friction, "closing_axis": grasp.T_table_gripper[:3, 0], "wide": wide}
    given |= {"torsion": gripper.pad_torsion, "grip": grasp.force.friction_bound}
    point = [*seen_centre(plan, solid, planner), grasp.T_table_gripper[2, 3]]
    return largest_push(contacts, **given, point=point, direction=[0, 0, -1]) >= weight * (1 - 1e-4)


def seen_centre(plan, solid, planner):
    """Return the centre of mass that the planner knows: that of its conventions, or else of the footprint that it saw."""
    if plan.conventions is not None:
        return plan.conventions.origin.point
    footprint = perceive(View.from_mesh(solid.vertices, solid.faces), planner.perception)
    return shapely.get_coordinates(footprint.polygon.centroid)[0]


def lever(solid, grasp):
    """Return how far the closing line passes the true centre of mass, over the object's length."""
    length = 2 * np.linalg.norm(solid.vertices[:, :2] - solid.center_mass[:2], axis=1).max()
    away, axis = solid.center_mass[:2] - grasp.T_table_gripper[:2, 3], grasp.T_table_gripper[:2, 0]
    return abs(away[0] * axis[1] - away[1] * axis[0]) / np.linalg.norm(axis) / length


@either
@pytest.mark.parametrize("kind", KINDS)
def test_every_object_is_gripped_within_the_stroke_or_refused_with_a_reason(kind, planner):
    gripper, planned = PLANNERS[planner].gripper, 0
    for solid in solids(kind):
        found = answer(solid, planner)
        if not isinstance(found, Plan):
            assert found.reason in Reason and found.detail
            continue
        planned += 1
        assert lever(solid, found.best) <= LEVER[planner], solid.name
        assert holds(found, solid, PLANNERS[planner]), solid.name
        for grasp in found.grasps:
            assert gripper.min_opening <= grasp.opening <= gripper.max_opening, solid.name
            assert grasp.force.friction_bound <= grasp.force.command <= CAP
            assert gripper.min_force <= grasp.force.command <= gripper.max_force
    assert planned >= 30


@pytest.mark.parametrize("jaws", ["two_narrow", "two_wide"])
def test_one_pad_on_each_jaw_carries_an_off_centre_weight_by_its_torsion(jaws):
    planner = replace(PLANNERS["bbox"], gripper=Gripper.preset(jaws))
    for solid in solids("prism")[:20]:
        loaded = replace(planner, load=replace(LOAD, mass=DENSITY * solid.volume))
        found = loaded.plan(View.from_mesh(solid.vertices, solid.faces), np.random.default_rng(0))
        assert isinstance(found, Plan), solid.name
        assert holds(found, solid, planner), solid.name


def fingers(grasp, gripper, opening):
    """Return points (n, 3) of the fingers at an opening, table frame: a grid over each of their boxes, corners included."""
    found, k = boxes(gripper, opening), len(gripper.pads)
    grid = np.stack(np.meshgrid(*[np.linspace(-0.5, 0.5, 7)] * 3), -1).reshape(-1, 3)
    own = (found.centre[:k, None] + found.size[:k, None] * grid).reshape(-1, 3)
    return transform_points(grasp.T_table_gripper, own)


@either
def test_no_finger_comes_near_a_forbidden_region(planner):
    """A disc of 16 mm on the outline, where it is farthest from the centre: a label, a rim, a sensor."""
    gripper, rules = PLANNERS[planner].gripper, PLANNERS[planner].clearance
    turned, planned = 0, 0
    for solid in solids("prism"):
        far = solid.vertices[np.linalg.norm(solid.vertices[:, :2], axis=1).argmax(), :2]
        region = shapely.Point(far).buffer(0.008)
        label = Obstacle("label", region, 0.0, float(solid.vertices[:, 2].max()))
        found = answer(solid, planner, Surroundings(forbidden=(label,)))
        if not isinstance(found, Plan):
            assert found.reason in Reason and found.detail
            continue
        planned += 1
        turned += Reason.FORBIDDEN_REGION in found.funnel.rejected
        for grasp in found.grasps:
            closed = grasp.opening - 2 * PLANNERS[planner].approach.margin  # no planner opens by more than that too much
            for opening in np.linspace(grasp.opening, max(closed, 0), 3):
                x, y, z = fingers(grasp, gripper, opening).T
                apart = np.hypot(shapely.distance(region, shapely.points(x, y)), np.maximum(z - label.high, 0))
                assert apart.min() >= rules.forbidden - 1e-6, solid.name
    assert planned >= 25 and turned >= 5
