"""Launches made before a resume: complete ones are kept, the others are repeated."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from groma.errors import RunError
from groma.results.documents import LaunchDocument, LaunchPlan, Nodes, RunDocument, readable
from groma.results.fields import meanings_in
from groma.run.directory import RunDirectory
from groma.run.following import Follower
from groma.run.schedule import Step


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
        given, account = readable(folder / "plan.json", LaunchPlan), readable(folder / "launch.json", LaunchDocument)
        indices = plan.of(given.points if given else [])
        follower = _records(directory, number) if indices else Follower(folder / "points.jsonl")
        variant = names.index(account.variant) if account and account.variant in names else 0
        yield Step(number, account.ranks if account else 0, indices, variant), follower


class _Places:
    """The places of points in a plan, found by their fields."""

    def __init__(self, points: Sequence[Mapping[str, Any]]) -> None:
        self._places: dict[str, int] = {}
        for place, point in enumerate(points):
            self._places.setdefault(_text(point), place)

    def of(self, points: Sequence[Mapping[str, Any]]) -> tuple[int, ...]:
        """Return the places of a launch's points; none if one of them is not in the plan."""
        found = [self._of(point) for point in points]
        places = tuple(place for place in found if place is not None)
        return places if len(places) == len(found) else ()

    def _of(self, point: Mapping[str, Any]) -> int | None:
        """Return the place of a point, also of one that a launch measured with less precision than the default."""
        place = self._places.get(_text(point))
        if place is None:
            place = self._places.get(_text({name: value for name, value in point.items() if name != "precision"}))
        return place


def _text(point: Mapping[str, Any]) -> str:
    return json.dumps(point, sort_keys=True)


def started(directory: RunDirectory) -> list[str]:
    """Return when each launch of this run was started, in ISO 8601."""
    return [account.started for account in _accounts(directory) if account.started]


def newest_accounts(directory: RunDirectory) -> dict[str | None, LaunchDocument]:
    """Return launch.json of the newest launch of each variant that a resume keeps and that says what measured it."""
    newest: dict[str | None, LaunchDocument] = {}
    for number in reversed(directory.launch_numbers()):
        account = readable(directory.launch(number) / "launch.json", LaunchDocument)
        if account and account.build and account.variant not in newest and _ended_well(directory, number):
            newest[account.variant] = account
    return newest


def spent_s(directory: RunDirectory) -> float:
    """Return the seconds that finished launches of this run took."""
    took = [
        dt.datetime.fromisoformat(account.finished) - dt.datetime.fromisoformat(account.started)
        for account in _accounts(directory)
        if account.started and account.finished
    ]
    return sum(took, dt.timedelta()).total_seconds()


def _accounts(directory: RunDirectory) -> Iterator[LaunchDocument]:
    """Yield launch.json of every launch that can be read."""
    for number in directory.launch_numbers():
        if account := readable(directory.launch(number) / "launch.json", LaunchDocument):
            yield account


def _ended_well(directory: RunDirectory, number: int) -> bool:
    """Return whether a launch is one that a resume keeps: whole and readable; one with points that failed is."""
    folder = directory.launch(number)
    account, records = readable(folder / "launch.json", LaunchDocument), _records(directory, number)
    if account is None or readable(folder / "nodes.json", Nodes) is None or records.damaged:
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


def _records(directory: RunDirectory, number: int) -> Follower:
    follower = Follower(directory.launch(number) / "points.jsonl")
    follower.read()
    return follower
