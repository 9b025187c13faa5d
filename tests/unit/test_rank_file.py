"""Times of ranks in the file beside the records are read as those in a record; where they are not in it, it is said."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from edited_records import write_records
from fakes import Groma

from groma.errors import RunError
from groma.results import load_run
from groma.run.following import Follower

RUN = ("run", "pingpong", "barrier", "--bytes", "8:32", "--set", "per_rank=true", "--launches", "3", "-o", "out")
LAUNCH = "launches/002"


@pytest.fixture
def run(groma: Groma) -> Path:
    """A run of three launches, in `out`; the second has the times of ranks in a file of their own."""
    assert groma(*RUN).code == 0
    records = Path("out", LAUNCH, "points.jsonl")
    lines = [json.loads(line) for line in records.read_text().splitlines()]
    with records.with_name("points.jsonl.ranks").open("wb") as file:
        for line in lines:
            if line["kind"] == "point":
                times = np.array(line["ranks_ns"], "<i8")
                line["ranks_at"] = {"offset": file.tell(), "ranks": times.shape[0], "samples": times.shape[1]}
                line["ranks_ns"] = None
                file.write(times.tobytes())
    write_records(records, lines)
    return Path("out")


def times(run: Path, launch: int) -> list[list[list[int]]]:
    """Return the times of the ranks of every point of a launch."""
    points = load_run(run).launches[launch - 1].points
    return [[row.tolist() for row in point.ranks_ns or []] for point in points]


def test_both_places_of_the_times_are_read_alike(run: Path) -> None:
    first, second = times(run, 1), times(run, 2)
    assert all(len(of_point) == 2 for of_point in first)
    assert second == first


def test_a_bundle_has_the_times(groma: Groma, run: Path) -> None:
    assert groma("bundle", "out", "-o", "out.groma.zip").code == 0
    bundled = Path("out.groma.zip")
    assert times(bundled, 2) == times(run, 2)


@pytest.mark.parametrize("how", ["gone", "short", "a folder"])
def test_times_that_are_not_in_the_file_are_missed(groma: Groma, run: Path, how: str) -> None:
    file = run / LAUNCH / "points.jsonl.ranks"
    content = file.read_bytes()
    file.unlink()
    if how == "short":
        file.write_bytes(content[:-8])
    if how == "a folder":
        file.mkdir()
    with pytest.raises(RunError, match=r"002/points\.jsonl\.ranks lacks the times of the ranks of point \d"):
        load_run(run)
    said = groma("show", "out")
    assert (said.code, said.err.count("\n")) == (1, 1)
    follower = Follower(run / LAUNCH / "points.jsonl")
    follower.read()
    assert follower.damaged
    assert groma("run", "--resume", "out").code == 0
    assert (run / "superseded/002").is_dir()
    assert groma("show", "out").code == 0


def test_a_place_that_no_file_can_have_is_refused(run: Path) -> None:
    records = run / LAUNCH / "points.jsonl"
    text = records.read_text()
    for offset in (-8, 2**60, "0"):
        records.write_text(text.replace('"offset": 0', f'"offset": {json.dumps(offset)}', 1))
        with pytest.raises(RunError, match=r"points\.jsonl"):
            load_run(run)
    shutil.copyfile(run / "launches/001/points.jsonl", records)
    assert times(run, 2) == times(run, 1)
