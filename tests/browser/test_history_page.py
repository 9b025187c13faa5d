"""The page of `groma history` in Chromium: nothing cut, nothing asked for, changes in words, light and dark."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from visits import Visit, at_every_width, fitting, in_every_scheme, right_edge

from groma.analysis.changes.changes import find_changes
from groma.history.page import write_page
from groma.history.store import Figure, StoredRun
from groma.history.timelines import Group, Machine, Timeline

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.bed("chromium"), pytest.mark.slow]

RUNS, SERIES, UPDATED = 1000, 40, 700
COLOURS = """['.band.s1', '.speck.s1', '.line.level', '.line.peak'].map(kind => getComputedStyle(
    document.querySelector('.plot ' + kind))[kind.startsWith('.band') ? 'fill' : 'stroke'])"""


def history() -> Group:
    """Return a thousand runs of forty series, of which every tenth is slower after an update."""
    random = np.random.default_rng(1)
    facts = [[["library", "MPI library", f"MPICH 5.{int(at >= UPDATED)}"]] for at in range(RUNS)]
    dates = [dt.datetime(2020, 1, 2, 3, 4, tzinfo=dt.UTC) + dt.timedelta(days=at) for at in range(RUNS)]
    runs = [
        StoredRun("", "", "", "complete", date.isoformat(), date.timestamp(), "quick", "node01", {"": fact})
        for date, fact in zip(dates, facts, strict=True)
    ]
    lines = []
    for number in range(SERIES):
        slower = 1 + 0.1 * (number % 10 == 3) * (np.arange(RUNS) >= UPDATED)
        ns = 1000 * (1 + number) * slower * np.exp(random.normal(0, 0.02, RUNS))
        figures = [Figure("", one, 0.97 * one, 1.04 * one, 0.0) for one in ns.tolist()]
        name = f"operation_{number} 8 B \N{MIDDLE DOT} pattern=a_long_setting_that_has_to_break"
        lines.append(Timeline(name, "x", 8, "", {}, list(range(RUNS)), figures))
    for line, levels in zip(lines, find_changes([[line.series for line in lines]])[0], strict=True):
        line.levels = levels
    return Group(Machine("quick", "node01", "Example CPU @ 2.60GHz", "1", "MPICH"), runs, lines)


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_page([history()], tmp_path_factory.mktemp("history") / "page.html")


@at_every_width
@in_every_scheme
def test_every_chart_and_its_lines_are_visible(browser: Browser, page_file: Path, width: int, scheme: str) -> None:
    with fitting(browser, page_file, width, scheme) as page:
        colours = page.evaluate(COLOURS)
        assert len(set(colours)) == 3, "runs and their band have one colour"
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert all(right_edge(figure) <= width for figure in page.locator(".many figure").all()[:6])
    assert paper not in colours


def test_changes_are_marked_and_told_and_every_series_has_a_chart(browser: Browser, page_file: Path) -> None:
    with Visit(browser, page_file, java_script_enabled=False) as page:
        assert page.locator(".many figure").count() == SERIES
        changed = page.locator(".many figure:has(.line.peak)")
        assert changed.count() == 4
        assert all("MPI library MPICH 5.0 -> MPICH 5.1" in text for text in changed.all_inner_texts())
        assert page.get_by_role("region", name="Changes").locator("tbody tr").count() == 4
        assert page.locator(".many figure:has(.line.border)").count() == SERIES


def test_a_page_of_a_thousand_runs_is_small(page_file: Path) -> None:
    """Forty charts of a thousand runs: what a browser draws at once."""
    assert page_file.stat().st_size < 500_000
