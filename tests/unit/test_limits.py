"""Limits of a site: the file, the verdicts on runs by it, and what `groma gate --limits` and `groma limits` do."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from fakes import Groma, refused
from planted_runs import QUIET, change_document, change_points, made

from groma.analysis.limits import Judgement, judged, read_limits
from groma.catalog.catalog import packaged
from groma.results import load_run

STEADY = replace(QUIET, launch_effect=0.004)
# Times of the synthetic machine (tests/synthetic.py): pingpong 8 B takes 0.28 us, allreduce 8 B 0.43 us.
LIMITS = """
limit = [
  {operation = "pingpong", bytes = 8, value = 0.28, lower = -0.2, upper = 0.2, unit = "us"},
  {operation = "pingpong", bytes = "64K", figure = "bandwidth", value = 8.6, lower = -0.2, unit = "GB/s"},
  {operation = "allreduce", bytes = 8, value = 430, upper = 0.2, unit = "ns"},
]
"""


@pytest.fixture
def runs(groma: Groma) -> Groma:
    """Made runs: `good` keeps all limits of `site.toml`, the allreduce of `slow` takes 1.5 times as long."""
    made(Path("good"), 1, STEADY)
    made(Path("slow"), 2, STEADY, {"allreduce": 1.5})
    Path("site.toml").write_text(LIMITS)
    return groma


def judge(text: str, *paths: str, system: str = "") -> Judgement:
    Path("limits.toml").write_text(text)
    return judged([load_run(path) for path in paths], read_limits("limits.toml", packaged()), system)


def one(**settings: object) -> str:
    """Return a file with one limit of `pingpong 8 B`, with other settings."""
    known = {"operation": "pingpong", "bytes": 8, "value": 0.28, "upper": 0.2, "unit": "us"} | settings
    return "[[limit]]\n" + "\n".join(
        f"{name} = {json.dumps(value)}" for name, value in known.items() if value is not None
    )


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
    assert "1 not measured: allreduce 16 B." in said.out
    assert runs("gate", "--limits", "site.toml", "good", "slow").code == 125


@pytest.mark.parametrize(("value", "verdict"), [(0.2815 / 1.2, "not decided"), (0.27, "pass"), (0.2, "fail")])
def test_the_interval_decides(runs: Groma, value: float, verdict: str) -> None:
    """A bound inside the interval decides nothing, whatever the figure itself is."""
    del runs
    (line,) = judge(one(value=value), "good").lines
    assert line.verdict == verdict, line


def test_intervals_hold_together(runs: Groma) -> None:
    """Among many limits each has a smaller share of the 5 %, so its interval is wider."""
    del runs
    (alone,) = judge(one(), "good").lines
    many = "".join(one(figure=figure) + "\n" for figure in ("time", "p95", "p25", "p75", "median", "mean"))
    first = judge(many, "good").lines[0]
    assert alone.interval is not None
    assert first.interval is not None
    assert first.interval.low < alone.interval.low
    assert first.interval.high > alone.interval.high


def test_the_clocks_part_is_in_the_interval(runs: Groma) -> None:
    """As in every printed interval: a time may contain the cost of the stamps, and no time lies below by chance."""
    del runs
    (line,) = judge(one(), "good").lines
    assert line.point is not None
    assert line.interval is not None
    assert line.point.number("overhead_ns") > 0
    logs = sorted(line.point.launch_times_ns.tolist())
    assert line.interval.low * 1e3 < logs[2]


def test_three_runs_are_judged_by_run(runs: Groma) -> None:
    del runs
    for seed, factor in ((3, 1.0), (4, 1.1), (5, 1.2)):
        made(Path(f"visits/{seed}"), seed, STEADY, {"pingpong": factor})
    one_run, three = (judge(one(), *paths).lines[0] for paths in (["visits/4"], [f"visits/{n}" for n in (3, 4, 5)]))
    assert (one_run.unit, three.unit) == ("launch", "run")
    assert one_run.interval is not None
    assert three.interval is not None
    assert three.interval.high - three.interval.low > 5 * (one_run.interval.high - one_run.interval.low)


SYSTEMS = """
[systems]
cluster = "n*"
"cluster:gpu" = ["g1*", "node01"]
other = "m*"
"""


def limited(system: str, value: float) -> str:
    return one(system=system, value=value) + "\n"


def test_the_partition_takes_precedence_over_the_system(runs: Groma) -> None:
    """The made runs are of the host node01."""
    del runs
    every = one(value=0.1) + "\n"
    for text, value in (
        (every, 0.1),
        (every + limited("cluster", 0.2), 0.2),
        (every + limited("cluster", 0.2) + limited("cluster:gpu", 0.3), 0.3),
        (every + limited("other", 0.4), 0.1),
    ):
        (line,) = judge(SYSTEMS + text, "good").lines
        assert line.limit.value == value
    (line,) = judge(SYSTEMS + every + limited("other", 0.4), "good", system="other").lines
    assert line.limit.value == 0.4


@refused(
    ("operation = 'bcasst'", "limits.toml, line 2: there is no operation 'bcasst'; did you mean 'bcast'?"),
    ("unit = 'GB/s'\nfigure = 'time'", "'GB/s' is no unit of it; use ns, us"),
    ("unit = 'furlong'", "line 6: 'furlong' is no unit of it"),
    ("unit = ''", "unit needs a word in quotes"),
    ("value = 0", "line 4: value needs a number above 0, not 0"),
    ("value = true", "value needs a number, not True"),
    ("upper = -0.1", "line 5: upper needs a fraction of at least 0"),
    ("lower = 0.1", "lower needs a fraction from -1 to 0, such as -0.1, not 0.1"),
    ("figure = 'tme'", "no figure is called 'tme'; did you mean"),
    ("figure = 'operation'", "no figure is called 'operation'"),
    ("ranks = 0", "ranks needs a whole number of at least 1"),
    ("window = 4", "pingpong does not use window; leave it out"),
    ("limit = 4", "a limit has no key 'limit'"),
    ("system = 'here'", "limits.toml has no limit for the host node01; it has here; choose one with --system"),
)
def test_a_wrong_file_ends_with_2(runs: Groma, arguments: str, says: str) -> None:
    """Each replaces or adds a line of a file that is right."""
    text = {line.partition(" = ")[0]: line for line in one().splitlines()}
    text |= {line.partition(" = ")[0]: line for line in arguments.splitlines()}
    Path("limits.toml").write_text("\n".join(text.values()))
    runs("gate", "--limits", "limits.toml", "good").refuses(says)


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


@refused(
    ("", "the file has no limits; write [[limit]]"),
    ("limit = [", "this is not valid TOML"),
    ("[limits]", "the file of limits has no key 'limits'; did you mean 'limit'?"),
    (one(value=None), "the limit has no value; add value = ..."),
    (one(bytes=None), "pingpong has a message size; add bytes = 8"),
    (one(upper=None), "the limit has no bound"),
    (one(unit=None), "the limit has no unit"),
    (one() + "\n" + one(value=3), "line 7: pingpong 8 B has a limit already, in line 1; leave one out"),
    ("[systems]\nhere = 3\n" + one(), "line 2: here needs names of hosts"),
    ("[systems]\nhere = 'n*'\n" + one(system="hero"), "[systems] has no 'hero'; did you mean 'here'?"),
    (
        "limit = [\n  {operation = 'barrier', value = 1, unit = 'us', upper = 1},\n  {value = 1},\n]",
        "line 3: ",
    ),
)
def test_a_file_without_what_it_needs_ends_with_2(runs: Groma, arguments: str, says: str) -> None:
    Path("limits.toml").write_text(arguments)
    runs("gate", "--limits", "limits.toml", "good").refuses(says)


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
    median_us = judge(one(operation="bcast", value=1e6), "first").lines[0].value
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
    assert judge(limit, "good").verdict == "not measured", "another method"


def test_quick_says_whether_limits_are_kept(runs: Groma) -> None:
    """Limits of what quick does not measure are for other runs; one launch more is made, as two limits need no more."""
    Path("site.toml").write_text(one(value=1e6) + "\n" + one(operation="scan", value=1e6))
    said = runs("quick", "--limits", "site.toml", "-o", "now")
    assert said.code == 0, said.err
    assert "\nWithin limits: now keeps the limit of site.toml.\n" in said.out
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


def test_a_first_file_is_one_that_its_run_keeps(runs: Groma) -> None:
    said = runs("limits", "from", "good", "--margin", "20%", "-o", "first.toml")
    assert (said.code, said.out) == (0, "first.toml\n")
    assert runs("limits", "check", "first.toml").out.startswith("first.toml: 7 limits (node01: 7).")
    assert runs("gate", "--limits", "first.toml", "good").code == 0
    assert runs("gate", "--limits", "first.toml", "slow").code == 4
    text = Path("first.toml").read_text()
    assert '{system = "node01", operation = "pingpong", bytes = 8, ranks = 2, profile = "quick", value = 0.28' in text
    assert "upper = 0.2}," in text


def test_a_bound_is_no_nearer_than_runs_decide(runs: Groma) -> None:
    """Launches that differ by 10 % decide no margin of 1 %; with runs that differ, another of them passes still."""
    for seed in range(20, 25):
        made(Path(f"wide/{seed}"), seed, replace(QUIET, launch_effect=0.1))
    assert runs("limits", "from", "wide/20", "--margin", "1%", "-o", "first.toml").code == 0
    assert "% is the least that runs like these decide" in Path("first.toml").read_text()
    assert runs("gate", "--limits", "first.toml", "wide/20").code == 0
    first = [f"wide/{seed}" for seed in (21, 22, 23, 24)]
    assert runs("limits", "from", *first, "--margin", "1%", "-o", "first.toml", "--force").code == 0
    assert runs("gate", "--limits", "first.toml", "wide/20").code == 0


def test_rates_have_a_lower_bound_and_settings_their_names(runs: Groma) -> None:
    asked = "run stream pingpong --bytes 64K --set window=4 --set pattern=first_two --set pattern=first_last"
    assert runs(*asked.split(), "--launches", "8", "-o", "now").code == 0
    assert runs("limits", "from", "now", "-o", "first.toml").code == 0
    rows = [line for line in Path("first.toml").read_text().splitlines() if line.startswith("  {")]
    assert sum('operation = "stream"' in row and "lower = -" in row and "window = 4" in row for row in rows) == 2
    assert sum('pattern = "first_last"' in row for row in rows) == 2
    assert runs("gate", "--limits", "first.toml", "now").code == 0
    said = runs("gate", "--limits", "first.toml", "--system", "fake", "-o", "again")
    assert said.code in (0, 125), said.err
    assert len(load_run("again").meta.plan.points) == 4, "the file has all that measuring needs"


@refused(
    ("from none -o new.toml", "none is not a directory"),
    ("from good", "there is a file limits.toml already; give another with -o, or replace it with --force"),
    ("from good --margin wide", "'wide' is not a share"),
    ("from few -o new.toml", "pingpong has 3 launches in a run; limits need 6 or more (groma run --launches)"),
    ("check none.toml", "the limits none.toml cannot be read"),
    ("check limits.toml", "the file has no limits"),
)
def test_a_first_file_is_refused(runs: Groma, arguments: str, says: str) -> None:
    made(Path("few"), 7, replace(STEADY, launches=3))
    Path("limits.toml").write_text("")
    runs("limits", *arguments.split()).refuses(says)


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
    said = judge(LIMITS, "good")
    assert [line.verdict for line in said.lines] == ["pass"] * 3
    assert {len(line.point.rows) for line in said.lines if line.point} == {8}
    assert runs("limits", "from", "good", "-o", "first.toml").code == 0
