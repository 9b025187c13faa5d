"""The commands of README.md, the guide and docs/programs.md: every line of every shell block, and the Python blocks.

Of the pages about programs also those within sentences.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GUIDE = ("first-run", "plans", "libraries-and-placements", "clusters", "compare-and-gate", "programs")
ABOUT_PROGRAMS = ("docs/programs.md", "docs/guide/programs.md")
TUTORIALS = ("healthy", "slower", "halo")
FIRST = ("README.md", "docs/start.md", *(f"docs/tutorials/{name}.md" for name in TUTORIALS), "docs/guide.md")
PAGES = (*FIRST, "docs/gallery.md", *(f"docs/guide/{name}.md" for name in GUIDE), "docs/programs.md")
PROGRAMS = ("groma", "git", "make", "cmake", "mpiexec", "source", "export", "GROMA_ENGINE", "lbw", "lbw-pvm")
_BLOCK = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"`([^`]+)`")
_VERB = re.compile(r"\S+|groma \S+")
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
    within = [span for page in ABOUT_PROGRAMS for span in _spans(page) if is_shell(span) and not _VERB.fullmatch(span)]
    return list(dict.fromkeys(filter(None, [*lines, *within])))


def _spans(page: str) -> list[str]:
    """Return what stands as code in the sentences of a page, each span on one line."""
    return [" ".join(match[1].split()) for match in _SPAN.finditer(_BLOCK.sub("", (ROOT / page).read_text()))]


def other_blocks() -> list[tuple[str, str]]:
    """Return the blocks that are no commands: TOML, Python, and what a program prints."""
    return [(language, text) for page in PAGES for language, text in blocks(page) if language or not is_shell(text)]
