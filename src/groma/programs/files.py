"""Files that other programs' outputs are read from: their lines, without what terminals and launchers add to them."""

from __future__ import annotations

import gzip
import hashlib
import html
import io
import re
import sys
import zlib
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from groma.errors import InputError

LARGEST_BYTES = 64 << 20  # of one file: an output of a program is text that somebody reads
_STANDARD_INPUT = "-"
_GZIP = b"\x1f\x8b"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_XML = re.compile(r"<std\w+ [^>]*>|\s*</std\w+>\s*$")
# What launchers and people put before every line; that of the first line with a program's mark is taken off.
_PREFIXES = (
    re.compile(r"\[[^\]\s]*\] ?(?:<std\w+>: ?)?"),  # mpirun --tag-output, mpiexec -l
    re.compile(r"[^<>]{0,60}<std\w+>: ?"),  # mpirun --timestamp-output
    re.compile(r"\s*\d+: ?"),  # srun -l
    re.compile(r"\s*(?:[>|] ?)+"),  # quoted in a letter
)


@dataclass(frozen=True)
class File:
    """One file as lines; `is_whole` if the last of them has an end, `sha256` is that of the bytes."""

    name: str
    sha256: str
    lines: Sequence[str]
    is_whole: bool

    def has(self, mark: re.Pattern[str]) -> bool:
        """Return whether a line has the mark of a program."""
        return any(mark.search(line) for line in self.lines)

    def without_prefix(self, mark: re.Pattern[str]) -> list[str]:
        """Return the lines without the prefix that stands before the first mark, if its kind is known."""
        found = next((found for line in self.lines if (found := mark.search(line))), None)
        before = found.string[: found.start()] if found else ""
        if _XML.match(before):
            return [html.unescape(_XML.sub("", line)) for line in self.lines]
        prefix = next((one for one in _PREFIXES if before.strip() and one.fullmatch(before)), None)
        return [prefix.sub("", line, count=1) if prefix and prefix.match(line) else line for line in self.lines]


def open_file(path: Path) -> File:
    """Read one file, packed by gzip or not, or standard input for `-`; raises InputError if that cannot be done."""
    name = "standard input" if str(path) == _STANDARD_INPUT else str(path)
    try:
        with path.open("rb") if name == str(path) else nullcontext(sys.stdin.buffer) as file:
            packed = file.read(LARGEST_BYTES + 1)
        data = _unpacked(packed)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{name} cannot be read ({reason}); name the output of a program") from None
    if max(len(packed), len(data)) > LARGEST_BYTES:
        raise InputError(f"{name} has more than {LARGEST_BYTES >> 20} MiB; name the output of a program")
    return as_file(name, data.decode("utf-16" if data.startswith(_UTF_16) else "utf-8-sig", errors="replace"), packed)


def as_file(name: str, text: str, data: bytes = b"") -> File:
    """Return a text as a file; `data` are its bytes as they were."""
    lines = re.split(r"\r\n|\n|\r", _CONTROLS.sub("\ufffd", _COLOURS.sub("", text)))
    return File(name, hashlib.sha256(data).hexdigest(), lines if lines[-1] else lines[:-1], not lines[-1])


def _unpacked(data: bytes) -> bytes:
    if not data.startswith(_GZIP):
        return data
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
        return packed.read(LARGEST_BYTES + 1)
