"""Whatever happens to an output of another program: rows in are rows out and rows named, and none is invented."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groma.programs.files import as_file
from groma.programs.importing import importers
from groma.programs.printed import Output
from groma.programs.tables import read_tables

SIZES = tuple(1 << power for power in range(0, 20, 2))


@dataclass(frozen=True)
class Text:
    """One line on its way: its text, and the rows of which it has a part."""

    text: str
    rows: frozenset[int] = frozenset()


def _figure(place: int) -> float:
    return 0.31 + 1.07 * place


def _table(head: list[str], row: Callable[[int, int], str], tail: tuple[str, ...] = ()) -> list[Text]:
    rows = [Text(row(place, size), frozenset({place})) for place, size in enumerate(SIZES)]
    return [*map(Text, head), *rows, *map(Text, tail)]


def _osu(place: int, size: int) -> str:
    figure = _figure(place)
    return f"{size:<10}{figure:18.2f}{figure - 0.1:18.2f}{figure + 0.1:18.2f}{1000:12d}{'Pass':>18}"


def _skampi(place: int, size: int) -> str:
    return f"count= {size} {size:8d} {_figure(place):9.1f} {0.1:9.1f} {8:8d} {0.5:9.1f} {0.6:9.1f}"


def _mpptest(place: int, size: int) -> str:
    return f"0\t1\t1\t{size}\t{_figure(place):f}\t{size / _figure(place):.2f}"


OUTPUTS = {
    "osu": _table(
        [
            "# OSU MPI Latency Test v7.4",
            "# Datatype: MPI_CHAR.",
            "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations        Validation",
        ],
        _osu,
    ),
    "imb": _table(
        [
            "#    Intel(R) MPI Benchmarks 2021.8, MPI-1 part",
            "#----",
            "# Benchmarking Sendrecv",
            "# #processes = 2",
            "#----",
            "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec      defects",
        ],
        lambda place, size: (
            f"{size:13d}{640:13d}{0.1:13.2f}{9.9:13.2f}{_figure(place):13.2f}{size / 9.9:13.2f}{0:13.2f}"
        ),
        ("", "", "# All processes entering MPI_Finalize"),
    ),
    "skampi5": _table(
        ["# SKaMPI Version 5.0 rev. 191", '# begin result "MPI_Bcast-length"'],
        _skampi,
        ('# end result "MPI_Bcast-length"', "# duration = 0.00 sec"),
    ),
    "reprompi": _table(
        ["#@reproMPIcommitSHA1=unknown", "#@nprocs=2", f"{'test':>50} {'count':>12} total_nrep valid_nrep median_sec"],
        lambda place, size: f"{'MPI_Bcast':>50} {size:12d} {100:10d} {100:10d} {_figure(place) / 1e6:14.10f}",
        ("# Benchmark started at Mon Nov 23 02:10:58 2026",),
    ),
    "mpptest": _table(["#p0\tp1\tdist\tlen\tave time (us)\trate"], _mpptest, ("plot square",)),
}
COLOUR = "\x1b[0m"
NOISE = ("[node1:1] a line of the library", "WARNING: 3 of 4 links", "srun: job 4711 queued", "", COLOUR, "# a remark")
Change = Callable[[list[Text], int, int], list[Text]]


def glued(lines: list[Text], place: int, _: int) -> list[Text]:
    first, *rest = lines[place : place + 2]
    joined = [Text(first.text + rest[0].text, first.rows | rest[0].rows)] if rest else [first]
    return [*lines[:place], *joined, *lines[place + 2 :]]


def part(text: str, rows: frozenset[int], noise: str = "") -> Text:
    """Return a part of a line, which has none of its rows if it has fewer than two of their numbers."""
    return Text(text + noise, rows if len(re.findall(r"\d+", text)) > 1 else frozenset())


def cut(lines: list[Text], place: int, seed: int) -> list[Text]:
    one = lines[place]
    return [*lines[:place], part(one.text[: seed % (len(one.text) + 1)], one.rows), *lines[place + 1 :]]


def interleaved(lines: list[Text], place: int, seed: int) -> list[Text]:
    """Put other text into a line, and its rest into the next."""
    one, where = lines[place], seed % (len(lines[place].text) + 1)
    noise = NOISE[seed % len(NOISE)]
    halves = [part(one.text[:where], one.rows, noise), part(one.text[where:], one.rows)]
    return [*lines[:place], *halves, *lines[place + 1 :]]


def between(lines: list[Text], place: int, seed: int) -> list[Text]:
    return [*lines[:place], Text(NOISE[seed % len(NOISE)]), *lines[place:]]


def glued_to_noise(lines: list[Text], place: int, seed: int) -> list[Text]:
    one, noise = lines[place], NOISE[seed % len(NOISE)]
    texts = (one.text + noise, noise + one.text)
    return [*lines[:place], replace(one, text=texts[seed // len(NOISE) % 2]), *lines[place + 1 :]]


def indented(lines: list[Text], *_: int) -> list[Text]:
    return [replace(one, text=f"    {one.text}") for one in lines]


CHANGES: tuple[Change, ...] = (glued, cut, interleaved, between, glued_to_noise, indented)
MUTATIONS = st.lists(st.tuples(st.sampled_from(CHANGES), st.integers(0, 10**6), st.integers(0, 10**6)), max_size=3)


@settings(max_examples=100)
@pytest.mark.parametrize("program", OUTPUTS)
@given(mutations=MUTATIONS, ends=st.booleans())
def test_rows_in_are_rows_out_and_rows_named(
    program: str, mutations: list[tuple[Change, int, int]], *, ends: bool
) -> None:
    lines = OUTPUTS[program]
    for change, place, seed in mutations:
        lines = change(lines, place % len(lines), seed)
    output = read(program, lines, ends="\n" * ends)
    printed = {(line.size, line.figure, line.repetitions) for line in read(program, OUTPUTS[program]).lines}
    assert len(printed) == len(SIZES)
    for line in output.lines:
        assert line.failure or (line.size, line.figure, line.repetitions) in printed, "no figure is invented"
    places = [(line.size, line.occurrence) for line in output.lines if line.failure is None]
    assert len(places) == len(set(places))
    named = {line.number for line in output.lines} | {number for number, *_ in [*output.lost, *output.texts]}
    known = {row for place, one in enumerate(lines, start=1) if place in named for row in one.rows}
    missed = {row for one in lines for row in one.rows} - known
    is_refused = not output.lines
    assert not missed or is_refused or output.skipped or output.empty


def read(program: str, lines: list[Text], ends: str = "\n") -> Output:
    return read_tables(as_file("a file", "\n".join(one.text for one in lines) + ends), importers()[program])
