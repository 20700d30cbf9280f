"""Footprints with known answers, and how tests plan on them and read what was proposed. Metres."""

from dataclasses import replace

import numpy as np
import shapely

from baselines.footprint import FootprintPlanner
from baselines.footprint_lines import landing_spots, on_table
from get2d.footprint import Footprint, HeightMap
from grasp import View
from grasp.frames import heading
from tests.polygons import disc

PLANNER = FootprintPlanner.preset()
PLANNER = replace(PLANNER, perception=replace(PLANNER.perception, cell=0.002))  # coarser columns, for time
SIDE = replace(PLANNER, prefer_side=True)
GET = PLANNER.gripper
CLEAR = PLANNER.room.clearance - PLANNER.room.slack
BIG = shapely.box(-0.06, -0.05, 0.06, 0.07)


def mug():
    """Return a body too wide to grasp with a handle of 10 mm about a hole of 28 x 43 mm, a little off the middle."""
    body = disc(0.1).union(shapely.box(0.04, -0.03, 0.09, 0.033))
    return body.difference(shapely.box(0.052, -0.02, 0.08, 0.023))


def ell():
    """Return an L of 85 x 80 mm whose arms are 20 mm wide; the lines through its centroid cross one arm."""
    return shapely.box(0, 0, 0.085, 0.02).union(shapely.box(0, 0, 0.02, 0.08))


def standing(polygon, height, cell=0.001):
    """Return a footprint with heights: a number, or a function of x and y."""
    low, high = np.reshape(polygon.bounds, (2, 2))
    x, y = np.meshgrid(*(np.arange(a, b + cell, cell) for a, b in zip(low, high, strict=True)))
    heights = np.broadcast_to(height(x, y) if callable(height) else height, x.shape)
    return Footprint(polygon, HeightMap(np.where(shapely.contains_xy(polygon, x, y), heights, np.nan), low, cell))


def cup():
    """Return a cup of 120 mm with a wall of 5 mm, 80 mm tall, its floor 5 mm thick."""
    return standing(disc(0.12), lambda x, y: np.where(np.hypot(x, y) > 0.055, 0.08, 0.005))


def planned(polygon, planner=PLANNER):
    return planner.plan(View.from_polygon(polygon), np.random.default_rng(0))


def spots_of(one, gripper=GET):
    """Return the landing spots of the wide and the narrow jaw of a top-down proposal, as polygons."""
    angle = heading(one.T_table_gripper)
    return [shapely.Polygon(spot) for spot in on_table(one.tip[:2], angle, landing_spots(gripper, one.opening))]


def material(polygon, one):
    """Return the share of the closing line, as far as the width goes, that lies in material: no planner code involved."""
    ends = one.tip[:2] + np.outer([-0.5, 0.5], one.closing[:2]) * one.width
    line = shapely.LineString(ends)
    return line.intersection(polygon.buffer(1e-9)).length / line.length


def accepted(proposals):
    return [one for one in proposals if one.graspable]
