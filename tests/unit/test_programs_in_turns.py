"""Several profiles in one run, or several runs of theirs: planned, measured in turns, and shown on one chart."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from edited_records import write_records
from fakes import Groma
from synthetic import Scenario, make_run

from groma.analysis import Series, programs_of, series, side_by_side, summarise
from groma.catalog import Catalog
from groma.errors import InputError
from groma.explain import ends
from groma.plan import Plan, expand, several_profiles
from groma.plan.parts import call_of
from groma.report.chartgroups import compared_charts, have_one_limit
from groma.report.page import render
from groma.results import load_run
from groma.results.reasons import Reason, Reasons, Share, read_reasons
from groma.text.numbers import TIMES

RECORDED = Path(__file__).parents[1] / "recorded"
FIVE = ("mpptest", "mpbench", "pmb", "skampi", "mpibench")


def planned(names: Sequence[str], *operations: str, catalog: Catalog, crowded: bool = False, **fields: object) -> Plan:
    draft = several_profiles(names, operations, catalog)
    draft.crowded = crowded
    for name, value in fields.items():
        draft.override(name, value)
    return expand(draft, catalog)


def own(plan: Plan, name: str) -> list[dict[str, Any]]:
    return [dict(plan.points[place]) for place in plan.parts[name].points]


def test_each_program_measures_by_its_own_method(catalog: Catalog) -> None:
    plan = planned(FIVE, "bcast", catalog=catalog, bytes="8,1K")
    assert [variant.name for variant in plan.variants] == list(FIVE)
    methods = {
        name: [(point["operation"], point["bytes"], point["root"]) for point in own(plan, name)] for name in FIVE
    }
    assert methods["mpptest"] == methods["pmb"] == [("bcast", 8, "rotate"), ("bcast", 1024, "rotate")]
    assert methods["mpbench"] == [("bcast_then_barrier", 8, "fixed"), ("bcast_then_barrier", 1024, "fixed")]
    assert {point["sync"] for point in own(plan, "skampi")} == {"window"}
    reports = {name: plan.parts[name].report for name in FIVE}
    assert (reports["mpptest"].estimator, reports["skampi"].outliers) == ("min_of_means", "trim_quarters")
    assert (plan.parts["mpptest"].order, plan.parts["skampi"].settings) == (
        "interleaved",
        {"clock_sync": "offset_only"},
    )
    assert not plan.refinement.active


def test_a_call_has_one_name_whatever_a_program_adds_to_it(catalog: Catalog) -> None:
    plan = planned(("pmb", "mpibench"), "sendrecv", catalog=catalog, bytes="8")
    assert [call_of(str(point["operation"])) for point in plan.points] == ["sendrecv", "sendrecv"]
    assert own(plan, "mpibench")[0]["operation"] == "sendrecv_pairwise"


def test_without_operations_those_that_two_programs_have_are_measured(catalog: Catalog) -> None:
    plan = planned(("mpptest", "mpbench"), catalog=catalog, bytes="8")
    assert {call_of(str(point["operation"])) for point in plan.points} == {"pingpong", "bcast"}


def test_what_a_program_lacks_is_said(catalog: Catalog) -> None:
    plan = planned(FIVE, "bcast", "alltoall", catalog=catalog, bytes="8")
    assert plan.lacking == {"alltoall by mpptest": "the profile does not measure it"}


def test_crowded_ranks_keep_no_windows(catalog: Catalog) -> None:
    plan = planned(("mpibench", "skampi"), "bcast", catalog=catalog, crowded=True, bytes="8")
    assert [point["sync"] for point in own(plan, "skampi")] == ["barrier"]
    assert "windows of skampi" in plan.lacking
    asked = planned(("mpibench", "skampi"), "bcast", catalog=catalog, crowded=True, bytes="8", sync="window")
    assert ([point["sync"] for point in own(asked, "skampi")], asked.lacking) == (["window"], {})


@pytest.mark.parametrize(
    ("names", "operations", "fields", "words"),
    [
        (("pmb", "pmb"), (), {}, "--profile pmb is given twice"),
        (("pmb", "pairs"), (), {}, "the profile pairs decides itself"),
        (("pmb", "ladder"), (), {}, "the profile ladder decides itself"),
        (("pmb", "mpptest"), ("overlap",), {}, "only the profile mpptest measures overlap"),
        (("pmb", "mpptest"), ("scan",), {}, "none of the profiles pmb, mpptest measures scan"),
        (("pmb", "skampi", "mpptest"), ("alltoall",), {}, "the profile mpptest measures none of alltoall"),
        (("pmb", "mpptest"), ("bcast",), {"cache": ["warm", "rotate"]}, "several profiles take one value of cache"),
    ],
)
def test_what_cannot_take_turns_is_refused(
    catalog: Catalog, names: tuple[str, ...], operations: tuple[str, ...], fields: dict[str, Any], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        planned(names, *operations, catalog=catalog, **fields)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["bcast", "--profile", "pmb,", "--bytes", "8"], "a profile is missing between the commas"),
        (["bcast", "--profile", "pmb,mpptest", "--variant", "a:X=1"], "several profiles take turns themselves"),
        (["bcast", "--profile", "pmb,mpptest", "--refine", "log"], "several profiles take turns themselves"),
        (["bcast", "--profile", "pmb", "--explain"], "--explain needs several profiles"),
    ],
)
def test_options_that_several_profiles_cannot_have(groma: Groma, words: list[str], said: str) -> None:
    refused = groma("run", *words)
    assert (refused.code, said in refused.err) == (2, True)


@pytest.fixture
def measured(groma: Groma) -> Path:
    """Return a run of two programs, six launches of each; PMB has other blocks for long messages."""
    words = ["bcast", "barrier", "--profile", "pmb", "--profile", "mpibench", "--bytes", "8,64K", "-n", "2,4"]
    assert groma("run", *words, "--launches", "6", "-o", "out").code == 0
    return Path("out")


def test_every_launch_measures_its_programs_points_in_its_order(measured: Path) -> None:
    plans = [json.loads((measured / "launches" / f"{number:03d}" / "plan.json").read_text()) for number in range(1, 25)]
    accounts = [json.loads((measured / "launches" / f"{at:03d}" / "launch.json").read_text()) for at in range(1, 25)]
    assert [account["variant"] for account in accounts[:8]] == ["pmb", "mpibench"] * 2 + ["mpibench", "pmb"] * 2
    for plan, account in zip(plans, accounts, strict=True):
        clocks = {point["clock"] for point in plan["points"]}
        assert clocks == ({"mpi"} if account["variant"] == "pmb" else {"tsc"})


def test_figures_are_made_by_each_programs_own_report(measured: Path) -> None:
    reports = {point.variant: point.reporting.outliers for point in summarise(load_run(measured))}
    assert reports == {"pmb": "keep", "mpibench": "factor_of_mean"}
    parts = programs_of([load_run(measured)])
    assert [(name, run.meta.profile, len(run.launches)) for name, run in parts.items()] == [
        ("pmb", "pmb", 12),
        ("mpibench", "mpibench", 12),
    ]


def test_one_table_has_the_programs_as_columns(measured: Path, groma: Groma) -> None:
    said = groma("show", "out")
    assert "bcast, 2 ranks" in said.out
    assert "bcast, 4 ranks" in said.out
    assert "mpibench / pmb" in said.out
    assert "by rounds with one launch of each program" in said.out
    assert "mpibench: a launch's figure is the mean of the samples; before that" in said.out
    assert groma("show", "out", "--style", "mpibench").code == 0
    assert measured.exists()


def test_one_chart_has_the_programs_as_curves_and_the_ratio_below(measured: Path) -> None:
    run = load_run(measured)
    charts = compared_charts(side_by_side(run, series(summarise(run))))
    assert [chart.title for chart in charts] == ["bcast, 2 ranks", "bcast, 4 ranks", "barrier"]
    for chart in charts:
        assert [key.name for key in chart.keys] == ["pmb", "mpibench"]
        assert [curve.name for curve in chart.ratios] == ["mpibench"]
        assert chart.ratio_y == "time over that of pmb"
        assert len(chart.drawings) == 2
    assert [[point.x for point in curve.points] for curve in charts[0].curves] == [[8, 65536]] * 2
    assert [point.x for point in charts[2].curves[0].points] == [2, 4]
    page = render(run)
    assert page.count('class="plot"') >= 6
    assert '<h2 id="variants">' not in page
    headings = re.findall(r"<h2[^>]*>(.*?)</h2>", page)
    assert {"Time by program", "Programs"} < set(headings)
    assert len(headings) == len(set(headings))


def bcast_curve(folder: Path, sizes: tuple[int, ...] = (8, 64), **minima: object) -> Series:
    """Return the curve of a made run; `minima` are what its launches measured without MPI, in place of its own."""
    made = make_run(folder, Scenario(launches=2, samples=20, operations=("bcast",), sizes=sizes))
    for file in made.glob("launches/*/points.jsonl"):
        start, *others = map(json.loads, file.read_text().splitlines())
        write_records(file, [start | {"limits": start["limits"] | minima}, *others])
    [curve] = series(summarise(load_run(made)))
    return curve


def handoffs(ns: float) -> list[dict[str, object]]:
    return [{"ranks": [0, 1], "bytes": size, "ns": ns, "stream_ns": ns} for size in (8, 64)]


@pytest.mark.parametrize(
    ("sizes", "minima", "one"),
    [
        ((8, 64), {"handoff": handoffs(70.0)}, True),
        ((8, 64), {"handoff": handoffs(2.0)}, False),  # as of calls that overlap
        ((8,), {}, False),
        ((8, 64), {"handoff": []}, False),
    ],
)
def test_a_limit_is_drawn_if_all_programs_have_it(
    tmp_path: Path, sizes: tuple[int, ...], minima: dict[str, object], one: bool
) -> None:
    curves = [bcast_curve(tmp_path / "a"), bcast_curve(tmp_path / "b", sizes, **minima)]
    assert all(point.limit for point in curves[0].points)
    assert have_one_limit(curves) is one


def test_a_run_of_programs_that_ended_early_is_resumed(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["run", "bcast", "--profile", "pmb,mpibench", "--bytes", "8", "--launches", "6", "-o", "out"]
    monkeypatch.setenv("FAKE_ENGINE", "die_after=0 in_launch=4")
    assert groma(*words).code == 1
    monkeypatch.delenv("FAKE_ENGINE")
    assert groma("run", "--resume", "out").code == 0
    points = [load_run("out").launches[at].points[0].point["clock"] for at in range(4)]
    assert points == ["mpi", "tsc", "tsc", "mpi"]


def test_several_runs_are_one_page_and_one_table(groma: Groma) -> None:
    paths = [str(RECORDED / name) for name in FIVE]
    told = groma("report", *paths, "-o", "programs.html")
    assert told.out.splitlines()[-1].endswith("programs.html")
    page = Path("programs.html").read_text()
    assert all(f"<span>{name}</span>" in page for name in ("mpptest", "mpbench", "pmb", "mpibench"))
    assert "time over that of mpptest" in page
    assert "Not shown: skampi" in page
    compared = groma("compare", *paths)
    assert compared.code == 0
    assert "separate runs" in compared.out
    refused = groma("compare", *paths, "--format", "json")
    assert (refused.code, "programs have no verdict" in refused.err) == (2, True)


def test_runs_without_an_operation_in_common_are_refused(groma: Groma) -> None:
    refused = groma("compare", str(RECORDED / "skampi"), str(RECORDED / "mpptest"))
    assert (refused.code, "groma run --profile skampi,mpptest" in refused.err) == (2, True)


def test_the_reasons_stand_beside_the_table(measured: Path, groma: Groma) -> None:
    cause, other = Share("fixed root", "root: rotate → fixed", 0.25, 0.2, 0.3), Share("b", "c", 1.5, 0.9, 2.0)
    together = Share("together", "", 0.375, 0.3, 0.4)
    found = [
        Reason("bcast", 2, 8, "pmb", "mpibench", together, [other, cause]),
        Reason("bcast", 2, 1024, "pmb", "mpibench", refused="the clock steps back"),
    ]
    (measured / "reasons.json").write_bytes(msgspec.json.encode(Reasons(1, found)))
    said = groma("show", "out").out
    assert f"fixed root {TIMES}0.250" in said
    assert f"b {TIMES}1.50" not in said
    assert "the clock steps back" in said
    assert "Why they differ" in render(load_run(measured))
    assert read_reasons(measured) == found


def test_explain_offers_the_programs_of_a_run(measured: Path, groma: Groma) -> None:
    said = groma("explain", str(measured), str(measured), "--operation", "bcast", "--bytes", "8", "-n", "2")
    said.refuses("2 ways, those of pmb, mpibench")
    command = said.err.partition("explain two of them: groma ")[2].split()
    assert command == ["explain", "--between", "pmb", "mpibench", "--operation", "bcast", "-n", "2", "--bytes", "8"]
    assert groma(*command, "--launches", "1", "-o", "mixtures").code == 0


def test_what_is_explained_is_every_program_at_both_ends(measured: Path) -> None:
    asked = [(one.call, one.ranks, one.bytes, one.first, one.other) for one in ends._asked(load_run(measured))]
    assert asked == [
        *(("bcast", ranks, size, "pmb", "mpibench") for ranks in (2, 4) for size in (8, 65536)),
        *(("barrier", ranks, None, "pmb", "mpibench") for ranks in (2, 4)),
    ]
