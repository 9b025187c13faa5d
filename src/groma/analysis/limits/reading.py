"""The file of limits (TOML): for points of a system a figure's value, and how far it may lie below and above it.

Systems and partitions are told by names of hosts; docs/guide/compare-and-gate.md has an example.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from groma.analysis.limits.units import DEFAULT_FIGURES, factor, figure_of
from groma.analysis.order import Interval
from groma.catalog import Catalog, suggestion
from groma.catalog.registry import configuration
from groma.catalog.values import Value, read_value, write_value
from groma.columns import Column
from groma.errors import InputError, PlanError
from groma.plan.draft import Written
from groma.plan.toml import Lines, document_in, plan_text
from groma.text.sizes import format_size

_PAGE = "docs/guide/compare-and-gate.md"
_NUMBERS = ("value", "lower", "upper")
_WORDS = ("system", "figure", "unit", "variant", "profile")
_LIMIT = "limit"


@dataclass(frozen=True)
class Limit:
    """What one figure of a point has to be; `fields` are those of the point that are stated, such as its operation.

    `value` is in `unit`, of which there are `factor` units of the column in one. `lower` and `upper` are fractions of
    it: -0.1 and 0.1 allow 10 % less and more; None: no bound. `ranks` are those that take part.
    """

    fields: Mapping[str, Value]
    figure: Column
    value: float
    unit: str
    factor: float
    lower: float | None = None
    upper: float | None = None
    ranks: int | None = None
    system: str = ""
    variant: str | None = None
    profile: str | None = None

    def is_about(self, profile: str | None, fields: Mapping[str, object]) -> bool:
        """Return whether the limit is about a point with these fields, measured by a profile."""
        own = (fields.get(name) == value for name, value in self.fields.items())
        return self.profile in (None, profile) and all(own)

    @property
    def bounds(self) -> Interval:
        """The smallest and the largest figure that passes, in `unit`."""
        low = -math.inf if self.lower is None else self.value * (1 + self.lower)
        high = math.inf if self.upper is None else self.value * (1 + self.upper)
        return Interval(low, high)

    @property
    def label(self) -> str:
        """The point in words, such as `allreduce 8 B, 4 ranks`."""
        name, size = str(self.fields["operation"]), self.fields.get("bytes")
        others = [f"{key}={write_value(own)}" for key, own in self.fields.items() if key not in ("operation", "bytes")]
        ranks = [] if self.ranks is None else [f"{self.ranks} ranks"]
        first = name if size is None else f"{name} {format_size(int(size))}"
        return ", ".join([first, *others, *ranks, *filter(None, [self.variant])])

    @property
    def key(self) -> tuple[object, ...]:
        """What two limits have in common of which the more specific system's holds."""
        return (*sorted(self.fields.items()), self.figure.name, self.ranks, self.variant, self.profile)


@dataclass(frozen=True)
class Limits:
    """The limits of a file, and the names of hosts by which each of its systems is known."""

    path: str
    limits: Sequence[Limit]
    systems: Mapping[str, Sequence[str]]

    def about(self, profile: str | None, points: Sequence[Mapping[str, object]]) -> Limits:
        """Return the limits that are about one of these points, measured by a profile; their fields are complete."""
        own = [limit for limit in self.limits if any(limit.is_about(profile, point) for point in points)]
        return replace(self, limits=own)

    def names(self, hosts: Iterable[str]) -> list[str]:
        """Return the systems and partitions that all of these hosts belong to."""
        own = list(hosts)
        return [
            name
            for name, patterns in self.systems.items()
            if own and all(any(_fits(host, pattern) for pattern in patterns) for host in own)
        ]

    def of(self, hosts: Iterable[str], system: str = "") -> Limits:
        """Return the limits of a system, or of the one that these hosts belong to.

        For each point, that of the partition takes precedence over that of the system, and this over a limit without a
        system. Raises InputError if there are none.
        """
        own = list(hosts)
        chosen = [self._known(system)] if system else self.names(own)
        wanted = {name: 1 + name.count(":") for each in chosen for name in (each.partition(":")[0], each)}
        wanted[""] = 0
        if len([name for name in wanted if ":" not in name]) > 2 or len([name for name in wanted if ":" in name]) > 1:
            listed = " and ".join(sorted(chosen))
            raise InputError(f"{self.path}: the host {own[0]} fits {listed}; give one of them with --system")
        found: dict[tuple[object, ...], Limit] = {}
        for limit in sorted((one for one in self.limits if one.system in wanted), key=lambda one: wanted[one.system]):
            found[limit.key] = limit
        if not found:
            where = system or f"the host {own[0] if own else 'of the run'}"
            raise InputError(f"{self.path} has no limit for {where}; it has {self._listed()}; choose one with --system")
        order = [limit for limit in self.limits if found.get(limit.key) is limit]
        return replace(self, limits=order)

    def _known(self, system: str) -> str:
        known = [*self.systems, *(limit.system for limit in self.limits if limit.system)]
        if system in known or any(name.partition(":")[0] == system for name in known):
            return system
        hint = suggestion(system, known) or f"; it has {self._listed()}"
        raise InputError(f"{self.path} has no system '{system}'{hint}")

    def _listed(self) -> str:
        patterns = {name: f"{name} ({', '.join(hosts)})" for name, hosts in self.systems.items()}
        others = dict.fromkeys(limit.system for limit in self.limits if limit.system not in {"", *patterns})
        return ", ".join([*patterns.values(), *others]) or "no system"


