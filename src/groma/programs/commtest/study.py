"""The study of the COMMTEST page: how much the protocol of a swap matters at each message size; which to use."""

from __future__ import annotations

from typing import Any

from groma.analysis import PointSummary
from groma.analysis.compare import Comparison
from groma.analysis.order import MINIMUM_FOR_INTERVAL
from groma.catalog import packaged
from groma.catalog.references import names_in, reference, systems
from groma.programs.commtest.swaps import (
    WITHIN,
    Advice,
    Swaps,
    Way,
    advise,
    bandwidth_mb_s,
    heading,
    is_resolvable,
    swaps_of,
)
from groma.programs.study import Study
from groma.results import Run
from groma.text.charts import Chart, Curve
from groma.text.counts import counted
from groma.text.numbers import DASH
from groma.text.sizes import format_size
from groma.text.tables import Table

# Above this error COMMTEST's model misses a time by more than the time itself, and is of no use.
MODEL_ERROR_LIMIT = 1.0
UNRESOLVABLE = "not resolvable"
NO_MODEL = "!"
_WORDS = {"cache_inv": "caches swept before", "1_iter": "one call", "10_iter": "mean of ten calls"}
_DOCUMENT = "COMMTEST page"


def study(run: Run, summaries: list[PointSummary], against: tuple[str, ...] = ()) -> Study:
    """Return what to use, then COMMTEST's tables; `against` names published systems, whose figures stand beside."""
    all_swaps = swaps_of(summaries)
    advice = [(swaps, advise(swaps)) for swaps in all_swaps]
    return Study(
        title="COMMTEST: eleven protocols for a swap",
        sentences=[sentence for swaps, advised in advice for sentence in sentences(swaps, advised)],
        conditions=_conditions(run, all_swaps),
        tables=[
            *(_choices(swaps, advised) for swaps, advised in advice if not few_launches(advised)),
            *(_protocols(swaps) for swaps in all_swaps),
            *(_sensitivity(swaps, overlap) for swaps in all_swaps for overlap in swaps.overlaps),
            *(table for system in against for swaps in all_swaps for table in tables_beside(swaps, system)),
        ],
        charts=[_chart(swaps, overlap, against) for swaps in all_swaps for overlap in swaps.overlaps],
    )


def name_of(way: Way) -> str:
    """Return the operation's name without `swap/`, and whether it is overlapped."""
    names = {
        operation.swap.number: operation.name.removeprefix("swap/")
        for operation in packaged().operations
        if operation.swap is not None
    }
    return names[way.number] + (" with overlap" if way.overlap else "")


def sentences(swaps: Swaps, advice: Advice) -> list[str]:
    """Say which protocol to use from which message size on, what one for all sizes costs, and what a common one may."""
    if few_launches(advice):
        launches = counted(min(choice.launches for choice in advice.choices), "launch")
        enough = f"at least {MINIMUM_FOR_INTERVAL} are needed (--launches {MINIMUM_FOR_INTERVAL})"
        return [f"{heading(swaps)}: no recommendation. {launches} cannot separate protocols; {enough}."]
    parts = [f"{name_of(stretch.way)} {_span(stretch.sizes)}" for stretch in advice.stretches]
    way, worst, size = advice.throughout
    common, costliest = max(
        zip((choice.size for choice in advice.choices), advice.worst_common, strict=True),
        key=lambda item: item[1][1].ratio,
    )
    best = "" if len(advice.stretches) == 1 else f"The best one for all sizes is {name_of(way)}. "
    throughout = f"{best}It costs most at {format_size(size)}: {cost_words(worst)} times the fastest."
    costly = (
        f"The most expensive common choice is {name_of(costliest[0])} at {format_size(common)}: "
        f"{cost_words(costliest[1])} times the fastest."
    )
    return [f"{heading(swaps)}: use {', then '.join(parts)}.", throughout, costly]


def few_launches(advice: Advice) -> bool:
    """Return whether there are too few launches to recommend anything."""
    return min(choice.launches for choice in advice.choices) < MINIMUM_FOR_INTERVAL


def latency_words(latency: float | None) -> str:
    """Return a latency in microseconds, or that the times cannot give one; empty if it was not measured."""
    if latency is None:
        return ""
    return f"{latency:.2f}" if is_resolvable(latency) else UNRESOLVABLE


def error_words(error: float | None) -> str:
    """Return the model's error, marked if it says that the model does not hold."""
    if error is None:
        return ""
    return f"{error:.1%}" + (f" {NO_MODEL}" if error > MODEL_ERROR_LIMIT else "")


