"""Reading a plan from TOML; every message names the file, the line and the nearest valid word."""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from groma.catalog import Catalog, suggestion
from groma.catalog.refinement import FIELDS as REFINEMENT
from groma.catalog.registry import require_style
from groma.catalog.reporting import FIELDS as REPORTING
from groma.catalog.reporting import Reporting, read_reporting
from groma.errors import InputError, PlanError
from groma.plan.draft import Draft, Written
from groma.plan.variants import Variant, read_variant

_HEAD = (
    *("name", "summary", "launches", "rank_counts", "default_rank_counts", "budget_s", "within", "every_s", "style"),
    *("report", "defaults", "points", "variant", "program"),
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_SYNTAX_PLACE = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)")
_HEADER = re.compile(r"\[\[?\s*([A-Za-z0-9_.\"' -]+?)\s*\]\]?")
_KEY = re.compile(r"([A-Za-z0-9_-]+|\"[^\"]+\"|'[^']+')\s*[.=]")
_QUOTED = re.compile(r'"""(?:\\.|[^\\])*?"""|\'\'\'.*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*', re.DOTALL)
_THEN_KEY = re.compile(r"\s*[.=]")


def read_plan(path: str | Path, catalog: Catalog) -> Draft:
    """Return the draft in one TOML file; raises PlanError with its line, InputError if it cannot be read."""
    try:
        text = plan_text(Path(path), str(path))
    except OSError as error:
        raise InputError(f"the plan {path} cannot be read ({error.strerror}); name a TOML file") from None
    return parse_plan(text, str(path), catalog)


def plan_text(file: Path, place: str) -> str:
    """Return the text of a file; raises OSError, and PlanError, which names it by `place`, if it is not text."""
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise PlanError("the file is not UTF-8 text; save it as plain TOML", place) from None


def parse_plan(text: str, path: str, catalog: Catalog) -> Draft:
    """Return the draft in one TOML text that came from `path`."""
    return _Reader(document_in(text, path), path, Lines(text), catalog).draft()


