"""The hosts of a launch, and the host of each of its ranks.

`a,b:4` gives host a one rank and host b at most four; without any number the ranks are dealt in equal blocks, the last
of which may be smaller. The hosts of a scheduler's job get its tasks; another number of ranks is dealt in rounds, one
to each host that has a processor left, as Slurm does. A host file has a host in each line, with its number after a
colon, after `slots=` (Open MPI) or by naming the host once for each rank (PBS).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from groma.errors import InputError
from groma.plan.placement import Way

_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"
_HOST = re.compile(rf"({_NAME})(?::(\d{{1,9}}))?")
_LINE = re.compile(rf"({_NAME})(?::(\d{{1,9}})|\s+slots\s*=\s*(\d{{1,9}}))?(?:\s+max[-_]slots\s*=\s*\d+)?")


@dataclass(frozen=True)
class Host:
    """One host; `slots` are the ranks that it takes at most, in a job its tasks, None if nothing was said.

    `room` are the ranks that the job has processors for on it, None if that is not known.
    """

    name: str
    slots: int | None = None
    room: int | None = None


@dataclass(frozen=True)
class Hosts:
    """Hosts in the order in which ranks fill them; none: the launcher chooses. `ppn`: ranks that each takes at most.

    `of_job`: nobody named them; they are those of the scheduler's job.
    """

    hosts: tuple[Host, ...] = ()
    ppn: int | None = None
    of_job: bool = False

    def __bool__(self) -> bool:
        """Return whether any host is named."""
        return bool(self.hosts)

    def __str__(self) -> str:
        """Return the hosts as `read_hosts` reads them."""
        return ",".join(host.name if host.slots is None else f"{host.name}:{host.slots}" for host in self.hosts)

    def of_ranks(self, ranks: int, way: Way = "by-slot") -> tuple[str, ...]:
        """Return the host of each of `ranks` ranks; raises InputError if the hosts take fewer.

        Host by host, or with `by-node` one rank for each host in turn.
        """
        slots = self._slots(ranks)
        if sum(slots) < ranks:
            hosts = f"{self} with {self.ppn} ranks on each" if self.ppn else str(self)
            raise InputError(f"{ranks} ranks do not fit on {hosts} ({sum(slots)}); name more hosts, or use fewer ranks")
        if way != "by-node":
            blocks = (name for host, count in zip(self.hosts, slots, strict=True) for name in [host.name] * count)
            return tuple(blocks)[:ranks]
        turns = range(max(slots))
        dealt = (host.name for turn in turns for host, count in zip(self.hosts, slots, strict=True) if turn < count)
        return tuple(dealt)[:ranks]

    def _slots(self, ranks: int) -> list[int]:
        """Return the ranks that each host takes at most; of a job, those that it takes."""
        if self.of_job and self.ppn is None:
            tasks = [host.slots or 0 for host in self.hosts]
            return tasks if sum(tasks) == ranks else dealt(ranks, [host.room or host.slots for host in self.hosts])
        if self.ppn is None and any(host.slots is not None for host in self.hosts):
            return [1 if host.slots is None else host.slots for host in self.hosts]
        return [self.ppn or -(-ranks // len(self.hosts))] * len(self.hosts)


NO_HOSTS = Hosts()


def dealt(ranks: int, room: Sequence[int | None]) -> list[int]:
    """Return the ranks of each host, dealt in rounds: one to each that has room, or to all if room is too little.

    That is how srun deals the tasks of a step; None is a host whose room is not known.
    """
    fits = None not in room and sum(filter(None, room)) >= ranks
    limits = [most or 0 for most in room] if fits else [ranks] * len(room)
    counts = [0] * len(room)
    while (left := ranks - sum(counts)) > 0:
        open_hosts = [at for at, limit in enumerate(limits) if counts[at] < limit]
        rounds = max(1, min(left // len(open_hosts), *(limits[at] - counts[at] for at in open_hosts)))
        for at in open_hosts[:left]:
            counts[at] += rounds
    return counts


def labels_apart(names: Iterable[str]) -> int:
    """Return how many labels of these names of hosts, `a` of `a.site.org` first, distinguish all of them."""
    labels = {_labels(name) for name in names}
    most = max(map(len, labels), default=1)
    return next((count for count in range(1, most) if len({name[:count] for name in labels}) == len(labels)), most)


def same_host(name: str, other: str, labels: int = 1) -> bool:
    """Return whether two names are one host's, with or without its domain; `labels` are enough to distinguish hosts."""
    return all(mine == theirs for mine, theirs in zip(_labels(name)[:labels], _labels(other)[:labels], strict=False))


def _labels(name: str) -> tuple[str, ...]:
    """Return the parts of a host's name between dots, in lower case; an address is one part."""
    return (name,) if name.replace(".", "").isdigit() else tuple(name.lower().split("."))


def read_hosts(text: str) -> tuple[Host, ...]:
    """Return the hosts of `a,b:4`; raises InputError."""
    matches = [_HOST.fullmatch(part.strip()) for part in text.split(",")]
    valid = [match for match in matches if match]
    if len(valid) < len(matches) or any(match[2] == "0" for match in valid):
        raise InputError(f"'{text}' is not a list of hosts; write a,b, or a:2,b:4 with the ranks that each takes")
    return _once([Host(match[1], int(match[2]) if match[2] else None) for match in valid], f"'{text}'")


def read_hostfile(path: Path) -> tuple[Host, ...]:
    """Return the hosts of a file; raises InputError, with the line that is none."""
    try:
        lines = path.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise InputError(
            f"the host file {path} cannot be read ({reason}); name a file with a host in each line"
        ) from None
    hosts: list[Host] = []
    for number, line in enumerate(lines, start=1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        match = _LINE.fullmatch(text)
        slots = (match[2] or match[3]) if match else None
        if match is None or (slots is not None and int(slots) == 0):
            raise InputError(
                f"{path} line {number}: '{text}' is not a host; write a host in each line, such as node1:4"
            )
        hosts.append(Host(match[1], int(slots) if slots else None))
    if not hosts:
        raise InputError(f"the host file {path} names no host; write a host in each line, such as node1:4")
    return _once(counted_lines(hosts), str(path))


def counted_lines(hosts: Sequence[Host]) -> list[Host]:
    """Return each host once; one that lines without a number repeat, with its number of lines."""
    names = [host.name for host in hosts]
    if len(set(names)) == len(names) or any(host.slots is not None for host in hosts):
        return list(hosts)
    return [Host(name, names.count(name)) for name in dict.fromkeys(names)]


def _once(hosts: list[Host], where: str) -> tuple[Host, ...]:
    names = [host.name for host in hosts]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"{where} names {twice} twice; write {twice}:2 for a host that takes two ranks")
    return tuple(hosts)
