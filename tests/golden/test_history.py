"""What `groma history` says, word for word."""

from __future__ import annotations

from pathlib import Path

import pytest
from approved import assert_approved
from planted_runs import change_document, monthly

from groma.history.formats import written
from groma.history.reading import groups_of
from groma.history.store import opened


@pytest.mark.one_case
@pytest.mark.parametrize("form", ["text", "markdown"])
def test_a_history(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROMA_CONFIG", str(tmp_path / "config"))
    monthly(tmp_path / "runs", 24, 14)
    for run in monthly(tmp_path / "others", 3, 3):
        change_document(run, name="nightly")
    with opened() as store:
        groups, problems = groups_of(store, [tmp_path / "runs", tmp_path / "others"])
    assert problems == []
    assert_approved(written(groups, form), f"history-{form}.txt")
