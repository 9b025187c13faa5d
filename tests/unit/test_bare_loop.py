"""What `make bench` says of ratios to the loop by hand, and that its rounds are in one state of the machine."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from benchmarks import against_bare_loop
from benchmarks import bench_page as bench
from benchmarks.against_bare_loop import Pair
from benchmarks.fidelity import line
from benchmarks.fidelity.launches import Preloaded
from groma.launch.command import Setup

BARE = np.geomspace(90, 110, 30)
POINT = ("iallreduce", 8)


def bare(count: int = 30, slowed: float = 1.1) -> list[bench.Bare]:
    return [bench.Bare(one, slowed * one) for one in BARE[:count].tolist()]


@pytest.mark.parametrize(
    ("groma", "says"),
    [
        (BARE * 1.01, "met"),
        (BARE * np.linspace(0.93, 1.0, 30), "inconclusive"),
        (BARE * np.linspace(1.03, 1.06, 30), "not met"),
    ],
)
def test_not_met_is_said_only_where_the_whole_interval_says_so(groma: np.ndarray, says: str) -> None:
    assert bench.row("openmpi", POINT, bare(), list(groma), rows=16).verdict == says


def test_too_few_rounds_for_an_interval_of_all_rows_refuse_nothing() -> None:
    few = bench.row("openmpi", POINT, bare(6), list(BARE[:6] * 2), rows=16)
    assert few.verdict == "inconclusive"
    assert few.low is not None


@pytest.mark.parametrize(("slowed", "found"), [(1.1, True), (1.02, False)])
def test_a_slowed_loop_is_found_only_where_the_whole_interval_says_so(slowed: float, found: bool) -> None:
    assert bench.row("openmpi", POINT, bare(slowed=slowed), list(BARE * 1.01)).found is found


def test_the_engine_measures_the_first_point_once_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks: list[list[int]] = []

    def start(_setup: Setup, arguments: Sequence[str], _preloaded: Preloaded) -> str:
        points = json.loads(Path(arguments[1]).read_text())["points"]
        blocks.append([point["block"] for point in points])
        assert {point.get("rma_window") for point in points if point["operation"] == "put/flush"} == {"allocated"}
        assert [(point["operation"], point["bytes"]) for point in points] == [bench.POINTS[0], *bench.POINTS]
        method = {"kind": "point", "repetitions_per_sample": 1, "divisor": 1}
        records = [
            {"kind": "start", "library": {"text": "a library"}, "harness": {}},
            *(method | {"index": number, "samples_ns": [number]} for number in range(len(points))),
        ]
        Path(arguments[3]).write_text("".join(json.dumps(record) + "\n" for record in records))
        return ""

    monkeypatch.setattr(against_bare_loop, "_start", start)
    pair = Pair(cast("Setup", None), cast("Setup", None), 0.1, tmp_path, "mpicc")
    figures = pair._groma_launch(cast("Preloaded", None))
    assert figures == dict(zip(bench.POINTS, range(1, len(bench.POINTS) + 1), strict=True))
    assert set(blocks[0]) == {0}
    pair.blocks = dict.fromkeys(bench.POINTS, 7)
    pair._groma_launch(cast("Preloaded", None))
    assert set(blocks[1]) == {7}


def launch(figures: Sequence[float], times: Sequence[str]) -> Callable[[Preloaded], dict[int, float]]:
    """Return what stands for a launch: it writes what line.c would, and returns the next figure of 8 B."""
    following = iter(zip(figures, times, strict=True))

    def start(preloaded: Preloaded) -> dict[int, float]:
        figure, time = next(following)
        Path(preloaded.variables["GROMA_LINE"] + ".ns").write_text(time)
        return {8: figure}

    return start


def test_a_round_in_two_states_is_made_again_and_at_last_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    near, far = "36 36\n", "160 160\n"
    monkeypatch.setattr(line, "build", lambda _compiler, source, folder: folder / source.stem)
    pair = Pair(cast("Setup", None), cast("Setup", None), 0.1, tmp_path, "mpicc", blocks={("pingpong", 8): 1})
    rest = line.ATTEMPTS
    monkeypatch.setattr(pair, "_bare_launch", launch([1, 2, *[9] * rest], [near, far, *[near] * rest]))
    monkeypatch.setattr(pair, "_groma_launch", launch([3, 4, *[9] * rest], [far, far, *[far] * rest]))
    for number in (0, 1):
        pair.round(number)
    found: tuple[object, object] = pair.bare, pair.groma
    assert found == ([{8: 2}], [{8: 4}])


def found(library: str, operation: str, size: int, ratio: float = 1.0) -> bench.Row:
    return bench.Row(library, operation, size, 100, 100, ratio, 0.99, 1.01, "met", 1.1, True, 12, 0, "a machine")


def test_a_page_keeps_what_is_not_measured_again_and_says_what_a_library_lacks() -> None:
    harness = [bench.Harness(name, f"{name} 1", 1.0, 0.5) for name in ("embedded", "openmpi")]
    lacks = [bench.Lack("openmpi", "partitioned/in_order", None, "it lacks partitioned messages (MPI 4.0)")]
    lacks += [bench.Lack("embedded", "put/flush", 65536, "it ends")]
    before: list[list[Any]] = [[found("embedded", "pingpong", 8), found("embedded", "put/flush", 8)], harness, []]
    new: list[list[Any]] = [
        [found("embedded", "put/flush", 8, 1.02)],
        [bench.Harness("embedded", "embedded 2", 1.0, 0.5)],
        lacks,
    ]
    rows, own, lacking = bench.measured_again(before, new)
    assert [(row.operation, row.ratio) for row in rows] == [("pingpong", 1.0), ("put/flush", 1.02)]
    assert [one.version for one in own] == ["openmpi 1", "embedded 2"]
    page = bench.page(rows, own, lacking)
    assert list(page.rows[1]) == ["embedded", "put/flush", "1.020", "", "", "", "64 KiB: it ends"]
    assert list(page.rows[-1]) == [
        *("openmpi", "partitioned/in_order", "", "", "", "", "it lacks partitioned messages (MPI 4.0)")
    ]
    assert page.words["launches"] == "12"


def test_rows_of_a_library_that_is_measured_again_come_in_the_order_of_the_points() -> None:
    before = [[found("embedded", "put/flush", 8), found("embedded", "allreduce_init", 8)], [], []]
    rows, *_ = bench.measured_again(before, [[found("embedded", "partitioned/in_order", 8)], [], []])
    assert [row.operation for row in rows] == ["put/flush", "partitioned/in_order", "allreduce_init"]
