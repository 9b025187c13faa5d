"""The store of all runs that were ever read: an SQLite file of the configuration, beside the baselines.

A run is read once, and again when it went on. What is stored stays when the run's directory is deleted, or moved by a
clean-up of the file system, until it is forgotten.
"""

from __future__ import annotations

import datetime as dt
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypedDict, TypeVar

import msgspec
from msgspec import Meta

from groma.catalog.registry import configuration
from groma.errors import UNDECODABLE, InputError, OutputError
from groma.results.differences import KINDS
from groma.text.secret import make_folder

_Kind = TypeVar("_Kind")

FILE = "history.sqlite"
_VERSION = 2
FORGOTTEN = "forgotten"
_BATCH = 500  # SQLite takes at least 999 parameters
_TABLES = """
CREATE TABLE IF NOT EXISTS runs (
    id INTEGER PRIMARY KEY, path TEXT UNIQUE NOT NULL, folder TEXT NOT NULL, stamp TEXT NOT NULL,
    state TEXT NOT NULL, created TEXT NOT NULL, unix_s REAL NOT NULL, plan TEXT NOT NULL, host TEXT NOT NULL,
    facts TEXT NOT NULL, problem TEXT NOT NULL, identity TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS runs_of_folder ON runs (folder);
CREATE TABLE IF NOT EXISTS points (id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL);
CREATE TABLE IF NOT EXISTS figures (
    run INTEGER NOT NULL REFERENCES runs (id), point INTEGER NOT NULL REFERENCES points (id),
    ns REAL NOT NULL, low_ns REAL, high_ns REAL, explained REAL NOT NULL, PRIMARY KEY (run, point)) WITHOUT ROWID;
"""
# Runs that were stored without their identity are read again in place.
_FROM_1 = "ALTER TABLE runs ADD COLUMN identity TEXT NOT NULL DEFAULT ''; UPDATE runs SET stamp = '';"
_FIGURES = "SELECT run, name, ns, low_ns, high_ns, explained FROM figures JOIN points ON points.id = point"
_OF_RUN = ("path", "folder", "stamp", "state", "created", "unix_s", "plan", "host", "facts", "problem", "identity")
# Errors of SQLite that are not in the file: it cannot be read or written now.
_PASSING = {
    *(sqlite3.SQLITE_PERM, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_READONLY),
    *(sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN),
    *(sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_NOLFS, sqlite3.SQLITE_AUTH),
}
_YEARS_S = (-2.2e9, 2.2e11)  # 1900 to 8900, in seconds since 1970

_Time = Annotated[float, Meta(ge=1e-9, le=1e19)]
_End = Annotated[float, Meta(ge=0, le=1e19)]
_Date = Annotated[float, Meta(ge=_YEARS_S[0], le=_YEARS_S[1])]
_Fact = Annotated[list[str], Meta(min_length=3, max_length=3)]


class Figure(msgspec.Struct, frozen=True, array_like=True):
    """A point's figure in one run: the median over launches, and its interval if launches are enough, in ns.

    `name` is a `Name` in JSON. `explained` is the variance of its logarithm that the launches explain.
    """

    name: str
    ns: _Time
    low_ns: _End | None
    high_ns: _End | None
    explained: Annotated[float, Meta(ge=0, le=1e3)]


class Name(TypedDict):
    """Identity of a figure: `fields` that make points one measurement, and names and groups of series."""

    operation: str
    size: Annotated[int, Meta(ge=0)] | None
    variant: str
    library: str
    fields: dict[str, Any]


@dataclass(frozen=True)
class StoredRun:
    """A run as it is stored: where it was, when it was made, and what is known of it beside its figures.

    `facts` has kind, what it is and value by variant (`""` without variants). `problem` says why it has no figures;
    `state` is that of run.json, or `forgotten`; copies of a run have one `identity`.
    """

    path: str
    folder: str
    stamp: str
    state: str = "complete"
    created: str = ""
    unix_s: _Date = 0.0
    plan: str = ""
    host: str = ""
    facts: dict[str, list[_Fact]] = field(default_factory=dict)
    problem: str = ""
    identity: str = ""

    @property
    def has_figures(self) -> bool:
        """True if the run has figures and counts in series."""
        return bool(self.created) and not self.problem and self.state != FORGOTTEN


def copies(runs: Mapping[int, StoredRun]) -> dict[int, StoredRun]:
    """Return by its number, for every run that is a copy of an earlier one of these, the run that counts."""
    found: dict[int, StoredRun] = {}
    first: dict[str, StoredRun] = {}
    for number, run in runs.items():
        if run.has_figures and run.identity and (counts := first.setdefault(run.identity, run)) is not run:
            found[number] = counts
    return found


