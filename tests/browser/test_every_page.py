"""What holds of every page that people are sent: offline, nothing cut, nothing colliding, commands that run."""

from __future__ import annotations

import re
import shlex
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest
from visits import UNFOLD, Visit

from groma.cli.main import groma_command

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.bed("chromium")]

CUT = """[...document.querySelectorAll('body *')].filter(element =>
    element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 1
    && !element.closest('svg') && !['auto', 'scroll'].includes(getComputedStyle(element).overflowX)
    && getComputedStyle(element).display !== 'inline' && !element.closest('.track')
  ).map(element => `${element.tagName}.${element.className}: ${element.textContent.trim().slice(0, 60)}`)"""
SCROLLERS = """[...document.querySelectorAll('.scroll')].filter(sheet => sheet.clientWidth)
    .map(sheet => [sheet.scrollWidth > sheet.clientWidth, sheet.previousElementSibling.checkVisibility()])"""
COLLISIONS = """[...document.querySelectorAll('.plot > svg, .scale .track')].flatMap(plot => {
    const labels = [...plot.querySelectorAll('.across, .tick, .title')].filter(label => label.getClientRects().length)
      .map(label => [label.getBoundingClientRect(), label.textContent]);
    return labels.flatMap(([one, text], place) => labels.slice(place + 1)
      .filter(([other]) => one.left < other.right && other.left < one.right
        && one.top < other.bottom && other.top < one.bottom)
      .map(([, other]) => `${text} on ${other}`));
  })"""
BEYOND = """[...document.querySelectorAll('.plot text, .plot use, .legend > *, .tick')].filter(part =>
    part.getClientRects().length
    && (part.getBoundingClientRect().right > document.documentElement.clientWidth
      || part.getBoundingClientRect().left < 0)
  ).map(part => part.textContent)"""


@pytest.mark.one_case
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_cut_and_nothing_collides(browser: Browser, page_file: Path, width: int) -> None:
    with Visit(browser, page_file, width) as page:
        assert page.evaluate("document.documentElement.scrollHeight") < (8000 if width == 1280 else 16000)
        page.evaluate(UNFOLD)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(CUT) == []
        assert page.evaluate(COLLISIONS) == []
        assert page.evaluate(BEYOND) == []
        page.wait_for_timeout(50)  # the observer of sizes speaks after the next layout
        for overflows, hinted in page.evaluate(SCROLLERS):
            assert overflows == hinted


@pytest.mark.one_case
def test_it_asks_for_nothing_but_itself_and_complains_of_nothing(browser: Browser, page_file: Path) -> None:
    visit = Visit(browser, page_file)
    with visit as page:
        page.evaluate(UNFOLD)
    assert visit.requests
    assert all(url.startswith(("file:", "data:", "blob:")) for url in visit.requests)
    assert visit.complaints == []
    assert page_file.stat().st_size < 2_000_000


@pytest.mark.slow
def test_every_link_leads_somewhere_and_opens_what_is_folded(browser: Browser, page_file: Path) -> None:
    with Visit(browser, page_file) as page:
        targets = page.evaluate("[...document.querySelectorAll('a')].map(link => link.getAttribute('href'))")
        for target in set(targets):
            assert page.locator(f'[id="{target.removeprefix("#")}"]').count() == 1, target
        for target in [target for target in dict.fromkeys(targets) if target.startswith("#define-")][:2]:
            page.evaluate("target => { location.hash = target }", target)
            page.locator(f'[id="{target[1:]}"]').wait_for(state="visible")


def test_every_command_on_the_page_is_one_that_groma_knows(page_file: Path) -> None:
    text = page_file.read_text()
    blocks = re.findall(r"<(?:pre|code class=\"command\")>(.*?)</", text, re.DOTALL)
    lines = [unescape(line) for block in blocks for line in block.splitlines()]
    lines += [unescape(command) for command in re.findall(r"groma advice .*? --all", text)]
    own = [shlex.split(line) for line in lines if re.match(r"(\S*/)?groma |-c ", line)]
    assert own or "explain" in page_file.name
    for _, verb, *arguments in own:
        command = groma_command.get_command(click.Context(groma_command), verb)
        assert command is not None, verb
        with click.Context(command) as context:
            command.parse_args(context, arguments)


def test_contents_checks_and_figures_stand_on_the_first_screen(browser: Browser, report: Path) -> None:
    with Visit(browser, report, java_script_enabled=False) as page:
        for part in (page.locator("nav.contents"), page.locator(".verdict").first, page.locator("#figures")):
            box = part.bounding_box()
            assert box is not None
            assert box["y"] + box["height"] <= 844


@pytest.mark.slow
def test_recommendations_come_first_and_protocols_are_folded(browser: Browser, pages: Callable[[str], Path]) -> None:
    with Visit(browser, pages("commtest"), java_script_enabled=False) as page:
        # The recorded run has two launches, which recommend nothing: that stands first.
        first = page.locator("#study", has_text="no recommendation").get_by_text("no recommendation").first
        assert first.is_visible()
        assert "at least 6 are needed" in first.inner_text()
        hidden = page.get_by_role("heading", name="Protocol sensitivity")
        assert hidden.count() == 0  # what is folded has no role
        assert page.locator("#study h3", has_text="Protocol sensitivity").count() > 0


def test_no_ratio_stands_without_its_interval(browser: Browser, pages: Callable[[str], Path]) -> None:
    with Visit(browser, pages("explain"), width=390, java_script_enabled=False) as page:
        factors = page.locator(".waterfall li:not(.total, .scale)")
        assert factors.count() > 2
        for factor in factors.all():
            told = factor.locator(".told").inner_text()
            assert re.match(r"\u00d7[\d.]+ \([\d.]+ to [\d.]+\)", told)
            assert ("not shown" in told) == ("unclear" in (factor.get_attribute("class") or ""))
            assert factor.locator(".reach").is_visible()
        for row in page.locator("table tbody tr").all():
            ratio, interval = row.locator("td").all_inner_texts()[-2:]
            assert ratio.startswith("\u00d7")
            assert " to " in interval
        said = page.locator("main > p").first.inner_text()
        ratios = re.findall(r"\u00d7[\d.]+", said)
        assert ratios
        assert len(re.findall(r"\u00d7[\d.]+ \([\d.]+ to [\d.]+\)", said)) == len(ratios)
