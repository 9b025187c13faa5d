"""What the terminal and the page say, word for word."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path

import pytest
from approved import assert_approved
from rich.console import Console

from groma.report import print_run
from groma.report.page import render
from groma.report.terminal import print_programs
from groma.results import Run, load_run

RECORDED = Path(__file__).parents[1] / "recorded"


class Text(HTMLParser):
    """The text of a page as a screen reader meets it: one line per block, one per row of a table."""

    BLOCKS = frozenset({"p", "h1", "h2", "h3", "li", "tr", "dt", "figcaption", "caption", "pre", "summary", "label"})
    SILENT = frozenset({"script", "style", "svg"})

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self._silent += tag in self.SILENT
        if tag in self.BLOCKS:
            self.lines.append("")
        elif tag in {"td", "th", "dd"} and self.lines and self.lines[-1]:
            self.lines[-1] += " | "

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in self.SILENT

    def handle_data(self, data: str) -> None:
        if not self._silent and data.strip() and self.lines:
            self.lines[-1] += " " + " ".join(data.split())


def text_of(page: str) -> str:
    reader = Text()
    reader.feed(page)
    return "".join(f"{' '.join(line.split())}\n" for line in reader.lines if line.strip())


@pytest.mark.parametrize(("width", "define"), [(80, False), (120, True)])
def test_the_terminal(troubled: Run, width: int, define: bool) -> None:
    out = StringIO()
    print_run(troubled, Console(file=out, width=width), define=define)
    assert_approved(_printed(out), f"terminal-{width}{'-define' if define else ''}.txt")


def test_the_terminal_with_too_few_launches_for_intervals(four_launches: Run) -> None:
    out = StringIO()
    print_run(four_launches, Console(file=out, width=80))
    assert_approved(_printed(out), "terminal-four-launches.txt")


def _printed(out: StringIO) -> str:
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def test_the_page(troubled: Run) -> None:
    first, *others = re.split(r'(?=<div class="choice">)', _page(troubled))
    alike = [re.sub(r"<figure>.*</figure>", "", part, flags=re.DOTALL) for part in others]  # the same for every size
    assert_approved(text_of("".join([first, others[0], *alike[1:]])), "page.txt")


def test_several_programs_in_the_terminal() -> None:
    out = StringIO()
    print_programs([load_run(RECORDED / name) for name in ("mpptest", "mpbench", "pmb")], Console(file=out, width=100))
    assert_approved("".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines()), "programs.txt")


def _page(run: Run) -> str:
    """Return the page without what no screen reader says, and without the folder of this run of the tests."""
    said = re.sub(r'<(p|span) [^>]*aria-hidden="true">.*?</\1>', "", render(run))
    return said.replace(str(run.path.parent), "/runs")
