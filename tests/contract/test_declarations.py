"""The engine's description of its records, the structs that read them, and the file that lists both."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from groma.catalog import Kind, packaged
from groma.results import documents, instruments, records
from tools.contract_tables import TABLE, Row, camel, rows, written


def reader(kind: Kind) -> type[msgspec.Struct]:
    """Return the struct that reads a kind."""
    if kind.name == "point":
        return records.point_with_columns()
    tagged: dict[str, type[msgspec.Struct]] = {one.__struct_config__.tag: one for one in get_args(records.Record)}
    if kind.name in tagged:
        return tagged[kind.name]
    modules = [module for module in (records, instruments, documents) if hasattr(module, camel(kind.name))]
    struct: type[msgspec.Struct] = getattr(modules[0], camel(kind.name))
    return struct


def tag(struct: type[msgspec.Struct]) -> list[str]:
    """Return what no struct of a record declares: msgspec reads which one it is, `groma.results.checksum` its end."""
    field = struct.__struct_config__.tag_field
    return [field, "crc32"] if field else []


@pytest.mark.parametrize("kind", packaged().records, ids=lambda kind: kind.name)
def test_readers_declare_what_the_engine_describes(kind: Kind) -> None:
    struct = reader(kind)
    declared = {row.name: row for row in rows(struct)}
    described = {member.name: member for member in kind.members}
    older = {name for name, row in declared.items() if row.older}
    assert described.keys() == declared.keys() - older | set(tag(struct)), kind.name
    optional = {field.encode_name for field in msgspec.structs.fields(struct) if field.default is None}
    for name in described.keys() - set(tag(struct)):
        row, member = declared[name], described[name]
        assert row.kind == member.type, f"{kind.name}.{name}"
        if member.nullable or member.left_out:
            assert row.nullable, f"{kind.name}.{name} may be null, and {struct.__name__} refuses that"
        else:
            assert not row.nullable or name in optional, f"{kind.name}.{name} is never null"


def test_only_older_engines_had_memory_copies() -> None:
    older = [(kind.name, row.name) for kind in packaged().records for row in rows(reader(kind)) if row.older]
    assert older == [("limits", "copy")]


def test_the_tables_of_the_contract_are_made_from_the_declarations() -> None:
    assert written(packaged()) == TABLE.read_text(), "make fix writes them again"


def test_every_member_of_every_document_is_explained() -> None:
    front: list[Row] = [
        row for struct in (documents.RunDocument, documents.LaunchDocument) for row in rows(struct) if not row.help
    ]
    engine = [member.name for kind in packaged().records for member in kind.members if not member.help]
    assert (front, engine) == ([], [])
