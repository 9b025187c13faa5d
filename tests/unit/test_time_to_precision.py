"""What a figure costs: when a program is started again, when it is ended, and what the table says of it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from fakes import ENGINE, MPIEXEC

from benchmarks import time_to_precision as study
from benchmarks.fidelity.launches import Bench
from benchmarks.fidelity.programs import PROGRAMS, Figures
from groma.launch.command import Setup
from groma.launch.engine import Engine
from groma.launch.launcher import Launcher

A, B = ("pingpong", 8), ("bcast", 8)
PATIENT = study.Limits(seconds=1000.0, launches=100)


class Launches:
    """Launches that take a second each and give planted figures; a point counts its own launches."""

    def __init__(self, *figures: dict[study.Key, Iterator[float]]) -> None:
        self.starts, self.now_s = list(figures), 0.0
        self.asked: list[list[study.Key]] = []

    def __call__(self, wide: Sequence[study.Key]) -> Iterator[Figures]:
        self.asked.append(list(wide))
        for start in self.starts:
            if start.keys() & set(wide):
                self.now_s += 1
                yield {key: next(values) for key, values in start.items()}

    def clock(self) -> float:
        return self.now_s


def noisy(spread: float, seed: int = 1) -> Iterator[float]:
    random = np.random.default_rng(seed)
    return iter(lambda: float(random.normal(1.0, spread)), None)


def test_six_launches_that_agree_are_enough_and_five_are_not() -> None:
    launches = Launches({A: itertools.repeat(1.0)})
    reached = study.until_narrow(launches, [A], PATIENT, launches.clock)
    assert reached == study.Reached(6.0, 6, 0.0, "within ±2%")
    assert study.width_of([1.0] * 5) == math.inf


def test_only_what_is_still_wide_is_started_again() -> None:
    launches = Launches({A: itertools.repeat(1.0)}, {B: noisy(0.05)})
    reached = study.until_narrow(launches, [A, B], PATIENT, launches.clock)
    assert reached.ended == "within ±2%"
    assert reached.width <= 0.02
    assert launches.asked[:6] == [[A, B]] * 6
    assert launches.asked[6:] == [[B]] * (len(launches.asked) - 6)
    assert reached.launches == reached.seconds == 6 + len(launches.asked)


@pytest.mark.parametrize(
    ("limits", "launches", "ended"),
    [
        (study.Limits(seconds=7.0, launches=100), 7, "cap of 7 s"),
        (study.Limits(seconds=1000.0, launches=9), 9, "cap of 9 launches"),
    ],
)
def test_a_cap_ends_it_and_what_was_reached_is_said(limits: study.Limits, launches: int, ended: str) -> None:
    never = Launches({A: noisy(0.5)})
    reached = study.until_narrow(never, [A], limits, never.clock)
    assert (reached.launches, reached.ended) == (launches, ended)
    assert 0.02 < reached.width < math.inf


def test_a_program_that_prints_nothing_is_not_started_for_ever() -> None:
    asked = []

    def silent(wide: Sequence[study.Key]) -> Iterator[Figures]:
        asked.append(wide)
        yield {("other", 8): 1.0}

    reached = study.until_narrow(silent, [A], PATIENT, lambda: 0.0)
    assert len(asked) == 1
    assert (reached.width, reached.ended) == (math.inf, "no figure: it failed")


def test_each_program_has_its_test_of_every_operation() -> None:
    names = ("OSU Micro-Benchmarks", "IMB-MPI1", "SKaMPI")
    osu, imb, skampi = (next(one for one in PROGRAMS if one.name == name) for name in names)
    many = study.TASKS[1]
    assert len(many.keys) == 12
    for program, wanted in (
        (osu, ["osu_latency", "osu_bcast", "osu_allreduce"]),
        (imb, ["PingPong", "Bcast", "Allreduce"]),
    ):
        tests = study.program_tests(program, many)
        assert tests is not None
        assert [tests[operation].name for operation in many.operations] == wanted
    assert study.program_tests(skampi, many) is None, "its buffers hold no such sizes"


def test_the_page_names_seconds_launches_interval_and_what_ended_it() -> None:
    within = study.Reached(3.0, 10, 0.015, "within ±2%")
    capped = study.Reached(60.0, 100, 0.04, "cap of 60 s")
    failed = study.Reached(1.0, 1, math.inf, "no figure: it failed")
    rows = [
        study.row_of(study.TASKS[1], "MPICH 5", "Groma", (within, within, capped)),
        study.row_of(study.TASKS[1], "MPICH 5", "IMB-MPI1", (failed,)),
    ]
    assert [row.width for row in rows] == [0.04, None]
    said = study.page(rows)
    assert list(said.rows[0])[3:] == ["3.0", "3.0 to 60.0", "10", "±4.0%", "within ±2%; cap of 60 s"]
    assert list(said.rows[1])[6:] == ["none", "no figure: it failed"]
    assert "Groma takes 3 s for 12 points (within ±2%; cap of 60 s)" in said.text("cost", [])


@pytest.mark.slow
def test_groma_is_the_whole_command_judged_by_its_records(fakes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setup = Setup(Engine(ENGINE, "MPICH", abi=False, library=None), Launcher(MPIEXEC, "", ""))
    bench = Bench("fake", fakes, setup, fakes)
    reached = study.groma(bench, study.TASKS[0], PATIENT)
    assert (reached.launches, reached.ended) == (6, "within ±2%")
    assert reached.width <= 0.02
    monkeypatch.setenv("FAKE_ENGINE", "hang_after=0")  # its first launch does not end before the interrupt
    capped = study.groma(bench, study.TASKS[0], study.Limits(seconds=0.0, launches=100))
    assert (capped.launches, capped.width, capped.ended) == (0, math.inf, "cap of 0 s")
