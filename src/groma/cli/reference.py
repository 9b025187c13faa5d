"""One reference table on the terminal, for `groma list NAME`."""

from __future__ import annotations

from rich.console import Console

from groma.catalog.references import reference, table
from groma.catalog.values import write_value
from groma.text.lines import Styled
from groma.text.printing import print_list, print_table
from groma.text.tables import Table


def print_reference(name: str, console: Console) -> None:
    """Print one table: what is the same in every row above it, the rest as columns."""
    entry, rows = table(name), reference(name)
    values = {column: [row[column] for row in rows] for column in rows[0]}
    same = [column for column, own in values.items() if len(set(own)) == 1 and column not in ("value", "printed")]
    facts = [(column, write_value(values[column][0])) for column in same if values[column][0] is not None]
    facts += [("note", entry.note)] if entry.note else []
    print_list(console, [(Styled(fact, "bold"), text) for fact, text in facts])
    columns = [column for column in values if column not in (*same, "value", "conditions")]
    cells = [[write_value(row[column]) for column in columns] for row in rows]
    print_table(console, Table(name, columns, cells))
