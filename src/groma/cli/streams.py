"""The standard streams, made usable: closed ones opened, and characters that they cannot print replaced."""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys

# What stands for a character that an encoding lacks. A "?" would be wrong beside a check, where it means "unknown".
_PLAIN = {
    "\N{CHECK MARK}": "+",
    "\N{BALLOT X}": "X",
    "\N{PLUS-MINUS SIGN}": "+-",
    "\N{MULTIPLICATION SIGN}": "x",
    "\N{MICRO SIGN}": "u",
    "\N{MIDDLE DOT}": "-",
    "\N{EN DASH}": "-",
    "\N{DAGGER}": "#",
    "\N{DOUBLE DAGGER}": "##",
    "\N{RIGHTWARDS ARROW}": "->",
    "\N{HORIZONTAL ELLIPSIS}": "...",
    "\N{FIGURE SPACE}": " ",
    "\N{PUNCTUATION SPACE}": " ",
}
_REPLACING = "groma.plain"


class _Closed(io.StringIO):
    """Replaces a closed standard output: the work is done first, and the loss is reported at the end."""

    _is_lost = False

    def write(self, text: str) -> int:
        """Forget the text."""
        self._is_lost = self._is_lost or bool(text)
        return len(text)

    def flush(self) -> None:
        """Do nothing: see `check`."""

    def check(self) -> None:
        """Fail if anything was written."""
        if self._is_lost:
            raise OSError(errno.EBADF, "it is closed")


def open_streams() -> None:
    """Open the standard streams that are closed, and let all of them print every text.

    A file that is opened later, or a pipe of a launcher, would get the number of a closed one.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
    if sys.stdout is None:
        sys.stdout = _Closed()
    if sys.stderr is None:
        sys.stderr = _Closed()
    codecs.register_error(_REPLACING, _replaced)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_REPLACING)


def check_output() -> None:
    """Write what is still to be written, or fail with an OSError."""
    sys.stdout.flush()
    if isinstance(sys.stdout, _Closed):
        sys.stdout.check()


def _replaced(error: UnicodeError) -> tuple[str | bytes, int]:
    """Return what stands for the characters that could not be encoded; bytes of file names stand for themselves."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end]
    if all("\udc80" <= character <= "\udcff" for character in lost):
        return lost.encode("ascii", "surrogateescape"), error.end
    return "".join(_PLAIN.get(character, "?") for character in lost), error.end
