"""The run directory on disk, written so that a kill at any moment loses nothing, and the process that writes it."""

from __future__ import annotations

import contextlib
import datetime as dt
import errno
import fcntl
import os
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import msgspec

from groma.catalog import Catalog
from groma.errors import UNDECODABLE, InputError, OutputError, RunError
from groma.results.documents import Owner, RunDocument
from groma.results.fields import FILE

PARENT = Path("runs")
_PRIVATE = 0o700
_LOCK = ".lock"
_DATE = re.compile(r"-\d{8}-\d{6}(-\d+)?$")  # of a run's name, as RunDirectory.create makes it


class RunDirectory:
    """One run's directory and the documents in it."""

    def __init__(self, path: Path) -> None:
        """Name a directory that exists; `create` makes one."""
        self.path = path
        self._claimed = False

    @contextlib.contextmanager
    def claimed(self) -> Iterator[None]:
        """Lock this directory against other groma processes, on all hosts whose file system has locks.

        Raises InputError if another one does.
        """
        if self._claimed:
            yield
            return
        with contextlib.ExitStack() as stack:
            with contextlib.suppress(OSError):  # no directory yet, or one that cannot be written: later calls say so
                file = stack.enter_context(os.fdopen(os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)))
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    raise InputError(
                        f"another groma process is measuring {self.path}; wait for it, or interrupt it first"
                    ) from None
            self._claimed = True
            try:
                yield
            finally:
                self._claimed = False

    @classmethod
    def create(cls, name: str, chosen: Path | None = None, *, dated: bool = False) -> RunDirectory:
        """Make `chosen`, or runs/NAME-YYYYMMDD-HHMMSS under the current directory, always a new one.

        With `dated` the date is added to `chosen` too.
        Nobody but its owner can read what is made here; an empty directory that is there keeps its permissions.
        Raises InputError if it exists with something in it or cannot be written.
        """
        path = chosen
        try:
            if path is None or dated:
                path = path or PARENT / name
                return cls(_make_unique(path.parent, f"{path.name}-{dt.datetime.now().astimezone():%Y%m%d-%H%M%S}"))
            if path.exists() and (not path.is_dir() or any(path.iterdir())):
                raise InputError(f"{path} already exists; choose a new directory with -o, or continue it with --resume")
            path.mkdir(_PRIVATE, parents=True, exist_ok=True)
            _probe(path)
        except OSError as error:
            place = path or PARENT
            raise InputError(
                f"the run directory {place} cannot be written ({error.strerror}); choose another with -o"
            ) from None
        return cls(path)

    def launch(self, number: int) -> Path:
        """Return the directory of one launch."""
        return self.path / "launches" / f"{number:03d}"

    def launch_numbers(self) -> list[int]:
        """Return the numbers of all launches that were started, ascending."""
        folder = self.path / "launches"
        return sorted(int(path.name) for path in folder.iterdir() if path.name.isdigit()) if folder.is_dir() else []

    def make_launch(self, number: int) -> Path:
        """Make the directory of one launch."""
        with _Writing(self.path):
            self.launch(number).mkdir(parents=True)
        return self.launch(number)

    def set_aside(self, number: int) -> Path:
        """Move a launch that ended early out of the way, keeping all of it under superseded/."""
        with _Writing(self.path):
            (self.path / "superseded").mkdir(exist_ok=True)
            target = _free(self.path / "superseded", f"{number:03d}")
            self.launch(number).rename(target)
        return target

    def begin(self, document: RunDocument, catalog: Catalog) -> None:
        """Write what a new run has before its first launch; if that fails, raise OutputError and leave nothing."""
        try:
            self.write_catalog(catalog)
            self.write(document)
        except OutputError:
            with contextlib.suppress(OSError):
                self.remove_unmeasured()
            raise

    def write_catalog(self, catalog: Catalog) -> None:
        """Keep the engine's catalogue, by which every machine describes and judges the run."""
        self.write_json(self.path / FILE, catalog, durable=False, indent=-1)

    def write(self, document: RunDocument) -> None:
        """Write run.json, whole or not at all."""
        self.write_json(self.document, document)

    @property
    def document(self) -> Path:
        """The file that says what was asked and how the run ended."""
        return self.path / "run.json"

    def read(self) -> RunDocument:
        """Read run.json; raises InputError if there is none, RunError if it is damaged."""
        path = self.document
        try:
            return msgspec.json.decode(path.read_bytes(), type=RunDocument)
        except FileNotFoundError:
            raise InputError(f"{self.path} holds no run (no run.json); name a run directory") from None
        except (OSError, *UNDECODABLE) as error:
            raise RunError(f"{path} cannot be read ({error}); restore it or measure again") from None

    def write_json(self, path: Path, document: object, *, durable: bool = True, indent: int = 1) -> None:
        """Write one JSON document by renaming a finished file into place: a kill leaves the old one or the new one.

        With `durable` it is on the disk when this returns, which takes milliseconds or more. What is written before a
        launch needs that not: without the launch's records, which the engine does not synchronise either, it is made
        again.
        """
        text = msgspec.json.format(msgspec.json.encode(document), indent=indent)
        fresh = path.with_name(f".{path.name}.{os.getpid()}")
        with _Writing(path, begun=self.document.exists()):
            try:
                with fresh.open("wb") as file:
                    file.write(text + b"\n")
                    if durable:
                        file.flush()
                        os.fsync(file.fileno())
                fresh.replace(path)
            finally:
                fresh.unlink(missing_ok=True)

    def remove_unmeasured(self) -> None:
        """Delete a directory of this run in which nothing was measured."""
        for number in self.launch_numbers():
            for file in self.launch(number).iterdir():
                file.unlink()
            self.launch(number).rmdir()
        for leaf in ("launches", "run.json", FILE, _LOCK):
            path = self.path / leaf
            if path.is_dir():
                path.rmdir()
            else:
                path.unlink(missing_ok=True)
        self.path.rmdir()


