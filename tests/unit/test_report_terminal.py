"""Narrow terminals: columns wrap, follow below or are left out, but no digit of a figure is hidden."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from synthetic import Scenario, make_run

from groma.analysis import summarise
from groma.catalog.registry import programs
from groma.programs.study import Study
from groma.report import print_run
from groma.report.terminal import print_study
from groma.results import load_run
from groma.run.progress import Progress
from groma.text.lines import Styled
from groma.text.numbers import typewriter
from groma.text.printing import print_list, print_table
from groma.text.tables import Table, kind_of

RECORDED = Path(__file__).parents[1] / "recorded"


def console(width: int) -> tuple[Console, StringIO]:
    out = StringIO()
    return Console(file=out, width=width), out


@pytest.mark.parametrize("width", [80, 60])
@pytest.mark.parametrize("program", ["alcf", "commtest"])
def test_every_figure_of_a_study_stands_on_a_narrow_terminal(program: str, width: int) -> None:
    run = load_run(RECORDED / program)
    study: Study = programs()[program].ask(programs()[program].study, run, summarise(run))
    narrow, out = console(width)
    print_study(study, narrow)
    words = out.getvalue().split()
    for table in study.tables:
        for row in table.rows:
            assert set(typewriter(" ".join(row)).split()) <= set(words)
    assert "\N{HORIZONTAL ELLIPSIS}" not in out.getvalue()
    assert max(map(len, out.getvalue().splitlines())) <= width


@pytest.mark.parametrize("width", [80, 60])
def test_headlines_are_whole_on_a_narrow_terminal(tmp_path: Path, width: int) -> None:
    run = load_run(make_run(tmp_path / "run", Scenario(launches=1, samples=40, sizes=(8, 1048576))))
    narrow, out = console(width)
    print_run(run, narrow)
    assert "\N{HORIZONTAL ELLIPSIS}" not in out.getvalue()
    assert "core-to-core" in out.getvalue()


def test_columns_without_room_follow_below_the_first_one_again() -> None:
    narrow, out = console(24)
    rows = [["barrier", "1234567890", "0.123 to 0.456"], ["bcast", "2", "1 to 2"]]
    print_table(narrow, Table("", ["figure", "time", "interval"], rows))
    assert out.getvalue().splitlines() == [
        "figure         time",
        "barrier  1234567890",
        "bcast             2",
        "",
        "figure         interval",
        "barrier  0.123 to 0.456",
        "bcast            1 to 2",
    ]


def test_text_wraps_at_words_and_numbers_never() -> None:
    narrow, out = console(30)
    print_table(narrow, Table("", ["way", "ratio"], [["one dimension at a time: halo/isend_irecv", "1.31 to 1.52"]]))
    assert out.getvalue().splitlines() == [
        "way                      ratio",
        "one dimension at  1.31 to 1.52",
        "a time:",
        "halo/isend_irecv",
    ]


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (40, ["  ok  cores  two of them, each with one", "             hardware thread"]),
        (30, ["  ok  cores", "      two of them, each with", "      one hardware thread"]),
    ],
)
def test_the_last_column_of_a_list_wraps_or_stands_below(width: int, lines: list[str]) -> None:
    narrow, out = console(width)
    rows = [("ok", "cores", "two of them, each with one hardware thread"), ("!", "", "x")]
    print_list(narrow, rows, indent=2)
    assert out.getvalue().splitlines()[: len(lines)] == lines


def test_styles_are_of_terminals_and_not_of_the_text() -> None:
    out = StringIO()
    print_table(Console(file=out, force_terminal=True), Table("", ["a", "b"], [[Styled("x", "bold"), "y"]]))
    assert out.getvalue().splitlines() == ["\x1b[2ma  b\x1b[0m", "\x1b[1mx  \x1b[0my"]
    assert Styled("x", "bold") == "x"


def test_a_table_without_room_loses_spare_columns_in_their_order() -> None:
    table = Table("", ["a", "b", "c"], [["1" * 8, "2" * 8, "3" * 8]], spare=["c", "b"])
    assert [list(table.narrowed(width).headings) for width in (28, 27, 17, 2)] == [
        ["a", "b", "c"],
        ["a", "b"],
        ["a"],
        ["a"],
    ]


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["0.999", "+11.3", "-1.2e+04", "\N{EN DASH}"], "number"),
        (["1.31 to 1.52", "1.32 (1.28 to 1.40)"], "number"),
        (["8 B", "64 KiB", "1.57\N{MULTIPLICATION SIGN}", "13%", "3 1 2"], "number"),
        (["1", "Peak"], "word"),
        (["2 ranks"], "word"),
        (["64 KiB, 2 ranks, first_last"], "text"),
    ],
)
def test_what_a_column_holds(cells: list[str], kind: str) -> None:
    assert kind_of(cells) == kind


@pytest.mark.parametrize("width", [200, 60])
def test_headlines_say_how_many_ranks_where_that_differs(width: int) -> None:
    narrow, out = console(width)
    print_run(load_run(RECORDED / "alcf"), narrow)
    headlines = out.getvalue().split("Targets", 1)[0].splitlines()
    barrier = next(number for number, line in enumerate(headlines) if line.startswith("  Barrier"))
    told = " ".join(headlines[barrier : barrier + 2]).split()
    assert "ranks" in told
    assert not any(word.startswith(",") for word in told)


def test_columns_without_room_are_named() -> None:
    run = load_run(RECORDED / "two-launches")
    narrow, wide = StringIO(), StringIO()
    print_run(run, Console(file=narrow, width=70))
    print_run(run, Console(file=wide, width=200))
    said = " ".join(narrow.getvalue().split())
    assert re.search(r"Not shown in 70 columns: [^.]*first call[^.]*\. All columns take \d+: widen the terminal", said)
    assert "Not shown" not in wide.getvalue()
    assert wide.getvalue().count("first call") > narrow.getvalue().count("first call")


def test_a_forecast_is_corrected_once_by_the_launches_that_were_made() -> None:
    out = StringIO()
    progress = Progress(Console(file=out, width=200), forecast_from_s=0.0)
    progress.forecast(3, 11.0)
    progress.forecast(4, 10.0)
    assert out.getvalue() == "By 3 launches so far: about 11 s left.\n"
    short = Progress(Console(file=out, width=200), forecast_from_s=20.0)
    short.forecast(1, 19.0)
    assert not short.awaits_forecast
    assert out.getvalue().count("\n") == 1


def test_progress_in_a_pipe_is_a_line_a_minute_at_most() -> None:
    now = [0.0]
    out = StringIO()
    progress = Progress(Console(file=out, width=200), clock=lambda: now[0])
    with progress:
        for number in range(1, 13):
            now[0] += 20.0
            progress.launch_over(f"launch {number} of 12", 20.0 * (12 - number))
    assert out.getvalue().splitlines() == [
        f"launch {number} of 12 done{left}"
        for number, left in ((3, ", about 3 min left"), (6, ", about 2 min left"), (9, ", about 60 s left"), (12, ""))
    ]
