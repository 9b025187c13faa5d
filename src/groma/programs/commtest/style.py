"""As COMMTEST printed: a header, every protocol's bandwidth, latency and model error, then six protocol summaries.

The lines are those of the COMMTEST page, with spaces between columns, which the page had lost. Protocols are listed by
number. Summaries with overlap show protocols without overlap as measured. Results that the page did not have come last:
which protocols are tied with the fastest, where to change, and what it costs.
"""

from __future__ import annotations

import functools
from datetime import datetime
from pathlib import Path

from groma.analysis import PointSummary
from groma.programs.commtest.study import (
    cost_words,
    doubts,
    error_words,
    few_launches,
    latency_words,
    name_of,
    sentences,
)
from groma.programs.commtest.swaps import WITHIN, Swaps, Way, advise, swaps_of
from groma.programs.sheet import Sheet, Style, datatype
from groma.results import Run
from groma.results.fields import meanings_of
from groma.text.templates import plain_templates

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
    for key in dict.fromkeys(map(_settings, all_swaps)):
        page = [swaps for swaps in all_swaps if _settings(swaps) == key]
        page.sort(key=lambda swaps: [*_VARIANTS, swaps.variant].index(swaps.variant))
        template = plain_templates(Path(__file__).parent).get_template("page.jinja")
        sheet.write(*template.render(_page(sheet.run, page)).splitlines())
        for swaps in page:
            _choice(sheet, swaps)
    for curve in sheet.curves:
        if curve.operation.swap is None:
            sheet.leave_out(curve)


def _settings(swaps: Swaps) -> tuple[object, ...]:
    return swaps.ranks, swaps.member_count, swaps.bytes, swaps.order, swaps.environment


def _page(run: Run, page: list[Swaps]) -> dict[str, object]:
    """Return the head of a page, every protocol's table, then the summaries, with their titles."""
    swaps, first = page[0], next(iter(next(iter(page[0].points.values())).values()))
    libraries = [launch.start.library for launch in run.launches if launch.start]
    protocols = {_title(swaps, number): _protocol(page, number) for number in range(len(_TITLES))}
    return {
        "run": run.meta,
        "swaps": swaps,
        "node": next((launch.nodes.nodes[0] for launch in run.launches if launch.nodes and launch.nodes.nodes), None),
        "hosts": first.hosts,
        "date": _date(run.meta.created),
        "library": f"{libraries[0].name} {libraries[0].version}" if libraries else "MPI",
        "values": functools.partial(_values, first),
        "fewer": (*swaps.messages, 0)[1],
        "protocols": [(title, lines) for title, lines in protocols.items() if lines],
        "doubts": list(dict.fromkeys(sentence for swaps in page for sentence in doubts(swaps))),
        "summaries": [
            (
                _SUMMARIES.get(swaps.variant, swaps.variant) + (" with overlap" if overlap else "/no overlap"),
                [(swaps.bytes // k, line) for k, line in swaps.sensitivities(overlap).items()],
            )
            for overlap in (False, True)
            for swaps in page
            if overlap in swaps.overlaps
        ],
        "shares": WITHIN,
    }


def _title(swaps: Swaps, number: int) -> str:
    if number == _SYNCHRONOUS:
        return _TITLES[number]
    return f"{swaps.order} {_TITLES[number]}".replace("simple simple", "simple")


def _protocol(page: list[Swaps], number: int) -> list[str]:
    """Return a line for each variant of one protocol, those with overlap last."""
    lines = []
    for way in (Way(number), Way(number, overlap=True)):
        for swaps in page:
            if way not in swaps.points:
                continue
            reached = swaps.protocol(way)
            label = _VARIANTS.get(swaps.variant, swaps.variant) + (" w/overlap" if way.overlap else "")
            rest = f"{latency_words(reached.latency_us):>20}{error_words(reached.model_error):>20}"
            lines.append(f"{label:<21}{reached.peak_mb_s:>25.2f}{rest}")
    return lines


def _choice(sheet: Sheet, swaps: Swaps) -> None:
    advice = advise(swaps)
    too_few = few_launches(advice)
    sheet.write("", f"Protocol Choice ({_SUMMARIES.get(swaps.variant, swaps.variant)}); w: with overlap")
    if not too_few:
        best = {size: stretch.way for stretch in advice.stretches for size in stretch.sizes}
        sheet.write(f"{'Msg Size':>9}{'use':>5}   {'worst common choice':<27}tied with the fastest, fastest first")
        for choice, (worst, price) in zip(advice.choices, advice.worst_common, strict=True):
            costs = f"{_short(worst)}: {cost_words(price)}"
            tied = " ".join(map(_short, choice.alike))
            sheet.write(f"{choice.size:>9}{_short(best[choice.size]):>5}   {costs:<27}{tied}")
    sheet.write(*sentences(swaps, advice))
    if too_few:
        return
    for before, after, price in zip(advice.stretches, advice.stretches[1:], advice.changes, strict=False):
        sheet.write(
            f"At {after.sizes[0]} bytes, {name_of(before.way)} would take {cost_words(price)} times as long as "
            f"{name_of(after.way)}."
        )


def _short(way: Way) -> str:
    return f"{way.number}{'w' if way.overlap else ''}"


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


STYLE = Style(program="COMMTEST", write=_write, profile="commtest")
