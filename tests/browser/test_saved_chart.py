"""The button of a chart: a file that opens by itself and looks like the chart, from a page that is a file itself."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from PIL import Image
from visits import UNFOLD, Visit, in_every_scheme

if TYPE_CHECKING:
    from playwright import sync_api
else:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")

pytestmark = [pytest.mark.browser, pytest.mark.bed("chromium"), pytest.mark.slow]
SVG = "{http://www.w3.org/2000/svg}"


def saved(page: sync_api.Page, chart: sync_api.Locator, target: Path) -> ET.Element:
    with page.expect_download() as download:
        chart.get_by_role("button", name="as SVG").click()
    assert download.value.suggested_filename == f"{chart.get_attribute('id')}.svg"
    download.value.save_as(target)
    return ET.parse(target).getroot()  # noqa: S314 - our own


@in_every_scheme
def test_a_saved_chart_looks_like_the_chart(
    browser: sync_api.Browser, report: Path, tmp_path: Path, scheme: str
) -> None:
    visit = Visit(browser, report, color_scheme=scheme)
    with visit as page:
        chart = page.locator("#chart-latency")
        saved(page, chart, tmp_path / "chart.svg")
        page.add_style_tag(content=".save { visibility: hidden }")
        seen = _pixels(chart.screenshot())
        assert visit.complaints == []
    with Visit(browser, tmp_path / "chart.svg") as page:
        alone = _pixels(page.locator("svg").first.screenshot())
    assert abs(np.subtract(seen.shape, alone.shape)).max() <= 1
    rows, columns, _ = np.minimum(seen.shape, alone.shape) - 2
    inner = seen[1 : rows + 1, 1 : columns + 1]
    near = [alone[y : y + rows, x : x + columns] for y in range(3) for x in range(3)]
    off = np.min([np.abs(inner - own).max(axis=2) for own in near], axis=0) > 60
    ink = np.abs(inner - inner[0, -1]).max(axis=2) > 60
    assert ink.mean() > 0.005
    assert off.mean() < 0.1 * ink.mean(), "lines and letters may lie a pixel off, as the page lies between pixels"


def test_a_saved_chart_has_its_styles_and_needs_nothing(
    browser: sync_api.Browser, report: Path, tmp_path: Path
) -> None:
    with Visit(browser, report) as page:
        page.evaluate(UNFOLD)
        for number, chart in enumerate(page.locator("figure.chart").all()):
            target = tmp_path / f"{number}.svg"
            root = saved(page, chart, target)
            assert not re.search(r"var\(|class=|href|style=|NaN|undefined", target.read_text())
            said = {element.text for element in root.iter(f"{SVG}text")}
            assert set(chart.locator(".legend span").all_inner_texts()) <= said
            assert {"message size", "ranks"} & said
            strokes = {path.get("stroke") for path in root.iter(f"{SVG}path") if path.get("fill") == "none"}
            assert len(strokes) >= chart.locator(".legend input").count()


def test_a_hidden_curve_is_not_saved(browser: sync_api.Browser, report: Path, tmp_path: Path) -> None:
    with Visit(browser, report) as page:
        chart = page.locator("#chart-collectives")
        counts = []
        for _ in range(2):
            root = saved(page, chart, tmp_path / "chart.svg")
            counts.append(("allreduce" in {one.text for one in root.iter(f"{SVG}text")}, len(list(root))))
            chart.get_by_role("checkbox", name="allreduce").uncheck(force=True)
        assert (counts[0][0], counts[1][0]) == (True, False)
        assert counts[1][1] < counts[0][1]


def test_without_scripts_there_is_no_button(browser: sync_api.Browser, report: Path) -> None:
    with Visit(browser, report, java_script_enabled=False) as page:
        assert page.locator(".save").count() > 0
        assert page.locator(".save").filter(visible=True).count() == 0


def _pixels(png: bytes) -> np.ndarray:
    with Image.open(BytesIO(png)) as image:
        return np.asarray(image.convert("RGB"), dtype=np.int16)
