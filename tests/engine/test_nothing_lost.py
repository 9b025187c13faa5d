"""Whatever ends a run, every record that was written stays, one sentence says what happened, and --resume completes."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

import beds
import hosts
import pytest
from faults import ROWS, Row, Struck

from engine import preloaded

pytestmark = [pytest.mark.mpi, pytest.mark.slow]

_Seen = TypeVar("_Seen")
# Limits of a launcher that stays when all is recorded, and of MPI that does not start: 60 s and 600 s elsewhere.
LIMITS = "launching.END_LIMIT_S, launching.START_LIMIT_S = 4.0, 30.0"
GROMA = [sys.executable, "-c", f"from groma.run import launching; {LIMITS}; from groma.cli import main; main()"]
LAUNCHES, POINTS = 3, 3
PLAN = ["run", "barrier", "bcast", "allreduce", "--bytes", "8", "--launches", str(LAUNCHES), "-o", "out"]
SLOT = ["--set", "stop=time", "--set", "slot_s=0.1", "--set", "settle_s=0.05"]
# A rank that no longer answers ends its launch after so long; a busy machine stands still for 2 s now and then.
LIMIT = ["--set", "limit_s=5"]


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The preloaded library that makes calls on files fail."""
    beds.need("embedded")
    return preloaded.build(beds.libraries()["embedded"], "disk", tmp_path_factory.mktemp("disk"))


