"""Tables of a report: cells of text, written as Markdown or HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from experiments.stats import Estimate

NONE = "–"


@dataclass(frozen=True)
class Table:
    """A table.

    Parameters
    ----------
    caption
        What it shows, in one line.
    head
        m column titles.
    rows
        Each of m cells.
    notes
        Sentences on how to read it.
    named
        How many columns, from the left, name the row; the others hold numbers.
    """

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    named: int = 1


def markdown(table: Table) -> str:
    """Return a table as GitHub's Markdown; notes follow as a list."""
    rule = ["---" if i < table.named else "---:" for i in range(len(table.head))]
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in (table.head, rule, *table.rows)]
    notes = ["", *(f"- {note}" for note in table.notes)] if table.notes else []
    return "\n".join([f"**{table.caption}**", "", *lines, *notes]) + "\n"


def html(table: Table) -> str:
    """Return a table as HTML; notes follow as a list."""

    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(one(cell, tag, i < table.named) for i, cell in enumerate(cells)) + "</tr>"

    def one(cell: str, tag: str, names: bool) -> str:
        if names:
            return f"<{tag}>{escape(cell)}</{tag}>"
        value, bracket, interval = cell.partition(" (")
        below = f" <small>({escape(interval)}</small>" if bracket else ""
        return f'<{tag} class="n">{escape(value)}{below}</{tag}>'

    body = "\n".join(line(cells, "td") for cells in table.rows)
    notes = "".join(f"<li>{escape(note)}</li>" for note in table.notes)
    return (
        f'<div class="wide"><table><caption>{escape(table.caption)}</caption>\n<thead>{line(table.head, "th")}</thead>\n'
        f"<tbody>{body}</tbody></table></div>" + (f'<ul class="notes">{notes}</ul>' if notes else "")
    )


def share(estimate: Estimate) -> str:
    """Return a proportion as counts, percentage and interval."""
    if not estimate.n:
        return NONE
    count = round(estimate.value * estimate.n)
    return f"{count}/{estimate.n} = {estimate.value:.0%} ({100 * estimate.low:.0f} to {estimate.high:.0%})"


def number(estimate: Estimate, digits: int, sign: str = "") -> str:
    """Return a value with its interval."""
    if not estimate.n:
        return NONE
    shown = (round(x, digits) + 0.0 for x in (estimate.value, estimate.low, estimate.high))  # + 0.0 makes -0 a 0
    value, low, high = (f"{x:{sign}.{digits}f}" for x in shown)
    return f"{value} ({low} to {high})"


def quartiles(values: Sequence[float | None], scale: float) -> str:
    """Return median and quartiles of the values there are, times `scale`, to three digits."""
    found = np.array([value for value in values if value is not None]) * scale
    if not len(found):
        return NONE
    low, middle, high = np.quantile(found, [0.25, 0.5, 0.75])
    return f"{plain(middle)} ({plain(low)} to {plain(high)})"


def plain(value: float) -> str:
    """Return a number to three digits, without an exponent."""
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:.{digits}f}"
