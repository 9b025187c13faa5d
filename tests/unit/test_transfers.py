"""Broadcasts in segments: the time within which most transfers are over, and campaigns that repeat at an interval."""

from __future__ import annotations

import datetime as dt
import json
import math
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from fakes import Groma, refused
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from groma.catalog import Catalog
from groma.launch.process import Interrupts
from groma.plan import expand, read_profile
from groma.programs.bcast_test.panel import Campaign, interval_note, rows
from groma.programs.bcast_test.transfers import Transfers, effective_number, quantile_ranks, time_within, transfers
from groma.report.page import render
from groma.results import load_run
from groma.results.documents import RunDocument
from groma.run import campaign as campaign_module
from groma.run import timetable as timetable_module
from groma.run.directory import RunDirectory
from groma.run.schedule import Step
from groma.run.timetable import Timetable, begins_a_round

PROFILE = ("run", "--profile", "bcast_test")


# The time within which 90 % of transfers are over.


@given(st.integers(1, 400), st.sampled_from([0.5, 0.9, 0.99]))
def test_ranks_enclose_the_quantile_with_the_confidence_asked(n: int, share: float) -> None:
    low, high = quantile_ranks(n, share)
    if low is not None:
        assert stats.binom.cdf(low - 1, n, share) <= 0.025
        assert low == n or stats.binom.cdf(low, n, share) > 0.025
    if high is not None:
        assert stats.binom.sf(high - 1, n, share) <= 0.025 + 1e-12
        assert stats.binom.sf(high - 2, n, share) > 0.025 - 1e-12
    assert (high is None) == (share**n > 0.025)


def test_ninety_percent_have_an_upper_bound_from_thirty_six_on() -> None:
    assert quantile_ranks(35, 0.9)[1] is None
    assert quantile_ranks(36, 0.9)[1] == 36


def test_it_is_the_smallest_time_within_which_so_many_are_over() -> None:
    launches = [np.arange(1.0, 11.0)] * 6
    found = time_within(launches, 0.9)
    assert found.value == 9.0
    assert time_within(launches[:5]).low is None


def test_ranks_that_are_slow_together_are_worth_one() -> None:
    random = np.random.default_rng(3)
    alone = [random.random(20) for _ in range(40)]
    together = [np.full(20, random.random()) for _ in range(40)]
    value = 0.9
    assert effective_number(alone, value) > 400
    assert effective_number(together, value) <= 40


@pytest.mark.parametrize("between", [0.0, 0.3, 1.0])
def test_the_interval_covers_the_true_quantile(between: float) -> None:
    """40 launches of 10 transfers; launches differ by a factor of their own, from none to most of the variation."""
    random = np.random.default_rng(11)
    truth = math.exp(1.2815515655 * math.sqrt(between**2 + 0.3**2))
    covered = 0
    trials = 400
    for _ in range(trials):
        weather = random.normal(0, between, 40)
        found = time_within([np.exp(one + random.normal(0, 0.3, 10)) for one in weather])
        assert found.low is not None
        covered += found.low <= truth and (found.high is None or truth <= found.high)
    assert covered / trials >= 0.92


# Campaigns: a fake clock, an engine that measures nothing.


class Watch:
    """A clock that goes on only while somebody sleeps, and a signal that may come then."""

    def __init__(self) -> None:
        self.now_s = 1_800_000_000.0
        self.slept: list[float] = []
        self.signal_after: int | None = None

    def sleep(self, interrupts: Interrupts, seconds: float) -> None:
        self.slept.append(seconds)
        if self.signal_after is not None and len(self.slept) > self.signal_after:
            interrupts.received = signal.SIGTERM
            return
        self.now_s += seconds

    def iso(self) -> str:
        return dt.datetime.fromtimestamp(self.now_s, dt.UTC).isoformat(timespec="seconds")


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    watch = Watch()
    real: Callable[[RunDocument, RunDirectory], Timetable | None] = timetable_module.timetable_of

    def timetable_of(document: RunDocument, directory: RunDirectory) -> Timetable | None:
        table = real(document, directory)
        if table is not None:
            table.clock, table.sleep = (lambda: watch.now_s), watch.sleep
        return table

    monkeypatch.setattr(campaign_module, "timetable_of", timetable_of)
    for module in ("groma.run.measuring", "groma.run.launching", "groma.run.campaign"):
        monkeypatch.setattr(f"{module}.now_iso", watch.iso)
    return watch


def starts(run: str = "out") -> list[float]:
    """Return when each launch was started, in minutes after the run was created."""
    created = dt.datetime.fromisoformat(json.loads(Path(run, "run.json").read_text())["created"])
    accounts = [json.loads(path.read_text()) for path in sorted(Path(run).glob("launches/*/launch.json"))]
    return [(dt.datetime.fromisoformat(account["started"]) - created).total_seconds() / 60 for account in accounts]


def state(run: str = "out") -> str:
    return str(json.loads(Path(run, "run.json").read_text())["state"])


def test_rounds_start_at_the_interval(groma: Groma, watch: Watch) -> None:
    said = groma(*PROFILE, "--times", "3", "--every", "30m", "-o", "out")
    assert said.code == 0, said.err
    assert starts() == [0, 30, 60]
    assert sum(watch.slept) == 3600
    assert "launch 2 of 3 starts at" in said.err


def test_all_launches_of_a_round_start_together(groma: Groma, watch: Watch) -> None:
    assert groma(*PROFILE, "-n", "2,3", "--times", "2", "--every", "1h", "-o", "out").code == 0
    assert starts() == [0, 0, 60, 60]
    assert sum(watch.slept) == 3600


