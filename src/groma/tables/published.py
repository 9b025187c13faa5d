"""Published tables as a table for other programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from groma.catalog.references import columns
from groma.columns.column import Kind
from groma.tables.cells import Cells
from groma.tables.frame import framed


def published(rows: Sequence[dict[str, Any]]) -> Any:  # noqa: ANN401 - what the caller has
    """Return rows of `groma.catalog.references.reference` as what the caller has (`frame.framed`)."""
    names = list(rows[0]) if rows else list(columns())
    return framed({name: Cells.of(cast("Kind", columns()[name].kind), [row[name] for row in rows]) for name in names})
