"""The capacity of a network across its middle, known by construction, beside ALCF's figure for it (the ALCF slides)."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

from groma.programs.alcf.tables import tables
from groma.results import Run
from groma.results.documents import RunDocument
from simulation.findings import Finding
from simulation.platforms import Link, Platform, one_way
from simulation.simulator import simulate

BULK_BYTES = 512 * 1024
TOLERANCE = 0.01  # latency and headers take their part of a message of 512 KB
ACCESS = Link(50e-9, 100e9)


def dumbbell(ranks: int, cut: Link) -> Platform:
    """Return two halves of hosts, joined by one link in each direction that all messages between them share."""
    half = ranks // 2
    links = {"there": cut, "back": cut}
    links |= {f"{way}{rank}": ACCESS for rank in range(ranks) for way in ("out", "in")}
    routes = {}
    for source, target in itertools.permutations(range(ranks), 2):
        middle = ["there"] if source < half <= target else ["back"] if target < half <= source else []
        routes[source, target] = (f"out{source}", *middle, f"in{target}")
    return one_way(ranks, routes, links)


def capacity_gb_s(cut: Link) -> float:
    """Return what gets across the cut, both directions together: as the presentation counts 512 links of 1.8 GB/s."""
    return 2 * cut.bytes_per_s / 1e9


def claimed_gb_s(platform: Platform) -> float:
    """Return the figure in the table of bi-section bandwidths, as it is printed."""
    ranks = len(platform.hosts)
    point = {"operation": "targets", "pattern": "bisection", "bytes": BULK_BYTES, "window": 1}
    launch = simulate(platform, [point]).launch
    meta = RunDocument(schema=1, name="bisection", state="complete", created="", launches=1, rank_counts=[ranks])
    (cut,) = (one for one in tables(Run(Path(), meta, [launch])) if one.title == "Bi-section bandwidth")
    return float(cut.rows[0][1])


def bisection(ranks: int, cut: Link) -> Finding:
    """Half the hosts exchange with the other half: the figure is the capacity of what joins them."""
    true, claimed = capacity_gb_s(cut), claimed_gb_s(dumbbell(ranks, cut))
    subject = f"bi-section bandwidth, {ranks} hosts, {cut.bytes_per_s / 1e9:g} GB/s each way"
    holds = math.isclose(true, claimed, rel_tol=TOLERANCE)
    return Finding(subject, f"{true:g} GB/s within {TOLERANCE:.0%}", f"{claimed:g} GB/s", holds)


def bisections() -> list[Finding]:
    """Return the figure beside the capacity, on networks of several sizes and capacities."""
    return [bisection(ranks, Link(100e-9, 1e9 * width)) for ranks, width in ((2, 5), (4, 5), (8, 5), (8, 1.8), (6, 10))]
