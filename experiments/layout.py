"""Layout: from the configuration of a comparison to its units of work, every block of it checked before any work begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from experiments import physics_columns, schema
from experiments.units import Case, Setting, Unit, maker
from grasp.strict import at_least, number
from objects.placed import Failure, ObjectSet, Placed, place
from objects.solid import Solid
from wrench.errors import InvalidValue

SEES = ("camera", "mesh")


@dataclass(frozen=True)
class Vary:
    """What an experiment varies: ``vary`` in a file of ``conf/experiment``.

    Parameters
    ----------
    name
        In words that a column may have.
    ranks
        Whether the candidates of each setting are also ranked under the first, and the rankings compared.
    settings
        By label: ``number``, its value where it is one, and ``set``, the keys of the configuration that make it.
    """

    name: str
    ranks: bool
    settings: dict


@dataclass(frozen=True)
class Value:
    """One of the settings."""

    number: float | None
    set: dict


def units(config: DictConfig) -> list[Unit]:
    """Return the units of work of a comparison, object by object.

    Raises
    ------
    GraspError
        A key, type or value that is wrong anywhere in the configuration, under any setting; the message names it.
    """
    columns = [column for case in _cases(config) for column in _columns(config, case)]
    name, seed, found = config.object_set, config.seed, []
    for placed in _placed(schema.build(config.objects, "objects"), config.limit):
        if isinstance(placed, Failure):
            found.append(Unit(name, placed, None, Setting(), 0, seed, {}, maker()))
            continue
        for index in range(config.seeds):
            found += [Unit(name, placed, case, setting, index, seed, own, maker()) for case, setting, own in columns]
    return found


def placed_solids(config: DictConfig) -> dict[tuple[str, str], Solid]:
    """Return the solids of a comparison, by the names of object and pose."""
    found = _placed(schema.build(config.objects, "objects"), config.limit)
    return {(each.object, each.pose): each.solid for each in found if isinstance(each, Placed)}


def _placed(objects: ObjectSet, limit: int | None) -> list[Placed | Failure]:
    found: list[Placed | Failure] = []
    for name in objects.names[:limit]:
        try:
            poses = place(objects, name)
        except Exception as error:  # a library's: it must cost no more than this object
            poses = Failure(name, None, f"{type(error).__name__}: {error}")
        found += [poses] if isinstance(poses, Failure) else poses
    return found


def _cases(config: DictConfig) -> list[Case]:
    if not config.cases:
        raise InvalidValue("cases", "{}", "at least one planner with a gripper")
    found = []
    for name, block in OmegaConf.to_container(config.cases).items():  # type: ignore[union-attr]
        schema.check_block(block, Case, f"cases.{name}")
        for field, known in (("planner", config.planners), ("gripper", config.grippers), ("sees", SEES)):
            if block[field] not in known:
                raise InvalidValue(f"cases.{name}.{field}", repr(block[field]), f"one of {', '.join(known)}")
        found.append(Case(**block))
    return found


def _columns(config: DictConfig, case: Case) -> list[tuple[Case, Setting, dict[str, Any]]]:
    """Return a case under every setting, with its resolved and checked blocks."""
    if config.vary is None:
        return [(case, Setting(), {**_blocks(config, case, {}), "first": None})]
    schema.check_block(OmegaConf.to_container(config.vary), Vary, "vary")
    found, first = [], None
    for label, value in config.vary.settings.items():
        where = f"vary.settings.{label}"
        schema.check_block(OmegaConf.to_container(value), Value, where)
        blocks = _blocks(config, case, value.set)
        first = first or blocks["planner"]
        setting = Setting(config.vary.name, str(label), None if value.number is None else number(where, value.number))
        found.append((case, setting, {**blocks, "first": first if config.vary.ranks else None}))
    return found


def _blocks(config: DictConfig, case: Case, settings: Any) -> dict[str, Any]:
    own = config.copy()
    _lay(own, settings, "vary.settings")
    own.gripper = own.grippers[case.gripper]
    planner = own.planners[case.planner]
    _lay(planner, {key: value for key, value in config.planner.items() if key in planner}, "planner")
    unknown = [key for key in config.planner if not any(key in each for each in config.planners.values())]
    if unknown:
        raise InvalidValue("planner: key", repr(unknown[0]), "one that at least one of the planners has")
    if own.physics is not None:
        if schema.TARGET not in own.physics:
            raise InvalidValue("physics", dict(own.physics), "settings that were chosen: physics=nominal")
        physics_columns.require_engine()
    seen = own.camera if case.sees == "camera" else None
    parts = {"planner": planner, "judge": own.judge, "camera": seen, "physics": own.physics}
    for where, part in parts.items():
        if part is not None:
            schema.build(part, where)
    return {where: OmegaConf.to_container(part, resolve=True) if part is not None else None for where, part in parts.items()}


def _lay(config: Any, values: Any, where: str) -> None:
    """Set keys of a configuration, dotted ones too; a mapping is laid over a mapping."""
    for key, value in values.items():
        try:
            OmegaConf.update(config, str(key), value, merge=True)
        except OmegaConfBaseException as error:
            expected = f"one that the configuration has ({str(error).splitlines()[0]})"
            raise InvalidValue(f"{where}: key", repr(key), expected) from error


def check(config: DictConfig, options: type) -> None:
    """Raise `InvalidValue` unless the keys of a configuration are those of `options`, and its counts make sense."""
    schema.check_block(OmegaConf.to_container(config, resolve=True), options, "config")
    for name, least in {"seed": 0, "seeds": 1, "workers": 1}.items():
        at_least(name, config[name], least, "")
    if config.limit is not None:
        at_least("limit", config.limit, 1, "object")
