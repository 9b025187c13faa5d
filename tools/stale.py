"""Writes a generated page, or says whether it is stale."""

from __future__ import annotations

from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"


def kept(page: Path, made: str, arguments: list[str], cause: str) -> int:
    """Write what was made to a page and return 0; with `--check`, return 1 and say why if the page is another."""
    if "--check" not in arguments:
        page.write_text(made, encoding="utf-8")
        return 0
    if page.is_file() and page.read_text(encoding="utf-8") == made:
        return 0
    print(f"docs/{page.relative_to(DOCS)} is stale: {cause}; make it again with: make fix")
    return 1
