"""HPC Challenge: which pairs of ranks are measured, and its ten figures of times that were made up."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from fakes import Groma
from scipy import stats

from groma.analysis import summarise
from groma.programs.hpcc.figures import LONG, SHORT, HpccTimes, Rings, figures
from groma.programs.hpcc.stages import stride
from groma.programs.hpcc.study import study
from groma.programs.study import Study
from groma.results import load_run

HPCC = ("run", "--profile", "hpcc", "-o", "out")
PAIRS = {SHORT: {(0, 1): 300.0, (1, 0): 310.0, (0, 2): 900.0}, LONG: {(0, 1): 100e3, (1, 0): 200e3, (0, 2): 400e3}}
RANDOM = {SHORT: [500.0, 800.0], LONG: [250e3, 1000e3]}


@pytest.fixture
def made() -> HpccTimes:
    """Return six launches, each 1 % slower than the one before."""
    slower = {at: 1.01**at for at in range(6)}

    def times(value: float) -> dict[int, float]:
        return {at: value * factor for at, factor in slower.items()}

    pairs = {size: {pair: times(value) for pair, value in of_size.items()} for size, of_size in PAIRS.items()}
    natural = {SHORT: 400.0, LONG: 200e3}
    rings = {size: Rings(times(natural[size]), times(float(stats.gmean(RANDOM[size])))) for size in natural}
    return HpccTimes(pairs, rings)


def test_the_figures_are_those_of_the_definitions(made: HpccTimes) -> None:
    found = figures(made)
    middle = float(np.median([1.01**at for at in range(6)]))
    expected_us = {"Min": 0.3, "Avg": (0.3 + 0.31 + 0.9) / 3, "Max": 0.9}
    for word, value in expected_us.items():
        assert found[f"{word}PingPongLatency_usec"].value == pytest.approx(value * middle)
    for word, value in {"Max": 20.0, "Avg": (20 + 10 + 5) / 3, "Min": 5.0}.items():
        assert found[f"{word}PingPongBandwidth_GBytes"].value == pytest.approx(value / middle, rel=1e-3)
    assert found["NaturallyOrderedRingLatency_usec"].value == pytest.approx(0.4 * middle)
    assert found["NaturallyOrderedRingBandwidth_GBytes"].value == pytest.approx(10 / middle, rel=1e-3)
    assert found["RandomlyOrderedRingLatency_usec"].value == pytest.approx((0.5 * 0.8) ** 0.5 * middle)
    assert found["RandomlyOrderedRingBandwidth_GBytes"].value == pytest.approx(4 / middle, rel=1e-3)
    assert len(found) == 10
    for figure in found.values():
        assert figure.interval is not None
        assert figure.value in figure.interval


def test_what_was_not_measured_has_no_figure(made: HpccTimes) -> None:
    assert not figures(HpccTimes({}, {}))
    found = figures(HpccTimes({SHORT: made.pairs[SHORT]}, {LONG: made.rings[LONG]}))
    assert {name.rpartition("_")[2] for name in found if "PingPong" in name} == {"usec"}
    assert {name.rpartition("_")[2] for name in found if "Ring" in name} == {"GBytes"}


@pytest.mark.parametrize("pairs", [2, 6, 100, 1024])
def test_so_many_pairs_are_measured_at_most(pairs: int) -> None:
    for ranks in range(2, 200):
        step = stride(ranks, pairs)
        chosen = len(range(0, ranks, step))
        assert chosen * (chosen - 1) <= max(pairs, 6 if ranks == 3 else 2), ranks
        assert chosen >= 2, ranks
        assert step == 1 or (step > 2 and all(step % factor for factor in range(2, step))), ranks


def study_of_run() -> Study:
    run = load_run("out")
    found = study(run, summarise(run))
    assert found is not None
    return found


def test_a_run_measures_rings_and_all_pairs(groma: Groma) -> None:
    said = groma(*HPCC, "-n", "4")
    assert said.code == 0, said.err
    assert "Stage pairs: all 12 ordered pairs of 4 ranks, one after another." in said.err
    points = json.loads(Path("out/pairs/run.json").read_text())["plan"]["points"]
    patterns = [f"list={client},{server}" for client, server in permutations(range(4), 2)]
    for size in (SHORT, LONG):
        assert [point["pattern"] for point in points if point["bytes"] == size] == patterns
    rings = json.loads(Path("out/rings/run.json").read_text())["plan"]["points"]
    for size, count in ((SHORT, 30), (LONG, 10)):
        orders = ["all", *(f"random={seed}" for seed in range(1, count + 1))]
        for operation in ("halo/sendrecv", "halo/all_at_once"):
            of_way = [one for one in rings if (one["operation"], one["bytes"]) == (operation, size)]
            assert [point["pattern"] for point in of_way] == orders
    lines = dict(
        line.split("=") for line in groma("show", "out", "--style", "hpcc").out.splitlines() if not line.startswith("#")
    )
    assert len(lines) == 10
    assert min(map(float, lines.values())) > 0
    found = study_of_run()
    assert "All ranks in a ring: a latency of" in " ".join(found.sentences)
    assert [one.values.shape for one in found.maps] == [(4, 4), (4, 4)]
    assert np.isnan(np.diagonal(found.maps[0].values)).all()
    assert [len(row) for row in found.tables[0].rows] == [5] * 5


def test_of_many_ranks_so_many_pairs_as_the_setting_says(groma: Groma) -> None:
    assert groma(*HPCC, "-n", "8", "--launches", "1", "--set", "pairs=6").code == 0
    points = json.loads(Path("out/pairs/run.json").read_text())["plan"]["points"]
    ends = {point["pattern"] for point in points}
    assert ends == {f"list={client},{server}" for client, server in permutations((0, 3, 6), 2)}
    assert study_of_run().tables[0].notes[0] == "Ping-pong of 6 of 56 ordered pairs of ranks, one after another."


@pytest.mark.parametrize(("operation", "stage"), [("pingpong", "pairs"), ("halo/all_at_once", "rings")])
def test_a_part_of_the_profile_has_its_stage_alone(groma: Groma, operation: str, stage: str) -> None:
    assert groma("run", operation, *HPCC[1:], "--launches", "1").code == 0
    assert [path.parent.name for path in Path("out").glob("*/run.json")] == [stage]
    figures = {line.partition("=")[0] for line in groma("show", "out", "--style", "hpcc").out.splitlines()}
    assert any("PingPong" in name for name in figures) == (stage == "pairs")
    assert any("Ring" in name for name in figures) == (stage == "rings")


def test_two_ranks_have_no_map(groma: Groma) -> None:
    assert groma(*HPCC, "--launches", "1").code == 0
    found = study_of_run()
    assert not found.maps
    assert not any("95%" in cell for row in found.tables[0].rows for cell in row)
