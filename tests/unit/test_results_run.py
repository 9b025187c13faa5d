"""Run directories are read as they are, whatever happened to the run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from synthetic import SIZES, Scenario, make_run

from groma.errors import InputError, RunError
from groma.results import load_run
from groma.results.spans import these_launches
from groma.tables import load

FEW = Scenario(launches=3, samples=8, operations=("pingpong", "barrier"), sizes=SIZES[:3])


def replace_line(path: Path, number: int, text: str) -> None:
    lines = path.read_text().splitlines()
    lines[number] = text
    path.write_text("\n".join(lines) + "\n")


def test_a_complete_run_has_every_record_and_misses_nothing(tmp_path: Path) -> None:
    run = load_run(make_run(tmp_path / "run", FEW))
    assert [launch.number for launch in run.launches] == [1, 2, 3]
    for launch in run.launches:
        assert len(launch.points) == 4
        assert launch.ranks == 2
        assert launch.foreign_cores == 0.02
        assert not launch.ended_early
        assert not launch.torn
        assert launch.points[0].samples_ns.dtype == "int64"
    assert run.meta.profile == "quick"
    assert run.missing() == []


@pytest.mark.parametrize(
    ("change", "sentences"),
    [
        ({"ended_early": {2: 1}}, ["Launch 2 ended early after 1 of 4 points (exit code 137)."]),
        (
            {"torn": (3,)},
            [
                "Launch 3 ended early after 4 of 4 points (exit code 0).",
                "Launch 3: the last line of points.jsonl is incomplete and was skipped.",
            ],
        ),
        ({"never_started": (2, 3), "state": "running"}, ["Launches 2, 3 never started."]),
        ({"never_started": (3,), "state": "running"}, ["Launch 3 never started."]),
        (
            {"failed": {1: "wrong_data"}},
            ["Launch 1: barrier failed on rank 1 (wrong data): rank 1, offset 17: expected 0x2a, found 0x00"],
        ),
        ({"state": "interrupted"}, ["The run was interrupted before it was complete."]),
        ({"state": "running"}, ["The run has not finished: it is still running, or it was killed."]),
    ],
)
def test_what_is_missing_is_said_in_plain_sentences(
    tmp_path: Path, change: dict[str, Any], sentences: list[str]
) -> None:
    run = load_run(make_run(tmp_path / "run", replace(FEW, **change)))
    assert run.missing()[-len(sentences) :] == sentences


def test_every_number_of_ranks_has_its_launches(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", FEW)
    document = json.loads((path / "run.json").read_text())
    (path / "run.json").write_text(json.dumps(document | {"rank_counts": [2, 4]}))
    assert load_run(path).missing() == ["Launches 4 to 6 never started."]


def test_what_of_a_launch_is_not_the_engines_is_known_where_both_times_are(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", replace(FEW, ended_early={3: 1}))
    assert [(launch.wall_s, launch.outside_s) for launch in load_run(path).launches] == [(None, None)] * 3  # older
    for number, wall_s in ((1, 1000.0), (2, 0.0), (3, 1000.0)):
        account = path / "launches" / f"{number:03}" / "launch.json"
        account.write_text(json.dumps(json.loads(account.read_text()) | {"wall_s": wall_s}))
    first, simulated, early = load_run(path).launches
    assert first.end is not None
    assert first.outside_s == pytest.approx(1000 - first.end.elapsed_ns * 1e-9)
    assert simulated.outside_s is None, "its engine's clock is not the wall clock"
    assert (early.wall_s, early.outside_s) == (1000.0, None)
    row = load(path).filter(launch=1)
    assert row["launch_s"].unique().to_list() == [1000.0]
    assert row["launch_outside_s"][0] == first.outside_s


@pytest.mark.parametrize("name", ["launch.json", "nodes.json", "plan.json", "points.jsonl"])
@pytest.mark.parametrize("left", [None, "", '{"schema": 1, "num'])
def test_a_launch_killed_while_it_wrote_its_documents_is_still_read(
    tmp_path: Path, name: str, left: str | None
) -> None:
    path = make_run(tmp_path / "run", FEW)
    document = path / "launches" / "002" / name
    if left is None:
        document.unlink()
    else:
        document.write_text(left)
    run = load_run(path)
    assert [len(launch.points) for launch in run.launches] == [4, 0 if name == "points.jsonl" else 4, 4]
    lacks = run.missing()
    assert lacks
    if name.endswith(".json"):
        is_said = f"no {name}." if left is None else f"an incomplete {name}; its contents are unknown."
        assert lacks == [f"Launch 2 has {is_said}"]


@pytest.mark.parametrize("name", ["run.json", "launches/002/launch.json", "launches/002/nodes.json"])
def test_a_document_of_another_schema_is_refused_by_name(tmp_path: Path, name: str) -> None:
    path = make_run(tmp_path / "run", FEW)
    document = json.loads((path / name).read_text())
    (path / name).write_text(json.dumps(document | {"schema": 2}))
    with pytest.raises(RunError, match=rf"{name} cannot be read: it has schema 2"):
        load_run(path)


def test_a_schema_that_changed_a_field_is_still_recognised_as_another_schema(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", FEW)
    replace_line(path / "launches/001/points.jsonl", 2, '{"schema": 2, "kind": "point", "index": "three"}')
    with pytest.raises(RunError, match=r"points.jsonl line 3: it has schema 2"):
        load_run(path)


@pytest.mark.parametrize(
    "line",
    ['{"schema": 1, "kind": "point"', '{"schema": 1, "kind": "comet"}', '{"schema": 1, "kind": "point", "index": 1}'],
)
def test_a_damaged_record_in_the_middle_is_an_error_with_its_place(tmp_path: Path, line: str) -> None:
    path = make_run(tmp_path / "run", FEW)
    replace_line(path / "launches/001/points.jsonl", 2, line)
    with pytest.raises(RunError, match=r"001/points.jsonl line 3 is not a record"):
        load_run(path)


def test_samples_that_are_not_whole_numbers_are_refused(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", FEW)
    records = path / "launches/001/points.jsonl"
    point = json.loads(records.read_text().splitlines()[1])
    replace_line(records, 1, json.dumps(point | {"samples_ns": [1.5, 2.5]}))
    with pytest.raises(RunError, match="expected a list of integers"):
        load_run(path)


@pytest.mark.parametrize(
    ("numbers", "text"),
    [([4], "launch 4"), ([1, 2], "launches 1, 2"), ([1, 2, 3, 7, 9, 10], "launches 1 to 3, 7, 9, 10")],
)
def test_launches_are_listed_as_people_do(numbers: list[int], text: str) -> None:
    assert these_launches(numbers) == text


def test_a_path_that_is_no_run_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a directory"):
        load_run(tmp_path / "nothing")
    with pytest.raises(InputError, match=r"has no run.json"):
        load_run(tmp_path)


def test_an_unfinished_run_document_is_an_error(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", FEW)
    (path / "run.json").write_text('{"schema": 1, "name": ')
    with pytest.raises(RunError, match=r"run.json cannot be read"):
        load_run(path)
