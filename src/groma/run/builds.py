"""Builds of engine and MPI library: a run mixes two of them only if the user allows it."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

from groma.launch.command import Setup
from groma.plan import Variant
from groma.results.documents import Build
from groma.run.directory import RunDirectory
from groma.run.earlier import newest_accounts

_DIGITS = 16
WHAT_TO_DO = "restore it, start a new run, or mix both by --resume with --any-build, which the run's checks then say"


def build_of(setup: Setup, variant: Variant | None) -> Build:
    """Return the builds that a launch of a variant uses."""
    env = variant.env if variant else {}
    library, files = setup.library(env), setup.files(env)
    loaded = None if files is None else {str(path): _digest(path) for path in files if path != library}
    path = "" if library is None else str(library)
    return Build(_digest(setup.engine.path), "" if library is None else _digest(library), path, loaded)


def changed(before: Build, now: Build, engine: Path) -> str:
    """Name the file whose contents changed; empty if none is known to have changed."""
    if before.engine and now.engine and before.engine != now.engine:
        return f"{engine}, the engine, is another build ({now.engine}, not {before.engine})"
    if before.library and now.library and before.library != now.library:
        return f"{now.library_path}, the MPI library, is another build ({now.library}, not {before.library})"
    for path, digest in (now.loaded or {}).items():
        known = (before.loaded or {}).get(path, "")
        if known and digest and known != digest:
            return f"{path} is another build ({digest}, not {known})"
    return ""


class Builds:
    """The builds that measured the launches of each variant so far."""

    def __init__(self, directory: RunDirectory) -> None:
        """Read them from the launches that are kept; older launches do not say them."""
        self._newest = {
            variant: (account.number, account.build)
            for variant, account in newest_accounts(directory).items()
            if account.build
        }

    def other(self, variant: Variant | None, setup: Setup) -> str:
        """Name the file that changed since the newest launch of a variant; empty if none did."""
        name = variant.name if variant else None
        if name not in self._newest:
            return ""
        number, before = self._newest[name]
        what = changed(before, build_of(setup, variant), setup.engine.path)
        return f"{what} than measured launch {number}" if what else ""

    def keep(self, number: int, variant: Variant | None, setup: Setup) -> None:
        """Remember what measures a launch."""
        self._newest[variant.name if variant else None] = (number, build_of(setup, variant))


def _digest(path: Path) -> str:
    """Return the first digits of the SHA-256 of a file, remembered until the file changes; empty for one not there."""
    try:
        status = path.stat()
        return _digest_of(path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    except OSError:
        return ""


@functools.lru_cache(maxsize=64)
def _digest_of(path: Path, *_state: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:_DIGITS]
