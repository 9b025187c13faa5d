"""The verdict as text: who is slow, the nodes to leave out, and the evidence."""

from __future__ import annotations

from groma.programs.pairs.study import doubts, stages_of
from groma.programs.pairs.verdict import verdict
from groma.programs.pairs.words import HEADINGS, conditions, evidence, leave_out, sentences
from groma.programs.sheet import Sheet, Style, lines_of


def _write(sheet: Sheet) -> None:
    stages = stages_of(sheet.run)
    if not stages and not sheet.run.meta.program:
        return
    said = verdict(sheet.run, stages)
    sheet.write(*sentences(said))
    sheet.write(*leave_out(said), *doubts(stages))
    if rows := evidence(said):
        sheet.write("", *lines_of(HEADINGS, rows))
    sheet.write("", *(f"# {name}: {text}" for name, text in conditions(said)))


STYLE = Style(program="pairs", write=_write, profile="pairs")
