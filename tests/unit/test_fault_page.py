"""docs/faults.md: its table is that of the faults that are planted, and the tests that it names exist."""

from __future__ import annotations

import os
import re
from pathlib import Path

from faults import page

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "faults.md"


def test_the_page_has_every_fault_that_is_planted() -> None:
    if os.environ.get("GROMA_APPROVE"):
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page(), (
        "to renew it: GROMA_APPROVE=1 pytest tests/unit/test_fault_page.py"
    )


def test_every_test_that_the_page_names_exists() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE.read_text(encoding="utf-8"))
    assert len(named) > 10
    for file, test in named:
        assert re.search(rf"^def {test}\(", (ROOT / file).read_text(), re.MULTILINE), f"{file}::{test}"
