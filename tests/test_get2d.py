"""Laws of the whole planner over the family, its plans judged again by the slow oracle, and cases with known answers."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shapely
from shapely import Polygon
from shapely.affinity import affine_transform

from get2d.edges import Edges
from get2d.evaluate import evaluate
from get2d.footprint import Footprint
from get2d.place import place
from get2d.planner import Get2D
from get2d.samplers import sample
from grasp import Gripper, Reason, Refusal, View, presets, to_json
from grasp.circles import circles
from tests import oracle_2d
from tests.oracles import made_only
from tests.polygons import FAMILY, bar, disc, ring, two_holes, u_shape, wedge
from wrench import Draws, Perturbation, Robustness

CASES = Path(__file__).parents[2] / "shared" / "cases"
needs_cases = pytest.mark.skipif(not CASES.is_dir(), reason="../shared/cases is absent")
PLANNER = Get2D.preset("get2d")
DRAWN = PLANNER.perturbation.draws(np.random.default_rng(0), dimension=2)
STILL = replace(PLANNER, perturbation=Perturbation(sigma=0.0, samples=1))


def five_pads():
    """Return a gripper of three pads against two."""
    get = presets.read("gripper", "get")
    pad = get["narrow"]["pads"][0]
    wide, narrow = ({"pads": [{**pad, "offset": y} for y in ys]} for ys in ([-0.018, 0, 0.018], [-0.009, 0.009]))
    return Gripper.from_dict({**get, "wide": wide, "narrow": narrow, "name": "five_pads"})


GRIPPERS = {name: Gripper.preset(name) for name in ("get", "two_narrow", "two_wide")} | {"five_pads": five_pads()}
PLANNERS = {name: replace(PLANNER, gripper=gripper) for name, gripper in GRIPPERS.items()}


def plan(polygon, seed=0, planner=PLANNER):
    return planner.plan(View.from_polygon(polygon), np.random.default_rng(seed))


def judged(polygon, drawn):
    """Return all candidates on a polygon as it is given, under these draws."""
    edges, gripper = Edges.of(polygon), PLANNER.gripper
    limits = {"max_opening": gripper.max_opening, "min_opening": gripper.min_opening, "margin": PLANNER.approach.margin}
    placed = place(edges, sample(edges, PLANNER.density), circles(gripper), **limits)
    return evaluate(Footprint(polygon), placed, gripper, PLANNER.judge, drawn, PLANNER.approach)


def pose(grasp):
    """Return centre, heading and opening of a grasp, from its pose alone."""
    T = grasp.T_table_gripper
    return T[:2, 3], np.arctan2(T[1, 0], T[0, 0]), grasp.opening


# ---- every answer, over the family -----------------------------------------------------------------------------------


@pytest.mark.parametrize("planner", PLANNERS.values(), ids=PLANNERS)
@pytest.mark.parametrize("name", FAMILY)
def test_every_grasp_fits_starts_clear_and_touches_the_outline(name, planner):
    polygon, discs, limit = FAMILY[name], circles(planner.gripper), planner.gripper.max_opening
    answer = plan(polygon, planner=planner)
    assert answer.funnel.sampled == answer.funnel.kept + sum(answer.funnel.rejected.values()) > 0
    if isinstance(answer, Refusal):
        assert answer.reason in answer.funnel.rejected
        assert str(answer.funnel.sampled) in answer.detail
        assert answer.funnel.kept == 0
        return
    assert 1 <= len(answer.grasps) <= planner.keep
    metrics = [grasp.metrics for grasp in answer.grasps]
    keys = [(m.closure_rate, round(m.mean_contacts, 9), round(m.mean_epsilon, 9)) for m in metrics]
    assert keys == sorted(keys, reverse=True), "best first"
    for grasp in answer.grasps:
        centre, angle, opening = pose(grasp)
        start, _ = oracle_2d.starts(discs.offset, discs.wide, discs.radius, centre[None], np.array([angle]), [opening])
        assert oracle_2d.gap(polygon, start[0], discs.radius).min() >= -1e-12
        assert opening <= limit + 1e-12
        points, normals = (part[grasp.contacts.made] for part in (grasp.contacts.points, grasp.contacts.normals))
        assert grasp.contacts.made[discs.wide].any()
        assert grasp.contacts.made[~discs.wide].any()
        assert shapely.distance(polygon.boundary, shapely.points(points)).max() < 1e-9
        assert oracle_2d.gap(polygon, points - discs.radius * normals, discs.radius).min() > -1e-9, "normals point inward"


def test_the_family_is_planned_but_for_the_bar_that_does_not_fit():
    refused = {name: answer.reason for name, polygon in FAMILY.items() if isinstance(answer := plan(polygon), Refusal)}
    assert refused == {"just_does_not_fit": Reason.TOO_WIDE}


@pytest.mark.parametrize("planner", PLANNERS.values(), ids=PLANNERS)
@pytest.mark.parametrize("name", FAMILY)
def test_metrics_are_the_slow_oracles(name, planner):
    """Means from pose, opening and seed alone; epsilon from the stored contacts, as a disc in a corner has two to choose."""
    answer = plan(FAMILY[name], seed=5, planner=planner)
    if isinstance(answer, Refusal):
        assert (name, answer.reason) in {("just_does_not_fit", Reason.TOO_WIDE), ("just_fits", Reason.NO_CLOSURE)}
        return
    drawn = planner.perturbation.draws(answer.provenance.seed.rng(), dimension=2)
    rules = {"min_opening": planner.gripper.min_opening, "tolerance": planner.gripper.tolerance}
    for grasp in answer.grasps[:4]:
        rate, contacts, mean = oracle_2d.metrics(
            FAMILY[name], circles(planner.gripper), *pose(grasp), drawn.translation, friction=planner.judge.friction, **rules
        )
        alone = oracle_2d.epsilon(FAMILY[name], *made_only(grasp.contacts), planner.judge.friction)
        found = grasp.metrics
        assert (found.closure_rate, found.mean_contacts) == (rate, contacts)
        assert found.mean_epsilon == pytest.approx(mean, abs=1e-9)
        assert found.epsilon == pytest.approx(alone, abs=1e-9)


@pytest.mark.parametrize("name", FAMILY)
def test_moving_and_turning_the_object_moves_every_candidate_with_it(name):
    """The draws turn along; all candidates are compared, kept and rejected."""
    c, s, shift = np.cos(np.sqrt(2)), np.sin(np.sqrt(2)), np.array([0.31, -0.17])
    turn = np.array([[c, -s], [s, c]])
    turned = Draws(DRAWN.translation @ turn.T, DRAWN.rotation, DRAWN.friction, DRAWN.origin @ turn.T)
    moved = affine_transform(FAMILY[name], [*turn.ravel(), *shift])
    before, after = judged(FAMILY[name], DRAWN), judged(moved, turned)
    np.testing.assert_array_equal(before.candidates.sampler, after.candidates.sampler)
    np.testing.assert_allclose(before.candidates.opening, after.candidates.opening, atol=1e-9)
    stands = before.candidates.opening > 0
    centre = before.candidates.centre @ turn.T + shift
    np.testing.assert_allclose(centre[stands], after.candidates.centre[stands], atol=1e-9)
    np.testing.assert_array_equal(before.robustness.closed, after.robustness.closed)
    np.testing.assert_array_equal(before.robustness.mean_contacts, after.robustness.mean_contacts)
    np.testing.assert_allclose(before.robustness.mean_epsilon, after.robustness.mean_epsilon, atol=1e-9)
    np.testing.assert_array_equal(before.candidates.reason, after.candidates.reason)


def test_ring_direction_does_not_matter():
    plate = two_holes()
    outer, holes = plate.exterior.coords, [hole.coords for hole in plate.interiors]
    plates = [Polygon(outer[::way], [hole[::other] for hole in holes]) for way in (1, -1) for other in (1, -1)]
    assert len({to_json(plan(plate, seed=1)) for plate in plates}) == 1


def test_one_seed_gives_one_plan_and_another_seed_other_draws():
    first, again, other = (plan(FAMILY["two_holes"], seed) for seed in (7, 7, 8))
    assert to_json(first) == to_json(again)
    assert first.best.metrics.mean_epsilon != other.best.metrics.mean_epsilon


# ---- ranking ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize(("length", "off"), [(0.122, 0.0), (0.120, 0.001)])
def test_a_bar_is_best_held_at_the_middle_of_its_long_side(length, off, way):
    """Too long to be held end to end; lines stand 2 mm apart, on the middle for an odd number of them."""
    shape = Polygon(bar(length, 0.02).exterior.coords[::way])
    best = plan(shape, planner=STILL).best
    assert best.sampler == "edge"
    np.testing.assert_allclose(np.abs(best.T_table_gripper[:2, 3]), [off, 0], atol=1e-12)


def test_a_plateau_is_taken_at_its_middle_and_does_not_reach_across_a_rejected_candidate():
    evaluated = judged(bar(0.122, 0.02), DRAWN)
    n = len(evaluated)
    level = replace(evaluated, robustness=Robustness(np.full(n, 10), 10, np.full(n, 3.0), np.full(n, 0.2)))
    tied = replace(level, candidates=replace(level.candidates, reason=Reason.accepted(n)))
    best = tied.candidates.centre[tied.ranking()[0]]
    np.testing.assert_allclose(best, [0, 0], atol=1e-12)
    x = tied.candidates.centre[:, 0]
    broken = replace(tied, candidates=tied.candidates.reject(np.abs(x) < 0.003, Reason.NO_CLOSURE))
    best = broken.candidates.centre[broken.ranking()[0]]
    np.testing.assert_allclose(np.abs(best), [0.032, 0], atol=1e-12)  # halves from 4 to 60 mm


# ---- known answers, on polygons and on the masks of the shared cases -------------------------------------------------


def drawn(shape, _):
    return View.from_polygon(shape)


def seen(_, name):
    import cv2

    return View.from_mask(cv2.imread(str(CASES / name), cv2.IMREAD_GRAYSCALE) > 0, pixels_per_meter=1000)


def outline(name):
    shape = json.loads((CASES / name).read_text(encoding="utf-8"))
    return Polygon(np.array(shape["exterior_mm"]) / 1e3, [np.array(hole) / 1e3 for hole in shape["holes_mm"]])


either = pytest.mark.parametrize(
    ("view", "pixel"), [(drawn, 2e-5), pytest.param(seen, 1e-3, marks=needs_cases)], ids=["polygon", "mask"]
)


@either
def test_o24_disc_of_110_mm_is_refused_with_the_opening_it_needs(view, pixel):
    """R + sqrt((R + r)^2 - a^2) - r = 108.09 mm for R = 55, r = 5, a = 15 mm."""
    answer = PLANNER.plan(view(disc(0.11), "O24/disc_110.png"), np.random.default_rng(0))
    assert answer.reason is Reason.TOO_WIDE
    assert answer.funnel.rejected == {Reason.TOO_WIDE: answer.funnel.sampled}
    assert answer.nearest_miss[Reason.TOO_WIDE]["opening_needed_mm"] == pytest.approx(108.0948, abs=pixel * 1e3)
    assert "The least opening needed is 10" in answer.sentence


@either
def test_o24_disc_of_90_mm_is_planned_within_the_opening(view, pixel):
    answer = PLANNER.plan(view(disc(0.09), "O24/disc_90.png"), np.random.default_rng(0))
    assert all(grasp.opening <= PLANNER.gripper.max_opening for grasp in answer.grasps)
    assert answer.best.metrics.closure_rate == 1


@either
def test_o25_ring_of_120_and_90_mm_is_held_by_its_wall(view, pixel):
    """Every grasp has the narrow contact at 45 mm and the wide ones at 60 mm from the centre."""
    view = view(ring(0.12, 0.09), "O25/ring.png")
    middle = np.zeros(2)
    if view.mask is not None:  # the table frame begins at the centre of the image
        pixels = np.argwhere(view.mask)[:, ::-1] - (np.array(view.mask.shape[::-1]) - 1) / 2
        middle = pixels.mean(0) * [1, -1] / view.pixels_per_meter
    for grasp in PLANNER.plan(view, np.random.default_rng(0)).grasps:
        assert grasp.contacts.made.all()
        radius = np.linalg.norm(grasp.contacts.points - middle, axis=1)
        np.testing.assert_allclose(radius, [0.06, 0.06, 0.045], atol=max(1.5 * pixel, 1e-4))


@needs_cases
def test_o26_wedge_is_the_one_closed_on():
    assert outline("O26/wedge.json").equals(wedge())


@needs_cases
def test_o09_four_ring_directions_give_the_same_grasps():
    plates = [outline(path.relative_to(CASES)) for path in sorted((CASES / "O09").glob("*.json"))]
    assert len(plates) == 4
    assert len({to_json(plan(plate)) for plate in plates}) == 1


def test_narrow_jaw_goes_into_the_notch_of_a_u():
    """The prong is 28 mm wide, the whole U 70 mm."""
    evaluated = judged(u_shape(0.014), DRAWN)
    grips = evaluated.candidates.accepted & (np.abs(evaluated.contacts.points[:, -1, 0]) < 0.0071)
    grips &= evaluated.contacts.made[:, -1] & (np.abs(np.sin(evaluated.candidates.angle)) < 1e-9)
    np.testing.assert_allclose(evaluated.candidates.needed[grips], 0.028, atol=1e-9)
    assert evaluated.robustness.closure_rate[grips].max() > 0.5
