"""Baselines: runs kept under a name, so that later runs can be compared with them wherever they were measured.

A baseline is a folder of the configuration (GROMA_CONFIG, else ~/.config/groma), `baselines/NAME`, with a copy of the
documents and records of every run: run.json and launches. Reports and tables that lie beside them are not copied.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from groma.catalog import suggestion
from groma.catalog.registry import configuration
from groma.decide.sides import Side, check_one_plan
from groma.errors import InputError, OutputError, RunError
from groma.results import Run, load_run
from groma.results.bundle import opened
from groma.run.directory import runs_named
from groma.text.secret import make_folder

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def folder() -> Path:
    """Return the folder of all baselines, whether or not it is there."""
    return configuration() / "baselines"


def known() -> list[str]:
    """Return the names of all baselines, in alphabetical order."""
    return sorted(path.name for path in folder().glob("*") if path.is_dir() and _NAME.fullmatch(path.name))


def store(name: str, runs: Sequence[Path], *, force: bool = False) -> Path:
    """Keep these runs of one plan under a name, and return the folder; an old baseline goes when the new one is whole.

    Raises InputError for a name that is taken or none, and for runs that are no runs, of several plans or unfinished,
    and OutputError if the baseline cannot be written.
    """
    if not _NAME.fullmatch(name):
        raise InputError(f"'{name}' cannot name a baseline; use letters, digits, -, _ and .")
    target = folder() / name
    if target.exists() and not force:
        raise InputError(f"there is a baseline '{name}' already; give another name, or replace it with --force")
    loaded = [load_run(path) for path in runs]
    check_one_plan(f"baseline {name}", loaded)
    for run in loaded:
        if not any(launch.points for launch in run.launches):
            raise InputError(f"{run.path} has measured nothing; a baseline needs a run with figures")
        if run.meta.state == "running":
            raise InputError(f"{run.path} has not finished; wait for it, or continue it with groma run --resume")
    try:
        make_folder(target.parent)
        fresh = Path(tempfile.mkdtemp(prefix=".new-", dir=target.parent))
        for number, run in enumerate(loaded, start=1):
            _copy(run.path, fresh / f"{number:03d}-{run.path.resolve().name}")
        if target.exists():
            shutil.rmtree(target)
        fresh.rename(target)
    except OSError as error:
        with suppress(OSError, UnboundLocalError):
            shutil.rmtree(fresh)
        raise OutputError(
            f"the baseline cannot be written to {target} ({error.strerror or error}); free some space, make it "
            "writable, or set GROMA_CONFIG"
        ) from error
    return target


def baseline(name: str) -> Side:
    """Return the runs of a baseline; raises InputError, with the nearest name, if there is none or a damaged one."""
    paths = sorted(path.parent for path in (folder() / name).glob("*/run.json")) if _NAME.fullmatch(name) else []
    if not paths:
        names = known()
        hint = suggestion(name, names) or (f"; there are {', '.join(names)}" if names else "")
        raise InputError(f"there is no baseline '{name}'{hint or '; make one with groma baseline set NAME RUN'}")
    return Side(name, [_kept(name, path) for path in paths])


def _kept(name: str, path: Path) -> Run:
    try:
        return load_run(path)
    except RunError as error:
        raise InputError(
            f"the baseline '{name}' is damaged: {error}; make it again with groma baseline set {name} RUN --force"
        ) from error


def side(word: str) -> Side:
    """Return the run in a directory, or else the baseline of that name, or the newest run whose name begins so.

    Raises InputError if there is none of them.
    """
    named = [] if word in known() else runs_named(Path(word))
    path = opened(named[-1] if named else Path(word))
    if (path / "run.json").is_file() or (path.is_dir() and word not in known()):
        return Side(path.name or path.resolve().name, [load_run(path)])
    if "/" in word:
        raise InputError(f"{word} is not a directory: name a run, such as runs/quick-20260102-030405, or a baseline")
    return baseline(word)


def _copy(run: Path, target: Path) -> None:
    """Copy what comparing and measuring again need: run.json, and the documents and records of the launches."""
    target.mkdir(parents=True)
    shutil.copy2(run / "run.json", target)
    for extra in run.glob("catalog.json"):
        shutil.copy2(extra, target)
    for launch in (run / "launches").glob("*"):
        (target / "launches" / launch.name).mkdir(parents=True)
        for document in [*launch.glob("*.json"), *launch.glob("*.jsonl")]:
            shutil.copy2(document, target / "launches" / launch.name)
