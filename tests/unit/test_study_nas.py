"""The NAS study: the NAS page's formulas, the best run and all runs, and reference systems beside them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from fakes import Groma

from groma.analysis import summarise
from groma.errors import InputError
from groma.programs.answers import study_of
from groma.programs.nas.reference import references
from groma.programs.nas.results import Result, Results, digits, read_results
from groma.programs.nas.study import LATENCY_BYTES, LBW_BYTES, conclusions
from groma.results import load_run


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
    assert results.counts == [2, 4]
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
        found = results.lbw_at(size) if operation == "pingpong" else results.ata_at(processes, size)
        assert found is not None
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
    by_title = {table.title: table for table in study.tables}
    assert ["Altix", "1873", "1.5"] in by_title["Summary: LBW"].rows
    assert ["Altix", "478"] in by_title["Summary: ATA on 4 processes"].rows
    assert len(by_title["Bandwidth by message size"].rows) == 13
    page = (a_run / "report.html").read_text()
    assert page.count('id="chart-study-') == len(study.charts) == 2
    assert all(table.title in page for table in study.tables)


def test_sts_says_from_where_it_sends_and_never_mixes_the_two(groma: Groma) -> None:
    words = ("run", "sts_async", "--profile", "nas", "--launches", "2")
    assert groma(*words, "-o", "default").code == 0
    assert groma(*words, "--set", "map_send_buffer=separate,one", "-o", "both").code == 0
    notes = {
        name: {table.title: table.notes for table in study.tables if table.title.startswith("STS test")}
        for name in ("default", "both")
        if (study := study_of(load_run(Path(name)), summarise(load_run(Path(name)))))
    }
    assert notes["default"] == {"STS test, 6 messages a process": ["A process sends all its messages from one buffer."]}
    assert list(notes["both"]) == [
        "STS test, 6 messages a process, from one buffer",
        "STS test, 6 messages a process, from places of their own",
    ]
    results = read_results(summarise(load_run(Path("both"))))
    assert {one.send_buffer for one in results.main_sts} == {"one"}
    assert len(results.main_sts) == len(results.sts) / 2


def test_unknown_systems_are_refused_before_anything_runs(groma: Groma) -> None:
    said = groma("run", "--profile", "nas", "--against", "altx", "-o", "nas")
    said.refuses("did you mean 'Altix'")
    assert not Path("nas").exists()


def test_every_system_is_named_where_none_is_near() -> None:
    with pytest.raises(InputError, match="there are Altix"):
        references(["zzz"])


def test_the_seeds_own_systems() -> None:
    lomax, shared = references(["lomax", "IBM"])  # the NAS page calls it IBM SP, IBM01 and IBMO1
    assert lomax.lbw == ["238.7", "4.1"]
    assert lomax.ata_of_four == "150.5"
    assert lomax.sts_of_sixteen == ["63.8", "12.6"]
    assert lomax.lbw_by_size[0] == pytest.approx((40, 9.79))
    assert len(lomax.lbw_by_size) == 13
    assert lomax.sts_by_count[-1] == pytest.approx((384, 22.9))
    assert (500_000, 2225.6) in shared.lbw_by_size
    assert [value for _, value in shared.ata_by_count] == [727.6, 554.7, 257.0]


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
