"""What `make reasons` reads, and what it says of a claim."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.page import study_of
from benchmarks.reasons.__main__ import cases
from benchmarks.reasons.document import claims, judged, page
from benchmarks.reasons.found import (
    SIMULATED,
    Case,
    Claim,
    Expected,
    Explained,
    Factor,
    explained_of,
    judge,
    read,
    rows_of,
)
from groma.catalog import Catalog
from groma.explain.asked import pair_of_profiles
from simulation.definitions import Compared

CASE = Case(("pmb", "skampi"), "bcast", 1024, 2, "here")


def found(low: float, high: float, field: str = "cache") -> Explained:
    factor = Factor({field: ("warm", "rotate")}, math.sqrt(low * high), (low, high))
    return Explained(CASE, (factor,), factor)


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
    assert judge(claim, Explained(CASE, refused="b has no bcast")) == "not measured"
    alone = Factor({"root": ("rotate", "fixed")}, 2.0, None)
    assert judge(claim, Explained(CASE, (alone,), alone)) == "too few launches"


def test_the_second_beside_the_first_turns() -> None:
    turned = found(2, 4).turned()
    assert turned.case.between == ("skampi", "pmb")
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
    one = read(tmp_path / "explain.json", CASE)
    factor = one.by("block")
    assert factor is not None
    assert factor.ratio == pytest.approx(2)
    assert factor.interval == pytest.approx((1, 4))
    assert one.total is not None
    assert one.total.ratio == pytest.approx(3)
    assert one.total.interval is None


def test_every_claim_is_of_profiles_that_differ_in_its_field(catalog: Catalog) -> None:
    for claim in claims():
        for pair in claim.pairs:
            size = str(claim.sizes[-1])
            changes = pair_of_profiles(pair, claim.operation, size, [], catalog, crowded=False).changes
            if claim.field != "total":
                assert claim.field in {field for change in changes for field in change.before}, claim


def test_a_claim_speaks_of_its_sizes_ranks_and_networks() -> None:
    pairs = (("pmb", "skampi"),)
    claim = Claim("", "", "bcast", pairs, "cache", "longer", "", sizes=(1024,), ranks=(2,))
    assert claim.speaks_of(CASE)
    assert claim.speaks_of(replace(CASE, between=("skampi", "pmb")))
    for other in ({"bytes": 1 << 20}, {"ranks": 4}, {"operation": "reduce"}, {"machine": SIMULATED}):
        assert not claim.speaks_of(replace(CASE, **other))
    assert replace(claim, simulated=True).speaks_of(replace(CASE, machine=SIMULATED))


def test_cases_are_those_that_claims_speak_of() -> None:
    every = [*cases((2, 4), ""), *cases((8,), SIMULATED)]
    assert len(every) == len(set(every))
    for case in every:
        assert any(claim.speaks_of(case) for claim in claims()), case
    measured = {(case.operation, case.bytes) for case in every}
    assert {("sendrecv", 1 << 20), ("scatter", 1024), ("gather", 1024), ("reduce", 1 << 20), ("barrier", 0)} <= measured


def test_rows_hold_what_was_explained() -> None:
    factor = Factor({"sync": ("none", "window"), "block": ("1000", "0")}, 2.0, (1.5, 3.0))
    some = Explained(CASE, [factor], Factor({}, 2.5, None))
    refused = Explained(replace(CASE, between=("mpptest", "pmb")), [], refused="mpptest has no barrier")
    rows = [row for one in (some, refused) for row in rows_of(one)]
    assert [row.factor for row in rows] == ["together", "sync: none → window, block: 1000 → 0", ""]
    assert explained_of(rows) == [some, refused]


def test_the_page_has_a_row_for_each_claim_and_counts_its_cases() -> None:
    factor = Factor({"cache": ("warm", "rotate")}, 2.0, (1.5, 3.0))
    explained = [Explained(case, [factor], factor) for case in cases((2,), "here")]
    assert {claim.claim: len(list(judged(claim, explained))) for claim in claims()} == {
        claim.claim: len(claim.pairs) * len(claim.sizes) * (not claim.ranks or 2 in claim.ranks) for claim in claims()
    }
    left_open = [Compared("", "", "one", 2000.0, "other", 1000.0)] * 5
    said = page([row for one in explained for row in rows_of(one)], left_open)
    uncached = next(row for row in said.rows if row[0].startswith("SKaMPI's uncached data"))
    assert uncached[1:] == ["7", "4", "0", "0"], "programs are in the order of the claim"


def test_the_rows_that_are_published_cover_every_claim() -> None:
    rows, left_open = study_of("reasons").rows()
    found = explained_of(rows)
    assert [claim.claim for claim in claims() if not list(judged(claim, found))] == []
    assert {one.case.machine == SIMULATED for one in found} == {True, False}
    assert [round(one.ratio, 2) for one in left_open[:3]] == [1, 1, 1]


def test_large_broadcasts_of_mpibench_and_mpbench_are_alike_on_simulated_ranks() -> None:
    rows, _ = study_of("reasons").rows()
    both = {"mpibench", "mpbench"}
    (alike,) = (
        one
        for one in explained_of(rows)
        if one.case.machine == SIMULATED and one.case.operation == "bcast" and set(one.case.between) == both
    )
    assert alike.total is not None
    assert alike.total.ratio == pytest.approx(1, abs=0.01)