def doubts(swaps: Swaps) -> list[str]:
    """Say which latencies the times do not give, and for which the model does not hold; empty if all hold."""
    reached = [swaps.protocol(way) for way in swaps.points]
    most, fewer = (*swaps.messages, 0)[:2]
    notes = []
    if any(one.latency_us is not None and not is_resolvable(one.latency_us) for one in reached):
        notes.append(
            f"{UNRESOLVABLE}: {most} messages took no longer than {fewer}, so their difference, from which the latency "
            "is taken, is noise. More launches, or blocks of calls, make it smaller."
        )
    if any((one.model_error or 0.0) > MODEL_ERROR_LIMIT for one in reached):
        notes.append(
            f"{NO_MODEL} The model does not describe these times: its error exceeds {MODEL_ERROR_LIMIT:.0%}. Do not "
            "predict times by its latency and peak."
        )
    return notes


def cost_words(cost: Comparison) -> str:
    """Return the ratio with its interval, such as `1.32 (1.28 to 1.40)`."""
    interval = f" ({cost.interval.low:.2f} to {cost.interval.high:.2f})" if cost.interval else ""
    return f"{cost.ratio:.2f}{interval}"


def _span(sizes: tuple[int, ...]) -> str:
    first, last = format_size(sizes[0]), format_size(sizes[-1])
    return f"at {first}" if first == last else f"from {first} to {last}"


def _conditions(run: Run, all_swaps: list[Swaps]) -> list[tuple[str, str]]:
    lengths = sorted({swaps.bytes for swaps in all_swaps})
    variants = dict.fromkeys(swaps.variant for swaps in all_swaps)
    return [
        ("library", f"{run.meta.library.name} {run.meta.library.version}"),
        ("swap", " and ".join(map(format_size, lengths)) + " each way, pairs (0,1), (2,3), ... all at once"),
        ("variants", "; ".join(f"{name}: {_WORDS[name]}" for name in variants if name in _WORDS)),
        ("bandwidth", "both directions over the time of a swap, MB = 10^6 bytes"),
        ("latency", "(T of the most messages - T of half as many) over the messages between, in one direction"),
        ("model", "T = 2 V / peak + 2 k latency; the error is the largest over k, relative to T"),
        (
            "tied",
            "not shown slower than the fastest: permutation within launches, corrected for all protocols at a size",
        ),
        ("costs", "ratios within launches, with their 95% intervals"),
    ]


def _choices(swaps: Swaps, advice: Advice) -> Table:
    best = {size: stretch.way for stretch in advice.stretches for size in stretch.sizes}
    rows = []
    for choice, (worst, price) in zip(advice.choices, advice.worst_common, strict=True):
        tied = ", ".join(map(name_of, choice.alike[1:])) or "none"
        if len(choice.alike) > len(swaps.points) // 2:
            tied = f"{len(choice.alike) - 1} others"
        use, fastest = name_of(best[choice.size]), name_of(choice.fastest)
        rows.append([format_size(choice.size), use, fastest, tied, name_of(worst), cost_words(price)])
    notes = [
        f"At {format_size(after.sizes[0])}, staying with {name_of(before.way)} would cost {cost_words(price)} times "
        f"{name_of(after.way)}."
        for before, after, price in zip(advice.stretches, advice.stretches[1:], advice.changes, strict=False)
    ]
    headings = ["message", "use", "fastest", "tied with", "worst common choice", "its cost"]
    return Table(f"What to use: {heading(swaps)}", headings, rows, notes)


def _protocols(swaps: Swaps) -> Table:
    rows = []
    for way in swaps.points:
        reached = swaps.protocol(way)
        latency = latency_words(reached.latency_us).rjust(len(UNRESOLVABLE))
        peak = f"{reached.peak_mb_s:.2f}"
        rows.append([f"{way.number} {name_of(way)}", peak, latency, error_words(reached.model_error)])
    headings = ["protocol", "peak MB/s", "latency [\u00b5s]", "model error"]
    return Table(f"Protocols: {heading(swaps)}", headings, rows, doubts(swaps), fold="Protocols one by one")


