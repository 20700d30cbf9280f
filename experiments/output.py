"""Output: a run's folder, which is there when the run ended well and not there otherwise."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from omegaconf import DictConfig, OmegaConf

from experiments.provenance import provenance
from wrench.errors import InvalidValue

ELSEWHERE = ("output",)  # where results go: no part of what they depend on


def require_free(folder: Path) -> None:
    """Raise `InvalidValue` where a folder cannot be made because something stands there."""
    if folder.exists():
        raise InvalidValue("output", folder, "a name that is free: results are never written over")


@contextmanager
def run_folder(folder: Path) -> Iterator[Path]:
    """Yield a new folder beside `folder`; it takes that name when the block ends well, and is removed when it does not.

    Raises
    ------
    InvalidValue
        Something stands there already.
    """
    require_free(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as beside:
        inside = Path(beside) / folder.name  # with the usual permissions, which the temporary folder does not have
        inside.mkdir()
        yield inside
        inside.rename(folder)


def write_settings(folder: Path, config: DictConfig) -> None:
    """Write the resolved configuration and where the results come from: ``config.yaml`` and ``provenance.json``."""
    text = OmegaConf.to_yaml(config, resolve=True)
    (folder / "config.yaml").write_text(text, encoding="utf-8")
    measured = OmegaConf.masked_copy(config, [str(key) for key in config if key not in ELSEWHERE])
    record = provenance(OmegaConf.to_container(measured, resolve=True), config.seed)  # type: ignore[arg-type]
    (folder / "provenance.json").write_text(json.dumps(record, indent=1, allow_nan=False) + "\n", encoding="utf-8")
