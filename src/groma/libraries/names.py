"""Names of libraries that a person has given (`groma mpi add`), kept in the configuration folder."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from groma.catalog.registry import configuration
from groma.errors import UNDECODABLE, InputError, writing
from groma.text.secret import make_folder

_FILE = "libraries.json"


class NamedPaths(msgspec.Struct, frozen=True):
    """A library that a person has named: paths of its launcher, its compiler wrapper and an engine chosen for it."""

    launcher: str = ""
    compiler: str = ""
    engine: str = ""


def named_libraries() -> dict[str, NamedPaths]:
    """Return the libraries that have names, by these; raises InputError if the file is damaged."""
    path = configuration() / _FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, NamedPaths])
    except FileNotFoundError:
        return {}
    except (OSError, *UNDECODABLE) as error:
        raise InputError(f"{path} cannot be read ({error}); repair or remove it") from None


def name_library(name: str, paths: NamedPaths) -> Path:
    """Write down a name, in place of what had it before; return the file."""
    path = configuration() / _FILE
    libraries = named_libraries() | {name: paths}
    fresh = path.with_name(f".{_FILE}.{os.getpid()}")
    with writing(path, "make it writable, or set GROMA_CONFIG"):
        make_folder(path.parent)
        fresh.write_bytes(msgspec.json.format(msgspec.json.encode(libraries), indent=1) + b"\n")
        fresh.replace(path)
    return path
