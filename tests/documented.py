"""The commands of README.md and of the guide: every line of every shell block, and the Python blocks."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GUIDE = ("first-run", "plans", "libraries-and-placements", "clusters", "compare-and-gate", "programs")
PAGES = ("README.md", "docs/guide.md", *(f"docs/guide/{name}.md" for name in GUIDE))
PROGRAMS = ("groma", "make", "cmake", "mpiexec", "source", "export", "GROMA_ENGINE")
_BLOCK = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_FIRST_WORD = re.compile(r"[\w.-]+")


def blocks(page: str) -> list[tuple[str, str]]:
    """Return language and text of every fenced block of a page."""
    return [(match[2], match[3]) for match in _BLOCK.finditer((ROOT / page).read_text())]


def is_shell(text: str) -> bool:
    """Tell whether a block without a language is one of commands: its first word is a program of PROGRAMS."""
    word = _FIRST_WORD.match(text.lstrip())
    return word is not None and word[0] in PROGRAMS


def commands() -> list[str]:
    """Return every command of all pages once, without what a comment says of it."""
    lines = [
        line.partition(" #")[0].strip()
        for page in PAGES
        for language, text in blocks(page)
        if not language and is_shell(text)
        for line in text.splitlines()
    ]
    return list(dict.fromkeys(filter(None, lines)))


def other_blocks() -> list[tuple[str, str]]:
    """Return the blocks that are no commands: TOML, Python, and what a program prints."""
    return [(language, text) for page in PAGES for language, text in blocks(page) if language or not is_shell(text)]
