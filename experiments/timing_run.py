"""A whole timing: ours and the peer take turns, round after round, so that a slow spell of the machine slows both."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from experiments.provenance import ROOT, provenance
from experiments.timing_faces import faces
from experiments.timing_inputs import Inputs
from experiments.timing_labels import labels
from experiments.timing_plans import plan2d
from experiments.timing_plans3d import plan3d, three_pads
from experiments.timing_row import Row
from experiments.timing_rows import planar_hull, spatial_hull, spatial_linprog, spatial_nnls, spatial_round
from wrench.errors import InvalidValue

MECHANICS = (planar_hull, spatial_nnls, spatial_linprog, spatial_hull, spatial_round)
ROWS = {row.__name__: row for row in (*MECHANICS, plan2d, plan3d, three_pads)}

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
    "plan2d": """
import numpy
from get2d import Get2D
from grasp import View
mask = numpy.zeros((720, 1280), bool)
mask[260:460, 540:740] = True
Get2D.preset().plan(View.from_mask(mask, pixels_per_meter=4000), numpy.random.default_rng(0))
""",
}
FACES, LABELS = "faces", "labels"  # what the tables at the end are called in a selection


@dataclass(frozen=True)
class Turn:
    """One turn: seconds of each of our calls, seconds that the peer took for a grasp, and its answers."""

    calls: list[float]
    peer: float
    answers: list[Any]


def selected(config: Mapping[str, Any], only: Collection[str]) -> dict[str, Any]:
    """Return the configuration cut down to the rows and cold starts of these names, and to the tables that are named.

    A name that a row and a cold start share selects both.
    """
    known = {*config["rows"], *config["cold"], FACES, LABELS}
    for name in only:
        if name not in known:
            raise InvalidValue("only", repr(name), f"one of {', '.join(sorted(known))}")
    cut = {field: {name: config[field][name] for name in config[field] if name in only} for field in ("rows", "cold")}
    return {**config, **cut, **{table: config[table] if table in only else None for table in (FACES, LABELS)}}


def run(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a whole timing, ready to be saved: provenance, configuration, rows with every round, cold starts, tables.

    Parameters
    ----------
    config
        ``conf/timing.yaml`` as plain values, without `save`, `compare` and `only`.

    Raises
    ------
    InvalidValue
        A row or a cold start that does not exist, or a number out of range.
    """
    kinds = {name: options.get("row", name) for name, options in config["rows"].items()}
    for field, names, known in (("rows", kinds.values(), ROWS), ("cold", config["cold"], COLD)):
        for name in names:
            if name not in known:
                raise InvalidValue(field, repr(name), f"one of {', '.join(known)}")
    inputs = Inputs(config)
    rows = {name: ROWS[kinds[name]](inputs, options) for name, options in config["rows"].items()}
    return {
        "provenance": provenance(config, config["seed"]),
        "config": config,
        "rows": measure(rows, config["rows"], config["rounds"], config["turn"]),
        "cold": {
            name: {"seconds": cold(COLD[name], config["rounds"]), "target": options["target"]}
            for name, options in config["cold"].items()
        },
        "faces": [] if config[FACES] is None else faces(inputs, config[FACES]),
        "labels": None if config[LABELS] is None else labels(config[LABELS]),
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
        By the same names: `peers`, how many questions the peer is asked in each round (every round other ones), `target`,
        and `most` where our calls have a target of their own.
    rounds
        At least 1.
    least : seconds
        That ours is called for in each round; once at the least.

    Returns
    -------
    dict
        By row: ``ours`` and ``peer`` (names), ``ours_s`` and ``peer_s`` (seconds per grasp, one entry per round),
        ``call_s`` (median seconds of our calls, one entry per round), ``calls`` (their number), ``wrong``, ``of`` and
        ``rule`` (the agreement over all rounds), ``target`` and ``most``.
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
    targets = {name: {"target": options[name]["target"], "most": options[name].get("most")} for name in rows}
    return {name: {**record(row, asked[name], turns[name]), **targets[name]} for name, row in rows.items()}


def turn(row: Row, indices: list[int], least: float) -> Turn:
    """Return one turn of ours, `least` seconds or each call once, and of the peer on the questions of these indices."""
    calls = [seconds(call, least / len(row.calls)) for call in row.calls]
    begin = perf_counter()
    answers = [row.ask(i) for i in indices]
    return Turn(calls, (perf_counter() - begin) / (len(indices) * row.each), answers)


def seconds(call: Callable[[], Any], least: float) -> float:
    """Return the seconds that a call takes, on average over `least` seconds or over one call."""
    calls, begin = 0, perf_counter()
    while calls == 0 or perf_counter() - begin < least:
        call()
        calls += 1
    return (perf_counter() - begin) / calls


def spread(count: int, peers: int, shift: int) -> list[int]:
    """Return `peers` indices spread evenly over `count`, other ones for every shift."""
    if not 1 <= peers <= count:
        raise InvalidValue("peers", peers, f"between 1 and the number of questions, {count}")
    return ((np.arange(peers) * count // peers + shift) % count).tolist()


def record(row: Row, asked: list[list[int]], turns: list[Turn]) -> dict[str, Any]:
    """Return the record of a row from all its turns."""
    answers = np.array([answer for turn in turns for answer in turn.answers])
    return {
        "ours": row.ours,
        "peer": row.peer,
        "ours_s": [sum(turn.calls) / (row.count * row.each) for turn in turns],
        "peer_s": [turn.peer for turn in turns],
        "call_s": [median(turn.calls) for turn in turns],
        "calls": len(row.calls),
        **asdict(row.agreement(np.concatenate(asked), answers)),
    }


def cold(work: str, rounds: int) -> list[float]:
    """Return the seconds, by its own clock, that each of `rounds` fresh processes takes for `work`, lines of Python.

    One more process goes first, so that the kernels are compiled and on disk.
    """
    code = f"from time import perf_counter\nbegin = perf_counter()\n{work}\nprint(perf_counter() - begin)"
    command = [sys.executable, "-c", code]
    runs = [subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True) for _ in range(rounds + 1)]
    return [float(run.stdout) for run in runs[1:]]
