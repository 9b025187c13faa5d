"""Makes the pages of the benchmarks from their rows: one screen each, that says what was found.

A benchmark writes its rows to docs/data/NAME.csv, then its page docs/NAME.md and the page's chart docs/data/NAME.svg
from that file. This program makes pages again without measuring: all, or those of the NAMEs given.
"""

from __future__ import annotations

import importlib
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from benchmarks.csvrows import read_rows, write_rows
from groma.text.numbers import DASH

DOCS = Path(__file__).resolve().parents[1] / "docs"
TEXTS = Path(__file__).with_name("pages")
# The module that has the study of each page, as STUDY.
STUDIES = {
    "aa": "benchmarks.same_runs",
    "bench": "benchmarks.bench_page",
    "changes": "benchmarks.changes",
    "compared": "benchmarks.reasons.compared",
    "cost": "benchmarks.time_to_precision",
    "fidelity": "benchmarks.fidelity.document",
    "forms": "benchmarks.forms",
    "gates": "benchmarks.gates_page",
    "rank-scale": "benchmarks.rank_scale",
    "reasons": "benchmarks.reasons.document",
    "reproduced": "benchmarks.reproduced",
    "scale": "benchmarks.front_end_scale",
    "steady": "benchmarks.steady_page",
    "truth": "simulation.report",
}


@dataclass(frozen=True)
class Page:
    """A chart as SVG, a short table, and the words that fill the places of the text benchmarks/pages/NAME.md.

    `further` are more charts, by what follows the page's name in those of their files.
    """

    chart: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: Mapping[str, object]
    further: Mapping[str, str] = field(default_factory=dict)

    def text(self, name: str, files: Iterable[str]) -> str:
        """Return the page as Markdown, with links to the files of its rows."""
        links = ", ".join(f"[{file}.csv](data/{file}.csv)" for file in files)
        data = f"All rows: {links}."
        text = (TEXTS / f"{name}.md").read_text(encoding="utf-8")
        text = text.format(**self.words, table=table(self.headings, self.rows), data=data)
        return "\n\n".join(map(_folded, text.strip().split("\n\n"))) + "\n"


@dataclass(frozen=True)
class Study:
    """A page, the types of the rows behind it by the name of their file, and what makes the page of these rows."""

    name: str
    tables: Mapping[str, type]
    page: Callable[..., Page]

    def rows(self, docs: Path = DOCS) -> list[list[Any]]:
        """Return the rows of each file under a folder of pages."""
        return [read_rows(docs / "data" / f"{name}.csv", kind) for name, kind in self.tables.items()]

    def exists(self, docs: Path) -> bool:
        """Tell whether rows of the page were written before."""
        return all((docs / "data" / f"{name}.csv").exists() for name in self.tables)

    def files(self, docs: Path = DOCS) -> dict[Path, str]:
        """Return the text of the page and of its chart, made from the rows that are there."""
        page = self.page(*self.rows(docs))
        charts = {docs / "data" / f"{self.name}-{key}.svg": chart for key, chart in page.further.items()}
        return {docs / f"{self.name}.md": page.text(self.name, self.tables), self.chart(docs): page.chart} | charts

    def chart(self, docs: Path) -> Path:
        """Return the path of the chart."""
        return docs / "data" / f"{self.name}.svg"

    def publish(self, tables: Sequence[Sequence[Any]], docs: Path | None) -> None:
        """Print the page of these rows; write rows, page and chart if a folder of pages is given."""
        click.echo(self.page(*tables).text(self.name, self.tables))
        if docs is None:
            return
        for (name, kind), rows in zip(self.tables.items(), tables, strict=True):
            write_rows(docs / "data" / f"{name}.csv", kind, rows)
        self.write(docs)

    def write(self, docs: Path) -> None:
        """Write page and chart from the rows that are there."""
        for path, text in self.files(docs).items():
            path.write_text(text, encoding="utf-8")


def study_of(name: str) -> Study:
    """Return the study of a page."""
    found: Study = importlib.import_module(STUDIES[name]).STUDY
    return found


def readme() -> str:
    """Return what docs/data/README.md says of every file of rows: the words of their types."""
    rows = [
        [f"[{file}.csv]({file}.csv)", f"[{name}](../{name}.md)", " ".join((kind.__doc__ or "").split())]
        for name in STUDIES
        for file, kind in study_of(name).tables.items()
    ]
    head = "# Rows of the measured pages\n\n`make pages` makes the pages of these. An empty cell is not known (None)."
    return f"{head}\n\n{table(['file', 'page', 'a row'], rows)}\n"


def written(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the option for the folder of its page."""
    return click.option(
        "--write",
        "docs",
        type=click.Path(path_type=Path, file_okay=False),
        help="Write page and rows into this folder.",
    )(function)


def _folded(paragraph: str) -> str:
    if paragraph.startswith(("#", "!", "|")):
        return paragraph
    return "\n".join(textwrap.wrap(paragraph, 120, break_long_words=False, break_on_hyphens=False))


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown; columns with figures alone are set to the right."""
    sides = ["--:" if rows and all(_is_figure(row[at]) for row in rows) else "---" for at in range(len(headings))]
    return "\n".join(f"| {' | '.join(line)} |" for line in [headings, sides, *rows])


def _is_figure(cell: str) -> bool:
    return not cell or cell[0] in f"+-±0123456789{DASH}"


@click.command(help=__doc__)
@click.argument("names", nargs=-1, type=click.Choice(list(STUDIES)))
@click.option("--docs", type=click.Path(path_type=Path, exists=True), default=DOCS, help="The folder of the pages.")
def main(names: Sequence[str], docs: Path) -> None:
    """Make the pages."""
    for name in names or STUDIES:
        study_of(name).write(docs)
    (docs / "data" / "README.md").write_text(readme(), encoding="utf-8")


if __name__ == "__main__":
    main()
