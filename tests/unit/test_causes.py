"""Why something did not start, from what launchers, shells and loaders print."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from fakes import Groma
from fakes.libraries import program

from groma.launch import causes, installing
from groma.launch.words import last_words

_HYDRA = (
    "[mpiexec@here] ui_cmd_cb (/src/pm/hydra/mpiexec/pmiserv_pmci.c:51): Launch proxy failed.\n"
    "[mpiexec@here] HYDT_dmxu_poll_wait_for_event (/src/pm/hydra/lib/tools/demux/demux_poll.c:76): "
    "callback returned error status\n"
)
_INTEL = "=====\n=   BAD TERMINATION\n=   RANK 0 PID 9 RUNNING AT vm\n=   KILLED BY SIGNAL: 7 (Bus error)\n=====\n"
_MPICH_BUS = "=====\n=   BAD TERMINATION\nTERMINATED WITH THE EXIT STRING: Bus error (signal 7)\n"
_UCX = "UCX  ERROR Not enough memory. Please check that /dev/shm or the directory you specified has more memory.\n"
# Answers as an engine whose host does not have the plan that it is given; without one it ends well.
_WITHOUT_FOLDER = """#!/bin/sh
for word; do
  if [ "$before" = --plan ]; then
    echo "groma-engine: can't read the plan $word: No such file or directory; name a file that exists" >&2
    exit 2
  fi
  before=$word
