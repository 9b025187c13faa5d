"""Every kind of file in a run directory, damaged in every way: read, or refused in one sentence that names it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from campaigns import PLAN, kinds
from fakes import Groma

LAUNCH = "launches/002"
FILES = (
    *("run.json", "catalog.json", f"{LAUNCH}/launch.json", f"{LAUNCH}/plan.json"),
    *(f"{LAUNCH}/points.jsonl", f"{LAUNCH}/nodes.json", f"{LAUNCH}/stderr"),
)


def _flipped(content: bytes, at: float, mask: int) -> bytes:
    place = int(at * (len(content) - 1))
    return content[:place] + bytes([content[place] ^ mask]) + content[place + 1 :] if content else content


def _another_number(content: bytes) -> bytes:
    numbers = [found.start() for found in re.finditer(rb"(?<=[ :,\[])\d", content)]
    if not numbers:
        return b"7" + content
    place = numbers[len(numbers) // 3]
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


DAMAGES: dict[str, Callable[[Path, bytes], None]] = {
    "empty": lambda file, _: _put(file, b""),
    "half": lambda file, content: _put(file, content[: len(content) // 2]),
    "first byte flipped": lambda file, content: _put(file, _flipped(content, 0, 0x80)),
    "another number": lambda file, content: _put(file, _another_number(content)),
    "binary": lambda file, _: _put(file, bytes(range(256)) * 9),
    "of another kind": lambda file, _: _put(file, b'{"schema": 1, "operations": [], "points": [], "nodes": []}\n'),
    "twice": lambda file, content: _put(file, content * 2),
    "a folder": lambda file, _: file.mkdir(),
    "a broken link": lambda file, _: file.symlink_to("nowhere"),
    "gone": lambda _file, _: None,
}


def _put(file: Path, content: bytes) -> None:
    file.write_bytes(content)


@pytest.fixture
def run(groma: Groma, shared_run: Path) -> Path:
    """A run of three launches, in `out`."""
    if not shared_run.exists():
        assert groma(*PLAN[:-1], str(shared_run)).code == 0
    return Path(shutil.copytree(shared_run, "out"))


def damage(run: Path, name: str, how: str) -> None:
    file = run / name
    content = file.read_bytes() if file.stat().st_size else b"a message\n"
    file.unlink()
    DAMAGES[how](file, content)


@pytest.mark.parametrize("how", DAMAGES)
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_read_or_refused_by_name(groma: Groma, run: Path, name: str, how: str) -> None:
    damage(run, name, how)
    said = groma("show", "out")
    assert said.code in (0, 1, 2)
    assert "Traceback" not in said.err
    if not said.out:
        assert said.code
        assert Path(name).name in said.err
        assert said.err.count("\n") == 1


@pytest.mark.parametrize(
    "how", [how if place % 2 else pytest.param(how, marks=pytest.mark.slow) for place, how in enumerate(DAMAGES)]
)
@pytest.mark.parametrize("name", FILES)
def test_a_resume_of_a_damaged_run_loses_no_other_launch(groma: Groma, run: Path, name: str, how: str) -> None:
    others = {number: (run / f"launches/{number:03d}/points.jsonl").read_bytes() for number in (1, 3)}
    damage(run, name, how)
    said = groma("run", "--resume", "out")
    assert "Traceback" not in said.err
    assert {number: (run / f"launches/{number:03d}/points.jsonl").read_bytes() for number in others} == others
    if said.code:
        assert name == "run.json" or how == "a folder", said.err
        assert Path(name).name in said.err
    else:
        assert [kinds(number) for number in (1, 2, 3)] == [["start", *["point"] * 4, "end"]] * 3
        assert groma("show", "out").code == 0


@pytest.mark.parametrize(
    ("written", "damaged"),
    [
        ('"operation": "pingpong"', '"operathon": "pingpong"'),
        ('"operation": "pingpong"', '"operation": "qingpong"'),
        ('"bytes": 8', '"bytes": "many"'),
        ('"bytes": 8', '"bytfs": 8'),
        ('"median"', '"ledian"'),
        ('"keep"', '"jeep"'),
        ('"launcher"', '"laun#her"'),
    ],
)
def test_a_damaged_word_of_the_plan_is_named_before_anything_is_measured(
    groma: Groma, run: Path, written: str, damaged: str
) -> None:
    text = (run / "run.json").read_text()
    assert written in text
    (run / "run.json").write_text(text.replace(written, damaged))
    kept = {file: file.read_bytes() for file in run.rglob("*") if file.is_file()}
    said = groma("run", "--resume", "out")
    assert said.code in (1, 2)
    assert "out/run.json" in said.err
    assert said.err.count("\n") == 1
    assert {file: file.read_bytes() for file in run.rglob("*") if file.is_file()} == kept
    assert "Traceback" not in groma("show", "out").err
