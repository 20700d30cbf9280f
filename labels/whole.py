"""Whole: files that are there as a whole or not at all, and the sums by which they are known again."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Write a file that is there as a whole or not at all, whenever the process or the machine stops."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")  # its own for each process that may be at it
    with beside.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


def sweep_up(folder: Path) -> None:
    """Remove what a process left half written in a folder or below it; of convex parts, in ``parts``."""
    for path in (*folder.glob("**/.*.part"), *folder.glob("parts/*.tmp")):
        path.unlink()


def sha256(data: bytes) -> str:
    """Return the SHA-256 of data, hexadecimal."""
    return hashlib.sha256(data).hexdigest()
