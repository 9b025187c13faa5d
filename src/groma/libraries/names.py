"""Names of libraries that a person has given (`groma mpi add`), kept in the configuration folder."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from groma.errors import InputError, OutputError
from groma.registry import configuration

_FILE = "libraries.json"


class Kept(msgspec.Struct, frozen=True):
    """What is kept of a library: paths of its launcher, its compiler wrapper, and an engine that was given for it."""

    launcher: str = ""
    compiler: str = ""
    engine: str = ""


def kept() -> dict[str, Kept]:
    """Return the libraries that have names, by these; raises InputError where the file is damaged."""
    path = configuration() / _FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Kept])
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.DecodeError) as error:
        raise InputError(f"{path} cannot be read ({error}); repair or remove it") from None


def keep(name: str, library: Kept) -> Path:
    """Write down a name, in place of what had it before; return the file."""
    path = configuration() / _FILE
    known = kept() | {name: library}
    fresh = path.with_name(f".{_FILE}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_bytes(msgspec.json.format(msgspec.json.encode(known), indent=1) + b"\n")
        fresh.replace(path)
    except OSError as error:
        reason = f"{path} could not be written ({error.strerror})"
        raise OutputError(f"{reason}; make it writable, or set GROMA_CONFIG") from None
    return path
