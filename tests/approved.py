"""Comparing text with what was approved: `GROMA_APPROVE=1 pytest tests/golden` approves what is there now."""

from __future__ import annotations

import difflib
import os
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden"


def assert_approved(text: str, name: str) -> None:
    """Fail with a diff if the text is not that of the approved file."""
    approved = GOLDEN / name
    if os.environ.get("GROMA_APPROVE"):
        approved.write_text(text, encoding="utf-8")
    before = approved.read_text(encoding="utf-8") if approved.exists() else ""
    diff = difflib.unified_diff(before.splitlines(), text.splitlines(), f"approved {name}", "now", lineterm="")
    assert before == text, "\n".join([*diff, "to approve: GROMA_APPROVE=1 pytest tests/golden"])
