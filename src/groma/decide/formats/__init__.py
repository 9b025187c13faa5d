"""A comparison as text: columns and Markdown for people; each format for programs has a module of its own."""

from __future__ import annotations

import importlib

from groma.decide.comparing import Compared, Row
from groma.decide.gating import Gate
from groma.text.lines import texts
from groma.text.numbers import DASH, microseconds, significant
from groma.text.tables import Table, escaped, markdown_lines, table_lines

_DIGITS = 4


def written(compared: Compared, form: str, gate: Gate | None = None) -> str:
    """Return a comparison, and how a gate ended, in the format of a name, with a line feed at the end."""
    of_people = {"text": _text, "markdown": _markdown}
    write = of_people.get(form) or importlib.import_module(f"{__name__}.as_{form}").written
    return str(write(compared, gate)).rstrip("\n") + "\n"


def _text(compared: Compared, gate: Gate | None = None) -> str:
    """Return the verdict first, then the points, what was not compared, what differs, and what to know of it."""
    lines = [gate.sentence, ""] if gate else []
    lines += [compared.summary(), "", *texts(table_lines(figures_table(compared)))]
    for title, content in (
        ("Not compared", [f"  {entry.words()}" for entry in compared.left_out]),
        ("What differs", texts(table_lines(differences_table(compared)), indent=2) if compared.differences else []),
        ("Notes", [f"  {sentence}" for sentence in compared.sentences]),
    ):
        lines += ["", title, *content] if content else []
    return "\n".join(lines)


def _markdown(compared: Compared, gate: Gate | None = None) -> str:
    """Return, for an issue or a merge request, the verdict, and a table each of the points and of what differs."""
    lines = [f"**{escaped(gate.sentence)}**", ""] if gate else []
    lines += [escaped(compared.summary()), "", *markdown_lines(figures_table(compared))]
    if compared.left_out:
        lines += ["", "Not compared:", "", *(f"* {escaped(entry.words())}" for entry in compared.left_out)]
    if compared.differences:
        lines += ["", "What differs:", "", *markdown_lines(differences_table(compared))]
    if compared.sentences:
        lines += ["", *(f"* {escaped(sentence)}" for sentence in compared.sentences)]
    return "\n".join(lines)


def figures_table(compared: Compared) -> Table:
    """Return a row for every point: both times, their ratio and the verdict."""
    first, second = compared.names
    headings = ["point", f"{first} \N{MICRO SIGN}s", f"{second} \N{MICRO SIGN}s", "ratio", "95% interval", "verdict"]
    rows = [
        [row.label, *map(microseconds, row.times_ns), significant(row.ratio, _DIGITS), interval(row), row.words]
        for row in compared.rows
    ]
    return Table("Figures", headings, rows)


def differences_table(compared: Compared) -> Table:
    """Return a row for everything that differs: kind, what, and both sides."""
    rows = [[one.kind, one.name, one.first, one.second] for one in compared.differences]
    return Table("What differs", ["kind", "what", *compared.names], rows)


def interval(row: Row) -> str:
    """Return the 95 % interval of the ratio; a dash if launches are too few."""
    if row.interval is None:
        return DASH
    return row.interval.text(_DIGITS)
