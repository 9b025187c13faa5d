"""`groma compare`: which points are one measurement, what is said of them, and what is refused with its reason."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from fakes import Groma, refused
from planted_runs import QUIET, change_document, change_points, change_records, made, set_for_launches
from synthetic import LIBRARY, Scenario

from groma.analysis import summarise
from groma.cli import deciding
from groma.cli.deciding import FORMATS
from groma.decide import Compared, Side, compare_sides
from groma.decide.formats import written
from groma.decide.page import render
from groma.errors import InputError
from groma.results import load_run

Change = Callable[[dict[str, Any]], None]
RECORDED = Path(__file__).parents[1] / "recorded"
FAST = replace(QUIET, launch_effect=0.004, launches=8)
FIRST = FAST.library


def pair(folder: Path, other: Scenario = FAST, slower: dict[str, float] | None = None) -> tuple[Path, Path]:
    """Make two runs in folders of their own, so that neither is the other's history."""
    return made(folder / "a" / "first", 1, FAST), made(folder / "b" / "second", 2, other, slower)


def compared(one: Path, other: Path) -> Compared:
    return compare_sides(Side(one.name, [load_run(one)]), Side(other.name, [load_run(other)]))


def test_two_runs_are_compared_point_by_point_in_the_order_of_the_plan(tmp_path: Path) -> None:
    found = compared(*pair(tmp_path, slower={"allreduce": 1.2, "barrier": 0.8}))
    assert [row.label for row in found.rows][:4] == [
        "pingpong 8 B",
        "pingpong 1 KiB",
        "pingpong 64 KiB",
        "allreduce 8 B",
    ]
    verdicts = {row.first.operation: row.words for row in found.rows}
    assert verdicts == {
        "pingpong": "same within 5 %, in these runs",
        "allreduce": "slower, in these runs",
        "barrier": "faster, in these runs",
    }
    assert found.summary() == (
        "second against first, 7 points: 3 slower, 1 faster, 3 the same within 5 %, 0 not decided."
    )
    assert "can differ by more than their launches show" in found.sentences[0]


def test_points_are_found_by_what_was_measured_and_not_by_their_place(tmp_path: Path) -> None:
    backwards = replace(FAST, operations=FAST.operations[::-1])
    found = compared(*pair(tmp_path, backwards))
    assert len(found.rows) == 7
    assert all(
        row.first.operation == row.second.operation and row.first.bytes == row.second.bytes for row in found.rows
    )
    assert found.left_out == []


def test_three_runs_beside_the_two_show_how_much_runs_differ(tmp_path: Path) -> None:
    one, other = made(tmp_path / "1", 1, FAST), made(tmp_path / "2", 2, FAST, {"allreduce": 1.3})
    for seed in (3, 4, 5):
        made(tmp_path / str(seed), seed, FAST)
    found = compared(one, other)
    assert {row.basis for row in found.rows} == {"runs"}
    assert found.sentences[0].startswith("Intervals include run-to-run variation: ")
    assert {row.words for row in found.rows if row.first.operation == "allreduce"} == {"slower"}


def test_rounds_at_an_interval_stand_for_runs(tmp_path: Path) -> None:
    one, other = pair(tmp_path)
    for run in (one, other):
        change_document(run, every_s=60)
        for number, file in enumerate(sorted(run.glob("launches/*/launch.json"))):
            started = f"2026-01-02T03:{5 + number:02d}:06+00:00"
            file.write_text(json.dumps(json.loads(file.read_text()) | {"started": started}))
    found = compared(one, other)
    assert {row.basis for row in found.rows} == {"runs"}
    assert {row.judged.comparison.shift.unit for row in found.rows} == {"run"}


def a_setting(name: str, value: object) -> Change:
    def change(record: dict[str, Any]) -> None:
        record["point"][name] = value

    return change


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (a_setting("timing", "none"), "timing is call in first and none in second"),
        (a_setting("reduce", "mean"), "reduce is max in first and mean in second"),
        (a_setting("clock", "mpi"), "clock is monotonic in first and mpi in second"),
        (a_setting("operation", "bcast"), "only first measured this operation"),
        (a_setting("bytes", 4096), "only first measured these sizes"),
        (lambda record: record.update(member_count=1), "number of ranks is 2 in first and 1 of 2 in second"),
    ],
)
def test_what_differs_in_method_is_not_compared_and_says_why(tmp_path: Path, change: Change, says: str) -> None:
    one, other = pair(tmp_path, replace(FAST, operations=("pingpong", "allreduce"), sizes=(8,)))
    change_points(other, lambda record: change(record) if record["point"]["operation"] == "allreduce" else None)
    found = compared(one, other)
    assert {row.first.operation for row in found.rows} == {"pingpong"}
    assert says in [left.reason for left in found.left_out if left.operation == "allreduce"]


