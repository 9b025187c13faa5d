"""Every check of a run, passed and failed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from edited_records import write_records
from synthetic import Scenario, make_run

from groma.analysis import Check, checks, summarise, verdict
from groma.results import load_run

SMALL = Scenario(launches=6, samples=20, operations=("pingpong", "allreduce"), sizes=(1024, 65536), pinned=True)


def checks_of(path: Path) -> dict[str, Check]:
    run = load_run(path)
    return {check.name: check for check in checks(run, summarise(run))}


def made(tmp_path: Path, scenario: Scenario = SMALL) -> Path:
    return make_run(tmp_path / "run", scenario)


def edit_start(path: Path, change: dict[str, Any], launch: str = "*") -> None:
    for records in path.glob(f"launches/{launch}/points.jsonl"):
        first, _, rest = records.read_text().partition("\n")
        records.write_text(json.dumps(json.loads(first) | change) + "\n" + rest)


def edit_node(path: Path, change: dict[str, Any]) -> None:
    for places in path.glob("launches/*/nodes.json"):
        document = json.loads(places.read_text())
        document["nodes"][0] |= change
        places.write_text(json.dumps(document))


def test_a_quiet_bound_complete_run_is_all_good(tmp_path: Path) -> None:
    found = checks_of(made(tmp_path))
    assert {name: check.state for name, check in found.items()} == dict.fromkeys(
        (
            *("ranks", "placement", "oversubscription", "clock", "machine", "noise", "data check", "intervals"),
            "hardware minimum",
            "completeness",
        ),
        "good",
    )
    assert verdict(list(found.values())).state == "good"


@pytest.mark.parametrize(
    ("shared", "state", "said"),
    [(False, "good", "Every thread had a CPU to itself."), (True, "bad", "More threads than CPUs in 1 point (")],
)
def test_threads_that_share_a_cpu_are_named(tmp_path: Path, shared: bool, state: str, said: str) -> None:
    path = made(tmp_path)
    for records in path.glob("launches/*/points.jsonl"):
        lines = [json.loads(line) for line in records.read_text().splitlines()]
        for line in lines:
            if line["kind"] == "point" and line["index"] == 0:
                line["threads"] = {"count": 2, "cpus": ["0,1", "0,1"], "shared": shared}
        write_records(records, lines)
    check = checks_of(path)["threads"]
    assert (check.state, check.text.startswith(said)) == (state, True)


@pytest.mark.parametrize(
    ("kept", "state", "said"),
    [(0.0, "good", "The system's cache held nothing"), (0.5, "warn", "The system kept up to 50% of the file")],
)
def test_a_file_that_stayed_in_the_cache_was_not_cold(tmp_path: Path, kept: float, state: str, said: str) -> None:
    path = made(tmp_path)
    for records in path.glob("launches/*/points.jsonl"):
        lines = [json.loads(line) for line in records.read_text().splitlines()]
        for line in lines:
            if line["kind"] == "point" and line["index"] == 0:
                line["file"] = {"system": "tmpfs", "cached_share": kept}
        write_records(records, lines)
    check = checks_of(path)["files"]
    assert (check.state, check.text.startswith(said)) == (state, True)


@pytest.mark.parametrize(
    ("scenario", "name", "state", "said"),
    [
        (replace(SMALL, pinned=False), "placement", "warn", "free to move between shared CPUs (0-1)"),
        (replace(SMALL, oversubscribed=True), "oversubscription", "bad", "More ranks than CPUs in 6 launches"),
        (replace(SMALL, disturbed=(2,)), "noise", "warn", "in launch 2."),
        (replace(SMALL, disturbed=(2, 3, 4, 5)), "noise", "bad", "in launches 2 to 5."),
        (replace(SMALL, validated=False), "data check", "warn", "not checked in allreduce, pingpong"),
        (replace(SMALL, failed={3: "wrong_data"}), "data check", "bad", "expected 0x2a, found 0x00"),
        (replace(SMALL, launch_effect=0.4), "intervals", "warn", "Typical uncertainty ±"),
        (replace(SMALL, launches=5), "intervals", "warn", "All points have fewer than 6 launches"),
        (replace(SMALL, launches=6, ended_early={1: 2}), "intervals", "warn", "2 of 4 points have fewer than 6"),
        (replace(SMALL, state="interrupted"), "completeness", "warn", "interrupted"),
        (replace(SMALL, ended_early={1: 2}), "completeness", "warn", "Launch 1 ended early after 2 of 4 points"),
        (replace(SMALL, operations=("pingpong", "barrier")), "clock", "good", "measuring overhead at most"),
        (
            replace(SMALL, clocked=True, sizes=(65536,)),
            "global clock",
            "good",
            "error at most 86 ns, error bound 120 ns, up to 0.9% of a figure (allreduce 64 KiB); drift of up to",
        ),
        (
            replace(SMALL, clocked=True),
            "global clock",
            "warn",
            "resynchronised 6 times: more than 10% of the figure in 1 point. Pings cannot detect",
        ),
        (
            replace(SMALL, clocked=True, clocked_sync="barrier", clock_bound_ns=29884),
            "global clock",
            "good",
            "error bound 29884 ns; drift",
        ),
        (
            replace(SMALL, clocked=True, clock_bound_ns=29884, ranks=3, sizes=(8,)),
            "global clock",
            "warn",
            "times a figure (allreduce 8 B)",
        ),
        (replace(SMALL, clocked=True, clock_valid=False), "global clock", "bad", "in 2 points (allreduce 1 KiB, ...)"),
        (replace(SMALL, clocked=True, invalid=1), "start deadlines", "good", "At most 4.8% of a point's repetitions"),
        (replace(SMALL, clocked=True, invalid=2), "start deadlines", "warn", "At most 9.1% of a point's repetitions"),
        (
            replace(SMALL, clocked=True, clocked_sync="barrier", arrival_skew_ns=600, sizes=(8,)),
            "barrier",
            "warn",
            "up to 0.6 µs apart (median) ±0.12 by the global clock, 1",
        ),
        (
            replace(SMALL, clocked=True, clocked_sync="barrier", sizes=(1 << 20,)),
            "barrier",
            "good",
            " of the time measured after it (allreduce 1 MiB).",
        ),
    ],
)
def test_what_is_wrong_fails_its_own_check(
    tmp_path: Path, scenario: Scenario, name: str, state: str, said: str
) -> None:
    check = checks_of(made(tmp_path, scenario))[name]
    assert check.state == state
    assert said in check.text


def edit_points(path: Path, launch: str, index: int, change: dict[str, Any]) -> None:
    records = path / f"launches/{launch}/points.jsonl"
    lines = [json.loads(line) for line in records.read_text().splitlines()]
    changed = [line | change if line["kind"] == "point" and line["index"] == index else line for line in lines]
    write_records(records, changed)


def test_a_point_that_no_launch_measured_is_counted_where_data_are(tmp_path: Path) -> None:
    path = made(tmp_path)
    for number in range(1, 7):
        edit_points(path, f"{number:03}", 3, {"samples_ns": [], "invalid": 15})
    found = checks_of(path)
    assert (found["data check"].state, found["completeness"].state) == ("warn", "warn")
    assert found["data check"].text.endswith("correct in all 3 points that gave a figure; 1 point gave none.")
    assert "Launch 1: allreduce at 64 KiB failed (no samples): none of its 15 repetitions" in found["completeness"].text


def test_one_launch_of_one_point_is_not_called_all(tmp_path: Path) -> None:
    found = checks_of(made(tmp_path, replace(SMALL, launches=1, operations=("pingpong",), sizes=(1024,))))
    assert found["completeness"].text.startswith("The launch completed. ")
    assert found["data check"].text == "Received data were checked and correct in the point."


def test_a_point_that_some_launches_measured_is_there_and_its_gaps_are_named(tmp_path: Path) -> None:
    path = made(tmp_path)
    edit_points(path, "002", 3, {"samples_ns": [], "invalid": 15})
    found = checks_of(path)
    assert found["data check"].state == "good"
    assert "Launch 2: allreduce at 64 KiB" in found["completeness"].text


def test_a_method_that_took_another_s_place_is_named_with_the_cause(tmp_path: Path) -> None:
    path = made(tmp_path, replace(SMALL, clocked=True, clocked_sync="barrier"))
    replaced = {"sync": {"asked": "roundtime", "because": "4 of 4 repetitions missed their starts"}}
    edit_points(path, "002", 2, {"replaced": replaced})
    check = checks_of(path)["method"]
    assert check.state == "warn"
    assert check.text.startswith("1 point could not be measured with sync=roundtime in every launch; sync=barrier")
    assert "(allreduce 1 KiB, launch 2: 4 of 4 repetitions missed their starts)" in check.text


def test_other_ranks_than_asked_for_are_a_fault(tmp_path: Path) -> None:
    path = made(tmp_path)
    edit_start(path, {"ranks": 1}, launch="002")
    check = checks_of(path)["ranks"]
    assert (check.state, check.text) == ("bad", "Launch 2 ran 1 ranks, not 2 as asked.")


def test_ranks_that_the_run_never_asked_for_are_a_fault(tmp_path: Path) -> None:
    path = made(tmp_path)
    document = json.loads((path / "run.json").read_text())
    (path / "run.json").write_text(json.dumps(document | {"rank_counts": [4]}))
    assert checks_of(path)["ranks"].state == "bad"


def test_lost_time_is_noise(tmp_path: Path) -> None:
    path = made(tmp_path)
    noise = {"rank": 1, "lost_share": 0.2, "longest_ns": 4_000_000, "detours": 1, "observed_ns": 20_000_000}
    edit_start(path, {"noise": [noise]})
    check = checks_of(path)["noise"]
    assert check.state == "warn"
    assert check.text.startswith("20.00% of the CPU time observed was lost to interruptions, at most 4 ms at once;")


def test_where_most_time_is_lost_figures_are_not_trustworthy(tmp_path: Path) -> None:
    path = made(tmp_path)
    noise = {"rank": 1, "lost_share": 0.87, "longest_ns": 4_000_000, "detours": 1, "observed_ns": 20_000_000}
    edit_start(path, {"noise": [noise]})
    check = checks_of(path)["noise"]
    assert check.state == "bad"
    assert check.text.endswith("Medians are of interrupted calls.")
    run = load_run(path)
    assert verdict(checks(run, summarise(run))).text.startswith("Not trustworthy")


def test_one_rank_that_loses_its_cpu_is_not_hidden_by_the_others(tmp_path: Path) -> None:
    path = made(tmp_path)
    quiet = [
        {"rank": rank, "lost_share": 0.0, "longest_ns": 1000, "detours": 1, "observed_ns": 20_000_000}
        for rank in range(31)
    ]
    edit_start(path, {"noise": [*quiet, quiet[0] | {"rank": 31, "lost_share": 0.6}]})
    check = checks_of(path)["noise"]
    assert (check.state, "(60% of one rank's)" in check.text) == ("bad", True)


def test_an_interrupted_launch_is_not_a_quiet_one(tmp_path: Path) -> None:
    path = made(tmp_path, replace(SMALL, launches=5, ended_early={3: 2}))
    check = checks_of(path)["noise"]
    assert check.state == "warn"
    assert "; unknown in launch 3 (ended early)" in check.text


def test_interrupted_launches_do_not_dilute_the_disturbed_ones(tmp_path: Path) -> None:
    early = dict.fromkeys((3, 4, 5, 6), 2)
    assert checks_of(made(tmp_path, replace(SMALL, disturbed=(1, 2), ended_early=early)))["noise"].state == "bad"


def test_a_load_that_no_launch_measured_is_not_zero(tmp_path: Path) -> None:
    check = checks_of(made(tmp_path, replace(SMALL, ended_early=dict.fromkeys(range(1, 7), 2))))["noise"]
    assert "0.00 cores" not in check.text
    assert "what other processes took is unknown in launches 1 to 6 (ended early)" in check.text


def test_one_disturbed_observation_of_many_is_no_noise(tmp_path: Path) -> None:
    path = made(tmp_path)
    noise = {"rank": 1, "lost_share": 0.4, "longest_ns": 8_000_000, "detours": 1, "observed_ns": 20_000_000}
    edit_start(path, {"noise": [noise]}, launch="003")
    check = checks_of(path)["noise"]
    assert check.state == "good"
    assert "at most 8 ms at once" in check.text


@pytest.mark.parametrize(
    ("longest_ns", "said"),
    [(450_300, "450 µs"), (999_900, "1000 µs"), (12_300_000, "12 ms"), (123_400_000, "123 ms")],
)
def test_the_longest_stall_is_told_in_a_fitting_unit(tmp_path: Path, longest_ns: int, said: str) -> None:
    path = made(tmp_path)
    noise = {"rank": 1, "lost_share": 0.0, "longest_ns": longest_ns, "detours": 1, "observed_ns": 200_000_000}
    edit_start(path, {"noise": [noise]}, launch="003")
    assert f"at most {said} at once" in checks_of(path)["noise"].text


def test_a_figure_below_the_hardware_minimum_is_named(tmp_path: Path) -> None:
    path = made(tmp_path)
    handed = [{"ranks": [0, 1], "bytes": size, "ns": 900.0, "stream_ns": 1.0} for size in SMALL.sizes]
    assert checks_of(path)["hardware minimum"].state == "good"
    limits = {"line_bounce_ns": 60.0, "two_flags_ns": 141.0, "bounce_ranks": [0, 1], "handoff": handed}
    edit_start(path, {"limits": limits})
    check = checks_of(path)["hardware minimum"]
    assert check.state == "warn"
    assert "faster than it, down to" in check.text
    assert "that of the minimum changes in every call" in check.text


def test_a_figure_that_is_below_the_minimum_within_its_interval_is_no_reservation(tmp_path: Path) -> None:
    path = made(tmp_path, replace(SMALL, operations=("pingpong",), sizes=(1024,)))
    run = load_run(path)
    (summary,) = summarise(run)
    assert summary.interval is not None
    between_ns = (summary.time_ns + summary.interval.high) / 2
    handed = [{"ranks": [0, 1], "bytes": 1024, "ns": between_ns, "stream_ns": 1.0}]
    edit_start(path, {"limits": {"line_bounce_ns": 60.0, "bounce_ranks": [0, 1], "handoff": handed}})
    check = checks_of(path)["hardware minimum"]
    assert check.state == "good"
    assert "1 figure below it, but within their intervals" in check.text


def test_a_machine_that_changes_between_launches_is_named(tmp_path: Path) -> None:
    path = made(tmp_path)
    for launch, way_ns in (("002", 40.0), ("005", 180.0), ("006", 175.0)):
        limits = {"line_bounce_ns": way_ns, "two_flags_ns": 141.0, "bounce_ranks": [0, 1], "handoff": []}
        edit_start(path, {"limits": limits}, launch)
    check = checks_of(path)["machine"]
    assert check.state == "warn"
    assert " ns and 175 to 180 ns; " in check.text
    assert "launches 5, 6 ran in the slow one." in check.text


@pytest.mark.parametrize("launches", [1, 6])
def test_a_machine_whose_limit_is_not_known_is_not_judged(tmp_path: Path, launches: int) -> None:
    path = made(tmp_path, replace(SMALL, launches=launches))
    if launches > 1:
        edit_start(path, {"limits": {"line_bounce_ns": None, "two_flags_ns": None, "bounce_ranks": [], "handoff": []}})
    assert "machine" not in checks_of(path)


@pytest.mark.parametrize(
    ("least_ns", "state", "says"),
    [
        (0.0, "good", "up to"),
        (150.0, "good", "; a path between rank 2, rank 1 and rank 0 takes at least 100 ns longer one way than back"),
        (6000.0, "warn", "4000 ns longer one way than back: a clock synchronised over that path has an error above"),
    ],
)
def test_paths_that_do_not_add_up_to_zero_are_named(tmp_path: Path, least_ns: float, state: str, says: str) -> None:
    path = made(tmp_path, replace(SMALL, clocked=True, sizes=(65536,), ranks=3))
    clock = {"clock": "monotonic", "method": "hca3", "shared_on_host": True, "bound_ns": 96.0, "residual_ns": 60.0}
    cycle = {"ranks": [2, 1, 0], "closure_ns": -1.1 * least_ns, "least_ns": least_ns}
    edit_start(path, {"global_clock": [clock | {"cycle": cycle}]})
    check = checks_of(path)["global clock"]
    assert check.state == state
    assert says in check.text
    assert ("a path between" in check.text) == (least_ns > 0)


def test_a_clock_of_large_steps_is_doubted(tmp_path: Path) -> None:
    path = made(tmp_path)
    edit_start(path, {"clocks": [{"name": "monotonic", "resolution_ns": 1000.0, "read_ns": 20.0}]})
    check = checks_of(path)["clock"]
    assert check.state == "warn"
    assert "of the shortest sample (allreduce 1 KiB)" in check.text


def test_a_harness_that_costs_a_tenth_is_doubted(tmp_path: Path) -> None:
    path = made(tmp_path)
    edit_start(path, {"harness": {"call_ns": 200.0, "block_ns": 0.4}})
    assert checks_of(path)["clock"].state == "warn"


@pytest.mark.parametrize(("name", "change"), [("clock", {"clocks": []}), ("noise", {"noise": []})])
def test_what_was_not_recorded_is_not_known(tmp_path: Path, name: str, change: dict[str, Any]) -> None:
    path = made(tmp_path)
    edit_start(path, change)
    for records in path.glob("launches/*/points.jsonl"):
        records.write_text(records.read_text().replace('"load": [{', '"load": [], "was": [{'))
    assert checks_of(path)[name].state == "unknown"


def test_placement_that_was_not_recorded_is_not_known(tmp_path: Path) -> None:
    path = made(tmp_path)
    for nodes in path.glob("launches/*/nodes.json"):
        nodes.unlink()
    assert checks_of(path)["placement"].state == "unknown"


def test_placement_that_changes_from_launch_to_launch_is_doubted(tmp_path: Path) -> None:
    path = made(tmp_path)
    nodes = path / "launches/004/nodes.json"
    document = json.loads(nodes.read_text())
    document["nodes"].append(document["nodes"][0] | {"name": "node02"})
    nodes.write_text(json.dumps(document))
    assert checks_of(path)["placement"].state == "warn"


def test_a_run_without_any_launch_is_not_to_be_relied_on(tmp_path: Path) -> None:
    run = load_run(made(tmp_path, replace(SMALL, launches=1, never_started=(1,))))
    found = checks(run, [])
    assert [check.state for check in found] == ["bad"]
    assert verdict(found).state == "bad"


@pytest.mark.parametrize(
    ("quota", "state", "said"),
    [
        (0.5, "bad", "grants 0.5 CPUs on node01 to 2 ranks, so the kernel stops ranks until the next period"),
        (1, "bad", "grants 1 CPU on node01 to 2 ranks"),
        (2, "good", "grants 2 CPUs on node01, enough for 2 ranks"),
    ],
)
def test_a_quota_below_the_number_of_ranks_is_bad(tmp_path: Path, quota: float, state: str, said: str) -> None:
    path = made(tmp_path)
    assert "CPU quota" not in checks_of(path)
    edit_node(path, {"cpu_quota": quota})
    check = checks_of(path)["CPU quota"]
    assert check.state == state
    assert said in check.text
