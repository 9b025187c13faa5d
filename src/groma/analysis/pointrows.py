"""Groups records of different launches by point."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from groma.analysis.grouping import EFFORT_FIELDS, SEARCHING, relevant_fields
from groma.analysis.launchtable import launch_table
from groma.analysis.runtable import Rows, RunTable
from groma.catalog.reporting import Reporting
from groma.results import Launch, Run
from groma.results.kept import Columns
from groma.results.stored import fields_of

Places = NDArray[np.int64]


@dataclass(frozen=True)
class _Settings:
    """One combination of fields: numbers for what it measures and for its effort, and what matters of the fields."""

    subject: int
    effort: int
    point: dict[str, Any]


def point_rows(run: Run, reporting: Reporting, *, copies: bool = False) -> list[Rows]:
    """Return the rows of every point over its launches, in the order of the plan, as parts of one table.

    Copies of points, made for calibration, are skipped; with `copies`, only they are returned.

    Records belong together if the number of ranks, the variant and the relevant fields agree. Points of one plan that
    differ only in effort, and points of different pairs of ranks, stay separate. A launch without a first record is
    skipped, because its number of ranks is unknown.
    """
    started = [launch for launch in run.launches if launch.start is not None]
    tables = [launch_table(launch, reporting) for launch in started]
    book = settings_of(run, started, tables)
    variants = {variant.name: place for place, variant in enumerate(run.meta.variants)}
    groups = _Groups(book)
    chosen = np.array([bool(settings.point.get("twin")) == copies for settings in book.settings], dtype=np.bool_)
    if not chosen.any():
        return []
    parts = []
    for launch, table, numbers in zip(started, tables, book.numbers, strict=True):
        order = np.argsort(table["index"], kind="stable")
        rows = order[chosen[numbers[order]]]
        parts.append((rows, groups.of(launch, variants.get(launch.variant or "", -1), table, numbers, rows)))
    places = groups.places()
    group = places[np.concatenate([own for _, own in parts])]
    launch_of = np.repeat(np.arange(len(parts)), [len(rows) for rows, _ in parts])
    row_of = np.concatenate([rows for rows, _ in parts])
    order = np.argsort(group, kind="stable")
    whole = RunTable(started, tables, [launch.points for launch in started], launch_of[order], row_of[order])
    ends = np.cumsum(np.bincount(group, minlength=places.size)).tolist()
    points = [groups.points[number] for number in np.argsort(places).tolist()]
    return [Rows(whole, slice(start, end), point) for start, end, point in zip([0, *ends], ends, points, strict=False)]


@dataclass(frozen=True)
class SettingsBook:
    """Every combination of fields of a run once, and the number of that of each record, an array for each launch."""

    settings: list[_Settings]
    numbers: list[Places]
    apart: set[int]  # subjects that one launch measured with several efforts


def operations_of(run: Run) -> set[str]:
    """Return the names of the operations that were measured."""
    tables = [launch_table(launch, run.meta.of_program(launch.variant).report) for launch in run.launches]
    return {str(settings.point["operation"]) for settings in settings_of(run, run.launches, tables).settings}


def settings_of(run: Run, started: list[Launch], tables: list[Columns]) -> SettingsBook:
    """Return the combinations of fields that the launches of a run measured."""
    kept = run.kept.setdefault("settings", {})
    key = tuple(map(id, started))
    if key not in kept:
        kept[key] = _settings_of(started, tables)
    book: SettingsBook = kept[key]
    return book


def _settings_of(started: list[Launch], tables: list[Columns]) -> SettingsBook:
    whole, firsts = _numbered(tables)
    starts = np.cumsum([0, *(table.rows for table in tables)])
    settings: list[_Settings] = []
    subjects: dict[bytes, int] = {}
    efforts: dict[bytes, int] = {}
    for first in firsts.tolist():
        place = int(np.searchsorted(starts, first, side="right")) - 1
        point = fields_of(started[place].points, first - int(starts[place]))
        subject = subjects.setdefault(_text(relevant_fields(point)), len(subjects))
        settings.append(_Settings(subject, efforts.setdefault(_effort(point), len(efforts)), point))
    numbers = [whole[start:end] for start, end in pairwise(starts.tolist())]
    kinds = np.array([one.subject * len(efforts) + one.effort for one in settings], dtype=np.int64)
    apart: set[int] = set()
    for own in numbers:
        measured = Counter(kind // len(efforts) for kind in set(kinds[own].tolist()))
        apart.update(subject for subject, times in measured.items() if times > 1)
    return SettingsBook(settings, numbers, apart)


def _numbered(tables: list[Columns]) -> tuple[Places, Places]:
    """Return a number for the settings of each record of all launches, and the place of the first record of each."""
    if not tables:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    high, low = (np.concatenate([table.whole(name) for table in tables]) for name in ("settings_1", "settings_2"))
    order = np.lexsort((low, high))  # stable: the first of equal ones is the first record
    begins = np.ones(order.size, dtype=np.bool_)
    begins[1:] = (np.diff(high[order]) != 0) | (np.diff(low[order]) != 0)
    firsts = order[begins]
    renumbered = np.empty(firsts.size, dtype=np.int64)
    renumbered[np.argsort(firsts)] = np.arange(firsts.size)
    numbers = np.empty(order.size, dtype=np.int64)
    numbers[order] = renumbered[np.cumsum(begins) - 1]
    return numbers, np.sort(firsts)


class _Groups:
    """The points of a run, numbered as they are met."""

    def __init__(self, book: SettingsBook) -> None:
        self._book = book
        # The engine finds the pair of ranks: another pair is another point.
        self._searching = [settings.point.get("pattern") in SEARCHING for settings in book.settings]
        self._of_settings: dict[tuple[int, int], Places] = {}
        self._numbers: dict[tuple[int, int, int, int, str], int] = {}
        self._order: list[tuple[int, int, int]] = []
        self.points: list[dict[str, Any]] = []  # the fields of each in its first record, by its number

    def of(self, launch: Launch, variant: int, table: Columns, numbers: Places, rows: Places) -> Places:
        """Return the number of the point of each of these rows of a launch."""
        kind = (launch.start.ranks if launch.start else 0), variant
        known = self._of_settings.setdefault(kind, np.full(len(self._book.settings), -1))
        own, index = numbers[rows], table["index"]
        groups = known[own]
        members = table["member_1"], table["member_2"]
        for place in np.flatnonzero(groups < 0).tolist():  # in few launches, but for patterns that search
            row, number = rows[place], own[place]
            pair = f"{members[0][row]} {members[1][row]}" if self._searching[number] else ""
            groups[place] = self._number(kind, self._book.settings[number], pair, int(index[row]))
            if not self._searching[number]:
                known[number] = groups[place]
        return groups

    def _number(self, kind: tuple[int, int], settings: _Settings, pair: str, index: int) -> int:
        effort = settings.effort if settings.subject in self._book.apart else -1
        group = self._numbers.setdefault((*kind, settings.subject, effort, pair), len(self._numbers))
        if group == len(self._order):
            self._order.append((index, *kind))
            self.points.append(settings.point)
        return group

    def places(self) -> Places:
        """Return the place of each point in the order of the plan, by its number."""
        places = np.empty(len(self._order), dtype=np.int64)
        places[sorted(range(len(self._order)), key=self._order.__getitem__)] = np.arange(len(self._order))
        return places


def _effort(point: Mapping[str, Any]) -> bytes:
    return _text({name: value for name, value in point.items() if name in EFFORT_FIELDS})


def _text(fields: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode(fields, order="sorted")
