"""The two outputs: tables and results on one, progress and explanations on the other.

On a terminal, lines fit its width. Anything else gets whole lines: nothing wrapped, cut or padded, so that programs can
take them apart; a width in COLUMNS is kept to.
"""

from __future__ import annotations

import os
import re
import sys
from typing import IO, Any, TextIO, cast

import click
from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.segment import Segment

from groma.text.printable import printable

# Wider than any line: rich wraps at the width, and has no other way to switch that off.
_PIPED_WIDTH = 4000
_TRAILING = re.compile(r" +(?=\n)")


class _Unpadded:
    """A text stream that gets every line without the spaces that rich fills it up with."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write whole lines, which rich gives at once."""
        return self._stream.write(_TRAILING.sub("", text))

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the stream has
        return getattr(self._stream, name)


class _Printable:
    """What is printed, without characters that a terminal would obey; rich keeps colours apart from the text."""

    def __init__(self, content: ConsoleRenderable) -> None:
        self._content = content

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the segments of what is printed."""
        for segment in console.render(self._content, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)


class _Safe(RenderHook):
    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Printable(renderable) for renderable in renderables]


def echo(text: str, *, nl: bool = True) -> None:
    """Print text as it is, but for characters that a terminal would obey."""
    click.echo(printable(text), nl=nl)


def out() -> Console:
    """Return the console for what was asked for."""
    return _console(sys.stdout)


def err() -> Console:
    """Return the console for progress and explanations."""
    return _console(sys.stderr)


def path_line(console: Console, path: object) -> None:
    """Print a path on a line of its own, never wrapped, so that scripts can take it."""
    console.print(str(path), soft_wrap=True, markup=False)


def _console(stream: TextIO) -> Console:
    if stream.isatty():
        console = Console(file=stream, highlight=False)
    else:
        width = None if os.environ.get("COLUMNS") else _PIPED_WIDTH
        console = Console(file=cast("IO[str]", _Unpadded(stream)), width=width, highlight=False)
    console.push_render_hook(_Safe())
    return console
