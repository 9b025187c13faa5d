"""Verdicts on runs by limits of a site, and what `groma gate --limits` and `groma quick --limits` do."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from fakes import Groma, refused
from limit_files import LIMITS, STEADY, judged_by, make_runs, one
from planted_runs import change_document, change_points, made

from groma.results import load_run


@pytest.fixture
def runs(groma: Groma) -> Groma:
    make_runs()
    return groma


def test_what_keeps_its_limits_passes(runs: Groma) -> None:
    said = runs("gate", "--limits", "site.toml", "good")
    assert said.code == 0
    assert said.out.startswith("Within limits: good keeps all 3 limits of site.toml.")


def test_a_figure_outside_fails_and_is_named(runs: Groma) -> None:
    said = runs("gate", "--limits", "site.toml", "slow")
    assert said.code == 4
    assert said.out.startswith(
        "Outside its limits: slow by site.toml, 1 of 3 limits not kept: allreduce 8 B, 2 ranks: time 6"
    )
    assert "at most 516 ns" in said.out


def test_what_was_not_measured_never_passes(runs: Groma) -> None:
    Path("site.toml").write_text(LIMITS.replace('"allreduce", bytes = 8', '"allreduce", bytes = 16'))
    said = runs("gate", "--limits", "site.toml", "good")
    assert said.code == 125
    assert said.out.startswith("Not decided: good by site.toml, 2 of 3 limits kept; 1 not measured: allreduce 16 B.")
    assert runs("gate", "--limits", "site.toml", "good", "slow").code == 125


def test_too_few_launches_for_so_many_limits_are_said_with_the_command_that_makes_more(runs: Groma) -> None:
    """With ten launches no more than 25 limits can be decided."""
    figures = ("time", "p95", "p25", "p75", "median", "mean")
    points = [(name, size) for name in ("pingpong", "allreduce") for size in (8, 1024, 65536)]
    limits = [one(operation=name, bytes=size, value=1e6, figure=figure) for name, size in points for figure in figures]
    Path("site.toml").write_text("\n".join(limits))
    said = runs("gate", "--limits", "site.toml", "good")
    assert said.code == 125
    assert "good by site.toml, 0 of 36 limits kept; 36 not decided: " in said.out
    assert ". About 11 launches would decide them: groma run --resume RUN --launches 11\n" in said.out


@pytest.mark.parametrize(("value", "verdict"), [(0.2815 / 1.2, "not decided"), (0.27, "pass"), (0.2, "fail")])
def test_the_interval_decides(runs: Groma, value: float, verdict: str) -> None:
    """A bound inside the interval decides nothing, whatever the figure itself is."""
    del runs
    (line,) = judged_by(one(value=value), "good").lines
    assert line.verdict == verdict, line


def test_intervals_hold_together(runs: Groma) -> None:
    """Among many limits each has a smaller share of the 5 %, so its interval is wider."""
    del runs
    (alone,) = judged_by(one(), "good").lines
    many = "".join(one(figure=figure) + "\n" for figure in ("time", "p95", "p25", "p75", "median", "mean"))
    first = judged_by(many, "good").lines[0]
    assert alone.interval is not None
    assert first.interval is not None
    assert first.interval.low < alone.interval.low
    assert first.interval.high > alone.interval.high


def test_the_clocks_part_is_in_the_interval(runs: Groma) -> None:
    """As in every printed interval: a time may contain the cost of the stamps, and no time lies below by chance."""
    del runs
    (line,) = judged_by(one(), "good").lines
    assert line.point is not None
    assert line.interval is not None
    assert line.point.number("overhead_ns") > 0
    logs = sorted(line.point.launch_times_ns.tolist())
    assert line.interval.low * 1e3 < logs[2]


def test_three_runs_are_judged_by_run(runs: Groma) -> None:
    del runs
    for seed, factor in ((3, 1.0), (4, 1.1), (5, 1.2)):
        made(Path(f"visits/{seed}"), seed, STEADY, {"pingpong": factor})
    one_run, three = (judged_by(one(), *paths).lines[0] for paths in (["visits/4"], [f"visits/{n}" for n in (3, 4, 5)]))
    assert (one_run.unit, three.unit) == ("launch", "run")
    assert one_run.interval is not None
    assert three.interval is not None
    assert three.interval.high - three.interval.low > 5 * (one_run.interval.high - one_run.interval.low)


@refused(
    ("--limits none.toml good", "the limits none.toml cannot be read (No such file or directory)"),
    ("--limits site.toml good --system her", "site.toml has no system 'her'"),
    ("--limits site.toml good --margin 3%", "--margin means nothing with --limits"),
    ("--limits site.toml good --launches 3", "--launches means nothing with runs that exist"),
    ("--limits site.toml good good", "are one run and its copy"),
    ("good --system here", "--system is for --limits FILE"),
    ("--limits site.toml nowhere", "nowhere is not a directory"),
)
def test_wrong_arguments_end_with_2(runs: Groma, arguments: str, says: str) -> None:
    runs("gate", *arguments.split()).refuses(says)


def test_a_disturbed_machine_makes_it_advisory(runs: Groma) -> None:
    made(Path("crowded"), 2, replace(STEADY, oversubscribed=True), {"allreduce": 1.5})
    said = runs("gate", "--limits", "site.toml", "crowded")
    assert said.code == 125
    assert said.out.startswith("Advisory, no verdict: Outside its limits")
    assert runs("gate", "--limits", "site.toml", "crowded", "--strict").code == 4


def test_a_run_with_gaps_decides_nothing(runs: Groma) -> None:
    change_document(Path("good"), state="interrupted")
    said = runs("gate", "--limits", "site.toml", "good")
    assert said.code == 1
    assert "good is incomplete, so nothing is decided" in said.err


def test_formats_agree(runs: Groma) -> None:
    Path("site.toml").write_text(LIMITS.replace('"allreduce", bytes = 8', '"allreduce", bytes = 16', 1))
    said = {form: runs("gate", "--limits", "site.toml", "slow", "--format", form) for form in FORMATS}
    assert {one.code for one in said.values()} == {125}
    document = json.loads(said["json"].out)
    assert [point["verdict"] for point in document["points"]] == ["pass", "pass", "not measured"]
    assert document["points"][0]["interval"][0] < document["points"][0]["value"] < document["points"][0]["high"]
    suite = ET.fromstring(said["junit"].out)  # noqa: S314 - our own
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "0", "1")
    assert said["markdown"].out.startswith("**Not decided: slow by site.toml")
    assert 'verdict="not measured"} 1' in said["openmetrics"].out
    assert said["openmetrics"].out.endswith("# EOF\n")


FORMATS = ("text", "markdown", "json", "junit", "openmetrics")


def test_a_failing_limit_fails_in_junit(runs: Groma) -> None:
    suite = ET.fromstring(runs("gate", "--limits", "site.toml", "slow", "--format", "junit").out)  # noqa: S314 - our own
    assert [case.get("name") for case in suite.iter("testcase") if case.find("failure") is not None] == [
        "allreduce 8 B, 2 ranks: time"
    ]


def test_a_page_has_every_limit(runs: Groma) -> None:
    said = runs("gate", "--limits", "site.toml", "slow", "--report", "page.html")
    page = Path("page.html").read_text()
    assert said.err.endswith("page.html\n")
    assert page.count('<li class="same">') == 2
    assert page.count('<li class="slower">') == 1


def test_the_file_is_measured_where_there_is_no_run(runs: Groma) -> None:
    Path("site.toml").write_text(one(operation="bcast", value=1e6) + "\n" + one(operation="pingpong", value=1e6))
    said = runs("gate", "--limits", "site.toml", "-o", "now")
    assert said.code == 0, said.out + said.err
    run = load_run("now")
    assert {point["operation"] for point in run.meta.plan.points} == {"bcast", "pingpong"}
    assert run.meta.launches >= 10, "enough for all looks"
    assert runs("gate", "--limits", "site.toml", "now").code == 0


def test_what_is_not_decided_is_measured_again(runs: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    """One limit is certain, one lies in the noise: only that one is measured again, as often as asked."""
    monkeypatch.setenv("FAKE_ENGINE", "noise=1")
    Path("wide.toml").write_text(one(operation="bcast", value=1e6))
    assert runs("gate", "--limits", "wide.toml", "-o", "first").code == 0
    median_us = judged_by(one(operation="bcast", value=1e6), "first").lines[0].value
    Path("site.toml").write_text(
        one(operation="bcast", value=median_us, upper=0.0) + "\n" + one(operation="barrier", bytes=None, value=1e6)
    )
    said = runs("gate", "--limits", "site.toml", "--confirm", "2", "-o", "now")
    assert said.code == 125
    assert [path.name for path in sorted(Path("now").glob("again-*"))] == ["again-1", "again-2"]
    (point,) = load_run("now/again-2").meta.plan.points
    assert point["operation"] == "bcast"


def test_points_are_measured_on_the_ranks_of_their_limits(runs: Groma) -> None:
    Path("site.toml").write_text(
        one(operation="allreduce", value=1e6, ranks=2) + "\n" + one(operation="allreduce", value=1e6, ranks=3)
    )
    assert runs("gate", "--limits", "site.toml", "-o", "now").code == 0
    assert [load_run(path).meta.rank_counts for path in ("now", "now-2")] == [[2], [3]]


def test_a_profile_is_measured_as_it_measures(runs: Groma) -> None:
    limit = one(operation="barrier", bytes=None, value=1e6, profile="quick")
    Path("site.toml").write_text(limit)
    assert runs("gate", "--limits", "site.toml", "-o", "now").code == 0
    run = load_run("now")
    assert (run.meta.profile, len(run.meta.plan.points)) == ("quick", 1)
    change_document(Path("good"), profile=None)
    assert judged_by(limit, "good").verdict == "not measured", "another method"


def test_quick_says_whether_limits_are_kept(runs: Groma) -> None:
    """Limits of what quick does not measure are for other runs; one launch more is made, as two limits need no more."""
    Path("site.toml").write_text(one(value=1e6) + "\n" + one(operation="scan", value=1e6))
    said = runs("quick", "--limits", "site.toml", "-o", "now")
    assert said.code == 0, said.err
    sentence = (
        "Within limits: now keeps the limit of site.toml for what it measured; not judged: 1 limit of other points."
    )
    first_screen, _, rest = said.out.partition("checks passed")
    assert f"\n{sentence}\n" in first_screen
    assert f"\n{sentence}\n" in rest, "the tables are long: it is said again at the end"
    page = Path("now/report.html").read_text()
    assert page.index(sentence) < page.index('id="figures"')
    Path("site.toml").write_text(one(value=1e-6))
    said = runs("quick", "--limits", "site.toml", "--launches", "6")
    assert said.code == 4
    assert "\nOutside its limits: quick-" in said.out


def test_quick_looks_for_limits_in_the_configuration(runs: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROMA_CONFIG", "here")
    Path("here").mkdir()
    place = Path("here/limits.toml")
    place.write_text('[systems]\nother = "no-such-host"\n' + one(system="other", value=1e-6))
    assert runs("quick", "--launches", "6").code == 0, "of another system"
    place.write_text('[systems]\nthis = "*"\n' + one(system="this", value=1e-6))
    said = runs("quick", "--launches", "6")
    assert said.code == 4
    assert "by here/limits.toml, 1 of 1 limit not kept: pingpong 8 B" in said.out


def test_many_limits_get_the_launches_that_they_need(runs: Groma) -> None:
    """With ten launches no more than 25 limits can be decided."""
    sizes = [8 * 2**power for power in range(20)]
    text = "\n".join(one(bytes=size, value=1e6, figure=figure) for size in sizes for figure in ("time", "p75"))
    Path("site.toml").write_text(text)
    assert runs("quick", "--limits", "site.toml", "-o", "now").code == 0
    assert load_run("now").meta.launches == 11


@refused(
    ("--system here", "--system chooses among the systems of --limits FILE"),
    ("--limits site.toml", "site.toml has no limit for what quick measures"),
)
def test_quick_refuses_limits_that_say_nothing(runs: Groma, arguments: str, says: str) -> None:
    Path("site.toml").write_text(one(operation="scan", value=1e6))
    runs("quick", *arguments.split()).refuses(says)
    assert not Path("runs").exists()


def test_launches_that_measured_another_way_are_left_out(runs: Groma) -> None:
    """Two of ten launches could not keep their starts, and measured after barriers: they are no figure of their own."""

    def replaced(record: dict[str, Any]) -> None:
        record["point"]["sync"] = "barrier"
        record["replaced"] = {"sync": {"asked": "roundtime", "because": "late"}}

    for run in (Path("good"), Path("slow")):
        change_points(run, lambda record: record["point"].update(sync="roundtime"))
    for launch in ("001", "002"):
        part = Path("part") / "launches" / launch
        part.parent.mkdir(parents=True, exist_ok=True)
        (Path("good/launches") / launch).rename(part)
    change_points(Path("part"), replaced)
    for launch in ("001", "002"):
        (Path("part/launches") / launch).rename(Path("good/launches") / launch)
    said = judged_by(LIMITS, "good")
    assert [line.verdict for line in said.lines] == ["pass"] * 3
    assert {len(line.point.rows) for line in said.lines if line.point} == {8}
    assert runs("limits", "from", "good", "-o", "first.toml").code == 0
