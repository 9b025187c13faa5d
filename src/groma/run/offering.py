"""The variants that the program of a profile has on this machine and its hosts, such as the steps of the ladder."""

from __future__ import annotations

import socket

from groma.catalog.registry import program_of
from groma.errors import InputError
from groma.launch.allocation import allocation
from groma.plan import Draft
from groma.plan.hosts import NO_HOSTS, Host, Hosts
from groma.plan.variants import Offered


def offer_variants(draft: Draft, ranks: tuple[int, ...] | None, where: Hosts) -> None:
    """Give the draft of a profile the variants that its program has on these hosts, or on those of the job.

    Raises InputError if the command line names variants or a number of ranks of its own, or if there are none.
    """
    offered = variants_here(draft, where or allocated_hosts())
    if offered is None:
        return
    if draft.variants:
        given = ", ".join(variant.name for variant in draft.variants)
        raise InputError(f"the profile {draft.profile} has variants of its own; leave out {given}")
    if ranks not in (None, draft.rank_counts):
        own = " and ".join(map(str, draft.rank_counts))
        raise InputError(f"the profile {draft.profile} measures {own} ranks; leave out -n")
    if not offered.variants:
        reasons = "; ".join(f"no {name}: {reason}" for name, reason in offered.lacking.items())
        raise InputError(f"the profile {draft.profile} has nothing to measure here: {reasons}")
    draft.variants, draft.lacking = offered.variants, offered.lacking


def variants_here(draft: Draft, hosts: Hosts) -> Offered | None:
    """Return what the program of the draft's profile has on these hosts, or on this one alone; None: nothing."""
    program = program_of(draft.profile)
    if program is None or not program.variants:
        return None
    offered: Offered = program.ask(program.variants, hosts)
    return offered


def variants_of_job(draft: Draft, nodes: int) -> Offered | None:
    """Return what the program of the draft's profile would have on `nodes` nodes like this host; None: nothing."""
    names = [socket.gethostname(), *(f"node-{number}" for number in range(2, nodes + 1))]
    return variants_here(draft, Hosts(tuple(map(Host, names))))


def allocated_hosts() -> Hosts:
    """Return the hosts of the scheduler's job around this process."""
    job = allocation()
    return job.hosts if job else NO_HOSTS
