"""Both launches of a pair are in one state of the machine, or the round has no figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks.fidelity import line
from benchmarks.fidelity.launches import Preloaded
from benchmarks.fidelity.programs import PROGRAMS, Figures
from benchmarks.fidelity.rows import rows_of, together

NEAR, FAR = "36.0 41.0\n", "160.0 171.0\n"
KEY = ("osu_latency", 8)


def launch(times: Iterator[str], figure: Iterator[float]) -> Callable[[Preloaded], Figures]:
    """Return what stands for a launch: it writes what line.c would, and returns the next figure."""

    def start(preloaded: Preloaded) -> Figures:
        Path(preloaded.variables["GROMA_LINE"] + ".ns").write_text(next(times))
        return {KEY: next(figure)}

    return start


@pytest.mark.parametrize(
    ("real", "emulated", "kept"),
    [
        ([NEAR], [NEAR], (0, 0)),
        ([FAR], [FAR], (0, 0)),
        ([FAR, NEAR], [NEAR, NEAR], (1, 1)),
        (["36.0 160.0\n", NEAR], [NEAR, NEAR], (1, 1)),
        (["-1 -1\n"], [FAR], (0, 0)),
        ([NEAR] * line.ATTEMPTS, [FAR] * line.ATTEMPTS, None),
    ],
    ids=["near", "far", "one far", "changed within", "not known", "always"],
)
@pytest.mark.parametrize("real_first", [True, False])
def test_a_pair_is_launched_again_where_the_machine_changed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    real: list[str],
    emulated: list[str],
    kept: tuple[int, int] | None,
    *,
    real_first: bool,
) -> None:
    monkeypatch.setattr(line, "build", lambda compiler, source, folder: folder / f"{source.stem}-{compiler}.so")
    times = iter(real), iter(emulated)
    sides = [launch(one, iter(map(float, range(line.ATTEMPTS)))) for one in times]
    found = line.in_one_state(sides[0], sides[1], ("mpicc", "mpicc"), tmp_path, real_first=real_first)
    left = sum(len(list(one)) for one in times)
    assert found == (kept and ({KEY: kept[0]}, {KEY: kept[1]}))
    assert left == 0, "no launch more than needed"


def test_rounds_without_a_pair_are_left_out_of_the_row_they_lack() -> None:
    latency, bandwidth = ("osu_latency", 8), ("osu_bw", 8)
    rounds: list[tuple[Figures, Figures]] = [({latency: 1.0, bandwidth: 1.0}, {latency: 2.0, bandwidth: 1.0})] * 3
    rounds += [({latency: 1.0}, {latency: 8.0}), ({}, {})]
    first, second = rows_of(PROGRAMS[0], "MPI", 2, rounds)
    assert (first.rounds, second.rounds) == (4, 3)
    assert list(first.logs) == [0, 1, 2, 3]
    assert together([first, second]).value == pytest.approx(2**0.5), "three rounds of 2 and 1, one of 8 alone"


def test_rounding_widens_an_interval_only_where_the_figures_stay_within_a_step() -> None:
    step = PROGRAMS[0].step
    alike = [({KEY: 0.2}, {KEY: 0.2})] * 8
    varied = [({KEY: 0.2 + at * step}, {KEY: 0.2 + at * step}) for at in range(8)]
    (narrow,), (wide,) = rows_of(PROGRAMS[0], "MPI", 2, varied), rows_of(PROGRAMS[0], "MPI", 2, alike)
    assert narrow.high == pytest.approx(1)
    assert wide.high == pytest.approx(1 + step / 2 / 0.2)
