"""The page of `make reasons`: what a comparison of five programs claimed, beside what is found."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.chart import Dot, strips
from benchmarks.page import Page, Study
from benchmarks.reasons.found import (
    CONTRARY,
    NOT_SHOWN,
    SHOWN,
    SIMULATED,
    Case,
    Claim,
    Explained,
    Row,
    explained_of,
    judge,
)
from groma.text.charts.axes import levels
from groma.text.numbers import DASH
from groma.text.sizes import format_size, parse_size
from simulation.definitions import Compared

CLAIMS = Path(__file__).with_name("reasons.toml")
# How a claim's lists are read; without sizes there are 0 bytes.
_READ: Mapping[str, Callable[[list[Any]], tuple[Any, ...]]] = {
    "pairs": lambda pairs: tuple(tuple(pair) for pair in pairs),
    "sizes": lambda sizes: tuple(map(parse_size, sizes)) or (0,),
    "ranks": tuple,
}
_JUDGED = (SHOWN, CONTRARY, NOT_SHOWN)


def claims() -> list[Claim]:
    """Return the claims in the order of the paper."""
    written = tomllib.loads(CLAIMS.read_text(encoding="utf-8"))["reason"]
    return [Claim(**one | {name: read(one.get(name, ())) for name, read in _READ.items()}) for one in written]


def judged(claim: Claim, found: Sequence[Explained]) -> Iterator[tuple[str, Explained]]:
    """Yield what is said of a claim in each case that it speaks of, first program as the claim has it."""
    for one in found:
        if claim.speaks_of(one.case):
            turned = one if one.case.between in claim.pairs else one.turned()
            yield judge(claim, turned), turned


def page(rows: Sequence[Row], simulated: Sequence[Compared]) -> Page:
    """Return docs/reasons.md."""
    found = explained_of(rows)
    verdicts = {claim: Counter(word for word, _ in judged(claim, found)) for claim in claims()}
    return Page(
        chart=_chart(found),
        headings=["claim", "section", "shown", "contrary shown", "not shown"],
        rows=[
            [claim.claim, claim.section, *map(str, (count[SHOWN], count[CONTRARY], _others(count)))]
            for claim, count in verdicts.items()
        ],
        words={
            "claims": len(verdicts),
            "shown": sum(count[SHOWN] > 0 for count in verdicts.values()),
            "contrary": sum(count[CONTRARY] > 0 for count in verdicts.values()),
            "explained": sum(not one.refused for one in found),
            "real": _real(found),
            "machine": " and ".join(dict.fromkeys(row.machine for row in rows if row.machine != SIMULATED)),
        }
        | _left_open(simulated)
        | _sendrecv(found),
    )


def _real(found: Sequence[Explained]) -> str:
    """Return the sizes of the cases on real ranks, and how many ranks there were: `1 KiB on 2 and 4 ranks`."""
    counts: dict[int, set[int]] = {}
    for one in found:
        if one.case.bytes and one.case.machine != SIMULATED:
            counts.setdefault(one.case.bytes, set()).add(one.case.ranks)
    ranks = {size: " and ".join(map(str, sorted(own))) for size, own in sorted(counts.items())}
    return ", ".join(f"{format_size(size)} on {own} ranks" for size, own in ranks.items())


def _left_open(simulated: Sequence[Compared]) -> dict[str, str]:
    """Return the words on what the comparison could not explain."""
    *_, span, changing, alike, slow = simulated
    return {
        "span": f"{span.first_us / 1e3:.1f}",
        "own": f"{span.second_us / 1e3:.1f}",
        "slowest": f"{changing.first_us / 1e3:.1f}",
        "mean": f"{changing.second_us / 1e3:.1f}",
        "ring": f"{slow.first_us / alike.first_us:.3g}",
        "pairs": f"{slow.second_us / alike.second_us:.3g}",
    }


def _sendrecv(found: Sequence[Explained]) -> dict[str, str]:
    """Return what single factors do to MPI_Sendrecv, from MPIBench's time to the others', as the words of the page."""
    cases = [one for one in found if one.case.operation == "sendrecv" and one.case.between[0] == "mpibench"]
    real = [one for one in cases if one.case.machine != SIMULATED]
    network = [one for one in cases if one.case.machine == SIMULATED]

    def ratios(of: Sequence[Explained], field: str, program: str = "") -> list[str]:
        factors = [one.by(field) for one in of if program in ("", one.case.between[1])]
        return [f"{ratio:.3g}" for ratio in sorted(factor.ratio for factor in factors if factor)] or [DASH]

    rings = {name: ratios(of, "pattern") for name, of in (("real", real), ("network", network))}
    words = {f"{name}_ring": f"{own[0]} to {own[-1]}" for name, own in rings.items()}
    return words | {"cold": ratios(real, "cache", "skampi")[-1], "kept": ratios(real, "outliers", "pmb")[-1]}


def _others(count: Counter[str]) -> int:
    return count.total() - count[SHOWN] - count[CONTRARY]


def _chart(found: Sequence[Explained]) -> str:
    dots = []
    for claim in claims():
        for word, one in judged(claim, found):
            factor = one.by(claim.field)
            if word in _JUDGED and factor and factor.interval:
                dots.append(
                    Dot(claim.short, word, factor.ratio, f"{_where(one.case)}: {factor.ratio:.3g}", *factor.interval)
                )
    x = levels("time of the second program over the first, by this factor", [dot.value for dot in dots])
    return strips(dots, x, "Ratios of times by claim, with 95% intervals")


def _where(case: Case) -> str:
    size = f", {format_size(case.bytes)}" if case.bytes else ""
    ranks = f"{case.ranks} {'simulated ' * (case.machine == SIMULATED)}ranks"
    return f"{' to '.join(case.between)}, {ranks}{size}"


STUDY = Study("reasons", {"reasons": Row, "reasons-open": Compared}, page)
