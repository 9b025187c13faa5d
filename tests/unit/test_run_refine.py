"""Sizes that a run adds: where a curve bends or jumps, never where it is only noisy, and with an end."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fakes import Groma, refused

from groma.catalog import packaged
from groma.catalog.refinement import Refinement
from groma.results.documents import LibraryDocument, PlanDocument, RunDocument
from groma.run.refine import Measured, additions

Curve = Callable[[dict[str, Any]], float]
DOUBLING = [1 << k for k in range(3, 21)]


def document(points: list[dict[str, Any]], refinement: Refinement) -> RunDocument:
    return RunDocument(
        name="x", profile=None, groma="0", created="", finished=None, state="running", command=[], host="", seed=1,
        launches=1, rank_counts=[2], budget_s=None, plan=PlanDocument("shuffled", points), refinement=refinement,
        library=LibraryDocument("", "", "", ""), machine={},
    )  # fmt: skip


def pingpongs(sizes: list[int]) -> list[dict[str, Any]]:
    return [{"operation": "pingpong", "bytes": size} for size in sizes]


def play(run: RunDocument, curve: Curve, half_width: float = 0.0) -> int:
    """Measure until nothing is added any more; return the rounds it took."""
    for rounds in range(40):
        measured = {index: Measured(curve(point), half_width) for index, point in enumerate(run.plan.points)}
        new = additions(run, packaged(), 2, measured)
        if not new:
            return rounds
        for point, addition in new:
            assert addition.index == len(run.plan.points)
            run.plan.points.append(point)
            run.refinement.added.append(addition)
    raise AssertionError("sizes are added without an end")


def sizes(run: RunDocument, operation: str = "pingpong") -> list[int]:
    return sorted(point["bytes"] for point in run.plan.points if point["operation"] == operation)


def line(point: dict[str, Any]) -> float:
    return 1000 + float(point["bytes"]) / 10


def test_a_line_needs_no_sizes_between() -> None:
    run = document(pingpongs(DOUBLING), Refinement(method="mpptest"))
    assert play(run, line) == 0


def test_an_operation_that_times_its_parts_gets_no_sizes() -> None:
    points = [{"operation": "overlap", "bytes": size} for size in DOUBLING]
    run = document(points, Refinement(method="mpptest"))
    assert play(run, lambda point: line(point) + 5000 * (point["bytes"] > 10_000)) == 0


def test_sizes_crowd_where_the_time_jumps() -> None:
    run = document(pingpongs(DOUBLING), Refinement(method="mpptest", min_spacing=64))
    play(run, lambda point: line(point) + 5000 * (point["bytes"] > 10_000))
    own = sizes(run)
    below = max(size for size in own if size <= 10_000)
    above = min(size for size in own if size > 10_000)
    assert 64 <= above - below < 2 * 64 + 1
    assert all(4096 <= size <= 32768 for size in set(own) - set(DOUBLING))
    assert "predict" in run.refinement.added[0].reason
    assert "% off" in run.refinement.added[0].reason
    assert len(run.refinement.added) <= run.refinement.max_added


def test_no_more_sizes_are_added_than_allowed_the_worst_deviations_first() -> None:
    run = document(pingpongs(DOUBLING), Refinement(method="mpptest", min_spacing=1, max_added=5))
    play(run, lambda point: line(point) + 5000 * (point["bytes"] > 10_000) + 200_000 * (point["bytes"] > 500_000))
    added = sorted(set(sizes(run)) - set(DOUBLING))
    assert len(added) == 5
    assert any(added), "the larger jump in time per size comes first"


def test_noise_within_the_intervals_adds_nothing() -> None:
    """The medians differ by 5 % from the line, and their intervals say that they may."""
    random = np.random.default_rng(3)
    noise = {size: 1 + 0.05 * random.standard_normal() for size in DOUBLING}
    curve: Curve = lambda point: line(point) * noise[point["bytes"]]  # noqa: E731
    assert play(document(pingpongs(DOUBLING), Refinement(method="mpptest")), curve, half_width=0.15) == 0
    with pytest.raises(KeyError):  # without the intervals it would add sizes
        play(document(pingpongs(DOUBLING), Refinement(method="mpptest")), curve)


@pytest.mark.parametrize("method", ["mpptest", "log"])
@pytest.mark.parametrize("seed", range(5))
def test_noise_that_no_interval_explains_has_an_end_all_the_same(method: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    run = document(pingpongs(DOUBLING), Refinement(method=method, min_spacing=1))  # type: ignore[arg-type]
    play(run, lambda point: line(point) * (1 + 0.2 * random.standard_normal()))
    assert len(run.refinement.added) <= run.refinement.max_added


def test_on_logarithmic_axes_a_power_is_a_line_and_the_middle_is_geometric() -> None:
    run = document(pingpongs(DOUBLING), Refinement(method="log"))
    assert play(run, lambda point: 100 * float(point["bytes"]) ** 0.7) == 0
    run = document(pingpongs([1024, 4096, 16384]), Refinement(method="log", max_added=2))
    play(run, lambda point: 1000 + 9000 * (point["bytes"] >= 4096))
    assert sizes(run) == [1024, 2048, 4096, 8192, 16384]


def test_added_sizes_are_whole_elements_and_as_their_neighbours() -> None:
    points = [
        {"operation": "allreduce", "bytes": size, "datatype": "double", "max_repetitions": reps}
        for size, reps in ((8, 100), (1000, 50), (2000, 50))
    ]
    run = document(points, Refinement(method="mpptest", max_added=2))
    play(run, lambda point: 1000 + 9000 * (point["bytes"] >= 1000))
    new = run.plan.points[3:]
    assert [point["bytes"] % 8 for point in new] == [0, 0]
    assert [point["max_repetitions"] for point in new] == [100, 50]


@pytest.mark.parametrize("threshold", [4096, 12345, 65537])
def test_a_switch_of_the_protocol_is_narrowed_to_the_byte_twice(threshold: int) -> None:
    def curve(point: dict[str, Any]) -> float:
        waits = bool(point["bytes"] >= threshold)
        if point["operation"] == "delayed_receiver":
            return 100_500.0 if waits else 500.0
        return line(point) + (9000 if waits else 0)

    run = document(pingpongs(DOUBLING), Refinement(find_switches=True))
    assert play(run, curve) <= 8
    for operation in ("pingpong", "delayed_receiver"):
        assert {threshold - 1, threshold} <= set(sizes(run, operation))
    assert {one.purpose for one in run.refinement.added} == {"switch"}


def test_a_run_refines_between_its_launches(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "switch_at=10000")
    asked = ("run", "pingpong", "--bytes", "64:64K", "--launches", "3", "--refine", "mpptest")
    said = groma(*asked, "--refine-min-spacing", "512", "-o", "out")
    assert said.code == 0, said.err
    run = json.loads(Path("out/run.json").read_text())
    added = {run["plan"]["points"][one["index"]]["bytes"] for one in run["refinement"]["added"]}
    assert any(9000 < size < 10_000 for size in added)
    assert any(10_000 <= size < 11_000 for size in added)
    counts = [json.loads(path.read_text())["points"] for path in sorted(Path("out/launches").glob("*/launch.json"))]
    assert counts[0] == 11
    assert counts[1] == counts[2] == 11 + len(added)
    assert sum(counts[3:]) == len(added)
    assert "Added sizes" in said.out


def test_sizes_that_a_failed_launch_left_out_are_measured_before_more_are_added(
    groma: Groma, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("run", "pingpong", "--bytes", "64:256K", "--launches", "2", "--find-switches", "--set", "seed=3")
    monkeypatch.setenv("FAKE_ENGINE", "switch_at=12345")
    assert groma(*asked, "-o", "whole").code == 0
    monkeypatch.setenv("FAKE_ENGINE", "switch_at=12345 die_after=3 in_launch=4")
    assert groma(*asked, "-o", "faulty").code == 1
    whole, faulty = (json.loads(Path(name, "run.json").read_text()) for name in ("whole", "faulty"))
    assert faulty["plan"]["points"] == whole["plan"]["points"]
    assert faulty["refinement"] == whole["refinement"]


def test_a_run_killed_between_two_rounds_goes_on_with_the_next(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "switch_at=12345")
    asked = ("run", "pingpong", "--bytes", "64:256K", "--launches", "2", "--find-switches", "--set", "seed=3")
    assert groma(*asked, "-o", "out").code == 0
    whole = json.loads(Path("out/run.json").read_text())
    killed = json.loads(json.dumps(whole)) | {"state": "interrupted"}
    first_round = json.loads(Path("out/launches/003/plan.json").read_text())["points"]
    kept = 13 + len(first_round)
    killed["plan"]["points"] = killed["plan"]["points"][:kept]
    killed["refinement"]["added"] = [one for one in killed["refinement"]["added"] if one["index"] < kept]
    Path("out/run.json").write_text(json.dumps(killed))
    for folder in Path("out/launches").iterdir():
        if folder.name not in ("001", "003"):
            shutil.rmtree(folder)
    said = groma("run", "--resume", "out")
    assert said.code == 0, said.err
    resumed = json.loads(Path("out/run.json").read_text())
    assert resumed["plan"]["points"] == whole["plan"]["points"]
    assert resumed["refinement"] == whole["refinement"]
    assert "eager up to 12344 B, rendezvous from 12345 B (delayed receiver agrees)" in " ".join(said.out.split())


def test_sizes_are_refined_for_each_rank_count_apart(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "switch_at=10000")
    said = groma("run", "pingpong", "--bytes", "1K:64K", "--launches", "2", "-n", "2,4", "--refine", "log", "-o", "out")
    assert said.code == 0, said.err
    run = json.loads(Path("out/run.json").read_text())
    assert {one["ranks"] for one in run["refinement"]["added"]} == {2, 4}


@refused(
    ("--refine bisect", "use off, mpptest or log"),
    ("--refine mpptest --refine-tolerance 2", "between 0 and 1"),
    ("--refine mpptest --refine-min-spacing few", "not a size"),
    ("--refine mpptest --refine-max-added 0", "at least 1"),
)
def test_wrong_refinements_are_refused(groma: Groma, arguments: str, says: str) -> None:
    groma("run", "pingpong", "-o", "out", *arguments.split()).refuses(says)
    assert not Path("out").exists()


def test_a_plan_asks_for_refinement(groma: Groma) -> None:
    Path("plan.toml").write_text('refine = "mpptets"\n[[points]]\noperation = "pingpong"\n')
    said = groma("run", "plan.toml")
    said.refuses("plan.toml", "did you mean 'mpptest'")
    Path("plan.toml").write_text('refine = "log"\nrefine_max_added = 4\n[[points]]\noperation = "pingpong"\n')
    assert groma("run", "plan.toml", "--launches", "1", "-o", "out").code == 0
    refinement = json.loads(Path("out/run.json").read_text())["refinement"]
    assert (refinement["method"], refinement["max_added"]) == ("log", 4)
