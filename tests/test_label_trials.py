"""Trials of labels: outcomes of the physics engine for those drawn, null elsewhere, and no engine where there are none."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hydra.errors import ConfigCompositionException
from pyarrow import parquet

from experiments import physics_columns
from experiments.label import summary
from experiments.label_recipe import recipe
from grasp import GraspError, InvalidValue, Seed
from grasp.frames import pose_top_down
from labels import generate, load, manifest, store, table
from labels.record import NOISE, OUTCOME_FLAGS, OUTCOME_NUMBERS, OUTCOME_TEXTS
from labels.trials import displacement
from labels.tries import draw
from objects.placed import place
from physics import noisy, score
from tests.labelled import config, content, small
from tests.physics_bench import grasp
from tests.test_label_run import done

pytestmark = pytest.mark.physics

ROOT = Path(__file__).parents[1]
OUTCOMES = (*OUTCOME_FLAGS, *OUTCOME_NUMBERS, *OUTCOME_TEXTS, *NOISE)
TWO = ("objects=paper10", "objects.names=[camera_mount,arch]", "cases=get2d", "rest.poses=1", "tries.per_view=2")
GENTLE = ("physics=nominal", "physics.shake.multiples=[1.0]", "physics.shake.cycles=1", "physics.shake.accelerations=[14.0]")
GENTLE += ("physics.slip.angle=0.05", "physics.lift.hold_time=0.1")  # what takes long in a trial, shorter
OURS = (*OUTCOME_NUMBERS, *OUTCOME_FLAGS, *OUTCOME_TEXTS)
RECORD = dict.fromkeys([*OURS, "contacts", "slip_force_N", "slip_other_N", "friction", "force_N"])


def label(made, folder):
    """Label the objects one after the other and return what is read back."""
    records = [generate.label_object(made, folder, name) for name in made.objects.names]
    assert [record["failure"] for record in records if "failure" in record] == []
    store.write_whole(folder / manifest.NAME, store.json_bytes(manifest.manifest(made, records, [])))
    return load(folder)


@pytest.fixture(scope="module")
def made():
    return small(*TWO, *GENTLE)


@pytest.fixture(scope="module")
def whole(made, tmp_path_factory):
    return label(made, tmp_path_factory.mktemp("labels"))


def test_outcomes_are_those_of_the_trial_and_null_elsewhere(made, whole):
    for placement in whole:
        own = placement.labels
        drawn = np.isfinite(own.trial_weight)
        assert drawn.sum() == 2
        assert own.accepted[drawn].all()
        for row, tried in zip(table.to_table(own).to_pylist(), drawn, strict=True):
            if not tried:
                assert all(row[name] is None for name in OUTCOMES)
            else:
                assert row["grip"] in ("holding", "air", "jammed", "collision")
                assert row["lifted"] in (True, False)
                assert (row["slip_force_n"] is None) == (row["failed_in"] is not None)
                assert row["mass_kg"] > 0
                json.dumps(row, allow_nan=False)


def test_a_trial_can_be_done_again_from_names_and_seed(made, whole):
    (placed,) = place(made.objects, "arch")
    own = next(each.labels for each in whole if each.object == "arch")
    places, weights = draw(own, 2, made.stream("tries", "arch", "pose0", "overhead", "get2d"))
    np.testing.assert_array_equal(own.trial_weight[places], weights)
    gripper, settings = made.cases["get2d"].planner.gripper, made.trials.settings
    for i, k in enumerate(places):
        seed = Seed.of(made.stream("noise", "arch", "pose0", str(i)))
        given = replace(grasp(), T_table_gripper=own.T_table_gripper[k], opening=own.opening_m[k])
        record = score(given, placed.solid, gripper, settings, seed, whole.folder / "parts")
        assert (record["lifted"], record["grip"]) == (own.lifted[k], own.grip[k])
        assert (record["slip_force_N"], record["contacts"]) == (own.slip_force_n[k], own.trial_contacts[k])


def test_the_manifest_says_what_was_tried_and_with_which_engine(made, whole):
    told = whole.manifest
    assert told["physics"]["per_view"] == 2
    assert told["physics"]["settings"]["friction"] == made.trials.settings.friction
    assert {"mujoco", "coacd", "manifold3d"} <= told["versions"].keys()
    lifted = sum(int(np.nansum(each.labels.lifted)) for each in whole)
    assert told["trials"] == {"get2d": {"drawn": 4, "lifted": lifted, "failed": 0}}
    assert f"get2d: 4 tried, {lifted} lifted\n" in summary(told, [], 1.0, config(*TWO)) + "\n"
    assert not any(name.startswith("parts/") for name in told["files"])
    assert len(list((whole.folder / "parts").iterdir())) == 2


@pytest.mark.filterwarnings("ignore")  # of Dask's
@pytest.mark.parametrize("workers", [2, pytest.param(1, marks=pytest.mark.slow)])
def test_the_same_bytes_for_any_number_of_workers(made, whole, tmp_path, workers):
    found = done(made, tmp_path, workers)
    assert all(each.failure is None for each in found.values())
    assert content(tmp_path) == {name: data for name, data in content(whole.folder).items() if name != manifest.NAME}


def test_parts_too_unlike_the_object_cost_the_outcomes_only_and_are_made_once(tmp_path, monkeypatch):
    cuts = []

    def hull(solid, rules):
        cuts.append(solid.name)
        return [np.array(solid.vertices)]

    monkeypatch.setattr("physics.parts._cut", hull)
    found = label(small("objects.kinds=[ring]", "limit=1", *TWO[2:], "cases=planners", *GENTLE), tmp_path)
    assert len(cuts) == len(found)
    (placement,) = found
    assert np.isfinite(placement.labels.trial_weight).sum() == 4
    assert np.isnan(placement.labels.lifted).all()
    assert found.manifest["trials"] == {name: {"drawn": 2, "lifted": 0, "failed": 2} for name in ("get2d", "get3d")}
    assert "get3d: 2 tried, 0 lifted, 2 without an outcome" in summary(found.manifest, [], 1.0, config(*TWO))
    (why,) = found.manifest["placements"][0]["answers"][0]["trials"]["failed"]
    assert why.startswith("the convex parts of ring_000 are too unlike it")


def test_an_error_of_one_trial_costs_that_outcome_and_noise_is_shared_by_planners(tmp_path, monkeypatch):
    seeds = []

    def some_fail(given, solid, gripper, settings, seed, cache):
        seeds.append(seed)
        if len(seeds) == 3:
            raise GraspError("the simulation became unstable")
        gone = noisy(given, seed.rng(), settings.noise).T_table_gripper
        return RECORD | {"grip": "holding", "lifted": True, "contacts": 3, "T_table_gripper": gone.tolist()}

    monkeypatch.setattr("physics.run.score", some_fail)
    found = label(small(*TWO, "objects.names=[arch]", "cases=planners", "tries.per_view=4", *GENTLE), tmp_path)
    (placement,) = found
    assert found.manifest["trials"]["get2d"] == {"drawn": 4, "lifted": 3, "failed": 1}
    assert found.manifest["trials"]["get3d"] == {"drawn": 4, "lifted": 4, "failed": 0}
    assert seeds[:4] == seeds[4:]
    assert len(set(seeds)) == 4
    tried = [placement.labels[placement.labels.planner == name] for name in ("get2d", "get3d")]
    off = [set(own.noise_x_m[np.isfinite(own.noise_x_m)].round(12)) for own in tried]
    assert len(off[0]) == 3 and off[0] < off[1]
    assert np.nanmax(tried[1].trial_contacts) == 3


def test_the_displacement_is_the_one_that_was_made():
    rng = np.random.default_rng(0)
    for _ in range(20):
        x, y, yaw, angle = rng.uniform(-3, 3, 4)
        given = pose_top_down((0.1, -0.2), angle, 0.05)
        gone = pose_top_down((0.1 + x, -0.2 + y), angle + yaw, 0.05)
        assert list(displacement(given, gone)) == list(NOISE)
        np.testing.assert_allclose(list(displacement(given, gone).values()), [x, y, yaw], atol=1e-12)


def test_columns_that_an_older_file_lacks_are_null(whole):
    path = whole.folder / whole.manifest["placements"][0]["candidates"]
    old = parquet.read_table(path).drop_columns(["trial_weight", "grip", "trial_contacts", "slip_censored", "mass_margin"])
    labels = table.from_table(old)
    assert all(np.isnan(getattr(labels, name)).all() for name in ("trial_weight", "slip_censored", "trial_contacts"))
    assert (labels.grip == "").all()
    assert np.isfinite(labels.slip_force_n).any()


WITHOUT = """
import sys
from pathlib import Path
from tests.labelled import small
from labels import generate
made = small("objects=paper10", "objects.names=[arch]", "cases=planners", "rest.poses=1")
assert "failure" not in generate.label_object(made, Path(sys.argv[1]), "arch")
print([name for name in ("mujoco", "coacd", "physics") if name in sys.modules])
"""


def test_without_trials_the_engine_is_not_loaded(tmp_path):
    told = subprocess.check_output([sys.executable, "-c", WITHOUT, tmp_path], cwd=ROOT, text=True)
    assert told == "[]\n"
    assert not (tmp_path / "parts").exists()


def test_settings_of_trials_are_part_of_what_labels_depend_on_and_their_parts_folder_is_not():
    addresses = [recipe(config(*more)).address for more in ((), ("physics=nominal",), ("physics=low_friction",))]
    addresses.append(recipe(config("physics=nominal", "tries.per_view=5")).address)
    assert len(set(addresses)) == 4
    assert recipe(config("physics=nominal", "parts=elsewhere")).address == addresses[1]


def test_without_the_engine_trials_are_refused_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setattr(physics_columns, "find_spec", lambda name: None)
    with pytest.raises(InvalidValue, match=r"physics = without mujoco must be null, or .*pip install -e \"\.\[physics\]\""):
        recipe(config("physics=nominal"))


@pytest.mark.parametrize(
    ("override", "named"), [("tries.per_view=0", "per_view"), ("physics.friction=-1", "friction"), ("tries=1", "tries")]
)
def test_a_mistake_in_the_settings_is_named(override, named):
    with pytest.raises((InvalidValue, ConfigCompositionException), match=named):
        recipe(config("physics=nominal", override))


