"""The ladder as text: conclusions, and a line for every step."""

from __future__ import annotations

from groma.analysis import summarise
from groma.programs.ladder.rungs import rungs_of
from groma.programs.ladder.study import study
from groma.programs.sheet import Sheet, Style, lines_of


def _write(sheet: Sheet) -> None:
    summaries = summarise(sheet.run, sheet.reporting)
    if not rungs_of(sheet.run, summaries):
        return
    ladder = study(sheet.run, summaries)
    sheet.write(*ladder.sentences)
    for table in ladder.tables:
        sheet.write("", *lines_of(table.headings, table.rows), "", *(f"# {note}" for note in table.notes))


STYLE = Style(program="ladder", write=_write, profile="ladder")
