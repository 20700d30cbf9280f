"""HTML of a report: one file that needs no other, with or without JavaScript."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Section:
    """A section of the page: its title, and its body as HTML; an empty body leaves it out."""

    title: str
    body: str

    @property
    def anchor(self) -> str:
        """What links point at."""
        return self.title.lower().replace(" ", "-")


def page(title: str, lead: str, sections: Sequence[Section]) -> str:
    """Return the whole file; `lead` is HTML."""
    there = [section for section in sections if section.body]
    links = "".join(f'<a href="#{s.anchor}">{escape(s.title)}</a>' for s in there)
    body = "\n".join(f'<section id="{s.anchor}"><h2>{escape(s.title)}</h2>\n{s.body}</section>' for s in there)
    style, script = ((HERE / name).read_text(encoding="utf-8") for name in ("report.css", "report.js"))
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<style>{style}</style></head>\n'
        f"<body><main><h1>{escape(title)}</h1>\n{lead}\n<nav>{links}</nav>\n{body}\n</main><script>{script}</script></body></html>\n"
    )


def image(content: bytes, alt: str) -> str:
    """Return a PNG as an image that the page carries with it."""
    return f'<img src="data:image/png;base64,{b64encode(content).decode()}" alt="{escape(alt)}">'


def plot(content: bytes, alt: str, reading: Sequence[str]) -> str:
    """Return a figure with its reading, a paragraph per sentence."""
    said = "".join(f"<p>{escape(sentence)}</p>" for sentence in reading)
    return f'<figure class="plot">{image(content, alt)}<figcaption>{said}</figcaption></figure>'


def definitions(entries: Sequence[tuple[str, str]]) -> str:
    """Return terms and what they are."""
    return "<dl>" + "".join(f"<dt>{escape(term)}</dt><dd>{escape(said)}</dd>" for term, said in entries) + "</dl>"
