"""Entry: the door of a command. Hydra composes its settings, an error is one sentence, and the exit status tells."""

from __future__ import annotations

import sys
from collections.abc import Callable

import hydra
from omegaconf import DictConfig

from grasp import presets
from wrench.errors import GraspError

DONE, BAD = 0, 1  # exit status


def command(name: str, run: Callable[[DictConfig], int]) -> int:
    """Run a command on ``conf/<name>.yaml`` and the overrides of the command line; return the gravest exit status.

    Parameters
    ----------
    name
        Of the primary configuration.
    run
        Does the work of one job and returns its exit status; bad input may raise `GraspError` or `OSError`.
    """
    statuses: list[int] = []

    @hydra.main(version_base="1.3", config_path=str(presets.CONF), config_name=name)
    def job(config: DictConfig) -> None:
        try:
            statuses.append(run(config))
        except (GraspError, OSError) as error:
            print(error, file=sys.stderr)
            statuses.append(BAD)

    job()
    return max(statuses, default=DONE)
