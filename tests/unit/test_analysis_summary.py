"""Launches are put together into figures: with known truth, planted disturbances and too few launches."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from edited_records import write_records
from planted_points import planted
from synthetic import Scenario, make_run, truth_ns

from groma.analysis import PointSummary, common_settings, headlines, series, summarise
from groma.analysis.otherruns import other_runs_of
from groma.report.figures import figure, figures_of, limit_text
from groma.report.tables import columns
from groma.results import Run, load_run
from groma.text.numbers import significant

Edit = Callable[[int, dict[str, Any]], list[dict[str, Any]]]
SMALL = Scenario(launches=10, samples=60, sizes=(8, 64, 4096, 1048576))


def run_of(path: Path, scenario: Scenario = SMALL) -> Run:
    return load_run(make_run(path / "run", scenario))


def of(summaries: list[PointSummary], operation: str, size: int | None = None) -> PointSummary:
    return next(one for one in summaries if one.operation == operation and one.bytes == size)


def edit_points(path: Path, edit: Edit) -> None:
    """Change every point record of a run directory by `edit(launch number, record)`, which may return several."""
    for records in path.glob("launches/*/points.jsonl"):
        lines: list[dict[str, Any]] = []
        for record in map(json.loads, records.read_text().splitlines()):
            lines += edit(int(records.parent.name), record) if record["kind"] == "point" else [record]
        write_records(records, lines)


def test_every_point_has_one_figure_in_the_order_of_the_plan(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    planned = [(point["operation"], point.get("bytes")) for point in run.meta.plan.points]
    assert [(one.operation, one.bytes) for one in summarise(run)] == planned


def test_figures_and_intervals_are_near_the_truth(tmp_path: Path) -> None:
    summaries = summarise(run_of(tmp_path))
    for summary in summaries:
        true_ns = truth_ns(summary.operation, summary.bytes or 0) / summary.launches[0].divisor
        assert summary.time_ns == pytest.approx(true_ns, rel=0.03)
        assert summary.interval_kind == "launches"
    covered = [
        truth_ns(one.operation, one.bytes or 0) / one.launches[0].divisor in one.interval
        for one in summaries
        if one.interval is not None
    ]
    assert np.mean(covered) > 0.7  # the points of one operation share their launch effects: few independent draws


def test_the_figure_is_the_median_of_launch_medians_and_its_interval_theirs(tmp_path: Path) -> None:
    summary = of(summarise(run_of(tmp_path)), "pingpong", 8)
    medians = np.sort([np.median(launch.times_ns) for launch in summary.launches])
    assert summary.time_ns == np.median(medians)
    assert summary.interval is not None
    assert medians[1] < summary.interval.low < medians[2]
    assert medians[7] < summary.interval.high < medians[8]


def test_spreads_within_and_between_launches_are_told_apart(tmp_path: Path) -> None:
    quiet_within = summarise(
        run_of(tmp_path / "a", replace(SMALL, jitter=0.001, launch_effect=0.1, drift=0, outliers=0))
    )
    quiet_between = summarise(
        run_of(tmp_path / "b", replace(SMALL, jitter=0.1, launch_effect=0.0001, drift=0, outliers=0))
    )
    for summaries, within_is_larger in ((quiet_within, False), (quiet_between, True)):
        summary = of(summaries, "alltoall", 1048576)
        within, across = summary.value("spread_within"), summary.value("spread_across")
        assert within is not None
        assert across is not None
        assert (within > 3 * across) == within_is_larger


def test_a_disturbed_launch_is_flagged_and_kept(tmp_path: Path) -> None:
    summary = of(summarise(run_of(tmp_path, replace(SMALL, disturbed=(4,)))), "pingpong", 8)
    assert summary.disturbed == (4,)
    assert len(summary.launches) == 10


@pytest.mark.parametrize(("launches", "kind"), [(1, "samples"), (2, "range"), (5, "range"), (6, "launches")])
def test_few_launches_never_pass_for_an_interval(tmp_path: Path, launches: int, kind: str) -> None:
    summary = of(summarise(run_of(tmp_path, replace(SMALL, launches=launches))), "barrier")
    assert summary.interval_kind == kind
    assert summary.sampling_interval is not None
    if kind == "range":
        medians = summary.launch_times_ns
        assert (summary.sampling_interval.low, summary.sampling_interval.high) == (medians.min(), medians.max())


def test_one_launch_of_few_samples_has_no_interval(tmp_path: Path) -> None:
    summary = of(summarise(run_of(tmp_path, replace(SMALL, launches=1, samples=4))), "barrier")
    assert (summary.interval, summary.interval_kind) == (None, "none")


def test_bandwidth_and_message_rate_follow_from_the_time(tmp_path: Path) -> None:
    summary = of(summarise(run_of(tmp_path)), "stream", 4096)
    assert summary.bandwidth_mb_s == pytest.approx(64 * 4096 * 1000 / summary.time_ns)
    assert summary.messages_per_s == pytest.approx(64e9 / summary.time_ns)
    bandwidth, time = summary.rate_interval("bandwidth_mb_s"), summary.interval
    assert bandwidth is not None
    assert time is not None
    assert bandwidth.low == pytest.approx(64 * 4096 * 1000 / time.high)
    assert bandwidth.high == pytest.approx(64 * 4096 * 1000 / time.low)


def test_the_first_call_is_told_apart(tmp_path: Path) -> None:
    assert of(summarise(run_of(tmp_path)), "pingpong", 8).value("first_call_ratio") == pytest.approx(25, rel=0.1)


def test_figures_are_measured_against_the_same_bytes_from_core_to_core(tmp_path: Path) -> None:
    summaries = summarise(run_of(tmp_path))
    small, large = of(summaries, "pingpong", 8).limit, of(summaries, "pingpong", 1048576).limit
    assert small is not None
    assert large is not None
    assert small.multiple == pytest.approx(280.9 / 64.2, rel=0.05)
    assert large.multiple == pytest.approx((900 + 1048576 / 14) / (64 + 1048576 / 38), rel=0.05)
    stream = of(summaries, "stream", 1048576).limit
    assert stream is not None
    assert stream.multiple == pytest.approx(38 / 11, rel=0.05)


def test_one_disturbed_reading_of_the_minimum_does_not_count(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", SMALL)
    before = of(summarise(load_run(path)), "pingpong", 8).limit
    edit_start(path / "launches/002/points.jsonl", lambda limits: [row | {"ns": 9e6} for row in limits])
    assert of(summarise(load_run(path)), "pingpong", 8).limit == before


def test_algorithm_and_bus_bandwidth_are_those_of_nccls_tests(tmp_path: Path) -> None:
    summaries = summarise(run_of(tmp_path, replace(SMALL, ranks=4)))
    for operation, size, factor in (("allreduce", 4096, 1.5), ("alltoall", 4 * 4096, 0.75), ("bcast", 4096, 1.0)):
        summary = of(summaries, operation, 4096)
        assert summary.value("algorithm_bandwidth_mb_s") == pytest.approx(size * 1000 / summary.time_ns)
        assert summary.value("bus_bandwidth_mb_s") == pytest.approx(factor * size * 1000 / summary.time_ns)
    assert of(summaries, "pingpong", 4096).value("bus_bandwidth_mb_s") is None


def test_ranks_on_several_hosts_have_no_shared_memory_limit(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", SMALL)
    edit_points(path, lambda _, record: [record | {"hosts": 2}])
    assert all(summary.limit is None for summary in summarise(load_run(path)))


def test_ranks_on_several_hosts_have_tcp_as_a_yardstick(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", replace(SMALL, operations=("pingpong", "barrier")))
    edit_points(path, lambda _, record: [record | {"hosts": 2}])
    for number, records in enumerate(sorted(path.glob("launches/*/points.jsonl"))):
        start, *rest = records.read_text().splitlines()
        record = json.loads(start)
        rows = [{"ranks": [0, 1], "bytes": size, "ns": 9e4 + number, "stream_ns": 9e4} for size in SMALL.sizes]
        record["limits"]["tcp"] = {"rows": rows, "notes": []}
        records.write_text("\n".join([json.dumps(record), *rest]) + "\n")
    summaries = summarise(load_run(path))
    pingpong, barrier = of(summaries, "pingpong", 8), of(summaries, "barrier")
    assert pingpong.yardstick is not None
    assert pingpong.yardstick.ns == 9e4
    assert pingpong.yardstick.multiple == pytest.approx(pingpong.time_ns / 9e4)
    assert barrier.yardstick is None
    assert "x TCP" in columns(series([pingpong])[0])
    assert "TCP between the hosts (90 µs)" in limit_text(pingpong)


def test_a_figure_is_compared_with_the_minimum_of_its_own_state(tmp_path: Path) -> None:
    """Two of three launches began where a cache line took 35 ns; all points were measured where it took 200."""
    path = make_run(tmp_path / "run", replace(SMALL, launches=3, operations=("pingpong", "message_rate")))
    edit_points(path, lambda _, record: [record | {"line_ns": [200, 210]}])
    for launch, (line_ns, handed_ns) in {"001": (35.0, 30.0), "002": (35.0, 30.0), "003": (205.0, 150.0)}.items():
        records = path / f"launches/{launch}/points.jsonl"
        start, *rest = records.read_text().splitlines()
        record = json.loads(start)
        rows = [{"ranks": [0, 1], "bytes": size, "ns": handed_ns, "stream_ns": handed_ns} for size in SMALL.sizes]
        record["limits"] |= {"line_bounce_ns": line_ns, "handoff": rows}
        records.write_text("\n".join([json.dumps(record), *rest]) + "\n")
    summaries = summarise(load_run(path))
    point, rate = of(summaries, "pingpong", 8), of(summaries, "message_rate", 8)
    assert point.limit is not None
    assert point.limit.ns == 150.0
    assert point.limit.multiple == pytest.approx(point.launch_times_ns[2] / 150)
    assert rate.limit is not None
    assert rate.messages_per_s is not None
    most = significant(64 / 150e-9 / 64 / 1e6, 2)
    assert limit_text(rate, "message rate").endswith(f"% of the core-to-core maximum ({most} million/s)")
    (path / "launches/003/points.jsonl").write_text((path / "launches/002/points.jsonl").read_text())
    without = of(summarise(load_run(path)), "pingpong", 8)
    assert without.limit is None
    assert limit_text(without) == "no core-to-core minimum in this state of the machine"


def test_where_no_two_ranks_run_at_once_there_is_no_limit(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", SMALL)
    for records in path.glob("launches/*/points.jsonl"):
        edit_start(records, lambda _: [])
    assert all(summary.limit is None for summary in summarise(load_run(path)))


def edit_start(records: Path, change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> None:
    """Change what a launch handed from core to core; without rows, a cache line's way is not known either."""
    start, *rest = records.read_text().splitlines()
    record = json.loads(start)
    record["limits"]["handoff"] = change(record["limits"]["handoff"])
    if not record["limits"]["handoff"]:
        record["limits"] |= {"line_bounce_ns": None, "two_flags_ns": None, "bounce_ranks": []}
    records.write_text("\n".join([json.dumps(record), *rest]) + "\n")


