"""The measuring program: where it is, which MPI library it was built for, and what it can measure."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from groma.catalog import Catalog, decode, difference, packaged
from groma.errors import CatalogError, GromaError, LaunchError
from groma.launch.asking import answer_file, answer_of, is_binary, is_program, keep_answer
from groma.launch.causes import loader_fault
from groma.launch.installing import again, get_library

OVERRIDE = "GROMA_ENGINE"
_NAME = "groma-engine"
_LIBRARY = re.compile(r"^\s*(libmpi\w*\.so[.\d]*) => (?:(/\S+)|not found)", re.MULTILINE)
_LOADED = re.compile(r"^\s*(?:\S+ => )?(/.*) \(0x[0-9a-f]+\)$", re.MULTILINE)
_ABI = "libmpi_abi.so"
# What programs of HPE MPT ask the loader for; those of Open MPI ask for a version.
_MPT, _UNVERSIONED = "HPE MPT", "libmpi.so"
_TIMEOUT_S = 20


@dataclass(frozen=True)
class Engine:
    """One engine binary and the MPI library its loader finds for it.

    `family` is `MPICH` (also for every library behind the standard ABI), `Open MPI`, or "" if it is unknown.
    `library` is the path of the library as the loader resolves it, None if it is missing.
    """

    path: Path
    family: str
    abi: bool
    library: Path | None


def find_engine() -> Engine:
    """Return the engine of this installation, or the one GROMA_ENGINE names."""
    override = os.environ.get(OVERRIDE)
    if override:
        path = Path(shutil.which(override) or override)
        if not is_program(path):
            raise LaunchError(
                f"{OVERRIDE} names {override}, which is not a program; set it to a groma-engine or unset it"
            )
        return engine_at(path)
    installed = packaged_engine()
    if installed is None:
        folder = sysconfig.get_path("scripts")
        raise LaunchError(f"there is no {_NAME} in {folder} or on PATH; set {OVERRIDE}, or {again()}")
    return engine_at(installed)


def packaged_engine() -> Path | None:
    """Return the engine that was installed with this Groma, whatever GROMA_ENGINE says; None if there is none."""
    beside = Path(sysconfig.get_path("scripts")) / _NAME
    path = str(beside) if beside.is_file() else shutil.which(_NAME)
    return Path(path) if path else None


def catalog_in_use() -> Catalog:
    """Return what can be asked: the overriding engine's own catalogue, else the packaged one.

    An engine that was installed for one MPI library adds what that lacks. Needs no engine unless GROMA_ENGINE is set.
    """
    if os.environ.get(OVERRIDE):
        return describe(find_engine())
    catalog, installed = packaged(), packaged_engine()
    if installed is None or (engine := engine_at(installed)).abi:
        return catalog
    try:
        own = describe(engine)
    except GromaError:
        return catalog
    return own if difference(catalog, own) is None else catalog


def check_drift(engine: Engine, variables: dict[str, str] | None = None) -> None:
    """Raise CatalogError if the installed engine is not the one the packaged catalogue was made from.

    `variables` lead the engine to a library that its loader does not find by itself.
    """
    if os.environ.get(OVERRIDE):
        return
    drift = difference(packaged(), describe(engine, variables))
    if drift is not None:
        raise CatalogError(f"{engine.path} does not belong to this Groma: {drift}; install both from the same version")


def describe(engine: Engine, variables: dict[str, str] | None = None) -> Catalog:
    """Return the engine's description of itself, remembered by path, size and time of change."""
    remembered = answer_file("describe", engine.path)
    try:
        return decode(remembered.read_bytes(), str(remembered))
    except (OSError, CatalogError):
        text = _describe(engine, variables or {})
    catalog = decode(text, f"the description of {engine.path}")
    keep_answer(remembered, text)
    return catalog


