"""The steps of this machine and its hosts, as variants of the run."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path

from groma.machine.topology import cpu_places
from groma.plan import Variant
from groma.plan.hosts import Hosts, labels_apart, same_host
from groma.plan.variants import Offered
from groma.programs.ladder.cpus import pairs_of_steps, reason_lacking
from groma.programs.ladder.network import remote_steps, switch_levels
from groma.programs.ladder.steps import WITHIN


def offered(hosts: Hosts, root: Path = Path("/"), allowed: AbstractSet[int] | None = None) -> Offered:
    """Return the steps on these hosts, or on this one alone.

    Steps within a node are those of this host, and only if it is one of the hosts. `root` is where its file system
    starts, and `allowed` the CPUs that this process may use.
    """
    names = [host.name for host in hosts.hosts]
    here = _here(names)
    variants, lacking = [], {}
    if names and here is None:
        listed = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
        reason = f"Groma runs on {socket.gethostname()}, which is not among the hosts {listed}; start it on one of them"
        lacking = dict.fromkeys(WITHIN, reason)
    else:
        places, usable = cpu_places(root), os.sched_getaffinity(0) if allowed is None else allowed
        pairs = pairs_of_steps(places, usable)
        own = f"{here}:2" if len(names) > 1 else ""
        variants = [Variant(step, placement=f"{a}+{b}", hosts=own) for step, (a, b) in pairs.items()]
        lacking = {step: reason_lacking(step, places, usable) for step in WITHIN if step not in pairs}
    first = here or (names[0] if names else "")
    remote = remote_steps(first, names or [first], switch_levels(first, names) if hosts.of_job else None)
    for name, other in remote.hosts.items():
        ordered = sorted((first, other), key=names.index)  # schedulers give ranks to hosts in their own order
        variants.append(Variant(name, hosts=",".join(f"{host}:1" for host in ordered)))
    lacking |= remote.lacking
    return Offered(tuple(variants), lacking)


def _here(names: Sequence[str]) -> str | None:
    """Return the name among these that this host has, with or without its domain; an empty one if there are none."""
    own, labels = socket.gethostname(), labels_apart(names)
    here = (name for name in names if name == "localhost" or same_host(name, own, labels))
    return next(here, None if names else "")
