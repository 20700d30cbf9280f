"""When a grasp holds: the boundary of the cone ratio against every cut there is, its laws, its interval, and its report."""

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from matplotlib.text import Text

from experiments import report, report_physics_figures, report_settings
from experiments.report_cone import boundary, closed, estimate, table
from experiments.report_physics import lifted
from experiments.report_rows import curves, groups
from experiments.report_table import NONE
from experiments.schema_rows import Row, Timing
from experiments.stats import Statistics

STATISTICS = Statistics(confidence=0.95, resamples=200, seed=0)


def row(ratio, up, thing="a", **over):
    """Return the row of a closed grasp of a cone ratio that was lifted, and shaken too, or not."""
    known = dict(unit=f"{thing}-{ratio}", object_set="made", object=thing, pose="pose0", planner="get3d", gripper="get")
    known |= dict(seed=0, setting="", setting_label="", setting_number=None, outcome="plan", reason="", sentence="")
    known |= dict(physics="nominal", physics_grip="holding", physics_hold="lock", physics_cone_ratio=ratio)
    known |= dict(physics_lifted=bool(up), physics_shaken=bool(up), physics_friction=0.75, physics_force_N=20.0)
    return Row(**known | dict(physics_mass_kg=0.1) | over)


def rows_of(ratio, held, things="a"):
    return [row(float(r), h, things[i % len(things)]) for i, (r, h) in enumerate(zip(ratio, held, strict=True))]


def drawn(rng):
    """Return ratios with ties, and who held: more likely the greater the ratio."""
    n = int(rng.integers(2, 14))
    ratio = rng.choice([0.5, 0.8, 1.0, 1.3, 2.0, 3.1], n) if rng.random() < 0.7 else rng.uniform(0.3, 3.0, n)
    return ratio, rng.random(n) < np.clip(ratio / 2, 0.1, 0.9)


def oracle(ratio, held):
    """Return the boundary by trying every cut between different ratios, and those below and above all, in turn."""
    levels = np.unique(ratio)
    between = [(levels[0] * 0.5, levels[0])]
    between += [(np.sqrt(a * b), np.sqrt(a * b)) for a, b in pairwise(levels)]
    between += [(levels[-1] * 2, levels[-1])]
    wrong = [sum((ratio > cut) != held) for cut, _ in between]
    return between[int(np.argmin(wrong))][1]


@pytest.mark.parametrize("seed", range(6))
def test_boundary_is_the_best_of_all_cuts(seed):
    rng, parted = np.random.default_rng(seed), 0
    for _ in range(100):
        ratio, held = drawn(rng)
        found = boundary(ratio, held)
        if held.all() or not held.any():
            assert np.isnan(found)
        else:
            assert found == pytest.approx(oracle(ratio, held), rel=1e-12)
            parted += 1
    assert parted > 50


@pytest.mark.parametrize("seed", range(10))
def test_boundary_scales_with_the_ratio_and_does_not_see_the_order(seed):
    rng = np.random.default_rng(seed)
    ratio, held = drawn(rng)
    held[:2] = [True, False]
    order, factor = rng.permutation(len(ratio)), rng.uniform(0.1, 10)
    assert boundary(factor * ratio, held) == pytest.approx(factor * boundary(ratio, held), rel=1e-12)
    assert boundary(ratio[order], held[order]) == boundary(ratio, held)


@pytest.mark.parametrize("held", [[True] * 3, [False] * 3])
def test_all_or_none_held_has_no_boundary(held):
    assert np.isnan(boundary(np.array([1.0, 2.0, 3.0]), np.array(held)))


def test_equal_ratios_are_not_parted():
    ratio, held = np.array([1.0, 1.0, 1.0, 4.0]), np.array([True, False, False, True])
    assert boundary(ratio, held) == 2
    same = boundary(np.full(4, 1.5), np.array([True, False, True, True]))
    assert same == pytest.approx(1.5, rel=1e-12)  # below all or above all: there is nothing between


def test_of_equally_good_cuts_the_lowest_counts():
    assert boundary(np.array([1.0, 4.0, 16.0, 64.0]), np.array([False, True, False, True])) == 2


def test_what_has_no_ratio_is_left_out():
    good = [row(1.0, True), row(1.0, False)]
    bad = [row(1.0, False, physics_grip="jammed"), row(None, False, physics_grip="collision")]
    assert closed([*good, *bad]) == good


@pytest.mark.parametrize("things", ["a", "abcdefghij"])
def test_the_interval_holds_the_boundary_and_where_it_was_drawn_from(things):
    """Grasps hold from 1 upwards, but for a logistic chance; objects are drawn where there are several, else trials."""
    rng = np.random.default_rng(5)
    ratio = np.exp(rng.normal(size=200))
    held = rng.random(200) < 1 / (1 + ratio**-6.0)
    found = estimate(rows_of(ratio, held, things), lifted, STATISTICS)
    assert found.value == boundary(ratio, held)
    assert found.low <= found.value <= found.high
    assert 0.6 < found.low < 1 < found.high < 1.6
    assert found.n == 200
    assert estimate(rows_of(ratio, held, things), lifted, STATISTICS) == found


def test_nothing_to_estimate():
    for rows in ([], rows_of([1, 2], [True, True]), rows_of([1, 2], [False, False])):
        found = estimate(rows, lifted, STATISTICS)
        assert np.isnan([found.value, found.low, found.high]).all()
        assert found.n == 0


def test_the_interval_of_few_objects_is_a_number():
    found = estimate(rows_of([0.5, 2, 0.6, 3], [False, True, False, True], "ab"), lifted, STATISTICS)
    assert found.low <= found.value <= found.high


def groups_of(ratio, held, things="a"):
    return {"get3d (get)": groups(rows_of(ratio, held, things))}