class Running:
    """A `groma run` in another process, in its folder."""

    def __init__(self, library: beds.Library, folder: Path, variables: Mapping[str, str]) -> None:
        self.records = folder / "out" / "launches"
        self.process = subprocess.Popen(
            [*GROMA, *PLAN, *SLOT, *LIMIT],
            cwd=folder,
            env=environment(library, variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_for(self, when: str) -> None:
        """Wait until the run is where it is to be struck."""
        if when == "start":
            self._eventually((self.records / "002").is_dir)
        else:
            least = {"middle": 2, "end": 1 + POINTS, "over": 2 + POINTS}[when]
            self._eventually(lambda: len(lines(self.records / "002")) >= least)

    def process_named(self, who: str) -> int | None:
        """Return the process of the run that has this part, if it is there."""
        below = [*children(self.process.pid)]
        if who == "front end":
            return self.process.pid
        if who.startswith("rank"):
            rank = who.split()[1]
            return next((one for one in below if name_of(one) == "groma-engine" and rank_of(one) == rank), None)
        name = {"proxy": "hydra_pmi_proxy", "launcher": "mpiexec"}[who]
        return next((one for one in below if name_of(one).startswith(name)), None)

    def strike(self, row: Struck) -> None:
        """Send the signal of a row."""
        parts = ("front end", "launcher", "rank 0", "rank 1") if row.who == "all" else (row.who,)
        for process in [self._eventually(functools.partial(self.process_named, part)) for part in parts]:
            with contextlib.suppress(ProcessLookupError):  # what another one ended with it
                os.kill(process, signal.Signals[f"SIG{row.signal}"])
        if (row.who, row.signal) == ("front end", "STOP"):
            self.wait_for("over")
            self.process.send_signal(signal.SIGCONT)

    def end(self) -> tuple[int, str]:
        """Wait for the end; return exit code and messages."""
        _out, messages = self.process.communicate(timeout=120)
        return self.process.returncode, messages

    def _eventually(self, look: Callable[[], _Seen | None]) -> _Seen:
        for _ in range(3000):
            if found := look():
                return found
            assert self.process.poll() is None, self.process.communicate()
            time.sleep(0.01)
        raise AssertionError("the run did not come so far")


def environment(library: beds.Library, variables: Mapping[str, str]) -> dict[str, str]:
    return library.environment(
        {"GROMA_ENGINE": str(library.engine), "PYTHONPATH": os.pathsep.join(sys.path), **variables}
    )


def children(process: int) -> Iterator[int]:
    """Yield the processes below one."""
    try:
        direct = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return
    for child in map(int, direct):
        yield child
        yield from children(child)


def name_of(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")[0].decode().rpartition("/")[2]
    except OSError:
        return ""


def rank_of(process: int) -> str:
    try:
        variables = Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
    except OSError:
        return ""
    return next((one.partition(b"=")[2].decode() for one in variables if one.startswith(b"PMI_RANK=")), "")


def lines(launch: Path) -> list[str]:
    """Return the whole lines of a launch's records."""
    file = launch / "points.jsonl"
    return [line for line in file.read_text().splitlines(keepends=True) if line.endswith("\n")] if file.exists() else []


def kept(folder: Path) -> list[str]:
    """Return all whole records of a run, whichever launch or superseded launch they are in."""
    found = [line for launch in folder.glob("out/*/*") for line in lines(launch)]
    return sorted(line for line in found if json.loads(line))


def groma(
    library: beds.Library, folder: Path, variables: Mapping[str, str], *words: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*GROMA, *words],
        cwd=folder,
        env=environment(library, variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def variables_of(row: Row, disk: Path, folder: Path) -> dict[str, str]:
    """Return the variables that plant a row's fault into a run in this folder."""
    if isinstance(row, Struck):
        return {}
    return {
        "LD_PRELOAD": str(disk),
        "GROMA_DISK_PROGRAM": row.program,
        "GROMA_DISK_BELOW": str(folder / "out"),
        "GROMA_DISK_FILES": row.files,
        "GROMA_DISK_CALL": row.call,
        "GROMA_DISK_AT": str(row.at),
        "GROMA_DISK_HOW": row.how,
    }


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_row_of_the_fault_table(embedded: beds.Library, tmp_path: Path, disk: Path, row: Row) -> None:
    running = Running(embedded, tmp_path, variables_of(row, disk, tmp_path))
    before: list[str] = []
    if isinstance(row, Struck):
        running.wait_for(row.when)
        before = kept(tmp_path)
        running.strike(row)
    code, messages = running.end()
    assert code == row.code, messages
    assert "Traceback" not in messages
    assert re.search(row.says, messages), messages
    assert set(before) <= set(kept(tmp_path))
    shown = completed(embedded, tmp_path, {})
    # A point whose ranks did not answer in time is skipped by later launches, which are whole without it.
    # Rank 0 writes the records: where it is stopped, nobody can say at which point.
    skipped = isinstance(row, Struck) and (row.who, row.signal, row.when) == ("rank 1", "STOP", "middle")
    assert ("was skipped in later launches" in shown) == skipped
    assert points_of(tmp_path) == [POINTS, POINTS, POINTS - skipped]


def test_a_host_whose_network_is_lost(embedded: beds.Library, tmp_path: Path) -> None:
    beds.need("hosts")
    with hosts.virtual_hosts(2) as bed:
        between = bed.environment(embedded.mpiexec, per_host=1)
        running = Running(embedded, tmp_path, between)
        running.wait_for("middle")
        before = kept(tmp_path)
        bed.run(1, "ip link set eth0 down")
        code, messages = running.end()
        assert code == 1, messages
        assert re.search(r"Launch 2(:| ended)", messages), messages
        assert set(before) <= set(kept(tmp_path))
        bed.run(1, "ip link set eth0 up")
        completed(embedded, tmp_path, between)


def completed(library: beds.Library, folder: Path, variables: Mapping[str, str], *trusted: str) -> str:
    """Resume the run to its end, or start it again if nothing was there; return what `groma show` says of it then."""
    left = kept(folder)
    words = ["run", "--resume", "out", *trusted] if (folder / "out" / "run.json").exists() else [*PLAN, *SLOT, *LIMIT]
    resumed = groma(library, folder, variables, *words)
    assert resumed.returncode == 0, resumed.stderr
    assert set(left) <= set(kept(folder)), "a resume keeps what was measured"
    shown = groma(library, folder, variables, "show", "out")
    assert shown.returncode == 0, shown.stdout + shown.stderr
    return shown.stdout


def points_of(folder: Path) -> list[int]:
    """Return how many points each launch has; every launch ends with its last record."""
    kinds = [[json.loads(line)["kind"] for line in lines(launch)] for launch in sorted(folder.glob("out/launches/*"))]
    assert [launch[-1] for launch in kinds] == ["end"] * LAUNCHES
    return [launch.count("point") for launch in kinds]


@pytest.mark.parametrize("name", ["engine", "library"])
def test_an_engine_or_a_library_that_was_replaced(embedded: beds.Library, tmp_path: Path, name: str) -> None:
    """The engine's file, or that of the library which a variant leads it to, gets other contents that work as well."""
    libraries = embedded.engine.resolve().parents[1] / "lib"
    files = {"engine": tmp_path / "bin" / "groma-engine", "library": tmp_path / "lib" / "libmpi_abi.so.1"}
    for file, original in zip(files.values(), (embedded.engine, libraries / "libmpi_abi.so.1"), strict=True):
        file.parent.mkdir()
        shutil.copy(original, file)
    (tmp_path / "lib" / "mpich").symlink_to(libraries / "mpich")
    variables = {"GROMA_ENGINE": str(files["engine"]), "GROMA_MPIEXEC": embedded.mpiexec}
    own = ["--variant", f"own:LD_LIBRARY_PATH={tmp_path / 'lib'}"]
    assert groma(embedded, tmp_path, variables, *PLAN, *SLOT, *LIMIT, *own).returncode == 0
    shutil.rmtree(tmp_path / "out" / "launches" / "002")
    before = kept(tmp_path)
    size = files[name].stat().st_size
    os.truncate(files[name], size + 1)
    trusted = ("--launcher", embedded.mpiexec)  # a variant that leads to a library could start anything
    refused = groma(embedded, tmp_path, variables, "run", "--resume", "out", *trusted)
    assert refused.returncode == 2, refused.stderr
    assert f"{files[name]}, the " in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert kept(tmp_path) == before
    os.truncate(files[name], size)
    completed(embedded, tmp_path, variables, *trusted)