def other_ranks(run: Path) -> None:
    change_records(run, lambda record: record.update(ranks=4) if record["kind"] == "start" else None)
    change_points(run, lambda record: record.update(member_count=4))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda run: change_document(run, report={"estimator": "mean"}), "estimator is median in first and mean in "),
        (other_ranks, "number of ranks is 2 in first and 4 in second"),
        (
            lambda run: change_points(run, a_setting("operation", "gather")),
            "they measured no operation in common (pingpong, allreduce, barrier, gather)",
        ),
        (lambda run: change_points(run, a_setting("bytes", 4096)), "only first measured these sizes"),
    ],
)
def test_runs_without_a_point_in_common_are_refused(groma: Groma, change: Callable[[Path], None], says: str) -> None:
    one, other = pair(Path(), replace(FAST, operations=("allreduce",)))
    change(other)
    change_document(one, launches=8)
    said = groma("compare", str(one), str(other))
    said.refuses("first and second have no point that can be compared: ", says)


@refused(
    ("a/first", "name two runs or baselines to compare, or one run and --between NAME NAME"),
    ("a/first b/second a/first", "name two runs or baselines"),
    ("a/first a/first", "a/first (first) and a/first (first) are one run; name two"),
    ("a/first none", "there is no baseline 'none'; make one with groma baseline set NAME RUN"),
    ("a/first b/none", "b/none is not a directory: name a run, such as"),
    ("a/first b", "b is not a run directory, it has no run.json"),
    (
        "a/first b/second --between base tcp",
        "--between compares two variants or operations of one run; name that run alone",
    ),
    ("a/first --between base tcp", "a/first has no variant or operation base: its operations are"),
    ("a/first b/second --margin 0", "'0' is not a share"),
    ("a/first b/second --format yaml", "'yaml' is not one of"),
    ("a/first b/second --calibrate", "no copies of points in six launches; measure with groma run --calibrate"),
    ("", "Missing argument 'A B | RUN'"),
)
def test_wrong_input_is_one_sentence(groma: Groma, arguments: str, says: str) -> None:
    pair(Path())
    groma("compare", *arguments.split()).refuses(says)


def test_runs_of_one_name_are_told_apart(groma: Groma) -> None:
    made(Path("a/run"), 1, FAST)
    made(Path("b/run"), 2, FAST)
    assert groma("compare", "a/run", "b/run").out.startswith("b/run against a/run, 7 points")


def test_variants_of_a_run_are_compared_in_pairs(groma: Groma) -> None:
    assert groma("run", "bcast", "--bytes", "8,64", "--variant", "base", "--variant", "tcp:X=1", "-o", "out").code == 0
    said = groma("compare", "out", "--between", "base", "tcp")
    assert said.code == 0
    assert said.out.startswith("tcp against base, 2 points: 0 slower, 0 faster, 2 the same within 5 %")
    assert "Launches of both took turns; each pair is of one round." in said.out
    assert "in these runs" not in said.out
    assert "environment X" in " ".join(said.out.split())
    said = groma("compare", "out", "--between", "base", "udp")
    said.refuses("out has no variant or operation udp: its variants are base, tcp; its operations are bcast")
    said = groma("compare", "out", "--between", "tcp", "tcp")
    said.refuses("names one thing twice")
    said = groma("compare", "out", "--between", "tcp", "bcast")
    said.refuses("tcp is a variant and bcast is an operation")


