"""What `groma explain` left for two programs, and what it says of a claim."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

Expected = Literal["longer", "other", "same"]
TOTAL = "total"
TOGETHER = "together"
SIMULATED = "SimGrid"
SHOWN, CONTRARY, NOT_SHOWN = "shown", "the contrary is shown", "not shown"


@dataclass(frozen=True)
class Claim:
    """A claim of the comparison: see reasons.toml."""

    claim: str
    section: str
    operation: str
    pairs: tuple[tuple[str, str], ...]
    field: str
    expected: Expected
    short: str
    margin: float = 0.0
    sizes: tuple[int, ...] = (0,)  # bytes; 0: the operation has none
    ranks: tuple[int, ...] = ()  # empty: any number
    simulated: bool = False

    def speaks_of(self, case: Case) -> bool:
        """Return whether the claim is about this case."""
        return (
            case.operation == self.operation
            and case.bytes in self.sizes
            and (case.between in self.pairs or case.between[::-1] in self.pairs)
            and (not self.ranks or case.ranks in self.ranks)
            and (self.simulated or case.machine != SIMULATED)
        )


@dataclass(frozen=True)
class Case:
    """Two programs, what they measure, and on which ranks: of a machine in words, or simulated ones."""

    between: tuple[str, str]
    operation: str
    bytes: int
    ranks: int
    machine: str


@dataclass(frozen=True)
class Row:
    """One factor between two programs, `together` for all of them: the ratio of times, second over first.

    `factor` has what changes, `sync: none → window`; `refused` says why there is no factor.
    """

    operation: str
    ranks: int
    first: str
    second: str
    factor: str
    ratio: float | None
    low: float | None
    high: float | None
    refused: str
    bytes: int
    machine: str


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


def factor_of(row: Row) -> Factor:
    """Return the factor of a row; its values are words."""
    parts = [part.partition(": ") for part in row.factor.split(", ") if row.factor != TOGETHER]
    changes = {name: change.split(" → ") for name, _, change in parts}
    ends = None if row.low is None or row.high is None else (row.low, row.high)
    return Factor({name: (before, after) for name, (before, after) in changes.items()}, row.ratio or 1.0, ends)


@dataclass(frozen=True)
class Explained:
    """All factors between the two programs of a case; `refused` says why there are none."""

    case: Case
    factors: Sequence[Factor] = ()
    total: Factor | None = None
    refused: str = ""

    def turned(self) -> Explained:
        """Return the second program beside the first."""
        case = replace(self.case, between=self.case.between[::-1])
        return Explained(
            case, [factor.turned() for factor in self.factors], self.total and self.total.turned(), self.refused
        )

    def by(self, field: str) -> Factor | None:
        """Return the factor that a field belongs to, or the total; None if the two do not differ in it."""
        if field == TOTAL:
            return self.total
        return next((factor for factor in self.factors if field in factor.fields), None)


def rows_of(one: Explained) -> list[Row]:
    """Return all factors of two programs as rows, the largest first, after that of all together."""
    case = one.case
    head, tail = (case.operation, case.ranks, *case.between), (one.refused, case.bytes, case.machine)
    if one.total is None:
        return [Row(*head, "", None, None, None, *tail)]
    largest = sorted(one.factors, key=lambda factor: -max(factor.ratio, 1 / factor.ratio))
    named = [(TOGETHER, one.total), *((factor.words(), factor) for factor in largest)]
    rows = []
    for words, factor in named:
        low, high = factor.interval or (None, None)
        rows.append(Row(*head, words, factor.ratio, low, high, *tail))
    return rows


def explained_of(rows: Iterable[Row]) -> list[Explained]:
    """Return what rows say of each case, in their order."""
    cases: dict[Case, list[Row]] = {}
    for row in rows:
        cases.setdefault(Case((row.first, row.second), row.operation, row.bytes, row.ranks, row.machine), []).append(
            row
        )
    found = []
    for case, own in cases.items():
        total = next((factor_of(row) for row in own if row.factor == TOGETHER), None)
        factors = [factor_of(row) for row in own if row.factor not in ("", TOGETHER)]
        found.append(Explained(case, factors, total, own[0].refused))
    return found


def read(path: Path, case: Case) -> Explained:
    """Return what the document of `groma explain` says (explain.json)."""
    document = json.loads(path.read_text(encoding="utf-8"))
    found = {}
    for name, term in document["log_ratios"].items():
        change = document["changes"].get(name, {"before": {}, "after": {}})
        fields = {field: (value, change["after"].get(field)) for field, value in change["before"].items()}
        ends = term["interval"] and tuple(math.exp(end) for end in term["interval"])
        found[name] = Factor(fields, math.exp(term["value"]), ends)
    total = found.pop(TOTAL)
    return Explained(case, list(found.values()), total)


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
        return SHOWN if inside else CONTRARY if outside else NOT_SHOWN
    if low <= 1 <= high:
        return NOT_SHOWN
    return SHOWN if claim.expected == "other" or low > 1 else CONTRARY
