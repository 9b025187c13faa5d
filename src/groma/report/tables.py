"""The table of one curve: one row per message size, one column per defined figure, for terminal and page alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from groma.analysis import PointSummary, Series, SideBySide
from groma.analysis.clockchecks import CLOCK_SHARE_LIMIT, WITHOUT_CLOCK
from groma.analysis.compare import CANNOT_TELL, Judged
from groma.analysis.grouping import SEARCHING
from groma.analysis.order import MINIMUM_FOR_INTERVAL
from groma.analysis.ranking import Lead, lead, places
from groma.analysis.remedies import further_launches
from groma.analysis.samplechecks import has_tail, in_blocks
from groma.analysis.steadiness import is_judged, is_longer_unseen, is_unsteady, levels_in_words, unseen, unsteady_levels
from groma.analysis.summary import where
from groma.analysis.uncertainty import is_range
from groma.columns import PRINTED
from groma.columns.column import Cell
from groma.report.figures import INTERVAL_TERMS
from groma.text.counts import counted, first_names
from groma.text.numbers import DASH, FIGURE_SPACE, aligned, microseconds, multiple, percent, right, significant
from groma.text.sizes import format_size

RATIO_DIGITS = 3
NAMED = ("slower", "faster")
SIZES = ("size", "message")  # the headings of a column of sizes; the second is that of swaps
WON, TIED = "*", "="
DOUBTFUL = "\N{DAGGER}"
UNSTEADY = "\N{DOUBLE DAGGER}"
_MARKED = {
    "launches": "a 95% interval",
    "range": "min-max",
    "samples": "within one launch",
    "none": "no interval",
}
# By which factor the quotient of two shown times may lie outside the interval of their ratio without a note.
_QUOTIENT_LIMIT = 1.1
QUANTILES = tuple(printed.term for _, printed in PRINTED if printed.where == "page" and printed.cell == "time")


def columns(curve: Series) -> dict[str, list[str]]:
    """Return the cells of every column, by the term that defines it; within a column all are equally long."""
    points = curve.points
    table = _sizes(curve, [point.bytes for point in points])
    table["time"] = _times(points)
    table |= _single_calls(points)
    table[INTERVAL_TERMS[usual_kind(curve)]] = _intervals(curve)
    return table | {term: cells for term, cells in _declared(curve, "terminal") if term != "time"}


def _sizes(curve: Series, sizes: Sequence[int | None]) -> dict[str, list[str]]:
    """Return the column of sizes, if there are any: of a swap they are those of one of its messages."""
    heading = SIZES[curve.operation.swap is not None]
    return {heading: right([format_size(size or 0) for size in sizes])} if curve.has_sizes else {}


def further_columns(curve: Series) -> dict[str, list[str]]:
    """Return the columns for which only the page has room."""
    return dict(_declared(curve, "page"))


def _declared(curve: Series, where: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the columns of a curve that `groma.columns` declares for this place, by their terms."""
    for column, printed in PRINTED:
        values = [point.value(column.name) for point in curve.points]
        shown = {"always": True, "known": any(value is not None for value in values), "not zero": any(values)}
        needed = not printed.needs or printed.needs in curve.operation.uses
        if printed.where == where and shown[printed.only] and needed:
            known = [
                None if value is None or (is_range(point.interval) and not printed.of_range) else value / printed.per
                for point, value in zip(curve.points, values, strict=True)
            ]
            align = aligned if printed.cell in ("time", "number") else right
            yield printed.term, align(list(map(_CELLS[printed.cell], known)))


_CELLS: dict[Cell, Callable[[float | None], str]] = {
    "time": microseconds,
    "number": significant,
    "count": lambda value: f"{value:.0f}" if value else DASH,
    "share": percent,
    "error": lambda share: f"±{percent(share)}{_doubtful(share)}" if share else DASH,
    "multiple": multiple,
}


