"""Records of others: markup and control characters in them reach neither a terminal nor a page."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fakes import Groma

from groma.text.printable import printable

RECORDED = Path(__file__).parents[1] / "recorded" / "two-launches"
TITLE, MARKUP = "\x1b]0;owned\x07\x9b31m\u202e\r", "<img src=x onerror=alert(1)>{{ 7 * 7 }}[bold]"
HOSTILE = TITLE + MARKUP
# Free texts of run.json, nodes.json and the records, all of which can be anything.
FREE = {
    "compiler",
    "cpu_model",
    "engine_path",
    "governor",
    "host",
    "kernel",
    "launcher",
    "meaning",
    "name",
    "standard",
    "text",
    "value",
    "version",
}


def places(document: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield where a document has a text."""
    if isinstance(document, str):
        yield path
    children = (
        document.items() if isinstance(document, dict) else enumerate(document if isinstance(document, list) else [])
    )
    for key, child in children:
        yield from places(child, (*path, key))


def plant(document: Any, path: tuple[str | int, ...]) -> None:  # noqa: ANN401 - any JSON
    """Add the hostile text to the one at that place."""
    for key in path[:-1]:
        document = document[key]
    document[path[-1]] += HOSTILE


def hostile_run(folder: Path, only: str | None = None) -> Path:
    """Return a copy of the recorded run with hostile texts in all members of these names."""
    copy = folder / "run"
    shutil.copytree(RECORDED, copy)
    for file in (path for path in copy.rglob("*.json*") if path.name != "plan.json"):
        lines = [file.read_text()] if file.suffix == ".json" else file.read_text().splitlines()
        documents = [json.loads(line) for line in lines]
        for document in documents:
            for path in [*places(document)]:
                member = next(key for key in reversed(path) if isinstance(key, str))
                if member == only or (only is None and member in FREE):
                    plant(document, path)
        indent = 1 if file.suffix == ".json" else None
        file.write_text("".join(json.dumps(document, indent=indent) + "\n" for document in documents))
    return copy


def members() -> list[str]:
    """Return the names of all members of the recorded run that hold a text."""
    found = set()
    for file in (path for path in RECORDED.rglob("*.json*") if path.name != "plan.json"):
        for text in [file.read_text()] if file.suffix == ".json" else file.read_text().splitlines():
            found |= {next(key for key in reversed(path) if isinstance(key, str)) for path in places(json.loads(text))}
    return sorted(found)


@pytest.mark.parametrize("verb", ["show {}", "show {} --style osu", "runs {}/..", "history {}", "compare RECORDED {}"])
def test_a_terminal_gets_no_control_characters(groma: Groma, tmp_path: Path, verb: str) -> None:
    run = hostile_run(tmp_path)
    said = groma(*verb.replace("{}", str(run)).replace("RECORDED", str(RECORDED)).split())
    assert said.code in (0, 1, 2)
    told = said.out + said.err
    assert MARKUP in told, told
    assert printable(told) == told


def test_a_page_shows_markup_as_text(groma: Groma, tmp_path: Path) -> None:
    said = groma("report", str(hostile_run(tmp_path)), "-o", str(tmp_path / "page.html"))
    assert said.code == 0, said.err
    page = (tmp_path / "page.html").read_text()
    assert "<img src=x" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;{{ 7 * 7 }}[bold]" in page
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(page)


@pytest.mark.parametrize("member", members())
def test_any_text_of_a_record_is_shown_or_refused_in_one_sentence(groma: Groma, tmp_path: Path, member: str) -> None:
    said = groma("show", str(hostile_run(tmp_path, member)))
    assert said.code in (0, 1, 2)
    assert said.code == 0 or len(said.err.splitlines()) == 1, said.err
    assert "Traceback" not in said.err
    assert printable(said.out + said.err) == said.out + said.err


def test_what_a_terminal_obeys_is_replaced_and_nothing_else() -> None:
    assert printable("a\tb\nc µ ±\u2014é\U0001f600") == "a\tb\nc µ ±\u2014é\U0001f600"
    assert printable(TITLE) == "\ufffd]0;owned\ufffd\ufffd31m\ufffd\ufffd"
