"""The best length of a segment and its gain, planted in transfers and in a run; and the lines of the original."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from statistics import median

import numpy as np
import pytest
from edited_records import write_records
from fakes import Groma

from groma.analysis import summarise
from groma.programs.answers import study_of
from groma.programs.bcast_test.study import gain_of, sentence
from groma.programs.bcast_test.transfers import Transfers
from groma.results import load_run

SEGMENTS = (1, 16, 1024, 4096)
FACTOR = {1: 2.0, 16: 1.0, 1024: 1.5, 4096: 4.0}  # of the best one's time
PROFILE = ("run", "--profile", "bcast_test")


def parts(random: np.random.Generator, launches: int, ranks: int = 17, spread: float = 0.1) -> list[Transfers]:
    """Return transfers of which every launch has weather of its own, by a factor of two and more."""
    weather = np.exp(random.normal(0, 0.7, launches))
    times = {
        segments: {
            launch: 1e7 * FACTOR[segments] * weather[launch] * np.exp(random.normal(0, spread, (ranks - 1, 1)))
            for launch in range(launches)
        }
        for segments in SEGMENTS
    }
    return [Transfers(327680, segments, ranks, None, times[segments]) for segments in SEGMENTS]


def test_the_gain_is_that_of_a_launch_whatever_the_weather() -> None:
    found = gain_of(parts(np.random.default_rng(5), 12))
    assert (found.best.segments, found.smallest.segments, found.tied) == (16, 4096, ())
    assert found.gain.ratio == pytest.approx(4, rel=0.1)
    assert found.gain.interval is not None
    said = sentence(found)
    assert said.startswith("Segments of 20 KiB (16 of them) are best, ")
    assert said.endswith("times as fast as segments of 80 B.")


@pytest.mark.slow
def test_the_interval_covers_the_planted_gain() -> None:
    random = np.random.default_rng(1)
    intervals = [gain_of(parts(random, 8, ranks=5)).gain.interval for _ in range(400)]
    assert all(interval is not None for interval in intervals)
    assert sum(4 in interval for interval in intervals if interval) / len(intervals) >= 0.93


def test_few_launches_give_the_gain_without_an_interval() -> None:
    found = gain_of(parts(np.random.default_rng(5), 3))
    assert found.gain.interval is None
    assert "; 3 launches give no interval, which takes 6." in sentence(found, "node01, 4 ranks")
    assert sentence(found, "node01, 4 ranks").startswith("node01, 4 ranks: segments of 20 KiB")


def test_lengths_that_cost_the_same_are_tied() -> None:
    random = np.random.default_rng(2)
    times = {launch: np.exp(random.normal(0, 0.3, (4, 1))) for launch in range(12)}
    again = {launch: np.exp(random.normal(0, 0.3, (4, 1))) for launch in range(12)}
    found = gain_of([Transfers(80, 1, 5, None, times), Transfers(80, 4, 5, None, again)])
    assert len(found.tied) == 1
    assert "; tied: " in sentence(found)


def test_the_smallest_may_be_best() -> None:
    times = {launch: np.full((2, 1), 1.0 + launch) for launch in range(6)}
    found = gain_of([Transfers(80, 1, 3, None, {n: 2 * t for n, t in times.items()}), Transfers(80, 4, 3, None, times)])
    assert sentence(found) == "Segments of 20 B, the smallest, are best."


def planted(groma: Groma, launches: int) -> Path:
    """Measure a campaign with the fake engine, and write times into its records: Tmax is FACTOR by segments."""
    assert groma(*PROFILE, "-n", "3", "--launches", str(launches), "-o", "out").code == 0
    for number, path in enumerate(sorted(Path("out/launches").glob("*/points.jsonl")), start=1):
        records = [json.loads(line) for line in path.read_text().splitlines()]
        for record in records:
            if record["kind"] == "point":
                slowest = int(1e7 * number * FACTOR.get(record["point"]["segments"], 3.0))
                record["samples_ns"] = [slowest]
                record["ranks_ns"] = [[1_340_000], [slowest - 1_000_000], [slowest]]
                record["finished_unix_ns"] = (number * 1000 + record["sequence"]) * 10**9 + 38_000_000
        write_records(path, records)
    return Path("out")


def test_a_run_says_its_best_segments_and_their_gain(groma: Groma) -> None:
    run = load_run(planted(groma, 7))
    study = study_of(run, summarise(run))
    assert study is not None
    assert study.sentences == [
        "Segments of 20 KiB (16 of them) are best, 4.00 (4.00 to 4.00) times as fast as segments of 80 B."
    ]
    said = groma("show", "out")
    assert study.sentences[0] in " ".join(said.out.split())
    assert "Slowest and fastest process" in Path(groma("report", "out").last_line).read_text()


def test_a_campaign_is_one_file_with_the_columns_of_the_original(groma: Groma) -> None:
    planted(groma, 3)
    said = groma("show", "out", "--style", "bcast_test")
    assert (said.code, said.err) == (0, "")
    heading, *lines = said.out.splitlines()
    assert heading == "Wtime,\tnt,\tnbt,\tTmax,\tTmin,\tfake\t, fake\t, fake"
    assert len(lines) == 3 * 7
    assert lines[2] == "1002.038\t, 16,\t20480,\t10.00,\t9.00,\t1.34,\t9.00,\t10.00,"
    rows = [[word.strip() for word in row] for row in csv.reader(io.StringIO(said.out))][1:]
    assert {(int(row[1]) * int(row[2])) for row in rows} == {4096 * 80}
    assert [float(row[3]) for row in rows] == [max(map(float, row[6:8])) for row in rows], "the root is left out"
    gains = {row[1]: [float(one[3]) for one in rows if one[1] == row[1]] for row in rows}
    assert median(a / b for a, b in zip(gains["4096"], gains["16"], strict=True)) == pytest.approx(4)


def test_what_the_columns_cannot_claim_is_named(groma: Groma) -> None:
    groma("run", "bcast_segmented", "pingpong", "--bytes", "64", "--launches", "1", "-o", "other")
    said = groma("show", "other", "--style", "bcast_test")
    assert (said.code, said.out) == (1, "")
    assert "a line needs the times of every rank; measure it with: groma run bcast_segmented" in said.err
    assert "Not in MPI_bcast_test: pingpong" in said.err
    own = ("--set", "per_rank=true", "--set", "root=rotate")
    groma("run", "bcast_segmented", "--bytes", "64", *own, "--launches", "1", "-o", "rotating")
    assert "Tmax and Tmin leave one root out (root=rotate)" in groma("show", "rotating", "--style", "bcast_test").err


def test_an_older_run_has_no_wtime_and_says_so(groma: Groma) -> None:
    planted(groma, 1)
    (path,) = Path("out/launches").glob("*/points.jsonl")
    records = [json.loads(line) for line in path.read_text().splitlines()]
    for record in records:
        record.pop("finished_unix_ns", None)
    write_records(path, records)
    said = groma("show", "out", "--style", "bcast_test")
    assert said.out.splitlines()[1].startswith("\t, 1,\t327680,")
    assert "Wtime is empty" in said.err
