"""The NAS study: the NAS page's formulas, the best run and all runs, and reference systems beside them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from fakes import Groma

from groma.analysis import summarise
from groma.catalog.references import reference
from groma.errors import InputError
from groma.programs.answers import check_references, study_of
from groma.programs.nas import summaries
from groma.programs.nas.results import LATENCY_BYTES, LBW_BYTES, Result, Results, digits, read_results
from groma.programs.nas.study import conclusions
from groma.results import load_run
from groma.text.numbers import DASH
from groma.text.tables import Table

INTERCONNECTS = ("default", "shmem", "s1", "s2", "sa")
PLANTED = {name: 1 + 0.5 * place for place, name in enumerate(INTERCONNECTS)}  # slower by this factor


def tables_of(path: str | Path, *against: str) -> dict[str, Table]:
    """Return the tables of a run's study by title, beside these systems."""
    run = load_run(path)
    study = study_of(run, summarise(run), against)
    assert study is not None
    return {table.title: table for table in study.tables}


def column(table: Table, heading: str) -> dict[str, str]:
    """Return the cells below a heading by the first cell of their row."""
    place = list(table.headings).index(heading)
    return {row[0]: row[place] for row in table.rows}


def printed(name: str, by: str, **keys: object) -> dict[str, str]:
    """Return what a table of the page prints, by a member of its rows."""
    return {str(row[by]): row["printed"] for row in reference(name, **keys)}


@pytest.fixture
def a_run(groma: Groma, shared_run: Path) -> Path:
    """A run of three launches with its report, which no test changes."""
    if not shared_run.exists():
        wished = ("--launches", "3", "--report", "--against", "altix,ibm", "-o", str(shared_run))
        said = groma("run", "--profile", "nas", *wished)
        assert said.code == 0, said.err
        assert "NAS study" in said.out
    return shared_run


def test_every_figure_comes_from_the_records(a_run: Path) -> None:
    run = load_run(a_run)
    results = read_results(summarise(run))
    assert {result.processes for result in results.ata} == {2, 4}
    assert [result.processes for result in results.load] == [2, 4]
    assert {(result.processes, result.sides) for result in results.sts} == {
        (processes, sides) for processes in (2, 4) for sides in ("single", "double")
    }
    records = [
        json.loads(line)
        for path in sorted((a_run / "launches").glob("*/points.jsonl"))
        for line in path.read_text().splitlines()
    ]
    for operation, processes, size in (("pingpong", 2, LBW_BYTES), ("alltoall_alternating", 4, 100_000)):
        own = [
            record
            for record in records
            if record["kind"] == "point"
            and record["point"]["operation"] == operation
            and record["point"]["bytes"] == size
            and record["point"]["pattern"] != "neighbours"
            and record["member_count"] == processes
        ]
        means = [sum(record["samples_ns"]) / len(record["samples_ns"]) / record["divisor"] for record in own]
        test = results.lbw if operation == "pingpong" else results.ata
        (found,) = (one for one in test if (one.processes, one.bytes) == (processes, size))
        assert found.times_s == pytest.approx([mean / 1e9 for mean in means])
        assert found.time_s == min(found.times_s)
        moved = own[0]["bytes_moved"] / own[0]["divisor"]
        assert found.bandwidth == pytest.approx(moved / min(means) * 1000)


def test_the_report_has_every_table_of_the_seed(a_run: Path) -> None:
    run = load_run(a_run)
    study = study_of(run, summarise(run), ("altix",))
    assert study is not None
    titles = [table.title for table in study.tables]
    for expected in ("LBW test", "Bandwidth by message size", "ATA test", "ATA latency", "STS test", "load test"):
        assert any(expected in title for title in titles), titles
    assert sum(title.startswith("Summary") for title in titles) == 3
    page = (a_run / "report.html").read_text()
    assert page.count('id="chart-study-') == len(study.charts) == 5
    assert all(table.title in page for table in study.tables)


@pytest.fixture
def on_five_interconnects(groma: Groma, shared_run: Path) -> Path:
    """A run of three process counts and five variants, each with its own slowness, which no test changes."""
    path = shared_run.with_name("five")
    if not path.exists():
        variants = [f"--variant={name}:FAKE_ENGINE=slower={100 * (slow - 1):.0f}" for name, slow in PLANTED.items()]
        words = ("run", "--profile", "nas", "-n", "2,4,8", "--launches", "1", *variants, "-o", str(path))
        said = groma(*words)
        assert said.code == 0, said.err
    return path


@pytest.mark.parametrize(
    ("title", "rows"),
    [
        ("Bandwidth by message size: LBW, MB/s per process", 13),
        ("Bandwidth by message size: ATA on 8 processes, MB/s per process", 13),
        ("ATA test, 100,000 bytes to each process: bandwidth, MB/s per process", 3),
        ("STS test, 6 messages a process: single-sided, MB/s per process", 3),
        ("STS test, 6 messages a process: double-sided, MB/s per process", 3),
    ],
)
def test_interconnects_are_columns(on_five_interconnects: Path, title: str, rows: int) -> None:
    table = tables_of(on_five_interconnects)[title]
    assert tuple(table.headings[1:]) == INTERCONNECTS
    assert len(table.rows) == rows
    for row in table.rows:
        default, *others = map(float, row[1:])
        assert [default / other for other in others] == pytest.approx(list(PLANTED.values())[1:], rel=0.02)


