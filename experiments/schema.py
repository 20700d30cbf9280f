"""Schema: what a configuration may hold, told by the dataclasses it builds, so that there is no second list of fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from hydra.errors import InstantiationException
from hydra.utils import get_object, instantiate
from omegaconf import DictConfig, OmegaConf

from grasp.strict import require_keys
from wrench.errors import GraspError, InvalidValue

TARGET = "_target_"


def build(config: DictConfig, where: str) -> Any:
    """Return what a block of configuration describes.

    Parameters
    ----------
    config
        With a ``_target_``.
    where
        Its name in error messages.

    Raises
    ------
    GraspError
        A key that the target does not know, one that is missing, a value of another type than the field's, or one that
        is out of range; the message names the key.
    """
    check_targets(OmegaConf.to_container(config, resolve=True), where)
    try:
        return instantiate(config, _convert_="all")
    except InstantiationException as error:
        if isinstance(error.__cause__, GraspError):
            raise error.__cause__ from None
        raise GraspError(f"{where} cannot be built: {error}") from error


def check_targets(block: Any, where: str) -> None:
    """Check every block, at any depth, whose ``_target_`` is a dataclass; other targets check what they are given."""
    if not isinstance(block, Mapping):
        return
    if TARGET in block:
        target = get_object(block[TARGET])
        if is_dataclass(target):
            check_block({key: value for key, value in block.items() if key != TARGET}, target, where)
    for key, value in block.items():
        check_targets(value, f"{where}.{key}")


def check_block(block: Any, cls: Any, where: str) -> None:
    """Raise `InvalidValue` unless the keys of a block are the fields of a dataclass and its values are of their types."""
    hints = get_type_hints(cls)
    require_keys(where, block, list(hints))
    for name, hint in hints.items():
        if not fits(block[name], hint):
            raise InvalidValue(f"{where}.{name}", repr(block[name]), f"of type {_name(hint)}")


def fits(value: Any, hint: Any) -> bool:
    """Return whether a plain value may stand for a field of a type: numbers, text, truth values, None and lists of them.

    A whole number is a float, a truth value is no number. For a dataclass any block will do: it is checked as its own.
    """
    if get_origin(hint) in (Union, UnionType):
        return any(fits(value, part) for part in get_args(hint))
    if get_origin(hint) is tuple:
        parts = get_args(hint)
        if not isinstance(value, list):
            return False
        if parts[1:] == (Ellipsis,):
            parts = parts[:1] * len(value)
        return len(value) == len(parts) and all(map(fits, value, parts))
    if hint is float:
        return type(value) in (int, float)
    if hint in (int, str, bool, NoneType):
        return type(value) is hint
    return isinstance(value, Mapping) if is_dataclass(hint) else True


def _name(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) and get_origin(hint) is None else str(hint)
