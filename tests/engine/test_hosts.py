"""Between hosts: what a run says of nodes and clocks there, on virtual hosts of this machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import beds
import hosts
import pytest
from engine.preloaded import build

from groma.analysis import checks, summarise
from groma.analysis.clockchecks import WITHOUT_CLOCK
from groma.analysis.minimum import TCP
from groma.analysis.uncertainty import is_range
from groma.report.figures import limit_text
from groma.results import load_run

AFTER_A_BARRIER = ("bcast", "--bytes", "8", "--set", "sync=barrier", "--set", "slot_s=0.05")

pytestmark = [pytest.mark.mpi, pytest.mark.bed("hosts", "embedded")]


def measure(bed: hosts.Hosts, per_host: int, folder: Path, *words: str) -> list[dict[str, Any]]:
    """One launch of `groma run` on every host of the bed; the engine's records."""
    beside = Path(sys.executable).parent
    ranks = per_host * len(bed.names)
    command = [str(beside / "groma"), "run", *words, "-n", str(ranks), "--launches", "1", "-o", str(folder / "run")]
    ended = beds.run(command, environment=dict(os.environ) | bed.environment(beside / "mpiexec", per_host))
    assert ended.exit_code == 0, ended.output + ended.errors
    lines = (folder / "run/launches/001/points.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def test_a_run_over_two_hosts_names_them_and_makes_their_clocks_one(tmp_path: Path) -> None:
    ahead_s = 100
    words = ["allreduce", "--bytes", "8,1K", "--set", "slot_s=0.05"]
    with hosts.virtual_hosts(2, monotonic_s=(0, ahead_s)) as bed:
        start, *points, _ = measure(bed, 2, tmp_path, *words)
    placement = json.loads((tmp_path / "run/launches/001/nodes.json").read_text())
    assert [node["name"] for node in placement["nodes"]] == list(bed.names)
    assert [rank["node"] for rank in placement["ranks"]] == [0, 0, 1, 1]
    assert (start["nodes"], [point["hosts"] for point in points]) == (2, [2, 2])

    (clock,) = start["global_clock"]
    assert clock["shared_on_host"]
    # One counter is behind both hosts, so this is how far it was set ahead, and there is no drift.
    assert abs(clock["offset_ns"] - 1e9 * ahead_s) <= clock["bound_ns"]
    for error in (point["clock_error"] for point in points):
        found_ns = max(error["before_ns"], error["after_ns"])
        assert error["bound_ns"] > found_ns
        assert error["valid"] == (found_ns <= error["limit_ns"]), error
        assert error["limit_ns"] == 1000
    assert any(point["clock_error"]["valid"] for point in points), points


def test_ranks_are_on_the_hosts_that_were_named_and_in_that_order(tmp_path: Path) -> None:
    beside = Path(sys.executable).parent
    command = [str(beside / "groma"), "run", "noop", "--set", "slot_s=0.01", "--launches", "1", "-n", "4"]
    with hosts.virtual_hosts(2) as bed:
        launcher = f"{beside / 'mpiexec'} -launcher ssh -launcher-exec {bed.agent}"
        named = ["--hosts", f"{bed.names[1]},{bed.names[0]}", "--placement", "by-slot,by-node", "--launcher", launcher]
        ended = beds.run([*command, *named, "-o", str(tmp_path / "run")])
    assert ended.exit_code == 0, ended.output + ended.errors
    for launch, expected in (("001", [1, 1, 0, 0]), ("002", [1, 0, 1, 0])):
        placement = json.loads((tmp_path / "run/launches" / launch / "nodes.json").read_text())
        names = [placement["nodes"][rank["node"]]["name"] for rank in placement["ranks"]]
        assert names == [bed.names[host] for host in expected]
        assert json.loads((tmp_path / "run/launches" / launch / "launch.json").read_text())["misplaced"] == ""


@pytest.mark.slow
def test_a_list_of_cpus_is_one_for_each_host(tmp_path: Path) -> None:
    first, last = (sorted(os.sched_getaffinity(0))[place] for place in (0, -1))
    words = ["barrier", "--set", "sync=barrier", "--set", "slot_s=0.01", "--set", f"cpus={last},{first}"]
    with hosts.virtual_hosts(2) as bed:
        measure(bed, 2, tmp_path, *words)
    placement = json.loads((tmp_path / "run/launches/001/nodes.json").read_text())
    assert [rank["allowed_cpus"] for rank in placement["ranks"]] == [str(last), str(first)] * 2


def test_between_hosts_figures_are_set_against_tcp(tmp_path: Path) -> None:
    with hosts.virtual_hosts(2) as bed:
        start, *_ = measure(bed, 1, tmp_path, "pingpong", "--bytes", "8,64K,1M", "--set", "slot_s=0.01")
    limits = start["limits"]
    assert limits["handoff"] == []
    sizes, rows = (8, 65536, 1 << 20), limits["tcp"]["rows"]
    assert [(row["ranks"], row["bytes"]) for row in rows] == [([0, 1], size) for size in sizes[: len(rows)]]
    assert [note["note"] for note in limits["tcp"]["notes"]] == [
        f"sizes from {size} bytes on take too long" for size in sizes[len(rows) :][:1]
    ]
    assert all(0 < row["stream_ns"] <= row["ns"] for row in rows)
    summaries = summarise(load_run(tmp_path / "run"))
    assert [summary.limit for summary in summaries] == [None] * 3
    assert [summary.yardstick is not None for summary in summaries] == [bool(rows)] * 3
    told = [summary for summary in summaries if not is_range(summary.interval)]  # a range is no multiple
    assert [f" {TCP} (" in limit_text(summary) for summary in told] == [bool(rows)] * len(told)


@pytest.mark.slow
def test_hosts_that_cannot_connect_have_a_note(embedded: beds.Library, tmp_path: Path) -> None:
    planted = f"LD_PRELOAD={build(embedded, 'deaf', tmp_path)}"
    words = ["pingpong", "--bytes", "8", "--set", "slot_s=0.01", "--variant", f"deaf:{planted}"]
    with hosts.virtual_hosts(2) as bed:
        start, *_ = measure(bed, 1, tmp_path, *words)
    assert start["limits"]["tcp"] == {
        "rows": [],
        "notes": [{"ranks": [0, 1], "note": "no TCP connection within a second"}],
    }
    (summary,) = summarise(load_run(tmp_path / "run"))
    assert limit_text(summary) == ""


@pytest.mark.slow
def test_a_clock_that_is_allowed_nothing_is_marked(tmp_path: Path) -> None:
    strict = ["barrier", "--set", "slot_s=0.01", "--set", "max_clock_error_us=0.001"]
    with hosts.virtual_hosts(2) as bed:
        _, point, _ = measure(bed, 1, tmp_path, *strict)
    assert point["clock_error"]["limit_ns"] == 1
    assert not point["clock_error"]["valid"], "nanoseconds are beyond pings over a network"


def late_sends(library: beds.Library, folder: Path, delay_ns: int) -> str:
    """Return the variables of a variant in which rank 1 sends later by this."""
    return f"LD_PRELOAD={build(library, 'apart', folder)},GROMA_SLOW_SENDER=1,GROMA_SEND_NS={delay_ns}"


@pytest.mark.slow
def test_a_path_that_is_longer_one_way_is_within_the_share_of_the_clock(embedded: beds.Library, tmp_path: Path) -> None:
    """Rank 1's pings leave late: the clock is off by half of that, and only a figure that rests on it is in doubt."""
    delay_ns = 1_000_000
    planted = late_sends(embedded, tmp_path, delay_ns)
    words = [*AFTER_A_BARRIER, "--set", "reduce=span,max"]
    with hosts.virtual_hosts(2) as bed:
        measure(bed, 1, tmp_path, *words, "--set", "clock_sync=offset_only", "--variant", f"planted:{planted}")
    run = load_run(tmp_path / "run")
    summaries = summarise(run)
    by = {summary.point["reduce"]: summary for summary in summaries}
    (error,) = [launch.record.clock_error for launch in by["span"].launches]
    assert error is not None
    assert error.bound_ns >= 0.45 * delay_ns
    assert (by["span"].value("clock_share") or 0) > 0.45 * delay_ns / by["span"].sample_ns
    assert by["max"].value("clock_share") is None
    check = next(check for check in checks(run, summaries) if check.name == "global clock")
    kept = not any((each.rows["clock_valid"] == 0).any() for each in summaries)
    assert check.state == ("warn" if kept else "bad")
    assert not kept or WITHOUT_CLOCK in check.text


@pytest.mark.slow
def test_a_path_that_is_longer_one_way_is_seen_around_three_hosts(embedded: beds.Library, tmp_path: Path) -> None:
    """Host 1's pings to host 0 leave late. If all its pings were late, that would look like another offset."""
    delay_ns = 2_000_000
    planted = late_sends(embedded, tmp_path, delay_ns)
    with hosts.virtual_hosts(3) as bed:
        for name, only_to in (("one", ",GROMA_SLOW_TO=0"), ("all", "")):
            (tmp_path / name).mkdir()
            words = [*AFTER_A_BARRIER, "--set", "reduce=span", "--variant", f"planted:{planted}{only_to}"]
            start, *_ = measure(bed, 1, tmp_path / name, *words)
            cycle = start["global_clock"][0]["cycle"]
            assert sorted(cycle["ranks"]) == [0, 1, 2]
            assert (cycle["least_ns"] > delay_ns / 4) == (name == "one"), cycle
            if name == "one":
                assert abs(cycle["closure_ns"]) == pytest.approx(delay_ns / 2, rel=0.3)
    run = load_run(tmp_path / "one/run")
    summaries = summarise(run)
    check = next(check for check in checks(run, summaries) if check.name == "global clock")
    assert "a path between" in check.text
    assert all(name in check.text for name in bed.names)


@pytest.mark.slow
def test_every_launch_measures_the_pair_that_the_first_one_found(tmp_path: Path) -> None:
    beside = Path(sys.executable).parent
    point = ["pingpong", "--bytes", "8,64K", "--set", "pattern=farthest", "--set", "slot_s=0.01", "-n", "3"]
    with hosts.virtual_hosts(3) as bed:
        environment = dict(os.environ) | bed.environment(beside / "mpiexec", 1)
        command = [str(beside / "groma"), "run", *point, "--launches", "3", "-o", str(tmp_path / "run")]
        ended = beds.run(command, environment=environment)
        assert ended.exit_code == 0, ended.output + ended.errors
    launches = load_run(tmp_path / "run").launches
    searches = [launch.start.searches for launch in launches if launch.start]
    assert [[(one.bytes, one.given) for one in found] for found in searches] == [
        [(8, number > 0), (65536, number > 0)] for number in range(3)
    ]
    pairs = [{record.point["bytes"]: record.members for record in launch.points} for launch in launches]
    assert pairs == [pairs[0]] * 3
    assert pairs[0] == {bytes_: one.slowest[0].ranks for bytes_, one in zip((8, 65536), searches[0], strict=True)}


def test_hosts_are_apart_and_their_clocks_as_asked() -> None:
    with hosts.virtual_hosts(2, monotonic_s=(0, 3600)) as bed:
        assert [bed.run(host, "hostname").strip() for host in (0, 1)] == list(bed.names)
        bed.run(0, "touch /dev/shm/mine")
        assert bed.run(1, "ls /dev/shm") == ""
        monotonic = "import time; print(time.clock_gettime(time.CLOCK_MONOTONIC))"
        early, late = (float(bed.run(host, f"{sys.executable} -c '{monotonic}'")) for host in (0, 1))
    assert 3600 <= late - early <= 3600 + beds.HANG_S


@pytest.mark.slow
def test_a_killed_maker_leaves_no_host_behind() -> None:
    script = "cat $(echo $GROMA_MPIEXEC | grep -o '/[^ ]*/agent' | xargs dirname)/groma0; exec sleep 600"
    words = [sys.executable, hosts.__file__, "2", "--", "sh", "-c", script]
    maker = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert maker.stdout is not None
    host = int(maker.stdout.readline().split()[0].removeprefix("process="))
    assert Path(f"/proc/{host}").exists()
    os.kill(maker.pid, signal.SIGKILL)
    maker.wait()
    deadline = time.monotonic() + beds.HANG_S
    while Path(f"/proc/{host}").exists():
        assert time.monotonic() < deadline, "the host outlives its maker"
        time.sleep(0.01)
    os.killpg(maker.pid, signal.SIGKILL)  # the command, which was to outlive it here
    maker.communicate()
    with hosts.virtual_hosts(2) as bed:  # the bridge that was left is in nobody's way
        assert bed.run(1, "hostname").strip() == bed.names[1]


@pytest.mark.slow
def test_a_rank_that_hangs_on_another_host_is_named(tmp_path: Path) -> None:
    fault = build(beds.libraries()["embedded"], "fault", tmp_path)
    hang = f"LD_PRELOAD={fault},GROMA_FAULT=hang,GROMA_FAULT_CALL=MPI_Bcast,GROMA_FAULT_RANK=1,GROMA_FAULT_BYTES=1016"
    beside = Path(sys.executable).parent
    words = ["bcast", "--bytes", "1016", "-n", "2", "--launches", "1", "--set", "limit_s=4", "--set", "sync=barrier"]
    command = [str(beside / "groma"), "run", *words, "--variant", f"hang:{hang}", "-o", str(tmp_path / "run")]
    with hosts.virtual_hosts(2) as bed:
        ended = beds.run(command, environment=dict(os.environ) | bed.environment(beside / "mpiexec", 1))
    assert ended.exit_code == 1, ended.output + ended.errors
    run = load_run(tmp_path / "run")
    (launch,) = run.launches
    assert launch.meta is not None
    stderr = (launch.path / "stderr").read_text()
    assert launch.meta.not_arrived == [1], stderr
    assert [failure.reason for failure in launch.failures] == ["timeout"]
    assert any("bcast at 1016 B failed on rank 1 (timeout)" in sentence for sentence in run.missing()), run.missing()
