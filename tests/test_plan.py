"""Plans and refusals: what they refuse to hold, and strict JSON there and back, bit for bit."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from grasp import (
    Conventions,
    Funnel,
    Grasp,
    GraspError,
    InvalidValue,
    Metrics,
    Plan,
    Provenance,
    Reason,
    Refusal,
    Seed,
    from_json,
    to_json,
    versions,
)
from wrench.contacts import Contacts
from wrench.convention import Cone, ConeKind, Convention
from wrench.reference import Origin, OriginRule, ScaleRule, TorqueScale


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def a_grasp(rng, d):
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Rotation.random(rng=rng).as_matrix(), rng.normal(size=3)
    normals = rng.normal(size=(3, d))
    made = np.array([True, False, True])
    points = np.where(made[:, None], rng.normal(size=(3, d)), np.nan)  # what is not made may hold anything
    contacts = Contacts(points, normals / np.linalg.norm(normals, axis=-1, keepdims=True), made)
    low, rate, high, *rest = np.sort(rng.uniform(size=4))
    return Grasp(T, rng.uniform(0, 0.1), contacts, "edge", Metrics(rate, low, high, 2.9, *rest, epsilon_upper=1.0))


def a_provenance(rng):
    config = {"samples": 10, "angles": (0.1, np.float32(0.2)), "sampler": {"edge": True, "hole": None}}
    return Provenance("get2d", "get", Seed.of(rng), config, versions())


def a_plan(rng, d=2, convention="paper", n=4):
    conventions = Conventions(
        friction=0.75,
        torque_scale=TorqueScale(np.array(0.1 / 3), ScaleRule.OBJECT_LENGTH),
        origin=Origin(rng.normal(size=d), OriginRule.CENTROID),
        convention=Convention.of(convention, Cone(ConeKind.CIRCUMSCRIBED, 8) if d == 3 else None),
        perturbation={"sigma_m": 0.002, "samples": 10},
    )
    funnels = {"edge": Funnel(9, {Reason.TOO_WIDE: 5}, 4), "hole": Funnel(2, {Reason.OVERLAPS: 2}, 0)}
    return Plan(tuple(a_grasp(rng, d) for _ in range(n)), funnels, conventions, a_provenance(rng))


def a_refusal(rng):
    miss = {Reason.TOO_WIDE: {"opening_m": np.float64(0.1) + 0.008, "opening_max_m": 0.095}}
    funnels = {"edge": Funnel(7, {Reason.TOO_WIDE: 6, Reason.OVERLAPS: 1}, 0)}
    detail = "The smallest opening needed is 108.0 mm; the gripper has 95.0 mm."
    return Refusal(Reason.TOO_WIDE, detail, funnels, miss, a_provenance(rng))


def assert_same_plan(one, other):
    assert (one.funnels, one.provenance) == (other.funnels, other.provenance)
    for name in ("friction", "convention", "perturbation"):
        assert getattr(one.conventions, name) == getattr(other.conventions, name)
    assert one.conventions.torque_scale.rule is other.conventions.torque_scale.rule
    assert one.conventions.torque_scale.metres == other.conventions.torque_scale.metres
    assert one.conventions.origin.rule is other.conventions.origin.rule
    assert np.array_equal(one.conventions.origin.point, other.conventions.origin.point)
    for a, b in zip(one.grasps, other.grasps, strict=True):
        assert (a.opening, a.sampler, a.metrics) == (b.opening, b.sampler, b.metrics)
        assert np.array_equal(a.T_table_gripper, b.T_table_gripper)
        for name in ("points", "normals", "made"):
            assert np.array_equal(getattr(a.contacts, name), getattr(b.contacts, name))


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("convention", ["paper", "released"])
def test_plan_is_the_same_after_the_round_trip(rng, d, convention):
    plan = a_plan(rng, d, convention)
    text = to_json(plan)
    back = from_json(text)
    assert_same_plan(plan, back)
    assert to_json(back) == text


def test_plan_without_conventions_and_metrics_survives(rng):
    plan = a_plan(rng)
    bare = replace(plan, conventions=None, grasps=(replace(plan.best, metrics=Metrics()),))
    back = from_json(to_json(bare))
    assert back.conventions is None
    assert back.best.metrics == Metrics()


def test_refusal_is_the_same_after_the_round_trip(rng):
    refusal = a_refusal(rng)
    assert from_json(to_json(refusal)) == refusal
    assert refusal.funnel.chief is refusal.reason
    assert refusal.sentence.startswith("The gripper does not open wide enough. The smallest opening needed is 108.0 mm")


def test_json_is_strict_and_names_units(rng):
    def refuse(name):
        raise AssertionError(name)

    record = json.loads(to_json(a_plan(rng)), parse_constant=refuse)
    assert {"position_m", "opening_m", "contact_points_m"} <= set(record["grasps"][0])
    assert {"friction", "torque_scale_m", "torque_scale_rule", "origin_m", "convention"} <= set(record["conventions"])
    assert record["provenance"]["versions"]["numpy"] == np.__version__
    assert json.loads(to_json(a_refusal(rng)))["nearest_miss"]["too_wide"]["opening_m"] == 0.1 + 0.008


def test_nan_never_gets_as_far_as_json(rng):
    with pytest.raises(InvalidValue, match=r"config.perturbation.sigma\[1\] = nan"):
        Provenance("get2d", "get", Seed(1), {"perturbation": {"sigma": [1.0, np.nan]}}, {})
    with pytest.raises(InvalidValue, match="metrics.mean_epsilon = nan"):
        Metrics(mean_epsilon=np.nan)
    with pytest.raises(InvalidValue, match="nearest_miss.too_wide.opening_m = inf"):
        replace(a_refusal(rng), nearest_miss={Reason.TOO_WIDE: {"opening_m": np.inf}})
    with pytest.raises(InvalidValue, match="opening = nan"):
        replace(a_grasp(rng, 2), opening=np.nan)


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('"opening_m"', '"opening"', "opening_m|'opening'"),
        ('"kind": "plan"', '"kind": "plam"', "kind"),
        ('"format": 1', '"format": 2', "format"),
        ('"friction": 0.75', '"friction": NaN', "NaN"),
        ('"seed"', '"sead"', "sead"),
        ('"too_wide": 5', '"too_wide": 4', "funnel.sampled"),
        ('"too_wide": 5', '"too_wyde": 5', "too_wyde"),
        ('"object_length"', '"object_lenth"', "object_lenth"),
        ('"contact_made": [true', '"contact_made": ["yes"', "made"),
        ('"provenance": {', '"provenance": 3, "x": {', "'x'"),
    ],
)
def test_damaged_records_are_refused_by_name(rng, old, new, named):
    text = to_json(a_plan(rng))
    assert old in text
    with pytest.raises(GraspError, match=named):
        from_json(text.replace(old, new))


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"kind": "refusal", "format": 1}'])
def test_what_is_no_record_is_refused(text):
    with pytest.raises(GraspError):
        from_json(text)


def test_total_funnel_is_the_sum_of_the_samplers(rng):
    assert a_plan(rng).funnel == Funnel(11, {Reason.TOO_WIDE: 5, Reason.OVERLAPS: 2}, 4)


def test_plans_that_cannot_be_are_refused(rng):
    plan = a_plan(rng)
    with pytest.raises(InvalidValue, match="at least one grasp"):
        replace(plan, grasps=())
    with pytest.raises(InvalidValue, match="5 grasps must be among the 4 kept"):
        replace(plan, grasps=(*plan.grasps, plan.best))
    with pytest.raises(InvalidValue, match="refusal.reason"):
        replace(a_refusal(rng), reason=Reason.OK)
    with pytest.raises(InvalidValue, match="metrics.closure_rate"):
        Metrics(closure_rate=0.5, closure_rate_lower=0.6, closure_rate_upper=0.9)
    with pytest.raises(InvalidValue, match="metrics.epsilon"):
        Metrics(epsilon=0.2, epsilon_upper=0.1)
    with pytest.raises(InvalidValue, match="single"):
        replace(plan.best, contacts=plan.best.contacts[None])


@pytest.mark.parametrize("seed", [0, 2**100, (1, 2, 3), None])
def test_seed_makes_the_same_generator_again(seed):
    root = np.random.SeedSequence(seed)
    for sequence in (root, root.spawn(3)[2].spawn(2)[1]):
        rng = np.random.default_rng(sequence)
        again = Seed.of(rng).rng()
        assert np.array_equal(rng.random(8), again.random(8))


def test_children_have_other_seeds():
    root = np.random.SeedSequence(4)
    assert len({Seed.of(np.random.default_rng(child)) for child in root.spawn(4)}) == 4


def test_import_pulls_in_nothing_heavy():
    code = "import wrench, sys; before = set(sys.modules); import grasp; print(*(set(sys.modules) - before))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "grasp.view" in loaded
    roots = {name.partition(".")[0] for name in loaded}
    assert not roots & {"shapely", "scipy", "numba", "cv2", "trimesh", "yaml", "omegaconf", "matplotlib"}