done
"""


@pytest.fixture
def small_shm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.statvfs", lambda _path: SimpleNamespace(f_blocks=256, f_frsize=4096))


@pytest.mark.parametrize(
    ("printed", "cause", "remedy"),
    [
        (
            "ssh: Could not resolve hostname n9: Name or service not known\r\n" + _HYDRA,
            "hostname n9",
            "correct the name",
        ),
        ("root@n9: Permission denied (publickey).\n" + _HYDRA, "Permission denied", "ssh HOST true"),
        ("ssh: connect to host n9 port 22: Connection refused\n" + _HYDRA, "Connection refused", "ssh HOST true"),
        ("Host key verification failed.\n" + _HYDRA, "Host key verification", "ssh HOST true"),
        (
            "srun: error: Unable to create step for job 3: Requested node configuration is not available\n",
            "Requested node",
            "hosts of this job only",
        ),
        (
            "srun: error: Unable to allocate resources: Invalid node name specified\n",
            "Invalid node",
            "of this job only",
        ),
        ("sh: 1: /opt/mpi/bin/hydra_pmi_proxy: not found\n" + _HYDRA, "/opt/mpi/bin/hydra_pmi_proxy: not found", ""),
        ("bash: line 1: /opt/prted: No such file or directory\n", "/opt/prted: No such file", ""),
        (
            "engine: /old/libfabric.so.1: version `FABRIC_1.9' not found (required by /m/libmpi.so)\n",
            "no FABRIC_1.9",
            "",
        ),
        ("engine: /old/libfabric.so.1: undefined symbol: fi_new\n", "libfabric.so.1 has no fi_new", "install a newer"),
        ("e: error while loading shared libraries: libx.so.1: cannot open shared object file\n", "libx.so.1", "PATH"),
    ],
)
def test_a_known_cause_is_found_before_what_followed_from_it(printed: str, cause: str, remedy: str) -> None:
    found = causes.cause_in(printed)
    assert found is not None
    assert cause in found.text
    assert remedy in found.remedy
    assert causes.reason_in(printed).startswith(found.text)
    assert "\r" not in found.text


@pytest.mark.parametrize("printed", [_INTEL, _MPICH_BUS, _UCX, "write error: Broken pipe\n"])
@pytest.mark.usefixtures("small_shm")
def test_little_shared_memory_is_named_with_its_size(printed: str) -> None:
    found = causes.cause_in(printed)
    assert found is not None
    assert "/dev/shm of this host holds 1 MiB: give it more" in found.remedy


def test_a_broken_pipe_alone_tells_nothing_of_shared_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.statvfs", lambda _path: SimpleNamespace(f_blocks=2**20, f_frsize=4096))
    assert causes.cause_in("write error: Broken pipe\n") is None
    ended = causes.cause_in(_MPICH_BUS)
    assert ended is not None
    assert "on every host of the run" in ended.remedy


@pytest.mark.parametrize(
    ("printed", "reason"),
    [
        (_HYDRA + "something of a site\n", "something of a site"),
        ("a remark\nsrun: error: Unable to create step\n", "srun: error: Unable to create step"),
        ("-----\nA prefix was wrong.\n\nThis is fatal.\n-----\n", "A prefix was wrong."),
        (_MPICH_BUS.replace("Bus error (signal 7)", "Killed (signal 9)"), "Killed (signal 9)"),
        ("", ""),
    ],
)
def test_without_a_known_cause_the_most_telling_line_is_said(printed: str, reason: str) -> None:
    assert causes.reason_in(printed) == reason


def test_the_loaders_words_are_not_the_engines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "old"
    monkeypatch.setenv("LD_LIBRARY_PATH", f"/elsewhere:{old}")
    output = tmp_path / "stderr"
    output.write_text(
        f"groma-engine: {old}/libfabric.so.1: version `FABRIC_1.9' not found (required by /m/libmpi.so)\n"
    )
    assert f"take {old}, which holds an older libfabric.so.1, out of LD_LIBRARY_PATH" in last_words(output)


def test_an_engine_that_the_loader_refuses_names_the_older_library(
    groma: Groma, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "old"
    fault = f"{old}/libfabric.so.1: version \\`FABRIC_1.9' not found (required by /m/libmpi_abi.so.1)"
    engine = program(tmp_path / "engine", f'#!/bin/sh\necho "$0: {fault}" >&2\nexit 1\n')
    monkeypatch.setenv("GROMA_ENGINE", str(engine))
    monkeypatch.setenv("LD_LIBRARY_PATH", str(old))
    said = groma("run", "noop", "--launches", "1", "-o", "out")
    assert said.code == 2
    assert f"libfabric.so.1 has no FABRIC_1.9, which /m/libmpi_abi.so.1 needs; take {old}" in said.err
    assert "install" not in said.err


def test_no_message_names_a_package_that_others_could_take() -> None:
    """`groma` is no project of the package index: what pip is told is a place, or a library's own name."""
    sources = Path(installing.__file__).parents[1].rglob("*.py")
    for path in sources:
        assert "groma[" not in path.read_text(), path
    assert installing.embedded_mpi().partition("install ")[2].strip("'").startswith("mpich")


@pytest.mark.parametrize(
    ("noted", "says"),
    [
        ('{"url": "file:///a%20tree/groma", "dir_info": {}}', "--no-deps file:///a%20tree/groma"),
        (None, "from where this copy came from"),
        ("[", "from where this copy came from"),
    ],
)
def test_groma_is_installed_again_from_where_it_came_from(
    monkeypatch: pytest.MonkeyPatch, noted: str | None, says: str
) -> None:
    package = SimpleNamespace(read_text=lambda _name: noted)
    monkeypatch.setattr("importlib.metadata.distribution", lambda _name: package)
    assert installing.again().endswith(says)


def test_a_run_folder_that_the_first_host_lacks_is_said_with_the_host(groma: Groma, tmp_path: Path) -> None:
    """As on a host that does not share the folder: rank 0 cannot read the plan, which is there on this host."""
    launcher = program(tmp_path / "launcher", _WITHOUT_FOLDER)
    template = f"{launcher} -n {{ranks}} {{hosts}}"
    said = groma("run", "noop", "--launches", "1", "-o", "out", "--launcher", template, "--hosts", "n1,n2")
    assert said.code == 2
    assert f"n1 does not have {Path.cwd() / 'out/launches/001'}" in said.err
    assert "a folder that all hosts share (-o)" in said.err
    assert not Path("out").exists()
