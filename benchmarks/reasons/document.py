"""The page of `make reasons`: what a comparison of five programs claimed, beside what is found."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.chart import Dot, strips
from benchmarks.page import Page, Study
from benchmarks.reasons.found import CONTRARY, NOT_SHOWN, SHOWN, Claim, Explained, Row, explained_of, judge
from groma.report.axes import levels
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
    once = {word: sum(verdicts[claim][word] > 0 for claim in verdicts) for word in (SHOWN, CONTRARY)}
    explained = sum(not one.refused for one in found)
    return Page(
        title="Why five programs disagree: what was claimed, and what is measured here",
        found=f"Of {len(verdicts)} claims of a comparison, {once[SHOWN]} are shown here in one case or more, and of "
        f"{once[CONTRARY]} the contrary.",
        alt="ratios of times by claim, with their intervals",
        chart=_chart(found),
        headings=["claim", "section", "shown", "contrary shown", "not shown"],
        rows=[
            [
                claim.claim,
                claim.section,
                *(str(count[word]) for word in (SHOWN, CONTRARY)),
                str(count.total() - count[SHOWN] - count[CONTRARY]),
            ]
            for claim, count in verdicts.items()
        ],
        sentences=[
            (
                "The claims are those of N. A. W. Abdul Hamid, P. Coddington and F. Vaughan, *Comparison of MPI "
                "Benchmark Programs on an SGI Altix ccNUMA Shared Memory Machine*, in our words. `groma explain` "
                "measures two programs in all mixtures of their methods, and shares the ratio of their times out "
                "among the factors in which they differ. A case is two programs on 2 or 4 ranks: the claim is "
                "*shown* where the 95% interval of its factor holds it. The Altix had 8 processes and more: what "
                "is not shown here may be true there."
            ),
            (
                f"{explained} pairs were explained, of pingpong, bcast, barrier and alltoall with "
                f"{format_size(rows[0].bytes)}. On 4 ranks there are more ranks than CPUs here: those are times of "
                "the scheduler too."
            ),
        ],
        made=f"Made by `make reasons` with {rows[0].machine}.",
    )


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
