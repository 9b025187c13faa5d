"""The toolbox of charts: what curves, rows and histograms draw, and what they say to those who do not see them."""

from __future__ import annotations

import re

import pytest

from groma.text.charts import COLOURS, Chart, Curve, Histogram, Rows, Track, axes, numbered
from groma.text.charts.rows import Row

INTERVALS = [(1.0, 3.0), (None, None), (8.0, None)]


def chart(*curves: Curve, **settings: object) -> Chart:
    return Chart("Latency", "message size", "\N{MICRO SIGN}s", curves, **settings)  # type: ignore[arg-type]


def texts(drawing: str) -> list[str]:
    return re.findall(r"<title>(.*?)</title>", drawing, re.DOTALL)


def test_a_point_without_a_text_says_its_place_value_and_interval() -> None:
    drawn = chart(Curve.of("now", [(8, 2.0), (64, 4.0), (1024, 9.0)], intervals=INTERVALS)).drawing
    assert texts(drawn) == [
        "now, 8 B: 2.000 \N{MICRO SIGN}s\n95% interval: 1.000 to 3.000",
        "now, 64 B: 4.000 \N{MICRO SIGN}s",
        "now, 1 KiB: 9.000 \N{MICRO SIGN}s\n95% interval: 8.000 to no bound",
    ]


def test_places_that_are_no_sizes_are_counts() -> None:
    drawn = chart(Curve.of("now", [(2, 2.0), (4, 4.0)]), sized=False).drawing
    assert texts(drawn)[0] == "now, 2 message size: 2.000 \N{MICRO SIGN}s"
    assert re.findall(r'<text class="across[^>]*>([^<]*)<', drawn) == ["2", "4"]


def test_intervals_are_bands_without_those_that_lack_an_end() -> None:
    points = [(8, 2.0), (16, 2.0), (32, 2.0), (64, 2.0)]
    ends = [(1.0, 3.0), (1.0, 3.0), (1.0, None), (1.0, 3.0)]
    assert chart(Curve.of("now", points, intervals=ends)).drawing.count('class="band') == 1
    assert chart(Curve.of("now", points)).drawing.count('class="band') == 0


def test_a_limit_is_drawn_where_there_are_points() -> None:
    limit = Curve.of("", [(1, 1.0), (8, 1.0), (64, 1.0), (4096, 1.0)]).points
    drawn = chart(Curve.of("now", [(8, 2.0), (64, 4.0)]), limit=limit).drawing
    (line,) = re.findall(r'class="line limit" d="([^"]*)"', drawn)
    assert line.count("L") == 1


def test_ratios_are_drawn_below_in_the_colours_of_their_curves() -> None:
    curves = [Curve.of("a", [(8, 2.0), (64, 4.0)]), Curve.of("b", [(8, 3.0), (64, 8.0)])]
    ratios = [Curve.of("b", [(8, 1.5), (64, 2.0)], intervals=[(1.4, 1.6), (1.9, 2.1)])]
    above, below = chart(*curves, ratios=ratios, ratio_y="time over that of a").drawing.split('<div class="plot">')[1:]
    assert "s1" in above
    assert "s1" not in below
    assert 'class="line s2 c2"' in below
    assert below.count('class="band') == 1
    assert below.count('class="line limit"') == 1  # at one
    assert "time over that of a" in below
    assert re.findall(r'<text class="across[^>]*>([^<]*)<', above) == []  # the axis has its labels once
    assert re.findall(r'<text class="across[^>]*>([^<]*)<', below) == ["8 B", "64 B"]


def test_a_curve_with_a_number_keeps_its_colour_on_every_chart() -> None:
    curve = Curve("c", Curve.of("c", [(8, 2.0), (64, 4.0)]).points, number=4)
    assert [(key.kind, key.form) for key in chart(curve).keys] == [("s5 c1", 4)]


def test_references_are_dashed_and_colours_that_come_again_are_dotted() -> None:
    curves = [Curve.of(str(at), [(8, 1.0), (64, 2.0)], reference=at == 1) for at in range(COLOURS + 1)]
    kinds = [key.kind for key in chart(*curves).keys]
    assert kinds[:2] == ["s1 c1", "s2 c2 reference"]
    assert kinds[-1] == f"s1 c{COLOURS + 1} again"


def test_a_chart_says_in_words_what_it_shows_unless_it_has_its_own() -> None:
    curve = Curve.of("now", [(8, 2.0), (64, 4.0)])
    said = 'aria-label="Latency, \N{MICRO SIGN}s over message size: now from 2 at 8 to 4 at 64."'
    assert said in chart(curve).drawing
    assert 'aria-label="In my words"' in chart(curve, words="In my words").drawing
    assert [one.name for one in numbered("study", [chart(curve), chart(curve)])] == ["study-1", "study-2"]


def test_rows_have_their_marks_where_the_axis_has_the_values() -> None:
    axis = axes.levels("ratio", [0.5, 2.0], shared=True)
    track = Track(axis)
    track.area(0.5, 1.0, "margin")
    track.interval(0.5, 2.0)
    track.mark(1.0, 2)
    drawn = track.svg("a <b>")
    assert 'class="margin" x="0.00%" width="50.00%"' in drawn
    assert re.findall(r'<line x1="([\d.]+)%" x2="([\d.]+)%"', drawn) == [
        ("0.00", "100.00"),
        ("0.00", "0.00"),
        ("100.00", "100.00"),
    ]
    assert '<use href="#m2" x="50.00%"' in drawn
    assert texts(drawn) == ["a &lt;b&gt;"]
    places = {label: at for label, _, at in Rows([Row("a", "same", drawn, "a")], axis).ticks}
    assert places["1"] == pytest.approx(50.0)


def test_times_of_a_clock_that_reads_nothing_but_0_have_an_axis() -> None:
    axis = axes.levels("µs", [0.0, 0.0])
    assert axis.low < 1 < axis.high


def test_histograms_share_their_axes() -> None:
    rows = [("one", "first", {0: [0.5, 0.5]}), ("two", "second", {1: [0.0, 1.0]})]
    drawn = dict(Histogram("Times", "ms", "share", "by number", [1.0, 2.0, 4.0], rows).drawings)
    heights = {name: re.search(r'class="area s(\d)" d="([^"]*)"', drawing) for name, drawing in drawn.items()}
    assert {name: found and (found[1], found[2]) for name, found in heights.items()} == {
        "one": ("1", "M0 500H500V1000H0ZM500 500H1000V1000H500Z"),
        "two": ("2", "M500 0H1000V1000H500Z"),
    }
