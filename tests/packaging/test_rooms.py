"""tools/rooms.py counts the rooms of a package, the arrows between them, and circles."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tools.rooms import main, rooms_of

FILES = {
    "__init__": '"""A house."""\n',
    "words": "WORD = 'a'\n",
    "cellar/__init__": "",
    "cellar/wine": "from house.words import WORD\n\nprint(WORD)\n",
    "kitchen/__init__": "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from house.words import WORD\n",
    "kitchen/cook": "def drink():\n    from house.cellar import wine\n",
    "kitchen/stove": "from house.kitchen import cook\n",
}


def built(folder: Path, name: str, files: dict[str, str]) -> Path:
    for path, text in files.items():
        file = folder / name / f"{path}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("house", name))
    return folder


def test_rooms_and_arrows_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(built(tmp_path, "house_of_three", FILES))
    rooms = rooms_of("house_of_three", tmp_path)
    assert rooms.lines == 12
    assert rooms.names == ["cellar", "kitchen", "words"]
    assert {name: rooms.arrows[name] for name in rooms.names} == {
        "cellar": {"words"},
        "kitchen": {"cellar"},  # imported where it is used
        "words": set(),
    }
    assert rooms.typed == {"cellar": set(), "kitchen": {"words"}, "words": set()}
    assert rooms.circles == []
    assert str(rooms).splitlines()[2] == "arrows   2, and 1 for types alone (in brackets)"
    assert "kitchen: cellar (words)" in str(rooms)


def test_a_circle_at_any_depth_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.path", list(sys.path))
    built(tmp_path, "house_of_circles", FILES | {"kitchen/cook": "from house.kitchen import stove\n"})
    assert main(["house_of_circles", "--sources", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert "circles  1" in said
    assert said.splitlines()[-1] in ("circle: cook -> stove -> cook", "circle: stove -> cook -> stove")
