"""The steps of a placement ladder on made machines: which there are, on which CPUs and hosts, and why not others."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from cpu_trees import Machine, cpu_tree
from fakes.libraries import program

from groma.machine.facts import cpu_places
from groma.plan.hosts import NO_HOSTS, Host, Hosts
from groma.programs.ladder.offered import offered, remote_steps, switch_levels
from groma.programs.ladder.steps import WITHIN

TWO_SOCKETS = Machine(cores=64, sockets=2, numa_nodes=2, caches=8, threads=2)
NPS4 = Machine(cores=64, sockets=2, numa_nodes=8, caches=16, threads=2)
SUB_NUMA = Machine(cores=32, sockets=2, numa_nodes=4, cache_of_socket=True)
DESKTOP = Machine(cores=8, threads=2)
SILENT = Machine(cores=2, silent=("topology", "cache", "node/"))
ONE_CACHE_A_CORE = Machine(cores=4, sockets=2, caches=4)


def steps_on(root: Path, machine: Machine, allowed: set[int] | None = None) -> tuple[dict[str, str], dict[str, str]]:
    """Return the CPUs of every step of a made machine, and why it lacks others."""
    every = set(range(machine.cores * machine.threads))
    found = offered(NO_HOSTS, cpu_tree(root, machine), every if allowed is None else allowed)
    within = {step: reason for step, reason in found.lacking.items() if step in WITHIN}
    return {variant.name: variant.placement for variant in found.variants}, within


@pytest.mark.parametrize(
    ("machine", "steps"),
    [
        (TWO_SOCKETS, {"same-core": "0+64", "same-cache": "0+1", "same-numa-node": "0+8", "same-node": "0+32"}),
        (
            NPS4,
            {
                "same-core": "0+64",
                "same-cache": "0+1",
                "same-numa-node": "0+4",
                "same-socket": "0+8",
                "same-node": "0+32",
            },
        ),
        (SUB_NUMA, {"same-cache": "0+1", "same-socket": "0+8", "same-node": "0+16"}),
        (DESKTOP, {"same-core": "0+8", "same-cache": "0+1"}),
        (SILENT, {"same-numa-node": "0+1"}),
        (ONE_CACHE_A_CORE, {"same-numa-node": "0+1", "same-node": "0+2"}),
        (Machine(cores=1), {}),
    ],
)
def test_each_machine_has_its_steps(tmp_path: Path, machine: Machine, steps: dict[str, str]) -> None:
    found, lacking = steps_on(tmp_path, machine)
    assert found == steps
    assert list(found) == [step for step in WITHIN if step in found]
    assert found.keys() | lacking.keys() == set(WITHIN)


@pytest.mark.parametrize(
    ("machine", "reasons"),
    [
        (TWO_SOCKETS, {"same-socket": "every socket of this machine has one NUMA node"}),
        (
            SUB_NUMA,
            {
                "same-core": "every core of this machine runs one hardware thread",
                "same-numa-node": "all cores of a NUMA node share one last-level cache on this machine",
            },
        ),
        (
            DESKTOP,
            {
                "same-numa-node": "all cores of a NUMA node share one last-level cache on this machine",
                "same-socket": "this machine has one NUMA node",
                "same-node": "this machine has one socket",
            },
        ),
        (
            SILENT,
            {
                "same-core": "the kernel does not say which CPUs are threads of one core",
                "same-cache": "the kernel does not say which CPUs share a cache",
                "same-socket": "this machine has one NUMA node",
                "same-node": "the kernel does not say which CPUs are on one socket",
            },
        ),
        (
            Machine(cores=2, numa_nodes=2, caches=2, silent=("topology",)),
            {
                "same-core": "the kernel does not say which CPUs are threads of one core",
                "same-cache": "no two cores of a NUMA node share a last-level cache on this machine",
                "same-numa-node": "every NUMA node of this machine has one core",
                "same-socket": "the kernel does not say which CPUs are on one socket",
            },
        ),
    ],
)
def test_a_step_that_is_not_there_has_a_reason(tmp_path: Path, machine: Machine, reasons: dict[str, str]) -> None:
    assert steps_on(tmp_path, machine)[1] == reasons


def test_cpus_that_the_process_may_not_use_are_in_no_step(tmp_path: Path) -> None:
    found, lacking = steps_on(tmp_path, TWO_SOCKETS, {40, 41, 104})
    assert found == {"same-core": "40+104", "same-cache": "40+41"}
    assert lacking["same-node"] == "this process may use 3 of 128 CPUs, of which no two are so placed"
    assert lacking["same-socket"] == "every socket of this machine has one NUMA node"


def test_the_cpu_of_all_pairs_is_the_one_with_the_most_steps(tmp_path: Path) -> None:
    found, _ = steps_on(tmp_path, TWO_SOCKETS, {0, 33, 34, 40, 98})
    assert found == {"same-core": "34+98", "same-cache": "33+34", "same-numa-node": "34+40", "same-node": "0+34"}


def test_a_socket_without_a_number_is_not_known(tmp_path: Path) -> None:
    (cpu_tree(tmp_path, DESKTOP) / "sys/devices/system/cpu/cpu3/topology/physical_package_id").write_text("-1\n")
    assert [place.socket for place in cpu_places(tmp_path)][2:4] == [0, None]


HERE = socket.gethostname().partition(".")[0]


def test_on_several_hosts_the_steps_within_a_node_are_on_this_one(tmp_path: Path) -> None:
    hosts = Hosts(tuple(map(Host, ("a", HERE, "b"))))
    found = offered(hosts, cpu_tree(tmp_path, DESKTOP), {0, 1, 8})
    assert [(variant.name, variant.placement, variant.hosts) for variant in found.variants] == [
        ("same-core", "0+8", f"{HERE}:2"),
        ("same-cache", "0+1", f"{HERE}:2"),
        ("next-node", "", f"{HERE}:1,b:1"),
        ("sampled-a", "", f"a:1,{HERE}:1"),
    ]


def test_where_groma_runs_elsewhere_only_steps_between_hosts_are_there() -> None:
    found = offered(Hosts((Host("n1"), Host("n2"))))
    assert [(variant.name, variant.hosts) for variant in found.variants] == [("next-node", "n1:1,n2:1")]
    reason = f"Groma runs on {socket.gethostname()}, which is not among the hosts n1 to n2; start it on one of them"
    assert {found.lacking[step] for step in WITHIN} == {reason}
    assert found.lacking["farthest-node"] == "there are two hosts: the next one is the farthest, too"


NAMES = [f"n{at}" for at in range(8)]


def test_of_hosts_whose_distance_is_not_known_some_are_sampled() -> None:
    hosts, lacking = remote_steps("n2", NAMES, None)
    sampled = [name for name in hosts if name != "next-node"]
    assert (hosts["next-node"], lacking) == ("n3", {})
    assert [hosts[name] for name in sampled] == ["n1", "n0", "n7", "n6"]
    assert sampled == ["sampled-n1", "sampled-n0", "sampled-n7", "sampled-n6"]
    many, _ = remote_steps("n0", [f"n{at}" for at in range(100)], None)
    assert list(many.values()) == ["n1", "n99", "n75", "n51", "n27"]


TREE = """\
SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[0-1]
SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[2-3]
SwitchName=s2 Level=0 LinkSpeed=1 Nodes=n[4-5]
SwitchName=t0 Level=1 LinkSpeed=1 Nodes=n[0-3] Switches=s[0-1]
SwitchName=t1 Level=2 LinkSpeed=1 Nodes=n[0-5] Switches=t0,s2
"""


def test_where_slurm_knows_the_switches_they_say_who_is_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "scontrol", f"#!/bin/sh\ncat <<'SAYS'\n{TREE}SAYS\n")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    levels = switch_levels("n2", NAMES)
    assert levels == {"n0": 1, "n1": 1, "n2": 0, "n3": 0, "n4": 2, "n5": 2, "n6": 3, "n7": 3}
    assert remote_steps("n2", NAMES[:6], levels) == ({"next-node": "n3", "farthest-node": "n4"}, {})
    hosts, lacking = remote_steps("n2", ["n2", "n0", "n1"], levels)
    assert hosts == {"next-node": "n0"}
    assert lacking == {"farthest-node": "all 2 other hosts are as many switches away as the next one"}


def test_a_scheduler_that_does_not_know_the_host_says_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "scontrol", f"#!/bin/sh\ncat <<'SAYS'\n{TREE}SAYS\n")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert switch_levels("n9", NAMES) is None
    program(tmp_path / "scontrol", "#!/bin/sh\nexit 1\n")
    assert switch_levels("n2", NAMES) is None