class Store:
    """The open store; use `opened`. What cannot be decoded of it is an InputError."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def stamps(self) -> dict[str, tuple[str, str]]:
        """Return the stamp and the state of every run, by its path."""
        rows = self._connection.execute("SELECT path, stamp, state FROM runs")
        return {path: (stamp, state) for path, stamp, state in _decoded(list(rows), list[tuple[str, str, str]])}

    def put(self, run: StoredRun, figures: Iterable[Figure] = ()) -> None:
        """Store a run in place of what is known of its path."""
        values = [getattr(run, name) for name in _OF_RUN]
        values[_OF_RUN.index("facts")] = json.dumps(run.facts)
        with self._connection:
            self._remove(run.path)
            marks = ", ".join("?" * len(_OF_RUN))
            words = f"INSERT INTO runs ({', '.join(_OF_RUN)}) VALUES ({marks})"  # noqa: S608 - constants
            number = self._connection.execute(words, values).lastrowid
            rows = [(number, self._point(one.name), one.ns, one.low_ns, one.high_ns, one.explained) for one in figures]
            self._connection.executemany("INSERT OR REPLACE INTO figures VALUES (?, ?, ?, ?, ?, ?)", rows)

    def remove(self, path: str) -> None:
        """Forget a run and its figures altogether."""
        with self._connection:
            self._remove(path)

    def runs(self, folders: Sequence[str], paths: Sequence[str] = ()) -> dict[int, StoredRun]:
        """Return the runs of these folders and those of these paths by their numbers, the oldest first."""
        words = f"SELECT id, {', '.join(_OF_RUN)} FROM runs WHERE"  # noqa: S608 - constants
        found: dict[int, StoredRun] = {}
        for column, values in (("folder", folders), ("path", paths)):
            for value in values:
                for number, *row in self._connection.execute(f"{words} {column} = ?", (value,)):
                    found[number] = _run(dict(zip(_OF_RUN, row, strict=True)))
        return dict(sorted(found.items(), key=lambda one: (one[1].unix_s, one[1].path)))

    def figures(self, runs: Sequence[int]) -> Iterator[tuple[int, Figure]]:
        """Yield the figures of these runs, each with the number of its run."""
        for begin in range(0, len(runs), _BATCH):
            some = list(runs[begin : begin + _BATCH])
            marks = ", ".join("?" * len(some))
            words = f"{_FIGURES} WHERE run IN ({marks})"
            for number, *row in self._connection.execute(words, some):
                yield number, _decoded(row, Figure)

    def _remove(self, path: str) -> None:
        self._connection.execute("DELETE FROM figures WHERE run IN (SELECT id FROM runs WHERE path = ?)", (path,))
        self._connection.execute("DELETE FROM runs WHERE path = ?", (path,))

    def _point(self, name: str) -> int:
        self._connection.execute("INSERT OR IGNORE INTO points (name) VALUES (?)", (name,))
        row = self._connection.execute("SELECT id FROM points WHERE name = ?", (name,)).fetchone()
        return int(_decoded(row, tuple[int])[0])


def place() -> Path:
    """Return where the store is, whether or not it is there."""
    return configuration() / FILE


def unix_s(created: str) -> float:
    """Return the seconds since 1970 of a date in ISO 8601; raises ValueError for another text, and before 1900."""
    moment = dt.datetime.fromisoformat(created)
    if not dt.MINYEAR < moment.year < dt.MAXYEAR:  # the years that every time zone has
        raise ValueError(f"year {moment.year}")
    seconds = moment.timestamp()
    if not _YEARS_S[0] <= seconds <= _YEARS_S[1]:
        raise ValueError(f"year {moment.year}")
    return seconds


def name_of(figure: str) -> Name:
    """Return the identity of a figure from its name; raises InputError for an unreadable name."""
    try:
        return msgspec.json.decode(figure, type=Name)
    except UNDECODABLE as error:
        raise _damaged(error) from error


@contextmanager
def opened() -> Iterator[Store]:
    """Open the store, or make one.

    Raises OutputError if it cannot be written, and InputError if it is none, damaged, or of a newer Groma.
    """
    path = place()
    try:
        make_folder(path.parent)
        path.touch(0o600)
        connection = sqlite3.connect(path, timeout=30)
    except (OSError, sqlite3.OperationalError) as error:
        raise _unwritable(path, error) from error
    try:
        _prepare(connection, path)
        yield Store(connection)
    except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite's message quotes damaged tables, in any bytes
        passing = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF in _PASSING
        raise (_unwritable(path, error) if passing else _damaged(error)) from error
    finally:
        with suppress(sqlite3.Error):
            connection.close()


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > _VERSION:
        raise InputError(f"{path} was written by a newer Groma; use that one, or name another folder by GROMA_CONFIG")
    if version < _VERSION:
        with connection:
            connection.executescript(f"{_FROM_1 if version else _TABLES}PRAGMA user_version = {_VERSION};")


def _run(known: dict[str, Any]) -> StoredRun:
    """Return a run of its row; raises InputError if a column holds something else than `put` wrote."""
    try:
        known["facts"] = msgspec.json.decode(known["facts"])
        run = msgspec.convert(known, StoredRun)
        if run.created:
            unix_s(run.created)
    except (*UNDECODABLE, TypeError, ValueError, OverflowError) as error:
        raise _damaged(error) from error
    strange = {kind for rows in run.facts.values() for kind, *_ in rows} - set(KINDS)
    if strange:
        raise _damaged(ValueError(f"a fact of the kind {strange.pop()!r}"))
    return run


def _decoded(row: object, kind: type[_Kind]) -> _Kind:
    try:
        return msgspec.convert(row, kind)
    except msgspec.ValidationError as error:
        raise _damaged(error) from error


def _damaged(error: Exception) -> InputError:
    reason = " ".join(str(error).split())
    return InputError(
        f"{place()} is no store of runs ({reason}); move it away: runs whose directories exist are read again"
    )


def _unwritable(path: Path, error: Exception) -> OutputError:
    reason = error.strerror if isinstance(error, OSError) else error
    return OutputError(
        f"the store of runs {path} cannot be used ({reason}); free some space, make it writable, or set GROMA_CONFIG"
    )