def test_operations_of_a_run_are_compared_in_pairs_of_one_launch(groma: Groma) -> None:
    """The fake engine's ping-pong takes half as long as its broadcast of the same size: the figure is one way."""
    words = (
        "pingpong",
        "bcast",
        "barrier",
        "--bytes",
        "8,64",
        "--launches",
        "8",
        "--variant",
        "a",
        "--variant",
        "b:X=1",
    )
    assert groma("run", *words, "-o", "out").code == 0
    told = json.loads(groma("compare", "out", "--between", "pingpong", "bcast", "--format", "json").out)
    assert (told["baseline"], told["candidate"], told["differences"]) == ("pingpong", "bcast", [])
    assert [point["bytes"] for point in told["points"]] == [8, 8, 64, 64], "within each variant"
    assert {point["launches"] for point in told["points"]} == {8}
    assert "A time of pingpong is one way: half the round trip; one of bcast is one call." in told["sentences"]
    assert "Every launch measured both; each pair is of one launch." in told["sentences"]
    run = load_run("out")
    times = {(point.operation, point.bytes, point.variant): point.time_ns for point in summarise(run)}
    for point, variant in zip(told["points"], "abab", strict=True):
        size = point["bytes"]
        quotient = times["bcast", size, variant] / times["pingpong", size, variant]
        assert point["ratio"] == pytest.approx(quotient, rel=0.02)
    groma("compare", "out", "--between", "bcast", "barrier").refuses("only bcast measured these sizes")
    page = groma("compare", "out", "--between", "pingpong", "bcast", "--report", "page.html")
    assert page.code == 0
    assert "pingpong and bcast" in Path("page.html").read_text()


def name_variants(run: Path, *names: str) -> None:
    """Let the launches of a run be of these variants, in turns."""
    change_document(run, variants=[{"name": name} for name in names])
    for at, file in enumerate(sorted(run.glob("launches/*/launch.json"))):
        file.write_text(json.dumps(json.loads(file.read_text()) | {"variant": names[at % len(names)]}))


def test_the_only_variant_of_a_run_needs_no_partner_of_its_name(tmp_path: Path) -> None:
    """As one library that `--mpi` names, beside an imported run; two variants are told apart by their names."""
    one, other = pair(tmp_path)
    name_variants(one, "openmpi")
    assert {point.variant for point in Side("one", [load_run(one)]).summaries} == {"openmpi"}
    assert len(compared(one, other).rows) == 7
    name_variants(other, "mpich", "intel")
    with pytest.raises(InputError, match="variant is openmpi in first and"):
        compared(one, other)


def test_machine_library_environment_placement_and_method_stand_beside(tmp_path: Path) -> None:
    one, other = pair(tmp_path, replace(FAST, pinned=True, launches=9, library="rebuilt"))
    change_document(other, host="node02", groma="0.2.0")
    library = {"name": "MPICH", "version": "5.1", "text": "", "standard": "5.0"}
    change_records(other, lambda record: record.update(library=library) if record["kind"] == "start" else None)
    set_for_launches(other, UCX_TLS="tcp")
    for file in other.glob("launches/*/nodes.json"):
        places = json.loads(file.read_text())
        places["nodes"][0]["cpu_quota"] = 1.5
        file.write_text(json.dumps(places))
    told = {(fact.kind, fact.name): (fact.first, fact.second) for fact in compared(one, other).differences}
    assert told == {
        ("machine", "host"): ("node01", "node02"),
        ("machine", "CPU quota"): ("none", "1.5 CPUs"),
        ("library", "MPI library"): ("MPICH 5.0.2", "MPICH 5.1"),
        ("library", "MPI library's file"): (f"{LIBRARY} ({FIRST}, 5.0.2)", f"{LIBRARY} (rebuilt, 5.1)"),
        ("environment", "UCX_TLS"): ("\N{EN DASH}", "tcp"),
        ("placement", "host:CPUs of the ranks"): ("0:0-1, 0:0-1", "0:0, 0:1"),
        ("method", "Groma"): ("0.1.0", "0.2.0"),
        ("method", "launches"): ("8", "9"),
    }


def test_what_a_setting_changes_is_no_spread_from_run_to_run(tmp_path: Path) -> None:
    found = {}
    for environment in ("one", "other"):
        for seed in range(1, 7):
            slower = {"allreduce": 1.5} if seed > 3 else {}
            run = made(tmp_path / environment / str(seed), seed, FAST, slower)
            set_for_launches(run, UCX_TLS=environment if seed > 3 else "one")
        rows = compared(tmp_path / environment / "1", tmp_path / environment / "4").rows
        found[environment] = {row.words.split(" (")[0] for row in rows if row.first.operation == "allreduce"}
        assert {row.words for row in rows if row.first.operation != "allreduce"} == {"same within 5 %"}
    assert found == {"one": {"not decided"}, "other": {"slower"}}


