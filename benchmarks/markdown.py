"""The pages of benchmarks in Markdown: a heading, how they were made, what the benchmark says of itself, a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table."""
    return [f"| {' | '.join(line)} |" for line in [headings, ["---"] * len(headings), *rows]]


def page(title: str, made: str, explained: str | None, lines: Sequence[str]) -> str:
    """Return a page; `made` says how it was made, and `explained` are the paragraphs between that and the table."""
    paragraphs = [part.strip() for part in (explained or "").split("\n\n")]
    return "\n".join([f"# {title}", "", made, "", *paragraphs, "", *lines, ""])
