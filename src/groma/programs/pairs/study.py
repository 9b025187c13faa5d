"""The verdict of a run on the page and in the terminal: suspects first, then heat maps of all pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from groma.analysis import PointSummary
from groma.analysis.noise import is_disturbed
from groma.programs.pairs.observe import STAGES, Edges
from groma.programs.pairs.verdict import Verdict, ratios_of, verdict
from groma.programs.pairs.words import HEADINGS, conditions, evidence, leave_out, sentences
from groma.programs.sheet import Sheet, Style, lines_of
from groma.programs.study import Study
from groma.results import Run, load_run
from groma.text.charts import HeatMap
from groma.text.counts import counted
from groma.text.numbers import significant
from groma.text.tables import Table

TITLE = "Who is slow"
_FEWEST_RANKED, _MOST_RANKED = 3, 10  # of so many units there is more than one pair; so many pairs are listed


def stages_of(run: Run) -> dict[str, Run]:
    """Return the stages of a run that are there, by name, in their order."""
    return {name: load_run(run.path / name) for name in STAGES if (run.path / name / "run.json").is_file()}


def study(run: Run, summaries: list[PointSummary], against: tuple[str, ...] = ()) -> Study:
    """Return the verdict with its evidence; no published figures exist for it."""
    del summaries, against
    stages = stages_of(run)
    said = verdict(run, stages)
    rows = evidence(said)
    screened = list(said.phases["screen"].edges.values()) if "screen" in said.phases else []
    tables = [Table("Evidence", HEADINGS, rows)] if rows else []
    tables += _slowest(said, screened)
    maps = [_map(said, edges) for edges in screened]
    return Study(TITLE, [*sentences(said), *leave_out(said), *doubts(stages)], conditions(said), tables, [], maps)


def doubts(stages: dict[str, Run]) -> list[str]:
    """Return why the verdict is less sure: stages that ended early, crowded CPUs, and other processes."""
    found = [f"Stage {name} is {stage.meta.state}." for name, stage in stages.items() if stage.meta.state != "complete"]
    launches = [launch for stage in stages.values() for launch in stage.launches]
    if any(launch.start is not None and launch.start.oversubscribed for launch in launches):
        found.append("Advisory: more ranks than CPUs, so times measure the scheduler as much as the network.")
    disturbed = sum(map(is_disturbed, launches))
    if 2 * disturbed > len(launches):
        found.append(f"Advisory: other processes disturbed {disturbed} of {counted(len(launches), 'launch')}.")
    return found


def _slowest(said: Verdict, screened: Sequence[Edges]) -> list[Table]:
    """Return the slowest of all pairs, the slowest first; nothing if there are too few to be ranked."""
    names = said.units.names
    found = [
        (ratio, f"{names[one]} {'and' if edges.symmetric else 'to'} {names[other]}", edges.quantity)
        for edges in screened
        for ratio, (one, other) in zip(ratios_of(edges).tolist(), edges.pairs(), strict=True)
        if math.isfinite(ratio)
    ]
    if len(names) < _FEWEST_RANKED:
        return []
    ranked = sorted(found, key=lambda row: -row[0])[:_MOST_RANKED]
    rows = [[pair, quantity, significant(ratio, 3)] for ratio, pair, quantity in ranked]
    note = "Times the median of all pairs, in rounds of all. A pair may be slow because of one of its ends: see above."
    return [Table("Slowest pairs", ["pair", "what", "times the median"], rows, [note])]


def _map(said: Verdict, edges: Edges) -> HeatMap:
    """Return how many times the median of all pairs each takes, senders by row; round trips on both sides."""
    count = said.units.count
    ratios = np.full((count, count), np.nan)
    ratios[edges.senders, edges.receivers] = ratios_of(edges)
    if edges.symmetric:
        ratios[edges.receivers, edges.senders] = ratios[edges.senders, edges.receivers]
    marked = tuple(sorted({unit for one in (*said.lasting, *said.suspected, *said.passing) for unit in one.who}))
    down = "one end" if edges.symmetric else "from"
    return HeatMap(
        title=f"{edges.quantity}, all pairs in rounds",
        unit="times the median of all pairs",
        down=down,
        across="other end" if edges.symmetric else "to",
        names=said.units.names,
        values=ratios,
        marked=marked,
    )


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
