"""`groma list`: everything that can be asked is there, and is explained by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from groma.launch import engine

if TYPE_CHECKING:
    from pathlib import Path

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


def test_what_the_library_of_an_installed_native_engine_lacks_is_said_before_a_run(
    groma: Groma, catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GROMA_ENGINE")
    name = "allreduce_init"
    assert "not here" not in groma("list", name).out
    changed = [
        msgspec.structs.replace(one, lacks="MPI_Allreduce_init") if one.name == name else one
        for one in catalog.operations
    ]
    described = tmp_path / "described.json"
    described.write_bytes(msgspec.json.encode(msgspec.structs.replace(catalog, operations=tuple(changed))))
    installed = tmp_path / "groma-engine"
    installed.write_text(f"#!/bin/sh\ncat {described}\n")
    installed.chmod(0o755)
    monkeypatch.setattr(engine, "packaged_engine", lambda: installed)
    assert "the MPI library lacks MPI_Allreduce_init" in groma("list", name).out
    listed = " ".join(groma("list", "operations").out.split())
    assert f"not here: {name}; the MPI library lacks MPI_Allreduce_init" in listed
    described.write_text("no catalogue")  # an engine that fails, or is of another version: `list` needs none
    installed.write_text(f"#!/bin/sh\n# changed\ncat {described}\n")
    assert "not here" not in groma("list", name).out
