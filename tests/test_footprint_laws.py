"""Footprint planner: laws of its proposals, and slow oracles for landing spots, collisions and masks on a plane."""

from dataclasses import replace

import numpy as np
import pytest
import shapely
from scipy.spatial.transform import Rotation
from shapely.affinity import translate

from baselines.footprint_mask import project_mask
from baselines.footprint_scene import entered
from get2d.footprint import Footprint
from grasp import Reason, Refusal
from grasp.frames import invert, transform_points
from grasp.solids import boxes
from tests.footprints import CLEAR, GET, PLANNER, SIDE, accepted, cup, ell, material, mug, planned, spots_of, standing
from tests.polygons import FAMILY, bar, blob, disc
from tests.seen import looking


@pytest.mark.parametrize("turn", [0.4, 2.0, np.pi, 4.5])
@pytest.mark.parametrize("shape", [mug(), ell(), blob(np.random.default_rng(5), 14), bar(0.03, 0.03)], ids="mlbs")
def test_turning_and_moving_object_and_arm_together_turns_and_moves_the_proposals(shape, turn):
    move = np.eye(4)
    move[:3, :3] = Rotation.from_euler("z", turn).as_matrix()
    move[:2, 3] = 0.21, -0.13
    arm = replace(PLANNER.reach, base=tuple((move @ [*PLANNER.reach.base, 1])[:3]))
    moved = shapely.transform(shape, lambda points: points @ move[:2, :2].T + move[:2, 3])
    before = PLANNER.propose(Footprint(shape))
    after = replace(PLANNER, reach=arm).propose(Footprint(moved))
    assert [(one.approach, one.reason) for one in after] == [(one.approach, one.reason) for one in before]
    Ts = np.array([one.T_table_gripper for one in after])
    np.testing.assert_allclose(Ts, move @ np.array([one.T_table_gripper for one in before]), atol=1e-7)


def test_moving_a_shape_without_the_arm_moves_the_grasps_from_above():
    here, there = (PLANNER.propose(Footprint(translate(bar(0.08, 0.03), x, 0.05)))[:2] for x in (0.0, 0.1))
    for a, b in zip(here, there, strict=True):
        np.testing.assert_allclose(b.tip - a.tip, [0.1, 0, 0], atol=1e-9)
        np.testing.assert_allclose(a.T_table_gripper[:3, :3], b.T_table_gripper[:3, :3], atol=1e-9)


@pytest.mark.parametrize("footprint", [Footprint(mug()), standing(disc(0.03), 0.15), cup()], ids=["mug", "cylinder", "cup"])
def test_the_pregrasp_stands_off_along_the_approach(footprint):
    for one in PLANNER.propose(footprint):
        back = invert(one.T_table_gripper) @ one.T_table_pregrasp
        np.testing.assert_allclose(back[:3, :3], np.eye(3), atol=1e-12)
        np.testing.assert_allclose(back[:3, 3], [0, 0, -PLANNER.room.stand_off], atol=1e-12)


def test_approaches_lean_away_from_the_arm_by_their_tilt_and_close_level():
    footprint = translate(disc(0.03), 0.1, 0.2)
    away = np.array([0.1, 0.2]) - PLANNER.reach.base[:2]
    away /= np.linalg.norm(away)
    for one in PLANNER.propose(standing(footprint, 0.15)):
        tilt = PLANNER.ways[one.approach]
        if tilt:
            expected = [*np.sin(tilt) * away, -np.cos(tilt)]
            np.testing.assert_allclose(one.T_table_gripper[:3, 2], expected, atol=1e-4)  # the disc is a polygon
        assert one.T_table_gripper[2, 0] == 0


def test_prefer_side_reverses_the_ways():
    footprint = standing(disc(0.04), 0.15)
    forward, back = (list(dict.fromkeys(one.approach for one in p.propose(footprint))) for p in (PLANNER, SIDE))
    assert forward == list(PLANNER.ways)
    assert back == forward[::-1]


@pytest.mark.parametrize("name", sorted(FAMILY))
def test_landing_spots_never_overlap_the_outline(name):
    for one in accepted(PLANNER.propose(Footprint(FAMILY[name]))):
        if one.approach.startswith("top_down"):
            for spot in spots_of(one):
                assert spot.intersection(FAMILY[name]).area == 0
                assert spot.distance(FAMILY[name]) >= CLEAR - 1e-9


