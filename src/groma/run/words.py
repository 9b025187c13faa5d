"""What a launcher or the engine said last, in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_ENGINE = "groma-engine: "
_RULER = "-=* "
_MOST_BYTES = 64 * 1024


def last_words(output: Path) -> str:
    """Return the engine's own last message in a launch's output, else the first line of the launcher's, else nothing.

    Launchers name the cause first and then what follows from it, between rulers of dashes and equals signs.
    """
    try:
        text = output.read_bytes()[-_MOST_BYTES:].decode(errors="replace")
    except OSError:
        return ""
    lines = [line.strip(_RULER) for line in text.splitlines()]
    own = [line.removeprefix(_ENGINE) for line in lines if line.startswith(_ENGINE)]
    return own[-1] if own else next(filter(None, lines), "")
