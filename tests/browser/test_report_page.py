"""The page in Chromium: offline, drawn, on a desk and on a phone, by keyboard, on paper, without scripts."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from synthetic import Scenario, make_run

from groma.report import write_report
from groma.results import load_run

if TYPE_CHECKING:
    from playwright import sync_api
else:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")

pytestmark = [pytest.mark.browser, pytest.mark.bed("chromium")]

RECORDED = Path(__file__).parents[1] / "recorded"
DRAWN = "document.querySelectorAll('.chart svg').length === document.querySelectorAll('.chart').length"
SCENARIO = Scenario(
    launches=8,
    samples=60,
    operations=("pingpong", "stream", "allreduce", "bcast", "barrier"),
    disturbed=(3,),
    ended_early={6: 20},
    failed={2: "timeout"},
    state="partial",
)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("browser")
    return write_report(load_run(make_run(folder / "run", SCENARIO)), folder / "report.html")


@pytest.fixture(scope="module")
def browser() -> Iterator[sync_api.Browser]:
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        )
        yield started
        started.close()


class Visit:
    """One look at the report, with everything that the page asked for and complained about."""

    def __init__(self, browser: sync_api.Browser, report: Path, **settings: object) -> None:
        self.context = browser.new_context(**settings)  # type: ignore[arg-type]
        self.page = self.context.new_page()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(report.as_uri())

    def __enter__(self) -> sync_api.Page:
        return self.page

    def __exit__(self, *_: object) -> None:
        self.context.close()


def test_it_asks_for_nothing_but_itself_and_complains_of_nothing(browser: sync_api.Browser, report: Path) -> None:
    visit = Visit(browser, report)
    with visit as page:
        page.wait_for_function(DRAWN)
        for select in page.locator("[data-detail] select").all():
            select.select_option(index=0)
        page.wait_for_function(DRAWN)
    assert visit.requests
    assert all(url.startswith(("file:", "data:", "blob:")) for url in visit.requests)
    assert visit.complaints == []


@pytest.mark.parametrize("width", [1280, 390])
def test_it_fits_a_desk_and_a_phone(browser: sync_api.Browser, report: Path, width: int) -> None:
    with Visit(browser, report, viewport={"width": width, "height": 844}) as page:
        page.wait_for_function(DRAWN)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        widths = page.evaluate(
            "[...document.querySelectorAll('.chart svg')].map(svg => svg.getBoundingClientRect().width)"
        )
        assert all(0.5 * width / 3 < found <= width for found in widths)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(load_run(RECORDED / "commtest"), tmp_path_factory.mktemp("study") / "report.html")


@pytest.mark.parametrize("width", [1280, 390])
def test_tables_of_a_study_fit_and_stand_below_their_headings(
    browser: sync_api.Browser, study: Path, width: int
) -> None:
    with Visit(browser, study, viewport={"width": width, "height": 844}) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        beyond = "element => element.scrollWidth > element.clientWidth"
        assert width < 1280 or not page.evaluate(f"[...document.querySelectorAll('.study .scroll')].some({beyond})")
        aligned = """[...document.querySelectorAll('.study tr')].map(row =>
            [...row.cells].map(cell => getComputedStyle(cell).textAlign).join())"""
        of_each = "[...document.querySelectorAll('.study table')].map(table => table.rows.length)"
        rows, lengths = page.evaluate(aligned), page.evaluate(of_each)
        for length in lengths:
            assert len(set(rows[:length])) == 1
            rows = rows[length:]


def unfold(page: sync_api.Page) -> None:
    """Open what a study with charts of its own folds away, which is drawn only then."""
    folded = page.locator("[data-curve] .chart svg")
    assert folded.count() == 0
    page.locator(".folded > summary").click()
    page.wait_for_function(DRAWN)
    assert folded.count() > 0


@pytest.mark.parametrize("width", [1280, 390])
def test_legends_stay_within_their_charts(browser: sync_api.Browser, study: Path, width: int) -> None:
    with Visit(browser, study, viewport={"width": width, "height": 844}) as page:
        unfold(page)
        beyond = """[...document.querySelectorAll('.legend > *')].filter(entry =>
            entry.getBoundingClientRect().right > entry.closest('figure').getBoundingClientRect().right + 1).length"""
        assert page.locator(".legend button").count() > 60
        assert page.evaluate(beyond) == 0


def test_every_curve_can_be_hidden_and_shown_with_the_keyboard(browser: sync_api.Browser, report: Path) -> None:
    with Visit(browser, report) as page:
        page.wait_for_function(DRAWN)
        chart = page.locator("[data-curve=collectives]")
        lines = chart.locator(".mark-line path")
        button = chart.get_by_role("button", name="allreduce")
        shown = lines.count()
        for pressed, expected in (("false", shown - 1), ("true", shown)):
            button.focus()
            page.keyboard.press("Enter")
            assert button.get_attribute("aria-pressed") == pressed
            sync_api.expect(lines).to_have_count(expected)


def test_hovering_tells_the_figure_and_its_interval(browser: sync_api.Browser, report: Path) -> None:
    with Visit(browser, report) as page:
        page.wait_for_function(DRAWN)
        page.locator("[data-curve=latency]").scroll_into_view_if_needed()
        page.locator("[data-curve=latency] .mark-symbol path").last.hover()
        tip = page.locator("#tip")
        sync_api.expect(tip).to_be_visible()
        assert re.search(r"pingpong, 4 MiB: [\d.]+ µs\n95% interval: [\d.]+ to [\d.]+", tip.inner_text())
        page.keyboard.press("Escape")
        sync_api.expect(tip).to_be_hidden()


def test_the_pictures_are_those_of_the_chosen_size(browser: sync_api.Browser, report: Path) -> None:
    with Visit(browser, report) as page:
        page.wait_for_function(DRAWN)
        section = page.locator("#pingpong")
        axis = section.locator("[data-picture=launches] .role-axis-label text")
        before = axis.all_inner_texts()
        section.locator("select").select_option(label="1 MiB")
        sync_api.expect(axis.last).to_be_visible()
        page.wait_for_function(DRAWN)
        assert axis.all_inner_texts() != before


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
        script = "names => names.map(name => getComputedStyle(document.documentElement).getPropertyValue('--' + name))"
        colours = dict(zip(names, page.evaluate(script, names), strict=True))
    for name, colour in colours.items():
        if name != "paper":
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


def test_without_scripts_all_tables_are_there_and_nothing_that_needs_scripts(
    browser: sync_api.Browser, report: Path
) -> None:
    with Visit(browser, report, java_script_enabled=False) as page:
        sync_api.expect(page.locator("#pingpong table tbody tr")).to_have_count(20)
        assert page.locator("#pingpong table").is_visible()
        assert page.get_by_text("Charts need JavaScript").first.is_visible()
        assert not any(element.is_visible() for element in page.locator(".script-only").all())


def test_it_prints_on_a_few_sheets(browser: sync_api.Browser, report: Path) -> None:
    with Visit(browser, report) as page:
        page.wait_for_function(DRAWN)
        sheets = page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n")
        assert 3 <= sheets <= 20


def test_every_chart_and_table_has_a_name_for_screen_readers(browser: sync_api.Browser, report: Path) -> None:
    with Visit(browser, report) as page:
        page.wait_for_function(DRAWN)
        for element in page.locator(".chart, .scroll, section.figures, section.curves").all():
            assert element.get_attribute("aria-label")
        assert "pingpong from" in (page.locator("[data-curve=latency] .chart").get_attribute("aria-label") or "")
