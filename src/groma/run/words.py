"""What a launcher or the engine said last, in one line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_ENGINE = "groma-engine: "
_EXIT_STRING = re.compile(r"WITH THE EXIT STRING: (.+)")  # MPICH and Intel MPI
_RULER = "-=* "
_MOST_BYTES = 64 * 1024


def last_words(output: Path) -> str:
    """Return the engine's own last message in a launch's output, else the first line of the launcher's, else nothing.

    Launchers say how a rank ended, or name the cause first and then what follows, between rulers of dashes and such.
    """
    try:
        text = output.read_bytes()[-_MOST_BYTES:].decode(errors="replace")
    except OSError:
        return ""
    lines = [line.strip(_RULER) for line in text.splitlines()]
    own = [line.removeprefix(_ENGINE) for line in lines if line.startswith(_ENGINE)]
    if own:
        return own[-1]
    ending = _EXIT_STRING.search(text)
    return ending[1] if ending else next(filter(None, lines), "")
