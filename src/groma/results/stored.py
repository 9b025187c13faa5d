"""The lines of points.jsonl, and the points of a large one, which stay on disk until they are asked for."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, overload

import msgspec
import numpy as np

from groma.errors import RunError
from groma.results.bounds import check_settings
from groma.results.checksum import Seals, verify
from groma.results.consistency import Consistency
from groma.results.documents import LaunchPlan
from groma.results.fields import Meanings, RecordedFields, packaged_meanings
from groma.results.kept import Columns, kept
from groma.results.opening import present_document
from groma.results.rankfile import is_held, rank_file
from groma.results.records import (
    End,
    Point,
    Record,
    Start,
    UnknownSchemaError,
    decode_fields,
    decode_record,
    has_figure,
    without_figure,
)

LARGE = 64 << 10  # bytes of records of a launch that are not held in memory
KEPT = "points.places"  # where the lines of a large file begin
_COLUMNS = ("offset", "length", "index")
_VERSION = 2  # of what is refused and kept: a change makes kept places invalid

T = TypeVar("T")


class Lines:
    """The records of a file with the place and length of their lines.

    After the last, `torn` says whether it was incomplete, `sealed` whether the lines have checksums, and `planned`
    whether there was a plan.json to hold them against.
    """

    def __init__(self, path: Path, meanings: Meanings | None, *, appended: bool = False) -> None:
        """Name a file, which may be missing; `meanings` is the catalogue of its run, if not the packaged one.

        With `appended`, it may have several launches, one after the other.
        """
        self._path, self._meanings, self._appended = path, meanings, appended
        self._seals = Seals()
        self.torn = self.planned = False

    @property
    def sealed(self) -> bool:
        """True if the lines read so far have checksums."""
        return bool(self._seals.present)

    def __iter__(self) -> Iterator[tuple[int, int, Record]]:
        """Yield offset, length and record of every line; raises `RunError` if one before the last is damaged."""
        with contextlib.closing(_lines(self._path)) as whole_lines:
            yield from self._records(enumerate(whole_lines, start=1))

    def _records(self, lines: Iterator[tuple[int, tuple[int, bytes]]]) -> Iterator[tuple[int, int, Record]]:
        now = next(lines, None)
        ended = False
        plan = present_document(self._path.with_name("plan.json"), LaunchPlan)
        consistency, self.planned = Consistency(plan), plan is not None
        while now is not None:
            number, (offset, line) = now
            now = next(lines, None)
            if ended and not self._appended:
                raise self._follows(number)
            if ended:
                self._seals = Seals()  # the next launch may be of another version, which has checksums or lacks them
            record = self._record(line.rstrip(b"\n"), number, consistency, last=now is None)
            if record is None:
                self.torn = True
                return
            if ended and not isinstance(record, Start):
                raise self._follows(number)
            ended = isinstance(record, End)
            yield offset, len(line), record

    def _follows(self, number: int) -> RunError:
        return RunError(
            f"{self._path} line {number} follows the last record of its launch: the file was changed or "
            "damaged; move it away to read the other launches"
        )

    def _record(self, line: bytes, number: int, consistency: Consistency, *, last: bool) -> Record | None:
        """Return the record of a line; None for a torn last one."""
        try:
            record = decode_record(line)
            self._seals.take(line)
            consistency.take(record, sealed=self.sealed)
            if isinstance(record, Point):
                check_settings(record.point, (self._meanings or packaged_meanings()).numeric)
                record = whole(record, self._path, self._meanings)
        except UnknownSchemaError as error:
            raise RunError(f"{self._path} line {number}: {error}") from error
        except msgspec.DecodeError as error:
            if last and not isinstance(error, msgspec.ValidationError):
                return None
            raise RunError(
                f"{self._path} line {number} is not a record ({error}): "
                "the file was changed or damaged; move it away to read the other launches"
            ) from error
        return record


class StoredPoints(Sequence[Point]):
    """The points of one launch, decoded from their file one by one; where they lie is kept beside it.

    `torn`, `sealed` and `planned` are as those of `Lines` after the last.
    """

    def __init__(self, path: Path, meanings: Meanings | None) -> None:
        """Find the points of the file; raises `RunError` for a damaged one."""
        self.path, self._meanings = path, meanings
        self._last: tuple[int, Point] | None = None
        places = kept(path.with_name(KEPT), path, f"{_VERSION} places of {','.join(_COLUMNS)}", self._places)
        self.torn, self.sealed, self.planned = (bool(places.facts[name]) for name in ("torn", "sealed", "planned"))
        self._others: list[tuple[int, int]] = places.facts["others"]
        self._offsets, self._lengths, self._indices = (places[name].astype(np.int64) for name in _COLUMNS)

    def __len__(self) -> int:
        """Return the number of points with a figure."""
        return self._offsets.size

    @overload
    def __getitem__(self, place: int) -> Point: ...
    @overload
    def __getitem__(self, place: slice) -> list[Point]: ...
    def __getitem__(self, place: int | slice) -> Point | list[Point]:
        """Decode one point, or several."""
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        at = range(len(self))[place]
        if self._last is None or self._last[0] != at:
            self._last = at, self._decoded(at)
        return self._last[1]

    @property
    def indices(self) -> list[int]:
        """The places of the points in their plan."""
        indices: list[int] = self._indices.tolist()
        return indices

    def fields(self, at: int) -> dict[str, Any]:
        """Return the fields of one point, a tenth of what decoding all of it takes."""
        with self._opened() as file:
            fields = self._read(file, int(self._offsets[at]), int(self._lengths[at]), decode_fields)
        return _described(fields, self._meanings)

    def others(self) -> list[Record]:
        """Return the records of the launch that are no points with a figure; a point without one as a failure."""
        records = [self._line(offset, length) for offset, length in self._others]
        return [without_figure(record) if isinstance(record, Point) else record for record in records]

    def __iter__(self) -> Iterator[Point]:
        """Decode all points, one after the other; the file is opened once."""
        with self._opened() as file:
            for offset, length in zip(self._offsets.tolist(), self._lengths.tolist(), strict=True):
                yield self._point(self._read(file, offset, length, decode_record))

    def _decoded(self, at: int) -> Point:
        return self._point(self._line(int(self._offsets[at]), int(self._lengths[at])))

    def _point(self, record: Record) -> Point:
        if not isinstance(record, Point):
            raise RunError(f"{self.path} changed while it was read: read the run again")
        return whole(record, self.path, self._meanings)

    def _line(self, offset: int, length: int) -> Record:
        with self._opened() as file:
            return self._read(file, offset, length, decode_record)

    @contextlib.contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        try:
            file = self.path.open("rb")
        except OSError as error:
            raise self._changed(error) from error
        with file:
            yield file

    def _read(self, file: BinaryIO, offset: int, length: int, decode: Callable[[bytes], T]) -> T:
        try:
            file.seek(offset)
            line = file.read(length).rstrip(b"\n")
            verify(line)
            return decode(line)
        except (OSError, UnknownSchemaError, msgspec.DecodeError) as error:
            raise self._changed(error) from error

    def _changed(self, error: Exception) -> RunError:
        return RunError(f"{self.path} changed while it was read ({error}): read the run again")

    def _places(self) -> Columns:
        """Return where the points are, and which other lines the file has."""
        places: list[tuple[int, int, int]] = []
        others: list[tuple[int, int]] = []
        lines = Lines(self.path, self._meanings)
        for offset, length, record in lines:
            if isinstance(record, Point) and has_figure(record):
                places.append((offset, length, record.index))
            else:
                others.append((offset, length))
        table = np.array(places, dtype=np.float64).reshape(-1, len(_COLUMNS))
        facts = {"torn": lines.torn, "sealed": lines.sealed, "planned": lines.planned, "others": others}
        return Columns.of({name: table[:, at].copy() for at, name in enumerate(_COLUMNS)}, facts)


def _lines(path: Path) -> Generator[tuple[int, bytes]]:
    """Yield the offset of every line with the line; none without the file, nor the empty lines that end it."""
    if not path.is_file():
        return
    offset, empty = 0, list[tuple[int, bytes]]()
    with path.open("rb") as file:
        for line in file:
            empty.append((offset, line))
            offset += len(line)
            if line != b"\n":
                yield from empty
                empty.clear()


def whole(record: Point, records: Path, meanings: Meanings | None) -> Point:
    """Return a point of this file with fields that know a catalogue, and with the times of ranks from their own file.

    Raises `RunError` if that file does not have them.
    """
    record = described(record, meanings)
    at = record.ranks_at
    if at is None:
        return record
    if not is_held(records, at):
        raise RunError(
            f"{rank_file(records)} lacks the times of the ranks of point {record.index}: the file was changed or "
            "damaged; move it and its records away to read the other launches"
        )
    times = np.memmap(rank_file(records), "<i8", "r", at.offset, (at.ranks, at.samples))
    return msgspec.structs.replace(record, ranks_ns=list(np.asarray(times)))


def described(record: Point, meanings: Meanings | None) -> Point:
    """Return the point with fields that know a catalogue of their own."""
    fields = _described(record.point, meanings)
    return record if fields is record.point else msgspec.structs.replace(record, point=fields)


def fields_of(points: Sequence[Point], at: int) -> dict[str, Any]:
    """Return the fields of one of a launch's points; of those on disk, without decoding what was measured."""
    return points.fields(at) if isinstance(points, StoredPoints) else points[at].point


def _described(fields: dict[str, Any], meanings: Meanings | None) -> dict[str, Any]:
    return fields if meanings is None or meanings is packaged_meanings() else RecordedFields(fields, meanings)
