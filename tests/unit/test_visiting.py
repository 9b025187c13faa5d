"""What a run asks the hosts of its launches, and what it says where they lack something."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from campaigns import document
from fakes import ENGINE, Groma
from fakes.libraries import program, touched

from groma.errors import LaunchError
from groma.launch.command import Setup
from groma.launch.copying import copy_in_job, copy_to_hosts, needed_files
from groma.launch.engine import Engine
from groma.launch.launcher import Launcher
from groma.plan.hosts import Hosts, read_hosts
from groma.results.documents import HostFiles
from groma.run import prepared as visiting

# Starts the program after the options once for each host, which calls itself as the launcher does; PATH has its uname.
_LAUNCHER = """#!/bin/sh
hosts=$(echo "$*" | sed -n 's/.*-hosts \\([^ ]*\\).*/\\1/p' | tr ',' ' ')
while [ "$1" != /bin/sh ]; do shift; done
for host in $hosts; do
  NAME=${{host%:*}} {change}"$@"
done
{end}
"""


def setup_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str = "", end: str = "exit 0") -> Setup:
    """Return an MPICH on the hosts a, b and c; `change` is said before the words of each host, `end` at the end."""
    program(tmp_path / "bin/uname", '#!/bin/sh\necho "$NAME"\n')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    launcher = program(tmp_path / "mpiexec", _LAUNCHER.format(change=change, end=end))
    engine = Engine(program(tmp_path / "the engine", "#!/bin/sh\nexit 9\n"), "", abi=False, library=None)
    return Setup(engine, Launcher(launcher, "MPICH", "5.0.2"), hosts=Hosts(read_hosts("a,b,c")))


def test_every_host_says_what_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setup = setup_of(tmp_path, monkeypatch)
    found = visiting.visit(setup)
    sums = subprocess.run(["cksum"], input=setup.engine.path.read_bytes(), capture_output=True, check=True).stdout
    assert [(files.name, files.engine) for files in found] == [(name, str(setup.engine.path)) for name in "abc"]
    assert {files.engine_sum for files in found} == {sums.decode().strip().replace(" ", "-")}


def test_one_host_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setup = setup_of(tmp_path, monkeypatch, end="exit 1")
    for hosts in (Hosts(), Hosts(read_hosts("a")), Hosts(read_hosts("a:4"))):
        assert visiting.visit(replace(setup, hosts=hosts)) == []


def test_hosts_in_the_launchers_own_arguments_are_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setup = setup_of(tmp_path, monkeypatch)
    launcher = replace(setup.launcher, arguments=("-hosts", "c:2,B.org:2", "-ppn", "2"))
    for hosts in (Hosts(), Hosts(read_hosts("a,b,c"), of_job=True)):
        found = visiting.visit(replace(setup, launcher=launcher, hosts=hosts))
        assert [files.name for files in found] == ["c", "B.org"]


@pytest.mark.parametrize(
    ("change", "end", "says"),
    [
        (
            'sh -c \'[ "$NAME" = a ] || set -- "$1" "$2" "$3" "$4" /none; exec "$@"\' sh ',
            "exit 0",
            r"the engine is not on b, c; copy it with: groma stage b,c, or install Groma in a folder that all",
        ),
        (
            "[ $NAME = b ] || ",
            "echo 'unable to reach b' >&2; exit 1",
            r"does not start programs on b \(unable to reach b\); .* groma stage b$",
        ),
        (
            "[ $NAME = b ] || ",
            "echo 'srun: no support for cpu binding' >&2; echo 'srun: error: Unable to create step' >&2; exit 1",
            r"does not start programs on b \(srun: error: Unable to create step\)",
        ),
    ],
)
def test_what_a_host_lacks_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, end: str, says: str
) -> None:
    setup = setup_of(tmp_path, monkeypatch, "", end)
    launcher = setup.launcher.path
    launcher.write_text(launcher.read_text().replace('NAME=${host%:*} "$@"', f'export NAME=${{host%:*}}; {change}"$@"'))
    with pytest.raises(LaunchError, match=says):
        visiting.visit(setup)


def test_a_library_that_a_host_lacks_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setup = setup_of(tmp_path, monkeypatch)
    monkeypatch.setattr(visiting, "_SCRIPT", 'echo "groma-host|$(uname -n)|1 2|not found||"')
    assert {files.library for files in visiting.visit(setup)} == {""}, "an engine of unknown family needs none"
    known = Setup(Engine(setup.engine.path, "MPICH", abi=False, library=None), setup.launcher, hosts=setup.hosts)
    with pytest.raises(LaunchError, match=r"the MPI library of .* is not on a, b, c; .*groma stage a,b,c"):
        visiting.visit(known)


def test_a_launcher_that_swallows_what_is_printed_stops_nothing(groma: Groma) -> None:
    said = groma("run", "noop", "--launches", "1", "--hosts", "a,b", "--any-placement", "-o", "out")
    assert said.code == 0, said.err
    (files,) = document()["host_files"]
    assert files["engine"] == str(ENGINE)


def test_a_host_that_is_asked_again_has_what_it_has_now() -> None:
    old, new, other = HostFiles("a", "/e", "1"), HostFiles("a", "/e", "2"), HostFiles("b", "/e", "1")
    assert visiting.merged([old, other], [new]) == [new, other]


def fake_shell(tmp_path: Path) -> Path:
    """Make a program that is called as ssh or srun is, and whose hosts are folders of `tmp_path`."""
    return program(
        tmp_path / "shell",
        f"""#!/bin/sh
