"""A first file of limits from runs: every headline figure, with a bound on its bad side that such runs can decide."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from groma.analysis.compare import SIGNIFICANCE, Paired
from groma.analysis.components import MINIMUM_RUNS
from groma.analysis.distributions import student_quantile
from groma.analysis.grouping import EFFORT_FIELDS, relevant_fields
from groma.analysis.headline import quantity_of
from groma.analysis.limits.judging import Measured, hosts_of, logs_of, points_of
from groma.analysis.limits.reading import Limit
from groma.analysis.limits.units import OWN, factor, figures
from groma.analysis.order import CONFIDENCE, MINIMUM_FOR_INTERVAL
from groma.errors import InputError
from groma.results import Run
from groma.text.counts import counted

_FIGURES = {"time": "time_ns", "bandwidth": "bandwidth_mb_s", "message rate": "messages_per_s"}
_NOT_SETTINGS = EFFORT_FIELDS | {"operation", "bytes", "ranks", "twin", "added_ns"}


def first_file(runs: Sequence[Run], margin: float, system: str = "", doubts: Sequence[str] = ()) -> str:
    """Return the text of a file of limits; raises InputError if the runs have no figures, or too few launches.

    The figure of each point is its headline, its value the median of the launches, or the mean of several runs. The
    system is called as asked, or like the first host; it is of all hosts of the runs. `doubts` are said in its head.
    """
    found = points_of(runs)
    if not found:
        raise InputError(f"{runs[0].path} has no figures; name runs that measured something")
    hosts = list(dict.fromkeys(host for run in runs for host in hosts_of(run)))
    name = system or hosts[0].partition(".")[0]
    rows = [_row(own, found, margin, name) for own in found]
    widened = sum("#" in row for row in rows)
    head = [
        f"# From {', '.join(run.path.name for run in runs)}.",
        *(f"# {doubt}" for doubt in doubts),
        f"# Times may be {100 * margin:g} % longer, rates {100 * margin:g} % smaller.",
        *([f"# {counted(widened, 'limit')} with a comment: runs like these decide nothing nearer."] if widened else []),
        *(["# One run or two hardly show how much runs differ; three do."] if len(runs) < MINIMUM_RUNS else []),
        f"systems = {{{json.dumps(name)} = {json.dumps(hosts)}}}",
        "limit = [",
    ]
    return "\n".join([*head, *rows, "]", ""])


def _row(own: Measured, found: Sequence[Measured], margin: float, system: str) -> str:
    """Return one limit as a line of the file."""
    point = own.point
    figure = figures()[_FIGURES[quantity_of(point)]]
    unit, is_time = OWN[figure.unit], figure.unit == "ns"
    limit = Limit({}, figure, 1.0, unit, factor(figure, unit))
    logs = [logs_of(limit, points) for points in own.units]
    if min(one.size for one in logs) < MINIMUM_FOR_INTERVAL:
        raise InputError(
            f"{point.operation} has {counted(min(one.size for one in logs), 'launch')} in a run; limits need "
            f"{MINIMUM_FOR_INTERVAL} or more (groma run --launches)"
        )
    reach = _needed(logs, len(found)) + math.log1p(point.number("step_ns") / point.time_ns)
    needed = math.expm1(reach) if is_time else -math.expm1(-reach)
    fraction = max(margin, min(1.0 if not is_time else math.inf, math.ceil(100 * needed) / 100))
    keys: dict[str, object] = {"system": system, "operation": point.operation}
    keys |= {} if point.bytes is None else {"bytes": int(point.point["bytes"])}
    keys |= {"ranks": point.member_count} | ({"variant": point.variant} if point.variant else {})
    keys |= ({"profile": own.profile} if own.profile else {}) | _settings(own, found)
    keys["value"] = float(f"{math.exp(np.mean([np.median(one) for one in logs])):.4g}")
    keys |= {"unit": unit, **({"upper": fraction} if is_time else {"lower": -fraction})}
    note = f"  # {100 * fraction:.0f} % is the least that runs like these decide" if fraction > margin else ""
    return f"  {{{', '.join(f'{name} = {json.dumps(value)}' for name, value in keys.items())}}},{note}"


def _needed(runs: Sequence[NDArray[np.float64]], limits: int) -> float:
    """Return how far a bound has to be for the interval of another such run to lie within, in logarithms.

    That is how far its figure may be from the value, by how runs differ, and how far its interval reaches from there.
    """
    reaches = [_reach(logs, 1 - SIGNIFICANCE / limits) for logs in runs]
    medians = np.array([np.median(logs) for logs in runs])
    if len(runs) == 1:
        return 2 * reaches[0]
    if len(runs) < MINIMUM_RUNS:
        return max(reaches) + max(float(np.ptp(medians)), *reaches)
    student = student_quantile(len(runs) - 1, (1 + CONFIDENCE) / 2)
    return max(reaches) + student * float(medians.std(ddof=1)) * math.sqrt(1 + 1 / len(runs))


def _reach(logs: NDArray[np.float64], confidence: float) -> float:
    """Return how far the interval of one run reaches from its median; with too few launches, all of them lie within."""
    ends = Paired(logs).interval(confidence)
    low, high = (ends.low, ends.high) if ends else (float(logs.min()), float(logs.max()))
    median = float(np.median(logs))
    return max(high - median, median - low)


def _settings(own: Measured, found: Sequence[Measured]) -> dict[str, object]:
    """Return the settings that tell a point from others, and those that its plan gives if it is of no profile."""
    mine = relevant_fields(own.point.point)
    others = [relevant_fields(one.point.point) for one in found if _is_like(one, own)]
    names = {name for other in others for name in mine if other.get(name) != mine[name]}
    run = own.point.table.run
    for asked in run.meta.plan.points if run and not own.profile else []:
        names |= set(asked) if asked.items() <= own.point.point.items() else set()
    return {name: value for name, value in mine.items() if name in names - _NOT_SETTINGS}


def _is_like(one: Measured, own: Measured) -> bool:
    return (one.profile, one.point.operation, one.point.bytes) == (own.profile, own.point.operation, own.point.bytes)
