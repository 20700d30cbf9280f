"""The timing measures what it says: realistic inputs, peers that must agree, saves that can be compared."""

import json
import re
import subprocess
import sys
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf
from shapely import Point, Polygon

from experiments import timing_peers as peers
from experiments.timing_closing import cast_ray, sweep_disc
from experiments.timing_inputs import Inputs, random_ring
from experiments.timing_report import FORMAT, absolute, comparison, read, table, verdict, write
from experiments.timing_rows import contacts
from experiments.timing_run import ROWS, measure, run, selected, spread
from tests.specimens import SIZE, idle_third, planar
from wrench import Convention, InvalidValue, force_closure, primitive_wrenches

ROOT = Path(__file__).parents[1]
SMALL = ["rounds=2", "turn=0", "planar.grasps=60", "spatial.grasps=100", "save=null", "~cold.first", "~cold.plan2d"]
SMALL += ["rows.plan2d.masks=2", "rows.plan2d.candidates=40", "rows.plan3d.meshes=[torus]", "~rows.three_pads_flat"]
SMALL += ["rows.plan3d.each=2", "rows.three_pads.each=2", "faces.counts=[200]", "faces.poses=10", "faces.rounds=2"]
SMALL += ["labels=null"]


def configured(*overrides):
    """Return the configuration as plain values, small."""
    with initialize_config_dir(str(ROOT / "conf"), version_base="1.3"):
        config = OmegaConf.to_container(compose("timing", [*SMALL, *overrides]), resolve=True)
    return config | {"rows": {name: {**row, "peers": 15} for name, row in config["rows"].items()}}


CONFIG = configured()
INPUTS = Inputs(CONFIG)


@pytest.fixture(scope="module")
def saved():
    return run(CONFIG)


