"""Launches made before a resume: complete ones are kept, the others are repeated."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from groma.errors import UNDECODABLE, RunError
from groma.results.documents import LaunchDocument, Nodes, RunDocument
from groma.results.fields import meanings_in
from groma.run.directory import RunDirectory
from groma.run.following import Follower
from groma.run.schedule import Step

_Kind = TypeVar("_Kind")


def set_unfinished_aside(directory: RunDirectory) -> list[int]:
    """Move every launch under superseded/ that is not whole, ended with an error that no point explains, or is damaged.

    Return their numbers.
    """
    unfinished = [number for number in directory.launch_numbers() if not _ended_well(directory, number)]
    for number in unfinished:
        directory.set_aside(number)
    return unfinished


def all_measured(directory: RunDirectory, document: RunDocument) -> bool:
    """Return whether every launch that a complete run asked for is there, and one that a resume keeps."""
    numbers = directory.launch_numbers()
    may_be_fewer = (document.within or document.budget_s) and not document.extensions
    asked = numbers[:1] if may_be_fewer else document.asked_numbers
    return bool(asked) and set(asked) <= set(numbers) and all(_ended_well(directory, number) for number in numbers)


def earlier_launches(directory: RunDirectory, document: RunDocument) -> Iterator[tuple[Step, Follower]]:
    """Yield every launch present with the points of the plan it measured, or with none if its plan is another."""
    names = [variant.name for variant in document.variants]
    plan = _Places(document.plan.points)
    for number in directory.launch_numbers():
        folder = directory.launch(number)
        indices = plan.of(_read(folder / "plan.json").get("points"))
        follower = _records(directory, number) if indices else Follower(folder / "points.jsonl")
        account = _read(folder / "launch.json")
        variant = names.index(account["variant"]) if account.get("variant") in names else 0
        yield Step(number, int(account.get("ranks", 0)), indices, variant), follower


class _Places:
    """The places of points in a plan, found by their fields."""

    def __init__(self, points: Sequence[Mapping[str, Any]]) -> None:
        self._places: dict[str, int] = {}
        for place, point in enumerate(points):
            self._places.setdefault(_text(point), place)

    def of(self, points: object) -> tuple[int, ...]:
        """Return the places of a launch's points; none if one of them is not in the plan."""
        found = [self._of(point) for point in points] if isinstance(points, list) else []
        places = tuple(place for place in found if place is not None)
        return places if len(places) == len(found) else ()

    def _of(self, point: object) -> int | None:
        """Return the place of a point, also of one that a launch measured with less precision than the default."""
        place = self._places.get(_text(point))
        if place is None and isinstance(point, dict):
            place = self._places.get(_text({name: value for name, value in point.items() if name != "precision"}))
        return place


def _text(point: object) -> str:
    return json.dumps(point, sort_keys=True)


def started(directory: RunDirectory) -> list[str]:
    """Return when each launch of this run was started, in ISO 8601."""
    accounts = (_read(directory.launch(number) / "launch.json") for number in directory.launch_numbers())
    return [str(account["started"]) for account in accounts if account.get("started")]


def newest_accounts(directory: RunDirectory) -> dict[str | None, LaunchDocument]:
    """Return launch.json of the newest launch of each variant that a resume keeps and that says what measured it."""
    newest: dict[str | None, LaunchDocument] = {}
    for number in reversed(directory.launch_numbers()):
        account = _document(directory.launch(number) / "launch.json", LaunchDocument)
        if account and account.build and account.variant not in newest and _ended_well(directory, number):
            newest[account.variant] = account
    return newest


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
    """Return whether a launch is one that a resume keeps: whole and readable; one with points that failed is."""
    folder = directory.launch(number)
    account, records = _document(folder / "launch.json", LaunchDocument), _records(directory, number)
    if account is None or _document(folder / "nodes.json", Nodes) is None or records.damaged:
        return False
    return records.ended and (not account.exit_code or bool(records.failures)) and _is_readable(directory, number)


def _is_readable(directory: RunDirectory, number: int) -> bool:
    """Return whether the records of a launch can be read and agree with its plan."""
    from groma.results.launched import load_launch  # noqa: PLC0415 - imports numpy, which few commands need

    meanings = None
    with contextlib.suppress(RunError):  # a damaged catalogue is written again
        meanings = meanings_in(directory.path)
    try:
        return load_launch(directory.launch(number), meanings).planned
    except RunError:
        return False


def _document(path: Path, kind: type[_Kind]) -> _Kind | None:
    """Return a document of a launch; None if it cannot be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, *UNDECODABLE):
        return None


def _records(directory: RunDirectory, number: int) -> Follower:
    follower = Follower(directory.launch(number) / "points.jsonl")
    follower.read()
    return follower


def _read(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}
