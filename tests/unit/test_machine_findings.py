"""From the kernel's files to states and sentences."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from fakes import Groma

from groma.launch.cores import Cores
from groma.machine import facts as facts_module
from groma.machine.facts import Facts, read_facts
from groma.machine.findings import host_findings, meanings
from groma.machine.probe import Probe
from groma.results.documents import Nodes
from groma.results.records import Start

QUIET = Facts(
    cores=Cores(cpus=4, cores=4), smt=False, governors=("performance",), clock_source="tsc", virtual_machine=False,
    cpu_quota=None, busy_cores=0.02, available_bytes=8 << 30, shared_memory_bytes=1 << 30,
)  # fmt: skip


def states(facts: Facts, ranks: int = 2) -> dict[str, str]:
    return {finding.name: finding.state for finding in host_findings(facts, ranks)}


def with_(**values: object) -> Facts:
    return replace(QUIET, **values)  # type: ignore[arg-type]


def test_a_quiet_machine_is_all_good() -> None:
    assert set(states(QUIET).values()) == {"good"}


@pytest.mark.parametrize(
    ("facts", "ranks", "name", "state"),
    [
        (with_(cores=Cores(cpus=4, cores=2)), 3, "cores", "warn"),
        (with_(cores=Cores(cpus=2, cores=2)), 3, "cores", "bad"),
        (with_(cpu_quota=1.5), 2, "cores", "bad"),
        (with_(cpu_quota=2.0), 2, "cores", "good"),
        (with_(smt=None), 2, "SMT", "unknown"),
        (with_(smt=True), 2, "SMT", "good"),
        (with_(governors=("powersave", "performance")), 2, "governor", "warn"),
        (with_(governors=()), 2, "governor", "unknown"),
        (with_(clock_source="acpi_pm"), 2, "clock source", "warn"),
        (with_(clock_source="kvm-clock"), 2, "clock source", "good"),
        (with_(clock_source=""), 2, "clock source", "unknown"),
        (with_(virtual_machine=True), 2, "virtual machine", "warn"),
        (with_(busy_cores=2.5), 2, "load", "warn"),
        (with_(busy_cores=1.0), 2, "load", "good"),
        (with_(busy_cores=None), 2, "load", "unknown"),
        (with_(available_bytes=None), 2, "memory", "unknown"),
        (with_(shared_memory_bytes=16 << 20), 2, "shared memory", "warn"),
        (with_(shared_memory_bytes=None), 2, "shared memory", "warn"),
    ],
)
def test_each_property_has_its_state(facts: Facts, ranks: int, name: str, state: str) -> None:
    assert states(facts, ranks)[name] == state


def test_every_meaning_is_one_sentence() -> None:
    for found in meanings().values():
        for _, text in found.values():
            assert text.endswith(".")
            assert text.count(". ") == 0


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def test_facts_are_read_from_proc_and_sys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "proc/cpuinfo", "processor : 0\nflags\t\t: fpu hypervisor sse\n")
    write(tmp_path, "proc/meminfo", "MemTotal: 100 kB\nMemAvailable:   2048 kB\n")
    write(
        tmp_path,
        "proc/stat",
        "cpu 9 9\ncpu0 10 0 10 80 0 0 0 0 0 0\ncpu1 50 0 0 50 0 0 0 0 0 0\ncpu2 7 0 0 7 0 0 0 0\n",
    )
    write(tmp_path, "sys/devices/system/cpu/smt/active", "1\n")
    write(tmp_path, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n")
    write(tmp_path, "sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n")
    write(tmp_path, "sys/fs/cgroup/cpu.max", "150000 100000\n")

    def while_watching(_seconds: float) -> None:
        write(
            tmp_path, "proc/stat", "cpu0 60 0 10 80 0 0 0 50 0 0\ncpu1 50 0 0 100 0 0 0 0 0 0\ncpu2 9 0 0 9 0 0 0 0\n"
        )

    monkeypatch.setattr(time, "sleep", while_watching)
    facts = read_facts(tmp_path, {0, 1})
    assert (facts.virtual_machine, facts.smt, facts.governors) == (True, True, ("powersave",))
    assert (facts.clock_source, facts.cpu_quota, facts.available_bytes) == ("hpet", 1.5, 2048 * 1024)
    assert facts.busy_cores == pytest.approx(2 * 100 / 150)


def test_a_host_that_says_nothing_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts_module, "WATCH_S", 0.0)
    facts = read_facts(tmp_path, {0})
    assert (facts.smt, facts.governors, facts.clock_source) == (None, (), "")
    assert (facts.busy_cores, facts.available_bytes, facts.shared_memory_bytes, facts.cpu_quota) == (None,) * 4
    assert {finding.state for finding in host_findings(facts, 1)} <= {"good", "unknown", "warn"}


def test_a_quota_of_the_older_kind_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts_module, "WATCH_S", 0.0)
    write(tmp_path, "sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n")
    write(tmp_path, "sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n")
    assert read_facts(tmp_path, {0}).cpu_quota == 0.5
    write(tmp_path, "sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n")
    assert read_facts(tmp_path, {0}).cpu_quota is None


def probed(ranks: list[dict[str, object]], **start: object) -> dict[str, str]:
    record = {"schema": 1, "engine": "", "ranks": len(ranks), "nodes": 1, "points": 1}
    record |= {"library": {"name": "M", "version": "1"}} | start
    hosts = [{"name": f"host{node}", "ranks": 1} for node in {rank["node"] for rank in ranks}]
    nodes = {"schema": 1, "nodes": hosts, "ranks": ranks}
    seen = Probe(msgspec.convert(record | {"kind": "start"}, Start), msgspec.convert(nodes, Nodes))
    return {check.name: check.state for check in seen.findings()}


def test_placement_is_judged_by_what_was_measured() -> None:
    bound: list[dict[str, object]] = [
        {"rank": r, "node": 0, "cpu": r, "allowed_cpus": f"{r},{r + 4}"} for r in range(2)
    ]
    loose: list[dict[str, object]] = [{"rank": r, "node": 0, "cpu": r, "allowed_cpus": "0-1"} for r in range(2)]
    apart: list[dict[str, object]] = [{"rank": r, "node": r, "cpu": 0, "allowed_cpus": "0"} for r in range(2)]
    assert probed(bound)["placement"] == "good"
    assert probed(loose)["placement"] == "warn"
    assert probed(apart)["placement"] == "good"
    assert probed([])["placement"] == "unknown"


def test_findings_of_a_launch_have_states() -> None:
    slow = [{"name": "monotonic", "read_ns": 900.0, "resolution_ns": 1.0}]
    noise = [{"rank": 0, "lost_share": 0.2, "longest_ns": 4_000_000, "detours": 3, "observed_ns": 20_000_000}]
    seen = probed([], clocks=slow, noise=noise, oversubscribed=True)
    assert (seen["clock"], seen["noise"], seen["ranks"]) == ("warn", "warn", "bad")
    assert probed([])["noise"] == "unknown"


def test_check_explains_the_machine(groma: Groma) -> None:
    said = groma("check")
    assert said.code == 0
    for word in ("libraries", "launcher", "cores", "governor", "SMT", "clock source", "noise", "placement", "memory"):
        assert word in said.out
    assert "This machine can measure" in said.err


def test_check_fails_only_where_nothing_can_be_measured(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "refuse=1")
    said = groma("check")
    assert said.code == 1
    assert "MPI does not start 2 ranks here: the plan does not fit" in said.err
    monkeypatch.setenv("GROMA_ENGINE", "/nowhere")
    said = groma("check")
    assert said.code == 1
    assert "cores" in said.out
    assert "GROMA_ENGINE names /nowhere" in said.err
