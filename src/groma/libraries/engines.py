"""The engine of a library: the packaged one for the standard ABI, else one that was built for it."""

from __future__ import annotations

import functools
import hashlib
import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec
import platformdirs

from groma.catalog import packaged
from groma.errors import UNDECODABLE, GromaError, InputError
from groma.launch.engine import OVERRIDE, Engine, engine_at, find_engine, packaged_engine
from groma.launch.installing import again
from groma.libraries.library import Library, command_of, output_of

Kind = Literal["packaged", "given", "built", "to build", "changed", "impossible"]
PROGRAM = "groma-engine"
_ACCOUNT = "engine.json"


class Account(msgspec.Struct, frozen=True):
    """engine.json, beside a built engine: its library, compiler and sources."""

    library: str
    file: str
    compiler: str
    built_by: str
    groma: str


@dataclass(frozen=True)
class State:
    """The engine of a library, or how it can be had."""

    kind: Kind
    engine: Path | None
    text: str

    @property
    def ready(self) -> bool:
        """True if the library can be measured now."""
        return self.kind in ("packaged", "given", "built")


def cache() -> Path:
    """Return the folder with the engines that were built."""
    return platformdirs.user_cache_path("groma") / "engines"


def sources() -> Path:
    """Return the folder with the engine's sources: in the package, or the checkout that is imported.

    Raises InputError if there are none.
    """
    package = Path(__file__).parents[1]
    for folder in (package / "_engine_sources", package.parents[1]):
        if (folder / "CMakeLists.txt").is_file() and (folder / "engine" / "groma").is_dir():
            return folder
    raise InputError(f"{package} holds no sources of the engine; {again()}")


def state_of(library: Library) -> State:
    """Say which engine measures a library, without making or starting one."""
    if library.engine is not None:
        return _given(library.engine)
    if library.abi is not None:
        return _packaged()
    if library.compiler is None:
        return State("impossible", None, "no compiler wrapper (mpicxx) to build an engine; install the library's own")
    try:
        return _of_cache(library, folder_of(library) / PROGRAM)
    except GromaError as error:
        return State("impossible", None, str(error))


def _given(engine: Path) -> State:
    if engine.is_file():
        return State("given", engine, "the engine that was named")
    return State("impossible", None, f"the engine {engine} is gone; name another with groma mpi add")


def _of_cache(library: Library, built: Path) -> State:
    if built.is_file():
        return State("built", built, "built")
    command = f"groma mpi add {shlex.quote(str(library.compiler))}"
    if any(account.file == str(library.file) for account in _accounts()):
        return State("changed", None, f"library, compiler or Groma changed: {command}")
    return State("to build", None, command)


def folder_of(library: Library) -> Path:
    """Return the folder of the engine for a library as it is now: named after library, compiler and sources."""
    return cache() / fingerprint(library)


def fingerprint(library: Library) -> str:
    """Return what changes with the library's file, its wrapper's command, the compiler and the engine's sources."""
    if library.compiler is None or library.file is None:
        raise InputError(f"{library.words} at {library.place} has no compiler wrapper that says what it links")
    status = library.file.stat()
    identity = (
        f"{library.file.resolve()}:{status.st_size}:{status.st_mtime_ns}",
        command_of(library.compiler),
        compiler_version(library.compiler),
        _sources_hash(sources()),
    )
    return hashlib.sha256("\n".join(identity).encode()).hexdigest()[:16]


@functools.lru_cache(maxsize=64)
def compiler_version(wrapper: Path) -> str:
    """Return the first line that the compiler behind a wrapper says of its version; empty if it says nothing."""
    try:
        return next(iter(output_of(wrapper, "--version").splitlines()), "")
    except OSError:
        return ""


def _packaged() -> State:
    """Return the engine with the standard ABI; one that GROMA_ENGINE names only if it has it, or may."""
    chosen = os.environ.get(OVERRIDE)
    engine: Engine | None = find_engine() if chosen else None
    if engine is None or engine.family == "Open MPI" or (engine.family and not engine.abi):
        packaged = packaged_engine()
        engine = engine_at(packaged) if packaged else None
    if engine is None or (engine.family and not engine.abi):
        return State("impossible", None, f"no engine with the standard ABI is installed; {again()}")
    return State("packaged", engine.path, "standard ABI: the packaged engine")


@functools.lru_cache(maxsize=4)
def _sources_hash(folder: Path) -> str:
    digest = hashlib.sha256()
    files = [folder / "CMakeLists.txt", *(folder / "cmake").glob("*"), *(folder / "engine").rglob("*")]
    for path in sorted(path for path in files if path.is_file() and "tests" not in path.relative_to(folder).parts):
        digest.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def _accounts() -> list[Account]:
    """Return what is known of all engines that were built; damaged accounts are none."""
    accounts = []
    for path in cache().glob(f"*/{_ACCOUNT}"):
        try:
            accounts.append(msgspec.json.decode(path.read_bytes(), type=Account))
        except (OSError, *UNDECODABLE):
            continue
    return accounts


def write_account(folder: Path, library: Library) -> None:
    """Write engine.json of the engine in a folder."""
    account = Account(
        library=library.words,
        file=str(library.file),
        compiler=str(library.compiler),
        built_by=compiler_version(library.compiler) if library.compiler else "",
        groma=packaged().engine,
    )
    (folder / _ACCOUNT).write_bytes(msgspec.json.format(msgspec.json.encode(account), indent=1) + b"\n")
