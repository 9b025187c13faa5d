"""Launchers of clusters: how each is recognised, and what it is told of ranks, hosts, binding and variables."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fakes import Groma
from fakes.launchers import VERSIONS, recording

from groma.errors import InputError, LaunchError
from groma.launch import launcher as launchers
from groma.launch.command import Setup
from groma.launch.cores import Cores
from groma.launch.engine import Engine
from groma.launch.launcher import Launcher, identify_launcher
from groma.launch.placing import hosts_listed
from groma.plan.hosts import Hosts, read_hosts

CRAY = Engine(Path("/e"), "MPICH", abi=True, library=None)
OPEN_MPI = Engine(Path("/e"), "Open MPI", abi=False, library=None)
# Launchers that are known by their names where --version does not say whose they are, and one that is not.
BY_NAME = {"flux": "Flux", "aprun": "ALPS", "jsrun": "jsrun", "prterun": "PRRTE", "mpirun": "", "ibrun": "ibrun"} | {
    "mpirun_rsh": "mpirun_rsh"
}


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "SLURM_CPUS_PER_TASK",
        "SLURM_STEP_ID",
        "SLURM_JOB_NUM_NODES",
        "SLURM_JOB_NODELIST",
        "LD_LIBRARY_PATH",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    launchers.identity.cache_clear()


def setup_of(family: str, hosts: str = "", *, given: str = "", ppn: int | None = None) -> Setup:
    engine = OPEN_MPI if family in ("Open MPI", "Spectrum MPI", "PRRTE") else CRAY
    named = Hosts(read_hosts(hosts) if hosts else (), ppn)
    return Setup(engine, Launcher(Path("/bin/m"), family, "1", tuple(given.split())), Cores(4, 4), hosts=named)


def words(setup: Setup, ranks: int, placement: str = "", **env: str) -> str:
    return " ".join(setup.command(ranks, [], env, placement).words[1:-1])


@pytest.mark.parametrize(
    ("name", "says", "family", "version"),
    [
        ("flux", VERSIONS["flux"], "Flux", "0.61.2"),
        ("mpiexec", VERSIONS["mpiexec"], "PALS", "1.2.12"),
        ("aprun", VERSIONS["aprun"], "ALPS", "5.2.4-2.0502.9774.31.11.ari"),
        ("jsrun", VERSIONS["jsrun"], "jsrun", "10.3.1.02"),
        ("srun", VERSIONS["srun"], "Slurm", "22.05.8"),
        ("srun", "slurm-wlm 22.05.8\n", "Slurm", "22.05.8"),
        ("srun", "slurm-smd 23.11.10\n", "Slurm", "23.11.10"),
        ("srun", "site: see the wiki\nslurm 23.02.7\n", "Slurm", "23.02.7"),
        ("mpirun", "mpirun (IBM Spectrum MPI) 10.4.0.3rtm4\n", "Spectrum MPI", "10.4.0.3rtm4"),
        ("mpirun", "HPE MPT 2.25  08/12/21 03:10:02\n", "HPE MPT", "2.25"),
        ("mpiexec", "HYDRA build details:\n    Version:    5.0.2\n", "MPICH", "5.0.2"),
        ("mpiexec", "mpiexec (OpenRTE) 4.1.4\n", "Open MPI", "4.1.4"),
        ("mpirun", "mpirun (Open MPI) 5.0.11\n", "Open MPI", "5.0.11"),
        ("mpiexec", "Intel(R) MPI Library for Linux* OS, Version 2021.18 Build 2025\n", "Intel MPI", "2021.18"),
        ("mpiexec", "something else\n", "", ""),
        *((name, "usage: ...\n", family, "") for name, family in BY_NAME.items()),
    ],
)
def test_each_says_whose_it_is(tmp_path: Path, name: str, says: str, family: str, version: str) -> None:
    (tmp_path / "a folder").mkdir()
    program = recording(tmp_path / "a folder" / name, tmp_path / "log", says=says)
    found = identify_launcher(f"'{program}' -hosts a,b")
    assert (found.family, found.version, found.arguments) == (family, version, ("-hosts", "a,b"))
    assert identify_launcher(str(found)) == found


@pytest.mark.parametrize(
    ("family", "ranks", "expected"),
    [
        ("Flux", 4, "run --ntasks=4 -o cpu-affinity=per-task"),
        ("Flux", 5, "run --ntasks=5 -o cpu-affinity=off"),
        ("PALS", 4, "-n 4 --cpu-bind core"),
        ("PALS", 5, "-n 5 --cpu-bind none"),
        ("ALPS", 4, "-n 4 -cc cpu"),
        ("jsrun", 4, "-n 4 -a 1 -c 1 -b rs"),
        ("Spectrum MPI", 4, "-n 4 --bind-to core"),
        ("HPE MPT", 4, "-np 4"),
        ("ibrun", 4, "-n 4"),
        ("mpirun_rsh", 3, "-np 3 localhost localhost localhost"),
    ],
)
def test_ranks_and_binding(family: str, ranks: int, expected: str) -> None:
    assert words(setup_of(family), ranks) == expected


@pytest.mark.parametrize(
    ("family", "hosts", "ranks", "expected"),
    [
        ("MPICH", "a,b", 4, "-n 4 -bind-to core -hosts a:2,b:2"),
        ("MPICH", "a:1,b:4", 4, "-n 4 -bind-to core -hosts a:1,b:3"),
        ("Intel MPI", "a,b", 4, "-n 4 -hosts a:2,b:2"),
        ("Open MPI", "a,b", 4, "-n 4 --bind-to core --host a:2,b:2 --map-by slot"),
        ("PRRTE", "a,b", 4, "-n 4 --bind-to core --host a:2,b:2"),
        (
            "Slurm",
            "a,b",
            4,
            "-n 4 --mpi=pmi2 --cpu-bind=cores --nodes=2 --nodelist=a,b --ntasks-per-node=2 --distribution=block",
        ),
        (
            "Slurm",
            "a:2,b:1",
            3,
            "-n 3 --mpi=pmi2 --cpu-bind=cores --nodes=2 --nodelist=a,b --distribution=block",
        ),
        (
            "Flux",
            "a,b",
            4,
            "run -o cpu-affinity=per-task --nodes=2 --tasks-per-node=2 --requires=host:a,b --taskmap=block",
        ),
        ("PALS", "a,b", 4, "-n 4 --cpu-bind core --hosts a,b --ppn 2"),
        ("PALS", "a,b", 3, "-n 3 --cpu-bind core --hosts a,b --ppn 2"),
        ("ALPS", "7,8", 4, "-n 4 -cc cpu -N 2 -L 7,8"),
        ("Spectrum MPI", "a,b", 4, "-n 4 --bind-to core --host a:2,b:2 --map-by slot"),
        ("mpirun_rsh", "a,b", 4, "-np 4 a a b b"),
    ],
)
def test_named_hosts_in_the_words_of_each(family: str, hosts: str, ranks: int, expected: str) -> None:
    assert words(setup_of(family, hosts), ranks) == expected


@pytest.mark.parametrize(
    ("family", "expected"),
    [
        ("MPICH", "-genv A b c"),
        ("Open MPI", "-x A"),
        ("PRRTE", "-x A"),
        ("Flux", "--env=A=b c"),
        ("PALS", "--env A=b c"),
        ("ALPS", "-e A=b c"),
        ("jsrun", "-E A=b c"),
    ],
)
def test_variables_reach_the_ranks(family: str, expected: str) -> None:
    command = setup_of(family).command(2, [], {"A": "b c"})
    assert " ".join(command.words).endswith(f"{expected} /e")
    assert command.variables["A"] == "b c"


@pytest.mark.parametrize(
    ("family", "placement", "expected"),
    [
        ("Open MPI", "by-slot", "-n 4 --bind-to core --map-by slot"),
        ("Open MPI", "by-node", "-n 4 --bind-to core --map-by node"),
        ("Open MPI", "a+b", "-n 4 --host a,b,a,b --map-by seq"),
        ("Open MPI", "0+2+3+4", "-n 4 --use-hwthread-cpus --cpu-list 0,2,3,4 --bind-to cpu-list:ordered"),
        ("MPICH", "by-slot", "-n 4 -bind-to core"),
        ("MPICH", "by-node", "-n 4 -bind-to core -ppn 1"),
        ("MPICH", "a+b", "-n 4 -hosts a:1,b:1"),
        ("MPICH", "a+a+b", "-n 4 -hosts a:2,b:1"),
        ("MPICH", "3+2+1+0", "-n 4 -bind-to user:3,2,1,0"),
        ("Intel MPI", "by-node", "-n 4 -ppn 1"),
        ("Intel MPI", "a+b", "-n 4 -hosts a:1,b:1"),
        ("Slurm", "by-slot", "-n 4 --mpi=pmi2 --cpu-bind=cores --distribution=block"),
        ("Slurm", "by-node", "-n 4 --mpi=pmi2 --cpu-bind=cores --distribution=cyclic"),
        ("Slurm", "0+1+2+3", "-n 4 --mpi=pmi2 --cpu-bind=map_cpu:0,1,2,3"),
        ("Flux", "by-node", "run --ntasks=4 -o cpu-affinity=per-task --taskmap=cyclic"),
        ("Flux", "0+2", "run --ntasks=4 -o cpu-affinity=map:0;2;0;2"),
        ("PALS", "0+2", "-n 4 --cpu-bind list:0:2:0:2"),
        ("ALPS", "0+2", "-n 4 -cc 0,2,0,2"),
        ("jsrun", "by-slot", "-n 4 -a 1 -c 1 -b rs -d packed"),
    ],
)
def test_placements_in_the_words_of_each(family: str, placement: str, expected: str) -> None:
    assert words(setup_of(family), 4, placement) == expected


def test_cpus_of_a_list_in_the_words_of_open_mpi_5() -> None:
    """PRRTE knows no --bind-to cpu-list, and keeps the order of the list."""
    setup = replace(setup_of("Open MPI"), launcher=Launcher(Path("/bin/m"), "Open MPI", "5.0.11"))
    assert words(setup, 4, "3+0+2+1") == "-n 4 --map-by pe-list=3,0,2,1:ordered:hwtcpus"
    assert words(setup, 4, "by-node") == words(setup_of("Open MPI"), 4, "by-node")
    with pytest.raises(InputError, match="each CPU of a list to one rank; name 4 CPUs for 4 ranks"):
        words(setup, 4, "0+1")


@pytest.mark.parametrize(
    ("family", "hosts", "ranks", "says"),
    [
        (
            "",
            "a,b",
            2,
            "this launcher has no option known to Groma to name a, b; leave --hosts out, or write a template",
        ),
        ("jsrun", "a,b", 2, "leave --hosts out"),
        ("PALS", "a:1,b:3", 4, "same number of ranks on every host, and a:1, b:3 are not"),
        ("Slurm", "a:1,b:3", 4, "Slurm deals ranks evenly, and a:1, b:3 are not even"),
        ("Slurm", "a,b,c", 7, "Slurm deals ranks evenly, and a:3, b:3, c:1 are not even"),
        ("ALPS", "a:1,b:3", 4, "give every host the same number"),
        ("Flux", "a,b", 3, "flux run puts the same number of ranks on every host, and a:2, b:1 are not"),
        ("MPICH", "a:1,b:2", 4, r"4 ranks do not fit on a:1,b:2 \(3\); name more hosts, or use fewer ranks"),
    ],
)
def test_hosts_that_a_launcher_cannot_take_are_refused(family: str, hosts: str, ranks: int, says: str) -> None:
    with pytest.raises(InputError, match=says):
        words(setup_of(family, hosts), ranks)


def test_nodes_of_a_slurm_job_are_named_in_its_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n[1-3]")
    assert "--nodelist=n1,n3" in words(setup_of("Slurm", "n1,n3"), 2)
    with pytest.raises(InputError, match="in its own order; name them as n1,n3"):
        words(setup_of("Slurm", "n3,n1"), 2)


def test_hosts_are_said_once() -> None:
    with pytest.raises(InputError, match="own argument -hosts says where ranks go, and so does --hosts"):
        words(setup_of("MPICH", "a,b", given="-hosts c"), 2)
    with pytest.raises(InputError, match=r"placement c\+d both name hosts"):
        words(setup_of("MPICH", "a,b"), 2, "c+d")


def test_beside_named_hosts_other_arguments_leave_binding_to_groma() -> None:
    assert (
        words(setup_of("MPICH", "a,b", given="-launcher ssh"), 2) == "-n 2 -bind-to core -hosts a:1,b:1 -launcher ssh"
    )
    assert words(setup_of("MPICH", "a,b", given="-bind-to none"), 2) == "-n 2 -hosts a:1,b:1 -bind-to none"
    assert words(setup_of("MPICH", given="-launcher ssh"), 2) == "-n 2 -launcher ssh"


def test_one_full_host_is_oversubscribed() -> None:
    assert not setup_of("MPICH", "a,b").oversubscribed(8)
    assert setup_of("MPICH", "a,b").oversubscribed(9)
    assert setup_of("MPICH", "a:5,b:1").oversubscribed(6)


def test_flux_has_its_subcommand_first() -> None:
    assert words(setup_of("Flux", given="-q debug"), 2) == "run --ntasks=2 -q debug"
    assert words(setup_of("Flux", given="run -q debug"), 2) == "run --ntasks=2 -q debug"


def test_srun_is_told_what_it_does_not_take_from_its_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_CPUS_PER_TASK", "2")
    assert words(setup_of("Slurm"), 2) == "-n 2 --mpi=pmi2 --cpu-bind=cores --cpus-per-task=2"
    monkeypatch.setenv("SLURM_STEP_ID", "0")
    assert words(setup_of("Slurm"), 2).endswith("--cpus-per-task=2 --overlap")
    monkeypatch.setenv("SLURM_STEP_ID", "4294967290")  # an interactive shell
    assert "--overlap" not in words(setup_of("Slurm"), 2)


def template(tmp_path: Path, text: str, hosts: str = "") -> Setup:
    program = recording(tmp_path / "mylauncher", tmp_path / "log", says="mine 1\n")
    found = identify_launcher(f"{program} {text}")
    assert identify_launcher(str(found)) == found
    return Setup(CRAY, found, Cores(4, 4), hosts=Hosts(read_hosts(hosts) if hosts else ()))


@pytest.mark.parametrize(
    ("text", "hosts", "expected"),
    [
        ("-n {ranks}", "", "-n 4"),
        ("-n {ranks} --hosts {hosts} -p {ppn} -N{nodes}", "a,b", "-n 4 --hosts a,b -p 2 -N2"),
        ("--slots={slots} {ranks}", "a:1,b:3", "--slots=a:1,b:3 4"),
        ("{ranks} {ranks_hosts}", "a:1,b:3", "4 a,b,b,b"),
        ("{ranks} --env={env} --bind none", "", "4 --env=A=1 --env=B=$HOME; x --bind none"),
    ],
)
def test_a_template_is_filled(tmp_path: Path, text: str, hosts: str, expected: str) -> None:
    assert words(template(tmp_path, text, hosts), 4, A="1", B="$HOME; x") == expected


def test_a_template_that_cannot_be_filled_is_refused(tmp_path: Path) -> None:
    for text, says in (("-n {rank}", r"\{rank\}, which means nothing; there are \{ranks\}"), ("{hosts}", "no {ranks}")):
        with pytest.raises(LaunchError, match=says):
            template(tmp_path, text)
    with pytest.raises(InputError, match=r"has \{hosts\}; name the hosts with --hosts or --hostfile"):
        words(template(tmp_path, "-n {ranks} {hosts}"), 2)
    with pytest.raises(InputError, match="has no place for hosts"):
        words(template(tmp_path, "-n {ranks}", "a"), 2)
    with pytest.raises(InputError, match="same number of ranks on every host"):
        words(template(tmp_path, "-n {ranks} {ppn}", "a:1,b:3"), 4)


def test_a_run_by_a_template_of_ones_own(groma: Groma, fakes: Path) -> None:
    program = recording(fakes / "my launcher", fakes / "log", says="mine 1\n")
    said = groma("run", "noop", "--launches", "2", "-o", "out", "--launcher", f"'{program}' --count {{ranks}}")
    assert said.code == 0, said.err
    assert (fakes / "log").read_text().splitlines()[:2] == ["--count", "2"]


@pytest.mark.parametrize(
    ("family", "given", "names", "others"),
    [
        ("MPICH", "-hosts a:2,b -ppn 2 -iface eth0", "a,b", "-iface eth0"),
        ("Intel MPI", "-rr -host a -v -host b", "a,b", "-v"),
        ("Open MPI", "--host=a:2,b.org --map-by node", "a,b.org", ""),
        ("PRRTE", "-H a,a,b", "a,b", ""),
        ("Slurm", "-w n[1-3] -N 3 --mem=0", "n1,n2,n3", "--mem=0"),
        ("PALS", "--hosts a,b", "a,b", ""),
        ("ALPS", "-L 1,2", "1,2", ""),
        ("Slurm", "--nodelist=/tmp/names", "", "--nodelist=/tmp/names"),
        ("Slurm", "-w n[1", "", "-w n[1"),
        ("Open MPI", "--host +n0,+n1", "", "--host +n0,+n1"),
        ("MPICH", "-f names -hosts", "", "-f names -hosts"),
        ("Flux", "--requires=host:a,b", "", "--requires=host:a,b"),
        ("", "-hosts a,b", "", "-hosts a,b"),
    ],
)
def test_hosts_that_a_persons_own_arguments_list(family: str, given: str, names: str, others: str) -> None:
    hosts, launcher = hosts_listed(setup_of(family, given=given).launcher)
    assert (str(hosts), " ".join(launcher.arguments)) == (names, others)