def test_variants_are_rows_of_lbw_and_named_in_every_other_table(on_five_interconnects: Path) -> None:
    tables = tables_of(on_five_interconnects)
    assert [row[0].rpartition(", ")[2] for row in tables["LBW test"].rows] == list(INTERCONNECTS)
    latency = [float(row[-1]) for row in tables["LBW test"].rows]
    assert [time / latency[0] for time in latency] == pytest.approx(list(PLANTED.values()), rel=0.02)
    efficiency = tables["LBW message passing load test: memory efficiency, %"]
    assert column(efficiency, "s1")["1"] == "100.0", "each variant is set against itself"
    for title in ("Summary: LBW", "Summary: ATA on 4 processes", "Summary: STS"):
        assert [row[0].rpartition(", ")[2] for row in tables[title].rows] == list(INTERCONNECTS)
    assert {row[0].rpartition(", ")[2] for row in tables["Every run"].rows} == set(INTERCONNECTS)


def test_every_interconnect_of_the_ibm_stands_beside_the_run(on_five_interconnects: Path) -> None:
    tables = tables_of(on_five_interconnects, "IBM01")
    published = {row[0]: list(row[1:]) for row in tables["LBW test"].rows if row[0].startswith("IBM01")}
    within, between = "IBM01 intranode", "IBM01 internode"
    assert published == {
        f"{within} default": ["263.9", "30.6"],
        f"{within} shmem": ["1979.9", "4.6"],
        f"{between} default": ["11.9", "89.0"],
        f"{between} s1": ["157.1", "66.5"],
        f"{between} s2": ["157.0", "66.8"],
        f"{between} sa": ["167.7", "67.6"],
    }
    by_size = tables["Bandwidth by message size: LBW, MB/s per process"]
    for source, name in ((within, "default"), (within, "shmem"), (between, "sa")):
        assert column(by_size, f"{source} {name}") == printed("ibm01_lbw_sizes", "bytes", interconnect=name)
        sts = {"quantity": "time_per_pass", "sides": "double"}
        passes = column(tables["STS test, 6 messages a process: double-sided, per pass, ms"], f"{source} {name}")
        assert {row: cell for row, cell in passes.items() if cell != DASH} == printed(
            f"ibm01_sts_{name}", "processes", **sts
        )
    ata = tables["ATA test, 100,000 bytes to each process: bandwidth, MB/s per process"]
    assert column(ata, f"{within} shmem")["4"] == "554.7"
    assert column(ata, f"{between} sa")["32"] == "112.0"
    assert any("cannot be right" in note for note in ata.notes)


def test_each_quantity_of_the_page_stands_beside_the_runs_own(on_five_interconnects: Path) -> None:
    tables = tables_of(on_five_interconnects, "Altix", "Lomax", "Ranma")
    for heading, quantity in (
        ("total time, ms", "total_time"),
        ("latency, ms", "latency"),
        ("percent overhead", "overhead"),
    ):
        published = column(tables[f"ATA latency, 40 bytes to each process: {heading}"], "Altix")
        assert published == printed("altix_ata_latency", "processes", quantity=quantity)
    of_eight = column(tables["Bandwidth by message size: ATA on 8 processes, MB/s per process"], "Altix")
    assert of_eight == printed("altix_sizes", "bytes", test="ata")
    for heading, quantity in (("MB/s per process", "bandwidth"), ("per pass, ms", "time_per_pass")):
        for side in ("single", "double"):
            published = column(tables[f"STS test, 6 messages a process: {side}-sided, {heading}"], "Altix")
            assert published == printed("altix_sts", "processes", quantity=quantity, sides=side)
    load = tables["LBW message passing load test: memory efficiency, %"]
    assert column(load, "Lomax") == printed("lomax_load", "runs", quantity="memory_efficiency")
    assert [column(load, "Ranma")[pairs] for pairs in "1234"] == ["100.0", "79.6", "73.1", "63.1"]
    summary = {row[0]: row[1:] for row in tables["Summary: LBW"].rows}
    assert summary["Altix"] == ["1873", "1.5"]
    assert {row[0]: row[1] for row in tables["Summary: ATA on 4 processes"].rows}["Lomax (O3K)"] == "150.5"


def test_one_source_has_the_tables_of_the_page(groma: Groma) -> None:
    assert groma("run", "--profile", "nas", "-n", "2,4,8", "--launches", "1", "-o", "out").code == 0
    tables = tables_of("out")
    assert tables["STS test, 6 messages a process"].headings == [
        "processes",
        "single-sided, MB/s per process",
        "single-sided, per pass, ms",
        "double-sided, MB/s per process",
        "double-sided, per pass, ms",
    ]
    assert tables["Bandwidth by message size"].headings == [
        "bytes",
        "LBW, MB/s per process",
        "ATA on 8 processes, MB/s per process",
    ]
    assert not any(": " in title for title in tables if not title.startswith("Summary")), list(tables)


