"""Configuration: every option builds what the presets build; what is misspelt, mistyped or out of range is named."""

from dataclasses import replace
from itertools import product

import pytest
from hydra import compose, initialize_config_dir
from hydra.errors import ConfigCompositionException
from omegaconf import OmegaConf

from experiments import compare, predict, watch
from experiments.plan import Options
from experiments.schema import build, check_block, fits
from get2d import Get2D
from grasp import GraspError, Gripper, InvalidValue, presets
from grasp.judge import Judge
from physics.settings import Settings

GROUPS = ("gripper", "quality", "perception")
EVERY = list(product(*map(presets.names, GROUPS)))


@pytest.fixture(scope="module")
def composed():
    with initialize_config_dir(str(presets.CONF), version_base="1.3"):
        yield lambda *overrides: compose("plan", list(overrides))


@pytest.mark.parametrize("names", EVERY, ids="-".join)
def test_every_option_builds_what_its_preset_builds(composed, names):
    config = composed(*(f"{group}={name}" for group, name in zip(GROUPS, names, strict=True)))
    planner = build(config.planner, "planner")
    assert planner == Get2D.preset("get2d", *names)
    assert (type(planner), type(planner.gripper), type(planner.judge)) == (Get2D, Gripper, Judge)


@pytest.mark.parametrize("group", ["planner", "debug"])
def test_every_option_of_the_other_groups_builds_a_planner(composed, group):
    for name in presets.names(group):
        assert hasattr(build(composed(f"{group}={name}").planner, "planner"), "plan")


def test_debug_fast_does_less(composed):
    assert build(composed("debug=fast").planner, "planner").perturbation.samples < Get2D.preset().perturbation.samples


def test_plan_holds_exactly_the_keys_it_reads(composed):
    config = OmegaConf.to_container(composed("output=somewhere"), resolve=True)
    check_block(config, Options, "config")
    with pytest.raises(InvalidValue, match="config: key = 'outptu'"):
        check_block(config | {"outptu": 1}, Options, "config")


@pytest.mark.parametrize(
    ("program", "given"),
    [(compare, "object_set=some"), (predict, "labels=somewhere"), (watch, "run=somewhere")],
    ids=lambda value: getattr(value, "__name__", ""),
)
@pytest.mark.usefixtures("composed")
def test_every_program_holds_exactly_the_keys_it_reads(program, given):
    name = program.__name__.rpartition(".")[2]
    config = OmegaConf.to_container(compose(name, [given, "output=somewhere"]), resolve=True)
    check_block(config, program.Options, "config")
    for key in set(config):
        with pytest.raises(InvalidValue, match=f"missing key = '{key}'"):
            check_block({other: value for other, value in config.items() if other != key}, program.Options, "config")


HOLD = [name for name in presets.names("experiment") if name.startswith("hold_")]


@pytest.mark.parametrize("name", presets.names("physics"))
@pytest.mark.parametrize("experiment", ["", *HOLD])
@pytest.mark.usefixtures("composed")
def test_every_simulation_can_be_chosen_for_a_comparison(name, experiment):
    asked = [f"experiment={experiment}"] if experiment else []
    config = compose("compare", ["object_set=some", f"physics={name}", *asked])
    preset = Settings.preset(name)
    heavy = replace(preset, density=7850.0, densities=preset.densities | {"tape_roll": 7850.0})  # steel
    assert build(config.physics, "physics") == (preset if experiment in ("", "hold_mass") else heavy)


@pytest.mark.parametrize(
    "block", ["gripper", "gripper.wide", "quality", "perception", "planner", "planner.density", "planner.approach"]
)
def test_a_misspelt_key_is_named(composed, block):
    with pytest.raises(ConfigCompositionException, match="typo"):
        composed(f"{block}.typo=1")
    with pytest.raises(InvalidValue, match="typo"):
        build(composed(f"+{block}.typo=1").planner, "planner")


@pytest.mark.parametrize("block", ["gripper", "quality", "perception", "planner", "planner.perturbation"])
def test_a_missing_key_is_named(composed, block):
    key = list(OmegaConf.select(composed(), block))[-1]
    with pytest.raises(InvalidValue, match=f"missing key = '{key}'"):
        build(composed(f"~{block}.{key}").planner, "planner")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("gripper.max_opening", "wide"),
        ("gripper.max_opening", "true"),
        ("quality.friction", "sticky"),
        ("quality.cone", "[8]"),
        ("perception.teh_chin", "1"),
        ("perception.background", "[0,0]"),
        ("perception.background", "[0,0,grey]"),
        ("planner.keep", "2.5"),
        ("planner.gripper", "get"),
        ("planner.density.edge_spacing", "fine"),
        ("planner.density.vertex_lines", "null"),
        ("planner.perturbation.sigma", "[1]"),
    ],
)
def test_a_wrong_type_is_named(composed, key, value):
    with pytest.raises(InvalidValue, match=key.rpartition(".")[2]):
        build(composed(f"{key}={value}").planner, "planner")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("gripper.max_opening", "-0.1"),
        ("gripper.wide.pads", "[]"),
        ("quality.friction", "-1"),
        ("quality.confidence", "1.5"),
        ("perception.area_share", "2"),
        ("planner.keep", "0"),
        ("planner.density.edge_spacing", "0"),
        ("planner.approach.top_percentile", "101"),
        ("planner.perturbation.samples", "0"),
    ],
)
def test_a_value_out_of_range_is_named(composed, key, value):
    with pytest.raises(InvalidValue, match=key.rpartition(".")[2]):
        build(composed(f"{key}={value}").planner, "planner")


def test_a_target_that_fails_for_another_reason_is_an_error_of_ours(composed):
    with pytest.raises(GraspError, match="planner cannot be built"):
        build(composed("planner._target_=shapely.Point").planner, "planner")


@pytest.mark.parametrize(
    ("value", "hint", "right"),
    [
        (1, float, True),
        (True, float, False),
        (True, int, False),
        (None, float | None, True),
        ("8", str | int, True),
        ([1, 2.5], tuple[float, float], True),
        ([1], tuple[float, float], False),
        ([[0.1, 0], [1, 2], [3, 4]], tuple[tuple[float, float], ...], True),
        ([[0.1, 0], [1, "b"]], tuple[tuple[float, float], ...], False),
        ("text", tuple[str, ...], False),
    ],
)
def test_fits(value, hint, right):
    assert fits(value, hint) is right
