"""Networks for the simulator, with the times that their links make true."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

HEADER_BYTES = 16  # what SMPI adds to every message
_DOCUMENT = (
    '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
    '<platform version="4.1">\n{}\n</platform>\n'
)


@dataclass(frozen=True)
class Link:
    """One link: seconds of latency, bytes per second."""

    latency_s: float
    bytes_per_s: float


LINK = Link(1e-6, 10e9)
SWITCHED = (LINK, LINK)  # up to the switch, down from it


@dataclass(frozen=True)
class Platform:
    """A network as SimGrid reads it, and its hosts in the order of the ranks."""

    xml: str
    hosts: tuple[str, ...]


def one_way_ns(route: tuple[Link, ...], message_bytes: int, sharing: int = 1) -> float:
    """Return the time of a message over a route whose narrowest link `sharing` messages use at once."""
    latency_s = sum(link.latency_s for link in route)
    return 1e9 * (latency_s + sharing * (message_bytes + HEADER_BYTES) / min(link.bytes_per_s for link in route))


def cluster(ranks: int, link: Link, topology: str = "") -> Platform:
    """Return hosts around one switch, each with a link to it and one from it; or another SimGrid topology."""
    xml = (
        f'<cluster id="cluster" prefix="host" suffix="" radical="0-{ranks - 1}" speed="1Gf" '
        f'bw="{link.bytes_per_s!r}Bps" lat="{link.latency_s!r}s" sharing_policy="SPLITDUPLEX" {topology}/>'
    )
    return Platform(_DOCUMENT.format(xml), _hosts(ranks))


def routed(ranks: int, routes: Mapping[tuple[int, int], tuple[str, ...]], links: Mapping[str, Link]) -> Platform:
    """Return hosts joined by the named links, one route (both ways) for each pair of ranks."""
    return _zone(ranks, routes, links)


def one_way(ranks: int, routes: Mapping[tuple[int, int], tuple[str, ...]], links: Mapping[str, Link]) -> Platform:
    """Return hosts joined by the named links, one route for each ordered pair of ranks."""
    return _zone(ranks, routes, links, ' symmetrical="NO"')


def lopsided(ranks: int, up: Link, down: Link) -> Platform:
    """Return a full network on which a message to a higher rank goes over `up`, and one to a lower rank over `down`.

    Each pair has links of its own: what no ping can see is known here.
    """
    pairs = list(itertools.permutations(range(ranks), 2))
    links = {f"link{source}-{target}": up if source < target else down for source, target in pairs}
    return one_way(ranks, {(source, target): (f"link{source}-{target}",) for source, target in pairs}, links)


def fully_connected(ranks: int, link: Link, others: Mapping[tuple[int, int], Link] | None = None) -> Platform:
    """Return hosts with a link of their own between any two, some of them different from the rest."""
    pairs = list(itertools.combinations(range(ranks), 2))
    links = {f"link{a}-{b}": (others or {}).get((a, b), link) for a, b in pairs}
    return routed(ranks, {(a, b): (f"link{a}-{b}",) for a, b in pairs}, links)


def _zone(
    ranks: int, routes: Mapping[tuple[int, int], tuple[str, ...]], links: Mapping[str, Link], ways: str = ""
) -> Platform:
    lines = [f'<host id="{host}" speed="1Gf"/>' for host in _hosts(ranks)]
    lines += [
        f'<link id="{name}" bandwidth="{link.bytes_per_s!r}Bps" latency="{link.latency_s!r}s"/>'
        for name, link in links.items()
    ]
    for (source, target), names in routes.items():
        steps = "".join(f'<link_ctn id="{name}"/>' for name in names)
        lines.append(f'<route src="host{source}" dst="host{target}"{ways}>{steps}</route>')
    body = "\n".join(lines)
    return Platform(_DOCUMENT.format(f'<zone id="zone" routing="Full">\n{body}\n</zone>'), _hosts(ranks))


def _hosts(ranks: int) -> tuple[str, ...]:
    return tuple(f"host{rank}" for rank in range(ranks))
