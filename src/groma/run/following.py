"""Reads a running launch's records, as far as progress, budget and failures need them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from groma.errors import UNDECODABLE
from groma.results.checksum import Seals
from groma.results.rankfile import RanksAt, is_held


class FoundTime(msgspec.Struct, frozen=True):
    """One pair of ranks of a search."""

    ranks: tuple[int, int]


class Search(msgspec.Struct, frozen=True):
    """Result of a search for a pair: the pair used is the first of `slowest`."""

    pattern: str
    ranks: int
    bytes: int
    slowest: list[FoundTime]
    placement: str = ""


class _Line(msgspec.Struct):
    """The members of a record that a campaign needs; samples are skipped without being decoded."""

    kind: str
    index: int = -1
    elapsed_ns: int = 0
    median_ns: float = 0.0
    half_width: float | None = None
    ranks_at: RanksAt | None = None
    reason: str = ""
    message: str = ""
    library: dict[str, Any] = {}
    ranks: Any = None
    searches: list[Search] = []


@dataclass
class Follower:
    """What one launch has written so far; `read` takes in what is new."""

    path: Path
    elapsed_s: dict[int, float] = field(default_factory=dict)
    median_ns: dict[int, float] = field(default_factory=dict)
    half_width: dict[int, float] = field(default_factory=dict)
    failures: dict[int, str] = field(default_factory=dict)
    skipped: dict[int, str] = field(default_factory=dict)
    timed_out: set[int] = field(default_factory=set)
    without_samples: set[int] = field(default_factory=set)
    library: dict[str, Any] = field(default_factory=dict)
    searches: list[Search] = field(default_factory=list)
    started: bool = False
    ranks: int | None = None
    ended: bool = False
    records: int = 0
    damaged: bool = False
    _offset: int = 0
    _seals: Seals = field(default_factory=Seals)

    def read(self) -> None:
        """Take in every whole line written since the last call; a torn line waits for its rest."""
        try:
            with self.path.open("rb") as file:
                file.seek(self._offset)
                text = file.read()
        except FileNotFoundError:
            return
        except OSError:
            self.damaged = True
            return
        whole_lines, newline, _rest = text.rpartition(b"\n")
        self._offset += len(whole_lines) + len(newline)
        for line in whole_lines.split(b"\n"):
            if line:
                self._take(line)

    @property
    def done(self) -> int:
        """Points that are over: measured, failed or skipped."""
        return len(self.elapsed_s.keys() | self.failures.keys() | self.skipped.keys())

    def _take(self, line: bytes) -> None:
        try:
            self._seals.take(line)
            record = _DECODER.decode(line)
        except UNDECODABLE:
            self.damaged = True  # the reader of results reports the line; the campaign goes on
            return
        self.damaged |= self.ended
        self.records += 1
        if record.kind == "start":
            self.started, self.library, self.ranks = True, record.library, record.ranks
            self.searches = record.searches
        elif record.kind == "point":
            self.elapsed_s[record.index] = record.elapsed_ns * 1e-9
            self.median_ns[record.index] = record.median_ns
            self.half_width[record.index] = record.half_width or 0.0
            self.damaged |= record.ranks_at is not None and not is_held(self.path, record.ranks_at)
        elif record.kind == "failure":
            self.failures[record.index] = record.message
            if record.reason == "timeout":
                self.timed_out.add(record.index)
            if record.reason == "no_samples":
                self.without_samples.add(record.index)
        elif record.kind == "left_out":
            self.skipped[record.index] = record.message
        elif record.kind == "end":
            self.ended = True


_DECODER = msgspec.json.Decoder(_Line)
