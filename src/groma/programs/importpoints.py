"""The points of an imported run: the method of the program's profile, with what a row and its table state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from groma.analysis.grouping import EFFORT_FIELDS
from groma.catalog import Catalog
from groma.plan import Plan, expand, read_profile
from groma.plan.method import methods_of
from groma.programs.printed import Importer, Line
from groma.results.bounds import SCHEMA
from groma.results.records import Failure, Printed

_PAIR_PATTERNS = ("first_two", "slowest", "farthest")


class Method:
    """The points that stand for a program's rows, by the method of its profile, each with its place in the plan."""

    def __init__(self, importer: Importer, catalog: Catalog) -> None:
        """Know no row yet."""
        self.importer, self.catalog = importer, catalog
        self.plan: Plan = expand(read_profile(importer.profile, catalog), catalog)
        self._skipped: dict[str, str] = {}
        self._places: dict[str, int] = {}

    def records(self, lines: Sequence[Line], launched: int) -> list[Printed | Failure]:
        """Return the records of one launch, in the order in which the program printed them."""
        found: list[Printed | Failure] = []
        for line in lines:
            if (record := self._record(line, launched, len(found))) is not None:
                found.append(record)
        return found

    def skipped(self) -> list[str]:
        """Say which tests have no point, and why."""
        return [f"{name} was skipped: {reason}." for name, reason in self._skipped.items()]

    def points(self) -> list[dict[str, Any]]:
        """Return all points, in the order in which they first appeared."""
        return [msgspec.json.decode(text) for text in self._places]

    def _record(self, line: Line, launched: int, sequence: int) -> Printed | Failure | None:
        test = self.importer.test(line.test)
        if test is None:
            return None
        ranks = line.ranks or launched
        size = test.bytes_of(line.size, ranks)
        methods = methods_of(self.plan, test.operation, size, self.catalog)
        wanted = [one for one in methods if all(one.get(name) == value for name, value in test.settings.items())]
        if not wanted:
            self._skipped[line.test] = f"the profile {self.importer.profile} does not measure it"
            return None
        fields = _fields(wanted[0], line, size, launched, self.catalog)
        index = self._places.setdefault(msgspec.json.encode(fields).decode(), len(self._places))
        if line.failure:
            return Failure(SCHEMA, index, *line.failure)
        pairs = ranks // 2 if test.rate and fields["pattern"] == "halves" else 1
        messages = test.messages * pairs * (int(fields["window"]) if test.rate else 1)
        divisor = self.catalog.operation(test.operation).divisor
        moved = messages * (size if line.moved is None else line.moved)
        return Printed(
            schema=SCHEMA,
            index=index,
            sequence=sequence,
            point=fields,
            divisor=divisor,
            members=list(line.members),
            member_count=2 if fields["pattern"] in _PAIR_PATTERNS else ranks,
            groups=line.groups,
            group_ranks=ranks // line.groups if line.groups > 1 else 0,
            message_bytes=size,
            bytes_moved=moved,
            messages=messages if test.rate else 0,
            figure_ns=moved * 1e3 / line.figure / divisor if test.rate else line.figure * 1e3 / test.holds,
            samples_ns=np.rint(1e3 * np.array(line.samples_us)).astype(np.int64),
            repetitions=line.repetitions,
            rounding=line.step / 2 / line.figure,
            validated=line.checked,
            others=dict(line.others),
        )


def _fields(method: dict[str, Any], line: Line, size: int, launched: int, catalog: Catalog) -> dict[str, Any]:
    """Return the fields of a point: the profile's method with what the row states, without unknown effort."""
    uses = set(catalog.operation(method["operation"]).uses)
    fields = {name: value for name, value in method.items() if name not in EFFORT_FIELDS} | _who(method, line)
    if "bytes" in uses:
        fields["bytes"] = size
    if (
        line.ranks is not None
        and line.ranks < launched
        and fields["pattern"] == method["pattern"] not in _PAIR_PATTERNS
    ):
        fields["ranks"] = line.ranks
    if line.repetitions is not None:
        fields["block" if method["timing"] == "block" else "repetitions"] = line.repetitions
    stated = {name: value for name, value in line.settings.items() if name not in catalog.payload or name in uses}
    return fields | stated


def _who(method: dict[str, Any], line: Line) -> dict[str, str]:
    """Return who takes part, and in which communicators, if a row says other ranks or groups than the profile has."""
    pairs = method["pattern"] in _PAIR_PATTERNS
    found = {"pattern": f"list={','.join(map(str, line.members))}"} if line.members else {}
    if line.groups > 1:
        found = ({"pattern": "neighbours"} | found) if pairs else found | {"communicator": f"groups={line.groups}"}
    return found
