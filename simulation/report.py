"""The page docs/truth.md: claimed beside true."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from simulation.claims import ABSOLUTE_TOLERANCE_NS, RELATIVE_TOLERANCE, Claim
from simulation.clocks import DOWN, FARTHEST_NS, FASTEST_PPM, UP, Clock
from simulation.findings import Finding
from simulation.networks import Planted
from simulation.sick import Diagnosis

_HEAD = """# How wrong can Groma be?

Made by `make truth`: the engine, built with SimGrid's SMPI (`-DGROMA_SIMULATED=ON`), measures networks whose times
follow from a closed form. Simulated time is the same on every machine, so this page changes only when the engine does.
A time holds when it is within 0.5 % or 5 ns of the truth, a finding when it is exactly the right one, a clock when
it is within its bound on every rank.
"""


def page(claims: Sequence[Claim], findings: Sequence[Finding], clocks: Sequence[Clock]) -> str:
    """Return the Markdown of all tables, each headed by its verdict."""
    lines = [_HEAD, "## Times", "", times_verdict(claims), ""]
    lines += ["| what | message [B] | true [ns] | claimed [ns] | error [ns] | holds |", "|---|--:|--:|--:|--:|---|"]
    for claim in claims:
        figures = f"{claim.true_ns:.1f} | {claim.claimed_ns:.1f} | {claim.error_ns:+.1f}"
        lines.append(f"| {claim.subject} | {claim.message_bytes} | {figures} | {_word(claim.holds)} |")
    lines += ["", "## Findings", "", findings_verdict(findings), ""]
    lines += ["| what | true | found | holds |", "|---|---|---|---|"]
    lines += [f"| {one.subject} | {one.true} | {one.claimed} | {_word(one.holds)} |" for one in findings]
    lines += ["", "## Clocks", "", clocks_verdict(clocks), ""]
    lines += [
        "| method | ranks | messages, busiest rank | true error [ns] | bound [ns] | measured error [ns] | holds |"
    ]
    lines += ["|---|--:|--:|--:|--:|--:|---|"]
    for one in clocks:
        figures = f"{one.true_error_ns:+.0f} | {one.bound_ns:.0f} | {one.found_off_ns:.0f}"
        lines.append(f"| {one.method} | {one.ranks} | {one.messages} | {figures} | {_word(one.holds)} |")
    return "\n".join(lines) + "\n"


def sick_page(diagnoses: Sequence[Diagnosis]) -> str:
    """Return the Markdown of who was slow in each platform, and who was named."""
    planted = sum(len(one.true) for one in diagnoses)
    lines = [
        "",
        "## Slow nodes and links",
        "",
        f"{sum(one.holds for one in diagnoses)} of {len(diagnoses)} platforms hold: what is slow is named, and nothing",
        f"else is. {planted} directions are slow in all. A platform has none to three slow nodes (3 to 10 times less",
        "bandwidth, one way or both) and none to three slow links, which are paths between two nodes (as much less",
        "bandwidth, one way or both, or 60 us more latency). Each stage of `groma run --profile pairs` is simulated",
        "once: a second launch would be the same, so nothing passes here, and intervals have no width.",
        "",
        "| platform | nodes | slow nodes | slow links | missed | invented | stages | holds |",
        "|---|--:|---|---|---|---|---|---|",
    ]
    for one in diagnoses:
        nodes = {slow for slow in one.true if len(slow.who) == 1}
        cells = [nodes, one.true - nodes, one.true - one.named, one.named - one.true]
        listed = " | ".join(_listed(each) for each in cells)
        stages = ", ".join(one.stages)
        lines.append(f"| {one.subject} | {one.nodes} | {listed} | {stages} | {_word(one.holds)} |")
    return "\n".join(lines) + "\n"


def _listed(planted: Iterable[Planted]) -> str:
    """Return `3 sending, 5 > 7`: nodes with what they do slowly, links by direction."""
    ordered = sorted(planted, key=lambda one: (one.who, one.part))
    texts = [f"{one.who[0]} {one.part}" if len(one.who) == 1 else f"{one.who[0]} > {one.who[1]}" for one in ordered]
    return ", ".join(texts) or "none"


def clocks_verdict(clocks: Sequence[Clock]) -> str:
    """Return what was planted, what no ping can see of it, and the count of clocks that hold."""
    hidden_ns = 0.5e9 * (UP.latency_s - DOWN.latency_s)
    return (
        f"{sum(one.holds for one in clocks)} of {len(clocks)} clocks hold. The clocks of the ranks are up to "
        f"{2e-9 * FARTHEST_NS:.0f} s apart, and gain or lose up to {FASTEST_PPM:.0f} us a second. A message to a "
        f"higher rank takes {1e6 * UP.latency_s:g} us, one to a lower rank {1e6 * DOWN.latency_s:g} us: pings cannot "
        f"measure {hidden_ns:.0f} ns for every level of the tree, so the measured error does not contain them, and the "
        "bound must. Error and bound are those of the worst rank."
    )


def times_verdict(claims: Sequence[Claim]) -> str:
    """Return the count of times that hold and the largest error, in one sentence."""
    absolute = max(claims, key=lambda claim: abs(claim.error_ns))
    long = (claim for claim in claims if RELATIVE_TOLERANCE * claim.true_ns >= ABSOLUTE_TOLERANCE_NS)
    relative = max(long, key=lambda claim: abs(claim.error_ns) / claim.true_ns)
    share = 100 * abs(relative.error_ns) / relative.true_ns
    return (
        f"{sum(claim.holds for claim in claims)} of {len(claims)} times hold; the largest errors are "
        f"{abs(absolute.error_ns):.1f} ns ({absolute.subject}, {absolute.message_bytes} B) and "
        f"{share:.3f} % of a time from 1 us on ({relative.subject}, {relative.message_bytes} B)."
    )


def findings_verdict(findings: Sequence[Finding]) -> str:
    """Return the count of findings that hold, in one sentence."""
    return f"{sum(one.holds for one in findings)} of {len(findings)} findings hold; the last 40 platforms are random."


def _word(holds: bool) -> str:
    return "yes" if holds else "**no**"
