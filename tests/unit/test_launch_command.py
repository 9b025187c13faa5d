"""Which launcher belongs to which engine, and the exact words it is started with."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from groma.errors import LaunchError
from groma.launch import launcher as launchers
from groma.launch.command import Setup, find_setup
from groma.launch.cores import Cores, allowed_cores
from groma.launch.engine import Engine, find_engine
from groma.launch.launcher import Launcher, identify_launcher

ENGINE = Path("/opt/groma/bin/groma-engine")
MPICH = Launcher(Path("/opt/mpich/bin/mpiexec"), "MPICH", "5.0.2")
OPEN_MPI = Launcher(Path("/usr/bin/mpiexec"), "Open MPI", "4.1.4")
INTEL = Launcher(Path("/opt/intel/bin/mpiexec"), "Intel MPI", "2021.18")
PRRTE = Launcher(Path("/usr/bin/prterun"), "PRRTE", "")
SLURM = Launcher(Path("/usr/bin/srun"), "Slurm", "22.05.8")
ABI = Engine(ENGINE, "MPICH", abi=True, library=None)
NATIVE_OPEN_MPI = Engine(ENGINE, "Open MPI", abi=False, library=None)
THROTTLE = {"MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1", "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "1"}


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("SLURM_", "I_MPI_", "GROMA_", "LD_LIBRARY_PATH")):
            monkeypatch.delenv(name)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    launchers.identity.cache_clear()


def words(setup: Setup, ranks: int) -> list[str]:
    command = setup.command(ranks, ["--plan", "p.json"]).words
    assert command[0] == str(setup.launcher.path)
    assert command[-3:] == (str(ENGINE), "--plan", "p.json")
    return list(command[1:-3])


@pytest.mark.parametrize(
    ("engine", "launcher", "ranks", "expected", "variables"),
    [
        (ABI, MPICH, 2, "-n 2 -bind-to core", {}),
        (ABI, MPICH, 4, "-n 4 -bind-to hwthread", {}),
        (ABI, MPICH, 5, "-n 5", THROTTLE),
        (NATIVE_OPEN_MPI, OPEN_MPI, 2, "-n 2 --bind-to core", {}),
        (NATIVE_OPEN_MPI, OPEN_MPI, 4, "-n 4 --use-hwthread-cpus --bind-to hwthread", {}),
        (NATIVE_OPEN_MPI, OPEN_MPI, 5, "-n 5 --oversubscribe --bind-to none", {}),
        (NATIVE_OPEN_MPI, PRRTE, 2, "-n 2 --bind-to core", {}),
        (NATIVE_OPEN_MPI, PRRTE, 4, "-n 4 --map-by :hwtcpus --bind-to hwthread", {}),
        (NATIVE_OPEN_MPI, PRRTE, 5, "-n 5 --map-by :oversubscribe --bind-to none", {}),
        (ABI, INTEL, 2, "-n 2", {"I_MPI_FABRICS": "shm"}),
        (ABI, SLURM, 2, "-n 2 --mpi=pmi2 --cpu-bind=cores", {}),
        (ABI, SLURM, 5, "-n 5 --mpi=pmi2 --cpu-bind=none --overcommit", THROTTLE),
        (NATIVE_OPEN_MPI, SLURM, 2, "-n 2 --mpi=pmix --cpu-bind=cores", {}),
    ],
)
def test_words_and_variables_of_each_family(
    engine: Engine, launcher: Launcher, ranks: int, expected: str, variables: dict[str, str]
) -> None:
    setup = Setup(engine, launcher, Cores(cpus=4, cores=2))
    assert words(setup, ranks) == expected.split()
    assert setup.command(ranks, ["--plan", "p.json"]).variables == variables


def test_root_may_start_open_mpi(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    setup = Setup(NATIVE_OPEN_MPI, OPEN_MPI, Cores(2, 2))
    assert words(setup, 2) == ["-n", "2", "--allow-run-as-root", "--bind-to", "core"]


def test_ranks_whose_threads_choose_cpus_are_not_bound() -> None:
    assert words(Setup(ABI, MPICH, Cores(4, 4), unbound=True), 2) == ["-n", "2"]
    assert words(Setup(ABI, MPICH, Cores(4, 4)), 2) == ["-n", "2", "-bind-to", "core"]


def test_placement_given_by_hand_is_left_alone() -> None:
    by_hand = Launcher(MPICH.path, "MPICH", "5.0.2", ("-hosts", "a,b"))
    setup = Setup(ABI, by_hand, Cores(2, 2))
    assert words(setup, 64) == ["-n", "64", "-hosts", "a,b"]
    assert setup.command(64, []).variables == {}


def test_several_nodes_of_an_allocation_count_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_JOB_NUM_NODES", "4")
    setup = Setup(ABI, SLURM, Cores(2, 2))
    assert not setup.oversubscribed(8)
    assert setup.oversubscribed(9)


def test_a_persons_own_fabric_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("I_MPI_FABRICS", "shm:ofi")
    command = Setup(ABI, INTEL, Cores(2, 2)).command(2, [])
    assert command.variables == {}
    assert command.recorded_environment()["I_MPI_FABRICS"] == "shm:ofi"


def test_an_abi_engine_runs_on_the_library_of_its_launcher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for prefix in ("linked", "other"):
        (tmp_path / prefix / "lib").mkdir(parents=True)
        (tmp_path / prefix / "lib" / "libmpi_abi.so.1").touch()
    engine = Engine(ENGINE, "MPICH", abi=True, library=tmp_path / "linked" / "lib" / "libmpi_abi.so.1")
    own = Launcher(tmp_path / "linked" / "bin" / "mpiexec", "MPICH", "5")
    other = Launcher(tmp_path / "other" / "bin" / "mpiexec", "Intel MPI", "2021")
    assert "LD_LIBRARY_PATH" not in Setup(engine, own).command(2, []).variables
    monkeypatch.setenv("LD_LIBRARY_PATH", "/site")
    assert Setup(engine, other).command(2, []).variables["LD_LIBRARY_PATH"] == f"{tmp_path}/other/lib:/site"


def test_the_command_can_be_pasted() -> None:
    text = Setup(ABI, MPICH, Cores(1, 1)).command(2, ["--out", "a b"]).shell()
    assert text.startswith("MPIR_CVAR_CH4_PROGRESS_THROTTLE=1 ")
    assert text.endswith("'a b'")


def fake_launcher(folder: Path, name: str, says: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)
    return path


def counting_launcher(path: Path, says: str, log: Path) -> Path:
    fake_launcher(path.parent, path.name, says)
    path.write_text(path.read_text() + f"echo {path} >> {log}\n")
    return path


def test_a_program_with_several_names_is_asked_once_who_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log"
    program = counting_launcher(tmp_path / "bin" / "orterun", "mpiexec (OpenRTE) 4.1.4", log)
    for name in ("mpiexec", "mpirun", "mpiexec.openmpi"):
        (tmp_path / "bin" / name).symlink_to(program)
    counting_launcher(tmp_path / "bin" / "mpiexec.hydra", "HYDRA build details:\n Version: 5.0.2", log)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setattr(launchers, "launchers_of_package", lambda _package: [])
    monkeypatch.setattr(launchers, "programs", lambda: ("mpiexec", "mpirun", "mpiexec.openmpi", "mpiexec.hydra"))
    found = {launcher.path.name: launcher.family for launcher in launchers.find_launchers()}
    assert found == {"mpiexec": "Open MPI", "mpiexec.hydra": "MPICH"}
    assert len(log.read_text().splitlines()) == 2


def test_a_program_is_asked_again_for_its_version_when_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, binary = tmp_path / "log", True
    monkeypatch.setattr(launchers, "is_binary", lambda _path: binary)
    program = counting_launcher(tmp_path / "bin" / "mpiexec", "HYDRA build details:\n Version: 5.0.2", log)

    def asked() -> int:
        launchers.identity.cache_clear()  # as another process
        assert launchers.identity(program) == ("MPICH", "5.0.2")
        return len(log.read_text().splitlines())

    assert (asked(), asked()) == (1, 1)
    os.utime(program, ns=(1, 1))
    assert (asked(), asked()) == (2, 2)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    assert (asked(), asked()) == (3, 3)
    binary = False  # a script may call another program
    assert (asked(), asked()) == (4, 5)


def test_no_other_launcher_is_asked_where_the_librarys_own_fits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, library = tmp_path / "log", tmp_path / "lib" / "libmpi_abi.so.1"
    library.parent.mkdir()
    library.touch()
    own = counting_launcher(tmp_path / "bin" / "mpiexec", "HYDRA build details:\n Version: 5.0.2", log)
    counting_launcher(tmp_path / "bin" / "mpiexec.hydra", "HYDRA build details:\n Version: 5.0.2", log)
    monkeypatch.setattr("groma.launch.command.find_launchers", lambda: pytest.fail("all launchers were asked"))
    assert find_setup(Engine(ENGINE, "MPICH", abi=True, library=library)).launcher.path == own
    assert log.read_text().splitlines() == [str(own)]


@pytest.mark.parametrize(
    ("text", "says"), [("nowhere/mpiexec", "there is no launcher"), ("'open", "cannot be read"), ("", "no")]
)
def test_a_launcher_that_is_not_there(text: str, says: str) -> None:
    with pytest.raises(LaunchError, match=says):
        identify_launcher(text)


def test_a_launcher_of_another_library_is_refused(tmp_path: Path) -> None:
    hydra = fake_launcher(tmp_path, "mpiexec", "HYDRA build details:\n Version: 4.0.2")
    with pytest.raises(LaunchError, match=r"starts MPICH programs, but .* was built for Open MPI"):
        find_setup(NATIVE_OPEN_MPI, str(hydra))


@pytest.mark.parametrize("library", ["lib/libmpi.so.12", "lib/x86_64-linux-gnu/libmpich.so.12"])
def test_an_abi_engine_is_refused_where_the_launchers_library_has_no_abi(tmp_path: Path, library: str) -> None:
    """Hydra of MPICH 4 starts programs of MPICH 5 too: the figures would be those of a library that nobody named."""
    hydra = fake_launcher(tmp_path / "bin", "mpiexec", "HYDRA build details:\n Version: 4.0.2")
    assert find_setup(ABI, str(hydra)).launcher.path == hydra  # without a library of its own
    (tmp_path / library).parent.mkdir(parents=True)
    (tmp_path / library).touch()
    with pytest.raises(LaunchError, match=r"does not have the standard ABI.*groma mpi add"):
        find_setup(ABI, str(hydra))
    assert find_setup(Engine(ENGINE, "MPICH", abi=False, library=None), str(hydra)).launcher.path == hydra
    (tmp_path / "lib" / "libmpi_abi.so.1").touch()
    assert find_setup(ABI, str(hydra)).launcher.path == hydra


def test_the_launcher_beside_the_engines_library_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = fake_launcher(tmp_path / "path", "mpiexec", "HYDRA build details:\n Version: 4.0.2")
    right = fake_launcher(tmp_path / "openmpi" / "bin", "mpiexec", "mpiexec (OpenRTE) 4.1.4")
    monkeypatch.setenv("PATH", str(wrong.parent))
    library = tmp_path / "openmpi" / "lib" / "x86_64" / "libmpi.so.40"
    setup = find_setup(Engine(ENGINE, "Open MPI", abi=False, library=library))
    assert setup.launcher.path == right


def test_no_launcher_at_all_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("groma.launch.launcher.launchers_of_package", lambda _package: [])
    with pytest.raises(LaunchError, match="--launcher or GROMA_MPIEXEC"):
        find_setup(NATIVE_OPEN_MPI)


def test_srun_starts_the_ranks_inside_an_allocation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    srun = fake_launcher(tmp_path, "srun", "slurm 22.05.8")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("SLURM_JOB_ID", "1")
    assert find_setup(ABI).launcher.path == srun


def test_an_engine_that_is_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GROMA_ENGINE", str(tmp_path / "none"))
    with pytest.raises(LaunchError, match="not a program"):
        find_engine()
    monkeypatch.delenv("GROMA_ENGINE")
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("sysconfig.get_path", lambda _name: str(tmp_path))
    with pytest.raises(LaunchError, match="there is no groma-engine"):
        find_engine()


def test_hardware_threads_of_one_core_count_once(tmp_path: Path) -> None:
    for cpu, siblings in ((0, "0,2"), (1, "1,3"), (2, "0,2"), (3, "1,3")):
        topology = tmp_path / f"sys/devices/system/cpu/cpu{cpu}/topology"
        topology.mkdir(parents=True)
        (topology / "thread_siblings_list").write_text(siblings + "\n")
    assert allowed_cores(tmp_path, {0, 1, 2, 3}) == Cores(cpus=4, cores=2)
    assert allowed_cores(tmp_path, {0, 2}) == Cores(cpus=2, cores=1)
    assert allowed_cores(tmp_path / "none", {0, 5}) == Cores(cpus=2, cores=2)


def test_without_any_library_the_message_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("groma.launch.command.find_launchers", list)
    with pytest.raises(LaunchError, match=r"pip install 'mpich.*--launcher.*groma mpi add"):
        find_setup(ABI)


def test_an_engine_without_its_library_is_not_described(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As after `pip install .` without the extra: the loader cannot start it, and installing again would not help."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    program = tmp_path / "groma-engine"
    program.write_text("")
    with pytest.raises(LaunchError, match=r"no MPI library with the standard ABI.*pip install 'mpich"):
        Setup(Engine(program, "MPICH", abi=True, library=None), OPEN_MPI).check_engine()
