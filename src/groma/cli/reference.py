"""One reference table on the terminal, for `groma list NAME`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from groma.catalog.references import SCHEMA, reference, table
from groma.catalog.values import write_value

if TYPE_CHECKING:
    from rich.console import Console


def print_table(name: str, console: Console) -> None:
    """Print one table: what is the same in every row above it, the rest as columns."""
    entry, rows = table(name), reference(name)
    same = [column for column in rows.columns if rows[column].n_unique() == 1 and column not in ("value", "printed")]
    above = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    facts = [(column, write_value(rows[column][0])) for column in same if rows[column][0] is not None]
    for fact, text in facts + [("note", entry.note)] * bool(entry.note):
        above.add_row(Text(fact, style="bold"), Text(text))
    below = Table(box=None, padding=(0, 2, 0, 0))
    columns = [column for column in rows.columns if column not in (*same, "value", "conditions")]
    for column in columns:
        is_word = SCHEMA[column] == "String" and column != "printed"
        below.add_column(Text(column), justify="left" if is_word else "right")
    for row in rows.select(columns).iter_rows():
        below.add_row(*(Text(write_value(value)) for value in row))
    console.print(above)
    console.print(below)