def _describe(engine: Engine, variables: dict[str, str]) -> bytes:
    if engine.abi and engine.library is None and "LD_LIBRARY_PATH" not in variables:
        raise LaunchError(f"there is no MPI library with the standard ABI for {engine.path}; {get_library()}")
    try:
        completed = subprocess.run(
            [engine.path, "--describe"],
            env=os.environ | variables,
            capture_output=True,
            check=False,
            timeout=_TIMEOUT_S,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise does_not_start(engine.path, str(error)) from None
    if completed.returncode != 0:
        raise does_not_start(engine.path, completed.stderr.decode(errors="replace"), completed.returncode)
    return completed.stdout


def does_not_start(path: Path, printed: str, exit_code: int | None = None) -> LaunchError:
    """Return the error of an engine that printed this instead of an answer, with what to do about it."""
    if fault := loader_fault(printed):
        return LaunchError(f"{path} does not start: {fault.text}; {fault.remedy}")
    reason = printed.strip().rpartition("\n")[2].removeprefix(f"{path.name}: ") or f"exit code {exit_code}"
    return LaunchError(f"{path} does not start ({reason}); set {OVERRIDE} to another engine, or {again()}")


def engine_at(path: Path) -> Engine:
    """Return the engine at a path; the dynamic loader says which MPI library it gets, and the engine is not run."""
    path = path.absolute()
    return _with_library(path) if is_binary(path) else Engine(path, family="", abi=False, library=None)


def library_with(path: Path, variables: tuple[tuple[str, str], ...]) -> Path | None:
    """Return the MPI library that the loader finds for an engine with these variables; None if it finds none."""
    return _with_library(path, dict(variables)).library


def files_with(path: Path, variables: tuple[tuple[str, str], ...]) -> tuple[Path, ...] | None:
    """Return all files that the loader gives an engine with these variables; None for a script, which loads others."""
    if not is_binary(path):
        return None
    return tuple(dict.fromkeys(map(Path, _LOADED.findall(traced(path, dict(variables))))))


def traced(path: Path, variables: Mapping[str, str]) -> str:
    """Return what the loader prints of the files that it finds for a program, which does not run."""
    of_loader = {name: value for name, value in (os.environ | variables).items() if name.startswith("LD_")}
    return _traced(path, path.stat().st_mtime_ns, tuple(of_loader.items()))


@functools.lru_cache(maxsize=64)
def _traced(path: Path, _changed_ns: int, of_loader: tuple[tuple[str, str], ...]) -> str:
    return answer_of([path], _TIMEOUT_S, os.environ | dict(of_loader) | {"LD_TRACE_LOADED_OBJECTS": "1"}).stdout


def _with_library(path: Path, variables: Mapping[str, str] | None = None) -> Engine:
    for name, library in _LIBRARY.findall(traced(path, variables or {})):
        family = _MPT if name == _UNVERSIONED else family_of_library(name)
        if family:
            return Engine(path, family, name.startswith(_ABI), Path(library) if library else None)
    return Engine(path, family="", abi=False, library=None)


def family_of_library(name: str) -> str:
    """Return the family of a library's file, MPICH also for the standard ABI; empty for one that is no MPI library."""
    if name.startswith((_ABI, "libmpich.so", "libmpi.so.12", "libmpi_cray", "libmpi_gnu", "libmpi_intel")):
        return "MPICH"
    return "Open MPI" if name.startswith(("libmpi.so", "libmpi_ibm.so")) else ""


def engine_arguments(
    folder: Path, pairs: Mapping[str, tuple[int, int]] | None = None, *, first_messages: bool = False
) -> list[str]:
    """Return the engine's arguments for the launch in `folder`; `pairs` are the ranks that earlier searches found.

    `first_messages` are exchanged when MPI starts, for operations that ask for them (`after_init`).
    """
    names = {"--plan": "plan.json", "--out": "points.jsonl", "--nodes": "nodes.json"}
    arguments = [argument for option, name in names.items() for argument in (option, str(folder.absolute() / name))]
    found_pairs = ";".join(f"{name}={one},{other}" for name, (one, other) in (pairs or {}).items())
    if found_pairs:
        arguments += ["--pairs", found_pairs]
    return [*arguments, "--first-messages", "yes"] if first_messages else arguments
