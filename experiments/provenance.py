"""Provenance of a run: what stands beside every output, so that it can be made again or told apart."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from grasp.provenance import versions
from grasp.strict import plain

ROOT = Path(__file__).resolve().parents[1]


def provenance(config: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Return what made a result, as strict JSON can hold it.

    Parameters
    ----------
    config
        The resolved settings that the result depends on; leave out where it is written to.
    seed
        Root seed of the run.

    Returns
    -------
    dict
        ``config_sha256``, ``seed``, ``commit`` and ``modified`` (see `commit`), ``versions``, ``machine``, ``made_at``
        (UTC).

    Raises
    ------
    InvalidValue
        A setting that JSON cannot hold; the error names its place.
    """
    return {
        "config_sha256": config_hash(config),
        "seed": int(seed),
        **commit(),
        "versions": versions(),
        "machine": machine(),
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def config_hash(config: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a configuration, hexadecimal; the order of its keys does not matter."""
    text = json.dumps(plain("config", config), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def commit() -> dict[str, Any]:
    """Return the checkout's ``commit`` and whether tracked files are ``modified``; both None outside of a checkout."""
    head, changes = _git("rev-parse", "HEAD"), _git("status", "--porcelain", "--untracked-files=no")
    return {"commit": head, "modified": None if changes is None else bool(changes)}


def machine() -> dict[str, Any]:
    """Return the kind of machine, never its name."""
    return {"system": f"{platform.system()} {platform.machine()}", "processor": _processor(), "cores": os.cpu_count()}


def _git(*words: str) -> str | None:
    if shutil.which("git") is None:
        return None
    answer = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return answer.stdout.strip() if answer.returncode == 0 else None


def _processor() -> str:
    """Return the processor's model; on Linux `platform` knows only its family."""
    listing = Path("/proc/cpuinfo")
    if listing.is_file():
        for line in listing.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()