def command(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "experiments.timing", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


# ---- a whole run -----------------------------------------------------------------------------------------------------


def test_every_row_is_measured_in_every_round_and_its_peer_agrees(saved):
    assert set(saved["rows"]) == set(ROWS)
    for row in saved["rows"].values():
        assert len(row["ours_s"]) == len(row["peer_s"]) == 2
        assert min(row["ours_s"] + row["peer_s"]) > 0
        assert row["wrong"] == 0
        assert row["of"] % 30 == 0


def test_cold_start_is_measured_by_the_fresh_process(saved):
    assert len(saved["cold"]["import"]["seconds"]) == 2
    assert min(saved["cold"]["import"]["seconds"]) > 0.01  # NumPy alone takes longer


def test_a_save_reads_back(saved, tmp_path):
    write(tmp_path / "new folder" / "save.json", saved)
    assert read(tmp_path / "new folder" / "save.json") == {"format": FORMAT, **saved}


def test_table_has_a_line_for_every_row(saved):
    lines = table(saved).splitlines()
    assert len(lines) == 1 + len(saved["rows"]) + len(absolute(saved)) + 2 + len(saved["faces"])
    for line, row in zip(lines[1:], saved["rows"].values(), strict=False):
        assert row["ours"] in line
        assert f"{row['of']}/{row['of']}: {row['rule']}" in line


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("answer", [0.0, 1.0])
def test_a_peer_that_always_says_the_same_counts_as_disagreeing(name, answer):
    """A peer that answers zero for everything is dead, not slow."""
    options = CONFIG["rows"][name]
    row = ROWS[name](INPUTS, options)
    constant = np.full_like(np.asarray(row.ask(0)), answer)
    options = options | {"peers": min(row.count, 100)}
    found = measure({name: replace(row, ask=lambda _: constant)}, {name: options}, 1, 0)[name]
    assert found["wrong"] > 0
    assert verdict(found) == "PEER DISAGREES"


def test_unknown_row_is_refused():
    with pytest.raises(InvalidValue, match=r"rows = 'planar_hul' must be one of planar_hull, spatial_nnls"):
        run(CONFIG | {"rows": {"planar_hul": {}}})


def test_peer_is_asked_other_grasps_every_round():
    asked = [spread(20, 5, shift) for shift in range(4)]
    assert asked[0] == [0, 4, 8, 12, 16]
    assert sorted(sum(asked, [])) == list(range(20))
    with pytest.raises(InvalidValue, match="peers = 21 must be between 1 and the number of questions, 20"):
        spread(20, 21, 0)


def test_no_rounds_is_refused():
    with pytest.raises(InvalidValue, match="rounds = 0 must be at least 1"):
        run(CONFIG | {"rounds": 0})


def test_a_selection_keeps_what_it_names():
    cut = selected(CONFIG, ["plan2d", "import"])
    assert (list(cut["rows"]), list(cut["cold"]), cut["faces"]) == (["plan2d"], ["import"], None)
    for table_name in ("faces", "labels"):
        cut = selected(CONFIG | {"labels": {"rounds": 1}}, [table_name])
        assert [name for name in ("faces", "labels") if cut[name] is not None] == [table_name]
    with pytest.raises(InvalidValue, match="only = 'plan' must be one of faces, import, labels, plan2d, plan3d"):
        selected(CONFIG, ["plan"])


def test_the_command_times_a_selection(tmp_path):
    told = command("only=[import]", f"save={tmp_path / 'save.json'}", "rounds=1")
    assert (told.returncode, told.stderr) == (0, "")
    assert list(read(tmp_path / "save.json")["config"]["cold"]) == ["import"]


# ---- verdicts and comparison -----------------------------------------------------------------------------------------


def entry(ours, peer, target, wrong=0):
    names = {"ours": "planar", "peer": "hull", "of": 9, "rule": "same"}
    return {"ours_s": ours, "peer_s": peer, "target": target, "wrong": wrong, **names}


def test_verdict_is_on_the_median_of_the_ratios_of_each_round():
    ours, peer = [1e-6, 2e-6, 1e-6], [10e-6, 40e-6, 2e-6]  # ratios 10, 20, 2
    assert verdict(entry(ours, peer, 10)) == "holds"
    assert verdict(entry(ours, peer, 10.1)) == "TOO SLOW"
    assert verdict(entry(ours, peer, None)) == "holds"
    assert verdict(entry(ours, peer, 1, wrong=1)) == "PEER DISAGREES"
    row = entry(ours, peer, 10) | {"most": 0.02, "call_s": [0.01, 0.021, 0.02], "calls": 9}
    made = table({"rows": {"row": row}, "cold": {"import": {"seconds": [2.0], "target": 1.0}}})
    assert re.search(r"1 +10 +10x \(2\.0-20\)", made)
    assert re.search(r"row: one call, median of 9 +20\.0 ms \(10\.0-21\.0\) +<= 20 ms +holds", made)
    assert re.search(r"2000\.0 ms \(2000\.0-2000\.0\) +<= 1000 ms +TOO SLOW", made)


def test_comparison_gives_the_ratio_of_ratios(saved):
    faster = deepcopy(saved)
    faster["rows"]["planar_hull"]["ours_s"] = [seconds / 2 for seconds in saved["rows"]["planar_hull"]["ours_s"]]
    faster["cold"]["import"]["seconds"] = [seconds / 4 for seconds in saved["cold"]["import"]["seconds"]]
    del faster["rows"]["spatial_nnls"]
    faster["provenance"]["seed"] += 1
    lines = {line.rsplit("  ", 1)[0].split("  ")[0]: line.split()[-1] for line in comparison(saved, faster).splitlines()}
    assert lines["planar_hull"] == "2.00"
    assert lines["spatial_hull"] == "1.00"
    assert lines["spatial_nnls"] == "-"
    assert lines["fresh process: import"] == "4.00"
    assert lines["plan2d: one call, median of 2"] == "1.00"
    assert comparison(saved, faster).endswith("The two differ in: seed")
    assert comparison(saved, saved).endswith("nothing but the run")


@pytest.mark.parametrize("text", ['{"format": "get-grasp timing 0"}', '{"rows": {}}', "[1]", "ours 0.1 us", ""])
def test_a_save_of_unknown_format_is_refused(text, tmp_path):
    (tmp_path / "other.json").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidValue, match=f"other.json = .* must be '{FORMAT}'"):
        read(tmp_path / "other.json")


def test_the_command_compares_two_saves_and_refuses_others(saved, tmp_path):
    write(tmp_path / "a.json", saved)
    told = command(f"compare=[{tmp_path / 'a.json'},{tmp_path / 'a.json'}]")
    assert (told.returncode, told.stderr) == (0, "")
    assert told.stdout.count("  1.00\n") == len(saved["rows"]) + len(absolute(saved))
    (tmp_path / "b.json").write_text(json.dumps({"format": "another"}), encoding="utf-8")
    told = command(f"compare=[{tmp_path / 'a.json'},{tmp_path / 'b.json'}]")
    assert told.returncode != 0
    assert f"'another' must be '{FORMAT}'" in told.stderr


def test_one_core_and_one_thread():
    code = (
        "import os, sys; from experiments.one_core import one_core; assert 'numpy' not in sys.modules; core = one_core();"
        "assert core is None or os.sched_getaffinity(0) == {core}; print(os.environ['OMP_NUM_THREADS'])"
    )
    assert subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True) == "1\n"


# ---- inputs ----------------------------------------------------------------------------------------------------------


