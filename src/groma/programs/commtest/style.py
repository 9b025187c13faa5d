"""As COMMTEST printed: a header, every protocol's bandwidth, latency and model error, then six protocol summaries.

The lines are those of the COMMTEST page, with spaces between columns, which the page had lost. Protocols are listed by
number. Summaries with overlap show protocols without overlap as measured. Results that the page did not have come last:
which protocols are tied with the fastest, where to change, and what it costs.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from groma.programs.commtest.study import (
    cost_words,
    doubts,
    error_words,
    few_launches,
    latency_words,
    name_of,
    sentences,
)
from groma.programs.commtest.swaps import (
    WITHIN,
    Sensitivity,
    Swaps,
    Way,
    advise,
    bandwidth_mb_s,
    latency_us,
    model_error,
    sensitivity,
    swaps_of,
    times_s,
)
from groma.programs.sheet import Style, datatype
from groma.results.fields import meanings_of

if TYPE_CHECKING:
    from groma.analysis import PointSummary
    from groma.programs.sheet import Sheet

_VARIANTS = {"cache_inv": "cache inv.", "1_iter": "1 iter.", "10_iter": "10 iter."}
_SUMMARIES = {"cache_inv": "cache inv.", "1_iter": "1 iterations", "10_iter": "10 iterations"}
_TITLES = (
    "simple swap",
    "swap using nonblocking send",
    "swap using nonblocking receive",
    "swap using nonblocking send and receive",
    "swap using ready send",
    "swap using nonblocking ready send",
    "synchronous",
    "swap using nonblocking sync. send",
    "swap using nonblocking receive with sync. send",
    "swap using nonblocking sync. send and receive",
    "simple swap using sync. send",
)
_SYNCHRONOUS = 6


def _write(sheet: Sheet) -> None:
    all_swaps = swaps_of(point for curve in sheet.curves for point in curve.points)
    for key in dict.fromkeys(map(_page, all_swaps)):
        page = [swaps for swaps in all_swaps if _page(swaps) == key]
        page.sort(key=lambda swaps: [*_VARIANTS, swaps.variant].index(swaps.variant))
        _header(sheet, page)
        for number in range(len(_TITLES)):
            _protocol(sheet, page, number)
        notes = dict.fromkeys(sentence for swaps in page for sentence in doubts(swaps))
        sheet.write(*([""] if notes else []), *notes)
        for overlap in (False, True):
            for swaps in page:
                if not overlap or swaps.has_overlap():
                    _summary(sheet, swaps, overlap)
        for swaps in page:
            _choice(sheet, swaps)
    for curve in sheet.curves:
        if curve.operation.swap is None:
            sheet.leave_out(curve)


def _page(swaps: Swaps) -> tuple[object, ...]:
    return swaps.ranks, swaps.member_count, swaps.bytes, swaps.order, swaps.environment


def _header(sheet: Sheet, all_swaps: list[Swaps]) -> None:
    run, swaps = sheet.run, all_swaps[0]
    first = _any_point(swaps)
    node = next((launch.nodes.nodes[0] for launch in run.launches if launch.nodes and launch.nodes.nodes), None)
    library = next(
        (f"{launch.start.library.name} {launch.start.library.version}" for launch in run.launches if launch.start),
        "MPI",
    )
    (most, fewer), fewest = (*swaps.messages, 0)[:2], swaps.messages[-1]
    location = "within a node" if first.hosts == 1 else f"on {first.hosts} nodes"
    sheet.write(
        "",
        f"{run.meta.host} SWAP Performance",
        f"({swaps.order} swap of {swaps.bytes / 2**20:g}MB message using MPI {location})",
        "(performance measured per processor when all processors communicate with neighboring processor)",
        f"Date: {_date(run.meta.created)}",
        f"Platform: {run.meta.host}: {f'{node.cpus}-way {node.cpu_model}' if node else 'not recorded'}",
        f"Environment: {', '.join(filter(None, [node.kernel if node else 'not recorded', swaps.environment]))}",
        f"Communication Library: {library}",
        f"SWAP size: {_values(first, swaps.bytes)} each direction",
        f"Message size: Largest - {_values(first, swaps.bytes // fewest)}",
        f"Smallest - {_values(first, swaps.bytes // most)}",
        f"Processors: i and i+1, i={','.join(str(rank) for rank in range(0, swaps.member_count, 2))}",
        f"Latency Definition:(T{most}-T{fewer})/{most - fewer}",
        f"Model Error Range:[{fewest},{most}]",
        "# T_k: half the time of a swap of V bytes each way in k messages. Bandwidth: V / T_k, the largest over k.",
        "# Model: T_k = V / peak bandwidth + k x latency. Error: the largest of |T_k - model| / T_k over k.",
        "Results:",
    )


def _protocol(sheet: Sheet, all_swaps: list[Swaps], number: int) -> None:
    lines = []
    for overlap in (False, True):
        for swaps in all_swaps:
            points = swaps.points.get(Way(number, overlap))
            if points is None:
                continue
            times = times_s(points)
            peak = max(bandwidth_mb_s(swaps.bytes, time) for time in times.values())
            latency, error = latency_us(times), model_error(times)
            label = _VARIANTS.get(swaps.variant, swaps.variant) + (" w/overlap" if overlap else "")
            rest = f"{latency_words(latency):>20}{error_words(error):>20}" if latency is not None else ""
            lines.append(f"{label:<21}{peak:>25.2f}{rest}")
    if lines:
        title = _TITLES[number] if number == _SYNCHRONOUS else f"{all_swaps[0].order} {_TITLES[number]}"
        sheet.write(
            "",
            title.replace("simple simple", "simple"),
            "Data Statistics",
            f"{'':<21}{'unidirectional bandwidth':>25}{'estimated latency':>20}{'model error':>20}",
            f"{'':<21}{'(peak MByte/sec)':>25}{'(usec/msg)':>20}{'(max. rel. error)':>20}",
            *lines,
        )


def _summary(sheet: Sheet, swaps: Swaps, overlap: bool) -> None:
    group = swaps.group(overlap)
    lines = {
        k: sensitivity(times_s({n: points[k] for n, points in group.items() if k in points}), swaps.bytes, k)
        for k in swaps.messages
    }
    name = _SUMMARIES.get(swaps.variant, swaps.variant) + (" with overlap" if overlap else "/no overlap")
    ordinals = "".join(f"{ordinal:>5}" for ordinal in ("1st", "2nd", "3rd", "4th", "5th"))
    sheet.write(
        "",
        f"Protocol Sensitivity Summary for Unidirectional Swap of {swaps.bytes} Bytes ({name})",
        "Runtime Statistics",
        f"{'Msg Size':>9}{'min Sec':>13}{'min Sec/Msg':>13}{'max MBytes/Sec':>16}"
        f"{'(mean-min)/min':>16}{'(median-min)/min':>18}{'(max-min)/min':>15}",
        *(_statistics(swaps.bytes // k, line) for k, line in lines.items()),
        "Five Fastest",
        "Protocols",
        f"{'Msg Size':>9}{ordinals}",
        *(f"{swaps.bytes // k:>9}" + "".join(f"{n:>5}" for n in line.fastest) for k, line in lines.items()),
        "Number of Protocols With",
        "Runtimes Within X% of Min",
        f"{'Msg Size':>9}" + "".join(f"{f'{share:.0%}':>5}" for share in WITHIN),
        *(f"{swaps.bytes // k:>9}" + "".join(f"{n:>5}" for n in line.within) for k, line in lines.items()),
    )


def _statistics(size: int, line: Sensitivity) -> str:
    return (
        f"{size:>9}{line.minimum_s:>13.4e}{line.per_message_s:>13.4e}{line.bandwidth_mb_s:>16.2f}"
        f"{line.mean_excess:>16.2f}{line.median_excess:>18.2f}{line.maximum_excess:>15.2f}"
    )


def _choice(sheet: Sheet, swaps: Swaps) -> None:
    advice = advise(swaps)
    too_few = few_launches(advice)
    sheet.write("", f"Protocol Choice ({_SUMMARIES.get(swaps.variant, swaps.variant)}); w: with overlap")
    if not too_few:
        best = {size: stretch.way for stretch in advice.stretches for size in stretch.sizes}
        sheet.write(f"{'Msg Size':>9}{'use':>5}   {'worst common choice':<27}tied with the fastest, fastest first")
        for choice, (worst, price) in zip(advice.choices, advice.worst_common, strict=True):
            costs = f"{_short(worst)}: {cost_words(price).removesuffix(' times')}"
            tied = " ".join(map(_short, choice.alike))
            sheet.write(f"{choice.size:>9}{_short(best[choice.size]):>5}   {costs:<27}{tied}")
    sheet.write(*sentences(swaps, advice))
    if too_few:
        return
    for before, after, price in zip(advice.stretches, advice.stretches[1:], advice.changes, strict=False):
        sheet.write(
            f"At {after.sizes[0]} bytes, {name_of(before.way)} would take {cost_words(price)} as long as "
            f"{name_of(after.way)}."
        )


def _short(way: Way) -> str:
    return f"{way.number}{'w' if way.overlap else ''}"


def _any_point(swaps: Swaps) -> PointSummary:
    return next(iter(next(iter(swaps.points.values())).values()))


def _values(point: PointSummary, size: int) -> str:
    kind = str(point.point["datatype"])
    if kind == "double":
        return f"{size // 8} REAL*8 floating point values"
    return f"{size // meanings_of(point.point).catalog.element_bytes(kind)} {datatype(point)} values"


def _date(text: str) -> str:
    try:
        return datetime.fromisoformat(text).strftime("%B %d, %Y").replace(" 0", " ")
    except ValueError:
        return text


STYLE = Style(
    program="COMMTEST",
    write=_write,
    profile="commtest",
)
