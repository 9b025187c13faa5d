"""What `groma explain` left for two programs, and what it says of a claim."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Expected = Literal["longer", "other", "same"]
TOTAL = "total"


@dataclass(frozen=True)
class Claim:
    """A claim of the comparison: see reasons.toml."""

    claim: str
    section: str
    operation: str
    pairs: Sequence[tuple[str, str]]
    field: str
    expected: Expected
    margin: float = 0.0


@dataclass(frozen=True)
class Factor:
    """One factor's ratio of times, second over first, and its 95 % interval, if there is one; fields as in a plan."""

    fields: Mapping[str, tuple[Any, Any]]
    ratio: float
    interval: tuple[float, float] | None

    def turned(self) -> Factor:
        """Return the factor of the first beside the second."""
        ends = self.interval and (1 / self.interval[1], 1 / self.interval[0])
        return Factor({name: (after, before) for name, (before, after) in self.fields.items()}, 1 / self.ratio, ends)

    def words(self) -> str:
        """Return `sync: none → window, block: 1000 → 0`."""
        return ", ".join(f"{name}: {before} → {after}" for name, (before, after) in self.fields.items())


@dataclass(frozen=True)
class Explained:
    """All factors between two programs for an operation on some ranks; `refused` says why there are none."""

    between: tuple[str, str]
    operation: str
    ranks: int
    factors: Sequence[Factor] = ()
    total: Factor | None = None
    refused: str = ""

    def turned(self) -> Explained:
        """Return the second program beside the first."""
        first, second = self.between
        factors = tuple(factor.turned() for factor in self.factors)
        return Explained(
            (second, first), self.operation, self.ranks, factors, self.total and self.total.turned(), self.refused
        )

    def by(self, field: str) -> Factor | None:
        """Return the factor that a field belongs to, or the total; None where the two do not differ in it."""
        if field == TOTAL:
            return self.total
        return next((factor for factor in self.factors if field in factor.fields), None)


def read(path: Path, between: tuple[str, str], operation: str, ranks: int) -> Explained:
    """Return what the document of `groma explain` says (explain.json)."""
    document = json.loads(path.read_text(encoding="utf-8"))
    found = {}
    for name, term in document["log_ratios"].items():
        change = document["changes"].get(name, {"before": {}, "after": {}})
        fields = {field: (value, change["after"].get(field)) for field, value in change["before"].items()}
        ends = term["interval"] and tuple(math.exp(end) for end in term["interval"])
        found[name] = Factor(fields, math.exp(term["value"]), ends)
    total = found.pop(TOTAL)
    return Explained(between, operation, ranks, tuple(found.values()), total)


def judge(claim: Claim, explained: Explained) -> str:
    """Return in a few words what the measurement says of a claim for one pair."""
    factor = explained.by(claim.field)
    if explained.refused:
        return "not measured"
    if factor is None:
        return "no such difference here"
    if factor.interval is None:
        return "too few launches"
    low, high = factor.interval
    if claim.expected == "same":
        inside = 1 / (1 + claim.margin) <= low and high <= 1 + claim.margin
        outside = low > 1 + claim.margin or high < 1 / (1 + claim.margin)
        return "shown" if inside else "the contrary is shown" if outside else "not shown"
    if low <= 1 <= high:
        return "not shown"
    return "shown" if claim.expected == "other" or low > 1 else "the contrary is shown"
