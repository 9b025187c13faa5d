"""The columns of every point of one launch that its records give, as `groma.columns` declares them.

A column holds NaN if a record has no such value, and 1 or 0 for true and false; words are places in
`facts["words"]`.
The columns of a large launch are kept beside its records (`groma.results.kept`), so that a run of a million records
is read in seconds; docs/adr/0032 says why.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from groma.catalog.reporting import Reporting
from groma.columns import COLUMNS, Column, Made, Member
from groma.errors import RunError
from groma.results import Launch
from groma.results.fields import meanings_in
from groma.results.kept import Columns, kept
from groma.results.launched import RECORDS, load_launch
from groma.results.records import Point
from groma.results.stored import LARGE, StoredPoints

Values = NDArray[np.float64]

KEPT = {False: "points.figures", True: "points.peaks"}  # by Column.alone
_VERSION = 3  # of the meaning of the columns: a change of any of them makes kept ones invalid
_AT_ONCE = {False: 2000, True: 100}  # records, by Column.alone


@dataclass(frozen=True)
class Part:
    """Some records of a launch, of which columns are made at once."""

    records: list[Point]
    launch: Launch
    reporting: Reporting


@lru_cache(maxsize=2)
def recorded(*, alone: bool) -> tuple[Column, ...]:
    """Return the columns that records give: those that are kept together, or alone."""
    return tuple(column for column in COLUMNS.values() if column.is_recorded and column.alone == alone)


def launch_table(launch: Launch, reporting: Reporting, *, alone: bool = False) -> Columns:
    """Return the columns of all points of a launch, in the order of its records; those of a large one are kept."""
    names = ",".join(column.name for column in recorded(alone=alone))
    maker = f"{_VERSION} {'' if alone else msgspec.json.encode(reporting).decode()} {names}"
    if maker not in launch.kept:
        points = launch.points

        def make() -> Columns:
            return table_of(launch, points, reporting, alone=alone)

        if isinstance(points, StoredPoints):
            launch.kept[maker] = kept(points.path.with_name(KEPT[alone]), points.path, maker, make)
        else:
            launch.kept[maker] = make()
    columns: Columns = launch.kept[maker]
    return columns


def keep_tables(folder: Path, reporting: Reporting) -> None:
    """Make the kept columns of a launch with many records, so that the first reader need not wait.

    What a damaged record has to say is said when the run is read.
    """
    with contextlib.suppress(RunError):
        if (folder / RECORDS).is_file() and (folder / RECORDS).stat().st_size >= LARGE:
            launch = load_launch(folder, meanings_in(folder.parents[1]))
            for alone in KEPT:
                launch_table(launch, reporting, alone=alone)


def table_of(launch: Launch, records: Iterable[Point], reporting: Reporting, *, alone: bool = False) -> Columns:
    """Return the columns of some records of a launch."""
    columns, left = recorded(alone=alone), iter(records)
    words: dict[str, int] = {}  # texts as numbers: their places
    batches = iter(lambda: list(islice(left, _AT_ONCE[alone])), [])
    parts = [_part(Part(batch, launch, reporting), columns, words) for batch in batches]
    parts = parts or [_part(Part([], launch, reporting), columns, words)]
    whole = {column.name: np.concatenate([part[column.name] for part in parts]) for column in columns}
    return Columns.of(whole, {"words": list(words)})


def _part(part: Part, columns: Sequence[Column], words: dict[str, int]) -> dict[str, Values]:
    made: dict[str, Any] = {}
    for by in dict.fromkeys(column.launch.by for column in columns if isinstance(column.launch, Made)):
        made |= maker(by)(part)
    for column in columns:
        if isinstance(column.launch, Member):
            made[column.name] = members(part.records, column.launch.path or column.name)
        if column.kind == "text":
            texts = made[column.name]
            made[column.name] = [None if text is None else words.setdefault(text, len(words)) for text in texts]
    return {column.name: _numbers(made[column.name]) for column in columns}


def _numbers(values: Any) -> Values:  # noqa: ANN401 - a list of numbers, truths and None, or an array
    if isinstance(values, list) and values.count(None) == len(values):
        return np.full(len(values), np.nan)
    return np.array(values, dtype=np.float64)


def members(records: Sequence[Point] | Sequence[Launch], path: str) -> list[Any]:
    """Return what each record, or launch, has at a path; None if a part of the path is missing."""
    first, *further = path.split(".")
    try:
        values: list[Any] = list(map(attrgetter(first), records))
    except AttributeError:  # of what another program printed, few members are known
        values = [getattr(record, first, None) for record in records]
    for step in further:
        values = _at(values, step)
    return values


def _at(values: list[Any], step: str) -> list[Any]:
    if step.isdigit():
        place = int(step)
        return [None if value is None or len(value) <= place else value[place] for value in values]
    return [None if value is None else getattr(value, step) for value in values]


@lru_cache(maxsize=64)
def maker(by: str) -> Callable[..., dict[str, Any]]:
    """Return the function of a `Made` column: 'module:name'."""
    module, _, name = by.partition(":")
    function: Callable[..., dict[str, Any]] = getattr(importlib.import_module(module), name)
    return function
