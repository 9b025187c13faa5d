"""The line of each key in a TOML text, which the standard library's reader does not give."""

from __future__ import annotations

import re
from collections import Counter

_HEADER = re.compile(r"\[\[?\s*([A-Za-z0-9_.\"' -]+?)\s*\]\]?")
_KEY = re.compile(r"([A-Za-z0-9_-]+|\"[^\"]+\"|'[^']+')\s*[.=]")
_QUOTED = re.compile(r'"""(?:\\.|[^\\])*?"""|\'\'\'.*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*', re.DOTALL)
_THEN_KEY = re.compile(r"\s*[.=]")


class Lines:
    """Line numbers (from 1) of tables and keys, by table name, occurrence (from 0) and key."""

    def __init__(self, text: str) -> None:
        """Scan one TOML text that is known to be valid."""
        self._keys: dict[tuple[str, int, str], int] = {}
        self._tables: dict[tuple[str, int], int] = {}
        occurrences: Counter[str] = Counter()
        table, occurrence, depth = "", 0, 0
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
                self._keys.setdefault((table, occurrence, key[1].strip("\"'")), number)
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
