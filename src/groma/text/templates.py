"""Templates of plain text, such as scripts and programs: what is put into them is quoted by whoever puts it there."""

from __future__ import annotations

import functools
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined


@functools.cache
def plain_templates(folder: Path) -> Environment:
    """Return the templates of a folder; each is compiled once in a process."""
    return Environment(  # noqa: S701 - no HTML
        loader=FileSystemLoader(folder),
        trim_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
    )
