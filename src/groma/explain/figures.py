"""From the records of a factorial run to the times of every combination of factors."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groma.analysis.estimators import estimate
from groma.errors import RunError
from groma.explain.factors import MethodPair
from groma.results import Launch, Run
from groma.results.records import Point


def points_of(comparison: MethodPair) -> list[dict[str, Any]]:
    """Return the points to measure, each once: combinations that differ in the estimator alone share their samples."""
    points = {_key(comparison.point(mask)): comparison.point(mask) for mask in sorted(comparison.possible())}
    return list(points.values())


def times_of(run: Run, comparison: MethodPair) -> dict[int, NDArray[np.float64]]:
    """Return for every mask the figure of each launch, in nanoseconds.

    A mask without samples in half of the launches or more is skipped, as if it were illegal; after that, only launches
    that have all other masks count. Raises RunError if nothing remains to compare.
    """
    keys = {mask: _key(comparison.point(mask)) for mask in sorted(comparison.possible())}
    launches = [_records(launch) for launch in run.launches]
    masks = [mask for mask, key in keys.items() if 2 * sum(key in records for records in launches) > len(launches)]
    whole = [records for records in launches if all(keys[mask] in records for mask in masks)]
    if not whole or not {0, (1 << len(comparison.changes)) - 1} <= set(masks):
        raise RunError(f"too few launches of {run.path} measured both methods; groma show {run.path} says why")
    return {mask: np.array([figure_of(records[keys[mask]], comparison, mask) for records in whole]) for mask in masks}


def _records(launch: Launch) -> dict[str, Point]:
    asked = launch.plan.points if launch.plan else []
    return {_key(asked[record.index]): record for record in launch.points if record.samples_ns.size}


def figure_of(record: Point, comparison: MethodPair, mask: int) -> float:
    """Return the figure of a record by this combination's estimator, in nanoseconds."""
    times = record.samples_ns / (record.repetitions_per_sample * record.divisor)
    figure = estimate(times, comparison.reporting(mask), blocks=record.repetitions_per_sample > 1)
    return max(figure.value, 1e-3)  # a clock of whole microseconds can measure zero, which has no ratio


def _key(point: dict[str, Any]) -> str:
    return json.dumps(point, sort_keys=True)
