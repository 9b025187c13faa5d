"""Words that are no names here: what is called so elsewhere (synonyms.toml), and the nearest known word."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from groma.errors import InputError

_Entry = TypeVar("_Entry")


def suggestion(word: str, words: Iterable[str]) -> str:
    """Return `; did you mean …?` for the known word that is called so elsewhere, or the nearest; or an empty string."""
    known_words = list(words)
    nearest = difflib.get_close_matches(word.lower(), known_words, n=1, cutoff=0.5)
    meant = next((same for same in (same_here(word), *nearest) if same in known_words), "")
    return f"; did you mean '{meant}'?" if meant else ""


def known(noun: str, name: str, entries: Mapping[str, _Entry], listed: str) -> _Entry:
    """Return the entry of that name, or raise InputError with the nearest one; with `listed` if none is near."""
    if name in entries:
        return entries[name]
    raise InputError(f"there is no {noun} '{name}'{suggestion(name, entries) or listed}")


def same_here(word: str) -> str:
    """Return the field or operation that has this name elsewhere; empty if none has."""
    return (table()["operations"] | table()["fields"]).get(plain(word), "")


@functools.cache
def table() -> dict[str, dict[str, str]]:
    """Return the words of synonyms.toml by their kind: operations, fields, options, commands, unmeasured."""
    import tomllib  # noqa: PLC0415 - only a word that is no name needs it

    return tomllib.loads((Path(__file__).parent / "synonyms.toml").read_text(encoding="utf-8"))


def plain(word: str) -> str:
    """Return a word without what people write differently: case, dashes, MPI_ before it."""
    return re.sub(r"[-_ ]", "", word.lower().removeprefix("mpi_"))
