"""What a launcher or the engine said last, in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_ENGINE = "groma-engine: "
_MOST_BYTES = 64 * 1024


def last_words(output: Path) -> str:
    """Return the engine's own message in a launch's output, else the last line anyone wrote, else an empty string."""
    try:
        text = output.read_bytes()[-_MOST_BYTES:].decode(errors="replace")
    except OSError:
        return ""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    own = [line.removeprefix(_ENGINE) for line in lines if line.startswith(_ENGINE)]
    return (own or lines or [""])[-1]
