"""The page of a run in Chromium: curves to hide, figures to point at, colours, paper, and all of it without scripts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from visits import UNFOLD, Visit

if TYPE_CHECKING:
    from playwright import sync_api
else:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")

pytestmark = [pytest.mark.browser, pytest.mark.bed("chromium"), pytest.mark.slow]


@pytest.mark.parametrize("scripts", [True, False])
def test_every_curve_can_be_hidden_and_shown_with_the_keyboard(
    browser: sync_api.Browser, report: Path, scripts: bool
) -> None:
    with Visit(browser, report, java_script_enabled=scripts) as page:
        chart = page.locator("#chart-collectives")
        lines = chart.locator(".plot .line.c1, .plot .mark.c1")
        key = chart.get_by_role("checkbox", name="allreduce")
        assert lines.count() == 2
        for shown in (False, True):
            key.focus()
            page.keyboard.press("Space")
            assert key.is_checked() == shown
            assert all(line.is_visible() == shown for line in lines.all())
            assert chart.locator(".plot .line.c2").is_visible()


def test_hovering_tells_the_figure_and_its_interval(browser: sync_api.Browser, report: Path) -> None:
    with Visit(browser, report) as page:
        chart = page.locator("#chart-latency")
        chart.scroll_into_view_if_needed()
        mark = chart.locator(".mark.s1 use").last.bounding_box()
        assert mark is not None
        page.mouse.move(mark["x"] - 6, mark["y"] + 6)  # near is enough
        tip = page.locator("#tip")
        sync_api.expect(tip).to_be_visible()
        assert re.search(r"pingpong, 4 MiB: [\d.]+ \u00b5s\n95% interval: [\d.]+ to [\d.]+", tip.inner_text())
        page.keyboard.press("Escape")
        sync_api.expect(tip).to_be_hidden()


@pytest.mark.parametrize("scripts", [True, False])
def test_the_pictures_are_those_of_the_chosen_size(browser: sync_api.Browser, report: Path, scripts: bool) -> None:
    with Visit(browser, report, java_script_enabled=scripts) as page:
        section = page.locator("#pingpong")
        section.get_by_text("Pictures of the samples").click()
        shown = section.locator(".pictures svg[role=img]").filter(visible=True)
        assert all("8 B" in (drawing.get_attribute("aria-label") or "") for drawing in shown.all())
        section.get_by_text("1 MiB", exact=True).filter(visible=True).last.click()
        sync_api.expect(shown).to_have_count(4)
        assert all("1 MiB" in (drawing.get_attribute("aria-label") or "") for drawing in shown.all())


def paper(page: sync_api.Page) -> tuple[int, ...]:
    colour: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return tuple(map(int, re.findall(r"\d+", colour)))


@pytest.mark.parametrize(("scheme", "dark"), [("light", False), ("dark", True)])
def test_light_and_dark_follow_the_reader_and_the_button(
    browser: sync_api.Browser, report: Path, scheme: str, dark: bool
) -> None:
    with Visit(browser, report, color_scheme=scheme) as page:
        assert (max(paper(page)) < 60) == dark
        page.locator("#theme").click()
        assert (max(paper(page)) < 60) != dark
        page.emulate_media(media="print")
        assert min(paper(page)) == 255


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_curves_stand_out_from_the_paper(browser: sync_api.Browser, report: Path, scheme: str) -> None:
    """Contrast as WCAG 2.1 wants it: 4.5 for text, 3 for lines."""
    with Visit(browser, report, color_scheme=scheme) as page:
        names = ["paper", "ink", "quiet", "link", "good", "warn", "bad", *(f"series-{n}" for n in range(1, 9))]
        names += ["on-pale", "on-middle", "on-deep", *(f"heat-{n}" for n in range(7))]
        script = "names => names.map(name => getComputedStyle(document.documentElement).getPropertyValue('--' + name))"
        colours = dict(zip(names, page.evaluate(script, names), strict=True))
    for number, on in enumerate(["pale"] * 3 + ["middle"] * 2 + ["deep"] * 2):
        assert contrast(colours[f"heat-{number}"], colours[f"on-{on}"]) >= 4.5, (number, on)
    for name, colour in colours.items():
        if not name.startswith(("paper", "heat", "on-")):
            assert contrast(colour, colours["paper"]) >= (3 if name.startswith("series") else 4.5), (name, colour)


def contrast(first: str, second: str) -> float:
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    digits = colour.strip().removeprefix("#")
    digits = "".join(digit * 2 for digit in digits) if len(digits) == 3 else digits
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_without_scripts_tables_and_charts_are_there_and_nothing_that_needs_scripts(
    browser: sync_api.Browser, report: Path
) -> None:
    with Visit(browser, report, java_script_enabled=False) as page:
        sync_api.expect(page.locator("#pingpong table").first.locator("tbody tr")).to_have_count(20)
        assert page.locator("#pingpong table").first.is_visible()
        for chart in page.locator("#charts .plot").all():
            drawn = chart.locator(".line, use").first.bounding_box()
            assert drawn is not None
            assert drawn["width"] > 5
        mark = page.locator("#chart-latency .mark.s1 use").last
        assert "4 MiB" in (mark.locator("title").text_content() or "")
        assert not any(element.is_visible() for element in page.locator(".script-only").all())


def test_it_prints_on_a_few_sheets(browser: sync_api.Browser, report: Path) -> None:
    with Visit(browser, report) as page:
        sheets = page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n")
        assert 3 <= sheets <= 20


def test_every_chart_and_table_has_a_name_for_screen_readers(browser: sync_api.Browser, report: Path) -> None:
    with Visit(browser, report) as page:
        page.evaluate(UNFOLD)
        named = page.evaluate("""[...document.querySelectorAll('.plot > svg, .scroll, section.figures, .legend')]
            .map(element => element.getAttribute('aria-label'))""")
        assert len(named) > 50
        assert all(named)
        label = page.locator("#chart-latency .plot > svg").get_attribute("aria-label") or ""
        assert re.search(r"pingpong from [\d.]+ at 8 B to [\d.]+ at 4 MiB", label)