for word in "$@"; do case $word in --nodelist=*) host=${{word#--nodelist=}};; esac; done
[ "$host" ] || host=$1
[ "$host" != lost ] || {{ echo "no route to lost" >&2; exit 255; }}
while [ "$1" != tar ]; do shift; done
mkdir -p {tmp_path}/$host
exec tar "$2" "$3" "$4" "$5" {tmp_path}/$host
""",
    )


def test_files_are_copied_under_their_paths_and_not_twice(tmp_path: Path) -> None:
    file = touched(tmp_path / "here/bin/engine")
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    (tmp_path / "here/lib").mkdir()
    link = tmp_path / "here/lib/libmpi.so.1"
    link.symlink_to(touched(tmp_path / "elsewhere/libmpi.so.1.2"))
    shell = [str(fake_shell(tmp_path))]
    first = copy_to_hosts([file, link], ["n1", "n2"], shell)
    assert (first.hosts, first.already) == (("n1", "n2"), ())
    copied = tmp_path / "n2" / str(file).lstrip("/")
    assert copied.read_text() == file.read_text()
    assert os.access(copied, os.X_OK)
    assert not (tmp_path / "n2" / str(link).lstrip("/")).is_symlink()
    copied.write_text("another\n")
    assert copy_to_hosts([file, link], ["n1", "n2"], shell).already == ("n1",)
    assert copied.read_text() == file.read_text()
    in_job = copy_in_job([file], ("n1",), Path(shell[0]))
    assert in_job.already == ("n1",)


def test_a_host_that_takes_nothing_is_named(tmp_path: Path) -> None:
    file = touched(tmp_path / "engine")
    with pytest.raises(LaunchError, match=r"engine could not be copied to lost by .*shell \(no route to lost\)"):
        copy_to_hosts([file], ["lost"], [str(fake_shell(tmp_path))])
    with pytest.raises(LaunchError, match="cannot copy"):
        copy_to_hosts([file], ["n1"], [str(tmp_path / "none")])


def test_what_systems_have_is_not_copied(tmp_path: Path) -> None:
    parts = touched(tmp_path / "bin/hydra_pmi_proxy")
    engine = program(tmp_path / "bin/groma-engine", "")
    engine.write_bytes(Path("/bin/true").read_bytes())
    setup = Setup(Engine(engine, "", abi=False, library=None), Launcher(tmp_path / "bin/mpiexec", "MPICH", "5"))
    assert needed_files(setup) == [engine, parts]
    elsewhere = Setup(setup.engine, Launcher(tmp_path / "mpiexec", "MPICH", "5"))
    assert needed_files(elsewhere) == [engine]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "no hosts are known; name them: groma stage node1,node2"),
        (("a,;b",), "'a,;b' is not a list of hosts"),
        (("-oProxyCommand=x",), "No such option"),
        (("a", "--shell", "'"), "is no command; name the program that runs one on a host"),
    ],
)
def test_what_cannot_be_staged(groma: Groma, words: tuple[str, ...], says: str) -> None:
    said = groma("stage", *words)
    assert said.code == 2
    assert says in said.err