class _Writing:
    """Turns an operating system's write error into a sentence."""

    def __init__(self, path: Path, *, begun: bool = True) -> None:
        self.path, self.begun = path, begun

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, OSError):
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            advice = "free some space" if full else "make it writable"
            then = "continue with groma run --resume" if self.begun else "measure again"
            raise OutputError(f"{self.path} could not be written ({error.strerror}); {advice} and {then}") from None


def runs_under(folder: Path = PARENT, beginning: str = "") -> list[tuple[RunDirectory, RunDocument]]:
    """Return the runs in a folder whose names begin so, the newest last.

    Directories without a run.json that can be read are no runs.
    """
    runs = []
    for path in folder.iterdir() if folder.is_dir() else []:
        if not path.name.startswith(beginning):
            continue
        with contextlib.suppress(InputError, RunError, ValueError, OverflowError):  # the last two: no date
            document = RunDirectory(path).read()
            runs.append((dt.datetime.fromisoformat(document.created).timestamp(), path, document))
    runs.sort(key=lambda run: (run[0], run[1].name))
    return [(RunDirectory(path), document) for _, path, document in runs]


def newest_runs(count: int = 1, *, one_plan: bool = True) -> list[Path]:
    """Return the directories of the newest runs under runs/, or of those of the newest one's plan, the newest last.

    Raises InputError if there are fewer.
    """
    runs = runs_under()
    if not runs:
        raise InputError(f"there is no run under {PARENT}/; name a run directory, or measure with groma run or quick")
    plan = runs[-1][1].name
    found = [directory.path for directory, document in runs if not one_plan or document.name == plan]
    if len(found) < count:
        of = f" of {plan}" if one_plan else ""
        raise InputError(f"there is only one run{of} under {PARENT}/; measure again, or name the runs")
    return found[-count:]


def runs_named(word: Path) -> list[Path]:
    """Return the runs under runs/ whose names begin so, the newest last; none if the word is the path of a run.

    Raises InputError if they have several names; a whole name goes before the beginnings of others.
    """
    if len(word.parts) != 1 or word.is_file() or RunDirectory(word).document.is_file():
        return []
    runs: dict[str, list[Path]] = {}
    for directory, _ in runs_under(PARENT, word.name):
        runs.setdefault(_DATE.sub("", directory.path.name), []).append(directory.path)
    if len(runs) > 1 and word.name not in runs:
        raise InputError(f"{word} may be {' or '.join(sorted(runs))}; write more of the run's name")
    return runs.get(word.name) or next(iter(runs.values()), [])


def _make_unique(parent: Path, name: str) -> Path:
    parent.mkdir(parents=True, exist_ok=True)
    while True:
        path = _free(parent, name)
        try:
            path.mkdir(_PRIVATE)
        except FileExistsError:  # another groma took the name in between
            continue
        _probe(path)
        return path


def _free(parent: Path, name: str) -> Path:
    path, number = parent / name, 2
    while path.exists():
        path, number = parent / f"{name}-{number}", number + 1
    return path


def _probe(path: Path) -> None:
    """Write and remove a small file: an existing directory may still refuse."""
    probe = path / f".writable.{os.getpid()}"
    try:
        probe.write_bytes(b"groma\n")
    finally:
        probe.unlink(missing_ok=True)


def now_iso() -> str:
    """Return the local time with its offset, to the second."""
    return dt.datetime.now().astimezone().isoformat(timespec="seconds")


def this_process() -> Owner:
    """Return the identity of the calling process."""
    pid = os.getpid()
    return Owner(pid=pid, start_ticks=_start_ticks(pid) or 0, boot=_boot())


def owner_is_alive(document: RunDocument) -> bool | None:
    """Return whether the front end that writes this run still lives; None if this host cannot know."""
    owner = document.owner
    if document.state != "running" or owner is None:
        return False
    if document.host != socket.gethostname():
        return None
    return owner.boot == _boot() and owner.start_ticks == _start_ticks(owner.pid)


def _start_ticks(pid: int) -> int | None:
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2]
    except OSError:
        return None
    return int(after_name.split()[19])  # field 22 of proc(5), counted from the state, field 3


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""
