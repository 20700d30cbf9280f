"""From the configuration of a label run to its recipe, every block of it checked before any work begins."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from hydra.utils import to_absolute_path
from omegaconf import DictConfig, OmegaConf

from experiments import schema
from experiments.physics_columns import require_engine
from experiments.provenance import ROOT, config_hash
from experiments.units import Case as Named
from experiments.units import maker
from grasp.strict import at_least
from labels.recipe import Case, Eye, Recipe
from labels.trials import Trials, engine
from objects.placed import ObjectSet
from objects.solid import Solid
from objects.stable import Rest
from wrench.errors import InvalidValue

ELSEWHERE = ("output", "workers", "cluster", "extrapolate", "parts")  # no part of what labels depend on


@dataclass(frozen=True)
class Options:
    """Keys of ``conf/label.yaml``, explained there."""

    quality: dict
    perception: dict
    clearance: dict
    load: dict | None
    mesh: dict
    rest: dict
    objects: dict
    eyes: dict
    grippers: dict
    planners: dict
    judge: dict
    cases: dict
    object_set: str
    seed: int
    limit: int | None
    planner: dict
    gripper: dict
    depth_step: float
    physics: dict | None
    tries: dict
    parts: str | None
    cluster: dict
    workers: int
    extrapolate: dict
    output: str | None


@dataclass(frozen=True)
class Tries:
    """Keys of ``tries`` in ``conf/label.yaml``."""

    per_view: int


@dataclass(frozen=True)
class First:
    """The first objects of a set.

    Parameters
    ----------
    objects
        The set.
    names
        Those that are taken.
    """

    objects: ObjectSet
    names: tuple[str, ...]
    rest: Rest = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rest", self.objects.rest)

    def load(self, name: str) -> Solid:
        """Return an object of the set."""
        return self.objects.load(name)


def recipe(config: DictConfig) -> Recipe:
    """Return the recipe that a configuration describes.

    Raises
    ------
    GraspError
        A key, type or value that is wrong anywhere; the message names it.
    """
    schema.check_block(OmegaConf.to_container(config, resolve=True), Options, "config")
    at_least("workers", config.workers, 1, "")
    objects = schema.build(config.objects, "objects")
    if config.limit is not None:
        at_least("limit", config.limit, 1, "object")
        objects = First(objects, objects.names[: config.limit])
    return Recipe(
        object_set=config.object_set,
        objects=objects,
        cases={str(name): _case(config, str(name)) for name in config.cases},
        eyes={str(name): Eye(**schema.build(block, f"eyes.{name}")) for name, block in config.eyes.items()},
        judge=schema.build(config.judge, "judge"),
        depth_step=config.depth_step,
        trials=_trials(config),
        seed=config.seed,
        config_sha256=config_hash(settings(config)),
        made_by=made_by(config),
    )


def made_by(config: DictConfig) -> str:
    """Return the hash of the code and of the libraries that labels depend on; the engine counts where there are trials."""
    text = {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / "labels").glob("*.py"))}
    return config_hash({"labels": text, "others": maker(), "engine": None if config.physics is None else engine()})


def settings(config: DictConfig) -> dict[str, Any]:
    """Return the resolved settings that labels depend on."""
    whole = cast(dict[str, Any], OmegaConf.to_container(config, resolve=True))
    return {key: value for key, value in whole.items() if key not in ELSEWHERE}


def _trials(config: DictConfig) -> Trials | None:
    """Return what is tried in the physics engine, if anything is."""
    schema.check_block(cast(dict[str, Any], OmegaConf.to_container(config))["tries"], Tries, "tries")
    if config.physics is None:
        return None
    require_engine()
    parts = None if config.parts is None else Path(to_absolute_path(config.parts))
    return Trials(schema.build(config.physics, "physics"), config.tries.per_view, parts)


def _case(config: DictConfig, name: str) -> Case:
    """Return a planner with the gripper of its case, and with what is laid over all planners that have such keys."""
    block = OmegaConf.to_container(config.cases[name])
    schema.check_block(block, Named, f"cases.{name}")
    own, case = config.copy(), Named(**block)  # type: ignore[arg-type]
    for key, known in (("planner", own.planners), ("gripper", own.grippers)):
        if getattr(case, key) not in known:
            raise InvalidValue(f"cases.{name}.{key}", repr(getattr(case, key)), f"one of {', '.join(known)}")
    own.gripper, planner = own.grippers[case.gripper], own.planners[case.planner]
    for key in config.planner:
        if not any(key in each for each in config.planners.values()):
            raise InvalidValue("planner: key", repr(key), "one that at least one of the planners has")
        if key in planner:
            OmegaConf.update(planner, str(key), config.planner[key], merge=True)
    return Case(schema.build(planner, f"planners.{case.planner}"), case.sees)
