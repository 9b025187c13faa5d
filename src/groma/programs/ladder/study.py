"""The ladder as a table: a row for every step, its figures beside those of the nearest, and why steps are lacking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from groma.analysis import PointSummary, summarise
from groma.analysis.compare import by_round, compare
from groma.analysis.grouping import grouped
from groma.analysis.order import Interval
from groma.programs.ladder.drawing import steps_drawn
from groma.programs.ladder.rungs import BOTH_WAYS, LATENCY, ONE_WAY, Rung, rungs_of
from groma.programs.ladder.steps import FARTHEST, TITLES
from groma.programs.sheet import Sheet, Style, lines_of
from groma.programs.study import Study
from groma.results import Run
from groma.text.numbers import DASH, significant
from groma.text.tables import Table

TITLE = "Placement ladder"
HEADINGS = [
    *("step", "ranks on", "latency us", "x nearest", "95% interval"),
    *("bandwidth GB/s", "x nearest", "95% interval", "both ways GB/s"),
]
_METHOD = (
    "Two ranks alone, the steps in turns. Latency: 8 B, one way. Bandwidth: messages of 1 MiB, many at once, one way, "
    "and both ways together. x nearest: relative to the nearest step, by rounds of launches."
)


def study(run: Run, summaries: list[PointSummary], against: tuple[str, ...] = ()) -> Study:
    """Return the ladder of a run; no published figures exist for it."""
    del against
    ladder = _with_one_farthest(rungs_of(run, summaries))
    sound = {rung.step: rung for rung in ladder if not rung.doubt}
    doubts = [f"No figures for {TITLES[rung.step]}: {rung.doubt}." for rung in ladder if rung.doubt]
    rows = _rows(ladder, run)
    notes = _lacking(run.meta.lacking)
    notes += [_sampling(run)] if FARTHEST in sound and len(_sampled(run)) > 1 else []
    tables = [Table("Steps", HEADINGS, rows, [*notes, _METHOD])]
    return Study(TITLE, [*doubts, *_conclusions(list(sound.values()))], [], tables, [], rows=steps_drawn(ladder))


def _lacking(reasons: Mapping[str, str]) -> list[str]:
    """Say why steps are lacking, those with one reason together."""
    steps = grouped(reasons, reasons.__getitem__).values()
    titles = [", ".join(TITLES.get(step, step) for step in those) for those in steps]
    return [f"{_capital(title)}: {reasons[those[0]]}." for title, those in zip(titles, steps, strict=True)]


def _with_one_farthest(rungs: Sequence[Rung]) -> list[Rung]:
    """Keep, of several hosts that were sampled, the one with the largest latency among those that were verified."""
    sampled = [rung for rung in rungs if rung.step == FARTHEST]
    if len(sampled) < 2:
        return list(rungs)
    sound = [rung for rung in sampled if not rung.doubt and LATENCY in rung.points]
    chosen = max(sound, key=lambda rung: rung.points[LATENCY].time_ns) if sound else sampled[0]
    return [*(rung for rung in rungs if rung.step != FARTHEST), chosen]


def _sampled(run: Run) -> list[str]:
    return [variant.hosts for variant in run.meta.variants if variant.name != FARTHEST and variant.name not in TITLES]


def _sampling(run: Run) -> str:
    return f"{_capital(TITLES[FARTHEST])}: the slowest of {len(_sampled(run))} that were sampled, by latency."


def _rows(ladder: Sequence[Rung], run: Run) -> list[list[str]]:
    """Return a row for every step; without figures if it is lacking, was not measured or not verified."""
    rungs = {rung.step: rung for rung in ladder}
    nearest = next((rung for rung in ladder if not rung.doubt), None)
    rows = []
    for step, title in TITLES.items():
        rung = rungs.get(step)
        if rung is None or rung.doubt or nearest is None:
            where = "not here" if step in run.meta.lacking else "not verified" if rung else "not measured"
            rows.append([title, where, *[DASH] * (len(HEADINGS) - 2)])
            continue
        latency = rung.points.get(LATENCY)
        time_us = significant(latency.time_ns / 1e3 if latency else None, 3)
        latencies = [time_us, *_beside(rung, nearest, LATENCY, run)]
        one_way = [_gb_s(rung.points.get(ONE_WAY)), *_beside(rung, nearest, ONE_WAY, run)]
        rows.append([title, rung.where, *latencies, *one_way, _gb_s(rung.points.get(BOTH_WAYS))])
    return rows


def _gb_s(point: PointSummary | None) -> str:
    rate = point.bandwidth_mb_s if point else None
    return significant(None if rate is None else rate / 1e3, 3)


def _beside(rung: Rung, nearest: Rung, operation: str, run: Run) -> tuple[str, str]:
    """Return how many times the nearest step's figure this one's is, with the interval; of a stream its bandwidth."""
    if rung is nearest:
        return "1", DASH
    if operation not in rung.points or operation not in nearest.points:
        return DASH, DASH
    mine, first = (by_round(one.points[operation], run.meta.round_length) for one in (rung, nearest))
    compared = compare(mine, first)
    ratio, ends = compared.ratio, compared.interval
    if operation == ONE_WAY:
        ratio, ends = 1 / ratio, ends and Interval(1 / ends.high, 1 / ends.low)
    interval = ends.text(3) if ends else DASH
    return significant(ratio, 3), interval


def _conclusions(sound: Sequence[Rung]) -> list[str]:
    """Say how many steps there are, and what lies between the first and the last."""
    if not sound:
        return ["No step of the ladder has figures."]
    first, last = sound[0], sound[-1]
    if first is last:
        return [f"One step of the ladder was measured: {TITLES[first.step]}."]
    sentences = [f"{len(sound)} steps of the ladder were measured, each verified by where its ranks were."]
    ends = [rung.points.get(LATENCY) for rung in (first, last)]
    near, far = (point.time_ns / 1e3 if point else None for point in ends)
    if near and far:
        sentences.append(
            f"A message of 8 B takes {significant(near, 3)} us at the step {TITLES[first.step]}, "
            f"{significant(far, 3)} us at the step {TITLES[last.step]}."
        )
    return sentences


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _write(sheet: Sheet) -> None:
    summaries = summarise(sheet.run, sheet.reporting)
    if not rungs_of(sheet.run, summaries):
        return
    ladder = study(sheet.run, summaries)
    sheet.write(*ladder.sentences)
    for table in ladder.tables:
        sheet.write("", *lines_of(table.headings, table.rows), "", *(f"# {note}" for note in table.notes))


STYLE = Style(program="ladder", write=_write, profile="ladder")