@pytest.mark.parametrize("seed", range(40))
def test_a_random_outline_is_gripped_within_the_stroke_or_refused_with_a_reason(seed):
    rng = np.random.default_rng(seed)
    shape = blob(rng, int(rng.integers(5, 30)))
    shape = shapely.affinity.scale(shape, *[rng.uniform(0.3, 2.2)] * 2)
    result = planned(shape)
    if isinstance(result, Refusal):
        assert result.reason is not Reason.OK
        assert "mm" in result.detail
        assert result.funnel.kept == 0
        return
    for one in accepted(PLANNER.propose(Footprint(shape))):
        assert GET.min_opening <= one.width <= one.opening - 2 * CLEAR <= GET.max_opening - 2 * CLEAR
        assert material(shape, one) == pytest.approx(one.crossing, abs=1e-6) or one.approach != "top_down_part"
        assert one.contacts >= 2


def test_gripper_boxes_of_accepted_grasps_clear_the_table():
    for height in (0.03, 0.05, 0.09, 0.2):
        for one in accepted(PLANNER.propose(standing(bar(0.05, 0.035), height))):
            found = boxes(GET, one.opening)
            corners = found.centre[:, None] + (np.array(list(np.ndindex(2, 2, 2))) - 0.5) * found.size[:, None]
            for T in (one.T_table_gripper, one.T_table_pregrasp):
                assert transform_points(T, corners)[..., 2].min() >= PLANNER.approach.table_clearance - 1e-9


# ---- oracles ---------------------------------------------------------------------------------------------------------


def test_columns_enter_boxes_where_points_along_them_do():
    rng = np.random.default_rng(3)
    found, steps = boxes(GET, 0.05), np.linspace(0, 1, 200)
    low, high = found.centre - found.size / 2, found.centre + found.size / 2
    seen = 0
    for _ in range(20):
        T = np.eye(4)
        T[:3, :3] = Rotation.random(rng=rng).as_matrix()
        T[:3, 3] = rng.uniform([-0.05, -0.05, 0], [0.05, 0.05, 0.15])
        columns = rng.uniform([-0.1, -0.1, 0.01], [0.1, 0.1, 0.2], (100, 3))
        points = np.concatenate([np.repeat(columns[:, None, :2], 200, 1), (columns[:, 2:] * steps)[..., None]], -1)
        local = transform_points(invert(T), points.reshape(-1, 3)).reshape(100, 200, 1, 3)
        inside = ((local > low) & (local < high)).all(-1).any(1)  # (100, m)
        fast = entered(columns, T, low, high)
        assert not (inside & ~fast).any()
        grazed = entered(columns, T, low + 1e-3, high - 1e-3)  # entered by about the step between the points, or more
        assert not (grazed & ~inside & (columns[:, 2:] < 0.2)).any()
        seen += fast.sum()
    assert seen > 100


@pytest.mark.parametrize("tilt", [0.0, 0.3, np.pi / 4])
def test_a_mask_projects_to_the_square_it_shows(tilt):
    camera, height = looking(tilt, yaw=0.3), 0.04
    square = np.array([[-0.05, -0.04], [0.05, -0.04], [0.05, 0.04], [-0.05, 0.04]])
    u, v, _ = camera.project(np.column_stack([square, np.full(4, height)]))
    rows, columns = np.indices((camera.height, camera.width))
    mask = shapely.contains_xy(shapely.Polygon(np.column_stack([u, v])), columns, rows)
    found = project_mask(mask, camera, height, PLANNER.perception)
    pixel = 2 * 0.6 / 600
    assert found.polygon.hausdorff_distance(shapely.Polygon(square)) < 1.5 * pixel
    assert "40 mm above the table" in found.notes[-1]


def test_a_plane_too_low_inflates_the_footprint_by_the_ratio_of_the_distances():
    camera, mask = looking(), np.zeros((240, 320), bool)
    mask[60:180, 100:220] = True
    low, high = (project_mask(mask, camera, z, PLANNER.perception).polygon.area for z in (0.0, 0.15))
    assert np.sqrt(low / high) == pytest.approx(0.6 / 0.45, rel=1e-9)