def test_sizes_of_sts_are_columns(groma: Groma) -> None:
    words = ("run", "sts_async", "--profile", "nas", "--bytes", "40,256K", "-n", "2,4,8", "--launches", "1")
    assert groma(*words, "-o", "out").code == 0
    run = load_run("out")
    tables = tables_of("out")
    table = tables["STS test, 6 messages a process: single-sided, per pass, ms"]
    assert table.headings == ["processes", "up to 40 bytes", "up to 262,144 bytes"]
    shortest = {
        (point.member_count, point.bytes): min(point.launch_times_ns) / 1e6
        for point in summarise(run)
        if point.point["map_sides"] == "single"
    }
    for size, heading in ((40, "up to 40 bytes"), (262_144, "up to 262,144 bytes")):
        cells = {int(processes): float(cell) for processes, cell in column(table, heading).items()}
        assert cells == pytest.approx({count: shortest[count, size] for count in (2, 4, 8)}, rel=0.01)
    said = conclusions(read_results(summarise(run)))
    assert all(sentence.startswith(("up to 40 bytes: ", "up to 262,144 bytes: ")) for sentence in said)
    assert len(said) == 4


def test_a_pass_of_other_messages_than_the_pages_says_so() -> None:
    short = [Result(4, 40, "single", [1e-5], [10.0])]
    assert "STS with messages up to 40 bytes on 4 processes" in conclusions(Results([], [], short, []))[0]


def test_sts_says_from_where_it_sends_and_never_mixes_the_two(groma: Groma) -> None:
    words = ("run", "sts_async", "--profile", "nas", "--launches", "2")
    assert groma(*words, "-o", "default").code == 0
    assert groma(*words, "--set", "map_send_buffer=separate,one", "-o", "both").code == 0
    (table,) = (table for title, table in tables_of("default").items() if title.startswith("STS test"))
    assert table.notes == ["Messages have 1 to 262,144 bytes. A process sends all its messages from one buffer."]
    both = tables_of("both")["STS test, 6 messages a process: double-sided, per pass, ms"]
    assert set(both.headings[1:]) == {"map_send_buffer=one", "map_send_buffer=separate"}


@pytest.mark.parametrize(
    ("counts", "shown"), [((2, 16, 18), "16"), ((2, 8), "8"), ((18, 32), "18")], ids=["16", "below", "above"]
)
def test_the_summary_of_sts_is_of_sixteen_processes(counts: tuple[int, ...], shown: str) -> None:
    passes = [Result(count, 262_144, "single", [count / 1e3], [100 / count]) for count in counts]
    own, lomax = summaries.sts("here", Results([], [], passes, []), ["Lomax"]).rows
    assert own == ["here", shown, digits(100 / int(shown)), digits(float(shown))]
    assert lomax == ["Lomax (O3K)", "16", "63.8", "12.6"]


def test_unknown_systems_are_refused_before_anything_runs(groma: Groma) -> None:
    said = groma("run", "--profile", "nas", "--against", "altx", "-o", "nas")
    said.refuses("did you mean 'Altix'")
    assert not Path("nas").exists()


def test_every_system_is_named_where_none_is_near() -> None:
    with pytest.raises(InputError, match="there are Altix"):
        check_references("nas", ["zzz"])


def test_the_pages_own_systems_may_be_shortened() -> None:
    assert check_references("nas", ["lomax", "IBM"]) == (
        "Lomax",
        "IBM01",
    )  # the NAS page calls it IBM SP, IBM01 and IBMO1


def test_overhead_and_efficiency() -> None:
    """A pass of 34 ms is 3.4 % of a second (the NAS page's example), and 0.1 s cycles lose more than a tenth to it."""
    passes = [Result(processes, 262_144, "single", [time], [22.9]) for processes, time in ((2, 0.005), (384, 0.034))]
    said = " ".join(conclusions(Results([], [], passes, [])))
    assert "takes 34.0 ms: 3.4% of a compute cycle" in said
    assert re.search(r"0\.1 s, up to 2 processes; 1 s, up to 384 processes", said)


def test_the_study_says_that_its_figures_are_those_of_the_best_run() -> None:
    """The card of the same run shows a median: two figures of one point, and a reader must know why."""
    pair = [Result(2, LATENCY_BYTES, "", [2e-6, 1e-6], [20.0, 40.0]), Result(2, LBW_BYTES, "", [1e-3], [1000.0])]
    assert (
        conclusions(Results(pair, [], [], []))[0]
        == "Two processes, best run: 1.00 µs for 40 bytes, 1000 MB/s at 1,000,000 bytes."
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (4591.3, "4591"),
        (238.7, "239"),
        (12.24, "12.2"),
        (3.284, "3.28"),
        (0.0463, "0.0463"),
        (0.463, "0.463"),
        (0.0, "0"),
    ],
)
def test_digits(value: float, text: str) -> None:
    assert digits(value) == text
