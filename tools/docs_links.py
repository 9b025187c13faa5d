"""A hook of MkDocs: what a page names outside docs/ is in the sources, not on the site, and becomes text."""

from __future__ import annotations

import posixpath
import re
from pathlib import PurePosixPath
from typing import Any

_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#\s:]+)(#[^)\s]*)?\)")
_FOLDERS = {"adr", "data"}


def on_page_markdown(markdown: str, page: Any, **_: object) -> str:  # noqa: ANN401 - MkDocs is no requirement of Groma
    """Return a page's text without links that leave docs/, or that name a folder."""
    place = PurePosixPath(page.file.src_uri).parent

    def kept(link: re.Match[str]) -> str:
        target = posixpath.normpath(f"{place}/{link[2]}")
        return link[1] if target.startswith("..") or target in _FOLDERS or target.endswith(".csv") else link[0]

    return _LINK.sub(kept, markdown)
