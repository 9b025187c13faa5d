"""The last message of a launcher or the engine, in one line."""

from __future__ import annotations

import re
from pathlib import Path

from groma.launch.causes import loader_fault, reason_in
from groma.text.counts import counted

# In the note of a point that hung: later launches lack it, also after a resume.
SKIPPED = "was skipped in later launches"
_ENGINE = "groma-engine: "
_REFUSED = re.compile(r"(?:(?P<name>\w+)=(?P<value>\S+) of )?(?P<operation>\S+)(?: with \S+)? (?P<reason>.+)")
_MOST_BYTES = 64 * 1024


def words_of(output: Path) -> str:
    """Return the output of a launch, the end if it is long; empty if it cannot be read."""
    try:
        return output.read_bytes()[-_MOST_BYTES:].decode(errors="replace")
    except OSError:
        return ""


def last_words(output: Path) -> str:
    """Return the engine's own last message in its output, else the launcher's most useful line; else nothing."""
    text = words_of(output)
    own = [line.strip().removeprefix(_ENGINE) for line in text.splitlines() if line.startswith(_ENGINE)]
    fault = loader_fault(text)  # the loader, too, writes the engine's name before its lines
    return own[-1] if own and fault is None else reason_in(text)


def skip_reasons(messages: list[str]) -> list[str]:
    """Return the engine's reasons for skipping points; reasons that differ in setting or operation alone are joined."""
    together: dict[str, list[re.Match[str]]] = {}
    for message in sorted(messages):
        if match := _REFUSED.fullmatch(message):
            together.setdefault(match["reason"], []).append(match)
    return [f"{_points(matches)}{_settings(matches)}: {reason}." for reason, matches in together.items()]


def _points(matches: list[re.Match[str]]) -> str:
    """Return `2 points of allreduce, bcast`."""
    operations = sorted({match["operation"] for match in matches})
    return f"{counted(len(matches), 'point')} of {', '.join(operations)}"


def _settings(matches: list[re.Match[str]]) -> str:
    """Return ` with pattern=internode, bisection`, and nothing for reasons that name no setting."""
    values: dict[str, dict[str, None]] = {}
    for match in matches:
        if match["name"]:
            values.setdefault(match["name"], {})[match["value"]] = None
    ordered = {name: sorted(several, key=lambda value: (len(value), value)) for name, several in values.items()}
    settings = ", ".join(f"{name}={', '.join(several)}" for name, several in ordered.items())
    return f" with {settings}" if settings else ""