def test_inputs_follow_from_the_seed():
    again, other = Inputs(CONFIG), Inputs(CONFIG | {"seed": 1})
    for name in ("planar", "spatial"):
        for field in ("points", "normals", "origin", "scale"):
            ours = getattr(getattr(INPUTS, name), field)
            np.testing.assert_array_equal(ours, getattr(getattr(again, name), field))
            assert not np.array_equal(ours, getattr(getattr(other, name), field))


@pytest.mark.parametrize("name", ["planar", "spatial"])
def test_most_grasps_close_and_some_do_not(name):
    config = CONFIG | {name: CONFIG[name] | {"grasps": 2000}}
    g = getattr(Inputs(config), name)
    assert 0.75 < force_closure(contacts(g), friction=g.friction).mean() < 0.97


def test_settings_that_give_no_grasp_are_refused():
    with pytest.raises(InvalidValue, match="grasps = 60 must be possible"):
        _ = Inputs(CONFIG | {"planar": CONFIG["planar"] | {"radius": [1.0, 1.0], "start": 3.0}}).planar  # a metre across


def test_swept_disc_stops_at_its_radius_from_the_polygon():
    """Shapely as the oracle: outside by exactly the radius where it stops, and never nearer on the way there."""
    rng, radius = np.random.default_rng(1), 0.005
    for _ in range(10):
        ring = random_ring(rng, CONFIG["planar"])
        angle = rng.uniform(0, 2 * np.pi, 20)
        direction = np.stack([np.cos(angle), np.sin(angle)], -1)
        centre = rng.normal(0, 0.02, (20, 2)) - 0.2 * direction
        travel, points, normals = sweep_disc(ring, centre, direction, radius)
        outline = Polygon(ring)
        for i in range(20):
            ways = np.linspace(0, min(travel[i], 0.4), 60)
            clear = [outline.distance(Point(centre[i] + way * direction[i])) for way in ways]
            assert min(clear) >= radius - 1e-12
            if np.isfinite(travel[i]):
                assert clear[-1] == pytest.approx(radius, abs=1e-12)
                assert outline.exterior.distance(Point(points[i])) < 1e-12
                there = centre[i] + travel[i] * direction[i]
                np.testing.assert_allclose(there + radius * normals[i], points[i], atol=1e-12)


def test_cast_ray_meets_the_near_face_of_a_box():
    start = np.array([[0.01, 0.005, 1.0], [-1.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
    heading = np.array([[0, 0, -1.0], [1, 0, 0], [1, 0, 0]])
    travel, points, normals = cast_ray(trimesh.creation.box((0.06, 0.04, 0.08)), start, heading)
    np.testing.assert_allclose(travel[:2], [0.96, 0.97], atol=1e-9)
    assert np.isinf(travel[2])
    np.testing.assert_allclose(points[:2], [[0.01, 0.005, 0.04], [-0.03, 0, 0]], atol=1e-9)
    np.testing.assert_allclose(normals[:2], heading[:2], atol=1e-12)


# ---- peers -----------------------------------------------------------------------------------------------------------


def test_hull_epsilon_of_a_cube_an_outside_and_a_flat_set():
    cube = np.array(np.meshgrid(*[[-1.0, 1.0]] * 3)).reshape(3, -1).T
    assert peers.hull_epsilon(cube) == pytest.approx(1, abs=1e-15)
    assert peers.hull_epsilon(cube + [1.5, 0, 0]) == 0
    assert peers.hull_epsilon(cube * [1, 1, 0]) == 0


def test_closure_peers_reject_an_idle_third_finger():
    """Zero on the boundary of the hull: a peer for closed hulls would accept it."""
    grasps = idle_third(np.random.default_rng(2), 20, 0.75)
    convention = Convention.of("paper", 8)
    wrenches = primitive_wrenches(grasps, friction=0.75, origin=[0, 0, 0], torque_scale=SIZE, convention=convention)
    for row in wrenches.reshape(20, 24, 6):
        assert not peers.closed_by_nnls(row, 1e-8)
        assert not peers.closed_by_linprog(row)


def test_planar_wrenches_are_the_librarys():
    grasps = planar(np.random.default_rng(3), 20)
    ours = primitive_wrenches(grasps, friction=0.6, origin=[0.01, 0.02], torque_scale=SIZE).reshape(20, 6, 3)
    for i in range(20):
        theirs = peers.planar_wrenches(grasps.points[i], grasps.normals[i], 0.6, np.array([0.01, 0.02]), SIZE)
        order, other = (np.lexsort(rows.round(9).T) for rows in (theirs, ours[i]))
        np.testing.assert_allclose(theirs[order], ours[i][other], atol=1e-14)