def variant_columns(both: SideBySide) -> dict[str, list[str]]:
    """Return the cells of the table that shows alternatives side by side, by heading; as equally long as in `columns`.

    Of programs, and of two alternatives, every other one has its ratio to the first; of more, the second fastest has
    that to the fastest at each size.
    """
    sizes, placed = both.sizes, [] if both.call else places(both)
    table = _sizes(both.curves[both.first], sizes)
    for name, heading in both.short_names.items():
        times = _times([both.point(name, size) for size in sizes], with_clock=True)
        marks = {place.size: WON if place.winner == name else TIED * (name in place.tied) for place in placed}
        table[f"{heading} µs"] = _beside(times, [marks.get(size, "") for size in sizes])
        if name != both.first and (both.call or len(both.curves) == 2):
            leads = [lead(both, both.first, name, size) for size in sizes]
            which = "" if len(both.curves) == 2 else f" {heading}"
            table |= _ratio_columns(f"{heading} / {both.short_names[both.first]}", leads, which, both.margin)
    if not both.call and len(both.curves) > 2:
        nexts = {place.size: min(place.leads.values(), key=lambda other: other.ratio) for place in placed}
        table |= _ratio_columns("next / shortest", [nexts.get(size) for size in sizes], "", both.margin)
    return table


def _ratio_columns(heading: str, leads: Sequence[Lead | None], which: str, margin: float) -> dict[str, list[str]]:
    """Return ratio, 95 % interval and, with a margin, verdict."""
    bounds = [one.interval if one else None for one in leads]
    lows = aligned([significant(bound.low if bound else None, RATIO_DIGITS) for bound in bounds])
    highs = aligned([significant(bound.high if bound else None, RATIO_DIGITS) for bound in bounds])
    found = {
        heading: aligned([significant(one.ratio if one else None, RATIO_DIGITS) for one in leads]),
        f"{INTERVAL_TERMS['launches']}{which}": [
            f"{low} {DASH} {high}" if bound else DASH for bound, low, high in zip(bounds, lows, highs, strict=True)
        ],
    }
    verdicts = [_verdict(one) if one else DASH for one in leads]
    return found | ({f"verdict{which}": verdicts} if margin else {})


def _verdict(one: Lead) -> str:
    if not one.is_told:
        return CANNOT_TELL
    return one.judged.words() if one.verdict == "same" else one.verdict


def _beside(texts: Sequence[str], marks: Sequence[str]) -> list[str]:
    """Return the texts, each with its mark; all are equally long."""
    return [text + (mark or FIGURE_SPACE) for text, mark in zip(texts, marks, strict=True)] if any(marks) else [*texts]


def variant_note(both: SideBySide) -> str:
    """Say what the ratios and marks are, and which ratios lack an interval; of programs, which differ for certain."""
    of = f"that of {both.first}" if both.call or len(both.curves) == 2 else "the shortest one"
    caption = f"Ratio: time over {of}, {_unit(both)}."
    ratios = [ratio for by_size in both.pairs.values() for ratio in by_size.values()]
    if not ratios:
        return f"{caption} They have no size in common."
    if any(ratio.comparison.interval is None and ratio.in_one_state for ratio in ratios):
        few = f"Fewer than {MINIMUM_FOR_INTERVAL} {'launches' if both.separate else 'rounds'} give no interval."
        return f"{caption} {few}"
    apart = (
        []
        if all(ratio.in_one_state for ratio in ratios)
        else ["Without an interval: the machine was in another state."]
    )
    further = further_launches(ratios) if both.margin and not both.states else []
    marks = _verdicts(both) if both.call else _marks(both)
    return " ".join([caption, marks, *apart, *further, *_unlike_medians(both)])


def _unit(both: SideBySide) -> str:
    """Say by what the ratios are taken, and what that leaves out."""
    if both.separate:
        return "launch by launch of separate runs: the intervals do not include how much runs differ"
    alone = " in one state of the machine" if both.states else ""
    if both.kind == "operation":
        return f"launch by launch{alone}"
    return f"by rounds with one launch of each {both.kind}{alone}"


def _marks(both: SideBySide) -> str:
    """Say what the marks in a table of alternatives mean."""
    by = f" by more than {100 * both.margin:g} %" if both.margin else ""
    return (
        f"{WON} shown faster than every other one{by}, {TIED} tied for that, with an error rate of 5 % over all ratios "
        "of the run."
    )


