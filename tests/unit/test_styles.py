"""Styles: their figures are those of the records, and what a record lacks is one sentence with a command."""

from __future__ import annotations

import itertools
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from edited_records import write_records
from fakes import Groma
from synthetic import Scenario, make_run, truth_ns

from groma.analysis import series, summarise
from groma.catalog import Catalog
from groma.catalog.registry import styles
from groma.errors import InputError
from groma.plan import profile_names, read_profile
from groma.programs.answers import read_style
from groma.programs.sheet import Sheet, certainty, sheet_of
from groma.report.page import render
from groma.report.pictures import samples
from groma.results import load_run

RECORDED = Path(__file__).parents[1] / "recorded"
QUIET = Scenario(launch_effect=0, jitter=0, drift=0, outliers=0, samples=10, sizes=(8, 65536), launches=6)


def sheet(tmp_path: Path, style: str, scenario: Scenario = QUIET) -> Sheet:
    return sheet_of(load_run(make_run(tmp_path / "run", scenario)), read_style(style))


def row(sheet: Sheet, heading: str, size: int) -> list[float]:
    """Return the numbers of the line that begins with the size, in the table below the heading."""
    start = next(number for number, line in enumerate(sheet.lines) if heading in line)
    line = next(line for line in sheet.lines[start:] if line.split()[:1] == [str(size)])
    return [float(word) for word in line.split() if word[-1].isdigit()]


def test_osu_prints_microseconds_and_millions_of_bytes(tmp_path: Path) -> None:
    osu = sheet(tmp_path, "osu")
    assert row(osu, "# OSU MPI Latency", 8) == [8, pytest.approx(truth_ns("pingpong", 8) / 2e3, abs=0.006)]
    window_ns = truth_ns("stream", 65536)
    assert row(osu, "# OSU MPI Bandwidth", 65536)[1] == pytest.approx(64 * 65536 / window_ns * 1e3, rel=1e-3)
    assert "±0.0% at most" in osu.text()


def on_devices(tmp_path: Path, **kinds: str) -> Path:
    """Return a run whose messages were in these kinds of memory."""
    path = make_run(tmp_path / "run", QUIET)
    for records in path.glob("launches/*/points.jsonl"):
        lines = [json.loads(line) for line in records.read_text().splitlines()]
        write_records(records, [line | {"point": line["point"] | kinds} if "point" in line else line for line in lines])
    document = json.loads((path / "run.json").read_text())
    document["plan"]["points"] = [point | kinds for point in document["plan"]["points"]]
    (path / "run.json").write_text(json.dumps(document))
    return path


def test_osu_and_imb_print_the_headings_of_their_programs_for_devices(tmp_path: Path) -> None:
    run = load_run(on_devices(tmp_path, memory="cuda"))
    osu = sheet_of(run, read_style("osu")).lines
    title = osu.index("# OSU MPI-CUDA Latency Test v7.4")
    assert osu[title + 1] == "# Send Buffer on DEVICE (D) and Receive Buffer on DEVICE (D)"
    assert "#    Intel(R) MPI Benchmarks 2021.11, MPI-1 part (GPU)" in sheet_of(run, read_style("imb")).lines


def test_osus_sides_are_ranks(tmp_path: Path) -> None:
    sheet = sheet_of(load_run(on_devices(tmp_path, send_memory="cuda_managed")), read_style("osu"))
    assert "# Send Buffer on MANAGED (M) and Receive Buffer on HOST (H)" in sheet.lines
    assert "# OSU MPI-CUDA Bandwidth Test v7.4" in sheet.lines
    assert any("OSU's sides are two ranks" in sentence for sentence in sheet.lacking)
    assert "# OSU MPI-CUDA Latency Test v7.4" not in sheet.lines


