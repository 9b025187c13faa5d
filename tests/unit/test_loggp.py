"""LogGP from round trips that were made up from known parameters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from planted_points import planted
from synthetic import Scenario, make_run

from groma.analysis import PointSummary, headlines, summarise
from groma.errors import InputError
from groma.programs.answers import study_of
from groma.programs.loggp.study import OPERATION, loggp, sequence_times
from groma.results import Run, load_run

L, O_S, O_R, G, BYTE = 800.0, 150.0, 250.0, 300.0, 0.4
REQUESTS, DELAY = 16, 5000.0
SIZES = (1, 64, 1024, 4096, 8192)


def phases(size: int, noise: float = 0.0, seed: int = 0) -> dict[str, list[float]]:
    """Return the round trips of a network with these parameters; `noise` shifts all parts of a repetition alike."""
    shift = np.random.default_rng(seed).normal(0, noise, 101)
    between = REQUESTS - 1
    single = 2 * (L + O_S + O_R + (size - 1) * BYTE)
    parts = {
        "single": single + 0 * shift,
        "train": single + between * (G + (size - 1) * BYTE) + 0 * shift,
        "delays": between * (DELAY + shift),
        "spaced": single + between * (O_S + DELAY + shift),
        "late": single + between * (O_S + DELAY + shift + O_R),
    }
    return {name: values.tolist() for name, values in parts.items()}


def test_the_planted_parameters_come_back() -> None:
    found = sequence_times(phases(64), REQUESTS)
    assert found.send_ns == pytest.approx(O_S)
    assert found.receive_ns == pytest.approx(O_R)
    assert found.gap_ns == pytest.approx(G + 63 * BYTE)
    assert found.way_ns == pytest.approx(L + 63 * BYTE)


def test_what_lengthens_a_whole_repetition_cancels_out() -> None:
    found = sequence_times(phases(64, noise=500, seed=3), REQUESTS)
    assert found.send_ns == pytest.approx(O_S, abs=1e-6)
    assert found.receive_ns == pytest.approx(O_R, abs=1e-6)


def run_of(folder: Path, launches: int = 8, eager_up_to: int = 8192) -> tuple[Run, list[PointSummary]]:
    """Return a run and its points; beyond `eager_up_to`, the overheads take as long as the whole way."""
    made = load_run(make_run(folder / "run", Scenario(launches=launches, operations=("pingpong",), sizes=SIZES)))
    points = []
    for point in summarise(made):
        size = point.bytes or 0
        parts = {name: np.array(values) for name, values in phases(size, noise=50).items()}
        if size > eager_up_to:
            parts["spaced"] = parts["spaced"] + (REQUESTS - 1) * parts["single"]
            parts["late"] = parts["late"] + (REQUESTS - 1) * parts["single"]
        made_launches = [
            planted(launch, phases_ns={name: values * 1.01**launch.launch for name, values in parts.items()})
            for launch in point.launches
        ]
        fields = point.point | {"operation": OPERATION, "window": REQUESTS}
        points.append(planted(point, point=fields, launches=made_launches))
    return replace(made, meta=msgspec.structs.replace(made.meta, profile=None)), points


def test_launches_give_intervals_and_sizes_give_the_gaps_line(tmp_path: Path) -> None:
    _, points = run_of(tmp_path)
    found = loggp(points)
    typical = 1.01**4.5  # halfway between the middle launches of eight
    assert found.smallest.send.value == pytest.approx(O_S * typical, rel=1e-3)
    assert found.smallest.way.value == pytest.approx(L * typical, rel=1e-3)
    assert found.gap is not None
    assert found.gap.value == pytest.approx(G * typical, rel=1e-3)
    assert found.gap_per_byte is not None
    assert found.gap_per_byte.value == pytest.approx(BYTE * typical, rel=1e-3)
    assert found.gap.interval is not None
    assert G * 1.01 < found.gap.interval.low < G * 1.01**2
    assert found.last_bytes == 8192
    assert all(one.holds for one in found.sizes)


def test_few_sizes_have_overheads_but_no_line(tmp_path: Path) -> None:
    _, points = run_of(tmp_path)
    found = loggp(points[:3])
    assert found.gap is None
    assert found.gap_per_byte is None
    assert [one.bytes for one in found.sizes] == list(SIZES[:3])


def test_the_study_says_where_the_model_ends(tmp_path: Path) -> None:
    run, points = run_of(tmp_path, eager_up_to=1024)
    study = study_of(run, points)
    assert study is not None
    assert study.title == "LogGP"
    assert any("from 4 KiB on" in sentence for sentence in study.sentences)
    parameters, sizes = study.tables
    assert [row[0].split(",")[0] for row in parameters.rows] == ["L", "o_s", "o_r", "g", "G"]
    assert [row[-1] == "\u2013" for row in sizes.rows] == [False, False, False, True, True]
    with pytest.raises(InputError, match="no published figures"):
        study_of(run, points, ["altix"])


def test_trains_are_no_message_rate(tmp_path: Path) -> None:
    _, points = run_of(tmp_path)
    quiet = [
        planted(point, launches=[planted(one, messages=0, bytes_moved=0) for one in point.launches]) for point in points
    ]
    assert {headline.quantity for headline in headlines(quiet)} == {"time"}