def _unlike_medians(both: SideBySide) -> list[str]:
    """Name the rows whose times have another quotient than launches of one round; empty if none."""
    statements = []
    for name, ratios in both.ratios.items():
        sizes = [
            format_size(size or 0) for size, judged in ratios.items() if not _quotient_fits(both, name, size, judged)
        ]
        statements += [f"{name} at {', '.join(sizes)}"] if sizes else []
    if not statements:
        return []
    where = "; ".join(statements)
    sentence = (
        f"Times are medians of all launches. Their quotient is not the ratio of {where}, because launches differ more "
        f"than {both.kind}s do; use the ratio."
    )
    return [sentence]


def _quotient_fits(both: SideBySide, name: str, size: int | None, judged: Judged) -> bool:
    """Return whether the quotient of the printed times lies about in the interval of the ratio, or there is none."""
    interval, point, first = judged.comparison.interval, both.point(name, size), both.point(both.first, size)
    if interval is None or point is None or first is None:
        return True
    return interval.low / _QUOTIENT_LIMIT <= point.time_ns / first.time_ns <= interval.high * _QUOTIENT_LIMIT


def _verdicts(both: SideBySide) -> str:
    """Name the sizes at which each program is slower or faster than the first, all ratios of the run taken together."""
    statements = []
    for name, ratios in both.ratios.items():
        by_verdict: dict[str, list[int | None]] = {}
        for size, ratio in ratios.items():
            by_verdict.setdefault(ratio.verdict, []).append(size)
        found = [f"{verdict} {_at(by_verdict[verdict], len(ratios))}" for verdict in NAMED if verdict in by_verdict]
        statements.append(f"{name} {', '.join(found) or 'nowhere'}")
    return f"Slower or faster, with an error rate of 5 % over all ratios of the run: {'; '.join(statements)}."


def _at(sizes: Sequence[int | None], of: int) -> str:
    return "everywhere" if len(sizes) == of else f"at {', '.join(format_size(size or 0) for size in sizes)}"


def reporting_note(curve: Series) -> str:
    """Say how figures are made if they are not plain medians, and how many samples were discarded."""
    reporting = curve.points[0].reporting
    if not all(point.has_samples for point in curve.points):
        return "A launch's figure is what the program printed; its samples are unknown."
    if reporting.is_default:
        return ""
    dropped, samples = (sum(point.value(name) or 0 for point in curve.points) for name in ("dropped", "samples"))
    left_out = "" if reporting.outliers == "keep" else f" {dropped:.0f} of {samples:.0f} samples were discarded."
    return reporting.sentence() + left_out


def search_note(curve: Series) -> str:
    """Name the pairs that a searching pattern found, the most frequent first; empty if none is known."""
    pattern = str(curve.points[0].point.get("pattern", ""))
    if pattern not in SEARCHING:
        return ""
    launches = [launch for point in curve.points for launch in point.launches if launch.members]
    if not launches:
        return ""
    members = {launch.launch: launch.members for launch in launches}
    pairs = Counter(members.values()).most_common()
    shares = [f" ({counted(count, 'launch')})" if len(pairs) > 1 else "" for _, count in pairs]
    texts = [f"ranks {first} and {second}{share}" for ((first, second), _), share in zip(pairs, shares, strict=True)]
    return f"The {pattern} pair: {', '.join(texts)}."


def curve_notes(curve: Series) -> list[str]:
    """Return the notes on a curve's table: settings, pairs, steadiness, clock and intervals."""
    notes = (
        *(reporting_note(curve), search_note(curve), unsteady_note(curve.points), unseen_note(curve)),
        clock_note(curve.points),
    )
    return list(filter(None, [*notes, *interval_notes(curve)]))


