"""A run's figures as OpenMetrics, for a monitoring system."""

from __future__ import annotations

import datetime as dt
from collections import Counter

from groma.analysis import PointSummary, checks, summarise
from groma.analysis.grouping import relevant_fields
from groma.analysis.order import Interval
from groma.analysis.series import point_labels
from groma.results import Run
from groma.text.openmetrics import Gauge, Labels, written

_NS, _MB = 1e-9, 1e6


def run_as_openmetrics(run: Run) -> str:
    """Return times and rates of every point with their intervals, when the run was made, its checks and its gaps."""
    points = summarise(run)
    of_run = run_labels(run)
    found = Counter(check.state for check in checks(run, points))
    made = dt.datetime.fromisoformat(run.meta.created).timestamp()
    return written(
        [
            *_quantities(points),
            Gauge("groma_run_timestamp_seconds", "When the run was made.", [(of_run, made)]),
            Gauge("groma_gaps", "Launches and points that are missing.", [(of_run, len(run.missing()))]),
            Gauge(
                "groma_checks",
                "Checks of the run by their state.",
                [({**of_run, "state": state}, found[state]) for state in ("good", "warn", "bad", "unknown")],
            ),
        ]
    )


def run_labels(run: Run) -> dict[str, str]:
    """Return host, library, version and name of a run; several libraries are joined."""
    starts = [launch.start.library for launch in run.launches if launch.start is not None]
    known = dict.fromkeys((library.name, library.version) for library in starts)
    names, versions = (" and ".join(dict.fromkeys(part)) for part in zip(*known, strict=True)) if known else ("", "")
    return {"host": run.meta.host, "library": names, "version": versions, "run": run.path.name}


def place_of(point: PointSummary, label: str) -> dict[str, str]:
    """Return the labels of a point: its own, and those of the launches that measured it."""
    run, start = point.table.run, point.first_launch.start
    of_run = run_labels(run) if run else {}
    of_launch = {"library": start.library.name, "version": start.library.version} if start else {}
    own = {"point": label, "operation": point.operation, "bytes": _text(point.bytes), "ranks": str(point.ranks)}
    further = {
        "variant": point.variant or "",
        "swap_messages": _text(relevant_fields(point.point).get("swap_messages")),
    }
    return {**own, **further, **of_run, **of_launch}


def _text(number: object) -> str:
    return "" if number is None else str(number)


def _quantities(points: list[PointSummary]) -> list[Gauge]:
    labels = [place_of(point, label) for point, (label, _) in zip(points, point_labels(points), strict=True)]
    gauges = []
    for name, meaning, column, factor in (
        ("groma_time%s_seconds", "Time of the point", "time_ns", _NS),
        ("groma_bandwidth%s_bytes_per_second", "Bandwidth of the point", "bandwidth_mb_s", _MB),
        ("groma_messages%s_per_second", "Message rate of the point", "messages_per_s", 1.0),
    ):
        values = [(place, point.value(column)) for place, point in zip(labels, points, strict=True)]
        gauges.append(Gauge(name % "", f"{meaning}.", _known(values, factor)))
        intervals = [point.interval if column == "time_ns" else point.rate_interval(column) for point in points]
        for end, words in (("low", "Lower"), ("high", "Upper")):
            ends = [(place, _end(own, end)) for place, own in zip(labels, intervals, strict=True)]
            gauges.append(Gauge(name % f"_{end}", f"{words} end of its interval.", _known(ends, factor)))
    return gauges


def _end(interval: Interval | None, end: str) -> float | None:
    return None if interval is None else float(getattr(interval, end))


def _known(values: list[tuple[dict[str, str], float | None]], factor: float) -> list[tuple[Labels, float | None]]:
    """Return values times a factor; operations that move nothing have no rate."""
    return [(place, value * factor if value else None) for place, value in values]
