"""Labels of one object: every candidate is there, says what it means, and depends on nothing but seed and name."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

from experiments.label_recipe import recipe
from grasp import Funnel, InvalidValue, Reason, View
from grasp.frames import heading
from grasp.reasons import _BY_CODE
from labels import generate, load, manifest, pictures, store, table
from labels.record import concatenate
from labels.schema import COLUMNS
from objects.placed import place
from tests.labelled import config, content, from_meshes, planar, same, small
from tests.seen import SHARED, needs_cases
from wrench import Contacts, quality

CASES = SHARED / "cases"


def label(made, folder, names=None):
    """Label objects one after the other and write the manifest, as a run does."""
    records = [generate.label_object(made, folder, name) for name in names or made.objects.names]
    good = [record for record in records if "failure" not in record]
    bad = [{"object": record["object"], **record["failure"]} for record in records if "failure" in record]
    store.write_whole(folder / manifest.NAME, store.json_bytes(manifest.manifest(made, good, bad)))
    return load(folder)


@pytest.fixture(scope="module")
def made():
    return small("cases=five", "limit=1")


@pytest.fixture(scope="module")
def whole(made, tmp_path_factory):
    return label(made, tmp_path_factory.mktemp("labels"))


def test_every_candidate_of_every_planner_is_there(made, whole):
    for placement, placed in zip(whole, place(made.objects, made.objects.names[0]), strict=True):
        picture = placement.picture("overhead").view()
        views = {"camera": ("overhead", picture), "mesh": ("", View.from_mesh(placed.solid.vertices, placed.solid.faces))}
        for name in ("get2d", "get3d"):
            case = made.cases[name]
            view, seen = views[case.sees]
            rng = made.stream("planner", placement.object, placement.pose, view, name)
            found = case.planner.candidates(seen, rng)
            own = placement.labels[placement.labels.planner == name]
            assert (len(own), set(own.view)) == (len(found), {view})
            np.testing.assert_array_equal(own.reason_code, found.candidates.reason)
            contacts = found.contacts if name == "get2d" else found.candidates.contacts
            np.testing.assert_array_equal(own.contacts.made, contacts.made)
            if name == "get2d":
                closed, samples = found.robustness.closed, found.robustness.samples
                np.testing.assert_allclose(np.cos(heading(own.T_table_gripper)), np.cos(found.candidates.angle), atol=1e-12)
            else:
                closed, samples = found.closed, case.planner.perturbation.samples
                np.testing.assert_array_equal(own.T_table_gripper, found.candidates.T_table_gripper)
            np.testing.assert_array_equal(own.closed, closed)
            assert set(own.draws) <= {0, samples}
            assert set(own.draws[own.accepted]) == {samples}


def test_kept_and_rejected_are_counted_by_reason(whole):
    for placement, told in zip(whole, whole.manifest["placements"], strict=True):
        for answer in told["answers"]:
            own = placement.labels[placement.labels.planner == answer["planner"]]
            assert Counter(own.reason.tolist()) == answer["reasons"]
            assert Funnel.of(own.reason_code).sampled == answer["rows"] == len(own)
    counts = whole.manifest["counts"]
    assert sum(sum(each.values()) for each in counts.values()) == whole.manifest["candidates"]
    assert set(counts["get2d"]) > {"ok"}
    assert set(counts["get3d"]) > {"ok"}


def test_a_baseline_comes_through_the_same_door_judged_on_the_true_mesh(made, whole):
    for placement in whole:
        own = placement.labels[placement.labels.planner == "bbox_get"]
        assert len(own) == 1
        assert own.dimension[0] == 3
        assert own.draws[0] == made.judge.perturbation.samples
        assert own.sigma_m[0] == made.judge.perturbation.sigma
    assert whole.manifest["planners"]["bbox_get"]["metrics"] == "of the common judge, on the true mesh"


def test_null_stands_where_nothing_was_computed(whole):
    for placement in whole:
        rows = table.to_table(placement.labels).to_pylist()
        for row in rows:
            json.dumps(row, allow_nan=False)
            for name in ("closure_rate", "mean_contacts", "mean_epsilon", "epsilon_lower", "epsilon_upper"):
                assert (row[name] is None) == (row["draws"] == 0)
            assert row["lifted"] is row["shaken"] is row["slip_force_n"] is None
            if row["draws"]:
                assert row["closure_rate"] == row["closed"] / row["draws"]
                assert row["epsilon_lower"] <= row["epsilon_upper"]


def test_contacts_of_a_planar_planner_lie_at_the_fingertips_and_all_point_into_the_object(whole):
    for placement in whole:
        own = placement.labels[(placement.labels.planner == "get2d") & placement.labels.accepted]
        made = own.contacts.made
        assert made.any(1).all()
        z = np.broadcast_to(own.T_table_gripper[:, None, 2, 3], made.shape)
        np.testing.assert_array_equal(own.contacts.points[made][:, 2], z[made])
        closing = own.T_table_gripper[:, :3, 0]
        wide = np.einsum("nki,ni->nk", own.contacts.normals[:, :2], closing)
        assert (wide[made[:, :2]] > 0).all()  # the wide jaw pushes along its closing axis


def test_the_picture_gives_back_what_was_planned_on(made):
    placed = place(made.objects, made.objects.names[0])[0]
    eye = made.eyes["overhead"]
    seen = generate.render(placed.solid.mesh, eye.camera, eye.sensor, np.random.default_rng(0))
    stored = pictures.Picture.of("overhead", seen, made.depth_step)
    view = stored.view()
    np.testing.assert_array_equal(view.rgb, seen.rgb)
    np.testing.assert_array_equal(view.mask, seen.mask)
    np.testing.assert_allclose(view.depth, seen.depth, rtol=0, atol=made.depth_step / 2)
    again = pictures.Picture.of("overhead", view, made.depth_step)
    assert (again.rgb, again.depth, again.mask) == (stored.rgb, stored.depth, stored.mask)
    with pytest.raises(InvalidValue, match=r"depth = .* at most 0.0655"):
        pictures.Picture.of("overhead", seen, 1e-6)
    with pytest.raises(InvalidValue, match="without colour"):
        pictures.Picture.of("overhead", View.from_mesh(placed.solid.vertices, placed.solid.faces), made.depth_step)


def test_missing_depth_stays_missing(made):
    camera = made.eyes["overhead"].camera
    depth = np.full((camera.height, camera.width), 0.6)
    depth[3, 4] = np.nan
    seen = View.from_rgbd(np.zeros((*depth.shape, 3), np.uint8), depth, camera)
    back = pictures.Picture.of("x", seen, made.depth_step).view()
    assert np.isnan(back.depth[3, 4])
    assert np.isfinite(back.depth).sum() == depth.size - 1
    assert back.mask is None


def test_labels_go_through_a_table_unchanged(whole):
    placement = next(iter(whole))
    same(table.from_table(table.to_table(placement.labels)), placement.labels)
    none = placement.labels[:0]
    assert len(table.from_table(table.to_table(none))) == 0


def test_a_batch_of_other_lengths_is_refused(whole):
    labels = next(iter(whole)).labels
    with pytest.raises(InvalidValue, match="length of labels.opening_m"):
        replace(labels, opening_m=labels.opening_m[1:])


def test_joined_contacts_get_places_that_are_not_made(whole):
    labels = next(iter(whole)).labels[:2]
    first = Contacts(*(getattr(labels.contacts, name)[:, :1] for name in ("points", "normals", "made")))
    both = concatenate([replace(labels, contacts=first), labels])
    k = labels.contacts.made.shape[1]
    assert both.contacts.made.shape == (4, k)
    assert not both.contacts.made[:2, 1:].any()
    same(both[2:], labels)


def test_columns_carry_unit_direction_and_meaning(whole):
    told = whole.manifest["columns"]
    (file,) = {path.name for path in (whole.folder / "candidates").iterdir()} & {f"{next(iter(whole)).object}-pose0.parquet"}
    on_disk = parquet.read_schema(whole.folder / "candidates" / file)
    assert on_disk.names == list(told) == [column.name for column in COLUMNS]
    for name, column in told.items():
        assert column["type"] == str(on_disk.field(name).type)
        assert column["direction"].endswith("is better")
        assert column["meaning"].endswith(".")
        suffix = {"1": "", "m": "_m", "N": "_n", "kg": "_kg", "rad": "_rad"}[column["unit"]]
        assert name.endswith(suffix) or name == "T_table_gripper"
    assert not any(name.endswith("score") for name in told)


def test_codes_of_reasons_are_those_of_the_manifest(whole):
    assert {told["code"]: name for name, told in whole.manifest["reasons"].items()} == {
        code: reason.value for code, reason in _BY_CODE.items()
    }


def test_the_manifest_holds_what_the_numbers_depend_on(made, whole):
    told = whole.manifest
    assert told["seed"] == 0
    assert {"numpy", "python", "numba"} <= told["versions"].keys()
    own = told["planners"]["get3d"]
    assert own["judge"]["friction"] == made.cases["get3d"].planner.judge.friction
    assert own["convention"]["cone"] == {"kind": "exact", "edges": 0}
    assert own["settings"]["perturbation"]["sigma"] == made.cases["get3d"].planner.perturbation.sigma
    assert (told["config_sha256"], told["made_by_sha256"]) == (made.config_sha256, made.made_by)
    assert all(len(answer["seed"]["spawn_key"]) == 4 for each in told["placements"] for answer in each["answers"])


def test_the_stored_mesh_is_the_object_bit_for_bit(made, whole):
    import trimesh

    solid = made.objects.load(made.objects.names[0])
    mesh = trimesh.load_mesh(next(iter(whole)).mesh, process=False)
    np.testing.assert_array_equal(mesh.vertices, solid.vertices)
    np.testing.assert_array_equal(mesh.faces, solid.faces)


def test_a_planner_that_refuses_a_view_is_an_answer(made, tmp_path):
    blind = replace(made, cases={"get3d": replace(made.cases["get3d"], sees="camera"), "get2d": made.cases["get2d"]})
    found = label(blind, tmp_path)
    assert found.manifest["counts"]["get3d"] == {"refused: view_lacks_input": len(found)}
    answer = found.manifest["placements"][0]["answers"][0]
    assert (answer["rows"], answer["refusal"]["reason"]) == (0, "view_lacks_input")


@needs_cases
def test_case_o28_equal_labels_whatever_the_order_and_other_ones_for_another_object_or_seed(tmp_path):
    made = from_meshes(CASES / "O28")
    label(made, tmp_path / "a")
    label(made, tmp_path / "b", made.objects.names[::-1])
    a, b = content(tmp_path / "a"), content(tmp_path / "b")
    assert {n: d for n, d in a.items() if n != manifest.NAME} == {n: d for n, d in b.items() if n != manifest.NAME}
    drawn = [made.stream("planner", name).random() for name in made.objects.names]
    assert len({*drawn, replace(made, seed=1).stream("planner", made.objects.names[0]).random()}) == 4
    other = label(from_meshes(CASES / "O28", "seed=1"), tmp_path / "c")
    poses = [each.labels.T_table_gripper for each in (next(iter(load(tmp_path / "a"))), next(iter(other)))]
    assert poses[0].shape != poses[1].shape or not np.array_equal(*poses)


@needs_cases
def test_case_o29_unreadable_meshes_are_in_the_failure_list(tmp_path):
    found = label(planar(from_meshes(CASES / "O29")), tmp_path)
    assert list(found.manifest["meshes"]) == ["a_box.stl", "d_bar.stl"]
    assert [(each["object"], each["reason"]) for each in found.failures] == [
        ("b_cut.stl", "unsound_mesh"),
        ("c_empty.stl", "unsound_mesh"),
    ]
    assert "cut" in found.failures[0]["sentence"]


@needs_cases
def test_case_o30_a_failed_grasp_is_strict_json_with_a_reason(whole, tmp_path):
    told = json.loads((CASES / "O30/failed_grasp.json").read_text())
    points, normals = (np.pad(told[key], [(0, 0), (0, 1)]) for key in ("points", "inward_normals"))
    contacts = Contacts(points[None], normals[None], np.ones((1, 1), bool))
    worth = quality(contacts, friction=told["mu"], origin=np.zeros(3), torque_scale=0.1)
    one = next(iter(whole)).labels[:1]
    failed = replace(
        one,
        contacts=contacts,
        reason_code=[Reason.ONE_SIDED.code],
        friction=[told["mu"]],
        draws=[1],
        closed=worth.closure.astype(int),
        mean_epsilon=worth.epsilon,
        mean_contacts=worth.contacts.astype(float),
        epsilon_lower=worth.epsilon,
        epsilon_upper=worth.epsilon_upper,
    )
    (row,) = table.to_table(failed).to_pylist()
    text = store.json_bytes(row).decode()
    read = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert (read["reason"], read["closure_rate"], read["mean_epsilon"], read["slip_force_n"]) == ("one_sided", 0, 0, None)


def resident():
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmRSS"))


class Copies:
    """One mesh under many names."""

    def __init__(self, objects, count):
        self.objects, self.rest, self.names = objects, objects.rest, tuple(f"box_{i}" for i in range(count))

    def load(self, name):
        return self.objects.load("box.stl")


@needs_cases
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads memory from /proc")
@pytest.mark.parametrize("alone", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_case_o31_memory_stays_flat_over_many_objects(tmp_path, alone):
    made = from_meshes(CASES / "O31", "rest.poses=1")
    made = replace(planar(made) if alone else made, objects=Copies(made.objects, 200))
    after = {}
    for i, name in enumerate(made.objects.names, 1):
        assert "failure" not in generate.label_object(made, tmp_path, name)
        after[i] = resident()
    assert after[200] - after[20] <= 50  # MB


def test_an_error_in_a_planner_costs_its_object_only(made, tmp_path, monkeypatch):
    def broken(*arguments):
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(generate, "ask", broken)
    record = generate.label_object(made, tmp_path, made.objects.names[0])
    assert record["failure"] == {"reason": "ZeroDivisionError", "sentence": "ZeroDivisionError: by nothing"}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("overrides", "named"),
    [
        (["+cases.a={planner: get2d, gripper: get, sees: ghost}"], "sees"),
        (["+cases.a={planner: get9, gripper: get, sees: mesh}"], "cases.a.planner"),
        (["+cases.a={planner: get2d, gripper: paw, sees: mesh}"], "cases.a.gripper"),
        (["+planner.typo=1"], "planner: key = 'typo'"),
        (["planners.get2d.perturbation.sigma=-1"], "sigma"),
        (["depth_step=0"], "depth_step"),
        (["seed=-1"], "seed"),
        (["workers=0"], "workers"),
        (["+typo=1"], "typo"),
    ],
)
def test_a_mistake_in_the_settings_is_named(overrides, named):
    with pytest.raises(InvalidValue) as error:
        recipe(config(*overrides))
    assert named in str(error.value)
