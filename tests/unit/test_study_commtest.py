"""The study of swaps on a run whose times are known, and its tables recomputed from the records of a real one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from synthetic_swaps import BYTES, make_swap_run

from groma.analysis import PointSummary, series, summarise
from groma.analysis.summary import where
from groma.catalog import packaged
from groma.errors import InputError
from groma.programs.answers import read_style, study_of
from groma.programs.commtest.study import latency_words
from groma.programs.commtest.swaps import Swaps, Way, advise, is_resolvable, latency_us, swaps_of
from groma.programs.sheet import sheet_of
from groma.report.page import write_report
from groma.report.tables import columns
from groma.results import Run, load_run

RECORDED = Path(__file__).parents[1] / "recorded" / "commtest"
SIMPLE, READY = Way(0), Way(4)


def truth_s(way: Way, messages: int, variant: str) -> float:
    """Simple swaps cost least a message, ready sends have the larger bandwidth: they cross between 32 and 64 messages.

    All others are slower by 20 % and more; of the common protocols, nonblocking sends cost most.
    """
    peak_s = {"cache_inv": 3e-3, "1_iter": 2e-3, "10_iter": 1e-3}[variant]
    if way == SIMPLE:
        return peak_s + messages * 20e-6
    if way == READY:
        return 0.9 * peak_s + messages * (20e-6 + 0.1 * peak_s / 47)
    return (1.2 + (way.number == 1) - 0.1 * way.overlap) * truth_s(SIMPLE, messages, variant)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return load_run(make_swap_run(tmp_path_factory.mktemp("runs") / "commtest", truth_s))


@pytest.fixture(scope="module")
def summaries(made: Run) -> list[PointSummary]:
    return summarise(made)


@pytest.fixture(scope="module")
def found(summaries: list[PointSummary]) -> dict[str, Swaps]:
    return {swaps.variant: swaps for swaps in swaps_of(summaries)}


def test_variants_are_told_apart_and_complete(found: dict[str, Swaps]) -> None:
    assert set(found) == {"cache_inv", "1_iter", "10_iter"}
    for swaps in found.values():
        assert swaps.messages == [1024, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1]
        assert {way.number for way in swaps.points if not way.overlap} == set(range(11))
        assert {way.number for way in swaps.points if way.overlap} == {1, 2, 3, 4, 5, 7, 8, 9}
        assert set(swaps.group(overlap=True)) == set(range(11)), "protocols without overlap stand as they are"


def test_what_is_best_is_found_with_its_crossing(found: dict[str, Swaps]) -> None:
    swaps = found["10_iter"]
    advice = advise(swaps)
    assert [choice.size for choice in advice.choices] == sorted(BYTES // k for k in swaps.messages)
    fastest = {BYTES // choice.size: choice.fastest for choice in advice.choices}
    assert fastest == {k: READY if k < 47 else SIMPLE for k in swaps.messages}
    for choice in advice.choices:
        assert set(choice.alike) <= {SIMPLE, READY}, "all others are slower by at least a tenth"
    assert [stretch.way for stretch in advice.stretches] == [SIMPLE, READY]
    first, after = advice.stretches
    assert first.sizes[0] == 2048
    assert after.sizes[-1] == BYTES
    assert 2048 * 16 <= after.sizes[0] <= 2048 * 64
    for _, price in advice.worst_common:
        assert price.interval is not None
    largest = advice.worst_common[-1]
    assert largest[0] == Way(1)
    assert largest[1].ratio == pytest.approx(
        2.2 * truth_s(SIMPLE, 1, "10_iter") / truth_s(READY, 1, "10_iter"), rel=0.03
    )


def test_the_study_says_what_to_use_and_has_every_table(made: Run, summaries: list[PointSummary]) -> None:
    study = study_of(made, summaries, ["cheetah"])
    assert study is not None
    said = " ".join(study.sentences)
    assert re.search(r"2 ranks, 10_iter: use simple from 2 KiB to \d+ KiB, then ready from \d+ KiB to 2 MiB\.", said)
    titles = [table.title for table in study.tables]
    for variant in ("cache_inv", "1_iter", "10_iter"):
        assert f"What to use: 2 ranks, {variant}" in titles
        assert f"Protocols: 2 ranks, {variant}" in titles
        for overlap in ("no overlap", "with overlap"):
            assert f"Protocol sensitivity: 2 ranks, {variant}, {overlap}" in titles
    protocols = next(table for table in study.tables if table.title.startswith("Protocols: 2 ranks, 10_iter"))
    row = next(row for row in protocols.rows if row[0] == "0 simple")
    assert float(row[2]) == pytest.approx(10.0, rel=0.2), "20 us for two messages"
    assert any(curve.reference for curve in study.charts[0].curves)
    with pytest.raises(InputError, match="IBM p690 cheetah"):
        study_of(made, summaries, ["altix"])


def test_one_protocol_for_all_sizes_is_not_beside_a_best_one(tmp_path: Path) -> None:
    def times_s(way: Way, messages: int, variant: str) -> float:
        return (1 + 0.5 * (way != READY)) * truth_s(SIMPLE, messages, variant)

    run = load_run(make_swap_run(tmp_path / "commtest", times_s))
    study = study_of(run, summarise(run))
    assert study is not None
    first, costs, *_ = study.sentences
    assert first == "2 ranks, cache_inv: use ready from 2 KiB to 2 MiB."
    assert re.fullmatch(r"It costs most at \d+ [KM]iB: 1.00 \(.* times the fastest\.", costs)


def test_a_variant_is_named_once_in_a_title(tmp_path: Path) -> None:
    made = make_swap_run(tmp_path / "commtest", truth_s, launches=2)
    for file, variant in zip(sorted(made.glob("launches/*/launch.json")), ("tcp", "shm"), strict=True):
        file.write_text(json.dumps(json.loads(file.read_text()) | {"variant": variant}))
    run = load_run(made)
    study = study_of(run, summarise(run))
    assert study is not None
    titles = [*(table.title for table in study.tables), *(chart.title for chart in study.charts)]
    assert "Protocols: 2 ranks, 1_iter \N{MIDDLE DOT} tcp" in titles
    assert all(title.count("tcp") + title.count("shm") == 1 for title in titles)
    assert len(titles) == len({*titles}), "a title is of one table or chart"
    assert all(sentence.count("tcp") + sentence.count("shm") == 1 for sentence in study.sentences)


def test_a_swap_has_its_own_size_beside_that_of_its_messages(summaries: list[PointSummary]) -> None:
    places = {where(point).partition(" ")[2] for point in summaries}
    assert {"2 MiB", "2 MiB in messages of 2 KiB", "2 MiB in messages of 1 MiB"} < places
    assert not [place for place in places if not place.startswith("2 MiB")]
    first = columns(series(summaries)[0])
    assert next(iter(first)) == "message"
    assert [cell.strip() for cell in first["message"]][::10] == ["2 KiB", "2 MiB"]


def test_few_launches_recommend_nothing(tmp_path: Path) -> None:
    run = load_run(make_swap_run(tmp_path / "commtest", truth_s, launches=3))
    study = study_of(run, summarise(run))
    assert study is not None
    for sentence in study.sentences:
        assert "no recommendation. 3 launches cannot separate protocols; at least 6 are needed" in sentence
    assert not [table.title for table in study.tables if "What to use" in table.title]


def noisy_s(way: Way, messages: int, variant: str) -> float:
    """As `truth_s`, but simple swaps in 1024 messages are no slower than in 512, and ready ones jump beyond 256."""
    if way == SIMPLE:
        return truth_s(way, min(messages, 500), variant)
    return truth_s(way, messages, variant) + (way == READY) * (messages == 1024) * 1.0


@pytest.mark.slow
def test_what_the_times_cannot_say_is_marked_with_its_reason(tmp_path: Path) -> None:
    run = load_run(make_swap_run(tmp_path / "commtest", noisy_s))
    study = study_of(run, summarise(run))
    assert study is not None
    table = next(table for table in study.tables if table.title == "Protocols: 2 ranks, 10_iter")
    rows = {row[0]: row for row in table.rows}
    noise = latency_us({512: 1.0, 1024: 0.9})
    assert not is_resolvable(noise)
    assert rows["4 ready"][3].endswith("% !"), "times of few messages are far below a line through the two largest"
    assert re.fullmatch(r"\d+\.\d%", rows["3 nonblocking"][3])
    assert float(rows["3 nonblocking"][2]) > 0
    assert any("its error exceeds 100%" in note for note in table.notes)
    assert latency_words(noise) == "not resolvable"
    assert latency_words(1.5) == "1.50"
    text = sheet_of(run, read_style("commtest")).text()
    assert "The model does not describe these times" in text


def test_latencies_below_zero_are_never_printed() -> None:
    sheet = sheet_of(load_run(RECORDED), read_style("commtest")).text()
    assert "not resolvable: 16 messages took no longer than 1" in sheet
    assert not re.search(r"-\d+\.\d\d ", sheet)


def test_the_page_of_a_real_run_has_the_study(tmp_path: Path) -> None:
    page = write_report(load_run(RECORDED), tmp_path / "report.html").read_text()
    assert "COMMTEST: eleven protocols for a swap" in page
    assert "Protocols: 2 ranks, cache_inv" in page


def test_message_sizes_are_what_a_curve_runs_over(summaries: list[PointSummary]) -> None:
    curves = [curve for curve in series(summaries) if curve.operation.name == "swap/ready"]
    assert len(curves) == 6
    for curve in curves:
        assert [point.bytes for point in curve.points] == [2048 << n for n in range(11)]


def records_by_hand(run: Run) -> dict[tuple[int, str, bool, int, int], float]:
    """Return the time of a swap in seconds by ranks, variant, overlap, messages and protocol, from the lines alone."""
    numbers = {one.name: one.swap.number for one in packaged().operations if one.swap}
    figures: dict[tuple[int, str, bool, int, int], list[float]] = {}
    for path in sorted(run.path.glob("launches/*/points.jsonl")):
        lines: list[dict[str, Any]] = [json.loads(line) for line in path.read_text().splitlines()]
        ranks = lines[0]["ranks"]
        for record in (line for line in lines if line["kind"] == "point"):
            point, calls = record["point"], record["repetitions_per_sample"]
            variant = f"{calls}_iter" if point["timing"] == "block" else "1_iter"
            variant = "cache_inv" if point["cache"] == "sweep" else variant
            key = (ranks, variant, point["swap_overlap"], point["swap_messages"], numbers[point["operation"]])
            figures.setdefault(key, []).append(median(record["samples_ns"]) / calls / 1e9)
            assert record["bytes_moved"] == 2 * point["bytes"]
            assert record["messages"] == 2 * point["swap_messages"]
    return {key: median(values) for key, values in figures.items()}


def test_the_printed_tables_are_those_of_the_records() -> None:
    """Every figure of every table of a real run, worked out from its lines with nothing of the analysis."""
    run = load_run(RECORDED)
    times = records_by_hand(run)
    lines = sheet_of(run, read_style("commtest")).text().splitlines()
    found = swaps_of(summarise(run))
    assert {swaps.variant for swaps in found} == {"cache_inv", "1_iter", "10_iter"}
    checked = 0
    for swaps in found:
        for overlap in (False, True):
            title = {"cache_inv": "cache inv.", "1_iter": "1 iterations", "10_iter": "10 iterations"}[swaps.variant]
            title += " with overlap" if overlap else "/no overlap"
            starts = [i for i, line in enumerate(lines) if line.startswith("Protocol Sens") and f"({title})" in line]
            start = starts[sorted({one.ranks for one in found}).index(swaps.ranks)]
            for place, k in enumerate(swaps.messages):
                own = {
                    number: times.get((swaps.ranks, swaps.variant, overlap, k, number))
                    or times[swaps.ranks, swaps.variant, False, k, number]
                    for number in range(11)
                }
                check_lines(lines[start:], (place, len(swaps.messages)), (swaps.bytes, k), own)
                checked += 1
    assert checked == len(found) * 2 * len(found[0].messages) == 3 * 2 * 2


def check_lines(lines: list[str], row: tuple[int, int], swap: tuple[int, int], own: dict[int, float]) -> None:
    """Compare one row of the three tables that start with these lines."""
    (place, count), (size, k) = row, swap
    least = min(own.values())
    cells = lines[3 + place].split()
    assert int(cells[0]) == size // k
    expected = [least, least / k, 2 * size / least / 1e6, sum(own.values()) / 11 / least - 1]
    expected += [median(own.values()) / least - 1, max(own.values()) / least - 1]
    printed = [f"{expected[0]:.4e}", f"{expected[1]:.4e}", *(f"{value:.2f}" for value in expected[2:])]
    assert [float(cell) for cell in cells[1:]] == pytest.approx([float(cell) for cell in printed], abs=0.011, rel=1e-3)
    fastest = [int(cell) for cell in lines[3 + count + 3 + place].split()]
    assert fastest == [size // k, *sorted(own, key=lambda number: (own[number], number))[:5]]
    within = [int(cell) for cell in lines[3 + 2 * count + 6 + place].split()]
    assert within == [size // k, *(sum(t <= least * (1 + x) for t in own.values()) for x in (0.01, 0.05, 0.25))]