def test_doubts_about_the_machine_and_gaps_are_said(tmp_path: Path) -> None:
    one, other = pair(tmp_path, replace(FAST, oversubscribed=True, disturbed=(2,), never_started=(8,)))
    said = " ".join(compared(one, other).sentences)
    assert "More ranks than CPUs" in said
    assert "Other processes took more than 0.15 of a core in 1 of 15 launches" in said
    assert "second: Launch 8 never started." in said


def test_copies_say_what_can_be_detected(groma: Groma) -> None:
    assert groma("run", "bcast", "--bytes", "8,64", "--launches", "6", "--calibrate", "-o", "out").code == 0
    assert groma("run", "bcast", "--bytes", "8,64", "--launches", "6", "-o", "other").code == 0
    said = groma("compare", "out", "other", "--calibrate")
    assert said.code == 0
    assert "out: Between two points of the same 6 launches, a difference of about " in said.out
    assert "The margin of 5 % is wider than the largest of these" in said.out


def test_every_format_has_every_point(groma: Groma) -> None:
    assert FORMATS == deciding.FORMATS
    one, other = pair(Path(), slower={"allreduce": 1.2})
    said = {form: groma("compare", str(one), str(other), "--format", form).out for form in FORMATS}
    assert all("allreduce 64 KiB" in text for text in said.values())
    document = json.loads(said["json"])
    assert document["gate"] is None
    assert [point["verdict"] for point in document["points"]].count("slower") == 3
    assert {point["holds_for"] for point in document["points"]} == {"these runs"}
    ratios = [point["candidate_ns"] / point["baseline_ns"] for point in document["points"]]
    assert [ratio > 1.1 for ratio in ratios] == [point["verdict"] == "slower" for point in document["points"]]
    suite = ET.fromstring(said["junit"])  # noqa: S314 - our own
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("7", "0", "3")
    lines = said["openmetrics"].splitlines()
    assert lines[-1] == "# EOF"
    families = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert len(families) == len(set(families))
    for line in lines[:-1]:
        assert line.startswith("# ") or float(line.rpartition(" ")[2]) >= 0
    assert said["markdown"].count("| slower, in these runs |") == 3


def test_names_cannot_break_a_format(tmp_path: Path) -> None:
    one = made(tmp_path / "a|b <c>", 1, FAST)
    other = made(tmp_path / "d" / 'e"\\f', 2, FAST)
    found = compared(one, other)
    suite = ET.fromstring(written(found, "junit"))  # noqa: S314 - our own
    assert suite.get("name") == 'e"\\f against a|b <c>'
    document = json.loads(written(found, "json"))
    assert (document["baseline"], document["candidate"]) == ("a|b <c>", 'e"\\f')
    assert "a\\|b \\<c>" in written(found, "markdown")
    assert "a|b &lt;c&gt;" in render(found).replace("\u200b", "")


def test_the_page_has_every_ratio_as_mark_and_as_words(groma: Groma) -> None:
    one, other = pair(Path(), slower={"allreduce": 1.2})
    assert groma("compare", str(one), str(other), "--report", "page.html").code == 0
    page = Path("page.html").read_text()
    assert page.count('<li class="slower">') == 3
    assert page.count('<li class="same">') == 4
    assert page.count('class="chart"') == 2, "curves of pingpong and allreduce; barrier has no size"
    assert "<script" not in page
    said = groma("compare", str(one), str(other), "--report", "none/page.html")
    assert (said.code, "give another place with --report" in said.err) == (1, True)


def test_a_recorded_run_is_the_same_as_itself_elsewhere(groma: Groma, tmp_path: Path) -> None:
    shutil.copytree(RECORDED / "two-launches", tmp_path / "copy")
    change_document(tmp_path / "copy", id="another")
    said = groma("compare", str(RECORDED / "two-launches"), str(tmp_path / "copy"))
    assert said.code == 0
    assert "not decided (needs more runs)" in said.out
    assert "more launch" not in said.out, "launches say nothing of how much runs differ"
    assert "Not compared" not in said.out
