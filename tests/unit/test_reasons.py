"""What `make reasons` reads, and what it says of a claim."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from benchmarks.reasons.__main__ import OPERATIONS, PROGRAMS
from benchmarks.reasons.document import claims, judged, page
from benchmarks.reasons.found import Claim, Expected, Explained, Factor, explained_of, judge, read, rows_of
from groma.catalog import Catalog


def found(low: float, high: float, field: str = "cache") -> Explained:
    factor = Factor({field: ("warm", "rotate")}, math.sqrt(low * high), (low, high))
    return Explained(("pmb", "skampi"), "bcast", 2, (factor,), factor)


@pytest.mark.parametrize(
    ("expected", "low", "high", "said"),
    [
        ("longer", 1.1, 1.3, "shown"),
        ("longer", 0.9, 1.3, "not shown"),
        ("longer", 0.5, 0.8, "the contrary is shown"),
        ("other", 0.5, 0.8, "shown"),
        ("same", 0.97, 1.04, "shown"),
        ("same", 0.9, 1.04, "not shown"),
        ("same", 1.06, 1.5, "the contrary is shown"),
        ("same", 0.5, 0.94, "the contrary is shown"),
    ],
)
def test_an_interval_judges_a_claim(expected: Expected, low: float, high: float, said: str) -> None:
    assert judge(Claim("", "", "bcast", (), "cache", expected, "", margin=0.05), found(low, high)) == said


def test_what_is_not_measured_is_said() -> None:
    claim = Claim("", "", "bcast", (), "root", "longer", "")
    assert judge(claim, found(2, 3)) == "no such difference here"
    assert judge(claim, Explained(("a", "b"), "bcast", 2, refused="b has no bcast")) == "not measured"
    alone = Factor({"root": ("rotate", "fixed")}, 2.0, None)
    assert judge(claim, Explained(("a", "b"), "bcast", 2, (alone,), alone)) == "too few launches"


def test_the_second_beside_the_first_turns() -> None:
    turned = found(2, 4).turned()
    assert turned.between == ("skampi", "pmb")
    factor = turned.by("cache")
    assert factor is not None
    assert (factor.interval, factor.words()) == ((0.25, 0.5), "cache: rotate → warm")
    assert turned.by("total") == factor


def test_the_document_of_explain_is_read(tmp_path: Path) -> None:
    document = {
        "changes": {"sync": {"before": {"sync": "none", "block": 1000}, "after": {"sync": "window", "block": 0}}},
        "log_ratios": {
            "sync": {"value": math.log(2), "interval": [0.0, math.log(4)]},
            "total": {"value": math.log(3), "interval": None},
        },
    }
    (tmp_path / "explain.json").write_text(json.dumps(document))
    one = read(tmp_path / "explain.json", ("pmb", "skampi"), "bcast", 2)
    factor = one.by("block")
    assert factor is not None
    assert factor.ratio == pytest.approx(2)
    assert factor.interval == pytest.approx((1, 4))
    assert one.total is not None
    assert one.total.ratio == pytest.approx(3)
    assert one.total.interval is None


def test_every_claim_is_of_programs_operations_and_fields_that_there_are(catalog: Catalog) -> None:
    fields = {"total", "operation"}
    for claim in claims():
        assert claim.operation in OPERATIONS
        assert {program for pair in claim.pairs for program in pair} <= set(PROGRAMS)
        if claim.field not in fields:
            catalog.field(claim.field)


def test_rows_hold_what_was_explained() -> None:
    factor = Factor({"sync": ("none", "window"), "block": ("1000", "0")}, 2.0, (1.5, 3.0))
    some = Explained(("pmb", "skampi"), "bcast", 2, (factor,), Factor({}, 2.5, None))
    refused = Explained(("mpptest", "pmb"), "barrier", 4, refused="mpptest has no barrier")
    rows = [row for one in (some, refused) for row in rows_of(one, 1024, "here")]
    assert [row.factor for row in rows] == ["together", "sync: none → window, block: 1000 → 0", ""]
    assert explained_of(rows) == [some, refused]


def test_the_page_has_a_row_for_each_claim_and_counts_its_pairs() -> None:
    pairs = [(first, second) for at, first in enumerate(PROGRAMS) for second in PROGRAMS[at + 1 :]]
    factor = Factor({"cache": ("warm", "rotate")}, 2.0, (1.5, 3.0))
    explained = [Explained(pair, operation, 2, (factor,), factor) for pair in pairs for operation in OPERATIONS]
    assert {claim.claim: len(list(judged(claim, explained))) for claim in claims()} == {
        claim.claim: len(claim.pairs) for claim in claims()
    }
    said = page([row for one in explained for row in rows_of(one, 1024, "here")])
    uncached = next(row for row in said.rows if row[0].startswith("SKaMPI sends what is not in the cache"))
    assert uncached[1:] == ["7", "1", "1", "0"], "MPIBench comes after SKaMPI: its ratio turns"
