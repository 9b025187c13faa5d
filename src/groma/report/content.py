"""The contents of the page: sections, tables and the data of the charts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from groma.analysis import PointSummary, Series, SideBySide, checks, series, side_by_side, summarise
from groma.analysis.otherruns import OtherRuns, other_runs_of
from groma.analysis.peaks import in_words
from groma.analysis.validity import counts_of
from groma.programs.answers import study_of
from groma.report import pictures
from groma.report.chartgroups import ChartGroup, chart_groups, rank_charts, title_of
from groma.report.definitions import FIGURES, HEADINGS, of_curves
from groma.report.figures import scope_of
from groma.report.lastruns import answer_of
from groma.report.persistent import persistent_table
from groma.report.programs import lacking_sentences, program_table, reasons_table
from groma.report.ranking import figures_of_variants, headline_table, rankings
from groma.report.renumbered import renumbered_table
from groma.report.samplecharts import pictures as drawings
from groma.report.spread import calibration_table, coverage_of
from groma.report.tables import (
    QUANTILES,
    SIZES,
    columns,
    curve_notes,
    further_columns,
)
from groma.report.templating import moment
from groma.results import Run
from groma.text.charts import Picture, numbered
from groma.text.counts import counted
from groma.text.numbers import TIMES
from groma.text.sizes import format_size
from groma.text.tables import Table

_BYTES_OF_A_ROW = 1_500  # a point's rows in its three tables
_BYTES_OF_PEAKS = 250  # a launch's row in the table of peaks
_MOST_POINTS = 600  # with rows in tables and marks in charts; of a run with more, curves evenly spread over the plan
_MOST_SERIES = 5_000  # of samples that are searched for peaks; beyond, those of the points with pictures are
_MOST_SENTENCES = 100  # of notes and of gaps


@dataclass(frozen=True)
class FigureTable:
    """A table, the terms that define its columns, and columns that are folded."""

    table: Table
    terms: list[str]
    further: FigureTable | None = None


def content(run: Run, against: Sequence[str] = (), others: OtherRuns | None = None) -> dict[str, Any]:
    """Return the variables of the template; `others` are the runs beside the run, if not in its folder."""
    others = others or other_runs_of(run)
    summaries = summarise(run)
    every_curve = series(summaries)
    curves = _fitting(every_curve)
    points = [point for curve in curves for point in curve.points]
    verdicts = checks(run, summaries)
    study = study_of(run, summaries, against)
    compared = side_by_side(run, every_curve)
    ranked = [] if study else rankings(compared)
    answered = [both for both, _ in ranked] if len(ranked) == 1 else []
    if not run.meta.programs:
        shown = {id(point) for point in points}
        compared = [both for both in compared if all(id(point) in shown for point in both.points)]
    charts, study_drawn = chart_groups(curves, compared), numbered("study", study.charts) if study else []
    if over_ranks := [] if run.meta.programs else rank_charts(points):
        charts.append(ChartGroup("Over numbers of ranks", over_ranks))
    drawn = [*study_drawn, *(chart for group in charts for chart in group.charts)]
    searched = sum(len(point.rows) for point in points) <= _MOST_SERIES
    several_peaks = {id(point): _peaks(point) for point in points} if searched else {}
    rows = len(points) * _BYTES_OF_A_ROW + sum(map(len, several_peaks.values())) * _BYTES_OF_PEAKS
    room = pictures.room(sum(len(chart.drawing) for chart in drawn) + rows)
    detailed = pictures.detailed(curves, room)
    bin_count = pictures.bins(detailed, room)
    if not searched:
        several_peaks = {id(point): _peaks(point) for point in detailed}
    of_variants = figures_of_variants(summaries, others)
    figures = next(iter(of_variants.values()), [])
    return {
        "run": run,
        "heading": _heading(run),
        "signs": {"good": "✓", "warn": "!", "bad": TIMES, "unknown": "?"},
        "states": {"good": "passed", "warn": "with reservations", "bad": "failed", "unknown": "not known"},
        "checks": verdicts,
        "verdict": answer_of(run, summaries, verdicts, others),
        "checks_line": counts_of(verdicts),
        "estimate": summaries[0].reporting.estimator.replace("_", " ") if summaries else "",
        "figures": figures,
        "scope": scope_of(figures),
        "figures_of_variants": headline_table(of_variants) if len(of_variants) > 1 else None,
        "study": study,
        "study_charts": study_drawn,
        "charts": charts,
        "variants": () if run.meta.programs else run.meta.variants,
        "compared": f"{title_of(compared) or 'variant'}s".capitalize(),
        "lacking": lacking_sentences(run),
        "reasons": reasons_table(run),
        "form_tables": [table for table in (persistent_table(points), renumbered_table(points)) if table],
        "rankings": [sentence for _, sentence in ranked],
        "ranking_tables": [_variant_table(both) for both in answered],
        "variant_tables": [_variant_table(both) for both in compared if both not in answered],
        "sections": _sections(curves, {id(point): bin_count for point in detailed}, several_peaks),
        "left_out": _left_out(every_curve, curves),
        "coverage": _coverage(run, summaries, points, others),
        "thinned": _thinning(points, detailed, bin_count, searched=searched),
        "definitions": FIGURES,
        "defined": {definition.term: definition.text for definition in FIGURES},
        "notes": _first(run.meta.notes),
        "gaps": _first(run.missing()),
    }


def _fitting(curves: list[Series]) -> list[Series]:
    """Return the curves for which a page has room: all, or as many as have few points, evenly spread over the plan."""
    sizes = [len(curve.points) for curve in curves]
    if sum(sizes) <= _MOST_POINTS:
        return curves
    count = max(1, _MOST_POINTS * len(curves) // sum(sizes))
    places = np.linspace(0, len(curves) - 1, count).astype(int).tolist()
    while len(places) > 1 and sum(sizes[place] for place in places) > _MOST_POINTS:
        places.pop()
    return [curves[place] for place in places]


def _left_out(every_curve: list[Series], curves: list[Series]) -> str:
    """Say how many curves the page has no room for; empty if it shows all."""
    if len(curves) == len(every_curve):
        return ""
    points, all_points = (sum(len(curve.points) for curve in some) for some in (curves, every_curve))
    return (
        f"Tables and charts show {len(curves)} of {len(every_curve)} curves, {points} of {all_points} points, evenly "
        "spread over the plan. Checks and key figures are of all points."
    )


def _first(sentences: list[str]) -> list[str]:
    """Return the first sentences, and how many more there are."""
    more = len(sentences) - _MOST_SENTENCES
    return sentences if more <= 0 else [*sentences[:_MOST_SENTENCES], f"... and {more} more: groma show RUN --all"]


def _coverage(run: Run, summaries: list[PointSummary], shown: list[PointSummary], others: OtherRuns) -> dict[str, Any]:
    """Return the scope of the intervals in sentences, and folded tables of spread by level and of calibration."""
    coverage = coverage_of(run, summaries, others)
    tables = [coverage.table(set(shown)), calibration_table(run, summaries)]
    return {
        "sentences": [sentence.replace(" (--define)", "") for sentence in coverage.sentences],
        "tables": [table for table in tables if table.rows],
    }


def _heading(run: Run) -> dict[str, Any]:
    starts = [launch.start for launch in run.launches if launch.start is not None]
    library = run.libraries
    ranks = " and ".join(str(count) for count in sorted({start.ranks for start in starts}))
    hosts = max((start.nodes for start in starts), default=0)
    models = {node.cpu_model for launch in run.launches if launch.nodes for node in launch.nodes.nodes}
    on_hosts = f" on {'one host' if hosts == 1 else f'{hosts} hosts'}" if hosts or not run.is_imported else ""
    facts = [
        library,
        f"{ranks} rank{'s' * (ranks != '1')}{on_hosts}" if ranks else "",
        counted(len(starts), "launch"),
        " and ".join(sorted(models)),
        moment(run.meta.created),
    ]
    where = f" on {run.meta.host}" if run.meta.host or not run.is_imported else ""
    return {"title": run.meta.name + where, "facts": [fact for fact in facts if fact]}


def _variant_table(both: SideBySide) -> FigureTable:
    table = program_table(both)
    return FigureTable(table, list(table.headings))


def _sections(
    curves: list[Series], bins: dict[int, int], several_peaks: dict[int, list[tuple[str, ...]]]
) -> list[dict[str, Any]]:
    """Return a section for each operation; `bins` holds the points that have pictures, by identity.

    `several_peaks` holds rows of `_peaks` by the identity of points.
    """
    sections = []
    for name in dict.fromkeys(curve.operation.name for curve in curves):
        own = [curve for curve in curves if curve.operation.name == name]
        choices = [
            _choice(curve, point, bins[id(point)], several=len(own) > 1)
            for curve in own
            for point in curve.points
            if id(point) in bins
        ]
        tables = [_table(curve) for curve in own]
        rows = [
            (curve.label, *row) for curve in own for point in curve.points for row in several_peaks.get(id(point), [])
        ]
        peaks = Table(f"Peaks of each launch of {name}", ["curve", "size", "launch", "peaks"], rows)
        about = {"operation": own[0].operation, "definitions": of_curves(own)}
        sections.append({**about, "tables": tables, "choices": choices, "peaks": peaks})
    return sections


def _peaks(point: PointSummary) -> list[tuple[str, ...]]:
    """Return size, launch and peaks for every launch whose samples have several."""
    return [
        ("" if point.bytes is None else format_size(point.bytes), str(launch.launch), in_words(launch.peaks))
        for launch in point.launches
        if len(launch.peaks) > 1
    ]


def _choice(curve: Series, point: PointSummary, bin_count: int, *, several: bool) -> tuple[str, list[Picture]]:
    size = [] if point.bytes is None else [format_size(point.bytes)]
    name = ", ".join([*size, *([curve.label] if several or not size else [])])
    name_and_size = f"{curve.operation.name} {name}" if size else name
    return name, drawings(pictures.samples(point, bin_count), name_and_size)


def _table(curve: Series) -> FigureTable:
    first = columns(curve)
    settings = {term: cells for term, cells in first.items() if term in SIZES}
    return replace(
        _of_cells(first, curve.label, curve_notes(curve)),
        further=_of_cells(settings | further_columns(curve), curve.label, []),
    )


def _of_cells(cells: dict[str, list[str]], title: str, notes: list[str]) -> FigureTable:
    table = Table.of_columns(title, {HEADINGS.get(term, term): texts for term, texts in cells.items()})
    return FigureTable(replace(table, notes=notes), ["quantiles" if term in QUANTILES else term for term in cells])


def _thinning(points: list[PointSummary], shown: list[PointSummary], bin_count: int, *, searched: bool) -> str:
    """Say by which rule pictures show fewer samples; empty if they show all."""
    rules = []
    if len(shown) < len(points):
        rules.append(f"pictures are drawn for {len(shown)} of {len(points)} points, evenly spread over the plan")
    if not searched:
        rules.append("launches whose samples have several peaks are listed for the same points")
    if any((point.rows["samples"] > bin_count).any() for point in shown):
        left_out = any(point.rows["discarded"].any() for point in shown)
        fewer = f" ({bin_count // 2} for those discarded)" if left_out else ""
        rules.append(
            f"of each launch the smallest, the median and the largest sample of {bin_count} equal bins{fewer} are "
            "drawn; all figures are those of all samples"
        )
    return "; ".join(rules)
