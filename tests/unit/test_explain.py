"""Sharing a ratio among factors: known cases, illegal mixtures, and profiles compared."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import msgspec
import numpy as np
import pytest
from beds import Library
from fakes import Groma, refused
from judging import refused_by_engine

from groma.analysis.order import Interval
from groma.catalog import Catalog
from groma.catalog.reporting import Reporting
from groma.cli import main
from groma.errors import InputError, RunError
from groma.explain import Attribution, MethodPair, Term, attribute, pair_methods
from groma.explain.asked import EFFORT as OF_PROFILES
from groma.explain.attribution import weights
from groma.explain.factors import MOST_FACTORS, between, merge
from groma.explain.figures import times_of
from groma.explain.page import steps
from groma.explain.sentences import sentences
from groma.plan import profile_names, read_profile
from groma.results import load_run

EFFORT = {"stop": "time", "slot_s": 0.1}


def compared(first: str, second: str, operation: str, catalog: Catalog, size: int | None = 1024) -> MethodPair:
    drafts = (read_profile(first, catalog), read_profile(second, catalog))
    return pair_methods(drafts, operation, size, EFFORT, catalog).judged(refused_by_engine)


def shares_of(times: dict[int, float], changes: int) -> list[float]:
    found = attribute({mask: np.array([time]) for mask, time in times.items()}, changes)
    return [share.log for share in found.shares]


def test_independent_factors_get_their_own_ratios() -> None:
    ratios = (1.5, 1.2, 0.7)
    masks = range(8)
    times = {mask: 100 * math.prod(r for bit, r in enumerate(ratios) if mask >> bit & 1) for mask in masks}
    assert shares_of(times, 3) == pytest.approx(np.log(ratios))


def test_what_two_factors_only_do_together_is_halved() -> None:
    assert shares_of({0: 1.0, 1: 1.0, 2: 1.0, 3: 4.0}, 2) == pytest.approx([math.log(2)] * 2)


def test_added_times_are_shared_over_both_orders() -> None:
    first = (math.log(2 / 1) + math.log(4 / 3)) / 2  # it adds 1 to 1, or to 3
    assert shares_of({0: 1.0, 1: 2.0, 2: 3.0, 3: 4.0}, 2) == pytest.approx([first, math.log(4) - first])


def test_a_mixture_that_is_illegal_leaves_one_order() -> None:
    shares = shares_of({0: 1.0, 1: 2.0, 3: 6.0}, 2)
    assert shares == pytest.approx([math.log(2), math.log(3)])


def test_methods_that_no_order_connects_are_refused() -> None:
    with pytest.raises(InputError, match="make some equal"):
        weights(2, {0, 3})


@pytest.mark.slow
def test_equal_methods_agree_within_their_intervals() -> None:
    random = np.random.default_rng(5)
    agreeing, runs, launches = 0, 200, 10
    for run in range(runs):
        shared = random.normal(0, 0.05, launches)
        times = {mask: 1000 * np.exp(shared + random.normal(0, 0.02, launches)) for mask in range(8)}
        interval = attribute(times, 3, seed=run).total.interval
        assert interval is not None
        agreeing += 0.0 in interval
    assert agreeing >= 0.95 * runs


def test_a_true_ratio_is_found_and_covered() -> None:
    random = np.random.default_rng(6)
    times = {mask: 1000 * 1.5 ** (mask & 1) * np.exp(random.normal(0, 0.01, 10)) for mask in range(4)}
    found = attribute(times, 2)
    assert found.shares[0].ratio == pytest.approx(1.5, rel=0.02)
    assert found.shares[0].interval is not None
    assert math.log(1.5) in found.shares[0].interval
    assert found.before_ns * found.total.ratio == pytest.approx(found.after_ns)


@pytest.mark.parametrize("launches", [1, 2, 5])
def test_few_launches_have_no_interval(launches: int) -> None:
    times = np.linspace(1, 1.1, launches)
    assert attribute({0: times, 1: 2 * times}, 1).total.interval is None


def test_only_what_differs_is_a_factor(catalog: Catalog) -> None:
    assert compared("pmb", "pmb", "bcast", catalog).changes == ()
    comparison = compared("mpibench", "skampi", "bcast", catalog)
    assert {change.name for change in comparison.changes} == {"clock", "sync", "reduce", "cache", "estimator"}
    assert {"buffers", "timing", "root"} <= set(comparison.common)


def test_touched_messages_are_a_factor(catalog: Catalog) -> None:
    plain = catalog.resolve({"operation": "pingpong"}) | msgspec.structs.asdict(Reporting())
    comparison = between(("latency", "p2p"), plain, plain | {"touch": "both"})
    (touch,) = comparison.changes
    assert touch.words() == "messages changed before each send and read after each receive"
    assert [comparison.point(mask)["touch"] for mask in (0, 1)] == ["none", "both"]


def test_a_mask_is_a_point_and_an_estimator(catalog: Catalog) -> None:
    comparison = compared("mpibench", "skampi", "bcast", catalog)
    whole = (1 << len(comparison.changes)) - 1
    first, last = comparison.point(0), comparison.point(whole)
    assert (first["sync"], first["cache"], last["sync"], last["cache"]) == ("barrier", "warm", "window", "rotate")
    assert first["stop"] == last["stop"] == "time"
    assert comparison.reporting(0).outliers == "factor_of_mean"
    assert comparison.reporting(whole).outliers == "trim_quarters"


def test_cold_caches_wait_until_single_calls_are_timed(catalog: Catalog) -> None:
    comparison = compared("pmb", "skampi", "bcast", catalog)
    assert len(comparison.changes) <= MOST_FACTORS
    points = [comparison.point(mask) for mask in comparison.possible()]
    blocks = [point for point in points if point["timing"] == "block"]
    assert {(point["cache"], point["sync"]) for point in blocks} == {("warm", "none")}
    assert len(points) < 1 << len(comparison.changes)


def test_fields_that_are_too_many_are_joined_and_none_is_lost() -> None:
    fields = ["pattern", "datatype", "reduction", "buffers", "clock", "timing", "sync", "reduce", "cache", "root"]
    factors = merge({name: name for name in [*fields, "estimator"]})
    assert len(factors) == MOST_FACTORS
    assert sorted(itertools.chain(*factors.values())) == sorted([*fields, "estimator"])
    assert merge({"sync": "sync", "cache": "cache"}) == {"sync": ["sync"], "cache": ["cache"]}


@pytest.mark.parametrize("pair", list(itertools.combinations([n for n in profile_names() if n != "quick"], 2)))
def test_any_two_profiles_can_be_led_into_each_other(pair: tuple[str, str], catalog: Catalog) -> None:
    for operation in ("bcast", "pingpong"):
        try:
            comparison = compared(*pair, operation, catalog)
        except InputError as error:
            assert "does not measure" in str(error)  # noqa: PT017 - either is right, but no other refusal
            continue
        if not comparison.changes:
            assert set(pair) == {"ladder", "rma"}  # both measure ping-pongs with Groma's own method
            continue
        shares = weights(len(comparison.changes), comparison.possible())
        assert shares.sum(axis=0)[-1] == pytest.approx(1)


def test_the_sentence_names_causes_the_largest_first(catalog: Catalog) -> None:
    comparison = compared("mpibench", "skampi", "bcast", catalog)
    effects = {"cache": 1.5, "sync": 1.2}
    masks = range(1 << len(comparison.changes))
    ratios = [effects.get(change.name, 1.0) for change in comparison.changes]
    times = {m: np.full(8, 400 * math.prod(r for bit, r in enumerate(ratios) if m >> bit & 1)) for m in masks}
    found = attribute(times, len(comparison.changes))
    said = sentences(comparison, found)
    assert said[0].startswith("skampi reports 1.80\u00d7 the time of mpibench for bcast at 1 KiB (95%: 1.80 to 1.80)")
    assert said[0].endswith("\u00d71.50 (1.50 to 1.50), sync window instead of barrier \u00d71.20 (1.20 to 1.20).")
    assert said[1].startswith("Little or no effect is shown of: ")
    bars = steps(comparison, found)
    assert bars[0].high == pytest.approx(0.4)
    assert bars[-1].high == pytest.approx(0.72)


def test_a_ratio_that_differs_by_less_than_is_printed_is_not_called_alike(catalog: Catalog) -> None:
    comparison = compared("mpibench", "skampi", "bcast", catalog)
    tiny = Term(math.log(0.998), Interval(math.log(0.9975), math.log(0.9985)))
    found = Attribution(tiny, tuple(tiny for _ in comparison.changes), 1.0, 0.998, 10)
    assert sentences(comparison, found)[-1] == "As a whole, the two differ by less than 0.5 %."
    said = "\u00d70.998 (0.998 to 0.999), differs by less than 0.5 %"
    assert {bar.text for bar in steps(comparison, found)[1:-1]} == {said}


def test_no_difference_is_said_to_be_none(catalog: Catalog) -> None:
    comparison = compared("mpibench", "skampi", "bcast", catalog)
    nothing = Term(0.0, None)
    found = Attribution(nothing, tuple(nothing for _ in comparison.changes), 1.0, 1.0, 1)
    assert sentences(comparison, found)[-1] == "As a whole, the two are not shown to differ."


def test_the_command_measures_every_mixture_once_and_leaves_a_page(groma: Groma, tmp_path: Path) -> None:
    words = ("--between", "mpbench", "mpibench", "--operation", "bcast", "--set", "seed=7", "--launches", "3")
    said = groma("explain", *words, "-o", "out")
    assert said.code == 0, said.err
    assert said.last_line.endswith("explain.html")
    document = json.loads((tmp_path / "out" / "run.json").read_text())
    points = [json.dumps(point, sort_keys=True) for point in document["plan"]["points"]]
    assert len(points) == len(set(points)) > 8
    assert (document["plan"]["order"], document["seed"]) == ("shuffled", 7)
    explained = json.loads((tmp_path / "out" / "explain.json").read_text())
    logs = {name: term["value"] for name, term in explained["log_ratios"].items()}
    total = logs.pop("total")
    assert sum(logs.values()) == pytest.approx(total, abs=1e-12)
    page = (tmp_path / "out" / "explain.html").read_text()
    assert 'class="bar"' in page
    assert "Fewer than 6 launches give no 95% intervals; measure 10." in page
    assert ", no interval" in page
    assert "not shown to differ from 1" not in page


def test_equal_profiles_are_said_to_be_and_nothing_is_run(groma: Groma, tmp_path: Path) -> None:
    said = groma("explain", "--between", "pmb", "pmb", "--operation", "bcast")
    assert (said.code, "nothing to explain" in said.out) == (0, True)
    assert not (tmp_path / "runs").exists()


@refused(
    (("--between", "pmb", "skampy", "--operation", "bcast"), "did you mean 'skampi'"),
    (("--between", "pmb", "mpptest", "--operation", "alltoall"), "mpptest does not measure alltoall"),
    (("--between", "pmb", "mpptest", "--operation", "bcast", "--set", "colour=red"), "no field 'colour'"),
)
def test_what_cannot_be_compared_is_said(groma: Groma, arguments: tuple[str, ...], says: str) -> None:
    said = groma("explain", *arguments)
    said.refuses(says)


@pytest.mark.slow
@pytest.mark.mpi
@pytest.mark.parametrize(
    ("asked", "factors"),
    [("mpptest mpbench --operation bcast", {"root", "sync"}), ("mpibench pmb --operation sendrecv", {"pattern"})],
)
def test_two_ranks_are_explained(
    asked: str, factors: set[str], embedded: Library, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GROMA_ENGINE", str(embedded.engine))
    monkeypatch.setenv("GROMA_MPIEXEC", embedded.mpiexec)
    for name, value in embedded.variables.items():
        monkeypatch.setenv(name, value)
    arguments = ["--between", *asked.split(), "--launches", "2", "--set", "slot_s=0.01"]
    arguments += ["--set", "clock=monotonic"]
    with pytest.raises(SystemExit) as end:
        main(["explain", *arguments, "-o", str(tmp_path / "out")])
    assert end.value.code == 0
    explained = json.loads((tmp_path / "out" / "explain.json").read_text())
    assert explained["launches"] == 2
    assert factors <= set(explained["log_ratios"])


def test_a_mixture_without_samples_counts_as_illegal(groma: Groma, tmp_path: Path, catalog: Catalog) -> None:
    arguments = ("--between", "mpbench", "mpibench", "--operation", "bcast", "--launches", "2", "-o", "out")
    assert groma("explain", *arguments).code == 0
    comparison = pair_methods(
        (read_profile("mpbench", catalog), read_profile("mpibench", catalog)), "bcast", 1024, OF_PROFILES, catalog
    ).judged(refused_by_engine)
    run = load_run(tmp_path / "out")
    every = times_of(run, comparison)
    point = comparison.point(1)
    for launch in run.launches:
        assert launch.plan is not None
        gone = launch.plan.points.index(point)
        assert isinstance(launch.points, list)
        launch.points[:] = [record for record in launch.points if record.index != gone]
    left = times_of(run, comparison)
    assert 1 in every
    assert 1 not in left
    assert all(comparison.point(mask) == point for mask in set(every) - set(left))
    for launch in run.launches:
        assert isinstance(launch.points, list)
        launch.points.clear()
    with pytest.raises(RunError, match="too few launches"):
        times_of(run, comparison)


def test_ranks_that_share_cpus_are_said_to(groma: Groma, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FAKE_RANKS", "4")
    arguments = ["--between", "mpbench", "mpibench", "--operation", "bcast", "--launches", "1", "-n", "4", "-o", "out"]
    said = groma("explain", *arguments)
    assert "More ranks than CPUs" in said.out
    assert "More ranks than CPUs" in (tmp_path / "out" / "explain.html").read_text()


@pytest.mark.parametrize(
    ("first", "second", "operation", "causes"),
    [
        ("pmb", "skampi", "bcast", {"cache", "root"}),  # figure 9: a rotating root and cold buffers
        ("mpptest", "mpibench", "bcast", {"root", "sync"}),
        ("mpibench", "mpptest", "pingpong", {"pattern", "buffers"}),  # figures 5 and 6: who talks, and one array or two
        ("mpptest", "mpbench", "pingpong", {"pattern"}),
        ("pmb", "mpbench", "bcast", {"operation", "root"}),  # section 2: MPBench's barrier follows every call
        ("pmb", "mpbench", "reduce", {"reduction", "root"}),  # section 8: a reduction that does nothing
        ("pmb", "skampi", "reduce", {"reduction"}),
    ],
)
def test_the_causes_that_the_comparison_found_are_factors_of_their_own(
    first: str, second: str, operation: str, causes: set[str], catalog: Catalog
) -> None:
    """The Altix paper named these causes by hand; each must be separated from the others here."""
    comparison = compared(first, second, operation, catalog)
    alone = {
        change.name: {field for field in change.before if field != "outlier_factor"} for change in comparison.changes
    }
    for cause in causes:
        assert cause in alone
        assert alone[cause] == {cause}


@pytest.mark.parametrize(
    ("first", "second", "said", "points"),
    [
        ("mpibench", "pmb", "a ring instead of pairs", {("sendrecv_pairwise", "halves"), ("sendrecv", "all")}),
        ("skampi", "mpibench", "pairs instead of a ring", {("sendrecv", "all"), ("sendrecv_pairwise", "halves")}),
    ],
)
def test_a_ring_and_pairs_are_one_operation_with_a_factor(
    first: str, second: str, said: str, points: set[tuple[str, str]], catalog: Catalog
) -> None:
    """Section 5.2 of the comparison: Sendrecv goes around a ring in SKaMPI and PMB, and between pairs in MPIBench."""
    for asked in ("sendrecv", "sendrecv_pairwise"):
        comparison = compared(first, second, asked, catalog)
        (pattern,) = (change for change in comparison.changes if change.name == "pattern")
        assert pattern.words() == said
        assert comparison.what == "sendrecv at 1 KiB"
        every = [comparison.point(mask) for mask in comparison.possible()]
        assert {(point["operation"], point["pattern"]) for point in every} == points


def test_two_rings_have_no_factor_of_their_pattern(catalog: Catalog) -> None:
    assert "pattern" not in {change.name for change in compared("pmb", "skampi", "sendrecv", catalog).changes}


def test_the_barrier_after_every_call_is_a_factor_by_either_name(catalog: Catalog) -> None:
    for asked in ("bcast", "bcast_then_barrier"):
        comparison = compared("pmb", "mpbench", asked, catalog)
        (barrier,) = (change for change in comparison.changes if change.name == "operation")
        assert barrier.words() == "a barrier after every call"
        assert comparison.what == "bcast at 1 KiB"
        assert {comparison.point(mask)["operation"] for mask in comparison.possible()} == {
            "bcast",
            "bcast_then_barrier",
        }


def test_windows_that_crowded_ranks_cannot_keep_give_way_to_barriers(catalog: Catalog) -> None:
    profiles = (read_profile("pmb", catalog), read_profile("skampi", catalog))
    crowded = pair_methods(profiles, "bcast", 1024, EFFORT, catalog, crowded=True)
    assert all(crowded.point(mask)["sync"] != "window" for mask in crowded.possible())
    assert crowded.notes == (
        (
            "skampi starts bcast by windows, which cannot be met with more ranks than CPUs; its sync=barrier is "
            "compared instead."
        ),
    )
    assert pair_methods(profiles, "bcast", 1024, EFFORT, catalog).notes == ()
    for profile in profiles:
        profile.override("sync", "window")
    with pytest.raises(InputError, match="use fewer ranks or --set sync=barrier"):
        pair_methods(profiles, "bcast", 1024, EFFORT, catalog, crowded=True)
