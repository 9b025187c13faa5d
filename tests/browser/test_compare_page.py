"""The page of `groma compare` in Chromium: nothing cut, nothing asked for, every verdict in words, light and dark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from planted_runs import QUIET, change_document, made
from visits import Visit, at_every_width, fitting, in_every_scheme, right_edge

from groma.decide import Side, compare_sides
from groma.decide.page import write_page
from groma.results import load_run

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.bed("chromium"), pytest.mark.slow]

COLOURS = """[...document.querySelectorAll('.forest ol > li:not(.scale)')].map(row => [row.className,
    getComputedStyle(row.querySelector('use')).fill, getComputedStyle(document.body).backgroundColor])"""


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compare")
    one = made(folder / "a/before", 1, QUIET)
    other = made(folder / "b/after the update", 2, QUIET, {"allreduce": 1.3, "barrier": 0.7})
    change_document(other, host="node02")
    compared = compare_sides(Side("before", [load_run(one)]), Side("after the update", [load_run(other)]))
    return write_page(compared, folder / "page.html")


@at_every_width
@in_every_scheme
def test_every_row_and_its_mark_are_visible(browser: Browser, page_file: Path, width: int, scheme: str) -> None:
    with fitting(browser, page_file, width, scheme) as page:
        marks = page.evaluate(COLOURS)
        rows = page.locator(".forest ol > li:not(.scale)").all()
        assert all(right_edge(row.locator(".told")) <= width for row in rows)
    assert {name for name, *_ in marks} == {"slower", "faster", "same"}
    assert all(fill != paper for _, fill, paper in marks)


def test_every_verdict_is_in_words_beside_its_mark(browser: Browser, page_file: Path) -> None:
    with Visit(browser, page_file, java_script_enabled=False) as page:
        for kind, word in (("slower", "slower"), ("faster", "faster"), ("same", "same within 5 %")):
            rows = page.locator(f".forest li.{kind} .told")
            assert rows.count() > 0
            assert all(word in text for text in rows.all_inner_texts())
        assert page.locator(".chart").count() == 2
        assert "node02" in page.get_by_role("region", name="What differs").inner_text()
