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
    """Return ``holds``, ``PEER DISAGREES`` or ``TOO SLOW``; speed beside a peer that answers otherwise means nothing."""
    if row["wrong"]:
        return "PEER DISAGREES"
    return "holds" if row["target"] is None or median(ratios(row)) >= row["target"] else "TOO SLOW"


def cold_verdict(entry: Mapping[str, Any]) -> str:
    """Return ``holds`` or ``TOO SLOW``."""
    return "holds" if median(entry["seconds"]) <= entry["target"] else "TOO SLOW"


def table(saved: Mapping[str, Any]) -> str:
    """Return the table of a timing: medians over the rounds, of ratios with their range."""
    lines = [("", "beside", "us/grasp", "peer us", "ratio (range)", "target", "", "agreement")]
    for row in saved["rows"].values():
        each = ratios(row)
        spread = f"{median(each):.0f}x ({min(each):.0f}-{max(each):.0f})"
        times = [f"{median(row[key]) * 1e6:.3g}" for key in ("ours_s", "peer_s")]
        target = "-" if row["target"] is None else f">= {row['target']:g}x"
        agreement = f"{row['of'] - row['wrong']}/{row['of']}: {row['rule']}"
        lines.append((row["ours"], row["peer"], *times, spread, target, verdict(row), agreement))
    for name, entry in saved["cold"].items():
        each = entry["seconds"]
        spread = f"{median(each):.2f} s ({min(each):.2f}-{max(each):.2f})"
        lines.append((f"fresh process: {name}", "", "", "", spread, f"<= {entry['target']:g} s", cold_verdict(entry), ""))
    return columns(lines)


def comparison(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Return the table of two timings: for each row both ratios and the new over the old; above 1 is an improvement.

    Cold starts have no peer: both times, and the old over the new.
    """
    lines = [("", "old", "new", "gain")]
    for name in {**old["rows"], **new["rows"]}:
        pair = [median(ratios(saved["rows"][name])) if name in saved["rows"] else None for saved in (old, new)]
        lines.append((name, *(f"{x:.0f}x" if x else "-" for x in pair), gain(pair[0], pair[1])))
    for name in {**old["cold"], **new["cold"]}:
        pair = [median(saved["cold"][name]["seconds"]) if name in saved["cold"] else None for saved in (old, new)]
        lines.append((f"fresh process: {name}", *(f"{x:.2f} s" if x else "-" for x in pair), gain(pair[1], pair[0])))
    made = (old["provenance"], new["provenance"])
    differ = [key for key in ("config_sha256", "seed", "commit", "versions", "machine") if made[0][key] != made[1][key]]
    return columns(lines) + f"\nThe two differ in: {', '.join(differ) or 'nothing but the run'}"


def gain(below: float | None, above: float | None) -> str:
    return f"{above / below:.2f}" if above and below else "-"


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
    if found != FORMAT:
        raise InvalidValue(f"format of {path}", repr(found), f"{FORMAT!r}, as experiments.timing saves it")
    return saved