def interval_notes(curve: Series) -> list[str]:
    """Say which bounds of the table are no 95% intervals, and what the mark beside some of them means."""
    kinds, usual, notes = {point.interval_kind for point in curve.points}, usual_kind(curve), []
    if "range" in kinds:
        notes.append(f"min-max: too few launches for a 95% interval, which needs {MINIMUM_FOR_INTERVAL}.")
    if "samples" in kinds:
        notes.append("within one launch: does not predict the next launch.")
    if len(kinds) > 1:
        other_kinds = dict.fromkeys(point.interval_kind for point in curve.points if point.interval_kind != usual)
        marked = " or ".join(_MARKED[kind] for kind in other_kinds)
        notes.append(f"* from other launches than the other points: {marked}.")
    return notes


def clock_note(points: Sequence[PointSummary]) -> str:
    """Say which figures are marked because of the global clock, and which method needs none; empty if none is."""
    if not any(_doubtful(point.value("clock_share")) for point in points):
        return ""
    return (
        f"{DOUBTFUL} global clock error may exceed {CLOCK_SHARE_LIMIT:.0%} of the figure; intervals do not include it. "
        f"{WITHOUT_CLOCK} needs no global clock."
    )


def unsteady_note(points: Sequence[PointSummary]) -> str:
    """Explain the marks in the column of times; empty without marks."""
    unsteady = [point for point in points if is_unsteady(point)]
    if not unsteady:
        return ""
    known = {point: levels for point in unsteady if (levels := unsteady_levels(point))}
    spread = first_names([f"{where(point)}: {levels_in_words(levels)}" for point, levels in known.items()], 2)
    told = f" ({spread})" if spread else ""
    launches = (
        "all launches" if all(is_unsteady(point, alarm=True) for point in unsteady) else "half of the launches or more"
    )
    return f"{UNSTEADY} no steady state in {launches}: the level changed, and with it the figure{told}."


def unseen_note(curve: Series) -> str:
    """Say how many calls were seen, if a slow start can last longer; empty if it cannot, or if none is judged."""
    short = [point for point in curve.points if is_judged(point) and is_longer_unseen(point)]
    if not short:
        return ""
    sizes = [format_size(point.bytes or 0) for point in short] if curve.has_sizes else []
    at = f"{' to '.join(dict.fromkeys([sizes[0], sizes[-1]]))}: " if sizes else ""
    return f"{at}{unseen(short)}."


def _times(points: Sequence[PointSummary | None], *, with_clock: bool = False) -> list[str]:
    """Return the figures; marked are those without a steady state and, `with_clock`, those with a doubtful clock."""
    texts = aligned([microseconds(point.time_ns if point else None) for point in points])
    unsteady = [UNSTEADY if point and is_unsteady(point) else "" for point in points]
    doubtful = [_doubtful(point.value("clock_share")) if point and with_clock else "" for point in points]
    for marks in (unsteady, doubtful):
        if any(marks):
            texts = [text + (mark or FIGURE_SPACE) for text, mark in zip(texts, marks, strict=True)]
    return texts


def _single_calls(points: Sequence[PointSummary]) -> dict[str, list[str]]:
    """Return the mean of single calls, and their median if samples are of blocks; nothing without a tail."""
    slow = [point for point in points if has_tail(point)]
    if not slow:
        return {}
    rows = {"mean": aligned([microseconds(point.value("tail_mean_ns")) for point in points])}
    if any(map(in_blocks, slow)):
        rows["median of calls"] = aligned([microseconds(point.value("tail_median_ns")) for point in points])
    return rows


def _doubtful(share: float | None) -> str:
    return DOUBTFUL if share is not None and share > CLOCK_SHARE_LIMIT else ""


def usual_kind(curve: Series) -> str:
    """Return the kind of interval that most points of the curve have."""
    return Counter(point.interval_kind for point in curve.points).most_common(1)[0][0]


def _intervals(curve: Series) -> list[str]:
    bounds = [point.interval for point in curve.points]
    lows = aligned([microseconds(bound.low if bound else None) for bound in bounds])
    highs = aligned([microseconds(bound.high if bound else None) for bound in bounds])
    unusual = ["*" if point.interval_kind != usual_kind(curve) else " " for point in curve.points]
    marks = unusual if "*" in unusual else [""] * len(unusual)
    return [f"{low} {DASH} {high}{mark}" for low, high, mark in zip(lows, highs, marks, strict=True)]
