"""Every profile can be planned, and measures by the factors of the program that it is named after."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fakes import Groma

from groma.catalog import Catalog
from groma.plan import Plan, check_ranks, expand, profile_names, read_profile
from groma.reporting import Reporting
from groma.studies import STUDIES

# The comparison's table: the factors of a collective, then the pair of a ping-pong, and the estimator.
METHODS: dict[str, tuple[dict[str, object], str, Reporting]] = {
    "mpptest": (
        {"clock": "mpi", "timing": "block", "sync": "none", "root": "rotate", "cache": "warm", "buffers": "separate"},
        "first_two",
        Reporting("min_of_means"),
    ),
    "mpbench": (
        {"clock": "gettimeofday", "timing": "block", "sync": "barrier", "reduce": "root", "cache": "warm"},
        "first_last",
        Reporting("mean"),
    ),
    "pmb": (
        {"clock": "mpi", "timing": "block", "sync": "none", "root": "rotate", "cache": "warm", "buffers": "separate"},
        "first_two",
        Reporting("mean"),
    ),
    "skampi": (
        {"clock": "mpi", "timing": "call", "sync": "window", "cache": "rotate", "buffers": "same", "stop": "rse"},
        "slowest",
        Reporting("mean", "trim_quarters"),
    ),
    "mpibench": (
        {"clock": "tsc", "timing": "call", "sync": "barrier", "cache": "warm", "buffers": "same", "root": "fixed"},
        "halves",
        Reporting("mean", "factor_of_mean"),
    ),
    "osu": (
        {"clock": "mpi", "timing": "call", "sync": "barrier", "reduce": "mean", "repetitions": 1000, "warmups": 100},
        "first_two",
        Reporting("mean"),
    ),
    "imb": (
        {"clock": "mpi", "timing": "block", "sync": "barrier", "reduce": "mean", "root": "rotate", "block": 1000},
        "first_two",
        Reporting("mean"),
    ),
}


def planned(name: str, catalog: Catalog) -> Plan:
    return expand(read_profile(name, catalog), catalog)


@pytest.mark.parametrize("name", profile_names())
@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_every_point_of_a_profile_can_be_asked(name: str, ranks: int, catalog: Catalog) -> None:
    plan = replace(planned(name, catalog), rank_counts=(ranks,))
    check_ranks(plan, catalog)
    assert plan.profile == plan.name == name
    assert plan.launches >= 6


def test_there_are_no_other_profiles_than_these(catalog: Catalog) -> None:
    assert set(profile_names()) == {*METHODS, *STUDIES, "bcast_test", "quick"}
    assert all(read_profile(name, catalog).summary.endswith(".") for name in profile_names())


@pytest.mark.parametrize("name", METHODS)
def test_a_profile_measures_as_its_program_did(name: str, catalog: Catalog) -> None:
    factors, pair, reporting = METHODS[name]
    plan = planned(name, catalog)
    resolved = [catalog.resolve(dict(point)) for point in plan.points]
    bcast = next(point for point in resolved if point["operation"] == "bcast" and point["bytes"] == 1024)
    assert {factor: bcast[factor] for factor in factors} == factors
    assert next(point for point in resolved if point["operation"] == "pingpong")["pattern"] == pair
    assert plan.reporting == reporting


def test_reductions_of_pmb_do_nothing_and_those_of_skampi_add(catalog: Catalog) -> None:
    for name, reduction in (("pmb", "null"), ("skampi", "sum")):
        reducing = [point for point in planned(name, catalog).points if point["operation"] == "allreduce"]
        assert {point["reduction"] for point in reducing} == {reduction}


def test_fewer_calls_where_messages_are_large(catalog: Catalog) -> None:
    blocks = {point["bytes"]: point["block"] for point in planned("imb", catalog).points if "bytes" in point}
    assert {blocks[size] * size for size in (1 << 16, 1 << 18, 1 << 20, 1 << 22)} == {40 << 20}
    latency = {p["bytes"]: p for p in planned("osu", catalog).points if p["operation"] == "pingpong"}
    assert (latency[8192]["repetitions"], latency[16384].get("repetitions")) == (10000, 1000)


def test_profiles_are_listed_and_measured(groma: Groma) -> None:
    said = groma("list", "profiles")
    assert all(name in said.out for name in profile_names())
    assert groma("run", "--profile", "pmb", "--bytes", "1K", "--launches", "1", "-o", "out").code == 0
