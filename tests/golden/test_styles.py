"""Recorded runs as other programs print them, line for line; the recordings are of the engine, not made up."""

from __future__ import annotations

from pathlib import Path

import pytest
from approved import assert_approved

from groma.catalog.registry import styles
from groma.programs.answers import read_style
from groma.programs.sheet import sheet_of
from groma.results import load_run

RECORDED = Path(__file__).parents[1] / "recorded"
# Groma's methods; swaps only; broadcasts in segments only; stages only; variants only.
OF_THEIR_OWN = {"acceptance", "alcf", "commtest", "bcast_test", "pairs", "hpcc", "ladder"}


@pytest.mark.parametrize("name", styles())
def test_a_recorded_run_in_each_style(name: str) -> None:
    sheet = sheet_of(load_run(RECORDED / name), read_style(name))
    said = {"lacking": sheet.lacking, "remark": sheet.remarks}
    notes = [f"{kind}: {sentence}\n" for kind, sentences in said.items() for sentence in sentences]
    assert_approved(sheet.text() + "".join(notes), f"style-{name}.txt")


@pytest.mark.parametrize("name", sorted(styles().keys() - OF_THEIR_OWN))
def test_a_run_of_other_methods_says_in_what_it_differs(name: str) -> None:
    sheet = sheet_of(load_run(RECORDED / "two-launches"), read_style(name))
    assert "clock=monotonic" in sheet.text() or sheet.lacking
    assert len(sheet.lacking) == len(set(sheet.lacking))
