"""Pages of HTML: their templates and filters, and how they are written."""

from __future__ import annotations

import functools
from datetime import datetime
from pathlib import Path

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from groma.errors import writing
from groma.text.charts import symbols
from groma.text.printable import printable
from groma.text.secret import write_for_owner


def rendered(template: str, *packages: str, **variables: object) -> str:
    """Return a page; templates are looked for in the packages, then in the report."""
    return _templates(*packages).get_template(template).render(variables, symbols=symbols())


def save(page: str, path: Path, advice: str = "give another place with -o") -> Path:
    """Write a page, for its owner to read, and return the path; raises `OutputError` with the advice."""
    with writing(path, advice):
        write_for_owner(path, page)
    return path


@functools.cache
def _templates(*packages: str) -> Environment:
    """Return the templates of the given packages, before those of the report; each is compiled once in a process."""
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in (*packages, "groma.report")]),
        autoescape=True,
        finalize=_finalised,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"anchor": _anchor, "breakable": _breakable, "moment": moment}
    return environment


def moment(text: str) -> str:
    """Return an ISO date and time as people write it, in the zone in which it was written."""
    try:
        return datetime.fromisoformat(text).strftime("%d %B %Y, %H:%M %Z").lstrip("0").strip()
    except ValueError:
        return text


def _finalised(value: object) -> object:
    """Return text without control characters, which no page needs; markup stays markup."""
    return type(value)(printable(value)) if isinstance(value, str) else value


def _anchor(term: str) -> str:
    """Return the term as it can stand in an address."""
    return "-".join("".join(letter if letter.isalnum() else " " for letter in term).split())


def _breakable(name: str) -> str:
    """Return the name with places where a narrow box may break it."""
    return name.replace("/", "/\u200b").replace("_", "_\u200b")
