"""Remedies for doubtful figures and verdicts: the settings and commands that help."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from groma.analysis.compare import Judged
from groma.analysis.compare.family import MOST_NAMED
from groma.analysis.grouping import grouped
from groma.analysis.summary import PointSummary
from groma.results.fields import meanings_of
from groma.text.counts import counted

# How many times as much is proposed: twice may be too little for phases of which too few were seen.
_TIMES = 4
# What ended the measurement is read from the records of at most this number of points.
_MOST_READ = 20


def measure_longer(points: Sequence[PointSummary]) -> str:
    """Return the settings that give points more samples, by what ended their measurement: `--set slot_s=2`."""
    return _settings(points, _limit)


def settle_longer(points: Sequence[PointSummary]) -> str:
    """Return the settings that give points more calls before their samples: `--set settle_s=2`."""
    return _settings(points, lambda point: "settle_s" if _field(point, "stop") in ("ci", "time") else "warmups")


def lengthen_blocks(points: Sequence[PointSummary]) -> str:
    """Return the settings that let blocks be longer: `--set slot_s=2`; their length if a slot does not limit it."""
    return _settings(points, lambda point: "slot_s" if _field(point, "stop") in ("ci", "time") else "block")


def further_launches(judged: Iterable[Judged]) -> list[str]:
    """Say how many launches of each side would decide what has no verdict, and which command makes them.

    Nothing if everything is decided, or would need more launches than anybody makes.
    """
    undecided = [verdict for verdict in judged if verdict.verdict == "not decided" and verdict.in_one_state]
    totals = [verdict.comparison.launches + verdict.further_launches for verdict in undecided
              if verdict.further_launches <= MOST_NAMED]  # fmt: skip
    if not totals:
        return []
    decided = "all of them" if len(totals) == len(undecided) else f"{len(totals)} of {len(undecided)} undecided ratios"
    return [f"About {counted(max(totals), 'launch')} of each would decide {decided}: {resume(max(totals))}."]


def resume(launches: int) -> str:
    """Return the command that adds launches to a run until it has `launches` of each rank count and variant."""
    return f"groma run --resume RUN --launches {launches}"


def _limit(point: PointSummary) -> str:
    """Return the setting that ended the measurement of a point, in its first launch."""
    stop, stopped_by = _field(point, "stop"), point.launches[0].record.stopped_by
    if stop == "reps":
        return "repetitions"
    return {"repetitions": "max_repetitions", "precision": "stop"}.get(stopped_by, "slot_s")


def _settings(points: Sequence[PointSummary], choose: Callable[[PointSummary], str]) -> str:
    """Return the options that set what was chosen for each point to several times the most that any of them had."""
    by_name = grouped(points[:_MOST_READ], choose)
    return " ".join(f"--set {name}={_proposed(name, some)}" for name, some in by_name.items())


def _proposed(name: str, points: Sequence[PointSummary]) -> str:
    if name == "stop":
        return "time"  # until the slot is over, however narrow the interval
    if name == "block":
        return str(_TIMES * max(int(point.rows["repetitions_per_sample"].max()) for point in points))
    return f"{_TIMES * max(float(_field(point, name)) for point in points):g}"


def _field(point: PointSummary, name: str) -> Any:  # noqa: ANN401 - as the catalogue says
    """Return a setting of a point; an older record lacks those that have their default."""
    return point.point.get(name, meanings_of(point.point).catalog.field(name).default)