def _sensitivity(swaps: Swaps, overlap: bool) -> Table:
    headings = ["message", "min s", "s/message", "max MB/s", "mean", "median", "max", "five fastest"]
    headings += [f"within {share:.0%}" for share in WITHIN]
    rows = []
    for k, line in swaps.sensitivities(overlap).items():
        excesses = (line.mean_excess, line.median_excess, line.maximum_excess)
        rows.append(
            [
                format_size(swaps.bytes // k),
                f"{line.minimum_s:.4e}",
                f"{line.per_message_s:.4e}",
                f"{line.bandwidth_mb_s:.2f}",
                *(f"{excess:.2f}" for excess in excesses),
                " ".join(map(str, line.fastest)),
                *map(str, line.within),
            ]
        )
    notes = ["Mean, median and max: over protocols, less the minimum, relative to it; protocols by their numbers."]
    if overlap:
        notes.append("Protocols without overlap are shown as measured.")
    title = f"Protocol sensitivity: {heading(swaps, overlap)}"
    return Table(title, headings, rows, notes, fold="Sensitivity to the choice of a protocol")


def _chart(swaps: Swaps, overlap: bool, against: tuple[str, ...]) -> Chart:
    curves = [
        Curve.of(
            name_of(Way(number)),
            [
                (swaps.bytes // k, bandwidth_mb_s(swaps.bytes, points[k].time_ns / 1e9))
                for k in sorted(points, reverse=True)
            ],
        )
        for number, points in swaps.group(overlap).items()
    ]
    published = [curve for system in against if (curve := best_curve(swaps, overlap, system))]
    return Chart(heading(swaps, overlap), "message size", "MB/s", [*curves, *published])


def reference_systems() -> list[str]:
    """Return the systems whose swaps were published."""
    return systems(*names_in(_DOCUMENT))


def best_curve(swaps: Swaps, overlap: bool, system: str) -> Curve | None:
    """Return the best published bandwidth of each message size over all protocols, in MB/s; None for other variants."""
    rows = _rows(swaps, system, overlap=overlap, quantity="maximum_bandwidth")
    points = sorted((row["bytes"], row["value"]) for row in rows)
    return Curve.of(f"{system}, its best", points, reference=True) if points else None


def tables_beside(swaps: Swaps, system: str) -> list[Table]:
    """Return the tables that set a run's swaps beside the published ones; none for variants that COMMTEST lacks."""
    size_tables = [_by_size(swaps, overlap, system) for overlap in swaps.overlaps]
    return [table for table in [*size_tables, _by_protocol(swaps, system)] if table.rows]


def _by_size(swaps: Swaps, overlap: bool, system: str) -> Table:
    best_rows = _rows(swaps, system, overlap=overlap, quantity="maximum_bandwidth")
    best = {row["bytes"]: row["printed"] for row in best_rows}
    fastest: dict[int, list[str]] = {}
    placed = _rows(swaps, system, overlap=overlap, quantity="protocol")
    for row in sorted(placed, key=lambda row: (row["place"] is None, row["place"])):
        fastest.setdefault(row["bytes"], []).append(row["printed"])
    measured = {swaps.bytes // k: line for k, line in swaps.sensitivities(overlap).items()}
    cells = [
        [
            format_size(size),
            f"{measured[size].bandwidth_mb_s:.2f}" if size in measured else DASH,
            best.get(size, DASH),
            " ".join(map(str, measured[size].fastest)) if size in measured else DASH,
            " ".join(fastest.get(size, [DASH])),
        ]
        for size in sorted({*measured, *best})
    ]
    return Table(
        f"Beside {system}: {heading(swaps, overlap)}",
        ["message", "max MB/s", f"{system}: max MB/s", "five fastest", f"{system}: five fastest"],
        cells if best else [],
        [f"{system} swapped 2,097,152 bytes each way; protocols by their numbers, the fastest first."],
    )


def _by_protocol(swaps: Swaps, system: str) -> Table:
    cells = []
    for way in sorted(swaps.points):
        rows = _rows(swaps, system, overlap=way.overlap, protocol=way.number)
        published = {row["quantity"]: row["printed"] for row in rows}
        reached = swaps.protocol(way)
        if published:
            cells.append(
                [
                    f"{way.number}{' with overlap' if way.overlap else ''}",
                    f"{reached.peak_mb_s:.2f}",
                    published["peak_bandwidth"],
                    DASH if reached.latency_us is None else f"{reached.latency_us:.2f}",
                    published["estimated_latency"],
                ]
            )
    return Table(
        f"Beside {system}: {heading(swaps)}, each protocol",
        ["protocol", "peak MB/s", f"{system}: peak MB/s", "latency [\u00b5s]", f"{system}: latency [\u00b5s]"],
        cells,
        ["A latency below zero is not a result: the times do not show the cost of a message."],
    )


def _rows(swaps: Swaps, system: str, **keys: object) -> list[dict[str, Any]]:
    return reference(*names_in(_DOCUMENT), system=system, variant=swaps.variant, **keys)