def document_in(text: str, path: str, page: str = "docs/guide/plans.md") -> dict[str, Any]:
    """Return the document in a TOML text that came from `path`; raises PlanError, which names a page to read."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _SYNTAX_PLACE.search(str(error))
        line = text.count("\n") + 1 if place is None or place[1] is None else int(place[1])
        reason = _SYNTAX_PLACE.sub("", str(error))
        raise PlanError(f"this is not valid TOML ({reason}); see {page} for an example", path, line) from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, or arrays in arrays
        raise PlanError(f"this cannot be read as TOML ({error}); see {page} for an example", path) from None


class _Reader:
    """One TOML document on its way to a draft."""

    def __init__(self, document: dict[str, Any], path: str, lines: Lines, catalog: Catalog) -> None:
        self.document, self.path, self.lines, self.catalog = document, path, lines, catalog

    def draft(self) -> Draft:
        """Return the whole document as a draft, every key checked."""
        scheduling = self.catalog.names("plan")
        self._known(self.document, [*_HEAD, *REFINEMENT, *scheduling], "the plan", "")
        draft = Draft(name=self._name(), blocks=self._blocks(), summary=str(self.document.get("summary", "")))
        draft.common = self._settings(self._table("defaults"), "defaults", 0)
        draft.scheduling = {key: self._written(key) for key in scheduling if key in self.document}
        draft.states_launches, draft.states_ranks = "launches" in self.document, "rank_counts" in self.document
        if draft.states_launches:
            draft.launches = self._count("launches", self.document["launches"])
        for key in ("default_rank_counts", "rank_counts"):
            if key in self.document:
                draft.rank_counts = self._rank_counts(key)
        draft.budget_s, draft.every_s = self._seconds("budget_s"), self._seconds("every_s")
        draft.within = self._number("within", 1, "a share between 0 and 1, such as 0.02")
        draft.reporting = self._reporting()
        for name in (name for name in REFINEMENT if name in self.document):
            with self._written(name).placed():
                draft.refine(name, self.document[name])
        draft.style = self._style()
        draft.variants = self._variants()
        draft.program = self._program()
        return draft

    def _rank_counts(self, key: str) -> tuple[int, ...]:
        counts = self.document[key]
        listed = counts if isinstance(counts, list) and counts else [counts]
        return tuple(sorted({self._count(key, count) for count in listed}))

    def _program(self) -> dict[str, float]:
        table = self._table("program")
        for name, value in table.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
                line = self.lines.key(name, "program", 0)
                raise PlanError(f"{name} needs a number of at least 0, not {value!r}", self.path, line)
        return dict(table)

    def _reporting(self) -> Reporting:
        table = self._table("report")
        self._known(table, list(REPORTING), "[report]", "report")
        with Written(table, self.path, self.lines.table("report")).placed():
            return read_reporting(table)

    def _variants(self) -> tuple[Variant, ...]:
        tables = self.document.get("variant", [])
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            raise self._wrong(
                "variants are tables; write [[variant]] on a line of its own, then name, env, placement and mpi",
                "variant",
            )
        return tuple(self._variant(table, number) for number, table in enumerate(tables))

    def _variant(self, table: dict[str, Any], number: int) -> Variant:
        self._known(table, ["name", "env", "placement", "mpi"], "[[variant]]", "variant", number)
        settings = (table.get("env", {}), table.get("placement", ""), table.get("mpi", ""))
        with Written(table, self.path, self.lines.table("variant", number)).placed():
            return read_variant(table.get("name", table.get("mpi")), *settings)

    def _style(self) -> str | None:
        if "style" not in self.document:
            return None
        name = str(self.document["style"])
        with self._written("style").placed():
            require_style(name)
        return name

    def _name(self) -> str:
        name = self.document.get("name", Path(self.path).stem)
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise self._wrong(f"name = {name!r} cannot name a run directory; use letters, digits, - and _", "name")
        return name

    def _blocks(self) -> list[dict[str, Written]]:
        blocks = self.document.get("points")
        if not isinstance(blocks, list) or not blocks or not all(isinstance(block, dict) for block in blocks):
            raise self._wrong("the plan has no [[points]]; add one with at least an operation", "points")
        settings = [self._settings(block, "points", number) for number, block in enumerate(blocks)]
        for number, block in enumerate(settings):
            if "operation" not in block and "operation" not in self._table("defaults"):
                message = "these [[points]] name no operation; add operation = '...' (see groma list operations)"
                raise PlanError(message, self.path, self.lines.table("points", number))
        return settings

    def _settings(self, table: dict[str, Any], name: str, occurrence: int) -> dict[str, Written]:
        self._known(
            table, self.catalog.names("point"), f"[[{name}]]" if name == "points" else f"[{name}]", name, occurrence
        )
        return {key: Written(value, self.path, self.lines.key(key, name, occurrence)) for key, value in table.items()}

    def _known(self, table: dict[str, Any], known: list[str], where: str, name: str, occurrence: int = 0) -> None:
        for key in table:
            if key not in known:
                hint = suggestion(key, known) or f"; known are {', '.join(known)}"
                raise PlanError(f"{where} has no field '{key}'{hint}", self.path, self.lines.key(key, name, occurrence))

    def _table(self, key: str) -> dict[str, Any]:
        table = self.document.get(key, {})
        if not isinstance(table, dict):
            raise self._wrong(f"{key} must be a table; write [{key}] on a line of its own", key)
        return table

    def _count(self, key: str, value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise self._wrong(f"{key} needs a whole number of at least 1, not {value!r}", key)
        return value

    def _seconds(self, key: str) -> float | None:
        return self._number(key, math.inf, "a positive number of seconds")

    def _number(self, key: str, below: float, needed: str) -> float | None:
        """Return a number above 0 and below a bound; None if the plan does not have the key."""
        value = self.document.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < below:
            raise self._wrong(f"{key} needs {needed}, not {value!r}", key)
        return float(value)

    def _written(self, key: str) -> Written:
        return Written(self.document[key], self.path, self.lines.key(key))

    def _wrong(self, message: str, key: str) -> PlanError:
        return PlanError(message, self.path, self.lines.key(key))


class Lines:
    """Line numbers (from 1) of tables and keys, by table name, occurrence (from 0) and key; `tomllib` gives none."""

    def __init__(self, text: str) -> None:
        """Scan one TOML text that is known to be valid."""
        self._keys: dict[tuple[str, int, str], int] = {}
        self._tables: dict[tuple[str, int], int] = {}
        rows: Counter[str] = Counter()  # tables in an array, `points = [` and a line for each
        occurrences: Counter[str] = Counter()
        table, occurrence, last, depth = "", 0, "", 0
        for number, line in enumerate(_without_values(text).split("\n"), start=1):
            stripped = line.strip()
            header = _HEADER.fullmatch(stripped) if depth == 0 else None
            if header is not None:
                table = header[1]
                occurrence = occurrences[table]
                occurrences[table] += 1
                self._tables[table, occurrence] = number
                continue
            key = _KEY.match(stripped) if depth == 0 else None
            if key is not None:
                last = key[1].strip("\"'")
                self._keys.setdefault((table, occurrence, last), number)
            elif depth == 1 and stripped.startswith("{"):
                self._tables.setdefault((last, rows[last]), number)
                rows[last] += 1
            depth += sum(stripped.count(mark) for mark in "[{") - sum(stripped.count(mark) for mark in "]}")

    def table(self, table: str, occurrence: int = 0) -> int | None:
        """Return the line of a table's header, or of the key that holds it inline."""
        return self._tables.get((table, occurrence), self._keys.get(("", 0, table)))

    def key(self, key: str, table: str = "", occurrence: int = 0) -> int | None:
        """Return the line of a key, or of its table if this scan does not see how the key is written."""
        return self._keys.get((table, occurrence, key), self.table(table, occurrence) if table else None)


def _without_values(text: str) -> str:
    """Blank out comments and the inside of strings after `=`, keeping every line break."""
    return _QUOTED.sub(_blanked, text)


def _blanked(found: re.Match[str]) -> str:
    quoted = found[0]
    is_key = quoted[0] != "#" and "\n" not in quoted and _THEN_KEY.match(found.string, found.end()) is not None
    return quoted if is_key else "\n" * quoted.count("\n")
