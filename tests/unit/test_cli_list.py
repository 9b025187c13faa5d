"""`groma list`: everything that can be asked is there, and is explained by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from fakes import Groma

    from groma.catalog import Catalog


def test_list_shows_and_explains_everything(groma: Groma, catalog: Catalog) -> None:
    everything = groma("list").out
    operations, patterns = ([item.name for item in items] for items in (catalog.operations, catalog.patterns))
    for name in (*operations, *patterns, *catalog.names("point"), *catalog.names("plan")):
        assert name in everything
        said = groma("list", name)
        assert said.code == 0
        assert name in said.out
    for kind in ("operations", "patterns", "fields", "profiles"):
        assert kind.capitalize() in everything
        assert groma("list", kind).code == 0
    assert "10 on 2 ranks" in groma("list", "quick").out


def test_a_list_fits_the_width_and_its_last_column_stands_by_itself(
    groma: Groma, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = groma("list", "fields").out.splitlines()
    monkeypatch.setenv("COLUMNS", "72")
    wrapped = groma("list", "fields").out.splitlines()
    assert max(map(len, whole)) > 72 >= max(map(len, wrapped))
    name = next(line for line in whole if line.startswith("datatype "))
    indent = name.index("type of the elements")
    at = wrapped.index(next(line for line in wrapped if line.startswith("datatype ")))
    assert wrapped[at][indent:].startswith("type of the elements")
    assert wrapped[at + 1][:indent].isspace()
    assert not wrapped[at + 1][indent].isspace()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("estimator", "trimmed_mean"),
        ("outliers", "factor_of_mean"),
        ("outlier_factor", "5.0"),
        ("report", "estimator"),
    ],
)
def test_settings_of_the_report_are_found(groma: Groma, name: str, says: str) -> None:
    said = groma("list", name)
    assert said.code == 0
    assert says in said.out
    assert "did you mean 'estimator'" in groma("list", "estimater").err
