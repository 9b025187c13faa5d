"""The page docs/truth.md: claimed beside true."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.chart import curves
from benchmarks.page import Page, Study
from groma.text.charts.axes import levels
from simulation.claims import ABSOLUTE_TOLERANCE_NS, RELATIVE_TOLERANCE, Claim
from simulation.clocks import DOWN, FARTHEST_NS, FASTEST_PPM, UP, Clock
from simulation.findings import Finding
from simulation.networks import Planted
from simulation.sick import Diagnosis

_LEAST_NS = 0.05  # an error that is drawn: times are written in steps of 0.1 ns


@dataclass(frozen=True)
class ClockRow:
    """One global clock: its error, what it said of it (bound), what pings measured of it; of the worst rank, in ns."""

    method: str
    ranks: int
    messages: int
    true_error_ns: float
    bound_ns: float
    measured_error_ns: float
    holds: bool


@dataclass(frozen=True)
class SlowRow:
    """What is slow in one network, and what `groma run --profile pairs` missed or invented; nodes, and links a > b."""

    platform: str
    nodes: int
    slow_nodes: str
    slow_links: str
    directions: int
    missed: str
    invented: str
    stages: str
    holds: bool


def clock_row(clock: Clock) -> ClockRow:
    """Return a clock as a row."""
    errors = clock.true_error_ns, clock.bound_ns, clock.found_off_ns
    return ClockRow(clock.method, clock.ranks, clock.messages, *errors, clock.holds)


def slow_row(one: Diagnosis) -> SlowRow:
    """Return what was slow in a platform, and what was named, as a row."""
    nodes = {slow for slow in one.true if len(slow.who) == 1}
    slow = _listed(nodes), _listed(one.true - nodes), len(one.true)
    wrong = _listed(one.true - one.named), _listed(one.named - one.true)
    return SlowRow(one.subject, one.nodes, *slow, *wrong, ", ".join(one.stages), one.holds)


def _listed(planted: Iterable[Planted]) -> str:
    """Return `3 sending, 5 > 7`: nodes with what they do slowly, links by direction."""
    ordered = sorted(planted, key=lambda one: (one.who, one.part))
    texts = [f"{one.who[0]} {one.part}" if len(one.who) == 1 else f"{one.who[0]} > {one.who[1]}" for one in ordered]
    return ", ".join(texts) or "none"


def page(
    claims: Sequence[Claim], findings: Sequence[Finding], clocks: Sequence[ClockRow], slow: Sequence[SlowRow]
) -> Page:
    """Return docs/truth.md."""
    groups = claims, findings, clocks, slow
    held = [f"{sum(one.holds for one in group)} of {len(group)}" for group in groups]
    limit = f"within {RELATIVE_TOLERANCE:.1%} or {ABSOLUTE_TOLERANCE_NS:g} ns"
    wrong = _failed(one.subject for one in findings if not one.holds)
    misjudged = _failed(one.platform for one in slow if not one.holds)
    return Page(
        chart=_chart(claims),
        headings=["what", "agree", "agrees when", "largest difference"],
        rows=[
            ["times", held[0], limit, _largest_errors(claims)],
            ["findings", held[1], "exactly the right one", wrong],
            ["clocks", held[2], "every rank within its bound", _worst_clock(clocks)],
            ["slow nodes and links", held[3], "all named, nothing else", misjudged],
        ],
        words=dict(zip(("times", "findings", "clocks", "slow"), held, strict=True))
        | {
            "apart_s": 2e-9 * FARTHEST_NS,
            "drift_us": FASTEST_PPM,
            "up_us": 1e6 * UP.latency_s,
            "down_us": 1e6 * DOWN.latency_s,
            "hidden_ns": 0.5e9 * (UP.latency_s - DOWN.latency_s),
            "platforms": len(slow),
            "directions": sum(one.directions for one in slow),
        },
    )


def _chart(claims: Sequence[Claim]) -> str:
    points = sorted((claim.true_ns, max(_LEAST_NS, abs(claim.error_ns))) for claim in claims)
    limit = [(true_ns, max(ABSOLUTE_TOLERANCE_NS, RELATIVE_TOLERANCE * true_ns)) for true_ns, _ in points]
    x = levels("true time, ns", [true_ns for true_ns, _ in points])
    y = levels("error, ns", [error for _, error in [*points, *limit]])
    return curves({}, x, y, "Error of every time over its length", limit=limit, dots=points)


def _largest_errors(claims: Sequence[Claim]) -> str:
    absolute = max(claims, key=lambda claim: abs(claim.error_ns))
    long = [claim for claim in claims if RELATIVE_TOLERANCE * claim.true_ns >= ABSOLUTE_TOLERANCE_NS]
    relative = max(long, key=lambda claim: abs(claim.error_ns) / claim.true_ns)
    share = abs(relative.error_ns) / relative.true_ns
    return (
        f"{abs(absolute.error_ns):.1f} ns ({absolute.subject}, {absolute.message_bytes} B); from 1 us on {share:.3%} "
        f"({relative.subject}, {relative.message_bytes} B)"
    )


def _worst_clock(clocks: Sequence[ClockRow]) -> str:
    worst = max(clocks, key=lambda one: abs(one.true_error_ns))
    error = f"{abs(worst.true_error_ns):.0f} ns of a bound of {worst.bound_ns:.0f} ns"
    return f"{error} ({worst.method}, {worst.ranks} ranks)"


def _failed(subjects: Iterable[str]) -> str:
    return "; ".join(subjects) or "none"


STUDY = Study(
    "truth", {"truth": Claim, "truth-findings": Finding, "truth-clocks": ClockRow, "truth-slow": SlowRow}, page
)
