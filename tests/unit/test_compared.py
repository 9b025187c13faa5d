"""The page of five programs: rows of a run and of its reasons, charts by program, and a table of causes."""

from __future__ import annotations

from pathlib import Path

from fakes import Groma

from benchmarks.reasons.compared import Timed, page, simulator, times_of
from benchmarks.reasons.found import Row

MACHINES = ("MPICH 5 on 2 CPUs", "simulated network")


def times(operation: str, machine: str, ranks: int) -> list[Timed]:
    rows = [(name, size, factor) for name, factor in (("pmb", 1.0), ("mpibench", 0.5)) for size in (1, 1024)]
    return [
        Timed(operation, ranks, name, size, 2 * factor, None, None, factor if factor < 1 else None, 0.4, 0.6, machine)
        for name, size, factor in rows
    ]


def reasons() -> list[Row]:
    def row(factor: str, ratio: float | None, low: float | None, high: float | None, ranks: int = 8) -> Row:
        return Row("bcast", ranks, "pmb", "mpibench", factor, ratio, low, high, "", 1024, "SimGrid")

    return [
        row("together", 0.5, 0.4, 0.6),
        row("reduce: max → mean", 0.9, 0.8, 0.95),
        row("root: rotate → fixed", 0.25, 0.2, 0.3),
        row("cache: warm → sweep", 1.5, 0.9, 2.0),
        row("together", 0.7, 0.6, 0.8, ranks=2),
    ]


def test_every_machine_and_number_of_ranks_is_a_chart_with_one_colour_for_a_program() -> None:
    operations = ("bcast", "sendrecv", "alltoall")
    rows = [one for name in operations for machine in MACHINES for one in times(name, machine, 2)]
    made = page(rows, reasons())
    charts = [made.chart, *made.further.values()]
    assert list(made.further) == ["sendrecv", "alltoall"]
    for chart in charts:
        assert chart.count('class="line s3 c1"') == 2  # PMB is the third program of the comparison
        assert chart.count("time over that of pmb</text>") == 2
        assert all(f"2 ranks, {machine.partition(' on ')[0]}" in chart for machine in MACHINES)
    assert (made.words["least"], made.words["most"]) == ("0.5", "0.5")


def test_causes_are_those_that_are_shown_the_largest_first() -> None:
    rows = [one for name in ("bcast", "sendrecv", "alltoall") for one in times(name, MACHINES[0], 2)]
    (shown,) = page(rows, reasons()).rows
    assert shown[:4] == ["bcast", "1 KiB", "mpibench / pmb", "0.500"]
    assert (
        shown[4] == "root: rotate → fixed \N{MULTIPLICATION SIGN}0.250; reduce: max → mean \N{MULTIPLICATION SIGN}0.900"
    )


def test_rows_are_those_of_a_run(groma: Groma) -> None:
    words = ["bcast", "--profile", "pmb,mpibench", "--bytes", "8,1K", "--launches", "6"]
    assert groma("run", *words, "-o", "out").code == 0
    rows = list(times_of(Path("out"), "here"))
    assert [(one.operation, one.ranks, one.program, one.bytes) for one in rows] == [
        ("bcast", 2, name, size) for name in ("pmb", "mpibench") for size in (8, 1024)
    ]
    assert [one.ratio is None for one in rows] == [True, True, False, False]
    assert all(one.low_us is not None and one.low_us <= one.time_us for one in rows)


def test_the_simulators_launcher_is_told_how_many_ranks(tmp_path: Path) -> None:
    assert simulator(tmp_path) == f"{tmp_path}/mpiexec {{ranks}}"
    assert "smpirun -np $ranks" in (tmp_path / "mpiexec").read_text()
    assert len((tmp_path / "hosts").read_text().splitlines()) == 8
