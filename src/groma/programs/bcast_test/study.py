"""The study of the JET page: which length of a segment is best for a broadcast, and what it gains over the smallest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from groma.analysis import PointSummary
from groma.analysis.compare import Comparison, compare
from groma.analysis.compare.fastest import choose
from groma.analysis.order import MINIMUM_FOR_INTERVAL
from groma.catalog.references import reference, systems
from groma.programs.bcast_test.transfers import Transfers, buffers, transfers
from groma.programs.study import Study
from groma.results import Run
from groma.text.charts import Chart, Curve
from groma.text.counts import counted
from groma.text.numbers import DASH, significant
from groma.text.sizes import format_size
from groma.text.tables import Table

_NS_A_MS = 1e6
_COLUMNS = (("Tmax", Transfers.slowest_ns), ("Tmin", Transfers.fastest_ns))  # as the program calls them
_CONDITIONS = [
    ("transfer", "one rank's time for the whole buffer; the root does not count"),
    (
        "gain",
        "time within which 90% of a launch's transfers are over, smallest segments over best, within launches",
    ),
    ("tied", "not shown slower than the best: permutation within launches, corrected for all lengths"),
    ("Tmax, Tmin", "slowest and fastest rank but the root: medians over launches"),
]
_TABLE = "jet_bcast_sample"


def study(run: Run, summaries: list[PointSummary], against: tuple[str, ...] = ()) -> Study | None:
    """Return which segments are best; None if single ranks' transfers were not recorded.

    `against` names published systems, whose sample stands beside.
    """
    del summaries  # medians over ranks: the study is of single ranks
    titled = buffers([replace(part, variant=None) for part in transfers(run)])
    if not titled:
        return None
    by_name = {", ".join(filter(None, [run.meta.host, title])): parts for title, parts in titled.items()}
    samples = {system: published(system) for system in against}
    return Study(
        title="Broadcast test: one buffer in segments",
        sentences=[
            *(sentence(gain_of(parts), name if len(by_name) > 1 else "") for name, parts in by_name.items()),
            *(
                f"{system}, a sample of {counted(sample[0].ranks, 'process')}: {_claim(gain_of(sample))}."
                for system, sample in samples.items()
            ),
        ],
        conditions=_CONDITIONS,
        tables=[_beside(system, sample, by_name) for system, sample in samples.items()],
        charts=[_chart(by_name, samples)],
    )


def sentence(result: Gain, name: str = "") -> str:
    """Say which segments are best, and how many times as fast they are as the smallest, with the interval."""
    claim = _claim(result)
    if result.gain.interval is None:
        give = "gives" if result.launches == 1 else "give"
        claim += f"; {counted(result.launches, 'launch')} {give} no interval, which takes {MINIMUM_FOR_INTERVAL}"
    elif result.tied:
        claim += f"; tied: {', '.join(format_size(part.segment_bytes) for part in result.tied)}"
    return f"{name}: {claim}." if name else f"{claim[0].upper()}{claim[1:]}."


def _claim(result: Gain) -> str:
    best, smallest, interval = result.best, result.smallest, result.gain.interval
    if best is smallest:
        return f"segments of {format_size(best.segment_bytes)}, the smallest, are best"
    best_words = f"segments of {format_size(best.segment_bytes)} ({best.segments} of them) are best"
    if best.segments == 1:
        best_words = "the whole buffer at once is best"
    bounds = f" ({interval.text(3)})" if interval else ""
    times = f"{significant(result.gain.ratio, 3)}{bounds} times"
    return f"{best_words}, {times} as fast as segments of {format_size(smallest.segment_bytes)}"


def _beside(system: str, sample: list[Transfers], campaigns: dict[str, list[Transfers]]) -> Table:
    """Return the original's columns Tmax and Tmin of every campaign and of a published sample, in milliseconds."""
    columns = [*campaigns.values(), sample]
    by_length = [{(part.segments, part.segment_bytes): part for part in parts} for parts in columns]
    labelled = len(campaigns) > 1
    names = [f"{name}: " if labelled else "" for name in campaigns] + [f"{system}: "]
    rows = []
    for segments, length in sorted({key for parts in by_length for key in parts}):
        cells = [str(segments), format_size(length)]
        for parts in by_length:
            part = parts.get((segments, length))
            cells += [DASH if part is None else significant(time(part) / _NS_A_MS) for _, time in _COLUMNS]
        rows.append(cells)
    headings = ["segments", "of", *(f"{name}{heading} ms" for name in names for heading, _ in _COLUMNS)]
    note = f"{system}: one run of {counted(sample[0].ranks, 'process')}, {sample[0].bytes:,} bytes in all."
    return Table(f"Slowest and fastest process, beside {system}", headings, rows, [note])


def _chart(campaigns: dict[str, list[Transfers]], samples: dict[str, list[Transfers]]) -> Chart:
    curves = []
    for group, is_reference in ((campaigns, False), (samples, True)):
        for name, parts in group.items():
            ascending = sorted(parts, key=lambda part: part.segment_bytes)
            for heading, time in _COLUMNS:
                points = [(part.segment_bytes, time(part) / _NS_A_MS) for part in ascending]
                curves.append(Curve.of(f"{name}, {heading}", points, reference=is_reference))
    return Chart("Slowest and fastest process", "length of a segment", "ms", curves)


def reference_systems() -> list[str]:
    """Return the systems whose broadcasts in segments were published."""
    return systems(_TABLE)


def published(system: str) -> list[Transfers]:
    """Return the system's transfers, one launch of one repetition, by the number of segments.

    The root is the process that stands first, as in the program's output.
    """
    times = reference(_TABLE, system=system, quantity="time")
    root = times[0]["host"]
    samples = []
    for segments in sorted({row["segments"] for row in times}):
        rows = [row for row in times if row["segments"] == segments]
        others_times = np.array([[row["value"] * 1e6] for row in rows if row["host"] != root])
        samples.append(Transfers(segments * rows[0]["bytes"], segments, len(rows), None, {1: others_times}))
    return samples


@dataclass(frozen=True)
class Gain:
    """The best way to divide a buffer, those that are tied with it, and the smallest segments' time over its own.

    `launches` measured all ways; with fewer than six of them no way is found slower, and the gain has no interval.
    """

    best: Transfers
    tied: tuple[Transfers, ...]
    smallest: Transfers
    gain: Comparison
    launches: int


def gain_of(parts: Sequence[Transfers]) -> Gain:
    """Compare ways to divide one buffer among the same ranks; one way at least.

    A launch's figure for one length is the time within which 90 % of its transfers are over, because all ranks wait for
    the slow ones. The best length is the one with the smallest median over launches. Its gain is a ratio within
    launches, so that a disturbance of a whole launch cancels.
    """
    ways = {part.segments: part.within_launches() for part in parts}
    by_segments = {part.segments: part for part in parts}
    smallest = by_segments[max(ways)]
    choice = choose(smallest.bytes, ways)
    return Gain(
        best=by_segments[choice.fastest],
        tied=tuple(by_segments[segments] for segments in choice.alike[1:]),
        smallest=smallest,
        gain=compare(ways[smallest.segments], ways[choice.fastest]),
        launches=choice.launches,
    )