def test_a_figure_has_the_launches_of_its_own_number_of_ranks(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", QUIET)
    for number in (4, 5, 6):
        records = path / "launches" / f"{number:03}" / "points.jsonl"
        lines = [json.loads(line) for line in records.read_text().splitlines()]
        lines = [line | {"ranks": 4} if line["kind"] == "start" else line for line in lines]
        write_records(records, lines)
    assert "the median of those of 3 launches" in sheet_of(load_run(path), read_style("osu")).lines[1]


def test_osu_takes_means_and_not_the_estimator_of_the_run(tmp_path: Path) -> None:
    noisy = Scenario(outliers=0.2, samples=50, sizes=(8, 65536), launches=6)
    osu = sheet(tmp_path, "osu", noisy)
    curve = series(summarise(load_run(tmp_path / "run")))[0]
    mean = np.median([launch.times_ns.mean() for launch in curve.points[0].launches])
    assert row(osu, "# OSU MPI Latency", 8)[1] == pytest.approx(mean / 1e3, abs=0.006)
    assert mean > 1.5 * curve.points[0].time_ns


def test_a_collective_that_is_no_mean_over_ranks_is_not_shown_as_one(tmp_path: Path) -> None:
    osu = sheet(tmp_path, "osu")
    assert "Allreduce" not in osu.text()
    command = "groma run allreduce -n 2 --bytes 8,64K --set reduce=mean"
    assert [sentence for sentence in osu.lacking if command in sentence]


def test_skampi_prints_round_trips_and_when_ranks_were_done(tmp_path: Path) -> None:
    skampi = sheet(tmp_path, "skampi", Scenario(**(vars(QUIET) | {"clocked": True})))
    trip = truth_ns("pingpong", 8) / 1e3
    assert row(skampi, '"MPI_Send-MPI_Recv"', 8)[:2] == [8, pytest.approx(trip, abs=0.001)]
    assert row(skampi, '"MPI_Allreduce"', 8)[4:] == [0.3, 0.31, 0.32, 0.33, 0.34]


def recorded(name: str, style: str) -> Sheet:
    return sheet_of(load_run(RECORDED / name), read_style(style))


def ranks_of(name: str, operation: str, size: int) -> list[np.ndarray]:
    """Return the ranks' times of a call in microseconds, of each launch, straight from the records."""
    found = []
    for path in sorted((RECORDED / name).glob("launches/*/points.jsonl")):
        for record in map(json.loads, path.read_text().splitlines()):
            point = record.get("point", {})
            if point.get("operation") == operation and point["bytes"] == size and record["ranks_ns"]:
                found.append(np.array(record["ranks_ns"]) / record["repetitions_per_sample"] / 1e3)
    return found


def test_imb_prints_minimum_maximum_and_mean_over_ranks() -> None:
    means = [times.mean(axis=1) for times in ranks_of("imb", "bcast", 65536)]
    expected = [np.median([pick(one) for one in means]) for pick in (np.min, np.max, np.mean)]
    assert len(means) == 2
    assert row(recorded("imb", "imb"), "# Benchmarking Bcast", 65536)[2:] == pytest.approx(expected, abs=0.006)


def _middle_half(times: np.ndarray) -> np.ndarray:
    """Return the mean of every rank over the calls whose slowest rank is in the middle half, as SKaMPI does."""
    order = np.argsort(times.max(axis=0), kind="stable")
    quarter = len(order) // 4
    means: np.ndarray = times[:, order[quarter : len(order) - quarter]].mean(axis=1)
    return means


def test_skampi_has_a_column_for_every_rank_that_was_recorded() -> None:
    means = [_middle_half(times) for times in ranks_of("skampi", "allgather", 4096)]
    printed = row(recorded("skampi", "skampi"), '"MPI_Allgather"', 4096)
    assert printed[4:] == pytest.approx(np.median(means, axis=0).tolist(), abs=0.001)
    assert len(printed) == 6


def test_imb_counts_two_messages_of_sendrecv_and_four_of_exchange() -> None:
    imb = recorded("imb", "imb")
    for name, messages in (("Sendrecv", 2), ("Exchange", 4)):
        size, _, _, slowest, _, rate = row(imb, f"# Benchmarking {name}", 65536)
        assert rate == pytest.approx(messages * size / slowest, rel=1e-4)
    assert row(imb, "# Benchmarking Reduce_scatter", 4096)[1] == 20  # the size is that of each process


def test_imb_prints_a_benchmark_as_one_block_though_blocks_of_calls_shrink_with_the_size(tmp_path: Path) -> None:
    path = tmp_path / "run"
    shutil.copytree(RECORDED / "imb", path)
    for records in path.glob("launches/*/points.jsonl"):
        lines = [json.loads(line) for line in records.read_text().splitlines()]
        for point in (line["point"] for line in lines if line["kind"] == "point"):
            point["block"] = 10 if point["bytes"] == 65536 else point["block"]
        write_records(records, lines)
    imb = sheet_of(load_run(path), read_style("imb"))
    before = [line for line in recorded("imb", "imb").lines if line.startswith("# Benchmarking")]
    assert [line for line in imb.lines if line.startswith("# Benchmarking")] == before
    assert row(imb, "# Benchmarking Sendrecv", 65536)[0] == 65536


def test_imb_has_rates_of_all_pairs_without_times(tmp_path: Path) -> None:
    imb = sheet(tmp_path, "imb", Scenario(**(vars(QUIET) | {"operations": ("message_rate",)})))
    rate = 64 / truth_ns("message_rate", 65536) * 1e9
    printed = row(imb, "# Benchmarking Uniband", 65536)
    assert printed[2:] == pytest.approx([rate * 65536 / 1e6, rate], rel=1e-3)


def test_megabytes_of_pmb_are_larger_than_those_of_imb() -> None:
    rates = [row(recorded("imb", style), "# Benchmarking PingPing", 65536)[-1] for style in ("imb", "pmb")]
    assert rates[0] / rates[1] == pytest.approx(2**20 / 1e6, rel=1e-3)


def test_mpbench_turns_one_ping_pong_into_three_tables() -> None:
    mpbench = recorded("mpbench", "mpbench")
    rate, trips, latency = (
        row(mpbench, heading, 65536)[1] for heading in ("# Bandwidth", "# Roundtrip", "# Application latency")
    )
    assert rate == pytest.approx(65536 / latency * 1e3, rel=1e-3)
    assert trips == pytest.approx(1e6 / (2 * latency), rel=1e-3)


def test_mpbenchs_own_profile_lacks_nothing_and_its_calls_without_a_barrier_are_named(groma: Groma) -> None:
    assert groma("run", "--profile", "mpbench", "--bytes", "8", "--launches", "1", "-o", "out").code == 0
    shown = groma("show", "out", "--style", "mpbench")
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.count("# Broadcast, ") == 1
    assert shown.last_line == "# Not in MPBench: bcast, reduce, allreduce, alltoall; groma show has all of the run"


@pytest.mark.parametrize(
    ("ranks", "pmb", "imb"),
    [
        (4, ["# Group    0                     : 0 1"], ["# Group  0:     0    1"]),
        (6, ["# Group    0                     : 0 1 2"], ["# Group  0:     0    1    2"]),
        (8, ["# Group    0                     : 0 1 2 3"], ["# Group  0:     0    1    2    3"]),
    ],
)
def test_groups_at_once_are_a_multi_benchmark(groma: Groma, ranks: int, pmb: list[str], imb: list[str]) -> None:
    words = ("--profile", "pmb", "--bytes", "1K", "--set", "communicator=groups=2", "-n", str(ranks), "--launches", "1")
    assert groma("run", "bcast", "reduce_scatter", *words, "-o", "out").code == 0
    for style, first, size in (("pmb", pmb, 1024 * ranks // 2), ("imb", imb, 1024)):
        lines = groma("show", "out", "--style", style).out.splitlines()
        at = lines.index("# Benchmarking Multi-Bcast")
        assert lines[at + 1] == f"# ( 2 groups of {ranks // 2} processes each running simultaneous )"
        assert lines[at + 2 : at + 3] == first
        assert not [line for line in lines if "#processes" in line]
        rows = [line.split()[0] for line in lines if line.startswith(" ") and line.split()[0].isdigit()]
        assert rows == ["1024", str(size)], "PMB's Reduce_scatter has the size of the whole vector"


def test_mpibench_counts_every_call_of_every_process() -> None:
    mpibench = recorded("mpibench", "mpibench")
    every = np.concatenate([times.ravel() for times in ranks_of("mpibench", "bcast", 8)])
    printed = row(mpibench, "# bcast", 8)
    assert printed[:3] == [8, every.size, pytest.approx(every.min(), abs=0.001)]
    assert printed[4] == pytest.approx(every.max(), abs=0.001)
    everyone = histogram_of(mpibench, "of 8 B, all processes")
    assert sum(count for _, _, count, _ in everyone) == every.size
    for rank, own in enumerate(np.concatenate(ranks_of("mpibench", "bcast", 8), axis=1)):
        bins = histogram_of(mpibench, f"of 8 B, process {rank}")
        assert [bins[0][0], bins[-1][1]] == pytest.approx([own.min(), own.max()], abs=0.001)
        assert sum(count for _, _, count, _ in bins) == own.size
        assert [share for *_, share in bins] == pytest.approx(
            (np.cumsum([count for *_, count, _ in bins]) / own.size).tolist(), abs=6e-4
        )


def histogram_of(sheet: Sheet, whose: str) -> list[tuple[float, float, int, float]]:
    """Return from, to, calls and cumulated share of the lines of one histogram."""
    start = next(number for number, line in enumerate(sheet.lines) if line.startswith(f"# histogram {whose}: "))
    body = itertools.takewhile(lambda line: line[:1] == " ", sheet.lines[start + 2 :])
    cells = [line.split()[:4] for line in body]
    return [(float(low), float(high), int(count), float(share[:-1]) / 100) for low, high, count, share in cells]


TWO_PEAKS_US, ONE_PEAK_US = (1815, 4085), 1815


def planted(tmp_path: Path) -> Path:
    """Return a run of broadcasts on 2 ranks: rank 1's times lie at TWO_PEAKS_US in turns, rank 0's at one place."""
    path = make_run(tmp_path / "run", Scenario(launches=3, operations=("bcast",), sizes=(4 << 20,), samples=120))
    for records in path.glob("launches/*/points.jsonl"):
        random = np.random.default_rng(int(records.parent.name))
        lines = [json.loads(line) for line in records.read_text().splitlines()]
        for record in lines:
            if record["kind"] == "point":
                places = np.array([[ONE_PEAK_US] * 120, [*TWO_PEAKS_US] * 60])
                times = np.rint(1e3 * places * np.exp(random.normal(0, 0.02, places.shape))).astype(int)
                record |= {"ranks_ns": times.tolist(), "samples_ns": times.max(axis=0).tolist()}
                record["point"] |= {"per_rank": True}
        write_records(records, lines)
    return path


def test_mpibench_shows_the_peaks_of_each_process_and_of_all(tmp_path: Path) -> None:
    mpibench = sheet_of(load_run(planted(tmp_path)), read_style("mpibench"))
    assert not mpibench.lacking
    for whose, places, calls in (
        ("all processes", TWO_PEAKS_US, 720),
        ("process 0", (ONE_PEAK_US,), 360),
        ("process 1", TWO_PEAKS_US, 360),
    ):
        (heading,) = [line for line in mpibench.lines if line.startswith(f"# histogram of 4 MiB, {whose}: {calls} ")]
        found = [float(word.partition("(")[0]) for word in heading.partition("peaks[us] ")[2].split()]
        assert found == pytest.approx(list(places), rel=0.02), whose
        bins = histogram_of(mpibench, f"of 4 MiB, {whose}")
        for place in places:
            assert any(low < place < high and count > calls / 50 for low, high, count, _ in bins), whose
        empty = [(low, high) for low, high, count, _ in bins if not count]
        between = [low for low, high in empty if TWO_PEAKS_US[0] * 1.1 < high and low < TWO_PEAKS_US[1] / 1.1]
        assert bool(between) == (len(places) == 2), whose


def test_the_page_draws_the_histogram_of_each_process_and_of_all(tmp_path: Path) -> None:
    (summary,) = summarise(load_run(planted(tmp_path)))
    drawn = samples(summary, 10).processes
    assert [one.name for one in drawn] == ["all", "0", "1"]
    assert [len(one.bins.peaks) for one in drawn] == [2, 1, 2]
    assert all(sum(one.bins.counts) >= 0.98 * size for one, size in zip(drawn, (720, 360, 360), strict=True))
    page = render(load_run(tmp_path / "run"))
    assert "Each process" in page
    assert "Histograms of every process&#39;s times, bcast 4 MiB" in page


def test_a_run_without_the_times_of_every_rank_has_one_histogram_and_says_what_is_lacking(tmp_path: Path) -> None:
    scenario = Scenario(**(vars(QUIET) | {"operations": ("bcast",), "sizes": (8,)}))
    mpibench = sheet(tmp_path, "mpibench", scenario)
    assert sum(line.startswith("# histogram of 8 B, all repetitions: 60 calls") for line in mpibench.lines) == 1
    assert mpibench.lacking[0].endswith("measure it with: groma run bcast -n 2 --bytes 8 --set per_rank=true")


EXCHANGE_US, WORK_US, BOTH_US = 100.0, (0.0, 50.0, 100.0, 200.0), (100.0, 110.0, 140.0, 200.0)


def test_mpptest_prints_what_of_an_exchange_was_hidden_behind_more_and_more_work(tmp_path: Path) -> None:
    scenario = Scenario(**(vars(QUIET) | {"operations": ("pingpong",), "sizes": (1, 2, 3, 4), "samples": 30}))
    path = make_run(tmp_path / "run", scenario)
    for records in path.glob("launches/*/points.jsonl"):
        lines = [json.loads(line) for line in records.read_text().splitlines()]
        for record in lines:
            if record["kind"] == "point":
                place = record["point"]["bytes"] - 1
                record["point"] |= {"operation": "overlap", "bytes": 1024, "compute": WORK_US[place] / EXCHANGE_US}
                parts = {"pure": EXCHANGE_US, "compute": WORK_US[place], "post": 1.0, "test": 0.0}
                parts["work"] = min(WORK_US[place], BOTH_US[place] - 1.0)
                parts["wait"] = BOTH_US[place] - 1.0 - parts["work"]
                record["phases_ns"] = {name: [round(1000 * part)] * 30 for name, part in parts.items()}
                record |= {"repetitions_per_sample": 1, "divisor": 1}
        write_records(records, lines)
    mpptest = sheet_of(load_run(path), read_style("mpptest"))
    start = next(number for number, line in enumerate(mpptest.lines) if "hidden (us)" in line)
    rows = [line.split("\t") for line in mpptest.lines[start + 1 : start + 5]]
    assert [[float(cell) for cell in row[4:8]] for row in rows] == [
        [work, EXCHANGE_US, both, EXCHANGE_US + work - both] for work, both in zip(WORK_US, BOTH_US, strict=True)
    ]
    assert [row[8] for row in rows] == ["0% (0% to 0%)", "40% (40% to 40%)", "60% (60% to 60%)", "50% (50% to 50%)"]
    assert [row[:4] for row in rows] == [["0", "1", "1", "1024"]] * 4


@pytest.mark.parametrize(
    ("style", "operation", "heading", "printed"),
    [
        ("osu", "overlap/iallreduce", "# OSU MPI Non-blocking Allreduce Latency Test", (140.0, 80.0, 100.0, 40.0)),
        ("imb", "overlap/ibcast", "# Benchmarking Ibcast", (30, 140.0, 100.0, 80.0, 40.0)),
    ],
)
def test_work_inside_a_collective_is_printed_with_its_overlap_and_what_differs(
    tmp_path: Path, style: str, operation: str, heading: str, printed: tuple[float, ...]
) -> None:
    parts = {"pure": 100.0, "compute": 70.0, "post": 1.0, "work": 80.0, "test": 0.0, "wait": 59.0}
    path = make_run(tmp_path / "run", Scenario(**(vars(QUIET) | {"operations": ("allreduce",), "samples": 30})))
    for records in path.glob("launches/*/points.jsonl"):
        lines = [json.loads(line) for line in records.read_text().splitlines()]
        for record in lines:
            if record["kind"] == "point":
                record["point"] |= {"operation": operation}
                record["phases_ns"] = {name: [round(1000 * part)] * 30 for name, part in parts.items()}
                record |= {"repetitions_per_sample": 1, "divisor": 1}
        write_records(records, lines)
    made = sheet_of(load_run(path), read_style(style))
    assert row(made, heading, 8) == [8, *map(pytest.approx, printed)]
    assert "and the times are those of the first rank" in made.text()
    assert style == "osu" or "2021.11, MPI-NBC part" in made.text()


def test_nothing_to_print_is_said(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    made = make_run(tmp_path / "run" / "it", Scenario(launches=1, operations=("message_rate",)))
    for path in made.rglob("p*.json*"):
        path.write_text(path.read_text().replace('"message_rate"', '"noop"'))
    with pytest.raises(InputError, match="has nothing that the OSU Micro-Benchmarks prints; measure it with"):
        sheet_of(load_run(made), read_style("osu"))


def test_few_launches_in_one_table_are_said_there(tmp_path: Path) -> None:
    run = load_run(make_run(tmp_path / "run", Scenario(launches=6, sizes=(8, 64), operations=("pingpong", "barrier"))))
    points = run.launches[0].points
    assert isinstance(points, list)
    points[:] = [point for point in points if point.point["operation"] == "pingpong"]
    texts = [certainty(curve) for curve in series(summarise(run))]
    assert texts[0].startswith("95% interval over 6 launches: ±")
    assert texts[1] == "only 5 launches: too few for a 95% interval, which needs 6"


def test_every_profile_of_a_program_names_its_style(catalog: Catalog) -> None:
    for name in styles():
        assert read_profile(name, catalog).style == name
    assert read_profile("quick", catalog).style is None
    assert set(styles()) < set(profile_names())