def test_a_budget_that_changes_the_effort_does_not_split_a_point(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", SMALL)
    edit_points(path, lambda launch, record: [record | {"point": record["point"] | {"slot_s": launch / 10}}])
    assert len(summarise(load_run(path))) == len(SMALL.operations[:6]) * 4 - 2 + 1


def test_points_that_were_asked_for_with_different_efforts_stay_apart(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", replace(SMALL, operations=("barrier",)))

    def twice(_: int, record: dict[str, Any]) -> list[dict[str, Any]]:
        return [
            record | {"index": index, "point": record["point"] | {"stop": stop}}
            for index, stop in enumerate(("ci", "reps"))
        ]

    edit_points(path, twice)
    summaries = summarise(load_run(path))
    assert [summary.point["stop"] for summary in summaries] == ["ci", "reps"]
    assert [len(summary.launches) for summary in summaries] == [10, 10]


def test_a_field_that_does_not_matter_to_the_operation_does_not_split_it(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", replace(SMALL, operations=("barrier",)))
    edit_points(path, lambda launch, record: [record | {"point": record["point"] | {"bytes": launch}}])
    (summary,) = summarise(load_run(path))
    assert summary.bytes is None


def test_curves_are_named_by_what_tells_them_apart(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", replace(SMALL, operations=("allreduce", "barrier")))

    def with_and_without_sync(_: int, record: dict[str, Any]) -> list[dict[str, Any]]:
        return [
            record | {"index": 10 * index + record["index"], "point": record["point"] | {"sync": sync}}
            for index, sync in enumerate(("dissemination", "none"))
        ]

    edit_points(path, with_and_without_sync)
    curves = series(summarise(load_run(path)))
    assert [curve.label for curve in curves] == [
        "allreduce · sync=dissemination",
        "barrier · sync=dissemination",
        "allreduce · sync=none",
        "barrier · sync=none",
    ]
    assert [point.bytes for point in curves[0].points] == [8, 64, 4096, 1048576]


def test_settings_are_those_in_which_all_points_agree_and_that_matter(tmp_path: Path) -> None:
    curves = series(summarise(run_of(tmp_path, replace(SMALL, operations=("allreduce", "barrier")))))
    settings = common_settings(curves[:1])
    assert settings["sync"] == "dissemination"
    assert settings["datatype"] == "byte"
    assert not {"operation", "bytes"} & set(settings)
    assert "datatype" not in common_settings(curves[1:])


def test_the_six_headline_figures_of_a_quick_run(tmp_path: Path) -> None:
    found = [(one.title, one.summary.operation, one.quantity) for one in headlines(summarise(run_of(tmp_path)))]
    assert found == [
        ("Latency", "pingpong", "time"),
        ("Peak bandwidth", "pingpong", "bandwidth"),
        ("Message rate", "message_rate", "message rate"),
        ("Allreduce", "allreduce", "time"),
        ("Bcast", "bcast", "time"),
        ("Barrier", "barrier", "time"),
    ]


def test_the_launch_without_idle_ranks_speaks_and_others_say_of_how_many_ranks_they_are(tmp_path: Path) -> None:
    run = run_of(tmp_path, replace(SMALL, operations=("pingpong", "allreduce"), sizes=(8,)))
    points, others = summarise(run), other_runs_of(run)
    crowded = [
        planted(point, ranks=4, member_count=2 if point.operation == "pingpong" else 4, time_ns=9 * point.time_ns)
        for point in points
    ]
    latency, allreduce = headlines([*crowded, *points])
    assert (latency.summary, allreduce.summary) == (points[0], crowded[1])
    assert [figure(one).ranks for one in (latency, allreduce)] == ["2 ranks", "4 ranks"]
    assert [one.place() for one in figures_of(crowded, others)] == ["pingpong 8 B, 2 of 4 ranks", "8 B, 4 ranks"]
    assert [one.place() for one in figures_of(points, others)] == ["pingpong 8 B", "8 B"]
    all_four = [planted(point, ranks=4, member_count=4) for point in points]
    assert [one.place() for one in figures_of([*points, *all_four], others)] == [
        "pingpong 8 B, 4 ranks",
        "8 B, 4 ranks",
    ]


def test_headline_figures_make_do_with_what_there_is(tmp_path: Path) -> None:
    only = headlines(summarise(run_of(tmp_path, replace(SMALL, operations=("alltoall",), sizes=(1024, 65536)))))
    assert [(one.title, one.summary.bytes) for one in only] == [("Alltoall", 1024)]
    assert headlines([]) == []


def test_nothing_measured_is_no_figure(tmp_path: Path) -> None:
    assert summarise(run_of(tmp_path, replace(SMALL, launches=1, ended_early={1: 0}))) == []
