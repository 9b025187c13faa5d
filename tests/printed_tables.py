"""What the tables of the documents print."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from printed_numbers import Printed

import groma


def cells(name: str, **keys: object) -> Iterator[dict[str, Any]]:
    rows = groma.reference(name).filter(**keys) if keys else groma.reference(name)
    yield from rows.iter_rows(named=True)


def printed(name: str, quantity: str, by: str | None = None, **keys: object) -> dict[Any, Printed]:
    """Return what one table prints of one quantity, by a key."""
    found = list(cells(name, quantity=quantity, **keys))
    named = {row[by] if by else None: Printed.of(row["printed"]) for row in found}
    assert found
    assert len(named) == len(found), "the key does not tell the rows apart"
    return named


def one(name: str, quantity: str, **keys: object) -> Printed:
    return printed(name, quantity, None, **keys)[None]


def check(identities: dict[Any, bool], exceptions: dict[Any, str]) -> None:
    """All identities hold but the exceptions, and those do not."""
    assert identities
    assert {place for place, holds in identities.items() if not holds} == set(exceptions)
