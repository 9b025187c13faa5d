"""The tables of the ALCF slides beside those of a run: its systems' columns next to the run's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from groma.catalog.references import reference, systems, table
from groma.programs.alcf.table import SuiteTable
from groma.text.charts import Chart, Curve
from groma.text.numbers import DASH
from groma.text.tables import Table


@dataclass(frozen=True)
class _Published:
    """One table: its name among the references, what names its rows, and what heads its columns beside the system."""

    name: str
    rows: str
    heading: Callable[[dict[str, Any]], str]


_PER_NODE = "ranks_per_node"
_COLLECTIVES = {"World": "alcf_collectives", "Half World": "alcf_collectives_half"}
_RATE = _Published("alcf_message_rate", _PER_NODE, lambda row: {"named": "def", "any": "any_src"}[row["receives_from"]])
_WINDOW = _Published("alcf_message_rate_window", "window", lambda row: f"{row[_PER_NODE]} RPN")
_NODE = _Published("alcf_node_bandwidth", _PER_NODE, lambda _: "")
_BISECTION = _Published("alcf_bisection", _PER_NODE, lambda row: f"{row['nodes']} nodes")


def reference_systems() -> list[str]:
    """Return the systems that the presentation shows figures of."""
    return systems(*(one.name for one in (_RATE, _WINDOW, _NODE, _BISECTION)), *_COLLECTIVES.values())


def beside(host: str, suite: Sequence[SuiteTable], names: Sequence[str]) -> tuple[list[Table], list[Chart]]:
    """Return a table and its charts for each of the suite's own tables that the named systems have figures for."""
    tables, charts = [], []
    for suite_table in suite:
        published = _published(suite_table.title)
        columns = _columns(published, names) if published else {}
        if published and columns:
            tables.append(_joined(suite_table, published, columns))
            charts += _charts(host, suite_table, published, columns)
    return tables, charts


def _published(title: str) -> _Published | None:
    """Return where the presentation's table of the same figures is; None if it shows none."""
    kind, _, rest = title.partition(": ")
    communicator = rest.partition(",")[0]  # without the number of nodes
    if kind == "Collective operations" and communicator in _COLLECTIVES:
        return _Published(_COLLECTIVES[communicator], "label", lambda row: f"{row[_PER_NODE]} RPN")
    if title.startswith("Messaging rate") and "by targets" not in title:
        return _WINDOW if "by window" in title else _RATE
    if title.startswith("Single node aggregate bandwidth"):
        return _NODE
    return _BISECTION if title.startswith("Bi-section bandwidth") else None


def _columns(published: _Published, names: Sequence[str]) -> dict[tuple[str, str], dict[str, str]]:
    """Return the published cells, by system and heading, then by row."""
    columns: dict[tuple[str, str], dict[str, str]] = {}
    for row in reference(published.name):
        if row["system"] in names:
            line = "Peak" if row["quantity"] == "peak" else str(row[published.rows])
            columns.setdefault((row["system"], published.heading(row)), {})[line] = row["printed"]
    return {column: columns[column] for column in sorted(columns, key=lambda column: names.index(column[0]))}


def _joined(suite_table: SuiteTable, published: _Published, columns: dict[tuple[str, str], dict[str, str]]) -> Table:
    """Return the run's own columns and the published ones, with the rows of both."""
    cells = {first: figures for first, *figures in suite_table.rows}
    lines = [*dict.fromkeys([*cells, *(line for column in columns.values() for line in column)])]
    if published.rows != "label":
        lines.sort(key=lambda line: (_number(line) is None, _number(line) or 0))
    blank = [DASH] * (len(suite_table.headings) - 1)
    source = table(published.name)
    notes = [f'Published: "{source.title}" of the ALCF presentation. {source.note}'.strip()]
    if published is _NODE and "within a node" in suite_table.title:
        notes.append("The published peaks are those of a node's links to other nodes.")
    return Table(
        f"{suite_table.title}, {suite_table.unit}, beside published figures",
        [*suite_table.headings, *(" ".join(filter(None, column)) for column in columns)],
        [[line, *cells.get(line, blank), *(column.get(line, DASH) for column in columns.values())] for line in lines],
        notes,
    )


def _charts(
    host: str, suite_table: SuiteTable, published: _Published, columns: dict[tuple[str, str], dict[str, str]]
) -> list[Chart]:
    """Draw every column over the rows; of collectives each operation over the columns, which are ranks per node."""
    unit = suite_table.unit.removeprefix("in ")
    if published.rows != "label":
        curves = [
            _curve(f"{host}, {heading}", {row[0]: row[place] for row in suite_table.rows})
            for place, heading in enumerate(suite_table.headings[1:], start=1)
        ]
        curves += [_curve(", ".join(filter(None, column)), lines, published=True) for column, lines in columns.items()]
        return _drawn(suite_table.title, "window" if published is _WINDOW else "ranks per node", unit, curves)
    charts = []
    for label, *cells in suite_table.rows:
        curves = [_curve(host, dict(zip(suite_table.headings[1:], cells, strict=True)))]
        for system in dict.fromkeys(system for system, _ in columns):
            points = {head: lines.get(label, DASH) for (owner, head), lines in columns.items() if owner == system}
            curves.append(_curve(system, points, published=True))
        charts += _drawn(f"{suite_table.title}: {label}", "ranks per node", unit, curves)
    return charts


def _drawn(title: str, x: str, y: str, curves: list[Curve]) -> list[Chart]:
    """Return the chart of the curves that have points; none if nothing of the run or nothing published has any."""
    shown = [curve for curve in curves if curve.points]
    return [Chart(title, x, y, shown, sized=False)] if {curve.reference for curve in shown} == {False, True} else []


def _curve(name: str, cells: dict[str, str], *, published: bool = False) -> Curve:
    """Return the cells that are numbers, over the number that their row or column starts with."""
    places = {label: (_number(label.split()[0]), _number(cell)) for label, cell in cells.items()}
    return Curve.of(name, sorted((x, y) for x, y in places.values() if x and y), reference=published)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
