"""Launches made before a resume: complete ones are kept and used, the others are repeated."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any

from groma.run.records import Follower
from groma.run.schedule import Step

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from groma.results.documents import RunDocument
    from groma.run.directory import RunDirectory


def set_unfinished_aside(directory: RunDirectory) -> list[int]:
    """Move every launch under superseded/ that has no end record, or measured everything but ended with an error.

    Return their numbers.
    """
    unfinished = [number for number in directory.launch_numbers() if not _ended_well(directory, number)]
    for number in unfinished:
        directory.set_aside(number)
    return unfinished


def earlier_launches(directory: RunDirectory, document: RunDocument) -> Iterator[tuple[Step, Follower]]:
    """Yield every launch present with the points of the plan it measured, or with none where its plan is another."""
    names = [variant.name for variant in document.variants]
    for number in directory.launch_numbers():
        folder = directory.launch(number)
        points = _read(folder / "plan.json").get("points", [])
        known = bool(points) and all(point in document.plan.points for point in points)
        indices = tuple(document.plan.points.index(point) for point in points) if known else ()
        follower = _records(directory, number) if known else Follower(folder / "points.jsonl")
        account = _read(folder / "launch.json")
        variant = names.index(account["variant"]) if account.get("variant") in names else 0
        yield Step(number, int(account.get("ranks", 0)), indices, variant), follower


def started(directory: RunDirectory) -> list[str]:
    """Return when each launch of this run was started, in ISO 8601."""
    accounts = (_read(directory.launch(number) / "launch.json") for number in directory.launch_numbers())
    return [str(account["started"]) for account in accounts if account.get("started")]


def spent_s(directory: RunDirectory) -> float:
    """Return the seconds that finished launches of this run took."""
    total = 0.0
    for number in directory.launch_numbers():
        account = _read(directory.launch(number) / "launch.json")
        if account.get("started") and account.get("finished"):
            began, ended = (dt.datetime.fromisoformat(account[name]) for name in ("started", "finished"))
            total += (ended - began).total_seconds()
    return total


def _ended_well(directory: RunDirectory, number: int) -> bool:
    """Tell whether a launch is one that a resume keeps; one with points that failed is."""
    records, exit_code = _records(directory, number), _read(directory.launch(number) / "launch.json").get("exit_code")
    return records.ended and (not exit_code or bool(records.failures))


def _records(directory: RunDirectory, number: int) -> Follower:
    follower = Follower(directory.launch(number) / "points.jsonl")
    follower.read()
    return follower


def _read(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}