def test_a_wait_can_be_interrupted_and_gone_on_with(groma: Groma, watch: Watch) -> None:
    watch.signal_after = 70  # in the second wait of sixty naps
    said = groma(*PROFILE, "--times", "4", "--every", "30m", "-o", "out")
    assert (said.code, state()) == (1, "interrupted")
    assert starts() == [0, 30]
    watch.signal_after, watch.now_s = None, watch.now_s + 50 * 60  # 35 min + 50 min: the time at 60 was missed
    said = groma("run", "--resume", "out")
    assert (said.code, state()) == (0, "complete"), said.err
    assert starts() == [0, 30, 90, 120]


def test_a_resume_in_the_same_interval_runs_nothing_twice(groma: Groma, watch: Watch) -> None:
    watch.signal_after = 2
    groma(*PROFILE, "--times", "2", "--every", "30m", "-o", "out")
    assert starts() == [0]
    watch.signal_after = None
    assert groma("run", "--resume", "out").code == 0
    assert starts() == [0, 30]


def test_a_killed_launch_is_made_again_at_the_next_time(
    groma: Groma, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "die_after=1 in_launch=2")
    assert groma(*PROFILE, "--times", "2", "--every", "30m", "-o", "out").code == 1
    assert starts() == [0, 30]
    monkeypatch.delenv("FAKE_ENGINE")
    watch.now_s += 1
    assert groma("run", "--resume", "out").code == 0
    assert starts() == [0, 60]
    assert Path("out/superseded/002").is_dir()


@given(
    begin=st.integers(0, 10**9),
    every=st.integers(1, 10**5),
    last=st.integers(0, 10**6) | st.none(),
    later=st.integers(0, 10**6),
)
def test_what_is_due_is_on_the_grid_and_after_the_last(begin: int, every: int, last: int | None, later: int) -> None:
    now = begin + (last or 0) + later
    table = Timetable(begin, every, None if last is None else begin + last, clock=lambda: now)
    due = table.due_s()
    if last is None:
        assert due == now
        return
    assert (due - begin) % every == 0
    assert due >= now
    assert due > begin + last
    assert due - every < now or due - every <= begin + last


def test_rounds_are_told_apart() -> None:
    step = [Step(number, 2, ()) for number in range(1, 6)]
    assert begins_a_round(step[0], None, 2)
    assert not begins_a_round(step[1], step[0], 2)
    assert begins_a_round(step[2], step[1], 2)


@refused(
    (("--every", "0"), "is not a time"),
    (("--every", "30m", "--budget", "1h"), "leave out the budget or the interval"),
    (("--times", "3", "--launches", "4"), "mean the same"),
)
def test_contradictions_are_errors(groma: Groma, arguments: tuple[str, ...], says: str) -> None:
    groma(*PROFILE, *arguments).refuses(says)


def test_the_profile_measures_as_its_program_did(catalog: Catalog) -> None:
    plan = expand(read_profile("bcast_test", catalog), catalog)
    points = [catalog.resolve(dict(point)) for point in plan.points]
    assert [point["segments"] for point in points] == [4**k for k in range(7)]
    assert {point["bytes"] for point in points} == {4096 * 80}
    assert {(point["clock"], point["per_rank"], point["root"], point["repetitions"]) for point in points} == {
        ("mpi", True, "fixed", 1)
    }
    assert plan.launches == 12


# What is shown of them.


def test_transfers_leave_out_the_root_and_are_shown(groma: Groma) -> None:
    said = groma(*PROFILE, "-n", "3", "--launches", "2", "-o", "monday")
    assert said.code == 0, said.err
    assert "90% within \u00b5s" in said.out
    parts = transfers(load_run("monday"))
    assert [part.segments for part in parts] == [4**k for k in range(7)]
    record = next(point for point in load_run("monday").launches[0].points if point.point["segments"] == 1)
    assert record.ranks_ns is not None
    assert parts[0].launches[1].tolist() == [times.tolist() for times in record.ranks_ns[1:]]
    page = render(load_run("monday"))
    assert 'id="transfers"' in page
    assert page.count("<svg") >= 2


def test_a_lacking_bound_is_explained() -> None:
    times = [np.array([1.0, 2.0 + place]) for place in range(12)]
    part = Transfers(327680, 4, 3, None, dict(enumerate(times, start=1)))
    one = Campaign("monday", "", [part], [part.within()])
    assert part.within().high is None
    assert "36 independent transfers" in interval_note(one)
    assert rows(one)[0][5].endswith("no bound")
    assert "Fewer than 6 launches" in interval_note(Campaign("x", "", [part], [time_within(times[:3])]))


def test_several_campaigns_stand_side_by_side(groma: Groma) -> None:
    for name in ("monday", "sunday"):
        groma(*PROFILE, "--launches", "1", "-o", name)
    said = groma("report", "monday", "sunday")
    assert (said.code, said.last_line) == (0, "campaigns.html")
    page = Path("campaigns.html").read_text()
    for text in ("2 campaigns", "monday: ", "sunday: ", "1 launch gives no interval", "Fewer than 6 launches give no"):
        assert text in page
    assert page.count('aria-label="Transfers of ') == 2
    groma("run", "pingpong", "--bytes", "8", "--launches", "1", "-o", "other")
    refused = groma("report", "monday", "other")
    refused.refuses("other has no broadcasts in segments")
    refused.refuses("groma compare monday other compares two runs")


def test_a_report_without_transfers_has_no_such_section(groma: Groma) -> None:
    groma("run", "bcast_segmented", "--bytes", "64", "--launches", "1", "-o", "out")
    assert transfers(load_run("out")) == []
    assert 'id="transfers"' not in render(load_run("out"))