def read_limits(path: str | Path, catalog: Catalog) -> Limits:
    """Return the limits of a file; raises PlanError with its line, InputError if it cannot be read."""
    try:
        text = plan_text(Path(path), str(path))
    except OSError as error:
        raise InputError(f"the limits {path} cannot be read ({error.strerror}); name a TOML file") from None
    return _Reader(document_in(text, str(path), _PAGE), str(path), Lines(text), catalog).limits()


def default_limits(catalog: Catalog, hosts: Sequence[str]) -> Limits | None:
    """Return the limits of these hosts in `limits.toml` of the configuration; None if there are none."""
    path = configuration() / "limits.toml"
    if not path.is_file():
        return None
    limits = read_limits(path, catalog)
    names = {"", *limits.names(hosts)}
    names |= {name.partition(":")[0] for name in names}
    return limits.of(hosts) if any(limit.system in names for limit in limits.limits) else None


class _Reader:
    """One TOML document on its way to limits."""

    def __init__(self, document: dict[str, Any], path: str, lines: Lines, catalog: Catalog) -> None:
        self.document, self.path, self.lines, self.catalog = document, path, lines, catalog

    def limits(self) -> Limits:
        """Return the whole document, every key checked."""
        self._known(self.document, ["systems", _LIMIT], "the file of limits", "")
        tables = self.document.get(_LIMIT)
        if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
            raise PlanError(
                f"the file has no limits; write [[limit]] with operation, value, unit and upper or lower (see {_PAGE})",
                self.path,
                self.lines.key(_LIMIT),
            )
        systems = self._systems()
        found: dict[tuple[object, ...], int] = {}
        limits = [self._limit(table, number, systems) for number, table in enumerate(tables)]
        for number, limit in enumerate(limits):
            if (first := found.setdefault((limit.system, *limit.key), number)) != number:
                before = self.lines.table(_LIMIT, first)
                raise self._wrong(f"{limit.label} has a limit already, in line {before}; leave one out", number)
        return Limits(self.path, limits, systems)

    def _systems(self) -> dict[str, tuple[str, ...]]:
        table = self.document.get("systems", {})
        if not isinstance(table, dict):
            raise PlanError('systems must be a table; write [systems], then cluster = "node*"', self.path)
        systems = {}
        for name, hosts in table.items():
            listed = hosts if isinstance(hosts, list) else [hosts]
            if not listed or not all(isinstance(host, str) and host for host in listed):
                line = self.lines.key(name, "systems")
                raise PlanError(f'{name} needs names of hosts, such as "node*", not {hosts!r}', self.path, line)
            systems[name] = tuple(listed)
        return systems

    def _limit(self, table: dict[str, Any], number: int, systems: Mapping[str, object]) -> Limit:
        fields = [name for name in self.catalog.names("point") if name != "ranks"]
        self._known(table, [*_WORDS, *_NUMBERS, "ranks", *fields], "a limit", _LIMIT, number)
        for key in ("operation", "value"):
            if key not in table:
                raise self._wrong(f"the limit has no {key}; add {key} = ...", number)
        words = {key: self._word(table, key, number) for key in _WORDS}
        value, lower, upper = (self._number(table, key, number) for key in _NUMBERS)
        ranks = table.get("ranks")
        if ranks is not None and (isinstance(ranks, bool) or not isinstance(ranks, int) or ranks < 1):
            raise self._wrong(f"ranks needs a whole number of at least 1, not {ranks!r}", number, "ranks")
        if value is None or value <= 0:
            raise self._wrong(f"value needs a number above 0, not {table['value']!r}", number, "value")
        self._check_fractions(lower, upper, number)
        system = words["system"] or ""
        if system and systems and system not in systems:
            hint = suggestion(system, systems) or f"; it has {', '.join(systems)}"
            raise self._wrong(f"[systems] has no '{system}'{hint}", number, "system")
        figure, unit, scale = self._figure(words["figure"], words["unit"], number)
        return Limit(
            self._fields(table, fields, number), figure, value, unit, scale,
            lower, upper, ranks, system, words["variant"], words["profile"],
        )  # fmt: skip

    def _fields(self, table: dict[str, Any], names: Sequence[str], number: int) -> dict[str, Value]:
        fields = {}
        for name in (name for name in names if name in table):
            with Written(table[name], self.path, self.lines.key(name, _LIMIT, number)).placed():
                fields[name] = read_value(self.catalog, self.catalog.field(name), table[name])
        operation = self.catalog.operation(str(fields["operation"]))
        for name in fields:
            if name in self.catalog.payload and name not in operation.uses:
                raise self._wrong(f"{operation.name} does not use {name}; leave it out", number, name)
        if "bytes" in operation.uses and "bytes" not in fields:
            raise self._wrong(f"{operation.name} has a message size; add bytes = 8, or another", number)
        return fields

    def _figure(self, name: str | None, unit: str | None, number: int) -> tuple[Column, str, float]:
        """Return the column, the unit, and how many units of the column that unit is."""
        with Written(name, self.path, self.lines.key("figure" if name else "unit", _LIMIT, number)).placed():
            if name is None and unit is None:
                raise InputError(f'the limit has no unit; add unit = "us", or another of {", ".join(DEFAULT_FIGURES)}')
            figure = figure_of(name, unit or "")
            return figure, unit or figure.unit, factor(figure, unit or "")

    def _check_fractions(self, lower: float | None, upper: float | None, number: int) -> None:
        if lower is None and upper is None:
            raise self._wrong("the limit has no bound; add upper = 0.1 for 10 % above the value, or lower", number)
        if lower is not None and not -1 <= lower <= 0:
            raise self._wrong(f"lower needs a fraction from -1 to 0, such as -0.1, not {lower:g}", number, "lower")
        if upper is not None and upper < 0:
            raise self._wrong(f"upper needs a fraction of at least 0, such as 0.1, not {upper:g}", number, "upper")

    def _number(self, table: dict[str, Any], key: str, number: int) -> float | None:
        value = table.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise self._wrong(f"{key} needs a number, not {value!r}", number, key)
        return float(value)

    def _word(self, table: dict[str, Any], key: str, number: int) -> str | None:
        word = table.get(key)
        if word is not None and (not isinstance(word, str) or not word):
            raise self._wrong(f"{key} needs a word in quotes, not {word!r}", number, key)
        return word

    def _known(self, table: dict[str, Any], known: list[str], what: str, name: str, number: int = 0) -> None:
        for key in table:
            if key not in known:
                hint = suggestion(key, known) or f"; known are {', '.join(known[:12])}, and the fields of a point"
                raise PlanError(f"{what} has no key '{key}'{hint}", self.path, self.lines.key(key, name, number))

    def _wrong(self, message: str, number: int, key: str = "") -> PlanError:
        return PlanError(message, self.path, self.lines.key(key, _LIMIT, number))


def _fits(host: str, pattern: str) -> bool:
    """Return whether a host, with its domain or without it, has a name of this pattern."""
    return fnmatch(host, pattern) or fnmatch(host.partition(".")[0], pattern)
