"""What a timing says: its table, its file, and how two files compare."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from wrench.errors import InvalidValue

FORMAT = "get-grasp timing 1"


def ratios(row: Mapping[str, Any]) -> list[float]:
    """Return how many times faster ours was than the peer, per round."""
    return [peer / ours for ours, peer in zip(row["ours_s"], row["peer_s"], strict=True)]


def verdict(row: Mapping[str, Any]) -> str:
    """Return ``holds``, ``TOO SLOW`` or ``PEER DISAGREES``: being faster than a wrong answer means nothing."""
    if row["wrong"]:
        return "PEER DISAGREES"
    return "holds" if row["target"] is None or median(ratios(row)) >= row["target"] else "TOO SLOW"


def table(saved: Mapping[str, Any]) -> str:
    """Return the table of a timing: medians over the rounds, of ratios with their range."""
    head = ["", "beside", "us/grasp", "peer us", "ratio (range)", "target", "", "agreement"]
    rows, cold = saved["rows"].values(), saved["cold"].items()
    return columns([head, *map(row_cells, rows), *(cold_cells(name, entry) for name, entry in cold)])


def row_cells(row: Mapping[str, Any]) -> list[str]:
    """Return the cells of a row; microseconds per grasp."""
    each, ours, peer = ratios(row), median(row["ours_s"]) * 1e6, median(row["peer_s"]) * 1e6
    spread = f"{median(each):.0f}x ({min(each):.0f}-{max(each):.0f})"
    target = "-" if row["target"] is None else f">= {row['target']:g}x"
    agreement = f"{row['of'] - row['wrong']}/{row['of']}: {row['rule']}"
    return [row["ours"], row["peer"], f"{ours:.3g}", f"{peer:.4g}", spread, target, verdict(row), agreement]


def cold_cells(name: str, entry: Mapping[str, Any]) -> list[str]:
    """Return the cells of a cold start; seconds."""
    each, target = entry["seconds"], entry["target"]
    spread = f"{median(each):.2f} s ({min(each):.2f}-{max(each):.2f})"
    judged = "holds" if median(each) <= target else "TOO SLOW"
    return [f"fresh process: {name}", "", "", "", spread, f"<= {target:g} s", judged, ""]


def comparison(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Return the table of two timings: for each row both ratios and the new over the old; above 1 is an improvement.

    Cold starts have no peer: both times, and the old over the new.
    """
    lines = [["", "old", "new", "gain"]]
    for name in {**old["rows"], **new["rows"]}:
        was, now = (median(ratios(rows[name])) if name in rows else None for rows in (old["rows"], new["rows"]))
        lines.append([name, quantity(was, ".0f", "x"), quantity(now, ".0f", "x"), over(now, was)])
    for name in {**old["cold"], **new["cold"]}:
        was, now = (median(cold[name]["seconds"]) if name in cold else None for cold in (old["cold"], new["cold"]))
        lines.append([f"fresh process: {name}", quantity(was, ".2f", " s"), quantity(now, ".2f", " s"), over(was, now)])
    made = (old["provenance"], new["provenance"])
    differ = [key for key in ("config_sha256", "seed", "commit", "versions", "machine") if made[0][key] != made[1][key]]
    return columns(lines) + f"\nThe two differ in: {', '.join(differ) or 'nothing but the run'}"


def quantity(value: float | None, digits: str, unit: str) -> str:
    """Return a number with its unit; ``-`` for none."""
    return "-" if value is None else f"{value:{digits}}{unit}"


def over(value: float | None, other: float | None) -> str:
    """Return the quotient of two numbers; ``-`` where one is missing."""
    return "-" if value is None or other is None else f"{value / other:.2f}"


def columns(lines: Sequence[Sequence[str]]) -> str:
    """Return lines of cells as left-aligned columns."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def write(path: Path, saved: Mapping[str, Any]) -> None:
    """Write a timing, with the format's name, as strict JSON; folders on the way are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"format": FORMAT, **saved}, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def read(path: Path) -> dict[str, Any]:
    """Return a timing that `write` wrote.

    Raises
    ------
    InvalidValue
        The file is not JSON, or of another format.
    """
    try:
        saved = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        saved = None
    found = saved.get("format") if isinstance(saved, dict) else None
    if not isinstance(saved, dict) or found != FORMAT:
        raise InvalidValue(f"format of {path}", repr(found), f"{FORMAT!r}, as experiments.timing saves it")
    return saved
