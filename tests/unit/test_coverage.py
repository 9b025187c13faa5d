"""`groma list coverage` and docs/coverage.md: what is measured of MPI and of other programs."""

from __future__ import annotations

import msgspec
import pytest
from fakes import Groma

from groma.catalog import Catalog
from groma.catalog.coverage import CALLS, PROGRAMS, counts, items
from groma.catalog.words import table
from tools.coverage_page import PAGE, page


def test_everything_is_named_once_and_what_is_missing_has_a_reason(catalog: Catalog) -> None:
    for kind, expected in ((CALLS, 263), ("osu", 86), ("imb", 158), ("skampi", 135)):
        every = [item for group in items(kind, catalog).values() for item in group]
        assert len(every) == expected == counts(kind, catalog)[0]
        assert len({item.name for item in every}) == expected
        assert kind == CALLS or all(bool(item.missing) != item.is_had for item in every)


def test_a_call_is_had_if_an_operation_states_it(catalog: Catalog) -> None:
    every, had, _ = counts(CALLS, catalog)
    without = tuple(one for one in catalog.operations if one.name not in ("pingpong_buffered", "exchange"))
    assert counts(CALLS, msgspec.structs.replace(catalog, operations=without)) == (every, had - 1, 0), "MPI_Bsend"
    assert counts(CALLS, msgspec.structs.replace(catalog, operations=())) == (every, 0, 0)
    (send,) = [item for item in items(CALLS, catalog)["blocking point-to-point"] if item.name == "MPI_Send"]
    assert "pingpong" in send.operations


def test_a_benchmark_is_had_by_what_its_name_means(catalog: Catalog) -> None:
    found = {item.name: item for kind in PROGRAMS for group in items(kind, catalog).values() for item in group}
    assert (found["osu_bcast"].operations, found["osu_bcast"].otherwise) == (("bcast",), False)
    assert (found["Ibcast"].operations, found["Ibcast"].otherwise) == (("overlap/ibcast",), True)
    assert (found["Stencil3D"].operations, found["Stencil3D"].otherwise) == (("halo/all_at_once",), True)
    assert (found["osu_put_latency"].operations, found["osu_put_latency"].otherwise) == (("put/flush",), False)
    assert (found["Accumulate"].operations, found["Accumulate"].otherwise) == (("accumulate/flush",), False)
    assert (found["EXT:Accumulate"].operations, found["EXT:Accumulate"].otherwise) == (("accumulate/fence",), True)
    assert (found["osu_latency_mt"].operations, found["osu_latency_mt"].otherwise) == (("threads/pingpong",), True)
    assert found["Birandom"].missing == "both ranks of random pairs at once"
    assert (found["SKaMPI:Bcast"].operations, found["SKaMPI:Bcast"].otherwise) == (("bcast",), False)
    assert found["SKaMPI:Accumulate"].operations == ("phases/accumulate/pscw",)


def test_what_stands_for_a_benchmark_is_there_and_takes_what_is_set(catalog: Catalog) -> None:
    operations = {operation.name: operation for operation in catalog.operations}
    methods = {"pattern", "sync", "arrival", "arrival_delay_us", "timing"}
    for kind in PROGRAMS:
        for item in (item for group in items(kind, catalog).values() for item in group):
            assert set(item.operations) <= operations.keys(), item.name
            if (command := table()["commands"].get(item.name)) is not None:
                operation, *settings = command.split(" --set ")
                takes = {*operations[operation.partition(" ")[0]].uses, *methods}
                assert {setting.partition("=")[0] for setting in settings} <= takes, item.name


def test_each_of_skampi_that_is_measured_otherwise_says_in_what(catalog: Catalog, groma: Groma) -> None:
    every = [item for group in items("skampi", catalog).values() for item in group]
    assert [item.name for item in every if item.otherwise and not item.differs] == []
    assert [item.name for item in every if item.is_had and not item.otherwise and item.differs] == []
    listed = groma("list", "coverage", "SKaMPI").out
    assert "phases/put_from_one/pscw, by another method or definition: SKaMPI times it alone, in a window" in listed


def test_the_list_is_short_and_a_part_of_it_is_whole(groma: Groma, catalog: Catalog) -> None:
    short = groma("list", "coverage").out
    _, had, _ = counts(CALLS, catalog)
    assert f"MPI's communication calls: {had} of 263\n" in short
    assert "OSU Micro-Benchmarks: " in short
    assert len(short.splitlines()) < 75
    part = groma("list", "coverage", "NBC").out
    assert "  Ibcast_pure " in part
    assert "MPI_Send" not in part
    everything = groma("list", "coverage", "all").out
    assert all(f"  {item.name} " in everything for group in items(CALLS, catalog).values() for item in group)
    assert "  MPI_Bsend " in groma("list", "coverage", "blocking", "point").out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("coverage", "partitoned"), "no part of the coverage is called 'partitoned'; did you mean 'partitioned'?"),
        (("bcast", "reduce"), "groma list explains one name; leave out reduce"),
    ],
)
def test_a_part_that_is_none_is_refused(words: tuple[str, ...], says: str, groma: Groma) -> None:
    groma("list", *words).refuses(says)


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "make it again with: make fix"
