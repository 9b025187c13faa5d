"""The catalogue: reading it, and noticing that an engine is not the one it was made from."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from fakes import ENGINE, Groma

from groma.catalog import Catalog, decode, difference
from groma.errors import CatalogError
from groma.launch.engine import check_drift, describe, find_engine


def changed(catalog: Catalog, attribute: str, index: int, **values: object) -> Catalog:
    items = list(getattr(catalog, attribute))
    items[index] = msgspec.structs.replace(items[index], **values)
    return msgspec.structs.replace(catalog, **{attribute: tuple(items)})


def test_a_catalogue_does_not_differ_from_itself(catalog: Catalog) -> None:
    assert difference(catalog, catalog) is None


def test_what_a_library_lacks_is_no_difference(catalog: Catalog) -> None:
    assert difference(catalog, changed(catalog, "operations", 0, lacks="MPI_Send_c (MPI 4.0)")) is None


def test_the_first_difference_is_named(catalog: Catalog) -> None:
    name = catalog.operations[0].name
    assert difference(catalog, changed(catalog, "operations", 0, summary="other")) == (
        f"the operation {name} is described differently"
    )
    assert difference(catalog, changed(catalog, "fields", 0, name="new")) == "the engine lacks the field operation"
    fewer = msgspec.structs.replace(catalog, patterns=catalog.patterns[1:])
    assert difference(fewer, catalog) == f"the engine has an unknown pattern {catalog.patterns[0].name}"
    newer = msgspec.structs.replace(catalog, engine="9.9")
    assert "version 9.9" in str(difference(catalog, newer))
    reordered = msgspec.structs.replace(catalog, operations=catalog.operations[::-1])
    assert "another order" in str(difference(catalog, reordered))


@pytest.mark.parametrize(("data", "says"), [(b"{}", "not a catalogue"), (b"no json", "not a catalogue")])
def test_an_unreadable_catalogue(data: bytes, says: str) -> None:
    with pytest.raises(CatalogError, match=says):
        decode(data, "x")


def test_an_unknown_schema_is_an_error(catalog: Catalog) -> None:
    with pytest.raises(CatalogError, match="schema 2"):
        decode(msgspec.json.encode(msgspec.structs.replace(catalog, schema=2)), "x")


def test_resolving_a_point_fills_in_the_operations_own_defaults(catalog: Catalog) -> None:
    resolved = catalog.resolve({"operation": "pingpong", "bytes": 16})
    assert (resolved["pattern"], resolved["timing"], resolved["bytes"]) == ("first_two", "block", 16)
    assert set(resolved) == set(catalog.names("point"))


def test_an_engine_that_drifted_is_refused(
    fakes: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch, groma: Groma
) -> None:
    described = fakes / "described.json"
    described.write_bytes(msgspec.json.encode(changed(catalog, "operations", 0, divisor=7)))
    monkeypatch.setenv("FAKE_DESCRIBE", str(described))
    bin_folder = fakes / "bin"
    bin_folder.mkdir()
    (bin_folder / "groma-engine").symlink_to(ENGINE)
    monkeypatch.delenv("GROMA_ENGINE")
    monkeypatch.setattr("sysconfig.get_path", lambda _name: str(bin_folder))
    said = groma("run", "barrier")
    said.refuses(f"the operation {catalog.operations[0].name} is described differently")
    assert not (fakes / "runs").exists()


def test_an_engine_of_ones_own_brings_its_own_operations(
    fakes: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch, groma: Groma
) -> None:
    described = fakes / "described.json"
    described.write_bytes(msgspec.json.encode(changed(catalog, "operations", 0, name="my_exchange")))
    monkeypatch.setenv("FAKE_DESCRIBE", str(described))
    assert "my_exchange" in groma("list", "operations").out
    assert groma("run", "my_exchange", "--dry-run").code == 0


def test_a_description_is_asked_for_once(fakes: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = find_engine()
    assert describe(engine) == catalog
    monkeypatch.setattr("groma.launch.engine._describe", lambda _engine: pytest.fail("asked again"))
    assert describe(engine) == catalog
    remembered = next((fakes / "cache" / "groma").glob("describe-*"))
    assert json.loads(remembered.read_bytes())["schema"] == 1
    monkeypatch.undo()


def test_a_cache_that_cannot_be_written_costs_nothing(
    fakes: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    (fakes / "file").write_text("not a directory")
    monkeypatch.setenv("XDG_CACHE_HOME", str(fakes / "file"))
    assert describe(find_engine()) == catalog
    check_drift(find_engine())
