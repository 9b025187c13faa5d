"""Numbers about the records of one launch as columns, kept in a file beside the records so that they are made once.

Such a file is derived: removing it costs nothing but time. Its first line is a JSON header; the columns follow,
one after the other, as 8-byte little-endian numbers.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

_FORMAT = 1
_SAMPLED = 1 << 16  # bytes at both ends of the records that show a changed file of the same size and time


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns of equal length by their names, and further facts as JSON; a file's columns are read when asked for."""

    names: tuple[str, ...]
    rows: int
    facts: dict[str, Any]
    _read: Callable[[str], Values] = field(repr=False)

    @classmethod
    def of(cls, values: Mapping[str, Values], facts: dict[str, Any]) -> Columns:
        """Return columns that are in memory."""
        rows = len(next(iter(values.values()))) if values else 0
        return cls(tuple(values), rows, facts, values.__getitem__)

    def __getitem__(self, name: str) -> Values:
        """Return one column."""
        return self._read(name)

    def whole(self, name: str) -> NDArray[np.int64]:
        """Return a column that holds 64-bit integers in place of floating-point numbers."""
        return self._read(name).view(np.int64)


class _Header(msgspec.Struct):
    format: int
    source: tuple[int, int, str]
    maker: str
    names: tuple[str, ...]
    rows: int
    facts: dict[str, Any]


def kept(path: Path, source: Path, maker: str, make: Callable[[], Columns]) -> Columns:
    """Return the columns that `path` keeps of the records in `source`; without them, make them and keep them there.

    Columns of records that changed since, or that another `maker` (a text) made, are made again. If the folder
    cannot be written they are made and not kept.
    """
    state = _state_of(source)
    columns = _opened(path, state, maker)
    if columns is None:
        columns = make()
        _write(path, _Header(_FORMAT, state, maker, columns.names, columns.rows, columns.facts), columns)
        columns = _opened(path, state, maker) or columns  # those of a file need no memory
    return columns


def _state_of(source: Path) -> tuple[int, int, str]:
    """Return size, time of change and a hash of both ends of a file."""
    with source.open("rb") as file:
        status = os.fstat(file.fileno())
        ends = file.read(_SAMPLED)
        file.seek(max(0, status.st_size - _SAMPLED))
        ends += file.read(_SAMPLED)
    return status.st_size, status.st_mtime_ns, hashlib.blake2b(ends, digest_size=16).hexdigest()


def _opened(path: Path, state: tuple[int, int, str], maker: str) -> Columns | None:
    """Return the columns of a file; None if there is none that is whole and of this state."""
    try:
        with path.open("rb") as file:
            line = file.readline()
            header = msgspec.json.decode(line, type=_Header)
            size = os.fstat(file.fileno()).st_size
    except (OSError, msgspec.DecodeError):
        return None
    whole = size == len(line) + 8 * header.rows * len(header.names)
    if not whole or (header.format, header.source, header.maker) != (_FORMAT, state, maker):
        return None
    places = {name: len(line) + 8 * header.rows * place for place, name in enumerate(header.names)}

    def read(name: str) -> Values:
        return np.fromfile(path, "<f8", header.rows, offset=places[name])

    return Columns(header.names, header.rows, header.facts, read)


def _write(path: Path, header: _Header, columns: Columns) -> None:
    """Write the file, whole or not at all; a folder that cannot be written has none."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with fresh.open("wb") as file:
            file.write(msgspec.json.encode(header) + b"\n")
            for name in header.names:
                file.write(columns[name].astype("<f8", copy=False).tobytes())
        fresh.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)
