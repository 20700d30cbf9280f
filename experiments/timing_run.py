"""A whole timing: ours and the peer take turns, round after round, so that a slow spell of the machine slows both."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict
from time import perf_counter
from typing import Any

import numpy as np

from experiments.provenance import ROOT, provenance
from experiments.timing_inputs import Inputs
from experiments.timing_rows import ROWS, Row
from wrench.errors import InvalidValue

# What a fresh process does between the two readings of its clock.
COLD = {
    "import": "import wrench",
    "first": """
import numpy, wrench
angle = numpy.radians([210, 330, 90])
points = numpy.stack([numpy.cos(angle), numpy.sin(angle), 0 * angle], -1)
for d in (2, 3):
    ring = wrench.Contacts.all_made(points[:, :d], -points[:, :d])
    wrench.quality(ring, friction=0.5, origin=numpy.zeros(d), torque_scale=1.0)
""",
}


Turn = tuple[float, float, list[float]]  # seconds per grasp of ours and of the peer, and the peer's answers


def run(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a whole timing, ready to be saved: provenance, configuration, rows with every round, cold starts.

    Parameters
    ----------
    config
        ``conf/timing.yaml`` as plain values, without `save` and `compare`.

    Raises
    ------
    InvalidValue
        A row or a cold start that does not exist, or a number out of range.
    """
    for field, known in {"rows": ROWS, "cold": COLD}.items():
        for name in config[field]:
            if name not in known:
                raise InvalidValue(field, repr(name), f"one of {', '.join(known)}")
    inputs = Inputs.of(config)
    rows = {name: ROWS[name](inputs, options) for name, options in config["rows"].items()}
    return {
        "provenance": provenance(config, config["seed"]),
        "config": config,
        "rows": measure(rows, config["rows"], config["rounds"], config["turn"]),
        "cold": {
            name: {"seconds": cold(COLD[name], config["rounds"]), "target": options["target"]}
            for name, options in config["cold"].items()
        },
    }


def measure(
    rows: Mapping[str, Row], options: Mapping[str, Mapping[str, Any]], rounds: int, least: float
) -> dict[str, dict[str, Any]]:
    """Return what was measured for every row.

    Parameters
    ----------
    rows
        By name.
    options
        By the same names: `peers`, how many grasps the peer answers in each round (every round asks it others), and
        `target`.
    rounds
        At least 1.
    least : seconds
        That ours is called for in each round; once at the least.

    Returns
    -------
    dict
        By row: ``ours`` and ``peer`` (names), ``ours_s`` and ``peer_s`` (seconds per grasp, one entry per round),
        ``wrong``, ``of`` and ``rule`` (the agreement over all rounds), ``target``.
    """
    if rounds < 1:
        raise InvalidValue("rounds", rounds, "at least 1")
    asked = {name: [spread(row.count, options[name]["peers"], r) for r in range(rounds)] for name, row in rows.items()}
    turns: dict[str, list[Turn]] = {name: [] for name in rows}
    for row in rows.values():
        turn(row, [0], 0)  # warm
    for r in range(rounds):
        for name, row in rows.items():
            turns[name].append(turn(row, asked[name][r], least))
    return {
        name: {**record(row, asked[name], turns[name]), "target": options[name]["target"]} for name, row in rows.items()
    }


def turn(row: Row, indices: list[int], least: float) -> Turn:
    """Return one turn of ours, `least` seconds or one call, and of the peer on the grasps of these indices."""
    calls, begin = 0, perf_counter()
    while calls == 0 or perf_counter() - begin < least:
        row.answer()
        calls += 1
    middle = perf_counter()
    answers = [row.ask(i) for i in indices]
    end = perf_counter()
    return (middle - begin) / (calls * row.count), (end - middle) / len(indices), answers


def spread(count: int, peers: int, shift: int) -> list[int]:
    """Return `peers` indices spread evenly over `count`, other ones for every shift."""
    if not 1 <= peers <= count:
        raise InvalidValue("peers", peers, f"between 1 and the number of grasps, {count}")
    return ((np.arange(peers) * count // peers + shift) % count).tolist()


def record(row: Row, asked: list[list[int]], turns: list[Turn]) -> dict[str, Any]:
    """Return the record of a row from all its turns."""
    ours, peer, answers = zip(*turns, strict=True)
    agreement = row.agreement(np.concatenate(asked), np.concatenate(answers))
    return {"ours": row.ours, "peer": row.peer, "ours_s": list(ours), "peer_s": list(peer), **asdict(agreement)}


def cold(work: str, rounds: int) -> list[float]:
    """Return the seconds, by its own clock, that each of `rounds` fresh processes takes for `work`, lines of Python.

    One more process goes first, so that the kernels are compiled and on disk.
    """
    code = f"from time import perf_counter\nbegin = perf_counter()\n{work}\nprint(perf_counter() - begin)"
    command = [sys.executable, "-c", code]
    runs = [subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True) for _ in range(rounds + 1)]
    return [float(run.stdout) for run in runs[1:]]
