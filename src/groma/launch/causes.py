"""Why a launcher or a program did not start, found in what it printed."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

_SMALL_SHM_BYTES = 64 * 2**20  # Docker's default; MPI libraries take some megabytes for each rank
_SHM = Path("/dev/shm")  # noqa: S108 - where the C library keeps what ranks share
_RULER = "-=* "
# The first line with one of these words is the cause; other lines are what followed from it.
_TELLING = ("error", "exit string", "killed by signal", "unable", "cannot", "denied", "refused")
# Hydra's own lines name its sources: they say where it noticed, never why.
_SOURCE_LINE = re.compile(r"\[\w+@[^\]]*\] \w+ \([^)]*\.c:\d+\)")
_LINES = re.IGNORECASE | re.MULTILINE
_EXIT_STRING = re.compile(r"WITH THE EXIT STRING: (.+)")  # MPICH and Intel MPI


@dataclass(frozen=True)
class Cause:
    """A cause that is known: what was printed of it, and what to do; empty if only the reader knows."""

    text: str
    remedy: str


@functools.cache
def _known() -> list[dict[str, str]]:
    """Return the causes of causes.toml."""
    return msgspec.toml.decode(Path(__file__).with_suffix(".toml").read_bytes(), type=dict[str, list[dict[str, str]]])[
        "cause"
    ]


# How ranks end that touch shared memory for which there is no room; a broken pipe has other causes too.
_NO_SHM = re.compile(r"bus error|signal:? 7\b|(?:check that|not enough space for) /dev/shm", re.IGNORECASE)
_PERHAPS_NO_SHM = re.compile(r"broken pipe", re.IGNORECASE)
_OLD_LIBRARY = re.compile(
    r"(?P<library>/\S+): (?:version `(?P<version>[^']+)' not found \(required by (?P<user>[^)]+)\)"
    r"|undefined symbol: (?P<symbol>\w+))"
)
_NO_LIBRARY = re.compile(r"error while loading shared libraries: (\S+?): cannot open shared object file")


def cause_in(printed: str) -> Cause | None:
    """Return the cause that launchers and shells are known to print, with what to do; None for anything else."""
    if (fault := loader_fault(printed)) is not None:
        return fault
    for known in _known():
        if match := re.search(known["pattern"], printed, _LINES):
            return Cause(_cleaned(match[0]), known["remedy"])
    if _NO_SHM.search(printed) or (_PERHAPS_NO_SHM.search(printed) and _shm_bytes() < _SMALL_SHM_BYTES):
        return Cause("ranks found no room in the memory that they share", _shm_remedy())
    return None


def endless_wait(printed: str) -> str:
    """Return the cause, and what to do, if ranks wait for ever after what they printed; empty if they may go on."""
    waits = any("waits" in known and re.search(known["pattern"], printed, _LINES) for known in _known())
    return reason_in(printed) if waits else ""


def loader_fault(printed: str) -> Cause | None:
    """Return what the dynamic loader lacks: a symbol of a library that is too old, or a library."""
    if match := _OLD_LIBRARY.search(printed):
        library = Path(match["library"])
        lack = f"has no {match['version'] or match['symbol']}"
        needed = f", which {match['user']} needs" if match["user"] else ""
        return Cause(f"{library} {lack}{needed}", _loader_remedy(library))
    if match := _NO_LIBRARY.search(printed):
        return Cause(f"the loader does not find {match[1]}", f"add the folder of {match[1]} to LD_LIBRARY_PATH")
    return None


def reason_in(printed: str) -> str:
    """Return the line that says best why a launcher failed; empty if nothing was printed.

    A cause that is known first, then how a rank ended, then the first error, then the first line.
    """
    cause = cause_in(printed)
    if cause is not None:
        return f"{cause.text}; {cause.remedy}" if cause.remedy else cause.text
    if ending := _EXIT_STRING.search(printed):
        return ending[1].strip()
    lines = list(filter(None, (_cleaned(line) for line in printed.splitlines())))
    own = [line for line in lines if not _SOURCE_LINE.match(line)]
    return next((line for line in own if _tells(line)), next(iter([*own, *lines]), ""))


def _tells(line: str) -> bool:
    return any(word in line.lower() for word in _TELLING)


def _cleaned(line: str) -> str:
    return line.strip().strip(_RULER)


def _loader_remedy(library: Path) -> str:
    folders: Sequence[str] = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    folder = next((folder for folder in folders if folder and library.parent == Path(folder).absolute()), None)
    if folder is None:
        return f"install a newer {library.name}"
    return f"take {folder}, which holds an older {library.name}, out of LD_LIBRARY_PATH (unload its module)"


def _shm_bytes() -> float:
    """Return the size of this host's shared memory, 0 if it has none."""
    try:
        found = os.statvfs(_SHM)
    except OSError:
        return 0
    return found.f_blocks * found.f_frsize


def _shm_remedy() -> str:
    """Say how much shared memory this host has if that is little; ranks of other hosts may lack it too."""
    size = _shm_bytes()
    if size < _SMALL_SHM_BYTES:
        return (
            f"{_SHM} of this host holds {size / 2**20:.3g} MiB: give it more (mount -o remount,size=1G {_SHM}; "
            "docker run --shm-size=1g)"
        )
    return f"see on every host of the run whether {_SHM} is full or small: df {_SHM}"
