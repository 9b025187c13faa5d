"""`groma plot`: the figure has every point and its interval where they belong, its caption says how, its files open."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pypdf
import pytest
from fakes import Groma
from PIL import Image
from planted_runs import change_records
from synthetic import Scenario, make_run

from groma.analysis import summarise
from groma.errors import InputError
from groma.report.plot import plot_of
from groma.results import load_run
from groma.text.charts.figure import figure

RECORDED = Path(__file__).parents[1] / "recorded"
SIZES = (8, 1024, 65536, 1 << 20)
MADE = Scenario(launches=8, samples=30, operations=("allreduce", "bcast", "stream", "barrier"), sizes=SIZES)
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return make_run(tmp_path / "one", MADE)


@pytest.fixture
def other(tmp_path: Path) -> Path:
    made = make_run(tmp_path / "two", replace(MADE, seed=2))
    change_records(made, lambda record: record.get("library", {}).update(name="Open MPI", version="4.1.4"))
    return made


def drawn(groma: Groma, *arguments: object) -> ET.Element:
    said = groma("plot", *map(str, arguments), "-o", "figure.svg")
    assert (said.code, said.last_line) == (0, "figure.svg"), said.err
    return ET.parse("figure.svg").getroot()  # noqa: S314 - our own


def texts(root: ET.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def test_bars_end_where_the_intervals_do(groma: Groma, run: Path) -> None:
    root = drawn(groma, run, "--operation", "allreduce")
    scale = _upright(root)
    points = {point.bytes: point for point in summarise(load_run(run)) if point.operation == "allreduce"}
    bars = [path.get("d", "") for path in root.iter(f"{SVG}path") if path.get("stroke-width") == "0.7"]
    ends = re.findall(r"M[\d.]+ ([\d.]+)V([\d.]+)M", "".join(bars))
    assert len(ends) == len(SIZES)
    for size, (high, low) in zip(SIZES, ends, strict=True):
        interval = points[size].interval
        assert interval is not None
        assert scale(float(low)) == pytest.approx(interval.low / 1e3, rel=2e-3)
        assert scale(float(high)) == pytest.approx(interval.high / 1e3, rel=2e-3)
    marks = [float(circle.get("cy", "")) for circle in root.iter(f"{SVG}circle")]
    assert [scale(y) for y in marks] == [pytest.approx(points[size].time_ns / 1e3, rel=2e-3) for size in SIZES]


def _upright(root: ET.Element):  # type: ignore[no-untyped-def]  # noqa: ANN202 - a function from a place to a value
    """Return what a height on the figure is in microseconds, by the first and the last label of the axis."""
    ends = [one for one in root.iter(f"{SVG}text") if one.get("text-anchor") == "end"]
    places = [(float(one.get("y", "")) - 7 / 3, math.log(float(one.text or ""))) for one in (ends[0], ends[-1])]
    (y1, v1), (y2, v2) = places
    return lambda y: math.exp(v1 + (y - y1) * (v2 - v1) / (y2 - y1))


def test_the_picture_needs_nothing_beside_it_and_has_the_width_of_a_column(groma: Groma, run: Path) -> None:
    for width in (85, 176):
        root = drawn(groma, run, "--width", width)
        assert root.get("width") == f"{width:.2f}mm"
        assert {element.tag.removeprefix(SVG) for element in root} == {
            "title",
            "desc",
            "rect",
            "path",
            "circle",
            "text",
        }
        written = Path("figure.svg").read_text()
        assert not re.search(r"%\"|class=|style|<use|url\(", written)
        assert root.findtext(f"{SVG}title") == "Time and bandwidth of allreduce, bcast, stream over message size"


@pytest.mark.parametrize("width", [60, 85, 176])
def test_no_label_lies_on_another_or_beyond_the_edge(groma: Groma, run: Path, other: Path, width: int) -> None:
    root = drawn(groma, run, other, "--width", width)
    _, _, right, bottom = map(float, root.get("viewBox", "").split())
    boxes = []
    for element in root.iter(f"{SVG}text"):
        if element.get("transform"):
            continue  # the turned titles stand alone at the left
        wide = 0.56 * 7 * len(element.text or "")
        shift = {"start": 0.0, "middle": 0.5, "end": 1.0}[element.get("text-anchor", "")]
        x, y = float(element.get("x", "")) - shift * wide, float(element.get("y", ""))
        boxes.append((x, y - 5, x + wide, y))
    assert all(x >= 0 and y >= 0 and end <= right + 0.5 and low <= bottom for x, y, end, low in boxes)
    for place, one in enumerate(boxes):
        for two in boxes[place + 1 :]:
            assert one[2] <= two[0] or two[2] <= one[0] or one[3] <= two[1] or two[3] <= one[1], (one, two)


def test_curves_are_operations_and_several_runs_are_told_apart_by_their_libraries(
    groma: Groma, run: Path, other: Path
) -> None:
    said = texts(drawn(groma, run, "--operation", "all*,bcast"))
    assert {"allreduce", "bcast", "Time (\u00b5s)", "Message size"} <= set(said)
    both = texts(drawn(groma, run, other, "--operation", "allreduce"))
    assert {"MPICH 5.0.2", "Open MPI 4.1.4"} <= set(both)
    renamed = texts(drawn(groma, run, other, "--operation", "allreduce", "--legend", "old,new"))
    assert {"old", "new"} <= set(renamed)
    panels = texts(drawn(groma, run, other, "--operation", "allreduce,stream"))
    assert {"allreduce", "stream", "Bandwidth (MB/s)"} <= set(panels), "a panel of its own has its operation above it"
    assert "one" in texts(drawn(groma, run, "--operation", "bcast", "--legend", "one"))
    rates = texts(drawn(groma, run, "--operation", "stream", "--figure", "time"))
    assert "Time (\u00b5s)" in rates


def test_the_caption_states_method_library_and_machine(groma: Groma, run: Path, other: Path) -> None:
    said = groma("plot", str(run), str(other), "-o", "figure.svg", "--operation", "allreduce").out
    for words in (
        "Time of allreduce over message size. Time: one call.",
        "Points are medians over 8 launches. A launch's figure is the median of the samples.",
        "Bars: 95 % intervals over launches",
        "timing call",
        "ranks: 2.",
        "one: MPICH 5.0.2 on node01 (Example CPU @ 2.60GHz, 2 CPUs), 2026-01-02",
        "two: Open MPI 4.1.4 on node01",
    ):
        assert words in said
    assert ET.parse("figure.svg").getroot().findtext(f"{SVG}desc") == said.splitlines()[0]  # noqa: S314 - our own


def test_the_caption_says_that_messages_are_touched(groma: Groma, run: Path) -> None:
    assert "touch" not in groma("plot", str(run), "-o", "figure.svg", "--operation", "allreduce").out
    change_records(run, lambda record: record.get("point", {}).update(touch="both"))
    assert ", touch both" in groma("plot", str(run), "-o", "figure.svg", "--operation", "allreduce").out


def test_the_caption_hides_no_doubt(groma: Groma, tmp_path: Path) -> None:
    said = groma("plot", str(RECORDED / "two-launches"), "-o", "figure.svg").out
    assert "Bars: smallest and largest of few launches" in said
    assert "Not trustworthy, since checks failed: noise." in said
    partial = make_run(tmp_path / "partial", replace(MADE, never_started=(8,), state="partial"))
    ended = groma("plot", str(partial), "-o", "figure.svg")
    assert ended.code == 1
    assert "partial is not complete." in ended.out
    assert Path(ended.last_line).exists()


def test_what_has_no_curve_is_named(groma: Groma, run: Path, tmp_path: Path) -> None:
    assert groma("plot", str(run), "-o", "figure.svg").err == "Not drawn, without two sizes: barrier.\n"
    empty = make_run(tmp_path / "empty", replace(MADE, launches=0))
    assert "empty has nothing to draw" in groma("plot", str(empty), "-o", "figure.svg").err


def test_a_pdf_has_lines_text_and_its_font_inside(groma: Groma, run: Path) -> None:
    assert groma("plot", str(run), "-o", "figure.pdf").code == 0
    (page,) = pypdf.PdfReader("figure.pdf").pages
    assert float(page.mediabox.width) == pytest.approx(85 / 25.4 * 72, abs=0.1)
    resources: Any = page["/Resources"]
    fonts = [font.get_object() for font in resources["/Font"].values()]
    assert [("/FontFile2" in font["/FontDescriptor"].get_object()) for font in fonts] == [True]
    assert "/XObject" not in resources, "no picture of pixels"
    content = page.get_contents()
    assert content is not None
    lines = re.findall(rb"(?:^|\s)l(?=\s)", content.get_data())
    assert len(lines) > 3 * len(SIZES)
    assert {"Message size", "Time (\u00b5s)", "bcast", "1 MiB"} <= set(page.extract_text().splitlines())
    assert "Method: timing" in str(pypdf.PdfReader("figure.pdf").metadata["/Subject"])  # type: ignore[index]


def test_a_png_has_600_dots_an_inch_and_all_colours(groma: Groma, run: Path) -> None:
    assert groma("plot", str(run), "-o", "figure.png", "--operation", "allreduce,bcast").code == 0
    with Image.open("figure.png") as image:
        assert image.width == pytest.approx(85 / 25.4 * 600, abs=1)
        colours = {colour for _, colour in image.convert("RGB").getcolors(1 << 20) or []}
    assert {(255, 255, 255), (0, 0, 0), (0x0B, 0x6C, 0xB0), (0xCC, 0x5A, 0x00)} <= colours


@pytest.mark.parametrize("kind", ["pdf", "png"])
def test_without_the_extra_a_pdf_is_refused_with_its_name(
    groma: Groma, run: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    for name in [*sys.modules, "reportlab", "resvg_py"]:
        if name.partition(".")[0] in ("reportlab", "resvg_py"):
            monkeypatch.setitem(sys.modules, name, None)
    said = groma("plot", str(run), "-o", f"figure.{kind}")
    assert (said.code, "pip install reportlab resvg-py, or write an .svg" in said.err) == (2, True)
    assert not Path(f"figure.{kind}").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-o", "figure.jpg"), "figure.jpg: the name of a figure ends with .svg, .pdf or .png"),
        (("--operation", "allredcue"), "no run has the operation 'allredcue'; did you mean 'allreduce'?"),
        (("--operation", "barrier"), "one has nothing to draw: a curve needs one operation at two sizes or more"),
        (("--operation", "bcast", "--figure", "message rate"), "two sizes or more and a message rate"),
        (("--legend", "a,b"), "--legend has 2 names, and the figure 3 curves: allreduce, bcast, stream"),
        (("--legend", f"a,b,{'c' * 60}"), "wider than the figure"),
        (("--font", "one/run.json", "-o", "figure.pdf"), "cannot be used as a font"),
        (("--font", "one/run.json"), "--font is for .pdf and .png"),
        (("--operation", "bcast", "--legend", "\u4e2d", "-o", "figure.pdf"), "the font Vera.ttf has no \u4e2d"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    groma: Groma, run: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], words: str
) -> None:
    monkeypatch.chdir(run.parent)
    said = groma("plot", str(run), *arguments)
    assert (said.code, words in said.err) == (2, True), said.err


def test_more_curves_than_marks_are_refused() -> None:
    run = load_run(RECORDED / "commtest")
    with pytest.raises(InputError, match=r"11 panels \(6 fit\): choose operations, such as --operation swap/simple,"):
        plot_of([run], (), None, ())


def test_what_names_say_is_text_in_the_picture(run: Path) -> None:
    plot = plot_of([load_run(run)], ("allreduce", "bcast"), None, ("<a & b>", '"c"'))
    root = ET.parse(BytesIO(figure(plot.charts, 85, "<t>", "& <c>").encode())).getroot()  # noqa: S314 - our own
    assert {"<a & b>", '"c"'} <= set(texts(root))
    assert root.findtext(f"{SVG}desc") == "& <c>"


@pytest.mark.parametrize("arguments", [["--help"], ["plot", "--help"], ["show", str(RECORDED / "two-launches")]])
def test_charts_and_extras_are_imported_only_to_draw(arguments: list[str]) -> None:
    asked = (
        "import sys\nfrom groma.cli.main import main\n"
        f"try: main({arguments!r})\nexcept SystemExit: pass\n"
        "loaded = {name.partition('.')[0] for name in sys.modules} & {'reportlab', 'resvg_py', 'PIL'}\n"
        "sys.exit(' '.join([*loaded, *(name for name in sys.modules if name.startswith('groma.text.charts'))]))"
    )
    ended = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=False)
    assert ended.stderr.strip() == ""
