"""Heat maps: every measured pair has a cell, blocks keep their largest value, and a thousand nodes stay small."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from groma.analysis import summarise
from groma.programs.pairs.study import study
from groma.report.page import render
from groma.results import Run, load_run
from groma.text.charts import HeatMap
from groma.text.charts.heatmap import LIMITS, MOST_CELLS, largest_of_blocks


@pytest.fixture
def recorded() -> Run:
    return load_run(Path(__file__).parents[1] / "recorded" / "pairs")


def drawn(values: np.ndarray, marked: tuple[int, ...] = ()) -> HeatMap:
    names = tuple(f"node{at:04d}" for at in range(len(values)))
    return HeatMap("stream", "times the median", "from", "to", names, values, marked)


def cells(found: HeatMap, colour: int) -> set[tuple[int, int]]:
    """Return row and column of all cells of a colour."""
    path = re.search(rf'class="heat{colour}" d="([^"]*)"', found.drawing)
    return {(int(row), int(column)) for column, row in re.findall(r"M(\d+) (\d+)h1", path[1])} if path else set()


def test_colours_are_those_of_the_limits() -> None:
    values = np.full((4, 4), 1.0)
    np.fill_diagonal(values, np.nan)
    values[0, 1], values[2, 3], values[3, 0] = 1.3, 7.0, np.nan
    found = drawn(values, marked=(2,))
    assert cells(found, 2) == {(0, 1)}
    assert cells(found, len(LIMITS)) == {(2, 3)}
    assert len(cells(found, 0)) == 16 - 4 - 3
    assert "from node0002, to node0003: 7.00" in found.drawing
    assert found.drawing.count('class="frame"') == 1
    assert [name for name, _, marked in found.labels if marked] == ["node0002"]
    assert "Cells without colour were not measured" in found.note


def test_a_block_has_its_largest_value_and_none_where_nothing_was_measured() -> None:
    values = np.full((5, 5), np.nan)
    values[0, 1], values[1, 0], values[4, 4] = 1.0, 2.0, 3.0
    blocks = largest_of_blocks(values, 2)
    assert blocks.shape == (3, 3)
    assert (blocks[0, 0], blocks[2, 2]) == (2.0, 3.0)
    assert int(np.isnan(blocks).sum()) == 7


def test_1024_nodes_are_a_small_drawing_with_names_that_do_not_touch() -> None:
    values = np.random.default_rng(1).uniform(0.9, 1.05, (1024, 1024))
    values[300, 700] = 4.0
    found = drawn(values, marked=(300,))
    assert cells(found, 5) == {(300 // 16, 700 // 16)}
    assert len(cells(found, 0)) == MOST_CELLS**2 - 1
    assert len(found.drawing) < 100_000
    assert "16 x 16 pairs" in found.note
    heights = [height for _, height, _ in found.labels]
    assert "node0300" in [name for name, _, _ in found.labels]
    assert min(np.diff(heights)) >= 100 / 64 * 3


@pytest.mark.parametrize(("nodes", "block"), [(65, 2), (100, 2), (200, 4)])
def test_with_more_nodes_than_cells_each_name_is_that_of_its_node(nodes: int, block: int) -> None:
    values = np.full((nodes, nodes), 1.0)
    slow, far = 37, nodes - 1
    values[slow, far] = 4.0
    found = drawn(values, marked=(slow - 1, slow, far))
    assert (found.block, len(found.cells)) == (block, -(-nodes // block))
    assert cells(found, 5) == {(slow // block, far // block)}
    assert f"at most 4.00, from node{slow:04d}, to node{far:04d}." in found.words
    assert f"Marked: node{slow - 1:04d}, node{slow:04d}, node{far:04d}." in found.words
    assert found.words in found.drawing
    marked = {name: height for name, height, is_marked in found.labels if is_marked}
    named = ", ".join(marked)
    assert all(f"node{at:04d}" in named for at in (slow - 1, slow, far))
    for name, height, _ in found.labels:
        row = height / 100 * len(found.cells) - 0.5
        assert {int(one[-4:]) // block for one in name.split(", ")} == {round(row)}


def test_cells_show_their_values_where_there_is_room() -> None:
    values = np.full((4, 4), 1.0)
    np.fill_diagonal(values, np.nan)
    values[0, 1] = 1.3
    found = drawn(values)
    assert found.is_small
    assert len(found.numbers) == 12, "none on the diagonal"
    assert ("1.3", 37.5, 12.5, 2) in found.numbers
    assert drawn(np.full((16, 16), 1.0)).numbers
    assert not drawn(np.full((16, 16), 1.0)).is_small
    assert not drawn(np.full((17, 17), 1.0)).numbers


def test_the_page_of_pairs_begins_with_who_is_slow_and_names_both_ends(recorded: Run) -> None:
    """The slow node is the sender of the slowest pairs, which are ranked; the maps name rows and columns."""
    html = render(recorded)
    assert html.index("Slow node node02") < html.index('id="figures"')
    above = re.findall(r'class="names above".*?</div>', html, re.DOTALL)
    assert [re.findall("node0\\d", names) for names in above] == [[f"node0{at}" for at in range(4)]] * 2
    (table,) = (one for one in study(recorded, summarise(recorded)).tables if one.title == "Slowest pairs")
    ratios = [float(row[-1]) for row in table.rows]
    assert ratios == sorted(ratios, reverse=True)
    assert len(table.rows) == 10
    assert {row[0] for row in table.rows if row[1].startswith("stream")} >= {f"node02 to node0{at}" for at in (0, 1, 3)}


def test_a_map_of_nothing_says_so() -> None:
    found = drawn(np.full((3, 3), np.nan))
    assert found.words == "stream: no pair was measured."
