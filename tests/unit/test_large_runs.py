"""A launch with many records: they stay on disk, and what analysis needs of them is kept beside them."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from polars.testing import assert_frame_equal
from synthetic import SIZES, Scenario, make_run

from groma.analysis import launchtable, summarise
from groma.catalog import packaged
from groma.cli.main import groma_command
from groma.errors import RunError
from groma.report.page import render
from groma.results import launched, load_run, stored
from groma.results.fields import Meanings, meanings_of
from groma.results.stored import StoredPoints, fields_of
from groma.tables import load

FEW = Scenario(
    launches=3, samples=8, operations=("pingpong", "barrier"), sizes=SIZES[:3], torn=(2,), failed={3: "timeout"}
)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return make_run(tmp_path / "runs" / "made", FEW)


@pytest.fixture
def large(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same run, of which the records stay on disk."""
    copy = tmp_path / "other" / "made"
    shutil.copytree(small, copy)
    for module in (stored, launched, launchtable):
        monkeypatch.setattr(module, "LARGE", 1)
    return copy


def test_points_on_disk_are_those_in_memory(small: Path, large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_disk = load_run(large)
    monkeypatch.setattr(launched, "LARGE", 1 << 40)
    in_memory = load_run(small)
    for one, other in zip(in_memory.launches, on_disk.launches, strict=True):
        assert isinstance(other.points, StoredPoints)
        assert isinstance(one.points, list)
        assert (one.torn, one.failures, one.end, one.indices) == (other.torn, other.failures, other.end, other.indices)
        for at, (mine, theirs) in enumerate(zip(one.points, other.points, strict=True)):
            assert mine.point == theirs.point == fields_of(other.points, at)
            assert np.array_equal(mine.samples_ns, theirs.samples_ns)
    assert in_memory.missing() == on_disk.missing()
    assert [point.interval for point in summarise(in_memory)] == [point.interval for point in summarise(on_disk)]


def test_the_fields_of_a_point_on_disk_know_the_catalogue_of_their_run(large: Path) -> None:
    own = Meanings(packaged())
    points = StoredPoints(large / "launches/001/points.jsonl", own)
    assert meanings_of(fields_of(points, 0)) is meanings_of(points[0].point) is own
    (large / "launches/001/points.jsonl").write_bytes(bytes(1))
    with pytest.raises(RunError, match="changed while it was read"):
        fields_of(points, 1)


def test_the_second_reading_finds_what_the_first_kept(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = load(large)
    assert (large / "launches/001" / launchtable.KEPT[False]).is_file()
    monkeypatch.setattr(launchtable, "table_of", None)
    monkeypatch.setattr(stored.StoredPoints, "_places", None)
    assert_frame_equal(load(large), first)


def test_what_was_kept_of_records_that_changed_is_made_anew(large: Path) -> None:
    first = load(large)
    records = large / "launches/001/points.jsonl"
    lines = records.read_text().splitlines()
    records.write_text("\n".join(line for line in lines if '"operation": "barrier"' not in line) + "\n")
    assert len(load(large)) == len(first) - 1


@pytest.mark.parametrize("content", [b"", b"{}\n", b"\xff", b'{"format": 1}\n' + bytes(8)])
def test_a_damaged_file_of_columns_is_made_anew(large: Path, content: bytes) -> None:
    first = load(large)
    for name in (*launchtable.KEPT.values(), stored.KEPT):
        (large / "launches/001" / name).write_bytes(content)
    assert_frame_equal(load(large), first)


def test_a_damaged_record_of_a_large_run_is_refused_by_its_line(large: Path) -> None:
    records = large / "launches/001/points.jsonl"
    lines = records.read_text().splitlines()
    records.write_text("\n".join([lines[0], lines[1][:-9], *lines[2:]]) + "\n")
    with pytest.raises(RunError, match=r"points.jsonl line 2 is not a record"):
        load_run(large)


@pytest.mark.slow
def test_a_terminal_and_a_page_show_a_part_of_very_many_points_and_say_so(tmp_path: Path) -> None:
    sizes = tuple(8 * number for number in range(1, 321))
    operations = ("pingpong", "allreduce", "bcast")
    path = make_run(tmp_path / "run", Scenario(launches=2, samples=4, operations=operations, sizes=sizes))
    shown = CliRunner().invoke(groma_command, ["show", str(path)]).stdout
    assert "Shown: 1 table of 3, with 320 of 960 points." in shown
    whole = CliRunner().invoke(groma_command, ["show", "--all", str(path)]).stdout
    assert "Shown:" not in whole
    assert len(whole.splitlines()) > 960 > len(shown.splitlines())
    page = render(load_run(path))
    assert "Tables and charts show 1 of 3 curves, 320 of 960 points" in page
    assert len(page.encode()) < 2_000_000