def test_the_table_counts_who_is_on_the_wrong_side():
    ratio = np.array([0.5, 0.6, 0.7, 0.8, 1.25, 2.0, 3.0, 4.0])
    held = np.array([0, 1, 0, 0, 1, 1, 0, 1], bool)
    ((name, n, lifts, wrong, _, _),) = table(groups_of(ratio, held), STATISTICS).rows
    assert (name, n, wrong) == ("get3d (get)", "8", "2")  # 0.6 held, 3.0 did not
    assert lifts.startswith("1.00 (")  # between 0.8 and 1.25


def test_the_table_tells_lifting_and_shaking_apart():
    ratio = np.array([0.25, 0.75, 1.0, 2.0, 4.0, 5.0] * 4)
    rows = [row(r, r > 0.5, physics_shaken=bool(r > 3), seed=i) for i, r in enumerate(ratio.tolist())]
    cells = table({"get3d (get)": groups(rows)}, STATISTICS).rows[0]
    assert (cells[2][:5], cells[3], cells[4][:5], cells[5]) == ("0.43 ", "0", "2.83 ", "0")  # sqrt(3) / 4 and sqrt(8)


def test_all_or_nothing_has_an_empty_cell():
    assert table(groups_of([1, 2], [True, True]), STATISTICS).rows == (("get3d (get)", "2", *[NONE] * 4),)
    assert table({"none": groups([row(None, False, physics_grip="air")])}, STATISTICS).rows == (("none", "0", *[NONE] * 4),)


def test_a_boundary_below_all_has_only_those_that_did_not_hold_on_the_wrong_side():
    assert table(groups_of([1, 2, 3], [True, True, False]), STATISTICS).rows[0][3] == "1"


def varied():
    """Return rows of two methods under three frictions, six objects each, held from a ratio of 1 and of 2."""
    rows = []
    for k, name in enumerate(("0.1", "0.3", "0.9")):
        setting = dict(setting="friction", setting_label=name, setting_number=float(name))
        for planner, least in (("bbox", 2), ("get3d", 1)):
            places = zip((np.linspace(0.4, 0.9, 6) * 3**k).tolist(), "abcdef", strict=True)
            own = [row(ratio, ratio > least, thing, planner=planner, **setting) for ratio, thing in places]
            rows += [replace(each, unit=f"{planner}-{name}-{i}", physics_slip_force_N=3.0 * k) for i, each in enumerate(own)]
    return rows


def test_a_question_has_a_section_of_when_a_grasp_holds():
    rows = varied()
    timings = {each.unit: Timing(each.unit, 0.1, 0.01, 0.1, 1.0) for each in rows}
    page = report.report(rows, timings, {}, STATISTICS, lambda name, pose: None, {}, {}, 0)
    assert '<section id="when-a-grasp-holds">' in page
    assert "get3d (get): share lifted in simulation is highest at 0.3, 1.00 (1.00 to 1.00)" in page
    first, second = report_physics_figures.cone_told(curves(groups(rows)), STATISTICS)
    assert "ratio 1, below which friction cannot carry the load" in first
    # least held and greatest not: 2.1 and 1.8; 1.2 and 0.9
    assert second.startswith("bbox (get) lifts from a cone ratio of 1.94 (")
    assert "; get3d (get) lifts from a cone ratio of 1.04 (" in second


def test_all_or_nothing_is_told():
    all_up = groups(rows_of([1, 2, 3], [True] * 3))
    assert report_physics_figures.cone_told(curves(all_up), STATISTICS)[1] == "get3d (get) lifts all or nothing."


def texts_overlap(figure):
    """Return pairs of texts of a figure that lie over each other."""
    figure.draw_without_rendering()
    beyond = set()  # labels of ticks outside of what is drawn
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        low, high = sorted(axis.get_view_interval())
        ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
        beyond |= {tick.label1 for tick in ticks if not low <= tick.get_loc() <= high}
    seen = [t for t in figure.findobj(Text) if t.get_visible() and t.get_text().strip() and t not in beyond]
    boxes = [(t.get_text(), t.get_window_extent().shrunk(0.98, 0.9)) for t in seen]
    return [(a, b) for (a, first), (b, second) in combinations(boxes, 2) if first.overlaps(second)]


FIGURES = {
    "outcomes": lambda found: report_physics_figures.outcomes(found[:2], lambda group: group.method, STATISTICS),
    "settings": lambda found: report_settings.figure(found, STATISTICS),
    "cone": lambda found: report_physics_figures.cone(curves(found), STATISTICS),
}


@pytest.mark.parametrize("name", FIGURES)
def test_no_text_lies_over_another(name, monkeypatch):
    kept = []
    for module in (report_settings, report_physics_figures):
        monkeypatch.setattr(module, "png", kept.append)
    FIGURES[name](groups(varied()))
    assert texts_overlap(kept[0]) == []


def test_the_picture_shows_the_share_of_every_step_of_the_ratio(monkeypatch):
    kept, rows = [], varied()
    monkeypatch.setattr(report_physics_figures, "png", kept.append)
    report_physics_figures.cone(curves(groups(rows)), STATISTICS)
    steps = np.geomspace(0.4 * (1 - 1e-6), 8.1 * (1 + 1e-6), report_physics_figures.BINS + 1)
    for panel in kept[0].axes:
        for curve, planner in zip(panel.containers, ("bbox", "get3d"), strict=True):
            own = [(each.physics_cone_ratio, each.physics_lifted) for each in rows if each.planner == planner]
            binned = [[up for ratio, up in own if low < ratio <= high] for low, high in pairwise(steps)]
            np.testing.assert_allclose(curve.lines[0].get_ydata(orig=False), [np.mean(each) for each in binned if each])
