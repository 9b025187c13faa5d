"""The page of `make reasons`: what a comparison of five programs claimed, beside what is found."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.chart import Dot, strips
from benchmarks.page import Page, Study
from benchmarks.reasons.found import CONTRARY, NOT_SHOWN, SHOWN, Claim, Explained, Row, explained_of, judge
from groma.text.charts.axes import levels
from groma.text.sizes import format_size

CLAIMS = Path(__file__).with_name("reasons.toml")
_JUDGED = (SHOWN, CONTRARY, NOT_SHOWN)


def claims() -> list[Claim]:
    """Return the claims in the order of the paper."""
    written = tomllib.loads(CLAIMS.read_text(encoding="utf-8"))["reason"]
    return [Claim(**one | {"pairs": tuple(tuple(pair) for pair in one["pairs"])}) for one in written]


def judged(claim: Claim, found: Sequence[Explained]) -> Iterator[tuple[str, Explained]]:
    """Yield what is said of a claim for each of its pairs and numbers of ranks, first program as the claim has it."""
    known = {(one.between, one.operation, one.ranks): one for one in found}
    known |= {(one.between[::-1], one.operation, one.ranks): one.turned() for one in found}
    for pair in claim.pairs:
        for ranks in sorted({one.ranks for one in found}):
            one = known[pair, claim.operation, ranks]
            yield judge(claim, one), one


def page(rows: Sequence[Row]) -> Page:
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
            "size": format_size(rows[0].bytes),
            "machine": rows[0].machine,
        },
    )


def _others(count: Counter[str]) -> int:
    return count.total() - count[SHOWN] - count[CONTRARY]


def _chart(found: Sequence[Explained]) -> str:
    dots = []
    for claim in claims():
        for word, one in judged(claim, found):
            factor = one.by(claim.field)
            if word in _JUDGED and factor and factor.interval:
                words = f"{' to '.join(one.between)}, {one.ranks} ranks: {factor.ratio:.3g}"
                dots.append(Dot(claim.short, word, factor.ratio, words, *factor.interval))
    x = levels("time of the second program over the first, by this factor", [dot.value for dot in dots])
    return strips(dots, x, "Ratios of times by claim, with 95% intervals")


STUDY = Study("reasons", {"reasons": Row}, page)
