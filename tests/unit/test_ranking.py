"""Which alternative is best: of operations, variants and libraries with known times, and how often it is wrong."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from edited_records import write_records
from fakes import Groma
from planted_runs import change_document, change_points, made
from scipy.stats import binom
from synthetic import Scenario

from groma.analysis import Series, SideBySide, series, side_by_side, summarise
from groma.analysis.compare import Judged, compare, fewest_launches, judge
from groma.analysis.ranking import of_neighbours, places
from groma.catalog import Catalog
from groma.report.page import render
from groma.report.ranking import rankings
from groma.report.tables import variant_columns
from groma.results import load_run

WAYS = ("halo/sendrecv", "halo/isend_irecv", "halo/all_at_once")
HALO = Scenario(operations=WAYS, sizes=(8,), samples=40, launches=12, launch_effect=0.01)


def halo(path: Path, times: dict[str, float], scenario: Scenario = HALO) -> Path:
    """Make a run of halo exchanges that take a multiple of one time each."""
    run = made(path, 3, scenario, times)
    change_document(run, profile=None, name="halo")
    return run


def compared(path: Path) -> list[SideBySide]:
    run = load_run(path)
    return side_by_side(run, series(summarise(run)))


def said(path: Path) -> str:
    ((_, sentence),) = rankings(compared(path))
    return sentence


def test_a_known_order_is_found_with_its_ratios(tmp_path: Path) -> None:
    path = halo(tmp_path / "run", {"halo/sendrecv": 1.5, "halo/isend_irecv": 1.2})
    (both,) = compared(path)
    (place,) = places(both)
    assert (place.winner, place.tied) == ("halo/all_at_once", ())
    for name, ratio in (("halo/sendrecv", 1.5), ("halo/isend_irecv", 1.2)):
        lead = place.leads[name]
        assert lead.joint is not None
        assert lead.interval is not None
        assert ratio in lead.joint
        assert lead.joint.low <= lead.interval.low <= lead.ratio <= lead.interval.high <= lead.joint.high
    sentence = said(path)
    assert sentence.startswith("halo/all_at_once is 1.2")
    assert " times faster than halo/isend_irecv and 1.5" in sentence
    assert sentence.count("\N{PLUS-MINUS SIGN}") == 2
    cells = variant_columns(both)
    assert list(cells) == [
        *("size", "sendrecv µs", "isend_irecv µs", "all_at_once µs", "next / shortest", "95% interval"),
    ]
    assert [cells[f"{name} µs"][0].endswith("*") for name in ("sendrecv", "isend_irecv", "all_at_once")] == [0, 0, 1]


def test_ties_are_said_and_nobody_wins_a_tie(tmp_path: Path) -> None:
    path = halo(tmp_path / "run", {"halo/sendrecv": 1.5})
    (both,) = compared(path)
    (place,) = places(both)
    assert place.winner is None
    assert set(place.tied) == {"halo/isend_irecv", "halo/all_at_once"}
    other = next(name for name in place.tied if name != place.best)
    assert f"times faster than halo/sendrecv; {other} is tied with it (within " in said(path)
    cells = variant_columns(both)
    assert [cells[f"{name} µs"][0][-1] for name in ("isend_irecv", "all_at_once")] == ["=", "="]
    assert "*" not in "".join(cells["sendrecv µs"])


def test_nothing_is_ranked_if_nothing_is_decided(tmp_path: Path) -> None:
    path = halo(tmp_path / "run", {})
    (both,) = compared(path)
    assert "No winner: none of halo/sendrecv, halo/isend_irecv and halo/all_at_once is shown to be faster" in said(path)
    assert not set("*=") & set("".join(map("".join, variant_columns(both).values())))


def test_too_few_launches_are_said_with_the_command_that_makes_more(tmp_path: Path) -> None:
    path = halo(tmp_path / "run", {"halo/sendrecv": 1.5}, replace(HALO, launches=6))
    fewest = fewest_launches(3)
    assert fewest == 7
    assert said(path) == (
        "Not ranked: 6 launches of each cannot decide any of 3 ratios. The fewest that can: "
        f"groma run --resume RUN --launches {fewest}"
    )


def test_neighbouring_sizes_with_one_winner_are_one_stretch(tmp_path: Path) -> None:
    path = halo(tmp_path / "run", {}, replace(HALO, sizes=(8, 16, 1024), launches=14))

    def plant(record: dict) -> None:  # type: ignore[type-arg]
        is_small = record["point"]["bytes"] < 1000
        slow = {
            "halo/sendrecv": 1.4 if is_small else 1.0,
            "halo/isend_irecv": 1.4,
            "halo/all_at_once": 1.0 if is_small else 1.4,
        }
        record["samples_ns"] = [round(sample * slow[record["point"]["operation"]]) for sample in record["samples_ns"]]

    change_points(path, plant)
    (both,) = compared(path)
    found = [(one.best, [*one.leads]) for one in of_neighbours(both, places(both))]
    assert found == [("halo/all_at_once", [8, 16]), ("halo/sendrecv", [1024])]
    assert said(path).startswith("At 8 B to 16 B halo/all_at_once is 1.")
    assert "At 1 KiB halo/sendrecv is 1." in said(path)


def libraries(path: Path, slow: dict[str, float], far: Collection[int] = ()) -> Path:
    """Make a run whose launches are of libraries in turns, of which an allreduce takes a multiple of one time.

    In launches `far` the CPUs were far from each other, and everything took twice as long.
    """
    names = tuple(slow)
    count = 12 * len(names)
    made(path, 3, replace(HALO, operations=("allreduce",), launches=count))
    change_document(path, profile=None, variants=[{"name": name} for name in names], launches=12)
    change_document(path, libraries={name: {"name": name, "version": "1"} for name in names})
    for number in range(1, count + 1):
        name = names[(number - 1) % len(names)]
        file = path / f"launches/{number:03d}/launch.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | {"variant": name}))
        points = path / f"launches/{number:03d}/points.jsonl"
        records = [json.loads(line) for line in points.read_text().splitlines()]
        for record in records:
            if record["kind"] == "start":
                record["limits"]["line_bounce_ns"] = 150.0 if number in far else 31.0
            elif record["kind"] == "point":
                factor = slow[name] * (2 if number in far else 1)
                record["samples_ns"] = [round(factor * sample) for sample in record["samples_ns"]]
        write_records(points, records)
    return path


def test_sizes_at_which_nothing_is_decided_are_named_apart(tmp_path: Path) -> None:
    """Only at the middle size one differs; it scatters at the last, where it may be slower still."""
    path = halo(tmp_path / "run", {}, replace(HALO, sizes=(8, 1024, 65536), launches=12))
    random = np.random.default_rng(1)

    def plant(record: dict) -> None:  # type: ignore[type-arg]
        if (record["point"]["operation"], record["point"]["bytes"]) == ("halo/sendrecv", 1024):
            record["samples_ns"] = [round(1.5 * sample) for sample in record["samples_ns"]]
        if record["point"]["operation"] == "halo/isend_irecv":
            scatter = float(np.exp(random.normal(0, 0.5)))
            record["samples_ns"] = [round(scatter * sample) for sample in record["samples_ns"]]

    change_points(path, plant)
    sentence = said(path)
    assert sentence.startswith("At 1 KiB halo/all_at_once is 1.")
    assert "; whether halo/isend_irecv is slower is not decided. " in sentence
    assert sentence.endswith("Nothing is decided at 8 B and 64 KiB.")


def test_who_leads_a_stretch_is_shown_faster_than_another_at_each_size(tmp_path: Path) -> None:
    """At 8 B isend_irecv scatters: it may be the fastest, and is shown faster than none."""
    path = halo(tmp_path / "run", {}, replace(HALO, sizes=(8, 1024), launches=14))
    random = np.random.default_rng(1)

    def plant(record: dict) -> None:  # type: ignore[type-arg]
        operation, size = record["point"]["operation"], record["point"]["bytes"]
        slow = {("halo/sendrecv", 8): 1.5, ("halo/sendrecv", 1024): 1.5, ("halo/all_at_once", 1024): 1.5}
        factor = slow.get((operation, size), 1.0)
        if (operation, size) == ("halo/isend_irecv", 8):
            factor = 1.2 * float(np.exp(random.normal(0, 0.6)))
        record["samples_ns"] = [round(factor * sample) for sample in record["samples_ns"]]

    change_points(path, plant)
    sentence = said(path)
    assert sentence.startswith("At 8 B halo/all_at_once is 1.")
    assert (
        "faster than halo/sendrecv; whether halo/isend_irecv is slower is not decided. At 1 KiB halo/isend" in sentence
    )


def test_three_libraries_are_compared_in_all_pairs(tmp_path: Path) -> None:
    """The second and the third differ by 20 %; the first is slower than both."""
    path = libraries(tmp_path / "run", {"a": 1.5, "b": 1.2, "c": 1.0})
    (both,) = compared(path)
    assert list(both.pairs) == [("a", "b"), ("a", "c"), ("b", "c")]
    (place,) = places(both)
    assert place.winner == "c"
    assert [*place.leads] == ["a", "b"]
    assert said(path).startswith("c is 1.")
    assert "times faster than b and" in said(path)
    page = render(load_run(path))
    assert page.index("times faster than b and") < page.index('id="verdict"')


def test_launches_in_two_states_of_the_machine_make_no_winner(tmp_path: Path) -> None:
    """CPUs were far in all launches of the second and third library but three: that makes them slower, not MPI."""
    far = [number for number in range(1, 37) if number % 3 != 1][:-6]
    path = libraries(tmp_path / "run", {"a": 1.0, "b": 1.0, "c": 1.5}, far)
    (both,) = compared(path)
    (place,) = places(both)
    assert (place.best, place.winner, place.tied) == ("b", None, ())
    assert not set("*=") & {cells[0][-1] for heading, cells in variant_columns(both).items() if "µs" in heading}
    sentence = said(path)
    assert sentence.startswith("b is 1.5")
    assert "times faster than c; a cannot be compared, since the machine was in another state. " in sentence
    assert sentence.endswith(" Only the 12 of 36 ratios in one state of the machine count.")


def test_nothing_is_ranked_if_all_were_in_different_states(tmp_path: Path) -> None:
    path = libraries(tmp_path / "run", {"a": 1.0, "b": 1.0}, range(2, 21, 2))
    assert said(path).startswith("No winner: a and b cannot be compared, since the machine was in another state. Only")


def test_a_machine_that_changed_half_way_ranks_by_the_rounds_in_one_state(tmp_path: Path) -> None:
    """The change fell into a round, which does not count; ratios of the others are right in both states."""
    path = libraries(tmp_path / "run", {"a": 1.2, "b": 1.0}, range(12, 25))
    (both,) = compared(path)
    (place,) = places(both)
    assert place.winner == "b"
    assert place.leads["a"].interval is not None
    assert 1.2 in place.leads["a"].interval
    assert said(path).endswith(" Only the 11 of 12 ratios in one state of the machine count.")


def test_operations_of_other_work_are_no_alternatives(catalog: Catalog) -> None:
    works = {
        name: catalog.operation(name).work for name in ("pingpong", "pingpong_isend", "alltoall", "alltoallw", "bcast")
    }
    assert works["pingpong"] == works["pingpong_isend"]
    assert works["alltoall"] == works["alltoallw"]
    assert len(set(works.values())) == 3
    applications = [catalog.operation(f"app/{name}").work for name in ("halo", "transpose", "conjugate_gradient")]
    assert len(set(applications)) == 3
    assert len({one.work for one in catalog.operations if one.name.startswith("halo/")}) == 1
    assert catalog.operation("reduce").work != catalog.operation("allreduce").work


def test_a_profile_ranks_no_operations(tmp_path: Path) -> None:
    path = made(tmp_path / "run", 3, HALO, {"halo/sendrecv": 1.5})
    assert compared(path) == []


def test_alternatives_get_the_launches_that_can_decide(groma: Groma) -> None:
    words = ("run", "halo/sendrecv", "halo/isend_irecv", "halo/all_at_once", "halo/persistent", "--dry-run", "--bytes")
    told = groma(*words, "8:1K").out
    pairs = 8 * 6
    assert f"launches of each: {fewest_launches(pairs)}" in told
    assert f"# {fewest_launches(pairs)} launches: the fewest that can show that one of {pairs} ratios differs." in told
    told = groma(*words, "8:1K", "--launches", "8").out
    assert f"8 launches cannot show that any of {pairs} ratios differs" in told
    assert "launches of each: 10" in groma("run", "pingpong", "alltoall", "--dry-run", "--bytes", "8:1K").out
    assert "launches of each: 10" in groma(*words, "8:1K", "--set", "slot_s=10").out, "nobody waits for hours unasked"


@dataclass(frozen=True)
class Stub:
    """A point of one size."""

    bytes: int
    time_ns: float


def drawn(random: np.random.Generator, ways: int, sizes: int, launches: int) -> SideBySide:
    """Return alternatives without any difference, in launches that differ as a whole."""
    common = random.normal(0, 0.2, (launches, sizes, 1))
    figures = np.exp(common + random.normal(0, 0.03, (launches, sizes, ways)))
    names = [f"way {number}" for number in range(ways)]
    keys = [(pair, size) for pair in combinations(range(ways), 2) for size in range(sizes)]
    by_round = {key: dict(enumerate(figures[:, key[0], key[1]].tolist())) for key in np.ndindex(sizes, ways)}
    comparisons = [compare(by_round[size, other], by_round[size, one]) for (one, other), size in keys]
    pairs: dict[tuple[str, str], dict[int | None, Judged]] = {}
    for ((one, other), size), judged in zip(keys, judge(comparisons, margin=0.0), strict=True):
        pairs.setdefault((names[one], names[other]), {})[size] = judged
    curves = {
        name: Series(name, [Stub(size, float(np.median(figures[:, size, way]))) for size in range(sizes)])  # type: ignore[misc]
        for way, name in enumerate(names)
    }
    return SideBySide(curves, pairs)


@pytest.mark.parametrize(("ways", "sizes", "launches"), [(2, 1, 6), (5, 2, 12), (3, 6, 12)])
def test_a_winner_is_named_without_any_in_five_percent_of_runs_at_most(ways: int, sizes: int, launches: int) -> None:
    """The bound is what a rate of 5 % exceeds once in a thousand."""
    random, runs = np.random.default_rng(ways), 200
    wrong = 0
    for _ in range(runs):
        placed = places(drawn(random, ways, sizes, launches))
        assert len(placed) == sizes
        wrong += any(place.winner or place.tied for place in placed)
    assert wrong <= binom.ppf(0.999, runs, 0.05)
