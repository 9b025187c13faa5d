"""A campaign on the fake engine, and what it leaves in its folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fakes import Said

PLAN = ("run", "pingpong", "barrier", "--bytes", "8:32", "--launches", "3", "-o", "out")


def document(path: str = "out") -> dict[str, Any]:
    text: dict[str, Any] = json.loads(Path(path, "run.json").read_text())
    return text


def kinds(number: int, path: str = "out") -> list[str]:
    text = Path(path, "launches", f"{number:03d}", "points.jsonl").read_text()
    return [json.loads(line)["kind"] for line in text.splitlines() if line.endswith("}")]


def once(shown: Said) -> str:
    """Return what was printed in one line; it is below the tables, and not on the error output again."""
    assert shown.err == ""
    return " ".join(shown.out.split())
