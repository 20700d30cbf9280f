"""Lock: at most one run works in a folder. The system lets go of it with the process, so a killed run leaves none behind."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wrench.errors import InvalidValue


@contextmanager
def only_run(folder: Path) -> Iterator[None]:
    """Hold a folder, made if need be, while the block runs.

    ``.lock`` in it names the process meanwhile; it is empty afterwards, and stays: a file that is removed could be held by
    one run and made anew by another.

    Raises
    ------
    InvalidValue
        Another run holds it; the error names its process.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("a+", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            free = f"a folder in which no run is under way; process {file.read() or 'unknown'} is at work in it"
            raise InvalidValue("output", folder, free) from None
        _write(file, str(os.getpid()))
        try:
            yield
        finally:
            _write(file, "")


def _write(file, text: str) -> None:
    file.seek(0)
    file.truncate()
    file.write(text)
    file.flush()
