"""Exchanges with work inside them, as other programs print them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from groma.analysis import PointSummary
from groma.analysis.estimators import estimate
from groma.analysis.launchpoint import LaunchPoint
from groma.analysis.recordrows import PHASES
from groma.catalog.reporting import Reporting
from groma.columns.column import Of
from groma.columns.formulas import Values


def has_work(point: PointSummary) -> bool:
    """Return whether the operation is an exchange alone, work alone, and both at once."""
    return all(launch.phases_ns and launch.phases_ns.keys() >= PHASES for launch in point.launches)


def around_work(launch: LaunchPoint, reporting: Reporting, work: str = "compute") -> tuple[float, float, float]:
    """Return one launch's times of the exchange alone, of the work, and of the exchange around the work, in us.

    The phase `compute` is the work alone, the phase `work` that inside the exchange.
    """
    phases = launch.phases_ns or {}
    together = np.sum([phases[name] for name in ("post", "work", "test", "wait")], axis=0)
    alone, worked, both = (estimate(times, reporting).value / 1e3 for times in (phases["pure"], phases[work], together))
    return alone, worked, both


def with_share(
    point: PointSummary, reporting: Reporting, overlap: Callable[[Of], Values]
) -> tuple[float, float, float, float]:
    """Return the exchange alone, the work inside it and both in us, and the overlap in %: medians over launches."""
    times = np.array([around_work(launch, reporting, "work") for launch in point.launches])
    shares = 100 * overlap(dict(zip(("pure_ns", "compute_ns", "together_ns"), times.T, strict=True)))
    alone, worked, both = np.median(times, axis=0).tolist()
    return alone, worked, both, float(np.median(shares))
