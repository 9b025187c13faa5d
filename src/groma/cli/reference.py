"""One reference table on the terminal, for `groma list NAME`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.catalog.references import reference, table
from groma.catalog.values import write_value
from groma.text.printing import print_list, print_table
from groma.text.tables import Styled, Table

if TYPE_CHECKING:
    from rich.console import Console


def print_reference(name: str, console: Console) -> None:
    """Print one table: what is the same in every row above it, the rest as columns."""
    entry, rows = table(name), reference(name)
    same = [column for column in rows.columns if rows[column].n_unique() == 1 and column not in ("value", "printed")]
    facts = [(column, write_value(rows[column][0])) for column in same if rows[column][0] is not None]
    facts += [("note", entry.note)] if entry.note else []
    print_list(console, [(Styled(fact, "bold"), text) for fact, text in facts])
    columns = [column for column in rows.columns if column not in (*same, "value", "conditions")]
    cells = [[write_value(value) for value in row] for row in rows.select(columns).iter_rows()]
    print_table(console, Table(name, columns, cells))
