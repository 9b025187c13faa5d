"""Templates of pages: where they lie, and the filters they use."""

from __future__ import annotations

import functools

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from groma.text.printable import printable


@functools.cache
def templates(*packages: str) -> Environment:
    """Return the templates of the given packages, before those of the report; each is compiled once in a process."""
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in (*packages, "groma.report")]),
        autoescape=True,
        finalize=_finalised,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"anchor": _anchor, "breakable": _breakable}
    return environment


def _finalised(value: object) -> object:
    """Return what a template shows without control characters, which no page needs; markup stays markup."""
    return type(value)(printable(value)) if isinstance(value, str) else value


def _anchor(term: str) -> str:
    """Return the term as it can stand in an address."""
    return "-".join("".join(letter if letter.isalnum() else " " for letter in term).split())


def _breakable(name: str) -> str:
    """Return the name with places where a narrow box may break it."""
    return name.replace("/", "/\u200b").replace("_", "_\u200b")
