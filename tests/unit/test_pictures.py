"""docs/pictures: every picture is shown on a page and small; the gallery has every kind of report with its command."""

from __future__ import annotations

import re
from pathlib import Path

import documented

DOCS = documented.ROOT / "docs"
PICTURES = DOCS / "pictures"
_SHOWN = re.compile(r"!\[([^\]]+)\]\(([^)]+)\)")
# What writes a report, or a figure: all of them are shown.
REPORTS = ("quick", "plot", "compare", "gate", "run", "explain", "history")


def shown() -> dict[Path, list[str]]:
    """Return the pictures that pages show, and what they say of each."""
    found: dict[Path, list[str]] = {}
    for page in DOCS.rglob("*.md"):
        for words, target in _SHOWN.findall(page.read_text(encoding="utf-8")):
            found.setdefault((page.parent / target).resolve(), []).append(words)
    return found


def test_every_picture_is_there_shown_and_described() -> None:
    known = shown()
    assert {path for path in known if path.parent == PICTURES} == set(PICTURES.iterdir())
    assert all(path.is_file() for path in known)
    assert all(words for texts in known.values() for words in texts)


def test_pictures_are_small() -> None:
    sizes = {path.name: path.stat().st_size for path in PICTURES.iterdir()}
    assert max(sizes.values()) < 64 * 1024, sizes
    assert sum(sizes.values()) < 600 * 1024, sizes


def test_pictures_name_no_folder_of_their_machine() -> None:
    assert not [path.name for path in PICTURES.glob("*.svg") if re.search(r"/(tmp|home|root|work)/", path.read_text())]


def test_the_gallery_shows_every_report_with_its_command() -> None:
    sections = (DOCS / "gallery.md").read_text(encoding="utf-8").split("\n## ")[1:]
    commands = [re.findall(r"^```\n(groma \w+.*)\n```$", section, re.MULTILINE) for section in sections]
    assert all(len(found) == 1 for found in commands)
    assert all(len(_SHOWN.findall(section)) == 1 for section in sections)
    assert {found[0].split()[1] for found in commands} == set(REPORTS)
    profiles = re.findall(r"--profile (\w+)", " ".join(found[0] for found in commands))
    assert sorted(profiles) == ["ladder", "pairs"]
