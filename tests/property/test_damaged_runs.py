"""Documents of a run with any value replaced by any other: read, or refused in one sentence that names the file."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic import SIZES, Scenario, make_run

from groma.analysis import summarise
from groma.errors import RunError
from groma.report.page import render
from groma.results import load_run

DOCUMENTS = ("run.json", "launches/001/launch.json", "launches/001/nodes.json", "launches/001/points.jsonl")
DEEP = json.loads("[" * 900 + "]" * 900)
VALUES: tuple[Any, ...] = (None, "x", -1, 0, 1e308, 2**62, 2**64, True, {}, [], DEEP, {"a": {"b": 1}}, [None], "9" * 50)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    scenario = Scenario(launches=1, samples=8, operations=("pingpong", "allreduce"), sizes=SIZES[:2], clocked=True)
    return make_run(tmp_path_factory.mktemp("damaged") / "run", scenario)


def places(document: object, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if at:
        yield at
    if isinstance(document, dict):
        for key, value in document.items():
            yield from places(value, (*at, key))
    elif isinstance(document, list):
        for place, value in enumerate(document[:3]):
            yield from places(value, (*at, place))


def replaced(document: Any, at: tuple[str | int, ...], value: object) -> Any:  # noqa: ANN401 - a JSON document
    changed = json.loads(json.dumps(document))
    inner = changed
    for step in at[:-1]:
        inner = inner[step]
    inner[at[-1]] = value
    return changed


@given(data=st.data())
def test_any_value_in_any_place_is_read_or_refused_by_name(
    made: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(DOCUMENTS))
    lines = (made / name).read_text().splitlines() if name.endswith("jsonl") else [(made / name).read_text()]
    number = data.draw(st.integers(0, len(lines) - 1))
    document = json.loads(lines[number])
    at = data.draw(st.sampled_from(list(places(document))))
    lines[number] = json.dumps(replaced(document, at, data.draw(st.sampled_from(VALUES))))
    path = tmp_path_factory.mktemp("copy") / "run"
    shutil.copytree(made, path)
    (path / name).write_text("\n".join(lines) + "\n")
    try:
        run = load_run(path)
    except RunError as error:
        assert Path(name).name in str(error)  # noqa: PT017 - either is right, but no other refusal
        assert "\n" not in str(error)  # noqa: PT017
        return
    summarise(run)
    assert "<html" in render(run)
