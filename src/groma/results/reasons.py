"""reasons.json: why the programs of a run report other times, as `groma run --explain` found at the curves' ends."""

from __future__ import annotations

from pathlib import Path

import msgspec

from groma.results.opening import whole_document

NAME = "reasons.json"


class Share(msgspec.Struct, frozen=True):
    """A ratio of times and its 95 % interval, which may be unknown; of a factor, its words and its settings."""

    words: str
    settings: str
    ratio: float
    low: float | None = None
    high: float | None = None

    @property
    def is_shown(self) -> bool:
        """True if the interval excludes a ratio of 1."""
        return self.low is not None and self.high is not None and not self.low <= 1 <= self.high


class Reason(msgspec.Struct, frozen=True):
    """The ratio of two programs at one size, and the shares of the factors; `refused` says why these are not known."""

    call: str
    ranks: int
    bytes: int | None
    first: str
    other: str
    total: Share | None = None
    shares: list[Share] = []
    refused: str = ""

    @property
    def key(self) -> tuple[str, int, int | None, str, str]:
        """What was explained."""
        return self.call, self.ranks, self.bytes, self.first, self.other


class Reasons(msgspec.Struct):
    """The whole file."""

    schema: int
    reasons: list[Reason]


def read_reasons(directory: Path) -> list[Reason]:
    """Return the reasons that a run directory holds; raises RunError if the file is damaged."""
    path = directory / NAME
    return whole_document(path, Reasons).reasons if path.is_file() else []
