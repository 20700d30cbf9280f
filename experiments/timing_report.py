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
    """Return the table of a timing: medians over the rounds, with the range of ratios and of times with a target."""
    head = ["", "beside", "us/grasp", "peer us", "ratio (range)", "target", "", "agreement"]
    rows, times = saved["rows"].values(), absolute(saved).items()
    lines = columns([head, *map(row_cells, rows), *(time_cells(name, entry) for name, entry in times)])
    lines += "\n\n" + face_table(saved["faces"]) if saved.get("faces") else ""
    return lines + ("\n\n" + label_table(saved["labels"]) if saved.get("labels") else "")


def absolute(saved: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    """Return the times that have a target of their own, by name: calls of rows, then cold starts; `seconds`, `target`."""
    rows = {
        f"{name}: one call, median of {row['calls']}": {"seconds": row["call_s"], "target": row["most"]}
        for name, row in saved["rows"].items()
        if row.get("most") is not None
    }
    return rows | {f"fresh process: {name}": entry for name, entry in saved["cold"].items()}


def face_table(faces: Sequence[Mapping[str, Any]]) -> str:
    """Return the table of the cost of a first touch against the number of faces."""
    lines = [["faces", "build ms", "us/three pads", "Embree us", "ratio (range)"]]
    for entry in faces:
        build, ours, peer = (median(entry[key]) for key in ("build_s", "ours_s", "peer_s"))
        lines.append(
            [f"{entry['faces']}", f"{build * 1e3:.1f}", f"{ours * 1e6:.3g}", f"{peer * 1e6:.4g}", ratio_range(entry)]
        )
    return columns(lines)


def label_table(labels: Mapping[str, Any]) -> str:
    """Return the table of labels per second against the number of workers, and what it comes to for many objects."""
    count, first = labels["labels"], labels["runs"][0]
    lines = [["workers", "labels/s (range)", "per core-second (range)", f"times {first['workers']} worker (range)"]]
    for entry in labels["runs"]:
        gain = [alone / wall for alone, wall in zip(first["wall_s"], entry["wall_s"], strict=True)]
        rates = ([count / seconds for seconds in entry[key]] for key in ("wall_s", "processor_s"))
        lines.append([f"{entry['workers']}", *(ranged(rate, ",.0f") for rate in rates), ranged(gain, ".2f")])
    asked, last = labels["extrapolate"], labels["runs"][-1]
    hours = [s / labels["objects"] * asked["objects"] / asked["cores"] / 3600 for s in last["processor_s"]]
    return (
        f"{columns(lines)}\nn = {len(hours)} runs of each over the same {labels['objects']} objects, {count:,} labels; "
        f"{asked['objects']:,} objects on {asked['cores']} cores\ntake {ranged(hours, '.2g')} h at the rate per core-second "
        f"of {last['workers']} workers"
    )


def ranged(values: Sequence[float], digits: str) -> str:
    """Return the median of values and their range."""
    low, middle, high = (f"{value:{digits}}" for value in (min(values), median(values), max(values)))
    return f"{middle} ({low}-{high})"


def ratio_range(row: Mapping[str, Any]) -> str:
    """Return the median of the ratios and their range; one decimal below ten."""
    each = ratios(row)
    low, middle, high = (f"{value:.{int(value < 10)}f}" for value in (min(each), median(each), max(each)))
    return f"{middle}x ({low}-{high})"


def row_cells(row: Mapping[str, Any]) -> list[str]:
    """Return the cells of a row; microseconds per grasp."""
    ours, peer = median(row["ours_s"]) * 1e6, median(row["peer_s"]) * 1e6
    target = "-" if row["target"] is None else f">= {row['target']:g}x"
    agreement = f"{row['of'] - row['wrong']}/{row['of']}: {row['rule']}"
    return [row["ours"], row["peer"], f"{ours:.3g}", f"{peer:.4g}", ratio_range(row), target, verdict(row), agreement]


def time_cells(name: str, entry: Mapping[str, Any]) -> list[str]:
    """Return the cells of a time with a target of its own; milliseconds."""
    low, middle, high = (value * 1e3 for value in (min(entry["seconds"]), median(entry["seconds"]), max(entry["seconds"])))
    most = entry["target"] * 1e3
    judged = "holds" if middle <= most else "TOO SLOW"
    return [name, "", "", "", f"{middle:.1f} ms ({low:.1f}-{high:.1f})", f"<= {most:g} ms", judged, ""]


def comparison(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Return the table of two timings: for each row both ratios and the new over the old; above 1 is an improvement.

    Of times with a target of their own: both, and the old over the new.
    """
    lines = [["", "old", "new", "gain"]]
    for name in {**old["rows"], **new["rows"]}:
        was, now = (median(ratios(rows[name])) if name in rows else None for rows in (old["rows"], new["rows"]))
        lines.append([name, quantity(was, ".0f", "x"), quantity(now, ".0f", "x"), over(now, was)])
    before, after = absolute(old), absolute(new)
    for name in {**before, **after}:
        was, now = (median(times[name]["seconds"]) * 1e3 if name in times else None for times in (before, after))
        lines.append([name, quantity(was, ".1f", " ms"), quantity(now, ".1f", " ms"), over(was, now)])
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
